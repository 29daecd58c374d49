// The gallery of examples: cards with pictures, found by words, reached by the keyboard.

import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const card = (visitor: Visitor, path: string) => visitor.page.locator(`dialog.gallery [data-path="${path}"]`);
const search = (visitor: Visitor) => visitor.page.getByLabel("Find an example");
/** The path of the card that has the focus. */
const focused = (visitor: Visitor) =>
  visitor.page.evaluate(() => (document.activeElement as HTMLElement).dataset.path ?? "");

/** A page with its gallery open. */
async function open(size?: { width: number; height: number }): Promise<Visitor> {
  const visitor = await Visitor.arrive("", size);
  await visitor.page.locator("#gallery").click();
  await card(visitor, "khr/gemm.comp").waitFor();
  return visitor;
}

describe("the gallery", () => {
  test("shows a picture, a name and a sentence on each card, and loads what is in view", async () => {
    const visitor = await open();
    const first = card(visitor, "khr/gemm_staged.comp");
    expect(await first.textContent()).toMatch(/^Staged matrix product\S*A product of any size.*\.$/);
    const drawn = () => first.locator("img").evaluate((image) => (image as HTMLImageElement).naturalWidth);
    await expect.poll(drawn).toBeGreaterThan(0);
    expect(await visitor.page.locator("dialog.gallery h3").first().textContent()).toBe("Start here");
    const paths = await visitor.examples();
    expect(await visitor.page.locator("dialog.gallery .picture img").count()).toBe(paths.length);
    await visitor.leave();
  });

  test("finds by the words of name, sentence and file, and forgets them when it closes", async () => {
    const visitor = await open();
    const shown = visitor.page.locator("dialog.gallery [data-path]:visible");
    const all = await shown.count();
    await search(visitor).fill("q4_k");
    await expect.poll(() => shown.count()).toBe(2);
    await search(visitor).fill("attention softmax");
    await card(visitor, "khr/flash_attention.comp").waitFor();
    await search(visitor).fill("no such kernel");
    await visitor.page.getByText("No example has all these words.").waitFor();
    await visitor.page.locator("dialog.gallery").getByRole("button", { name: "Close" }).click();
    await visitor.page.locator("#gallery").click();
    await expect.poll(() => shown.count()).toBe(all);
    await visitor.leave();
  });

  test("is walked through by arrows, opens by Enter, and takes letters as a search", async () => {
    const visitor = await open();
    const { page } = visitor;
    const paths = await visitor.examples();
    await expect.poll(() => search(visitor).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowDown");
    expect(await focused(visitor)).toBe(paths[0]);
    await page.keyboard.press("ArrowRight");
    expect(await focused(visitor)).toBe(paths[1]);
    // The card below stands in the same column.
    const left = async () => (await page.locator(":focus").boundingBox())?.x ?? Number.NaN;
    const column = await left();
    await page.keyboard.press("ArrowDown");
    expect(await focused(visitor)).not.toBe(paths[2]);
    expect(await left()).toBeCloseTo(column);
    await page.keyboard.press("ArrowUp");
    expect(await focused(visitor)).toBe(paths[1]);
    await page.keyboard.press("ArrowUp");
    expect(await search(visitor).evaluate((one) => one === document.activeElement)).toBe(true);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.type("race");
    expect(await search(visitor).inputValue()).toBe("race");
    await page.keyboard.press("ArrowDown");
    expect(await focused(visitor)).toBe("mistakes/race.comp");
    await page.keyboard.press("Enter");
    await visitor.opened("mistakes/race.comp");
    await visitor.leave();
  });

  test("Tab comes to one card, so that what follows is near", async () => {
    const visitor = await open();
    const reached = await visitor.page.locator('dialog.gallery li button[tabindex="0"]').count();
    expect(reached).toBe(1);
    await visitor.leave();
  });

  test("has its pictures without a network, as the service worker keeps them", async () => {
    const visitor = await open();
    const lost = await visitor.page.evaluate(async () => {
      const worker = await (await fetch("./sw.js")).text();
      const pictures = [...document.querySelectorAll<HTMLImageElement>("dialog.gallery img")];
      return pictures.map(({ src }) => src.replace(/^.*\//, "")).filter((name) => !worker.includes(name));
    });
    expect(lost).toEqual([]);
    await visitor.leave();
  });

  test.each([1440, 400])("fits into %i pixels in both themes", async (width) => {
    const visitor = await open({ width, height: 900 });
    for (const theme of ["light", "dark"]) {
      await visitor.page.evaluate((theme) => {
        document.documentElement.dataset.theme = theme;
      }, theme);
      const list = visitor.page.locator(".gallery-list");
      expect(await list.evaluate((one) => one.scrollWidth - one.clientWidth)).toBeLessThanOrEqual(0);
      await visitor.picture(`gallery-${theme}-${width}`);
    }
    await visitor.leave();
  });
});
