// The debugger: breakpoints in the editor, steps forwards and backwards, lanes, matrices at a moment, the timeline.

import { encode } from "@coopmat/shared/project/share";
import axe from "axe-core";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const SHADER = `#version 460
layout(local_size_x = 8) in;
layout(set = 0, binding = 0) buffer Data { uint values[]; };
uint square(uint x) {
    uint result = x * x;
    return result;
}
void main() {
    uint me = gl_LocalInvocationIndex;
    uint sum = 0;
    for (uint i = 0; i < me; i++) {
        if (i % 2 == 0)
            sum += square(i);
    }
    values[me] = sum;
}
`;

const words = (visitor: Visitor) => visitor.page.locator(".debugger-words");
const action = (visitor: Visitor, id: string) => visitor.page.locator(`[data-action="${id}"]`);
const text = async (visitor: Visitor, name: string) =>
  (await visitor.page
    .locator(".debugger .value", { has: visitor.page.locator(`.value-name:text-is("${name}")`) })
    .first()
    .locator(".value-text")
    .first()
    .textContent()) ?? "";

const RECIPE = `dispatch = [1]
subgroup-size = 8
[[buffers]]
name = "values"
shape = [8]
`;

/** A page with this shader, and a recipe for it. */
async function opened(size = { width: 1280, height: 800 }): Promise<Visitor> {
  const files = [
    { name: "own.comp", text: SHADER },
    { name: "own.run.toml", text: RECIPE },
  ];
  const visitor = await Visitor.arrive(encode({ files, active: "own.comp", options: {} }), size);
  await visitor.pane("Debugger");
  return visitor;
}

async function debug(visitor: Visitor) {
  await visitor.page.locator(".debugger .primary").click();
  await expect.poll(() => words(visitor).textContent()).toContain("At the start");
  await still(visitor);
}

/** A motion has ended and is drawn: the next one is taken. */
const still = (visitor: Visitor) =>
  visitor.page.locator('.debugger[aria-busy="false"]').waitFor({ state: "attached" });

const stands = (visitor: Visitor, line: number) =>
  expect.poll(() => words(visitor).textContent()).toContain(`line ${line}.`);

