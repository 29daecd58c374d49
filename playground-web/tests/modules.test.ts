// SPIR-V modules as files of the page: assembly text that is edited, words that are shown, and dispatches that were captured from a program.

import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "@coopmat/shared/project/share";
import { afterAll, describe, expect, test } from "vitest";
import { drop, folder, NATIVE, ROOT } from "./files";
import { close, Visitor } from "./page";

afterAll(close);

const TWICE = `; Every invocation doubles its value.
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main" %id %data
OpExecutionMode %main LocalSize 8 1 1
OpName %data "data"
OpDecorate %id BuiltIn LocalInvocationIndex
OpDecorate %array ArrayStride 4
OpMemberDecorate %block 0 Offset 0
OpDecorate %block Block
OpDecorate %data DescriptorSet 0
OpDecorate %data Binding 0
%void = OpTypeVoid
%entry_type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%two = OpConstant %uint 2
%array = OpTypeRuntimeArray %uint
%block = OpTypeStruct %array
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%to_input = OpTypePointer Input %uint
%data = OpVariable %to_block StorageBuffer
%id = OpVariable %to_input Input
%main = OpFunction %void None %entry_type
%entry = OpLabel
%me = OpLoad %uint %id
%place = OpAccessChain %to_uint %data %zero %me
%value = OpLoad %uint %place
%twice = OpIMul %uint %value %two
OpStore %place %twice
OpReturn
OpFunctionEnd
`;

/** `length`: of the buffer; eight invocations need eight elements. */
const recipe = (shader: string, length = 8, fill = "fill.iota = {}") => `shader = "${shader}"
dispatch = [1]
[[buffers]]
name = "data"
type = "u32"
shape = [${length}]
${fill}
[[expect]]
buffer = "data"
equals.formula = "index * 2"
`;

