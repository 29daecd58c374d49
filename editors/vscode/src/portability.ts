// On which devices the shader runs: the server's table in a view, with links to what stops it. It follows edits, and what is chosen meanwhile.

import * as vscode from "vscode";
import { type Session, shaderInView } from "./extension";
import { escapeHtml, nonce } from "./text";
import { fromServer, toServer } from "./uris";
import { VERDICT_COLOURS } from "./verdicts";

type Verdict = "accepts" | "unknown" | "rejects-defaults" | "rejects";

interface Stop {
  message: string;
  nearest: string | null;
  path: string;
  place: string;
  range: { start: { line: number; character: number } };
}

interface Row {
  device: string;
  title: string;
  verdict: Verdict;
  stops: Stop[];
  conditions: string[];
  unknown: string[];
  defaults: string[];
}

interface Table {
  summary: string;
  rows: Row[];
}

const VERDICTS: Record<Verdict, string> = {
  accepts: "✓ accepts",
  unknown: "? not known",
  "rejects-defaults": "✗ rejects the defaults",
  rejects: "✗ rejects",
};

/** Stops that a row names before the rest is unfolded. */
const NAMED = 2;

const STYLE = `
  body { padding-bottom: 1em; } h2 { margin-bottom: 0; }
  table { border-collapse: collapse; width: 100%; }
  td, th { text-align: left; vertical-align: top; padding: 5px 14px 5px 0; border-bottom: 1px solid var(--vscode-widget-border, var(--vscode-panel-border)); }
  th { font-weight: 600; color: var(--vscode-descriptionForeground); }
  td:first-child { min-width: 9em; } td:nth-child(2) { white-space: nowrap; } td:last-child { padding-right: 0; }
  p { margin: 0 0 4px; } a { text-decoration: none; } a:hover { text-decoration: underline; }
  .accepts { color: var(--good); } .rejects { color: var(--bad); } .unknown, .rejects-defaults { color: var(--open); }
  .faint { color: var(--vscode-descriptionForeground); } summary { cursor: pointer; }`;

/** Puts in what it is sent, where the view was scrolled to. */
const SCRIPT = `window.addEventListener("message", ({ data }) => { document.querySelector("main").innerHTML = data; });
  acquireVsCodeApi().postMessage("ready");`;

export class Portability implements vscode.Disposable {
  private panel: vscode.WebviewPanel | undefined;
  private shader: vscode.Uri | undefined;
  private shown = "";
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private readonly watching: vscode.Disposable;

  constructor(private readonly session: Session) {
    this.watching = vscode.Disposable.from(
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        // The shader itself, or what it includes.
        if (document.languageId === "glsl") this.later();
      }),
      vscode.workspace.onDidSaveTextDocument(() => this.later()),
    );
  }

  dispose() {
    clearTimeout(this.timer);
    this.watching.dispose();
    this.panel?.dispose();
  }

  async open(shader = shaderInView()?.document.uri) {
    if (!shader) return;
    const table = await this.session.ask<Table>("coopmat-analyzer/portability", {
      textDocument: { uri: toServer(shader) },
    });
    if (!table) return;
    this.shader = shader;
    const panel = this.panel ?? this.make();
    panel.title = `Devices for ${nameOf(shader)}`;
    panel.reveal(undefined, true);
    this.put(table);
  }

  /** Asks again: soon, and once for several edits. */
  later() {
    clearTimeout(this.timer);
    if (this.panel?.visible) this.timer = setTimeout(() => void this.refresh(), 300);
  }

  private make(): vscode.WebviewPanel {
    const panel = vscode.window.createWebviewPanel(
      "coopmat-portability",
      "Devices",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      {
        enableScripts: true,
        enableCommandUris: ["coopmat-analyzer.reveal", "coopmat-analyzer.checkAgainst"],
        localResourceRoots: [],
      },
    );
    const word = nonce();
    panel.webview.html = `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${word}'">
      <style>${VERDICT_COLOURS}${STYLE}</style></head><body><main></main><script nonce="${word}">${SCRIPT}</script></body></html>`;
    // Whenever it is made anew: a view that is out of sight is forgotten.
    panel.webview.onDidReceiveMessage(() => void panel.webview.postMessage(this.shown));
    panel.onDidChangeViewState(() => this.later());
    panel.onDidDispose(() => {
      this.panel = undefined;
      this.shown = "";
    });
    this.panel = panel;
    return panel;
  }

  private async refresh() {
    const { client } = this.session;
    if (!this.panel || !this.shader || !client?.isRunning()) return;
    const number = ++this.asked;
    const parameters = { textDocument: { uri: toServer(this.shader) } };
    try {
      const table = await client.sendRequest<Table>("coopmat-analyzer/portability", parameters);
      if (number === this.asked) this.put(table);
    } catch {
      // The shader was closed, or changed meanwhile: what is shown stays until it is asked for again.
    }
  }

  private put({ summary, rows }: Table) {
    const name = this.shader ? nameOf(this.shader) : "";
    // What every row rests on is said once.
    const named = rows.map(({ defaults }) => [...defaults].sort().join(", "));
    const every = named.find((one) => one !== "");
    const everywhere = every !== undefined && named.every((one) => one === every || one === "");
    const sentence = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.${everywhere ? ` With the defaults of ${every}.` : ""}`;
    const html = `<h2>${escapeHtml(name)}</h2><p>${escapeHtml(sentence)}</p>
      <table><tr><th>Device</th><th>Verdict</th><th>Why</th></tr>${rows.map((row) => tableRow(row, !everywhere)).join("")}</table>`;
    if (html === this.shown) return;
    this.shown = html;
    void this.panel?.webview.postMessage(html);
  }
}

const nameOf = (uri: vscode.Uri) => uri.path.split("/").pop() ?? "";

function tableRow(row: Row, withDefaults: boolean): string {
  const { device, title, verdict, stops, conditions, unknown, defaults } = row;
  const paragraphs = [
    ...stops.slice(0, NAMED).map(stopped),
    ...(stops.length > NAMED
      ? [
          `<details><summary>${stops.length - NAMED} more</summary>${stops.slice(NAMED).map(stopped).join("")}</details>`,
        ]
      : []),
    ...conditions.map((words) => `<p>${escapeHtml(words)}</p>`),
    ...unknown.map((words) => `<p class="faint">Not known: ${escapeHtml(words)}</p>`),
    ...(withDefaults && defaults.length > 0
      ? [`<p class="faint">With the defaults of ${escapeHtml(defaults.join(", "))}.</p>`]
      : []),
  ];
  const choose = command("checkAgainst", [device]);
  return `<tr><td><a href="${choose}" title="Check shaders against this device">${escapeHtml(title)}</a>
    <div class="faint">${escapeHtml(device)}</div></td>
    <td class="${verdict}">${VERDICTS[verdict] ?? escapeHtml(verdict)}</td><td>${paragraphs.join("")}</td></tr>`;
}

function stopped({ message, nearest, path, place, range }: Stop): string {
  const uri = fromServer(vscode.Uri.file(path).toString()).toString();
  const there = command("reveal", [uri, range.start.line, range.start.character]);
  const near = nearest ? ` <span class="faint">Nearest: ${escapeHtml(nearest)}.</span>` : "";
  return `<p><a href="${there}">${escapeHtml(place)}</a> ${escapeHtml(message)}${near}</p>`;
}

const command = (name: string, args: unknown[]) =>
  escapeHtml(`command:coopmat-analyzer.${name}?${encodeURIComponent(JSON.stringify(args))}`);
