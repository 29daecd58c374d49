// Marks ranges of an editor that belong to what is pointed at in another one.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, EditorView } from "@codemirror/view";
import type { Span } from "@coopmat/shared/spirv-map";
import { offset } from "../language/positions";

const set = StateEffect.define<{ from: number; to: number }[]>();
const mark = Decoration.mark({ class: "cm-linked" });

export const linkedRanges = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(set))
        marks = Decoration.set(
          effect.value.map(({ from, to }) => mark.range(from, to)),
          true,
        );
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Marks the spans; `scroll`: brings the last one into view: constants come first, and say less. */
export function showLinked(view: EditorView, spans: readonly Span[], scroll: boolean) {
  const { doc } = view.state;
  const at = (line: number, character: number) => offset(doc, { line, character });
  const ranges = spans
    .map((span) => ({ from: at(span.line, span.character), to: at(span.endLine, span.endCharacter) }))
    .filter(({ from, to }) => from < to);
  const last = Math.max(...ranges.map(({ from }) => from));
  const shown = Number.isFinite(last) && scroll;
  view.dispatch({
    effects: [
      set.of(ranges),
      ...(shown ? [EditorView.scrollIntoView(last, { y: "nearest", yMargin: 60 })] : []),
    ],
  });
}
