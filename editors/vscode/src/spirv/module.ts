// A module in words (`.spv`) is opened as its text: a document that is only read, in which the server answers as in a file of assembly.

import * as vscode from "vscode";
import type { Session } from "../extension";
import { toServer } from "../uris";

/** Of the documents that are texts of modules. Their paths are those of the files. */
export const SCHEME = "coopmat-module";
const VIEW = "coopmat-analyzer.module";

/** The file whose text a document is, or what the document is itself. */
export const fileOf = (uri: vscode.Uri) => (uri.scheme === SCHEME ? uri.with({ scheme: "file" }) : uri);

/** The document that shows a file. */
export const shownOf = (file: vscode.Uri) =>
  file.scheme === "file" && file.path.endsWith(".spv") ? file.with({ scheme: SCHEME }) : file;

class Modules implements vscode.TextDocumentContentProvider, vscode.CustomReadonlyEditorProvider {
  private readonly changed = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.changed.event;
  private readonly watcher = vscode.workspace.createFileSystemWatcher("**/*.spv");

  constructor(private readonly session: Session) {
    this.watcher.onDidChange((file) => this.changed.fire(shownOf(file)));
  }

  dispose() {
    this.watcher.dispose();
    this.changed.dispose();
  }

  async provideTextDocumentContent(uri: vscode.Uri, token: vscode.CancellationToken): Promise<string> {
    // Where only files of other languages are open, nothing has been started yet.
    if (!this.session.client) await vscode.commands.executeCommand("coopmat-analyzer.restart");
    if (this.session.kind !== "native" || !this.session.client)
      throw new Error("SPIR-V modules are shown by the native server: set coopmat-analyzer.server.path.");
    const params = { textDocument: { uri: toServer(fileOf(uri)) } };
    const method = "coopmat-analyzer/disassembly";
    const answer = await this.session.client.sendRequest<{ text: string }>(method, params, token);
    return answer.text;
  }

  openCustomDocument(uri: vscode.Uri): vscode.CustomDocument {
    return { uri, dispose: () => {} };
  }

  /** The text takes the place of the view, which has none of an editor's abilities. */
  async resolveCustomEditor({ uri }: vscode.CustomDocument, panel: vscode.WebviewPanel): Promise<void> {
    try {
      const document = await vscode.workspace.openTextDocument(uri.with({ scheme: SCHEME }));
      await vscode.window.showTextDocument(document, panel.viewColumn);
      panel.dispose();
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      const escaped = text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
      panel.webview.html = `<!DOCTYPE html><html lang="en"><meta charset="utf-8"><p>${escaped}</p></html>`;
    }
  }
}

export function registerModules(session: Session) {
  const modules = new Modules(session);
  session.context.subscriptions.push(
    modules,
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, modules),
    vscode.window.registerCustomEditorProvider(VIEW, modules),
  );
}
