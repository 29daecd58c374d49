// A project in the page: files that are not tabs, options and configurations, what is dropped, and llama.cpp's shaders from a folder to a shared result.

import { cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { encode } from "@coopmat/shared/project/share";
import { afterAll, describe, expect, test } from "vitest";
import { drop, folder } from "./files";
import { close, Visitor } from "./page";

afterAll(close);

const PROJECT = "coopmat-analyzer.toml";
/** Of the last run, not of one before the last change. */
const MET = /^[^(]*expectation is met[^(]*$/;

const SHADER = `#version 460
layout(local_size_x = 32) in;
layout(binding = 0) buffer Data { float data[]; };
void main() { data[gl_GlobalInvocationID.x] = TIMES * 2.0; }
`;
const RECIPE = `dispatch = [1]
[[buffers]]
name = "data"
shape = [32]
[[expect]]
buffer = "data"
equals.formula = "6"
`;

const notice = (visitor: Visitor, words: string) => visitor.page.locator("#notice", { hasText: words });
const options = (visitor: Visitor) => visitor.page.getByLabel("Compiler options");
const configuration = (visitor: Visitor) => visitor.page.locator(".options-bar .configuration");
const tab = (visitor: Visitor, name: string) => visitor.page.locator("#tabs").getByRole("tab", { name });
/** What the last line of the page says of the run. */
const outcome = (visitor: Visitor, words: RegExp) =>
  expect.poll(() => visitor.page.locator("#outcome").textContent()).toMatch(words);

/** The shader in view has been looked at, and nothing is wrong in it. */
const fine = (visitor: Visitor, name: string) =>
  expect.poll(() => visitor.status.textContent()).toContain(`${name}: 0 errors`);

/** What a person sees of where they are. */
const view = ({ page }: Visitor) =>
  Promise.all([
    page.locator("#tabs [role=tab]").allTextContents(),
    page.locator("#pane-tabs [aria-selected=true]").allTextContents(),
    page.locator("#files").textContent(),
    page.locator(".options-bar .configuration").textContent(),
  ]);

/** Opens a file by "Files". */
async function open(visitor: Visitor, typed: string) {
  await visitor.page.keyboard.press("ControlOrMeta+p");
  await visitor.page.getByLabel("Find a file").fill(typed);
  await visitor.page.keyboard.press("Enter");
  await visitor.page.locator("dialog.pick").waitFor({ state: "detached" });
}

async function choose(visitor: Visitor, name: string) {
  await configuration(visitor).click();
  await visitor.page.getByLabel("Find a name or a macro").fill(name);
  await visitor.page.keyboard.press("Enter");
  await expect.poll(() => configuration(visitor).textContent()).toContain(name);
}

const arrive = (files: Record<string, string>, active: string) =>
  Visitor.arrive(
    encode({ files: Object.entries(files).map(([name, text]) => ({ name, text })), active, options: {} }),
  );

describe("options", () => {
  test("are written into the project file, hold for checks and runs, and show what the file says", async () => {
    const visitor = await arrive({ "a.comp": SHADER, "a.run.toml": RECIPE }, "a.comp");
    // Without the macro the page says what is missing, and where to say it.
    const note = visitor.page.locator(".cm-lintRange-warning, .cm-lint-marker-warning").first();
    await note.waitFor();
    await visitor.pane("Problems");
    const problem = visitor.page.locator(".problems li", { hasText: "TIMES" }).first();
    await expect.poll(() => problem.textContent()).toContain("options above the editor");

    await options(visitor).fill("-DTIMES=3.0 --target-env=vulkan1.3");
    await options(visitor).press("Enter");
    await tab(visitor, PROJECT).waitFor();
    await visitor.opened("a.comp", "0 errors, 0 warnings");
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, MET);
    await tab(visitor, PROJECT).click();
    await expect.poll(() => visitor.text()).toBe('defines = ["TIMES=3.0"]\ntarget-env = "vulkan1.3"\n');

    // What is written in the file, with its comments, stands in the field.
    await visitor.write('# mine\ndefines = ["TIMES=4.0"] # four\ninclude = ["lib"]\n');
    await expect.poll(() => options(visitor).inputValue()).toBe("-DTIMES=4.0 -I lib");
    await options(visitor).fill("-DTIMES=4.0 -DMORE -I lib");
    await options(visitor).press("Enter");
    await expect
      .poll(() => visitor.text())
      .toBe('# mine\ndefines = ["TIMES=4.0", "MORE"] # four\ninclude = ["lib"]\n');
    await visitor.leave();
  });

  test("that are not known are named, and nothing is written", async () => {
    const visitor = await arrive({ "a.comp": SHADER }, "a.comp");
    await options(visitor).fill("-DTIMES=1 -fno-such-thing");
    await options(visitor).press("Enter");
    await visitor.page
      .locator(".options-bar .problem", { hasText: "-fno-such-thing is not known" })
      .waitFor();
    expect(await tab(visitor, PROJECT).count()).toBe(0);
    await visitor.leave();
  });

  test("device and target have lists of their own", async () => {
    const visitor = await arrive({ "a.comp": SHADER.replace("TIMES", "3.0") }, "a.comp");
    await visitor.page.getByLabel("Device", { exact: true }).selectOption("nvidia-h200");
    await tab(visitor, PROJECT).click();
    await expect.poll(() => visitor.text()).toBe('device = "nvidia-h200"\n');
    await visitor.page.getByLabel("Target", { exact: true }).selectOption("vulkan1.1");
    await expect.poll(() => visitor.text()).toBe('device = "nvidia-h200"\ntarget-env = "vulkan1.1"\n');
    await visitor.page.getByLabel("Device", { exact: true }).selectOption("No device");
    await expect.poll(() => visitor.text()).toBe('target-env = "vulkan1.1"\n');
    await visitor.leave();
  });
});

describe("files", () => {
  const many = Object.fromEntries(
    Array.from({ length: 30 }, (_, index) => [
      `lib/part${index}.glsl`,
      `float part${index}() { return 1.0; }\n`,
    ]),
  );
  const main = `#version 460
#extension GL_GOOGLE_include_directive : require
#include "lib/part7.glsl"
layout(local_size_x = 1) in;
layout(binding = 0) buffer Data { float data[]; };
void main() { data[0] = part7(); }
`;

  test("of a large project are found by some of their letters; few of them have tabs", async () => {
    const visitor = await arrive({ ...many, "main.comp": main }, "main.comp");
    // What no tab has open is included all the same.
    await visitor.opened("main.comp", "0 errors, 0 warnings");
    expect(await visitor.page.locator("#tabs [role=tab]").count()).toBe(1);
    await open(visitor, "pt23");
    expect(await tab(visitor, "part23.glsl").getAttribute("aria-selected")).toBe("true");
    // An edit of a header reaches the shader when its tab is closed again.
    await open(visitor, "part7");
    await visitor.write("float other() { return 1.0; }\n");
    await visitor.page.locator("#close-file").click();
    await expect.poll(() => tab(visitor, "main.comp").locator(".badge.error").textContent()).toBe("1");
    await visitor.leave();
  });

  test("are renamed, deleted and made in the page's own dialogs", async () => {
    const visitor = await arrive({ "a.comp": "void main() {}\n", "b.glsl": "// b\n" }, "a.comp");
    await visitor.page.locator("#files").click();
    await visitor.page.getByTitle("Rename b.glsl").click();
    const dialog = visitor.page.getByRole("dialog", { name: "New name of b.glsl" });
    await dialog.locator("input").fill("a.comp");
    await visitor.page.keyboard.press("Enter");
    await dialog.getByText("There is a file a.comp already").waitFor();
    await dialog.locator("input").fill("lib/c.glsl");
    await visitor.page.keyboard.press("Enter");
    await tab(visitor, "c.glsl").waitFor();
    await visitor.page.locator("#files").click();
    await visitor.page.getByTitle("Delete lib/c.glsl").click();
    await visitor.page.getByRole("button", { name: "Delete", exact: true }).click();
    await tab(visitor, "c.glsl").waitFor({ state: "detached" });
    await visitor.leave();
  });
});

describe("a project file", () => {
  test("is completed and explained from its schema, and its mistakes stand in its tab", async () => {
    const visitor = await arrive({ "a.comp": "#version 460\nvoid main() {}\n", [PROJECT]: "" }, "a.comp");
    await tab(visitor, PROJECT).click();
    await visitor.editor.click();
    await visitor.page.keyboard.type("target-e");
    await visitor.page.locator(".cm-tooltip-autocomplete li", { hasText: "target-env" }).click();
    await visitor.page.keyboard.insertText('"vulkan1.9"');
    await visitor.page.locator(".cm-lintRange-error, .cm-lint-marker-error").first().waitFor();
    const tip = await visitor.hover(visitor.editor.getByText("target-env").first(), "The version of Vulkan");
    expect(await tip.textContent()).toContain("vulkan1.4");
    await visitor.leave();
  });

  test("has recipes beside it, with the same help", async () => {
    const visitor = await arrive({ "a.comp": SHADER, "a.run.toml": "" }, "a.comp");
    await tab(visitor, "a.run.toml").click();
    await visitor.editor.click();
    await visitor.page.keyboard.type("dis");
    await visitor.page.locator(".cm-tooltip-autocomplete", { hasText: "dispatch" }).waitFor();
    await visitor.leave();
  });
});

test("the gallery opens a folder of one's own", async () => {
  const made = folder({
    "kernels/own.comp": SHADER.replace("TIMES", "3.0"),
    "kernels/notes.pdf": "no shader",
  });
  const visitor = await Visitor.arrive();
  await visitor.page.locator("#gallery").click();
  const asked = visitor.page.waitForEvent("filechooser");
  await visitor.page.getByRole("button", { name: "Open your own folder" }).click();
  await (await asked).setFiles(join(made, "kernels"));
  await fine(visitor, "own.comp");
  await notice(visitor, "kernels").waitFor();
  await visitor.leave();
});

describe("what is dropped", () => {
  test("a folder of another machine and the log of its build give configurations", async () => {
    const header = "#define TIMES SOME\n";
    const made = folder({
      "p/shaders/a.comp": SHADER.replace(
        "layout(local",
        '#extension GL_GOOGLE_include_directive : require\n#include "times.h"\nlayout(local',
      ),
      "p/shaders/a.run.toml": RECIPE,
      "p/include/times.h": header,
      "p/src/main.cpp": "int main() {}",
      "build.log":
        "glslc -DSOME=2.0 -I/home/x/p/include /home/x/p/shaders/a.comp -o two.spv\nglslc -DSOME=3.0 -I/home/x/p/include /home/x/p/shaders/a.comp -o three.spv\nglslc /home/x/p/shaders/gone.comp -o gone.spv\n",
    });
    const visitor = await Visitor.arrive();
    await drop(visitor, join(made, "p"));
    await notice(visitor, "p is open: 3 files. Left out: 1 file of other kinds (main.cpp).").waitFor();
    await drop(visitor, join(made, "build.log"));
    await notice(visitor, "Configurations come from build.log. 1 of the shaders").waitFor();
    await tab(visitor, "a.comp").click();
    await fine(visitor, "a.comp");
    await choose(visitor, "two");
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, /not met/);
    await choose(visitor, "three");
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, MET);
    await visitor.leave();
  });
});

