// What a person does with the editor: the language server answers from its worker.

import AxeBuilder from "axe-core";
import { afterAll, describe, expect, test } from "vitest";
import { close, optimised, Visitor } from "./page";

optimised();
afterAll(close);

const SHADER = `#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(1.0);
    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> b = coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>(1.0);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    c = coopMatMulAdd(a, b, c);
}
`;

describe("first visit", () => {
  test("shows an example without an error, which runs to its expectation", async () => {
    const visitor = await Visitor.arrive();
    await visitor.opened("gemm.comp", "0 errors");
    await expect.poll(() => visitor.text()).toContain("coopMatMulAdd");
    await expect.poll(() => visitor.page.locator(".tok-keyword").count()).toBeGreaterThan(0);
    await visitor.picture("first-visit");
    await visitor.page.keyboard.press("Control+Enter");
    await expect.poll(() => visitor.page.locator(".verdict").textContent()).toContain("met");
    await visitor.leave();
  });
});

describe("editing", () => {
  test("a wrong shape is reported while it is typed, with both sizes", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await expect.poll(() => visitor.status.textContent()).toMatch(/1 error/);
    await visitor.pane("Problems");
    const problem = visitor.page.locator(".problems button").first();
    await expect.poll(() => problem.textContent()).toMatch(/16.*32/);
    await visitor.picture("wrong-shape");
    await problem.click();
    await expect
      .poll(() => visitor.page.locator("#editor .cm-activeLine").textContent())
      .toContain("coopMatMulAdd");
    await visitor.leave();
  });

  test("a missing extension is enabled by its code action", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(
      SHADER.replace("#extension GL_KHR_memory_scope_semantics : require\n", "")
        .replace("32, 16", "16, 16")
        .replace("32, 16", "16, 16"),
    );
    await expect.poll(() => visitor.status.textContent()).toMatch(/[1-9]\d* errors?/);
    await visitor.put("gl_ScopeSubgroup");
    // Actions that an edit has overtaken are asked for again.
    await visitor.until(async () => {
      await visitor.page.keyboard.press("ControlOrMeta+.");
      await visitor.page.locator(".action-menu button").first().click({ timeout: 5_000 });
    });
    await expect.poll(() => visitor.status.textContent()).toMatch(/0 errors/);
    await expect.poll(() => visitor.text()).toContain("GL_KHR_memory_scope_semantics");
    await visitor.leave();
  });

  test("hovering a matrix explains its type", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.hover(
      visitor.page.locator("#editor .tok-function", { hasText: "coopMatMulAdd" }).first(),
      "coopMatMulAdd",
    );
    await visitor.picture("hover");
    await visitor.leave();
  });

  test("completion offers the built-ins of the matrices", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.put("c);");
    await visitor.page.keyboard.type("\ncoopMatLo");
    const offered = visitor.page.locator(".cm-tooltip-autocomplete li", { hasText: "coopMatLoad" }).first();
    // By itself; an answer that an edit has overtaken comes when it is asked for again.
    await offered.waitFor({ timeout: 5_000 }).catch(() => {});
    await visitor.until(async () => {
      if (await offered.isVisible()) return;
      await visitor.page.keyboard.press("Control+Space");
      await offered.waitFor({ timeout: 5_000 });
    });
    await visitor.leave();
  });

  test("a name is changed everywhere", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(
      "#version 460\nlayout(local_size_x = 1) in;\nvoid main() { uint first = 1u; uint second = first + first; }\n",
    );
    await visitor.put("first");
    await visitor.page.keyboard.press("ArrowLeft");
    await visitor.page.keyboard.press("F2");
    const field = visitor.page.locator(".cm-panel input").first();
    await field.fill("start");
    await field.press("Enter");
    await expect.poll(() => visitor.text()).toContain("uint start = 1u; uint second = start + start;");
    await visitor.leave();
  });

  test("every example opens without an error, but for the mistakes", { timeout: 600_000 }, async () => {
    const visitor = await Visitor.arrive();
    const paths = await visitor.examples();
    for (const path of paths) {
      await visitor.example(path);
      // Some mistakes show only when the shader runs.
      await visitor.opened(path, path.startsWith("mistakes/") ? "" : "0 errors");
    }
    await visitor.leave();
  });
});

