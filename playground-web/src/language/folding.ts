// Folds by the server's ranges: keys everywhere, and marks beside the lines where `marked`.

import { codeFolding, foldGutter, foldKeymap, foldService } from "@codemirror/language";
import { type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import { keymap, type ViewUpdate } from "@codemirror/view";
import type { FoldingRange } from "vscode-languageserver-types";
import { asking } from "./asking";

/** The end of what folds at the line that begins at a place: of the last answer, moved along by edits. */
type Folds = readonly { line: number; from: number; to: number }[];

const set = StateEffect.define<Folds>();

const field = StateField.define<Folds>({
  create: () => [],
  update(folds, transaction) {
    if (transaction.docChanged) {
      const { changes } = transaction;
      folds = folds.map(({ line, from, to }) => ({
        line: changes.mapPos(line),
        from: changes.mapPos(from),
        to: changes.mapPos(to),
      }));
    }
    for (const effect of transaction.effects) if (effect.is(set)) folds = effect.value;
    return folds;
  },
});

/** Lines as a whole: what stays is the first one. */
const foldsOf = (doc: Text, ranges: readonly FoldingRange[]): Folds =>
  ranges
    .filter(({ startLine, endLine }) => startLine < endLine && endLine < doc.lines)
    .map(({ startLine, endLine }) => {
      const { from: line, to: from } = doc.line(startLine + 1);
      return { line, from, to: doc.line(endLine + 1).to };
    });

const service = foldService.of((state, lineStart) => {
  const fold = state.field(field, false)?.find(({ line, from, to }) => line === lineStart && from < to);
  return fold ? { from: fold.from, to: fold.to } : null;
});

const asked = asking<object, FoldingRange[] | null>({
  method: "textDocument/foldingRange",
  delay: 150,
  parameters: (plugin) => ({ textDocument: { uri: plugin.uri } }),
  show(view, answer) {
    view.dispatch({ effects: set.of(foldsOf(view.state.doc, answer ?? [])) });
  },
});

const answered = ({ transactions }: ViewUpdate) =>
  transactions.some(({ effects }) => effects.some((effect) => effect.is(set)));

export const folding = (marked: boolean): Extension => [
  field,
  service,
  asked,
  codeFolding(),
  keymap.of(foldKeymap),
  marked ? foldGutter({ foldingChanged: answered }) : [],
];
