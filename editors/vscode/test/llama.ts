// The first minutes with llama.cpp: its whole folder, as the Cargo package has it, where nobody has said how its shaders are compiled. Setting the project up
// proposes a command for it; then as with any project.

import { none, until } from "./editor.ts";
import { First } from "./first.ts";
import type { Projects } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const FOLDER = "ggml/src/ggml-vulkan/vulkan-shaders";
const SHADER = `${FOLDER}/fill.comp`;
const RECIPE = `${FOLDER}/fill.run.toml`;

const FILLED_IN: [string, string][] = [
  ["dispatch = [1, 1, 1]", "dispatch = [8, 1, 1]"],
  ["\nKX = 1\n", "\nKX = 4096\n"],
  ["\nparam1 = 1\n", "\nparam1 = 2.5\n"],
];
const EXPECTED = `
[[expect]]
buffer = "D"
equals.formula = "2.5"
`;

export async function llama(projects: Projects, report: Report, folder: string) {
  const { editor } = projects;
  const { page } = editor;
  await projects.part("llama", folder, async (check, project) => {
    const first = new First(editor, check, project);
    await project.open();
    first.step("the folder is open");

    await editor.open("fill.comp");
    const offer = page.locator(".notification-toast", { hasText: "needs a macro" });
    check("a message says that macros are missing", await until(() => offer.isVisible()));
    await sees(check, "and nothing is an error", () => editor.problems(), none);
    first.step("a shader is open, and says that its macros are missing");
    await report.shot("project", { width: 760, height: 440 });

    await offer.getByRole("button", { name: "Set up this project" }).click();
    const input = page.locator(".quick-input-widget input[type=text]");
    check("the build command is asked for", await until(() => input.isVisible()));
    await sees(check, "with llama.cpp's generator", () => input.inputValue(), "vulkan-shaders-gen.cpp");
    const proposed = await input.inputValue();
    check("where it stands", proposed.startsWith(`cd '${FOLDER}' && `), proposed);
    // One of its shaders: all 1,566 configurations are captured and checked by a step of their own. And the generator as it is compiled fastest.
    await input.fill(proposed.replace("*.comp", "fill.comp").replace("-O1", "-O0"));
    await input.press("Enter");
    await sees(
      check,
      "the project is set up",
      async () => (await page.locator(".notification-toast").allInnerTexts()).join("\n"),
      "1 shader, 2 configurations, 0 with errors",
    );
    await sees(check, "there are no errors", () => editor.problems(), none);
    first.step("the project is set up");
    await editor.quiet();

    await first.chooses("fill_f16", "fill_f32");
    await first.hovers(SHADER, "data_d[i] =", "data_d", /\bfloat\[\] /);
    first.step("a configuration is chosen, and a hover is right for it");

    await first.runs(RECIPE);
    await first.verifies(RECIPE, FILLED_IN, EXPECTED);
    await report.picture("llama");
  });
}
