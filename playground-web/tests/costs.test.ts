// What each line did in a run, beside the line: its share of the instructions or of the bytes, in words too, and gone when the text changes.

import AxeBuilder from "axe-core";
import { afterAll, describe, expect, test } from "vitest";
import { close, optimised, Visitor } from "./page";

optimised();
afterAll(close);

const marks = (visitor: Visitor) => visitor.page.locator(".cm-heat");

describe("costs of lines", () => {
  test("are beside the lines that ran and in a list, by what is chosen, until the text changes", async () => {
    const visitor = await Visitor.arrive();
    const { page } = visitor;
    await page.keyboard.press("Control+Enter");
    await page.locator(".verdict.good").waitFor();
    expect(await marks(visitor).count()).toBe(0);

    const costs = page.getByLabel("Costs of lines");
    await costs.selectOption("instructions");
    // Lines out of view have no marks yet.
    await page.evaluate(() => document.querySelector("#editor .cm-scroller")?.scrollTo(0, 500));
    await expect.poll(() => marks(visitor).count()).toBeGreaterThan(8);
    const title = /^(\d+|<1) % of the instructions: [\d,]+(; [\d,]+ bytes read and written)?$/;
    for (const mark of await marks(visitor).all()) expect(await mark.getAttribute("title")).toMatch(title);
    // Who cannot see them reads the same in the report.
    const list = page.locator('[data-key="part-lines"] li');
    expect(await list.first().textContent()).toMatch(/^\S+\.comp:\d+ \d+ % of the instructions: [\d,]+/);
    const shares = await marks(visitor).allInnerTexts();
    expect(shares.filter((share) => /^(\d+|<1) %$/.test(share))).toEqual(shares);
    if (process.env.COSTS_PICTURE) await page.screenshot({ path: process.env.COSTS_PICTURE });

    await costs.selectOption("bytes");
    await expect
      .poll(() => marks(visitor).first().getAttribute("title"))
      .toMatch(/% of the bytes: [\d,]+; [\d,]+ instruction/);
    const moved = await marks(visitor).count();
    expect(moved).toBeGreaterThan(2);
    expect(moved).toBeLessThan(shares.length);

    await page.evaluate(AxeBuilder.source);
    const violations = await page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof AxeBuilder };
      return (await axe.run("#editor, .run")).violations.map(({ id }) => id);
    });
    expect(violations).toEqual([]);

    await page.locator(".cm-line").filter({ hasText: "coopMatMulAdd" }).first().click();
    await page.keyboard.type(" ");
    await expect.poll(() => marks(visitor).count()).toBe(0);
    await page.keyboard.press("Control+Enter");
    await marks(visitor).first().waitFor();
    await costs.selectOption("");
    await expect.poll(() => marks(visitor).count()).toBe(0);
    expect(visitor.complaints).toEqual([]);
    await visitor.leave();
  });
});
