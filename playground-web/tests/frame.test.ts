// The page's frame: what a first visit shows, Run and Stop in the header, the division between code and results, messages, the last line, a phone.

import { encode } from "@coopmat/shared/project/share";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const SHADER = "#version 460\nvoid main() {}\n";
const ENDLESS = `#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Out { uint data[]; };
void main() { for (uint i = 0u; i < 4000000000u; i++) data[0] += i; }
`;

/** The example has run without being asked. */
const finished = (visitor: Visitor) => visitor.page.locator("#outcome", { hasText: "met" }).waitFor();

describe("a first visit", () => {
  test("shows a product that has been computed, and says what the page is", async () => {
    const visitor = await Visitor.arrive();
    await finished(visitor);
    await visitor.page.locator("#pane-matrices:not([hidden]) .view-textbook canvas").first().waitFor();
    expect(await visitor.page.locator("#introduction").textContent()).toContain("cooperative matrices");
    for (const id of ["book", "install", "source"])
      expect(await visitor.page.locator(`#${id}`).getAttribute("href")).toMatch(/^(https:|\.\/book\/)/);
    await visitor.picture("frame-first-visit");
    // Nothing was asked for that would hide the code.
    await visitor.opened("gemm.comp", "0 errors");
    await visitor.leave();
  });

  test("has an introduction that stays away once it is put away", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.locator("#introduced").click();
    await visitor.page.locator("#introduction").waitFor({ state: "hidden" });
    await visitor.page.reload();
    await finished(visitor);
    expect(await visitor.page.locator("#introduction").isVisible()).toBe(false);
    await visitor.leave();
  });

  test("does not run over what somebody has begun to write", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.opened("gemm.comp", "0 errors");
    await expect.poll(() => visitor.text()).toContain("void main() {}");
    await visitor.page.reload();
    await visitor.opened("gemm.comp", "0 errors");
    // The simulator is there, and nothing has run.
    await visitor.pane("Run");
    await visitor.page.locator("#pane-run .run-content > *").first().waitFor();
    expect(await visitor.page.locator(".verdict").count()).toBe(0);
    await visitor.leave();
  });
});

describe("Run in the header", () => {
  test("runs and shows the verdict, to which the last line leads as well", async () => {
    const visitor = await Visitor.arrive();
    await finished(visitor);
    await visitor.page.locator("#run").click();
    await visitor.page.locator("#pane-run:not([hidden]) .verdict").waitFor();
    await visitor.pane("Docs");
    await visitor.page.locator("#outcome").click();
    await visitor.page.locator("#pane-run:not([hidden]) .verdict").waitFor();
    await visitor.leave();
  });

  test("becomes Stop, which ends the run; so does Escape in the editor", async () => {
    const files = [{ name: "endless.comp", text: ENDLESS }];
    const visitor = await Visitor.arrive(encode({ files, active: "endless.comp", options: {} }));
    const { page } = visitor;
    await visitor.opened("endless.comp", "0 errors");
    await page.locator("#run").click();
    await page.locator("#run", { hasText: "Stop" }).click();
    await page.locator("#run", { hasText: "Run" }).waitFor();
    await visitor.editor.click();
    await page.keyboard.press("Control+Enter");
    await page.locator("#run", { hasText: "Stop" }).waitFor();
    await page.keyboard.press("Escape");
    await page.locator("#run", { hasText: "Run" }).waitFor();
    await visitor.leave();
  });
});

describe("the division between code and results", () => {
  const width = (visitor: Visitor) =>
    visitor.page.locator("#code").evaluate((code) => code.getBoundingClientRect().width);

  test("is dragged, moved by keys, halved by a double click, and remembered", async () => {
    const visitor = await Visitor.arrive();
    const { page } = visitor;
    const bar = page.locator("#splitter");
    const half = await width(visitor);
    const box = await bar.boundingBox();
    if (!box) throw new Error("there is no bar");
    await page.mouse.move(box.x, box.y + 200);
    await page.mouse.down();
    await page.mouse.move(box.x - 250, box.y + 210, { steps: 4 });
    await page.mouse.up();
    await expect.poll(() => width(visitor)).toBeLessThan(half - 200);
    await page.reload();
    await expect.poll(() => width(visitor)).toBeLessThan(half - 200);
    // The script that hears of keys is there.
    await expect.poll(() => bar.getAttribute("aria-valuenow")).not.toBe("50");
    await bar.focus();
    await page.keyboard.press("End");
    await expect.poll(() => bar.getAttribute("aria-valuenow")).toBe("85");
    await page.keyboard.press("ArrowLeft");
    await expect.poll(() => bar.getAttribute("aria-valuenow")).toBe("83");
    await bar.dblclick();
    await expect.poll(() => width(visitor)).toBe(half);
    await visitor.leave();
  });

  test("is one of the height where the results lie below", async () => {
    const visitor = await Visitor.arrive("", { width: 700, height: 900 });
    const bar = visitor.page.locator("#splitter");
    await expect.poll(() => bar.getAttribute("aria-orientation")).toBe("horizontal");
    const height = () =>
      visitor.page.locator("#code").evaluate((code) => code.getBoundingClientRect().height);
    const before = await height();
    await bar.focus();
    await visitor.page.keyboard.press("Shift+ArrowDown");
    await expect.poll(height).toBeGreaterThan(before + 40);
    await visitor.leave();
  });
});