describe("a server that stops", () => {
  test("is told of at once, and started again with the files as they are", async () => {
    const visitor = await Visitor.arrive();
    await visitor.opened("gemm.comp", "0 errors");
    const worker = visitor.page.workers().find((one) => one.url().includes("server"));
    await worker?.evaluate(() => {
      setTimeout(() => {
        throw new Error("out of memory");
      });
    });
    const notice = visitor.page.locator("#notice .notice", { hasText: "language server stopped" });
    await notice.waitFor();
    // Who asks now gets an answer, not a wait.
    await visitor.pane("SPIR-V");
    await visitor.write(SHADER);
    await notice.getByRole("button", { name: "Start it again" }).click();
    await expect.poll(() => visitor.status.textContent()).toMatch(/1 error/);
    await visitor.page.locator("#editor .cm-lintRange-error").first().waitFor();
    // The browser says so as well, and what was asked meanwhile was refused.
    visitor.complaints.length = 0;
    await visitor.leave();
  });
});

describe("links", () => {
  test("carry the files into another browser", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write("#version 460\n// from a link\nvoid main() {}\n");
    await visitor.page.locator("#share").click();
    await expect.poll(() => visitor.page.url()).toContain("#p=1");
    const address = visitor.page.url();
    await visitor.leave();
    const other = await Visitor.arrive(address);
    await expect.poll(() => other.editor.textContent()).toContain("// from a link");
    await other.leave();
  });

  test("that are broken say so, and leave the person's own files alone", async () => {
    const visitor = await Visitor.arrive("#p=1broken");
    await expect
      .poll(() => visitor.page.locator("#notice .notice").textContent())
      .toMatch(/The link cannot be opened.*untouched/);
    await expect.poll(() => visitor.text()).toContain("coopMatMulAdd");
    await visitor.leave();
  });
});

describe("everyone", () => {
  test("can use the page at 400 pixels", async () => {
    const visitor = await Visitor.arrive("", { width: 400, height: 800 });
    await visitor.opened("gemm.comp");
    const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(400);
    await visitor.picture("narrow");
    await visitor.leave();
  });

  test.each(["light", "dark"])("finds no serious barrier in the %s theme", async (theme) => {
    const visitor = await Visitor.arrive();
    await visitor.opened("gemm.comp", "0 errors");
    const now = () => visitor.page.evaluate(() => document.documentElement.dataset.theme);
    if ((await now()) !== theme) await visitor.press("#theme");
    await visitor.picture(`theme-${theme}`);
    // Evaluated by the browser's debugger, which the content security policy does not hold back.
    await visitor.page.evaluate(AxeBuilder.source);
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

test("a text whose reported ranges are emptied, undone and looked at in other tabs stays without complaints", async () => {
  const visitor = await Visitor.arrive();
  const { page } = visitor;
  const bad =
    "#version 460\nlayout(local_size_x = 32) in;\nlayout(set = 0, binding = 0) buffer Data { float values[]; };\nvoid main() {\n    values[0] = missing + other;\n    return;\n    values[1] = 2.0;\n}\n";
  const underlined = page.locator("#editor .cm-lintRange-error");
  await visitor.write(bad);
  await underlined.first().waitFor();
  // Each with something that points at the range: a message, a menu, a breakpoint, unfolded instructions.
  const pointers = ["F8", "Control+.", "F9", "Alt+Enter"];
  for (const pointer of pointers) {
    await visitor.editor.focus();
    await page.keyboard.press("F8");
    if (pointer !== "F8") await page.keyboard.press(pointer);
    await page.keyboard.press("Escape");
    await visitor.editor.focus();
    await page.keyboard.press("Delete");
    await page.keyboard.press("ControlOrMeta+a");
    await page.keyboard.press("Delete");
    await expect.poll(() => underlined.count()).toBe(0);
    await page.getByRole("tab", { name: /run.toml/ }).click();
    await page.getByRole("tab", { name: /gemm.comp/ }).click();
    await visitor.editor.focus();
    for (let step = 0; step < 2; step++) await page.keyboard.press("ControlOrMeta+z");
    await underlined.first().waitFor();
  }
  // The same in a recipe, which has no language client.
  await page.getByRole("tab", { name: /run.toml/ }).click();
  await visitor.write("dispatch = [1, \n");
  await page.locator("#editor .cm-lint-marker-error").first().waitFor();
  await page.keyboard.press("F8");
  await page.keyboard.press("ControlOrMeta+a");
  await page.keyboard.press("Delete");
  await page.keyboard.press("ControlOrMeta+z");
  await page.getByRole("tab", { name: /gemm.comp/ }).click();
  await underlined.first().waitFor();
  await visitor.leave();
});
