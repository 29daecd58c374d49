// The project's files as the language client sees them: those in tabs are open at the server, one at a time has the editor, the others lie on its disk.

import { LSPPlugin, Workspace, type WorkspaceFile } from "@codemirror/lsp-client";
import type { ChangeSet, EditorState, Text, TransactionSpec } from "@codemirror/state";
import type { EditorView } from "@codemirror/view";
import { languageOf } from "../recipe/names";

export const ROOT = "file:///playground";

export const uriOf = (name: string) => `${ROOT}/${name.split("/").map(encodeURIComponent).join("/")}`;

export const nameOf = (uri: string) =>
  uri.startsWith(`${ROOT}/`) ? decodeURIComponent(uri.slice(ROOT.length + 1)) : undefined;

class ProjectFile implements WorkspaceFile {
  version = 0;
  view: EditorView | null = null;
  /** Whether the server has been told its text by the protocol. */
  open = false;
  constructor(
    readonly uri: string,
    public doc: Text,
  ) {}
  get languageId() {
    return languageOf(nameOf(this.uri) ?? "");
  }
  getView() {
    return this.view;
  }
}

/** What the workspace asks of the page that holds the tabs. */
export interface Tabs {
  /** Puts the file before the user. */
  show(uri: string): EditorView | null;
  /** The state of a file that is not in view, and a place to put it back. */
  hidden(uri: string): EditorState | undefined;
  change(uri: string, state: EditorState): void;
}

export class PlaygroundWorkspace extends Workspace {
  override files: ProjectFile[] = [];
  tabs: Tabs | undefined;

  override connected() {
    for (const file of this.files) if (file.open) this.client.didOpen(file);
  }

  override disconnected() {}

  override getFile(uri: string): ProjectFile | null {
    return this.files.find((file) => file.uri === uri) ?? null;
  }

  override syncFiles() {
    const updates: { file: ProjectFile; prevDoc: Text; changes: ChangeSet }[] = [];
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

  /** A file of the project, which lies on the server's disk until it is opened. */
  add(uri: string, doc: Text) {
    if (!this.getFile(uri)) this.files.push(new ProjectFile(uri, doc));
  }

  /** A file gets a tab. */
  open(uri: string) {
    const file = this.getFile(uri);
    if (!file || file.open) return;
    file.open = true;
    file.version++;
    if (this.client.connected) this.client.didOpen(file);
  }

  /** A tab is closed, and its file stays. */
  shut(uri: string) {
    const file = this.getFile(uri);
    if (!file?.open) return;
    file.open = false;
    this.client.didClose(uri);
  }

  /** A file is gone for good. */
  drop(uri: string) {
    this.shut(uri);
    this.files = this.files.filter((file) => file.uri !== uri);
  }

  override openFile(uri: string, _languageId: string, view: EditorView) {
    this.add(uri, view.state.doc);
    this.open(uri);
    const file = this.getFile(uri);
    if (file) file.view = view;
  }

  override closeFile(uri: string, view: EditorView) {
    const file = this.getFile(uri);
    if (file?.view === view) {
      // The plugin of the tab that leaves the editor may hold edits that nobody has been told.
      this.client.sync();
      file.view = null;
    }
  }

  override updateFile(uri: string, update: TransactionSpec) {
    const file = this.getFile(uri);
    if (!file) return;
    if (file.view) {
      file.view.dispatch(update);
      return;
    }
    const state = this.tabs?.hidden(uri);
    if (!state) return;
    const next = state.update(update).state;
    file.doc = next.doc;
    this.tabs?.change(uri, next);
    // One that is not open is told as a file.
    if (!file.open) return;
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