const MET = /^[^(]*expectation is met[^(]*$/;
const tab = (visitor: Visitor, name: string) =>
  visitor.page.locator("#tabs").getByRole("tab", { name, exact: true });
const outcome = (visitor: Visitor, words: RegExp) =>
  expect.poll(() => visitor.page.locator("#outcome").textContent()).toMatch(words);
const findings = (visitor: Visitor) => visitor.page.locator(".problems li");
const at = (visitor: Visitor, line: number) =>
  expect.poll(() => visitor.page.locator("#position").textContent()).toContain(`Line ${line},`);
/** The number of the line that begins with these words, as the editor shows it. */
const lineOf = (text: string, words: string) =>
  text.split("\n").findIndex((line) => line.includes(words)) + 1;

/** The module in words, as the native program writes it. */
function words(assembly: string): Buffer {
  const made = folder({ "module.spvasm": assembly });
  execFileSync(NATIVE, ["spirv", "module.spvasm", "-o", "module.spv"], { cwd: made, stdio: "pipe" });
  return readFileSync(join(made, "module.spv"));
}

const arrive = (files: Record<string, string>, active: string) =>
  Visitor.arrive(
    encode({ files: Object.entries(files).map(([name, text]) => ({ name, text })), active, options: {} }),
  );

describe("assembly text", () => {
  test("explains itself, leads to definitions, and is renamed", async () => {
    const visitor = await arrive({ "twice.spvasm": TWICE }, "twice.spvasm");
    await visitor.opened("twice.spvasm", "0 errors");
    const opcode = visitor.page.locator("#editor .cm-line span", { hasText: /^OpIMul$/ });
    await visitor.hover(opcode, "OpIMul");
    await visitor.editor.click();
    await visitor.page.keyboard.press("ControlOrMeta+Shift+o");
    await visitor.page.getByLabel("Find a name").fill("entry");
    await visitor.page.keyboard.press("Enter");
    await at(visitor, lineOf(TWICE, "%entry = OpLabel"));
    await visitor.page.getByTitle("Fold line", { exact: true }).last().click();
    await expect.poll(() => visitor.editor.textContent()).not.toContain("OpIMul");
    await visitor.page.getByTitle("Unfold line").last().click();
    await visitor.put("OpStore %place %tw");
    await visitor.page.keyboard.press("F12");
    const line = lineOf(TWICE, "%twice =");
    await at(visitor, line);
    await visitor.page.keyboard.press("ArrowRight");
    await visitor.page.keyboard.press("F2");
    const field = visitor.page.locator(".cm-panel input").first();
    await field.fill("doubled");
    await field.press("Enter");
    await expect.poll(() => visitor.text()).toContain("OpStore %place %doubled");
    await visitor.leave();
  });

  test("tells its mistakes, and runs once they are mended", async () => {
    const files = {
      "twice.spvasm": TWICE.replace("OpIMul", "OpIMull"),
      "twice.run.toml": recipe("twice.spvasm"),
    };
    const visitor = await arrive(files, "twice.spvasm");
    await visitor.opened("twice.spvasm", "1 error");
    await visitor.pane("Problems");
    await findings(visitor).getByText("there is no instruction OpIMull").waitFor();
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, /did not begin/);

    await visitor.put("OpIMull");
    await visitor.page.keyboard.press("Backspace");
    await visitor.opened("twice.spvasm", "0 errors");
    await visitor.page.locator("#editor .cm-lenses button", { hasText: "Run" }).click();
    await outcome(visitor, MET);
    await visitor.pane("SPIR-V");
    await visitor.page.locator(".statistics summary").click();
    await expect.poll(() => visitor.page.locator(".statistics").textContent()).toContain("Per workgroup");
    await visitor.picture("assembly");
    await visitor.leave();
  });
});

describe("words", () => {
  test("that are dropped are shown, run with a recipe that the page makes, and become a text on request", async () => {
    const made = folder({});
    writeFileSync(join(made, "alone.spv"), words(TWICE));
    const visitor = await Visitor.arrive();
    await drop(visitor, join(made, "alone.spv"));
    await tab(visitor, "alone.spv").waitFor();
    await visitor.opened("alone.spv", "0 errors");
    await expect.poll(() => visitor.editor.textContent()).toContain("OpIMul %uint");
    await visitor.editor.click();
    await visitor.page.keyboard.insertText("typed");
    expect(await visitor.editor.textContent()).not.toContain("typed");
    await visitor.page.keyboard.press("F2");
    await visitor.page.locator("#notice", { hasText: "which is not edited" }).waitFor();

    await visitor.pane("Run");
    await visitor.page.getByRole("button", { name: "Make a recipe" }).click();
    await tab(visitor, "alone.run.toml").waitFor();
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, /Ran to its end/);

    await visitor.pane("SPIR-V");
    await visitor.page.getByRole("button", { name: "Make alone.spvasm" }).click();
    await visitor.opened("alone.spvasm", "0 errors");
    await expect.poll(() => visitor.text()).toContain("OpIMul %uint");
    // What was dropped is there after a reload, with its breakpoint.
    await tab(visitor, "alone.spv").click();
    await visitor.put("OpIMul");
    await visitor.page.keyboard.press("F9");
    await visitor.page.locator(".cm-breakpoint").last().waitFor();
    const line = await visitor.page.locator("#position").textContent();
    const kept = () =>
      visitor.page.evaluate(
        () => JSON.parse(localStorage.getItem("coopmat-analyzer.project") ?? "{}").active,
      );
    await expect.poll(kept).toBe("alone.spv");
    await visitor.page.reload();
    await visitor.opened("alone.spv", "0 errors");
    await expect.poll(() => visitor.editor.textContent()).toContain("OpIMul %uint");
    await visitor.pane("Debugger");
    const breakpoint = visitor.page.locator(".debugger", {
      hasText: `alone.spv, l${line?.split(",")[0]?.slice(1)}`,
    });
    await breakpoint.waitFor();
    await visitor.leave();
  });

  test("of another kind are left out, with the reason", async () => {
    const made = folder({ "p/a.comp": "#version 460\nvoid main() {}\n", "p/no.spv": "no module" });
    const visitor = await Visitor.arrive();
    await drop(visitor, join(made, "p"));
    await visitor.page
      .locator("#notice", { hasText: "1 file without the first word of a SPIR-V module (no.spv)" })
      .waitFor();
    await visitor.leave();
  });
});

