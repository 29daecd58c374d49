// GLSL in strings of C++ and Rust: diagnostics and hovers stand where the text stands, and raw strings that are marked have the colours of GLSL.

import { none, until } from "./editor.ts";
import type { Projects } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const CPP = `#include <string>

static const char* kAdd = R"glsl(#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Numbers { float numbers[]; };
float twice(float x) { return 2.0 * x; }
void main() {
    numbers[gl_LocalInvocationIndex] = twice(missing);
}
)glsl";

static const char* kScale = /* glsl comp */ R"(#version 460
layout(local_size_x = 16) in;
void main() { int x = 1.5; x++; }
)";

static const std::string kMatrix = R"glsl_comp(#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
layout(local_size_x = 64) in;
shared float tile[256];
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 8, gl_MatrixUseA> left;
    coopMatLoad(left, tile, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
    coopMatStore(left, tile, 0, 8, gl_CooperativeMatrixLayoutRowMajor);
}
)glsl_comp";

static const char* kText = R"(layout(local_size_x = 7) in;)";
int host() { return 1; }
`;

const RUST = `const ADD: &str = /* glsl */ r#"#version 460
layout(local_size_x = 32) in;
void main() {}
"#;
const TEXT: &str = r"layout(local_size_x = 7) in;";
fn host() {}
`;

export async function strings(projects: Projects, report: Report) {
  const { editor } = projects;
  const { page } = editor;
  // Where nothing else is counted.
  await projects.part("strings", { "kernels.cpp": CPP, "kernels.rs": RUST }, async (check, project) => {
    await project.open();
    const place = (word: string, after = "") => {
      const lines = CPP.slice(0, CPP.indexOf(word, CPP.indexOf(after))).split("\n");
      return [lines.length, (lines.at(-1)?.length ?? 0) + 1] as const;
    };
    const hover = page.locator(".monaco-hover:visible");
    const hovered = async () => (await hover.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
    const tells = async (what: string, [line, column]: readonly [number, number], wanted: string) => {
      const told = async () => {
        await editor.goTo(line, column + 1);
        await editor.command("Show or Focus Hover");
        return until(async () => (await hovered()).includes(wanted), 5000);
      };
      check(what, await until(told, 60_000), await hovered());
      await page.keyboard.press("Escape");
    };

    await editor.open("kernels.cpp");
    await sees(
      check,
      "the mistakes of both shaders are counted, and no others",
      () => editor.problems(),
      (text) => !none(text) && /\b2\b/.test(text),
    );
    const squiggles = page.locator(".squiggly-error");
    check("and underlined", await until(async () => (await squiggles.count()) === 2));
    await tells("the first one stands in its string", place("missing"), "missing");
    await tells("the second one in its own", place("1.5"), "int");
    await tells("a function of the first has a hover", place("twice(missing"), "float twice(float x)");
    await tells("and a matrix of the third", place("left, tile"), "gl_MatrixUseA");
    await report.picture("strings");

    /** The pieces of a line that have colours of their own. */
    const pieces = (line: string) =>
      page.locator(".view-line", { hasText: line }).first().locator("span > span").allInnerTexts();
    const coloured = (size: number) => async () =>
      (await pieces(`local_size_x = ${size}`)).some((piece) => piece.trim() === "layout");
    await editor.goTo(1);
    for (const size of [32, 16, 64])
      check(`the colours of the string with ${size} are those of GLSL`, await until(coloured(size), 20_000));
    await editor.goTo(CPP.split("\n").length);
    const behind = async () => (await pieces("int host()")).some((piece) => piece.trim() === "return");
    check("what stands behind them is C++", await until(behind, 20_000), await pieces("int host()"));
    const plain = await pieces("local_size_x = 7");
    check("a string without a mark has its own", !plain.some((piece) => piece.trim() === "layout"), plain);

    await editor.open("kernels.rs");
    check("Rust's raw strings have them, too", await until(coloured(32), 20_000));
    const text = await pieces("local_size_x = 7");
    check("where they are marked", !text.some((piece) => piece.trim() === "layout"), text);
  });
}
