// What explains: the documentation pane, instructions unfolded beneath a line.

import { readFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const SHADER = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float values[]; };
void main() {
    values[gl_GlobalInvocationID.x] = values[0] * 2.0;
}
`;

const docs = (visitor: Visitor) => visitor.page.locator("#pane-documentation");

describe("documentation", () => {
  test("of a diagnostic opens from its code, and its example in the editor", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER.replace("values[0] * 2.0", "missing"));
    await expect.poll(() => visitor.status.textContent()).toMatch(/1 error/);
    await visitor.hoverAndClick(
      visitor.page.locator("#editor .cm-lintRange-error").first(),
      "missing",
      (tip) => tip.locator("button.finding-code").first(),
    );
    await docs(visitor).locator("h1", { hasText: "undeclared-name" }).waitFor();
    await visitor.picture("documentation");
    await docs(visitor).getByRole("button", { name: "Open this example" }).first().click();
    await expect.poll(() => visitor.status.textContent()).toMatch(/^undeclared-name-wrong.comp: [1-9]/);
    await visitor.leave();
  });

  test("is searched, read, and gone back from", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.getByRole("tab", { name: "Docs" }).click();
    await visitor.page.getByRole("searchbox").fill("muladd-shape");
    await docs(visitor).getByRole("link", { name: "coopmat-muladd-shape" }).click();
    await docs(visitor).locator("h1", { hasText: "coopmat-muladd-shape" }).waitFor();
    await docs(visitor).getByRole("button", { name: "Back" }).click();
    await docs(visitor).getByRole("link", { name: "coopmat-muladd-shape" }).waitFor();
    await visitor.leave();
  });

  test("of an extension opens from a hover", async () => {
    const visitor = await Visitor.arrive();
    // The editor draws what is in view alone.
    await visitor.put("matC = coopMatMulAdd");
    await visitor.hoverAndClick(
      visitor.page.locator("#editor .tok-function", { hasText: "coopMatMulAdd" }).first(),
      "GL_KHR_cooperative_matrix",
      (tip) => tip.locator("a", { hasText: "GL_KHR_cooperative_matrix" }).first(),
    );
    await docs(visitor).locator(".reference", { hasText: "coopMatMulAdd" }).waitFor();
    // At the function that was pointed at.
    const here = docs(visitor).locator(".reference .cm-linked");
    await expect.poll(() => here.textContent()).toContain("coopMatMulAdd");
    await expect
      .poll(() => here.evaluate((row) => row.getBoundingClientRect().top < window.innerHeight))
      .toBe(true);
    await visitor.picture("extension");
    await visitor.leave();
  });

  test("a shader from a stranger brings no HTML into a hover", async () => {
    const visitor = await Visitor.arrive();
    const bad = '<img src="https://example.org/x.png" onerror="document.title=1"><b>bold</b>';
    await visitor.write(`#version 460\n/// ${bad}\nfloat evil() { return 1.0; }\nvoid main() { evil(); }\n`);
    await visitor.hover(visitor.page.locator("#editor .tok-function", { hasText: "evil" }).last(), "evil");
    expect(await visitor.page.locator(".cm-tooltip-hover img").count()).toBe(0);
    await visitor.leave();
  });
});

describe("a line's instructions", () => {
  test("unfold beneath it by a key, follow edits, and lead to the listing", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(SHADER);
    await visitor.pane("SPIR-V");
    await expect.poll(() => visitor.page.locator(".spirv .cm-content").textContent()).toContain("OpFMul");
    await visitor.put("values[0]");
    await visitor.page.keyboard.press("Alt+Enter");
    const rows = visitor.page.locator(".cm-unfolded .cm-instruction");
    await expect.poll(() => rows.allTextContents()).toContainEqual(expect.stringContaining("OpFMul"));
    await visitor.picture("unfolded");
    await visitor.put("* 2.0");
    await visitor.page.keyboard.type(" / 3.0");
    await expect.poll(() => rows.allTextContents()).toContainEqual(expect.stringContaining("OpFDiv"));
    await expect.poll(() => visitor.page.locator(".spirv .cm-content").textContent()).toContain("OpFDiv");
    // An answer about the cursor that comes later marks something else.
    await visitor.until(async () => {
      await rows.filter({ hasText: "OpFMul" }).click({ timeout: 5_000 });
      await visitor.page
        .locator(".spirv .cm-line:has(.cm-linked)", { hasText: "OpFMul" })
        .waitFor({ timeout: 5_000 });
    });
    await visitor.page.keyboard.press("Shift+Alt+Enter");
    await visitor.leave();
  });

  test("unfold by the mouse, all at once by a key, and fold again", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.locator(".cm-unfolds .cm-gutterElement:visible", { hasText: "▸" }).first().click();
    await expect.poll(() => visitor.page.locator(".cm-unfolded").count()).toBe(1);
    await visitor.editor.click();
    await visitor.page.keyboard.press("Shift+Alt+Enter");
    await expect.poll(() => visitor.page.locator(".cm-unfolded").count()).toBe(0);
    await visitor.page.keyboard.press("Shift+Alt+Enter");
    await expect.poll(() => visitor.page.locator(".cm-unfolded").count()).toBeGreaterThan(3);
    await visitor.picture("unfolded-all");
    await visitor.leave();
  });

  test("come as a module for drivers", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.getByRole("tab", { name: "SPIR-V" }).click();
    const download = visitor.page.waitForEvent("download");
    await visitor.page.getByRole("button", { name: "Download .spv", exact: true }).click();
    const path = await (await download).path();
    const bytes = readFileSync(path);
    expect(bytes.readUInt32LE(0)).toBe(0x0723_0203);
    expect((await download).suggestedFilename()).toBe("gemm.comp.spv");
    await visitor.leave();
  });
});
