// The last line of the page: what is wrong in the file in view, what came of the last run, where the cursor is.

import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { byId } from "@coopmat/shared/element";
import { many } from "@coopmat/shared/views/numbers";
import type { Findings } from "../language/diagnostics";
import { uriOf } from "../language/workspace";
import type { Editor } from "../panes/editor";
import type { RunModel } from "../panes/run/model";
import { outcome } from "../panes/run/report";
import { isSource, isToml } from "../recipe/names";

/** To be called before the first file is opened, as it adds to the editor. */
export function cursorPlace(): Extension {
  return EditorView.updateListener.of(({ state, selectionSet, docChanged }) => {
    if (selectionSet || docChanged) place(state);
  });
}

function place({ doc, selection }: EditorView["state"]) {
  const { head, from, to } = selection.main;
  const line = doc.lineAt(head);
  const selected = to > from ? `, ${many(to - from, "character")} selected` : "";
  byId("position", HTMLElement).textContent =
    `Line ${line.number}, column ${head - line.from + 1}${selected}`;
}

/** `say` writes the line; `show` brings the result of a run into view. */
export function status(
  editor: Editor,
  findings: Findings,
  run: RunModel,
  say: (words: string) => void,
  show: () => void,
) {
  /** Files that the server or the simulator has looked at; of others nobody knows yet that they have no mistakes. */
  const known = new Set<string>();
  const draw = () => {
    const name = editor.activeName;
    place(editor.view.state);
    // The server looks at shaders, the simulator at recipes: it says nothing of one without mistakes. At the source of a module nobody looks.
    if (!isToml(name) && !isSource(name) && !known.has(uriOf(name))) {
      say(`${name}: checking`);
      return;
    }
    const { errors, warnings } = findings.count(uriOf(name));
    say(`${name}: ${many(errors, "error")}, ${many(warnings, "warning")}`);
  };
  let before = "";
  findings.onChange((uri) => {
    known.add(uri);
    if (uri === uriOf(editor.activeName)) draw();
  });
  editor.onChange(() => {
    const names = JSON.stringify([editor.activeName, editor.names()]);
    if (names === before) return;
    before = names;
    draw();
  });
  const result = byId("outcome", HTMLButtonElement);
  result.onclick = show;
  run.onChange(() => {
    const { ran, running, problem, stale } = run;
    result.hidden = running || (!ran && !problem);
    if (!ran) {
      result.textContent = problem ? "The run did not begin" : "";
      result.className = "link bad";
      return;
    }
    const words = outcome(ran.report);
    result.textContent = stale ? `${words} (before the last change)` : words;
    result.className = `link ${stale ? "faint" : ran.report.met ? "good" : "bad"}`;
  });
  return {
    /** Other files have taken the place of those that were known. */
    opened() {
      known.clear();
      draw();
    },
  };
}
