// SPIR-V in files: a module in words is opened as its text, and assembly has mistakes, lenses, runs and the debugger.

import { writeFile } from "node:fs/promises";
import { until } from "./editor.ts";
import type { Projects } from "./projects.ts";
import { sees } from "./report.ts";

/** An empty kernel: OpCapability, OpMemoryModel, OpEntryPoint, OpExecutionMode, types, the function. */
const WORDS = [
  [0x07230203, 0x00010300, 0, 5, 0],
  [(2 << 16) | 17, 1],
  [(3 << 16) | 14, 0, 1],
  [(5 << 16) | 15, 5, 1, 0x6e69616d, 0],
  [(6 << 16) | 16, 1, 17, 1, 1, 1],
  [(2 << 16) | 19, 2],
  [(3 << 16) | 33, 3, 2],
  [(5 << 16) | 54, 2, 1, 0, 3],
  [(2 << 16) | 248, 4],
  [(1 << 16) | 253],
  [(1 << 16) | 56],
].flat();

const STORE = `; Version: 1.3
OpCapability Shader
OpMemoryModel Logical GLSL450
OpEntryPoint GLCompute %main "main"
OpExecutionMode %main LocalSize 1 1 1
OpName %out "out"
OpDecorate %numbers ArrayStride 4
OpDecorate %block Block
OpMemberDecorate %block 0 Offset 0
OpDecorate %out DescriptorSet 0
OpDecorate %out Binding 0
%void = OpTypeVoid
%type = OpTypeFunction %void
%uint = OpTypeInt 32 0
%zero = OpConstant %uint 0
%seven = OpConstant %uint 7
%numbers = OpTypeRuntimeArray %uint
%block = OpTypeStruct %numbers
%to_block = OpTypePointer StorageBuffer %block
%to_uint = OpTypePointer StorageBuffer %uint
%out = OpVariable %to_block StorageBuffer
%main = OpFunction %void None %type
%entry = OpLabel
%place = OpAccessChain %to_uint %out %zero %zero
OpStore %place %seven
OpReturn
OpFunctionEnd
`;

const RECIPE = `dispatch = [1, 1, 1]

[[buffers]]
name = "out"
set = 0
binding = 0
type = "u32"
shape = [1]

[[expect]]
buffer = "out"
equals.values = [7]
`;

export async function modules(projects: Projects) {
  const { editor } = projects;
  const { page } = editor;
  const other = STORE.replace("OpConstant %uint 7", "OpConstant %uint 8");
  const files = { "store.spvasm": STORE, "store.run.toml": RECIPE, "other.spvasm": other };
  await projects.part("modules", files, async (check, project) => {
    await writeFile(project.path("empty.spv"), new Uint8Array(new Uint32Array(WORDS).buffer));
    await project.open();
    await editor.open("empty.spv");
    await sees(
      check,
      "a file of words is shown as its text",
      () => editor.text(0),
      "OpEntryPoint GLCompute %1",
    );
    // Words are debugged in the text that is shown of them.
    await page.keyboard.press("F5");
    const session = page.locator(".debug-toolbar");
    check("F5 on words begins a session", await until(() => session.isVisible()));
    const line = page.locator(".debug-top-stack-frame-line");
    check("a line of their text is marked", await until(async () => (await line.count()) > 0));
    await editor.command("Debug: Stop");
    check("and it ends", await until(async () => !(await session.isVisible())));
    await editor.open("store.spvasm", 25);
    const lens = (title: string) => page.locator(".codelens-decoration a", { hasText: title });
    check("there is a lens Run", await until(async () => (await lens("Run").count()) > 0));
    check("and Debug", await until(async () => (await lens("Debug").count()) > 0));
    await page.keyboard.press("F5");
    const toolbar = page.locator(".debug-toolbar");
    check("F5 begins a session", await until(() => toolbar.isVisible()));
    const here = page.locator(".debug-top-stack-frame-line");
    check("a line of the text is marked", await until(async () => (await here.count()) > 0));
    await editor.command("Debug: Stop");
    check("the session ends", await until(async () => !(await toolbar.isVisible())));

    await editor.command("Testing: Focus on Test Explorer View");
    const recipe = page.locator(".test-explorer .monaco-list-row", { hasText: "store" });
    check("the Test Explorer lists the recipe", await until(async () => (await recipe.count()) > 0));
    // A breakpoint, without which the session of a test has no stop.
    await editor.open("store.spvasm", 25);
    await editor.command("Debug: Toggle Breakpoint");
    await recipe.hover();
    await recipe.getByRole("button", { name: /^Debug Test/ }).click();
    check("Debug Test begins a session", await until(() => toolbar.isVisible()));
    check("it stops at the breakpoint", await until(async () => (await here.count()) > 0));
    await editor.command("Debug: Continue");
    check("the session ends with the run", await until(async () => !(await toolbar.isVisible())));
    await editor.command("Testing: Focus on Test Explorer View");
    const passed = page.locator(".test-explorer .codicon-testing-passed-icon");
    check("and the test has passed", await until(async () => (await passed.count()) > 0));

    await editor.command("Coopmat: Compare with Another Module");
    await page.locator(".quick-input-list .monaco-list-row", { hasText: "other.spvasm" }).first().click();
    await sees(check, "a module is compared with another one", () => editor.text(0), "+%uint_7 = OpConstant");
    await sees(check, "in parts", () => editor.text(0), "@@ types, constants and variables @@");
    await projects.picture("difference");
  });
}
