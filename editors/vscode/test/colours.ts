// Texts that have colours of ours can be read: verdicts in the views and matrices in shaders, in the light theme and in the dark one.

import { readFile, writeFile } from "node:fs/promises";
import type { Locator } from "playwright-core";
import { contrast, READABLE } from "./contrast.ts";
import { type Editor, until } from "./editor.ts";
import type { Check, Report } from "./report.ts";

const THEMES = ["Light Modern", "Dark Modern"];

/** The colour of a text, and of the first thing below it that has one. */
function colouring(element: Element): readonly [string, string] {
  const { color } = getComputedStyle(element);
  for (let below: Element | null = element; below; below = below.parentElement) {
    const { backgroundColor } = getComputedStyle(below);
    if (!/^(transparent|rgba\(.*, 0\))$/.test(backgroundColor)) return [color, backgroundColor];
  }
  return [color, getComputedStyle(document.documentElement).getPropertyValue("--vscode-editor-background")];
}

export async function colours(
  editor: Editor,
  report: Report,
  settings: string,
  workspace: string,
  start: (folder: string) => Promise<void>,
) {
  const { page } = editor;
  const choose = async (theme: string | undefined) => {
    const users = JSON.parse(await readFile(settings, "utf8"));
    users["workbench.colorTheme"] = theme;
    await writeFile(settings, JSON.stringify(users));
    await start(workspace);
    const kind = theme?.includes("Dark") ? "vs-dark" : "vs";
    const taken = page.locator(`.monaco-workbench.${kind}`).first();
    if (!(await until(() => taken.isVisible(), 20_000))) throw new Error(`there is no theme ${theme}`);
  };
  /** Views are drawn again when the theme changes: what is gone is looked for once more. */
  const readable = async (check: Check, what: string, find: () => Promise<Locator>) => {
    let seen = ["", ""] as readonly [string, string];
    const painted = async () => {
      seen = await (await find()).evaluate(colouring, undefined, { timeout: 3000 });
      return seen[1].trim() !== "" && contrast(seen[0], seen[1].trim()) >= READABLE;
    };
    check(`${what} can be read`, await until(painted, 20_000), seen.join(" on "));
  };
  /** In the frame of a view. */
  const inView = (selector: string) => async () => {
    for (const frame of page.frames().slice(1)) {
      const one = frame.locator(selector).first();
      if (await one.isVisible().catch(() => false)) return one;
    }
    throw new Error(`not seen: ${selector}`);
  };

  await report.part("colours", ["native"], async (check) => {
    for (const theme of THEMES) {
      await choose(theme);
      await editor.open("gemm.comp");
      await editor.command("Coopmat: Run in the Simulator");
      await readable(check, `${theme}: what is met`, inView("main .summary.met"));
      await readable(check, `${theme}: a row that is met`, inView("main tr.met td"));
      await editor.focus(0);
      await editor.command("Show Which Devices Can Run This Shader");
      await readable(check, `${theme}: what accepts the shader`, inView("main td.accepts"));
      await readable(check, `${theme}: what rejects it`, inView("main td.rejects"));
      const matrix = (name: string) => async () =>
        page.locator(".view-line span > span", { hasText: new RegExp(`^${name}$`) }).first();
      await editor.focus(0);
      await editor.goTo(38);
      for (const name of ["matA", "matB", "matC"]) await readable(check, `${theme}: ${name}`, matrix(name));
      await report.picture(`colours-${theme.includes("Dark") ? "dark" : "light"}`);
      await editor.reset();
    }
    await choose(undefined);
  });
}
