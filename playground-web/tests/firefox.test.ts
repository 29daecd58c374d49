// The page in Firefox: the first visit, an edit, a run, every pane, a link, and a visit without a network. What the page does in detail is tried in Chromium.

import { encode } from "@coopmat/shared/project/share";
import { serveBelow } from "@coopmat/shared/testing/static";
import { afterAll, describe, expect, test } from "vitest";
import { close, FirefoxVisitor } from "./firefox";

afterAll(close);

const DIST = new URL("../dist/", import.meta.url);

const SHADER = `#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) buffer Sums { float sums[]; };
void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a = coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>(1.0);
    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> b = coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB>(1.0);
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> c = coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0.0);
    // here
    coopMatStore(c, sums, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
`;

const link = (text: string) =>
  encode({ files: [{ name: "own.comp", text }], active: "own.comp", options: {} });

/** What a pane has once it is drawn. */
const FILLED: Record<string, string> = {
  "SPIR-V": ".spirv .cm-line",
  Run: ".verdict",
  Matrices: ".matrices-view canvas",
  Portability: ".devices",
  Docs: ".documentation .pages",
};

describe("in Firefox", () => {
  test("the first visit shows an example without an error, which runs to its expectation", async () => {
    const visitor = await FirefoxVisitor.arrive();
    await visitor.sees("#status", /^gemm.comp: 0 errors/);
    await expect.poll(() => visitor.count("#editor .tok-keyword")).toBeGreaterThan(0);
    await visitor.picture("first-visit");
    await visitor.press("Control", "Enter");
    await visitor.sees(".verdict", "met");
    await visitor.picture("run");
    await visitor.leave();
  });

  test("a wrong shape is reported while it is typed, and explained where the pointer rests", async () => {
    const visitor = await FirefoxVisitor.arrive(link(SHADER));
    await visitor.sees("#status", /^own.comp: 0 errors/);
    await visitor.put("// here");
    await visitor.page.keyboard.type("\nc = coopMatMulAdd(a, b, c);");
    await visitor.sees("#status", /^own.comp: 1 error/);
    await visitor.sees(".problems button", /16.*32/);
    await visitor.hover("#editor .cm-lintRange-error", "must equal");
    await visitor.picture("wrong-shape");
    await visitor.leave();
  });

  test("every pane is filled", async () => {
    const visitor = await FirefoxVisitor.arrive();
    await visitor.sees("#status", /^gemm.comp: 0 errors/);
    await visitor.press("Control", "Enter");
    await visitor.sees(".verdict", "met");
    // The others, as Problems, may have nothing to show.
    const panes = await visitor.page.$$eval("#pane-tabs [role=tab]", (tabs) =>
      tabs.map((tab) => tab.textContent ?? ""),
    );
    expect(panes).toEqual(expect.arrayContaining(Object.keys(FILLED)));
    for (const name of panes) {
      await visitor.pane(name);
      await visitor.page.waitForSelector(FILLED[name] ?? ".pane:not([hidden])", { visible: true });
      await visitor.picture(`pane-${name.toLowerCase().replace(/\W+/g, "-")}`);
    }
    await visitor.leave();
  });

  test("a link opens in a fresh profile", async () => {
    const sender = await FirefoxVisitor.arrive(link(SHADER));
    await sender.put("// here");
    await sender.page.keyboard.type(" and there");
    await sender.click("#share");
    await sender.seen(".share-link");
    const address = await sender.page.$eval(".share-link", (field) => (field as HTMLInputElement).value);
    await sender.picture("share");
    await sender.leave();
    const reader = await FirefoxVisitor.arrive(address);
    await reader.sees("#editor .cm-content", "// here and there");
    await reader.sees("#status", /^own.comp: 0 errors/);
    await reader.leave();
  });

  test("nothing is wider than a phone", async () => {
    const visitor = await FirefoxVisitor.arrive("", { width: 400, height: 800 });
    await visitor.sees("#status", /^gemm.comp: 0 errors/);
    await visitor.picture("narrow");
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await visitor.leave();
  });

  test("after the first visit the page works without a network", async () => {
    const server = await serveBelow("/some/where/", DIST);
    const visitor = await FirefoxVisitor.arrive(server.address, { home: server.address });
    await expect
      .poll(() => visitor.page.evaluate(() => navigator.serviceWorker.controller !== null))
      .toBe(true);
    server.stop();
    await visitor.page.reload();
    await visitor.sees("#status", /^gemm.comp: 0 errors/);
    await visitor.press("Control", "Enter");
    await visitor.sees(".verdict", "met");
    await visitor.leave();
  });
});
