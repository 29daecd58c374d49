// Links show what their sender saw: each is made on one page and opened in a fresh browser, which knows nothing of the other.

import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

async function shared(visitor: Visitor): Promise<string> {
  await visitor.page.locator("#share").click();
  const address = await visitor.page.locator(".share-link").inputValue();
  await visitor.page.keyboard.press("Escape");
  return address;
}

const ran = (visitor: Visitor) => visitor.page.locator("#outcome", { hasText: "met" }).waitFor();

describe("a link to an example that nobody changed", () => {
  test("names it instead of carrying it", async () => {
    const visitor = await Visitor.arrive();
    await visitor.opened("gemm.comp", "0 errors");
    await visitor.example("qcom/bitcast.comp");
    await visitor.opened("bitcast.comp", "0 errors");
    const address = await shared(visitor);
    const { hash } = new URL(address);
    expect(hash.length).toBeLessThan(400);
    await visitor.leave();
    const other = await Visitor.arrive(address);
    await other.opened("bitcast.comp", "0 errors");
    await other.leave();
  });

  test("of a page that has other examples says so", async () => {
    const { encode } = await import("@coopmat/shared/project/share");
    const visitor = await Visitor.arrive(encode({ example: "khr/gone.comp", options: {} }));
    await visitor.page.locator("#notice", { hasText: "this page has no example khr/gone.comp" }).waitFor();
    await visitor.leave();
  });
});

describe("whoever opens a link sees", () => {
  test("the recorded operation: its time, the look at it, the matrix, the ownership, the selected element", async () => {
    const visitor = await Visitor.arrive();
    const { page } = visitor;
    await ran(visitor);
    await page.locator(".matrices-row", { hasText: "coopMatMulAdd" }).click();
    await page.getByLabel("Time", { exact: true }).focus();
    await page.keyboard.press("ArrowRight");
    await page.keyboard.press("ArrowRight");
    await page.getByRole("button", { name: "Ownership", exact: true }).click();
    await page.getByLabel("Matrix", { exact: true }).selectOption("B");
    const names = await page.getByLabel("Ownership", { exact: true }).locator("option").allTextContents();
    const other = names.at(-1) ?? "";
    await page.getByLabel("Ownership", { exact: true }).selectOption(other);
    const grid = page.locator(".ownership .view-grid").first();
    await grid.focus();
    // The first element, then two to the right and one down.
    for (const key of ["ArrowRight", "ArrowRight", "ArrowRight", "ArrowDown"]) await page.keyboard.press(key);
    const words = page.locator(".ownership .view-words");
    await words.filter({ hasText: "Row 1, column 2" }).waitFor();
    const before = await words.textContent();
    const address = await shared(visitor);
    await visitor.picture("view-sent");
    await visitor.leave();

    const opened = await Visitor.arrive(address);
    await expect.poll(() => opened.page.locator(".ownership .view-words").textContent()).toBe(before);
    expect(await opened.page.locator(".matrices-time output").textContent()).toContain("3 of 4");
    expect(await opened.page.getByLabel("Matrix", { exact: true }).inputValue()).toBe("B");
    expect(await opened.page.getByLabel("Ownership", { exact: true }).inputValue()).toBe(other);
    await opened.picture("view-opened");
    await opened.leave();

    // The same inside of another page.
    const inside = await Visitor.arrive(address.replace("/#", "/?embed=1#"), { width: 1000, height: 500 });
    await expect.poll(() => inside.page.locator(".ownership .view-words").textContent()).toBe(before);
    await inside.picture("view-embedded");
    await inside.leave();
  });

  test("the layout, the pane, the cursor and the unfolded buffers", async () => {
    const visitor = await Visitor.arrive();
    const { page } = visitor;
    await ran(visitor);
    await visitor.put("coopMatMulAdd(");
    const place = await page.locator("#position").textContent();
    await visitor.pane("Run");
    await page.locator("#buffer-outputD").getByRole("button", { name: "Difference" }).click();
    await page.locator("#splitter").focus();
    await page.keyboard.press("Shift+ArrowLeft");
    const address = await shared(visitor);
    await visitor.leave();

    const opened = await Visitor.arrive(address);
    await opened.page.locator("#pane-run:not([hidden]) .verdict").waitFor();
    const look = opened.page.locator("#buffer-outputD").getByRole("button", { name: "Difference" });
    await expect.poll(() => look.getAttribute("aria-pressed")).toBe("true");
    expect(await opened.page.locator("#position").textContent()).toBe(place);
    expect(await opened.page.locator("#splitter").getAttribute("aria-valuenow")).toBe("40");
    // Another person's division is not this one's.
    expect(await opened.page.evaluate(() => localStorage.getItem("coopmat-analyzer.layout"))).toBeNull();
    await opened.leave();
  });

  test("the debugger where it stood", async () => {
    const visitor = await Visitor.arrive();
    const { page } = visitor;
    await ran(visitor);
    await visitor.pane("Debugger");
    await page.locator("#pane-debugger button.primary").click();
    const words = (of: Visitor) => of.page.locator(".debugger-words").textContent();
    await expect.poll(() => words(visitor)).toContain("line");
    const time = () => page.getByLabel("Time, in instructions").inputValue();
    for (let step = 0; step < 3; step++) {
      const before = { words: await words(visitor), time: await time() };
      await page.keyboard.press("F10");
      await expect.poll(() => words(visitor)).not.toBe(before.words);
      await expect.poll(time).not.toBe(before.time);
    }
    const before = await time();
    const address = await shared(visitor);
    await visitor.leave();

    const opened = await Visitor.arrive(address);
    await expect.poll(() => opened.page.getByLabel("Time, in instructions").inputValue()).toBe(before);
    await opened.page.locator("#pane-debugger:not([hidden]) .frame").first().waitFor();
    await opened.leave();
  });

  test("and files that they have not changed: what is in view is no change", async () => {
    const visitor = await Visitor.arrive();
    await ran(visitor);
    const address = await shared(visitor);
    await visitor.leave();
    const opened = await Visitor.arrive(address);
    await ran(opened);
    await opened.pane("SPIR-V");
    await opened.page.locator(".spirv .cm-line").first().waitFor();
    expect(opened.page.url()).toBe(address);
    expect(await opened.page.evaluate(() => localStorage.getItem("coopmat-analyzer.project"))).toBeNull();
    await opened.leave();
  });
});
