// Edits of several files, as the server sends them, into the open tabs.

import type { LSPClient } from "@codemirror/lsp-client";
import type { TextDocumentEdit, TextEdit, WorkspaceEdit } from "vscode-languageserver-types";
import { span } from "./positions";

/** The edits by file, of both forms that the protocol has. */
export function byFile(edit: WorkspaceEdit): Map<string, TextEdit[]> {
  const files = new Map<string, TextEdit[]>(Object.entries(edit.changes ?? {}));
  for (const change of edit.documentChanges ?? []) {
    if (!("textDocument" in change)) continue;
    const { textDocument, edits } = change as TextDocumentEdit;
    files.set(textDocument.uri, [...(files.get(textDocument.uri) ?? []), ...(edits as TextEdit[])]);
  }
  return files;
}

export function apply(client: LSPClient, edit: WorkspaceEdit) {
  for (const [uri, edits] of byFile(edit)) {
    const file = client.workspace.getFile(uri);
    if (!file) continue;
    const doc = file.getView()?.state.doc ?? file.doc;
    const changes = edits.map((one) => ({ ...span(doc, one.range), insert: one.newText }));
    client.workspace.updateFile(uri, { changes, userEvent: "input.fix" });
  }
}
