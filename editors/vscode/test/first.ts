// The first minutes with a project, whosever shaders it has: a configuration is chosen, a hover is right for it, a recipe is created, run, filled in
// and met. The time of each step is told, and that of all of them beside what it should be: a machine that does other work meanwhile is no failure.

import { existsSync } from "node:fs";
import { type Editor, none, until } from "./editor.ts";
import type { Project } from "./projects.ts";
import { type Check, sees } from "./report.ts";

/** In seconds, from the folder that is opened to the recipe that is met, on a machine that does nothing else. */
const WANTED = 90;

export class First {
  private readonly editor: Editor;
  private readonly check: Check;
  private readonly project: Project;
  private readonly begin = Date.now();
  private last = this.begin;

  constructor(editor: Editor, check: Check, project: Project) {
    this.editor = editor;
    this.check = check;
    this.project = project;
  }

  /** Tells how long it took since the last one. */
  step(what: string) {
    const now = Date.now();
    console.log(`        ${((now - this.last) / 1000).toFixed(1).padStart(5)} s  ${what}`);
    this.last = now;
  }

  /** Chooses one of the configurations, once the status bar has the one that is in view by itself. */
  async chooses(before: string, name: string) {
    const { check, editor } = this;
    const bar = () => editor.statusBar();
    await sees(check, "a configuration is in view", bar, before);
    // The list may be drawn anew while the configurations are read.
    const chosen = async () => {
      await editor.command("Coopmat: Choose the Configuration");
      await editor.pick(name);
      return until(async () => (await bar()).includes(name), 10_000);
    };
    check(`${name} can be chosen`, await until(chosen, 60_000), await bar());
    await sees(check, "it has no errors", () => editor.problems(), none);
  }

  /** Holds a hover over a word of a line of the shader in view. */
  async hovers(shader: string, line: string, word: string, wanted: RegExp) {
    const { check, editor } = this;
    const lines = (await this.project.read(shader)).split("\n");
    const at = lines.findIndex((one) => one.includes(line));
    check(`the shader has a line with ${line}`, at >= 0);
    const hover = editor.page.locator(".monaco-hover:visible");
    const hovered = async () => (await hover.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
    const tells = async () => {
      await editor.goTo(at + 1, (lines[at]?.indexOf(word) ?? 0) + 2);
      await editor.command("Show or Focus Hover");
      return until(async () => wanted.test(await hovered()), 5000);
    };
    check(`a hover over ${word} says ${wanted}`, await until(tells, 60_000), await hovered());
    await editor.page.keyboard.press("Escape");
  }

  /** Runs the shader in view, by a recipe that is created for it. */
  async runs(recipe: string) {
    const { check, editor } = this;
    await editor.command("Coopmat: Run in the Simulator");
    const creates = () => editor.clickInFrames("main button", "Create recipe");
    check("a recipe is offered", await until(creates, 60_000), await editor.inFrames("main"));
    check("and written", await until(async () => existsSync(this.project.path(recipe)), 60_000));
    await sees(check, "it runs", () => this.summary(), "the run has finished");
    this.step("a recipe is created and run");
  }

  /** Fills the recipe in, as its user does: pieces of it and what stands there instead. */
  async verifies(recipe: string, pieces: [from: string, to: string][], expected: string) {
    const { check, editor, project } = this;
    let text = await project.read(recipe);
    for (const [from, to] of pieces) {
      check(`the recipe has ${from}`, text.includes(from), text);
      text = text.replace(from, to);
    }
    await project.write(recipe, text + expected);
    // Not before the file's change has been noticed.
    const again = async () =>
      (await editor.clickInFrames("main button", "Run again")) &&
      until(async () => /(is|are) met/.test(await this.summary()), 3000);
    check("what is expected is met", await until(again, 60_000), await editor.inFrames("main"));
    this.step("what is expected is verified");
    const seconds = (Date.now() - this.begin) / 1000;
    console.log(`        ${seconds.toFixed(1).padStart(5)} s  all of it, of ${WANTED}`);
  }

  private summary(): Promise<string> {
    return this.editor.inFrames("main .summary");
  }
}
