// A view of ours beside the code: a panel that shows the page of one script and its style, and talks with it.

import * as vscode from "vscode";
import type { Session } from "./extension";
import { nonce } from "./text";
import { VERDICT_COLOURS } from "./verdicts";

export class Beside<ToView, FromView> {
  #panel: vscode.WebviewPanel | undefined;

  /** `script`: the name of the script and the style in `dist`, without an extension. `heard` gets what the view says. */
  constructor(
    readonly script: string,
    readonly id: string,
    readonly title: string,
    readonly heard: (message: FromView) => Promise<void>,
  ) {}

  get isOpen(): boolean {
    return this.#panel !== undefined;
  }

  /** Makes it visible; the code keeps the focus. */
  open({ context }: Session) {
    if (this.#panel) {
      this.#panel.reveal(undefined, true);
      return;
    }
    const dist = vscode.Uri.joinPath(context.extensionUri, "dist");
    const panel = vscode.window.createWebviewPanel(
      this.id,
      this.title,
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [dist], retainContextWhenHidden: true },
    );
    panel.webview.html = this.#page(panel.webview, dist);
    panel.webview.onDidReceiveMessage((message: FromView) => void this.heard(message));
    panel.onDidDispose(() => {
      this.#panel = undefined;
    });
    this.#panel = panel;
  }

  send(message: ToView, title?: string) {
    if (!this.#panel) return;
    if (title !== undefined) this.#panel.title = title;
    void this.#panel.webview.postMessage(message);
  }

  dispose() {
    this.#panel?.dispose();
  }

  #page(webview: vscode.Webview, dist: vscode.Uri): string {
    const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    const word = nonce();
    const policy = `default-src 'none'; script-src 'nonce-${word}'; style-src ${webview.cspSource} 'unsafe-inline'; img-src data: blob:`;
    return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="${policy}">
      <style>${VERDICT_COLOURS}</style><link rel="stylesheet" href="${file(`${this.script}.css`)}"></head>
      <body><main></main><script nonce="${word}" src="${file(`${this.script}.js`)}"></script></body></html>`;
  }
}
