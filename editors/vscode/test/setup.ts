// A project that nobody has set up: the message's button, the question for the build command, and the shader without errors afterwards.

import { existsSync } from "node:fs";
import { until } from "./editor.ts";
import type { Projects } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const SHADER = `#version 460
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { TYPE values[]; };
void main() { values[gl_GlobalInvocationID.x] += TYPE(COUNT); }
`;
const GENERATOR = `for n in 2 4; do
  glslc -fshader-stage=compute kernel.comp -o "$1/kernel_$n.spv" -DTYPE=float -DCOUNT=$n || exit 1
done
`;

export async function setup(projects: Projects, report: Report) {
  const { editor } = projects;
  const { page } = editor;
  const files = { "kernel.comp": SHADER, "gen.sh": GENERATOR, Makefile: "all:\n\tsh gen.sh .\n" };
  await projects.part("setup", files, async (check, { open, path, read, write }) => {
    const project = "coopmat-analyzer.toml";
    await open();

    await editor.open("kernel.comp");
    const offer = page.locator(".notification-toast", { hasText: "needs macros" });
    check("a message says that macros are missing", await until(() => offer.isVisible()));
    check("which is one warning", await until(async () => /\b1\b/.test(await editor.problems())));
    await report.picture("setup-offer");
    await offer.getByRole("button", { name: "Set up this project" }).click();
    const input = page.locator(".quick-input-widget input[type=text]");
    check("the build command is asked for", await until(() => input.isVisible()));
    check("with what fits the project", await until(async () => (await input.inputValue()) === "make -B"));
    await input.fill("sh gen.sh {build}");
    await report.picture("setup-command");
    await input.press("Enter");
    check("the project file is written", await until(async () => existsSync(path(project))));
    await sees(
      check,
      "what came of it is told",
      async () => (await page.locator(".notification-toast").allInnerTexts()).join("\n"),
      "1 shader, 2 configurations, 0 with errors",
    );
    const problems = () => editor.problems();
    await sees(check, "the warning is gone", problems, /no problems/i);
    await sees(check, "a configuration is in view", () => editor.statusBar(), "kernel_2");
    await report.picture("setup-done");
    await editor.quiet();

    // What is there is replaced only where the user says so.
    await write(project, `${await read(project)}# Mine.\n`);
    await editor.command("Coopmat: Set Up This Project");
    check("the command asks, too", await until(() => input.isVisible()));
    await input.fill("sh gen.sh {build}");
    await input.press("Enter");
    const dialog = page.locator(".monaco-dialog-box", { hasText: "already exists" });
    check("whether to replace the file is asked", await until(() => dialog.isVisible()));
    await dialog.getByRole("button", { name: "Cancel" }).click();
    check("it can be kept", await until(async () => !(await dialog.isVisible())));
    check("and is", (await read(project)).endsWith("# Mine.\n"));
  });
}
