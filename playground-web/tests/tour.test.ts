// The tour, followed to the letter: each step's test does what its text says, by the keyboard and by the mouse, and nothing else; and what somebody
// else would do, which the tour brings back.

import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const OWN = "#version 460\n// my own\nvoid main() {}\n";

const box = (visitor: Visitor) => visitor.page.locator(".tour");
const title = (visitor: Visitor) => box(visitor).locator("h2");
const done = (visitor: Visitor, words: string) =>
  box(visitor).locator(".tour-state", { hasText: words }).waitFor();
const press = (visitor: Visitor, key: string) => visitor.page.keyboard.press(key);
const trouble = (visitor: Visitor) => box(visitor).locator(".tour-trouble");
const next = (visitor: Visitor) =>
  box(visitor)
    .getByRole("button", { name: /^(Next|Done)$/ })
    .click();

/** Somebody with a file of their own, at the first step, which has found its mistake. */
async function begun(size?: { width: number; height: number }): Promise<Visitor> {
  const visitor = await Visitor.arrive("", size);
  // Where code and results do not fit beside each other.
  const code = visitor.page.getByRole("button", { name: "Code", exact: true });
  if (await code.isVisible()) await code.click();
  await visitor.write(OWN);
  await visitor.press("#tour");
  await visitor.opened("gemm.comp", "1 error");
  await visitor.page.locator("#editor .cm-lintRange-error").first().waitFor();
  return visitor;
}

/** The first step's text, done by any hand, leads on; so does the second one's. */
async function mended(size?: { width: number; height: number }): Promise<Visitor> {
  const visitor = await begun(size);
  await next(visitor);
  await press(visitor, "Control+.");
  await visitor.page.getByRole("menuitem", { name: "Declare B" }).click();
  await done(visitor, "No error is left");
  return visitor;
}

const focused = (visitor: Visitor, name: string) =>
  expect.poll(() => visitor.page.evaluate(() => document.activeElement?.textContent)).toBe(name);

/** To the box, and on. */
async function onByKeys(visitor: Visitor, name = "Next") {
  await press(visitor, "F6");
  await focused(visitor, name);
  await press(visitor, "Enter");
}

test("by the keyboard it leads from a wrong shape to who owns an element, and back to one's files", async () => {
  const visitor = await Visitor.arrive();
  await visitor.write(OWN);
  await visitor.page.locator("#tour").focus();
  await press(visitor, "Enter");
  await expect.poll(() => title(visitor).textContent()).toBe("A shape that does not fit");
  await visitor.page.locator("#editor .cm-lintRange-error").first().waitFor();
  await press(visitor, "F8");
  await done(visitor, "That is the mistake");
  await visitor.picture("tour-1");
  await onByKeys(visitor);

  await expect.poll(() => title(visitor).textContent()).toBe("Fix it");
  await press(visitor, "Control+.");
  await focused(visitor, "Declare B (`matB`) with TILE_K rows");
  await visitor.picture("tour-2");
  await press(visitor, "Enter");
  await done(visitor, "No error is left");
  await onByKeys(visitor);

  await expect.poll(() => title(visitor).textContent()).toBe("What it becomes");
  await visitor.page.locator(".cm-unfolds .cm-gutterElement:visible", { hasText: "▸" }).first().waitFor();
  await press(visitor, "Alt+Enter");
  await done(visitor, "instructions");
  await visitor.picture("tour-3");
  await onByKeys(visitor);

  await expect.poll(() => title(visitor).textContent()).toBe("Run it");
  await press(visitor, "Control+Enter");
  await done(visitor, "The product is right");
  await visitor.picture("tour-4");
  await onByKeys(visitor);

  await expect.poll(() => title(visitor).textContent()).toBe("Who owns an element");
  await expect
    .poll(() => visitor.page.evaluate(() => document.activeElement?.className))
    .toContain("view-grid");
  await press(visitor, "ArrowRight");
  await done(visitor, "yours to change");
  await visitor.page.getByRole("combobox", { name: "Ownership", exact: true }).selectOption("nvidia-h200");
  await visitor.picture("tour-5");
  await onByKeys(visitor, "Done");
  expect(await box(visitor).count()).toBe(0);
  await visitor.page.getByRole("button", { name: "Back to my files" }).focus();
  await press(visitor, "Enter");
  await expect.poll(() => visitor.editor.textContent()).toContain("// my own");
  await visitor.leave();
});

