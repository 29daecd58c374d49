// What is in view, as a link carries it, and the way back: layout, pane, cursor, the recorded operation, unfolded buffers, the debugger's step. What needs a
// run is run first; nothing is restored into files that somebody has begun to change.

import { EditorView } from "@codemirror/view";
import type { View } from "@coopmat/shared/project/view";
import { offset, position } from "../language/positions";
import type { DebuggerModel } from "../panes/debugger/model";
import type { Editor } from "../panes/editor";
import type { MatricesPane } from "../panes/matrices";
import type { Panes } from "../panes/panes";
import type { RunPane } from "../panes/run/pane";
import { EVEN } from "../state/appearance";
import { showSide, sideInView } from "./sides";
import type { Splitter } from "./splitter";

/** Where one of code and results is in view at a time; layout.css has the same. */
const ONE_AT_A_TIME = "(max-width: 560px)";

export interface Parts {
  editor: Editor;
  panes: Panes;
  splitter: Splitter;
  run: RunPane;
  matrices: MatricesPane;
  debugger: DebuggerModel;
}

export class Views {
  private readonly parts: Parts;
  private asked = 0;

  constructor(parts: Parts) {
    this.parts = parts;
  }

  /** Nothing is said about what is usual: links stay short. */
  take(): View {
    const { editor, panes, splitter, run, matrices, debugger: session } = this.parts;
    const view: View = { pane: panes.inView };
    const { columns, rows } = splitter.layout();
    if (columns !== EVEN.columns) view.columns = columns;
    if (rows !== EVEN.rows) view.rows = rows;
    if (matchMedia(ONE_AT_A_TIME).matches) view.side = sideInView();
    const { doc, selection } = editor.view.state;
    const { line, character } = position(doc, selection.main.head);
    if (line + character > 0) view.cursor = [line, character];
    const { model } = run;
    // A link makes the run of the recipe and the choices, not that of a verdict.
    if (model.ran && !model.stale && !model.ran.shows) {
      view.ran = true;
      const recorded = matrices.state();
      if (recorded) view.matrices = recorded;
      const buffers = run.buffers.state();
      if (buffers.length > 0) view.buffers = buffers;
    }
    const stepped = session.stale ? undefined : session.step();
    if (stepped) view.debugger = stepped;
    return view;
  }

  /** `reads`: nothing is run. What is run waits for `ready`. */
  async restore(view: View, reads: boolean, ready?: Promise<void>) {
    const { editor, panes, splitter, run, matrices, debugger: session } = this.parts;
    const number = ++this.asked;
    splitter.show(view);
    if (view.side) showSide(view.side);
    if (view.pane) panes.show(view.pane);
    if (view.cursor) {
      const [line, character] = view.cursor;
      const { doc } = editor.view.state;
      const anchor = line < doc.lines ? offset(doc, { line, character }) : doc.length;
      editor.view.dispatch({
        selection: { anchor },
        effects: EditorView.scrollIntoView(anchor, { y: "center" }),
      });
    }
    if (reads) return;
    const texts = JSON.stringify(editor.files());
    const wanted = () => number === this.asked && JSON.stringify(editor.files()) === texts;
    if (view.ran || view.debugger) await ready;
    if (!wanted()) return;
    if (view.ran) {
      if (view.matrices) matrices.aim(view.matrices);
      await run.model.runUnasked();
      if (!wanted()) return;
      if (view.matrices) matrices.restore(view.matrices);
      if (view.buffers) run.restore(view.buffers);
    }
    if (view.debugger) await session.restoreStep(view.debugger, wanted);
  }
}
