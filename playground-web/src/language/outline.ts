// The outline of the text in view: what it defines, in a list to choose from.

import { LSPPlugin } from "@codemirror/lsp-client";
import { EditorView, keymap } from "@codemirror/view";
import type { DocumentSymbol } from "vscode-languageserver-types";
import { notify } from "../ui/notice";
import { type Item, pick } from "../ui/pick";
import { offset } from "./positions";

/** With those inside it behind it. */
const flat = (
  symbols: readonly DocumentSymbol[],
  within = "",
): { symbol: DocumentSymbol; within: string }[] =>
  symbols.flatMap((symbol) => [{ symbol, within }, ...flat(symbol.children ?? [], symbol.name)]);

async function show(view: EditorView) {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  plugin.client.sync();
  const { doc } = view.state;
  const params = { textDocument: { uri: plugin.uri } };
  const answer = await plugin.client
    .request<typeof params, DocumentSymbol[] | null>("textDocument/documentSymbol", params)
    .catch(() => null);
  const all = flat(answer ?? []);
  if (all.length === 0) {
    notify("Nothing is defined in this text, or it has not been read yet.");
    return;
  }
  const items = all.map(
    ({ symbol, within }, index): Item => ({
      value: String(index),
      label: symbol.name,
      description: [within, symbol.detail ?? "", `line ${symbol.selectionRange.start.line + 1}`]
        .filter(Boolean)
        .join(", "),
    }),
  );
  const chosen = await pick({ title: "Outline", placeholder: "Find a name", items });
  const place = all[Number(chosen)]?.symbol.selectionRange.start;
  // Another text may be in view by now.
  if (chosen === undefined || !place || view.state.doc !== doc) return;
  const anchor = offset(doc, place);
  view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
  view.focus();
}

export const outline = () =>
  keymap.of([
    {
      key: "Mod-Shift-o",
      preventDefault: true,
      run: (view) => {
        void show(view);
        return true;
      },
    },
  ]);
