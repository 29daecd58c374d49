// Breakpoints beside the lines of the editor, and the line at which the run stands. Each tab keeps its own.

import { type EditorState, type Extension, RangeSet, StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter, keymap } from "@codemirror/view";
import { offset } from "../../language/positions";

/** A breakpoint of a tab: where its line begins. */
export interface Mark {
  at: number;
  condition: string;
  /** Of this one alone. */
  workgroup?: [x: number, y: number, z: number] | undefined;
  subgroup?: number | undefined;
}

/** Where it stops beside its line, in words. */
function limits({ condition, workgroup, subgroup }: Mark): string {
  return [
    ...(workgroup ? [`in workgroup ${workgroup.join(", ")}`] : []),
    ...(subgroup === undefined ? [] : [`in subgroup ${subgroup}`]),
    ...(condition ? [`where ${condition}`] : []),
  ].join(", ");
}

/** The range of the instruction at which the run stands; `caller`: of a frame that waits for another one. */
export interface Here {
  from: { line: number; character: number };
  to: { line: number; character: number };
  caller: boolean;
}

export const setMarks = StateEffect.define<readonly Mark[]>();
const setHere = StateEffect.define<Here | undefined>();

const marks = StateField.define<readonly Mark[]>({
  create: () => [],
  update(value, transaction) {
    let next = value;
    if (transaction.docChanged && next.length > 0) {
      const { doc } = transaction.state;
      const moved = next.map((mark) => ({
        ...mark,
        at: doc.lineAt(transaction.changes.mapPos(mark.at, 1)).from,
      }));
      next = moved.filter((mark, index) => moved.findIndex(({ at }) => at === mark.at) === index);
    }
    for (const effect of transaction.effects) if (effect.is(setMarks)) next = effect.value;
    return next;
  },
});

const here = StateField.define<Here | undefined>({
  create: () => undefined,
  update(value, transaction) {
    let next = transaction.docChanged ? undefined : value;
    for (const effect of transaction.effects) if (effect.is(setHere)) next = effect.value;
    return next;
  },
  provide: (field) =>
    EditorView.decorations.compute([field], (state) => decorations(state, state.field(field))),
});

function decorations(state: EditorState, value: Here | undefined) {
  if (!value) return Decoration.none;
  const [from, to] = [offset(state.doc, value.from), offset(state.doc, value.to)];
  const line = Decoration.line({
    class: value.caller ? "cm-debug-line cm-debug-caller" : "cm-debug-line",
    attributes: { "aria-current": "step" },
  });
  const made = [line.range(state.doc.lineAt(from).from)];
  if (to > from) made.push(Decoration.mark({ class: "cm-debug-range" }).range(from, to));
  return Decoration.set(made, true);
}

class Dot extends GutterMarker {
  /** `limits`: where it stops beside its line. */
  constructor(private readonly limits: string) {
    super();
  }
  override eq(other: Dot) {
    return other.limits === this.limits;
  }
  override toDOM() {
    const dot = document.createElement("span");
    dot.className = this.limits ? "cm-breakpoint conditional" : "cm-breakpoint";
    dot.textContent = this.limits ? "◆" : "●";
    dot.title = this.limits ? `Breakpoint, ${this.limits}` : "Breakpoint (F9)";
    return dot;
  }
}

class Arrow extends GutterMarker {
  override toDOM() {
    const arrow = document.createElement("span");
    arrow.className = "cm-debug-arrow";
    arrow.textContent = "▶";
    arrow.title = "The run stands here";
    return arrow;
  }
}

const ARROW = new Arrow();

export const marksOf = (state: EditorState): readonly Mark[] => state.field(marks, false) ?? [];

export function toggleMark(view: EditorView, at: number) {
  const line = view.state.doc.lineAt(at).from;
  const known = marksOf(view.state);
  const left = known.filter((mark) => mark.at !== line);
  const next = left.length < known.length ? left : [...known, { at: line, condition: "" }];
  view.dispatch({ effects: setMarks.of(next) });
  return true;
}

export function putMarks(view: EditorView, next: readonly Mark[]) {
  view.dispatch({ effects: setMarks.of(next) });
}

export function showHere(view: EditorView, value: Here | undefined) {
  if (value === undefined && view.state.field(here, false) === undefined) return;
  const effects: StateEffect<unknown>[] = [setHere.of(value)];
  if (value)
    effects.push(
      EditorView.scrollIntoView(offset(view.state.doc, value.from), { y: "nearest", yMargin: 60 }),
    );
  view.dispatch({ effects });
}

/** `changed` hears of every change of the breakpoints. */
export function breakpoints(changed: () => void): Extension {
  return [
    marks,
    here,
    gutter({
      class: "cm-breakpoints",
      markers: (view) => {
        const made = marksOf(view.state).map((mark) => new Dot(limits(mark)).range(mark.at));
        const stands = view.state.field(here, false);
        const arrow = stands
          ? [ARROW.range(view.state.doc.lineAt(offset(view.state.doc, stands.from)).from)]
          : [];
        return RangeSet.of<GutterMarker>([...made, ...arrow], true);
      },
      initialSpacer: () => new Dot(""),
      domEventHandlers: { mousedown: (view, line) => toggleMark(view, line.from) },
    }),
    keymap.of([{ key: "F9", run: (view) => toggleMark(view, view.state.selection.main.head) }]),
    EditorView.updateListener.of((update) => {
      if (marksOf(update.startState) !== marksOf(update.state)) changed();
    }),
  ];
}
