// On which devices the shader runs: the server's table in a view, with links to what stops it.

import * as vscode from "vscode";
import { type Session, shaderInView } from "./extension";
import { escapeHtml } from "./text";
import { fromServer, toServer } from "./uris";

interface Stop {
  code: string;
  message: string;
  nearest: string | null;
  path: string;
  range: { start: { line: number; character: number } };
}

interface Table {
  summary: string;
  rows: {
    device: string;
    title: string;
    verdict: string;
    stops: Stop[];
    conditions: string[];
    unknown: string[];
  }[];
}

const STYLE = `
  table { border-collapse: collapse; } td, th { text-align: left; vertical-align: top; padding: 4px 12px 4px 0; border-bottom: 1px solid var(--vscode-panel-border); }
  .runs { color: var(--vscode-testing-iconPassed); } .stops { color: var(--vscode-testing-iconFailed); } small { opacity: 0.8; }`;

let panel: vscode.WebviewPanel | undefined;

export async function showPortability(session: Session, shader = shaderInView()?.document.uri) {
  if (!shader) return;
  const table = await session.ask<Table>("coopmat-analyzer/portability", {
    textDocument: { uri: toServer(shader) },
  });
  if (!table) return;
  const name = shader.path.split("/").pop() ?? "";
  panel ??= vscode.window.createWebviewPanel("coopmat-portability", "Devices", vscode.ViewColumn.Beside, {
    enableCommandUris: ["coopmat-analyzer.reveal"],
  });
  panel.onDidDispose(() => {
    panel = undefined;
  });
  panel.title = `Devices for ${name}`;
  panel.webview.html = `<!DOCTYPE html><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'"><style>${STYLE}</style>
    <h2>${escapeHtml(name)}</h2><p>${escapeHtml(table.summary)}</p>
    <table><tr><th>Device</th><th>Verdict</th><th>Why</th></tr>${table.rows.map(row).join("")}</table>`;
}

function row({ device, title, verdict, stops, conditions, unknown }: Table["rows"][number]): string {
  const reasons = [
    ...stops.map(
      (stop) =>
        `<a href="${link(stop)}">${escapeHtml(stop.message)}</a>${stop.nearest ? `<br><small>nearest: ${escapeHtml(stop.nearest)}</small>` : ""}`,
    ),
    ...[...conditions, ...unknown].map(escapeHtml),
  ];
  const kind = stops.length > 0 ? "stops" : "runs";
  return `<tr><td>${escapeHtml(title)}<br><small>${escapeHtml(device)}</small></td><td class="${kind}">${escapeHtml(verdict)}</td><td>${reasons.join("<br>")}</td></tr>`;
}

function link(stop: Stop): string {
  const uri = fromServer(vscode.Uri.file(stop.path).toString()).toString();
  const args = [uri, stop.range.start.line, stop.range.start.character];
  return escapeHtml(`command:coopmat-analyzer.reveal?${encodeURIComponent(JSON.stringify(args))}`);
}