describe("a captured dispatch", () => {
  test("runs with its data, with findings and steps in the text of its module", async () => {
    const made = folder({
      "captured/dispatch-47.run.toml": recipe("dispatch-47.spv", 6, 'fill.file = "dispatch-47.data.bin"'),
    });
    const data = Uint8Array.from({ length: 24 }, (_, at) => (at % 4 === 0 ? at / 4 : 0));
    writeFileSync(join(made, "captured/dispatch-47.data.bin"), data);
    writeFileSync(join(made, "captured/dispatch-47.spv"), words(TWICE));
    const visitor = await Visitor.arrive();
    await drop(visitor, join(made, "captured"));
    await visitor.page.locator("#notice", { hasText: "captured is open: 3 files" }).waitFor();
    await visitor.opened("dispatch-47.spv", "0 errors");
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, MET);

    await visitor.page.locator('[data-key="mode-checked"]').check();
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await visitor.opened("dispatch-47.spv", "0 errors, 2 warnings");
    const shown = execFileSync(NATIVE, ["spirv", "dispatch-47.spv"], {
      cwd: join(made, "captured"),
    }).toString();
    await visitor.pane("Problems");
    await findings(visitor).getByText("reads 4 bytes at offset 24").first().click();
    // The second load: the first one is that of the invocation's number.
    const loads = shown.split("\n").flatMap((line, at) => (line.includes("OpLoad") ? [at + 1] : []));
    await at(visitor, loads[1] ?? 0);

    await visitor.pane("Debugger");
    await visitor.page.locator(".debugger .primary").click();
    await expect
      .poll(() => visitor.page.locator(".debugger-words").textContent())
      .toContain("dispatch-47.spv");
    // What instructions have made is listed under the names of the text: here the number of each invocation.
    const step = visitor.page.locator(".debugger-steps").getByTitle(/^Step over/);
    await step.click();
    await step.click();
    const content = () => visitor.page.locator(".debugger-content").textContent();
    await expect.poll(content).toMatch(/Values.*%\d+/s);
    await visitor.picture("captured");
    await visitor.leave();
  });

  test("whose module holds its source has findings there", async () => {
    const slang = readFileSync(join(ROOT, "lsp/tests/modules/slang.spvasm"), "utf8");
    const made = folder({ "captured/gemm.run.toml": PRODUCT });
    writeFileSync(join(made, "captured/gemm.spv"), words(slang));
    const visitor = await Visitor.arrive();
    await drop(visitor, join(made, "captured"));
    await visitor.opened("gemm.spv", "0 errors");
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="mode-checked"]').check();
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, /finding/);
    await visitor.pane("Problems");
    await findings(visitor).getByText("reads").first().click();
    await visitor.page.locator("#tabs").getByRole("tab", { name: "gemm.spv › gemm.slang" }).waitFor();
    await at(visitor, 29);
    await visitor.picture("source-of-a-module");
    await visitor.leave();
  });
});

/** Twelve rows, where the kernel reads sixteen. */
const PRODUCT = `shader = "gemm.spv"
sizes = { M = 12, N = 16, K = 24 }
dispatch = [2, 2]
[[buffers]]
name = "a"
set = 0
binding = 0
shape = ["M", "K"]
fill.uniform = { seed = 1 }
[[buffers]]
name = "b"
set = 0
binding = 1
shape = ["K", "N"]
fill.uniform = { seed = 2 }
[[buffers]]
name = "c"
set = 0
binding = 2
shape = ["M", "N"]
[[buffers]]
name = "sizes"
set = 0
binding = 3
type = "u32"
shape = [3]
fill.values = ["M", "N", "K"]
`;

const WGSL = `@group(0) @binding(0) var<storage, read_write> data: array<u32>;

@compute @workgroup_size(8)
fn main(@builtin(local_invocation_index) me: u32) {
    let value = data[me];
    data[me] = value * 2u;
}
`;

describe("WGSL", () => {
  test("is compiled by a module that is loaded for it alone", async () => {
    const visitor = await Visitor.arrive();
    const asked: string[] = [];
    visitor.page.on("request", (request) => asked.push(request.url()));
    await visitor.opened("gemm.comp", "0 errors");
    expect(asked.filter((url) => url.includes("wgsl"))).toEqual([]);

    const made = folder({ "p/twice.wgsl": WGSL, "p/twice.run.toml": recipe("twice.wgsl", 6) });
    await drop(visitor, join(made, "p"));
    await visitor.opened("twice.wgsl", "0 errors");
    expect(asked.filter((url) => url.endsWith(".wasm")).length).toBe(1);
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, MET);

    await visitor.page.locator('[data-key="mode-checked"]').check();
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await visitor.opened("twice.wgsl", "0 errors, 2 warnings");
    await visitor.pane("Problems");
    await findings(visitor).getByText("reads 4 bytes at offset 24").click();
    await at(visitor, 5);

    await visitor.pane("Debugger");
    await visitor.page.locator(".debugger .primary").click();
    await expect
      .poll(() => visitor.page.locator(".debugger-words").textContent())
      .toContain("twice.wgsl, line 5");
    await visitor.picture("wgsl");

    await visitor.put("* 2");
    await visitor.page.keyboard.type("; more(");
    await visitor.opened("twice.wgsl", "1 error");
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, /did not begin/);
    await visitor.leave();
  });
});
