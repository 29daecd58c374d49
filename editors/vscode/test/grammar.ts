// GLSL in strings as VS Code colours it: its own engine and grammars of C++ and Rust, with ours put into them. And SPIR-V assembly.
//
//   node test/grammar.ts --vscode FOLDER
//
// Each `layout(local_size_x = N)` of the samples has the colours of GLSL where N is odd, and those of a string where it is even.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
// @ts-expect-error: a script without types.
import { assembly } from "../build/assembly.mjs";
// @ts-expect-error: a script without types.
import { embedded } from "../build/embedded.mjs";
// @ts-expect-error: a script without types.
import { grammar } from "../build/grammar.mjs";
// @ts-expect-error: a script without types.
import { words } from "../build/words.mjs";

const CPP = `auto a = R"glsl(#version 460
layout(local_size_x = 1) in; // it's
)glsl";
auto b = R"GLSL_comp(layout(local_size_x = 3) in;)GLSL_comp";
static const char* c = /* glsl comp */ R"(#version 460
layout(local_size_x = 5) in; /* it's */
)";
auto d =
    // glsl
    R"x(
layout(local_size_x = 7) in;)" ")x";
auto e = R"(layout(local_size_x = 2) in;)", f = R"glslx(layout(local_size_x = 4) in;)glslx";
void g() { h(/* glsl */ R"(layout(local_size_x = 9) in;)", R"(layout(local_size_x = 6) in;)"); }
const char* i = /* glsl */
    "layout(local_size_x = 8) in; // it's \\n" // a "b
    "void main() {}\\n";
const char* j = /* not glsl */ R"(layout(local_size_x = 10) in;)";
int last() { return 0; }
`;

const RUST = `const A: &str = /* glsl */ r#"#version 460
layout(local_size_x = 1) in; // it's
"#;
mod scale {
    vulkano_shaders::shader! {
        ty: "compute",
        src: r"#version 460
            layout(local_size_x = 3) in;",
    }
}
vulkano_shaders::shader! { shaders: { one: { ty: "vertex", src: r"layout(local_size_x = 5) in;" }, two: { src: r"
    layout(local_size_x = 7) in;" } } }
const B: &str = glsl! { layout(local_size_x = 9) in; void main() { x[0] = 1; } };
const C: &str = glsl!(r"layout(local_size_x = 11) in;");
const D: &str = r"layout(local_size_x = 2) in;";
const E: S = S { src: r"layout(local_size_x = 4) in;" };
fn last() { return; }
`;

const at = process.argv.indexOf("--vscode");
const vscode = process.argv[at + 1] ?? "";
const load = createRequire(join(vscode, "package.json"));
const textmate = load("vscode-textmate");
const oniguruma = load("vscode-oniguruma");
await oniguruma.loadWASM(readFileSync(load.resolve("vscode-oniguruma/release/onig.wasm")).buffer);

const known = words(new URL("../../../analysis/extensions", import.meta.url).pathname);
const theirs: Record<string, string> = {
  "source.cpp": "cpp/syntaxes/cpp.tmLanguage.json",
  "source.cpp.embedded.macro": "cpp/syntaxes/cpp.embedded.macro.tmLanguage.json",
  "source.rust": "rust/syntaxes/rust.tmLanguage.json",
};
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns: string[]) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text: string) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async (scope: string) => {
    if (scope === "source.spirv") return assembly();
    if (scope === "source.glsl.embedded") return embedded();
    if (scope === "source.glsl") return grammar(known);
    const file = theirs[scope];
    return file
      ? textmate.parseRawGrammar(readFileSync(join(vscode, "extensions", file), "utf8"), file)
      : null;
  },
  getInjections: (scope: string) =>
    scope === "source.cpp" || scope === "source.rust" ? ["source.glsl.embedded"] : undefined,
});

interface Token {
  startIndex: number;
  scopes: string[];
}

let failed = 0;
for (const [scope, text, end] of [
  ["source.cpp", CPP, "keyword.control.return.cpp"],
  ["source.rust", RUST, "keyword.control.rust"],
] as const) {
  const language = await registry.loadGrammar(scope);
  let state = textmate.INITIAL;
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = language.tokenizeLine(line, state) as {
      tokens: Token[];
      ruleStack: unknown;
    };
    state = ruleStack;
    const scopes = (index: number) => tokens.findLast(({ startIndex }) => startIndex <= index)?.scopes ?? [];
    const expect = (what: string, index: number, good: (scopes: string[]) => boolean) => {
      const seen = scopes(index);
      if (good(seen)) return;
      failed++;
      console.log(`FAILED  ${scope}: ${what}: ${seen.join(" ")}`);
    };
    for (const { index, 1: number } of line.matchAll(/layout\(local_size_x = (\d+)/g)) {
      const wanted = Number(number) % 2 === 1;
      expect(`string ${number}`, index, (seen) => seen.includes("storage.modifier.glsl") === wanted);
    }
    // Behind all strings the language goes on.
    if (line.includes("last()")) expect("the end", line.indexOf("return"), (seen) => seen.includes(end));
  }
}

// Lines of assembly, each with words and what they are.
const ASSEMBLY: [string, ...[string, string][]][] = [
  ["; Version: 1.6", ["Version", "comment.line.semicolon"]],
  [
    'OpSource GLSL 460 %1 "float',
    ["OpSource", "keyword.other.declaration"],
    ["float", "string.quoted.double"],
  ],
  ['OpNop \\" main"', ["OpNop", "string.quoted.double"]],
  [
    "%f = OpTypeFloat 32",
    ["%f", "entity.name.variable"],
    ["OpType", "storage.type"],
    ["32", "constant.numeric"],
  ],
  ["%2 = OpConstant %f -0x1.8p+3", ["OpConst", "keyword.other.constant"], ["x1.8", "constant.numeric"]],
  ["%main = OpFunction %v None %t", ["OpFunc", "storage.type.function"], ["None", "support.constant"]],
  ["OpBranchConditional %c %a %b", ["OpBranch", "keyword.control"], ["%a", "variable.other"]],
  ["%x = OpCooperativeMatrixLoadKHR %m %p", ["OpCoop", "keyword.operator.word"], ["%p", "variable.other"]],
];
const spirv = await registry.loadGrammar("source.spirv");
let state = textmate.INITIAL;
for (const [line, ...words] of ASSEMBLY) {
  const { tokens, ruleStack } = spirv.tokenizeLine(line, state) as { tokens: Token[]; ruleStack: unknown };
  state = ruleStack;
  for (const [word, wanted] of words) {
    const at = line.indexOf(word);
    const seen = tokens.findLast(({ startIndex }) => startIndex <= at)?.scopes ?? [];
    if (seen.includes(`${wanted}.spirv`)) continue;
    failed++;
    console.log(`FAILED  ${line}: ${word}: ${seen.join(" ")}`);
  }
}
if (failed === 0) console.log("ok      the colours of GLSL in strings, and of assembly");
process.exit(failed === 0 ? 0 : 1);
