// The header's own controls: Run, which is Stop while something runs, the menu of a narrow page, colours, Vim's keys, and the introduction below.

import { byId } from "@coopmat/shared/element";
import type { Options } from "@coopmat/shared/project/project";
import type { Editor } from "../panes/editor";
import type { RunPane } from "../panes/run/pane";
import { keepIntroduced, keepTheme } from "../state/appearance";
import { icon } from "./icons";

/** Milliseconds for which a run stays a Run button: most runs end sooner, and nobody reads what flickers. */
const SOON = 150;

export function runButton(run: RunPane) {
  const button = byId("run", HTMLButtonElement);
  const { model } = run;
  let stops = false;
  let later: ReturnType<typeof setTimeout> | undefined;
  const show = (on: boolean) => {
    if (stops === on) return;
    stops = on;
    const label = button.querySelector("span");
    if (label) label.textContent = on ? "Stop" : "Run";
    button.title = on ? "Stop the run (Escape)" : "Run the shader (Ctrl+Enter)";
    button.classList.toggle("stops", on);
    button.querySelector("svg")?.replaceWith(icon(on ? "stop" : "run"));
  };
  button.disabled = false;
  button.onclick = () => {
    if (stops) model.stop();
    else void run.run();
  };
  model.onChange(() => {
    if (!model.running) {
      clearTimeout(later);
      later = undefined;
      show(false);
    } else later ??= setTimeout(() => show(model.running), SOON);
  });
  window.addEventListener("keydown", ({ key, defaultPrevented, target }) => {
    if (key !== "Escape" || defaultPrevented || !model.running) return;
    // What Escape closes first; and Vim has uses of its own for it.
    const inEditor = target instanceof Element && target.closest(".cm-editor");
    if (document.querySelector("dialog[open], .cm-tooltip-autocomplete, .cm-search, .action-menu")) return;
    if (inEditor && byId("vim", HTMLButtonElement).getAttribute("aria-pressed") === "true") return;
    model.stop();
  });
}

export function controls(editor: Editor, options: Options, keep: () => void) {
  byId("theme", HTMLButtonElement).onclick = () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    keepTheme(next);
  };
  const vim = byId("vim", HTMLButtonElement);
  const useVim = (on: boolean) => {
    // Nothing is said about what is usual: links stay the same.
    if (on) options.vim = true;
    else delete options.vim;
    vim.setAttribute("aria-pressed", String(on));
    void editor.useVim(on);
  };
  useVim(options.vim ?? false);
  vim.onclick = () => {
    useVim(!options.vim);
    keep();
  };
  const more = byId("more", HTMLElement);
  // Where there is room its entries stand in the header, and it is no menu.
  more.addEventListener("click", () => more.matches(":popover-open") && more.hidePopover());
  byId("introduced", HTMLButtonElement).onclick = () => {
    delete document.documentElement.dataset.introduction;
    keepIntroduced();
    editor.view.focus();
  };
}
