// Colours for languages that are looked at line by line, without a grammar.

import type { Extension } from "@codemirror/state";
import {
  Decoration,
  type DecorationSet,
  type EditorView,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";

/** `words`: what may have a colour, a global expression. `kind`: its class; `before` is what stands before it in its line. */
export function lineColours(
  words: RegExp,
  kind: (word: string, before: string) => string | undefined,
): Extension {
  const colours = (view: EditorView): DecorationSet => {
    const marks = [];
    for (const { from, to } of view.visibleRanges) {
      for (let at = from; at <= to; ) {
        const line = view.state.doc.lineAt(at);
        for (const match of line.text.matchAll(words)) {
          const start = line.from + match.index;
          const name = kind(match[0], line.text.slice(0, match.index));
          if (name) marks.push(Decoration.mark({ class: name }).range(start, start + match[0].length));
        }
        at = line.to + 1;
      }
    }
    return Decoration.set(marks, true);
  };
  return ViewPlugin.fromClass(
    class {
      decorations: DecorationSet;
      constructor(view: EditorView) {
        this.decorations = colours(view);
      }
      update(update: ViewUpdate) {
        if (update.docChanged || update.viewportChanged) this.decorations = colours(update.view);
      }
    },
    { decorations: (plugin) => plugin.decorations },
  );
}
