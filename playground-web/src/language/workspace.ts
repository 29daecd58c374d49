// The open files as the language client sees them: every tab stays open at the server, one at a time has the editor.

import { LSPPlugin, Workspace, type WorkspaceFile } from "@codemirror/lsp-client";
import type { ChangeSet, EditorState, Text, TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";

export const ROOT = "file:///playground";

export const uriOf = (name: string) => `${ROOT}/${name.split("/").map(encodeURIComponent).join("/")}`;

export const nameOf = (uri: string) =>
  uri.startsWith(`${ROOT}/`) ? decodeURIComponent(uri.slice(ROOT.length + 1)) : undefined;

class OpenFile implements WorkspaceFile {
  readonly languageId = "glsl";
  version = 0;
  view: EditorView | null = null;
  constructor(
    readonly uri: string,
    public doc: Text,
  ) {}
  getView() {
    return this.view;
  }
}

/** What the workspace asks of the page that holds the tabs. */
export interface Tabs {
  /** Puts the file before the user. */
  show(uri: string): EditorView | null;
  /** The state of a tab that is not in view, and a place to put it back. */
  hidden(uri: string): EditorState | undefined;
  change(uri: string, state: EditorState): void;
}

export class PlaygroundWorkspace extends Workspace {
  override files: OpenFile[] = [];
  tabs: Tabs | undefined;

  override syncFiles() {
    const updates: { file: OpenFile; prevDoc: Text; changes: ChangeSet }[] = [];
    for (const file of this.files) {
      const plugin = file.view && LSPPlugin.get(file.view);
      if (!file.view || !plugin || plugin.unsyncedChanges.empty) continue;
      updates.push({ file, prevDoc: file.doc, changes: plugin.unsyncedChanges });
      file.doc = file.view.state.doc;
      file.version++;
      plugin.clear();
    }
    return updates;
  }

  /** Opens a file that has no editor yet. */
  add(uri: string, doc: Text) {
    if (this.getFile(uri)) return;
    const file = new OpenFile(uri, doc);
    this.files.push(file);
    if (this.client.connected) this.client.didOpen(file);
  }

  /** Closes a tab for good. */
  drop(uri: string) {
    if (!this.getFile(uri)) return;
    this.files = this.files.filter((file) => file.uri !== uri);
    this.client.didClose(uri);
  }

  override openFile(uri: string, _languageId: string, view: EditorView) {
    this.add(uri, view.state.doc);
    const file = this.files.find((file) => file.uri === uri);
    if (file) file.view = view;
  }

  override closeFile(uri: string, view: EditorView) {
    const file = this.files.find((file) => file.uri === uri);
    if (file?.view === view) {
      // The plugin of the tab that leaves the editor may hold edits that nobody has been told.
      this.client.sync();
      file.view = null;
    }
  }

  override updateFile(uri: string, update: TransactionSpec) {
    const file = this.files.find((file) => file.uri === uri);
    if (!file) return;
    if (file.view) {
      file.view.dispatch(update);
      return;
    }
    const state = this.tabs?.hidden(uri);
    if (!state) return;
    const next = state.update(update).state;
    this.tabs?.change(uri, next);
    file.doc = next.doc;
    file.version++;
    this.client.notification("textDocument/didChange", {
      textDocument: { uri, version: file.version },
      contentChanges: [{ text: next.doc.toString() }],
    });
  }

  override displayFile(uri: string) {
    return Promise.resolve(this.tabs?.show(uri) ?? null);
  }
}
