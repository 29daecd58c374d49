// Running shaders: every example to its expectation, to the bit as the native program does, and what happens when a run goes wrong.

import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const run = (visitor: Visitor) => visitor.page.locator('[data-key="run"]');
const verdict = (visitor: Visitor) => visitor.page.locator(".verdict");

const ENDLESS = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint values[]; };
void main() {
    while (values[1] == 0u) values[0] += 1u;
}
`;

const BEYOND = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint values[]; };
void main() {
    uint at = gl_GlobalInvocationID.x + 1u;
    values[at] = at;
}
`;

describe("a run", () => {
  test("of the example meets its expectation, and shows the result", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.keyboard.press("Control+Enter");
    await expect.poll(() => verdict(visitor).textContent(), { timeout: 20_000 }).toContain("met");
    await visitor.page.locator("#buffer-outputD .grid-cell").first().waitFor();
    await visitor.picture("run");
    await visitor.leave();
  });

  test("of every example meets its expectations", async () => {
    const visitor = await Visitor.arrive();
    const failed: string[] = [];
    const paths = await visitor.examples();
    expect(paths.length).toBeGreaterThan(35);
    for (const path of paths) {
      // Wrong for the compiler, not for the simulator.
      if (path === "mistakes/indexed-shape-mismatch.comp") continue;
      await visitor.example(path);
      const name = path.replace(/^.*\//, "");
      await expect.poll(() => visitor.status.textContent(), { message: path }).toContain(name);
      await visitor.pane("Run");
      await run(visitor).click();
      await visitor.page.waitForFunction(
        () => !document.querySelector<HTMLButtonElement>('[data-key="run"]')?.disabled,
      );
      await verdict(visitor)
        .waitFor({ timeout: 20_000 })
        .catch(() => {});
      const text = (await verdict(visitor).count()) > 0 ? await verdict(visitor).textContent() : "no verdict";
      if (!text?.startsWith("✓")) failed.push(`${path}: ${text}`);
    }
    expect(failed).toEqual([]);
    await visitor.leave();
  });

  test("without an end is ended by the budget, in words", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(ENDLESS);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="step-limit"]').fill("2000000");
    await visitor.page.keyboard.press("Tab");
    await run(visitor).click();
    await expect
      .poll(() => visitor.page.locator(".result .problem").textContent())
      .toMatch(/more than 2000000 steps.*step-limit/);
    await visitor.leave();
  });

  test("is stopped by its button, and editing goes on meanwhile", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(ENDLESS);
    await visitor.pane("Run");
    await run(visitor).click();
    const stop = visitor.page.locator('[data-key="stop"]');
    await expect.poll(() => stop.isEnabled()).toBe(true);
    await visitor.put("values[0] += 1u;");
    await visitor.page.keyboard.type(" undefined_name;");
    await expect.poll(() => visitor.status.textContent()).toMatch(/[1-9]\d* errors/);
    expect(await stop.isEnabled()).toBe(true);
    await stop.click();
    await expect.poll(() => visitor.page.locator(".result .problem").textContent()).toContain("stopped");
    await expect.poll(() => run(visitor).isEnabled()).toBe(true);
    await visitor.leave();
  });

  test("in checked mode finds what is wrong, at its line", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(BEYOND);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="mode-checked"]').check();
    await visitor.page.locator('[data-key="shape-3"]').waitFor();
    await run(visitor).click();
    const finding = visitor.page.locator(".run-findings li").first();
    await finding.waitFor();
    expect(await finding.textContent()).toContain("out-of-bounds");
    await visitor.picture("finding");
    await finding.locator("button").first().click();
    await expect
      .poll(() => visitor.page.locator("#editor .cm-activeLine").textContent())
      .toContain("values[at] = at");
    await expect.poll(() => visitor.page.locator("#editor .cm-lintRange-warning").count()).toBeGreaterThan(0);
    await visitor.leave();
  });
});