/** Given by `cargo xtask test`: llama.cpp's shaders, as its package has them, and the project file that `import --capture` wrote above them. */
const LLAMA = process.env.LLAMA_SHADERS;
const CAPTURED = process.env.LLAMA_PROJECT;

const MULTIPLY = `subgroup-size = 32
sizes = { M = 40, N = 36, K = 50 }
dispatch = [2, 2, 1]

# The small tile of devices that multiply 16x16x16.
[specialization]
0 = 32
1 = 32
2 = 32
4 = 32
5 = 32
6 = 2
7 = 16
8 = 16
9 = 16
10 = 32
11 = 0

[push-constants]
M = "M"
N = "N"
K = "K"
stride_a = "K"
stride_b = "K"
stride_d = "M"
batch_stride_a = "M * K"
batch_stride_b = "N * K"
batch_stride_d = "M * N"
base_work_group_z = 0
num_batches = 1
k_split = "K"
ne02 = 1
ne12 = 1
broadcast2 = 1
broadcast3 = 1

[[buffers]]
name = "a"
binding = 0
type = "f16"
shape = ["M", "K"]
fill = "uniform"

[[buffers]]
name = "b"
binding = 1
type = "f16"
shape = ["N", "K"]
fill.uniform = { seed = 2 }

[[buffers]]
name = "d"
binding = 2
type = "f32"
shape = ["N", "M"]

[[expect]]
buffer = "d"
equals.matmul = { a = "b", b = "a", transpose-b = true }
tolerance = { absolute = 1e-4 }
`;

