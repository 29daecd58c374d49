// What every server has to stand, whatever it runs in: llama.cpp's shaders without false errors, a mistake with its squiggle, hover and quick
// fix, the SPIR-V beside the source, a run with its heat map, recipes as tests.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type Editor, none, until } from "./editor.ts";
import { KINDS, type Report, sees } from "./report.ts";

/** A shader that lacks its multiply-add, whose line is left free. */
const PRODUCT = `#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(binding = 0) readonly buffer A { float16_t inputA[]; };
layout(binding = 1) readonly buffer B { float16_t inputB[]; };
layout(binding = 2) buffer C { float sums[]; };
const int ROWS = gl_CooperativeMatrixLayoutRowMajor;

void main() {
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> matA;
    coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> matB;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> matC;
    coopMatLoad(matA, inputA, 0, 16, ROWS);
    coopMatLoad(matB, inputB, 0, 16, ROWS);
    coopMatLoad(matC, sums, 0, 16, ROWS);

    coopMatStore(matC, sums, 0, 16, ROWS);
}
`;
/** Its operands do not fit: the columns of A are 16, the rows of B 32. */
const MISTAKE = "    matC = coopMatMulAdd(matA, matB, matC);";

export async function moves(editor: Editor, report: Report, workspace: string) {
  const { page } = editor;
  const example = await readFile(join(workspace, "gemm.comp"), "utf8");
  const place = (text: string) => placeOf(example, text);
  /** Behind the `{` of main. */
  const body = place("uint tile =").line;

  await report.part("shaders", KINDS, async (check) => {
    await editor.open("mul_mm.comp");
    await sees(check, "the file is GLSL", () => editor.statusBar(), "GLSL");
    await sees(check, "the server runs and names the configuration", () => editor.statusBar(), /matmul_/);
    const coloured = async () => (await page.locator(".view-line span[class*=mtk]").count()) > 20;
    check("the colours are the grammar's and the server's", await until(coloured));
    for (const name of ["mul_mat_vec.comp", "flash_attn_cm1.comp", "soft_max.comp"]) await editor.open(name);
    await editor.open("mul_mm.comp");
    await sees(check, "there are no false errors", () => editor.problems(), none);
  });

  await report.part("mistake", KINDS, async (check) => {
    await writeFile(join(workspace, "product.comp"), PRODUCT);
    const free = placeOf(PRODUCT, "coopMatStore").line - 1;
    await editor.open("product.comp", free);
    await sees(check, "the shader has no errors", () => editor.problems(), none);
    await editor.type(MISTAKE);
    await sees(
      check,
      "a shape error is counted",
      () => editor.problems(),
      (text) => !none(text),
    );
    const squiggle = page.locator(".squiggly-error").first();
    check("and underlined", await until(async () => (await squiggle.count()) > 0));
    const wrong = MISTAKE.indexOf("matB") + 1;
    const hover = page.locator(".monaco-hover:visible");
    const hovered = async () => (await hover.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
    const shows = async () => {
      await editor.command("Show or Focus Hover");
      // The editor's part is there first, the server's follows.
      const both = (text: string) => text.includes("must equal") && text.includes("float16_t");
      return until(async () => both(await hovered()), 5000);
    };
    const tells = async () => {
      await editor.goTo(free, wrong);
      return shows();
    };
    check("the hover tells the mistake and shows the matrix", await until(tells, 60_000), await hovered());
    await report.shot("error", { width: 800, height: 580 }, async () => {
      await editor.goTo(free, wrong);
      // From the middle of the window upwards: the declarations are in view above the mistake, and its hover has room below.
      for (let line = 0; line < 4; line++) await page.keyboard.press("Control+ArrowDown");
      await shows();
    });
    await page.keyboard.press("Escape");

    const fix = page.locator(".action-widget .monaco-list-row", { hasText: /16x16|16 rows|Declare/ }).first();
    const offers = async () => {
      await editor.goTo(free, wrong);
      await page.keyboard.press("Control+.");
      return until(() => fix.isVisible(), 5000);
    };
    check("a quick fix is offered", await until(offers, 60_000));
    await report.picture("fix");
    await fix.click();
    await sees(check, "and sets it right", () => editor.problems(), none);
    await editor.command("Revert File");
    const reverted = async () => !(await editor.text(0)).includes("coopMatMulAdd");
    check("the file is as it was", await until(reverted));
  });

  await report.part("spirv", KINDS, async (check) => {
    const multiply = place("coopMatMulAdd(");
    await editor.open("gemm.comp", multiply.line, multiply.column + 3);
    await editor.command("Show SPIR-V to the Side");
    await sees(check, "the module opens to the side", () => editor.text(1), /Op[A-Z]\w+/);
    await editor.focus(0);
    await editor.goTo(multiply.line, multiply.column + 3);
    await sees(
      check,
      "the cursor in the source marks the instruction",
      () => editor.marked(1),
      "OpCooperativeMatrixMulAddKHR",
    );
    await report.shot("spirv", { width: 820, height: 500 }, async () => {
      await editor.goTo(1);
      await editor.goTo(multiply.line, multiply.column + 3);
      // What is marked comes into view at the edge, and ends behind it.
      await until(async () => (await editor.marked(1)).includes("%matC"), 10_000);
      // Over the text: what is at the edge lies behind the scrollbar.
      const box = await editor.group(1).boundingBox();
      if (box) await page.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
      await page.mouse.wheel(0, 200);
    });
    const load = editor.group(1).locator(".view-line", { hasText: "OpCooperativeMatrixLoadKHR" }).first();
    const marks = async () => {
      // On a slow machine, the module may come into view only after the wheel has turned, and lie elsewhere then.
      if (!(await load.isVisible())) {
        await editor.focus(0);
        await editor.goTo(1);
        await editor.goTo(multiply.line, multiply.column + 3);
      }
      await load.click({ timeout: 3000 });
      return until(async () => (await editor.marked(0)).includes("coopMatLoad"), 5000);
    };
    check("the cursor in the module marks the source", await until(marks, 60_000), await editor.marked(0));
    await editor.focus(0);
    await editor.goTo(body);
    await editor.type("if (totalK == 77777) { return; } ");
    const follows = async () => {
      // Far down the module: through the mark, which brings the place into view.
      await editor.goTo(body, 8);
      return until(async () => (await editor.text(1)).includes("77777"), 3000);
    };
    check("the module follows an edit", await until(follows, 60_000), await editor.text(1));
    await editor.command("Revert File");
  });

  await report.part("run", KINDS, async (check) => {
    await editor.open("gemm.comp", place("void main").line);
    const lens = page.locator(".codelens-decoration a", { hasText: /^Run$/ }).first();
    check("above main stands the lens", await until(() => lens.isVisible()));
    // The lenses are drawn again when the module's comes: a click may meet none.
    const opened = async () => {
      await lens.click({ timeout: 2000 });
      return until(() => page.locator(".tab", { hasText: "Run of gemm.comp" }).first().isVisible(), 15_000);
    };
    check("the lens opens the results", await until(opened));
    await sees(
      check,
      "the run meets its expectation",
      () => editor.inFrames("main .summary"),
      /(is|are) met/,
    );
    await sees(
      check,
      "its table tells how far off it is",
      () => editor.inFrames(".expectations"),
      "Largest error",
    );
    check("the heat map is drawn", await until(() => isDrawn(page.frames()), 60_000));
    await report.shot("run", { width: 820, height: 620 });
  });

  await report.part("tests", KINDS, async (check) => {
    await editor.command("Testing: Focus on Test Explorer View");
    const recipe = page.locator(".test-explorer .monaco-list-row", { hasText: "gemm" });
    check("the Test Explorer lists the recipe", await until(async () => (await recipe.count()) > 0));
    await editor.command("Test: Run All Tests");
    const green = page.locator(".test-explorer .codicon-testing-passed-icon");
    check("and runs it", await until(async () => (await green.count()) > 0));
    await report.picture("tests");
  });
}

/** Whether a canvas of a view holds a picture of many colours. */
async function isDrawn(frames: ReturnType<Editor["page"]["frames"]>): Promise<boolean> {
  for (const frame of frames) {
    const canvas = frame.locator(".heat-map canvas").first();
    if ((await canvas.count().catch(() => 0)) === 0) continue;
    const colours = await canvas.evaluate(
      (canvas: HTMLCanvasElement) => {
        const image = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height);
        const seen = new Set<number>();
        if (image)
          for (let at = 0; at < image.data.length; at += 4 * 97)
            seen.add(
              ((image.data[at] ?? 0) << 16) | ((image.data[at + 1] ?? 0) << 8) | (image.data[at + 2] ?? 0),
            );
        return seen.size;
      },
      undefined,
      { timeout: 2000 },
    );
    if (colours > 20) return true;
  }
  return false;
}

/** Where a text first stands; both count from 1. */
function placeOf(text: string, wanted: string) {
  const lines = text.split("\n");
  const at = lines.findIndex((line) => line.includes(wanted));
  return { line: at + 1, column: (lines[at]?.indexOf(wanted) ?? 0) + 1 };
}
