// Everything that the page shows, for everyone: no serious barrier in either theme, nothing wider than a phone.

import AxeBuilder from "axe-core";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

async function barriers(visitor: Visitor): Promise<string[]> {
  return visitor.page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(
        ({ id, nodes }) =>
          `${id}: ${nodes
            .slice(0, 3)
            .map((node) => `${node.html.slice(0, 140)} ${node.any[0]?.message ?? ""}`)
            .join(" | ")}`,
      );
  });
}

/** What a pane has once it is drawn. */
const FILLED: Record<string, string> = {
  "SPIR-V": ".spirv .cm-line",
  Run: ".verdict",
  Matrices: ".matrices-view canvas",
  Portability: ".devices",
  Docs: ".documentation .pages",
};

/** Opens one thing after the other, and says what each has. */
async function walk(visitor: Visitor, look: (what: string) => Promise<void>) {
  const { page } = visitor;
  await visitor.opened("gemm.comp", "0 errors");
  const tabs = await page.locator("#pane-tabs [role=tab]").allTextContents();
  for (const tab of tabs) {
    await visitor.pane(tab);
    if (tab === "Run") {
      await page.locator('[data-key="run"]').click();
    }
    await page
      .locator(FILLED[tab] ?? ".pane:not([hidden])")
      .first()
      .waitFor();
    await look(`pane-${tab}`);
  }
  await page.locator("#share").click();
  await page.locator(".share-link").waitFor();
  await look("dialog-share");
  await page.keyboard.press("Escape");
  await page.locator("#gallery").click();
  await look("dialog-gallery");
  await page.keyboard.press("Escape");
  await visitor.press("#tour");
  await page.locator(".tour h2").waitFor();
  await look("tour");
}

describe("everything on the page", () => {
  test.each(["light", "dark"])(
    "has no serious barrier in the %s theme",
    { timeout: 300_000 },
    async (theme) => {
      const visitor = await Visitor.arrive();
      const now = () => visitor.page.evaluate(() => document.documentElement.dataset.theme);
      if ((await now()) !== theme) await visitor.page.locator("#theme").click();
      // By the browser's debugger, which the content security policy does not hold back.
      await visitor.page.evaluate(AxeBuilder.source);
      const found: string[] = [];
      await walk(visitor, async (what) => {
        await visitor.picture(`${theme}-${what.toLowerCase().replace(/\W+/g, "-")}`);
        found.push(...(await barriers(visitor)).map((words) => `${what}: ${words}`));
      });
      expect(found).toEqual([]);
      await visitor.leave();
    },
  );

  test("fits a width of 400 pixels", { timeout: 300_000 }, async () => {
    const visitor = await Visitor.arrive("", { width: 400, height: 800 });
    const wide: string[] = [];
    await walk(visitor, async (what) => {
      await visitor.picture(`narrow-${what.toLowerCase().replace(/\W+/g, "-")}`);
      const width = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
      if (width > 400) wide.push(`${what}: ${width}`);
    });
    expect(wide).toEqual([]);
    await visitor.leave();
  });
});
