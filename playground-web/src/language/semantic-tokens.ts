// Colours from the server's semantic tokens, asked for after each edit; until the answer is there the old ones move along.

import { type LSPClient, LSPPlugin } from "@codemirror/lsp-client";
import { RangeSetBuilder, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { debounced } from "./debounce";

export interface Legend {
  tokenTypes: string[];
  tokenModifiers: string[];
}

const set = StateEffect.define<DecorationSet>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(tokens, transaction) {
    tokens = tokens.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(set)) tokens = effect.value;
    return tokens;
  },
  provide: (field) => EditorView.decorations.from(field),
});

/** Five numbers a token: lines and columns since the last one, length, type, modifiers. */
export function decode(data: ArrayLike<number>, legend: Legend, doc: Text): DecorationSet {
  const builder = new RangeSetBuilder<Decoration>();
  const marks = new Map<string, Decoration>();
  let line = 0;
  let column = 0;
  for (let at = 0; at + 4 < data.length; at += 5) {
    const [lines = 0, columns = 0, length = 0, type = 0, modifiers = 0] = Array.from(
      { length: 5 },
      (_, i) => data[at + i],
    );
    line += lines;
    column = lines > 0 ? columns : column + columns;
    if (line >= doc.lines) break;
    const { from, to } = doc.line(line + 1);
    if (from + column + length > to || length === 0) continue;
    const names = legend.tokenModifiers.filter((_, bit) => modifiers & (1 << bit));
    const classes = [`tok-${legend.tokenTypes[type]}`, ...names.map((name) => `tok-${name}`)].join(" ");
    let mark = marks.get(classes);
    if (!mark) {
      mark = Decoration.mark({ class: classes });
      marks.set(classes, mark);
    }
    builder.add(from + column, from + column + length, mark);
  }
  return builder.finish();
}

async function request(client: LSPClient, view: EditorView, uri: string) {
  const legend = client.serverCapabilities?.semanticTokensProvider?.legend;
  if (!legend) return;
  const { doc } = view.state;
  const params = { textDocument: { uri } };
  try {
    const answer = await client.request<typeof params, { data: number[] } | null>(
      "textDocument/semanticTokens/full",
      params,
    );
    if (!answer || view.state.doc !== doc) return;
    view.dispatch({ effects: set.of(decode(answer.data, legend, doc)) });
  } catch {
    // Cancelled by an edit, which asks again.
  }
}

/** For a text of the server's own: colours when they are asked for. */
export const semanticTokensOf = { field, request };

class Tokens {
  private readonly ask = debounced(30, () => {
    const plugin = LSPPlugin.get(this.view);
    if (!plugin) return;
    plugin.client.sync();
    void request(plugin.client, this.view, plugin.uri);
  });
  constructor(private readonly view: EditorView) {
    this.ask();
  }
  update(update: ViewUpdate) {
    if (update.docChanged) this.ask();
  }
  destroy() {
    this.ask.cancel();
  }
}

export const semanticTokens = () => [field, ViewPlugin.fromClass(Tokens)];