test("messages lie over the page, and push nothing aside", async () => {
  const visitor = await Visitor.arrive();
  await finished(visitor);
  const top = () => visitor.page.locator("main").evaluate((main) => main.getBoundingClientRect().top);
  const before = await top();
  await visitor.page.evaluate(() => {
    location.hash = "#p=1!!";
  });
  await visitor.page.locator("#notice", { hasText: "damaged" }).waitFor();
  expect(await top()).toBe(before);
  await visitor.page.getByRole("button", { name: "Close this message" }).click();
  expect(await visitor.page.locator("#notice").textContent()).toBe("");
  await visitor.leave();
});

test("the last line speaks of the file in view, and of where the cursor is", async () => {
  const visitor = await Visitor.arrive();
  const { page } = visitor;
  await visitor.opened("gemm.comp", "0 errors");
  await page.getByRole("tab", { name: "gemm.run.toml" }).click();
  await visitor.opened("gemm.run.toml", "0 errors");
  await visitor.editor.click();
  await page.keyboard.press("ControlOrMeta+Home");
  await page.keyboard.type("nonsense = 1\n");
  await visitor.opened("gemm.run.toml", "1 error,");
  await expect.poll(() => page.locator("#position").textContent()).toBe("Line 2, column 1");
  await page.getByRole("tab", { name: "gemm.comp", exact: true }).click();
  await visitor.opened("gemm.comp", "0 errors");
  await visitor.leave();
});

test("a mistake is counted on the tab of Problems", async () => {
  const visitor = await Visitor.arrive();
  await visitor.write("#version 460\nvoid main() { x; }\n");
  const tab = visitor.page.getByRole("tab", { name: "Problems", exact: true });
  await expect.poll(() => tab.getAttribute("data-badge")).toBe("1");
  await visitor.pane("Problems");
  await visitor.page.locator(".problems button").click();
  await expect.poll(() => visitor.page.locator("#position").textContent()).toContain("Line 2");
  await visitor.write(SHADER);
  await visitor.page.locator("#pane-problems .empty", { hasText: "No problems" }).waitFor();
  expect(await tab.getAttribute("data-badge")).toBeNull();
  await visitor.leave();
});

test("on a phone one of code and results is in view, and what leads to the other shows it", async () => {
  const visitor = await Visitor.arrive("", { width: 400, height: 800 });
  const { page } = visitor;
  await finished(visitor);
  // Results first: that is what there is to see.
  expect(await page.locator(".editor-side").isVisible()).toBe(false);
  await page.getByRole("button", { name: "Code" }).click();
  await visitor.editor.waitFor();
  expect(await page.locator(".pane-side").isVisible()).toBe(false);
  await visitor.write("#version 460\nvoid main() { x; }\n");
  await visitor.opened("gemm.comp", "1 error");
  await page.getByRole("button", { name: "Results" }).click();
  const last = page.getByRole("tab", { name: "Problems" });
  await last.click();
  await page.locator(".problems button").click();
  await visitor.editor.waitFor();
  // What the header has no room for is in its menu.
  await page.locator("#menu").click();
  const dark = () => page.evaluate(() => document.documentElement.dataset.theme);
  const before = await dark();
  await page.locator("#theme").click();
  expect(await dark()).not.toBe(before);
  await page.locator("#more").waitFor({ state: "hidden" });
  // The tab in view is scrolled to.
  await page.getByRole("button", { name: "Results" }).click();
  const inRow = () =>
    last.evaluate((tab) => {
      const row = tab.parentElement?.getBoundingClientRect();
      const own = tab.getBoundingClientRect();
      return row !== undefined && own.left >= row.left - 1 && own.right <= row.right + 1;
    });
  await expect.poll(inRow).toBe(true);
  await visitor.leave();
});
