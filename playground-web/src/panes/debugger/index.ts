// Joins the debugger to the page: breakpoints in the editor, the worker, the pane.

import { DebuggerClient } from "../../debugger/client";
import type { Editor } from "../editor";
import type { Panes } from "../panes";
import type { RunPane } from "../run/pane";
import { breakpoints, marksOf, setMarks } from "./gutter";
import { DebuggerModel } from "./model";
import { DebuggerPane } from "./pane";

/** To be called before the first file is opened, as it adds to the editor; the answer adds the pane. */
export function debugging(
  editor: Editor,
): (module: WebAssembly.Module, run: RunPane, panes: Panes, keep: () => void) => DebuggerModel {
  let model: DebuggerModel | undefined;
  editor.extensions.push(breakpoints(() => queueMicrotask(() => void model?.marked())));
  editor.onMove = (before, name) => editor.apply(name, setMarks.of(marksOf(before)));
  return (module, run, panes, keep) => {
    model = new DebuggerModel(editor, new DebuggerClient(module), run.model);
    model.onMarks = keep;
    const pane = new DebuggerPane(model);
    pane.onStart = () => panes.select(pane.id);
    panes.add(pane);
    return model;
  };
}