describe("llama.cpp", () => {
  test.skipIf(!LLAMA)("a shader that is pasted alone says what it lacks, and where to say that", async () => {
    const visitor = await Visitor.arrive();
    await visitor.write(readFileSync(join(LLAMA ?? "", "mul_mm.comp"), "utf8"));
    await fine(visitor, "gemm.comp");
    await visitor.pane("Problems");
    const [problem, ...others] = await visitor.page.locator(".problems li").allTextContents();
    expect(problem).toMatch(/headers and macros.*options above the editor.*drop its folder/);
    expect(others).toEqual([]);
    await visitor.leave();
  });

  test.skipIf(!LLAMA || !CAPTURED)("from its folder to a shared result", { timeout: 240_000 }, async () => {
    const made = folder({ "llama/vulkan-shaders/mul_mm.run.toml": MULTIPLY });
    cpSync(LLAMA ?? "", join(made, "llama/vulkan-shaders"), { recursive: true });
    cpSync(CAPTURED ?? "", join(made, "llama", PROJECT));
    const visitor = await Visitor.arrive();
    await drop(visitor, join(made, "llama"));
    await notice(visitor, "llama is open").waitFor();
    await open(visitor, "mul_mm.comp");
    await tab(visitor, "mul_mm.comp").waitFor();
    await choose(visitor, "matmul_f16_cm1");
    await fine(visitor, "mul_mm.comp");
    await visitor.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(visitor, MET);
    await visitor.picture("llama");

    await visitor.page.locator("#share").click();
    const link = await visitor.page.locator(".share-link").inputValue();
    const before = await view(visitor);
    await visitor.leave();

    const reader = await Visitor.arrive(link);
    await expect.poll(() => configuration(reader).textContent()).toContain("matmul_f16_cm1");
    await fine(reader, "mul_mm.comp");
    await expect.poll(() => view(reader)).toEqual(before);
    await reader.page.keyboard.press("ControlOrMeta+Enter");
    await outcome(reader, MET);
    await reader.leave();
  });
});