test("by the mouse it leads there, too", async () => {
  const visitor = await Visitor.arrive();
  await visitor.write(OWN);
  await visitor.page.locator("#tour").click();
  await visitor.hover(visitor.page.locator("#editor .cm-lintRange-error").first(), "TILE_K + 8");
  await done(visitor, "That is the mistake");
  // What the hover shows may lie over the tour, until the mouse leaves.
  await visitor.page.mouse.move(2, 2);
  await next(visitor);

  await visitor.page.locator(".cm-bulbs .cm-gutterElement", { hasText: "💡" }).click();
  await visitor.page.getByRole("menuitem", { name: "Declare B (`matB`) with TILE_K rows" }).click();
  await done(visitor, "No error is left");
  await next(visitor);

  await visitor.page.locator(".spirv .cm-line", { hasText: "OpCooperativeMatrixMulAddKHR" }).first().click();
  await done(visitor, "The other side follows");
  await next(visitor);

  await visitor.page.locator('#pane-run [data-key="run"]').click();
  await done(visitor, "The product is right");
  await next(visitor);

  await visitor.page.locator("#pane-matrices .ownership .view-grid").first().hover();
  await done(visitor, "yours to change");
  await next(visitor);
  await visitor.page.getByRole("button", { name: "Back to my files" }).click();
  await expect.poll(() => visitor.editor.textContent()).toContain("// my own");
  await visitor.leave();
});

describe("the mistake is mended", () => {
  test("by typing, where the step's link leads", async () => {
    const visitor = await begun();
    await next(visitor);
    await press(visitor, "F6");
    await press(visitor, "Shift+Tab");
    await press(visitor, "Shift+Tab");
    await focused(visitor, "select (TILE_K + 8)");
    await press(visitor, "Enter");
    await visitor.page.keyboard.type("TILE_K");
    await done(visitor, "No error is left");
    await visitor.leave();
  });

  test("otherwise, and the step offers the fix that it tells of", async () => {
    const visitor = await begun();
    await next(visitor);
    await press(visitor, "Control+.");
    await visitor.page.getByRole("menuitem", { name: "Declare A" }).click();
    await expect.poll(() => trouble(visitor).textContent()).toContain("another shader");
    await trouble(visitor).getByRole("button", { name: "Put it right" }).click();
    await done(visitor, "No error is left");
    await visitor.leave();
  });
});

describe("what somebody does instead", () => {
  test("a text without sense is put right at any step", async () => {
    const visitor = await mended();
    await next(visitor);
    await visitor.write("nonsense");
    await trouble(visitor).getByRole("button", { name: "Put it right" }).click();
    await expect.poll(() => visitor.status.textContent()).toMatch(/gemm.comp: 0 errors|no problems/);
    await expect.poll(() => trouble(visitor).isHidden()).toBe(true);
    await visitor.leave();
  });

  test("going back brings the mistake back, and going on past it the fix", async () => {
    const visitor = await mended();
    await box(visitor).getByRole("button", { name: "Back", exact: true }).click();
    await trouble(visitor).getByRole("button", { name: "Bring the mistake back" }).click();
    await visitor.page.locator("#editor .cm-lintRange-error").first().waitFor();
    for (let step = 0; step < 3; step++) await next(visitor);
    await expect.poll(() => title(visitor).textContent()).toBe("Run it");
    await expect.poll(() => trouble(visitor).textContent()).toContain("The mistake is still in the shader.");
    await trouble(visitor).getByRole("button", { name: "Put it right" }).click();
    await press(visitor, "Control+Enter");
    await done(visitor, "The product is right");
    await visitor.leave();
  });

  test("another pane is left for the one that the step tells of", async () => {
    const visitor = await mended();
    await next(visitor);
    await visitor.pane("Docs");
    await trouble(visitor).getByRole("button", { name: "Show SPIR-V" }).click();
    await visitor.page.locator("#pane-spirv:visible").waitFor();
    await visitor.leave();
  });

  test("other files end it, and one's own are a press away", async () => {
    const visitor = await begun();
    await visitor.example("nv2/activation.comp");
    await expect.poll(() => box(visitor).count()).toBe(0);
    await visitor.page.getByRole("button", { name: "Back to my files" }).click();
    await expect.poll(() => visitor.editor.textContent()).toContain("// my own");
    await visitor.leave();
  });

  test("Escape in it, or Leave, ends it at any step", async () => {
    const visitor = await begun();
    await press(visitor, "F6");
    await press(visitor, "Escape");
    expect(await box(visitor).count()).toBe(0);
    await visitor.page.getByRole("button", { name: "Back to my files" }).click();
    await expect.poll(() => visitor.editor.textContent()).toContain("// my own");
    await visitor.press("#tour");
    await box(visitor).getByRole("button", { name: "Leave" }).click();
    expect(await box(visitor).count()).toBe(0);
    await visitor.leave();
  });
});

test("at 400 pixels it shows what each step tells of", async () => {
  const visitor = await mended({ width: 400, height: 800 });
  await next(visitor);
  await press(visitor, "Alt+Enter");
  await done(visitor, "instructions");
  await visitor.picture("tour-narrow");
  await next(visitor);
  await visitor.page.locator('#pane-run [data-key="run"]').click();
  await done(visitor, "The product is right");
  await next(visitor);
  await visitor.page.locator("#pane-matrices .ownership .view-grid").first().click();
  await done(visitor, "yours to change");
  await visitor.picture("tour-narrow-owners");
  await visitor.leave();
});
