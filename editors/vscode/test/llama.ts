// The first minutes with a project: a bare copy of llama.cpp's folder of shaders, where nobody has said how they are compiled; it ends with a recipe that was run and is met.
// The time of each step is told, and all of them together are limited.

import { existsSync } from "node:fs";
import { none, until } from "./editor.ts";
import type { Projects } from "./projects.ts";
import { type Report, sees } from "./report.ts";

/** In seconds, from the folder that is opened to the recipe that is met. */
const MOST = 90;

const EXPECTED = `
[[expect]]
buffer = "D"
equals.formula = "2.5"
`;

export async function llama(projects: Projects, report: Report, shaders: string) {
  const { editor } = projects;
  const { page } = editor;
  await projects.part("llama", shaders, async (check, { open, path, read, write }) => {
    const begin = Date.now();
    let last = begin;
    const step = (what: string) => {
      const now = Date.now();
      console.log(`        ${((now - last) / 1000).toFixed(1).padStart(5)} s  ${what}`);
      last = now;
    };
    await open();
    step("the folder is open");

    await editor.open("fill.comp");
    const offer = page.locator(".notification-toast", { hasText: "needs a macro" });
    check("a message says that macros are missing", await until(() => offer.isVisible()));
    await sees(check, "and nothing is an error", () => editor.problems(), none);
    step("a shader is open, and says that its macros are missing");
    await report.shot("project", { width: 760, height: 440 });

    await offer.getByRole("button", { name: "Set up this project" }).click();
    const input = page.locator(".quick-input-widget input[type=text]");
    check("the build command is asked for", await until(() => input.isVisible()));
    await sees(check, "with llama.cpp's generator", () => input.inputValue(), "vulkan-shaders-gen.cpp");
    const proposed = await input.inputValue();
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
    step("the project is set up");
    await editor.quiet();

    const item = editor.status(/fill_f(16|32)/).first();
    check("a configuration is in view", await until(() => item.isVisible()), await editor.statusBar());
    await item.click();
    await editor.row("fill_f16").click();
    await sees(check, "another one can be chosen", () => editor.statusBar(), "fill_f16");
    await sees(check, "which has no errors either", () => editor.problems(), none);
    const lines = (await read("fill.comp")).split("\n");
    const line = lines.findIndex((one) => one.includes("data_d[i] ="));
    const hover = page.locator(".monaco-hover:visible");
    const hovered = async () => (await hover.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
    const tells = async () => {
      await editor.goTo(line + 1, (lines[line]?.indexOf("data_d") ?? 0) + 2);
      await editor.command("Show or Focus Hover");
      return until(async () => (await hovered()).includes("float16_t[] "), 5000);
    };
    check("a hover is that of the configuration", await until(tells, 30_000), await hovered());
    await page.keyboard.press("Escape");
    step("a configuration is chosen, and a hover is right for it");

    const recipe = "fill.run.toml";
    await editor.command("Coopmat: Run in the Simulator");
    const creates = () => editor.clickInFrames("main button", "Create recipe");
    check("a recipe is offered", await until(creates, 30_000), await editor.inFrames("main"));
    check("and written", await until(async () => existsSync(path(recipe)), 30_000));
    const summary = () => editor.inFrames("main .summary");
    await sees(check, "it runs", summary, "ran to its end");
    step("a recipe is created and run");

    const written = (await read(recipe))
      .replace("dispatch = [1, 1, 1]", "dispatch = [8, 1, 1]")
      .replace(/^KX = 0$/m, "KX = 4096")
      .replace(/^param1 = 0$/m, "param1 = 2.5");
    await write(recipe, written + EXPECTED);
    // Not before the file's change has been noticed.
    const again = async () =>
      (await editor.clickInFrames("main button", "Run again")) &&
      until(async () => /(is|are) met/.test(await summary()), 3000);
    check("what is expected is met", await until(again, 30_000), await editor.inFrames("main"));
    step("what is expected is verified");
    const seconds = (Date.now() - begin) / 1000;
    check(`all of it took ${seconds.toFixed(0)} s of ${MOST}`, seconds < MOST);
    await report.picture("llama");
  });
}
