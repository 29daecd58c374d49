// The first minutes with ncnn: the shaders of its source package, and the project file that the docs show for them. Then as with any project.

import { readFile } from "node:fs/promises";
import { none } from "./editor.ts";
import { First } from "./first.ts";
import type { Projects } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const PAGE = new URL("../../../docs/project-file.md", import.meta.url);
const SHADER = "layer/vulkan/shader/absval.comp";
const RECIPE = "layer/vulkan/shader/absval.run.toml";

const FILLED_IN: [string, string][] = [
  ["dispatch = [1, 1, 1]", "dispatch = [256, 1, 1]"],
  ["\nn = 1\n", "\nn = 256\n"],
  ["shape = [4096]", "shape = [1024]"],
];
const EXPECTED = `
[[expect]]
buffer = "bottom_top_blob"
equals.formula = "abs(bottom_top_blob)"
`;

/** The block of the page that is for ncnn. */
async function projectFile() {
  const page = await readFile(PAGE, "utf8");
  return /in the folder `src` of ncnn[\s\S]*?```toml project\n([\s\S]*?\n)```/.exec(page)?.[1] ?? "";
}

/** `folder`: the package's `src`. */
export async function ncnn(projects: Projects, report: Report, folder: string) {
  const { editor } = projects;
  await projects.part("ncnn", folder, async (check, project) => {
    const first = new First(editor, check, project);
    await project.open();
    first.step("the folder is open");

    await editor.open("absval.comp");
    const problems = () => editor.problems();
    await sees(
      check,
      "a shader as it is has one warning, and no errors",
      problems,
      (text) => none(text) && /\b1\b/.test(text),
    );
    first.step("a shader is open, and says that its macros are missing");

    const text = await projectFile();
    check("the page has a project file for ncnn", text.includes("ncnn_glsl_ext.comp"), text);
    await project.write("coopmat-analyzer.toml", text);
    await sees(check, "once it is written, the warning is gone", problems, /no problems/i);
    await editor.quiet();
    first.step("the project file is written");

    await first.chooses("fp16", "fp32");
    await first.hovers(SHADER, "sfpvec4 bottom_top_blob_data", "bottom_top_blob_data", /\bvec4\[\] /);
    first.step("a configuration is chosen, and a hover is right for it");

    await first.runs(RECIPE);
    const recipe = await project.read(RECIPE);
    check("it is for the configuration", recipe.includes('config = "fp32"'), recipe);
    await first.verifies(RECIPE, FILLED_IN, EXPECTED);
    // By now all shaders of the folder have been looked at.
    await sees(check, "there are no errors in the others, either", problems, none);
    await report.picture("ncnn");
  });
}