describe("the debugger", () => {
  test("steps over, into and out of calls, and back to the same values", async () => {
    const visitor = await opened();
    await debug(visitor);
    await stands(visitor, 9);
    const seen: string[] = [];
    for (let step = 0; step < 5; step++) {
      await action(visitor, "into").click();
      await still(visitor);
      seen.push((await words(visitor).textContent()) ?? "");
    }
    // The last step has come into the function.
    await stands(visitor, 5);
    await expect.poll(() => visitor.page.locator(".debugger .frame").count()).toBeGreaterThanOrEqual(2);
    await visitor.picture("debugger");
    for (const before of seen.reverse().slice(1)) {
      await action(visitor, "back-into").click();
      await expect.poll(() => words(visitor).textContent()).toBe(before);
    }
    await action(visitor, "back-into").click();
    await stands(visitor, 9);
    await visitor.leave();
  });

  test("stops at breakpoints that keys and clicks set, with the lanes that run", async () => {
    const visitor = await opened();
    await visitor.put("sum += square");
    await visitor.page.keyboard.press("F9");
    await visitor.page.locator(".cm-breakpoint >> visible=true").first().waitFor();
    await debug(visitor);
    await visitor.page.keyboard.press("F5");
    await expect.poll(() => words(visitor).textContent()).toBe("Breakpoint: own.comp, line 13.");
    await visitor.page.locator(".debugger summary", { hasText: "me" }).first().click();
    const lanes = visitor.page.locator(".debugger .strip").first().locator(".lane");
    await expect.poll(() => lanes.count()).toBe(8);
    await expect.poll(() => lanes.first().getAttribute("aria-label")).toBe("lane 0 (waits): 0");
    await expect.poll(() => lanes.nth(3).getAttribute("aria-label")).toBe("lane 3 (active): 3");
    for (let times = 0; times < 2; times++) {
      await visitor.page.keyboard.press("F5");
      await still(visitor);
    }
    await expect.poll(() => text(visitor, "sum")).toContain("4");
    await visitor.picture("debugger-lanes");
    // And back over the breakpoints, to the start.
    await visitor.page.keyboard.press("Alt+F5");
    await expect.poll(() => text(visitor, "sum")).toBe("0");
    await visitor.page.keyboard.press("Shift+F5");
    await visitor.page.locator(".cm-debug-line").waitFor({ state: "detached" });
    await visitor.leave();
  });

  test("keeps breakpoints with their limits, and links carry them", async () => {
    const visitor = await opened();
    await visitor.put("sum += square");
    await visitor.page.keyboard.press("F9");
    const limit = async (label: RegExp, text: string) => {
      const field = visitor.page.getByLabel(label);
      await field.fill(text);
      await field.press("Tab");
    };
    await limit(/^Condition of the breakpoint/, "i == 2");
    await limit(/^Workgroup of the breakpoint/, "0");
    await limit(/^Subgroup of the breakpoint/, "0");
    await debug(visitor);
    await visitor.page.keyboard.press("F5");
    await expect.poll(() => words(visitor).textContent()).toBe("Breakpoint: own.comp, line 13.");
    await expect.poll(() => text(visitor, "i")).toContain("2");
    await visitor.picture("debugger-breakpoint");
    // In a subgroup that there is not, it never stops.
    await limit(/^Subgroup of the breakpoint/, "5");
    await visitor.page.keyboard.press("F5");
    await expect.poll(() => words(visitor).textContent()).toContain("has ended");
    // A line above moves it along.
    await visitor.put("void main() {");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.locator("#share").click();
    const address = await visitor.page.locator(".share-link").inputValue();
    await visitor.leave();
    const other = await Visitor.arrive(address);
    await other.pane("Debugger");
    await expect
      .poll(() => other.page.locator(".cm-breakpoint:visible").first().getAttribute("title"))
      .toBe("Breakpoint, in workgroup 0, 0, 0, in subgroup 5, where i == 2");
    await other.page.getByRole("button", { name: "own.comp, line 14", exact: true }).waitFor();
    await other.leave();
  });

  test("watches expressions, and says what is wrong with one", async () => {
    const visitor = await opened();
    await debug(visitor);
    const field = visitor.page.getByLabel("Expression to watch");
    for (const expression of ["me * 2 + 1", "nothing"]) {
      await field.fill(expression);
      await field.press("Enter");
    }
    await action(visitor, "over").click();
    await expect.poll(() => text(visitor, "me * 2 + 1")).toContain("1 3 5 7 9");
    await expect
      .poll(() => visitor.page.locator(".watch .problem").textContent())
      .toContain("there is no variable `nothing`");
    await visitor.leave();
  });

  test("scrubs along the timeline", async () => {
    const visitor = await opened();
    await debug(visitor);
    const slider = visitor.page.getByLabel("Time, in instructions");
    const end = Number(await slider.getAttribute("max"));
    expect(end).toBeGreaterThan(100);
    await slider.fill(String(Math.floor(end / 2)));
    await expect.poll(() => words(visitor).textContent()).toMatch(/^At own.comp, line \d+/);
    await still(visitor);
    const middle = await words(visitor).textContent();
    const values = await visitor.page.locator(".debugger-content").textContent();
    await slider.fill(String(end));
    await expect.poll(() => words(visitor).textContent()).toContain("has ended");
    await slider.fill(String(Math.floor(end / 2)));
    await expect.poll(() => words(visitor).textContent()).toBe(middle);
    await expect.poll(() => visitor.page.locator(".debugger-content").textContent()).toBe(values);
    await visitor.leave();
  });

  test("shows matrices of the moment as heat maps", async () => {
    const visitor = await Visitor.arrive();
    await visitor.pane("Debugger");
    await debug(visitor);
    await visitor.put("coopMatMulAdd");
    await visitor.page.keyboard.press("F9");
    await visitor.page.keyboard.press("F5");
    await expect.poll(() => words(visitor).textContent()).toContain("Breakpoint");
    await visitor.page.locator(".debugger details.value summary", { hasText: "coopmat<" }).first().click();
    await visitor.page.locator(".debugger .heat-map").first().waitFor();
    await visitor.picture("debugger-matrix");
    await visitor.leave();
  });

  test("is usable at 400 pixels, in the dark", async () => {
    const visitor = await opened({ width: 400, height: 800 });
    await visitor.press("#theme");
    await debug(visitor);
    await action(visitor, "over").click();
    await stands(visitor, 10);
    await visitor.page.locator(".debugger summary", { hasText: "me" }).first().click();
    await visitor.picture("debugger-narrow");
    const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(400);
    await visitor.leave();
  });

  test.each(["light", "dark"])("has no serious barrier in the %s theme", async (theme) => {
    const visitor = await opened();
    const now = () => visitor.page.evaluate(() => document.documentElement.dataset.theme);
    if ((await now()) !== theme) await visitor.press("#theme");
    await debug(visitor);
    await action(visitor, "over").click();
    await stands(visitor, 10);
    await visitor.page.locator(".debugger summary", { hasText: "me" }).first().click();
    await visitor.picture(`debugger-${theme}`);
    await visitor.page.evaluate(axe.source);
    const found = await visitor.page.evaluate(async () => {
      const { axe } = window as unknown as { axe: typeof import("axe-core") };
      const { violations } = await axe.run();
      return violations
        .filter(({ impact }) => impact === "serious" || impact === "critical")
        .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).join(" | ")}`);
    });
    expect(found).toEqual([]);
    await visitor.leave();
  });
});
