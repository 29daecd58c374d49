// A workspace of several folders, each with its own project file: what one says holds for its own shaders alone.

import { until } from "./editor.ts";
import type { Projects } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const SHADER = `#version 460
#extension GL_GOOGLE_include_directive : require
#include "values.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { float values[]; };
void main() { values[gl_GlobalInvocationID.x] = VALUE * FACTOR; }
`;

const project = (name: string, device: string, value: string) => `device = "${device}"
include = ["headers"]

[[shaders]]
files = ["*.comp"]

[[shaders.configurations]]
name = "${name}"
defines = { VALUE = "${value}" }
`;

/** Items of the status bar, in whatever order. */
const both = (configuration: string, device: string) => (bar: string) =>
  bar.includes(configuration) && bar.includes(device);

export async function roots(projects: Projects, report: Report) {
  const { editor } = projects;
  const { page } = editor;
  const files = {
    "first/one.comp": SHADER,
    "first/headers/values.glsl": "const float FACTOR = 2.0;\n",
    "first/coopmat-analyzer.toml": project("of-first", "nvidia-h200", "1.5"),
    "second/two.comp": SHADER,
    "second/headers/values.glsl": "const uvec2 FACTOR = uvec2(2);\n",
    "second/coopmat-analyzer.toml": project("of-second", "intel-xe2", "1.5"),
    "third/three.comp": SHADER.replace('#include "values.glsl"', "const float FACTOR = 1.0;"),
    "several.code-workspace": JSON.stringify({
      folders: ["first", "second", "third"].map((path) => ({ path })),
    }),
  };
  await projects.part("roots", files, async (check, { open, write }) => {
    // A window reads the file with its folders before the machine's files can be read, and may miss when they can: it stays without folders then.
    const folders = async () => {
      await open("several.code-workspace");
      await editor.command("View: Show Explorer");
      const rows = page.locator(".explorer-folders-view .monaco-list-row");
      return until(async () => (await rows.count()) >= 3, 20_000);
    };
    check("the folders are there", await until(folders));

    await editor.open("one.comp");
    await sees(
      check,
      "the first folder's project holds there",
      () => editor.statusBar(),
      both("of-first", "nvidia-h200"),
    );
    await editor.open("two.comp");
    await sees(
      check,
      "the second folder's project holds there",
      () => editor.statusBar(),
      both("of-second", "intel-xe2"),
    );
    const squiggles = page.locator(".squiggly-error");
    check("and its header does not fit", await until(async () => (await squiggles.count()) === 1));
    await report.picture("roots");

    await write("second/coopmat-analyzer.toml", project("changed", "intel-xe2", "true"));
    await sees(check, "the second project follows its file", () => editor.statusBar(), "changed");
    await editor.open("one.comp");
    await sees(
      check,
      "the first one is what it was",
      () => editor.statusBar(),
      both("of-first", "nvidia-h200"),
    );

    check("and its header fits", await until(async () => (await squiggles.count()) === 0, 10_000));

    await editor.open("three.comp");
    await editor.command("Coopmat: Set Up This Project");
    const widget = page.locator(".quick-input-widget");
    await sees(check, "a folder without one is set up for itself", () => widget.innerText(), /third;/);
    await page.keyboard.press("Escape");
    check("unless nobody wants that", await until(async () => !(await widget.isVisible()), 10_000));
    await editor.quiet();
  });
}
