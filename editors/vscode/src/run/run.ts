// Runs the shader in view on the server's simulator, as its recipe says, and shows what came of it.

import * as vscode from "vscode";
import { WorkDoneProgress } from "vscode-languageclient";
import { programInView, type Session } from "../extension";
import { shownOf } from "../spirv/module";
import { nonce } from "../text";
import { fromServer, toServer } from "../uris";
import { VERDICT_COLOURS } from "../verdicts";
import type { Answer, FromView, Place, ToView } from "./answer";

export interface Wanted {
  checked?: boolean;
  strict?: boolean;
  numerics?: string;
  ownership?: string;
  createRecipe?: boolean;
}

let panel: vscode.WebviewPanel | undefined;
let shown: { session: Session; shader: vscode.Uri; answer: Answer } | undefined;
const findings = vscode.languages.createDiagnosticCollection("coopmat-analyzer run");

export function registerRuns(session: Session, command: (name: string, act: () => unknown) => void) {
  command("runChecked", () => runShader(session, undefined, { checked: true }));
  session.context.subscriptions.push(findings);
}

/** One run, and its answer. */
export async function runShader(session: Session, given: vscode.Uri | undefined, wanted: Wanted) {
  const shader = given ?? programInView()?.document.uri;
  if (!shader) return;
  const parameters = { textDocument: { uri: toServer(shader) }, buffers: true, ...wanted };
  const answer = await ask(session, nameOf(shader), parameters);
  if (!answer) return;
  if (answer.created) await write(answer.created);
  diagnose(answer);
  shown = { session, shader, answer };
  show(session);
}

/** Writes a recipe that the server made; one that somebody has written meanwhile stays. */
async function write({ uri, text }: NonNullable<Answer["created"]>) {
  const recipe = fromServer(uri);
  const exists = await vscode.workspace.fs.stat(recipe).then(
    () => true,
    () => false,
  );
  if (!exists) await vscode.workspace.fs.writeFile(recipe, new TextEncoder().encode(text));
  const open = "Open";
  const told = vscode.window.showInformationMessage(`The recipe is ${nameOf(recipe)}.`, open);
  void told.then((chosen) => (chosen === open ? vscode.window.showTextDocument(recipe) : undefined));
}

/** A run that takes longer tells how far it is, with a button that stops it. */
const PATIENCE = 1500;
let runs = 0;

async function ask(session: Session, name: string, parameters: object): Promise<Answer | undefined> {
  const stop = new vscode.CancellationTokenSource();
  const workDoneToken = `run-${++runs}`;
  const title = `Running ${name} on the simulator`;
  const answer = session.ask<Answer>("coopmat-analyzer/run", { ...parameters, workDoneToken }, stop.token);
  void vscode.window.withProgress({ location: vscode.ProgressLocation.Window, title }, () => answer);
  const later = setTimeout(() => {
    const location = vscode.ProgressLocation.Notification;
    void vscode.window.withProgress({ location, title, cancellable: true }, async (progress, token) => {
      token.onCancellationRequested(() => stop.cancel());
      let told = 0;
      const heard = session.client?.onProgress(WorkDoneProgress.type, workDoneToken, (far) => {
        if (far.kind !== "report") return;
        const percentage = far.percentage ?? told;
        progress.report({ increment: percentage - told, ...(far.message && { message: far.message }) });
        told = percentage;
      });
      await answer;
      heard?.dispose();
    });
  }, PATIENCE);
  const result = await answer;
  clearTimeout(later);
  stop.dispose();
  return result;
}

const nameOf = (uri: vscode.Uri) => uri.path.split("/").pop() ?? "";
const uriOf = (path: string) => shownOf(fromServer(vscode.Uri.file(path).toString()));

/** Findings of the run beside the lines that they are about, until the next run. */
function diagnose(answer: Answer) {
  findings.clear();
  const told = [...(answer.report?.findings ?? []), ...(answer.report?.error ? [answer.report.error] : [])];
  const byFile = new Map<string, vscode.Diagnostic[]>();
  for (const { message, place } of told) {
    if (!place) continue;
    const start = new vscode.Position(place.line - 1, place.column - 1);
    const finding = new vscode.Diagnostic(
      new vscode.Range(start, start.translate(0, 1)),
      message,
      vscode.DiagnosticSeverity.Warning,
    );
    finding.source = "coopmat-analyzer run";
    byFile.set(place.path, [...(byFile.get(place.path) ?? []), finding]);
  }
  for (const [path, list] of byFile) findings.set(uriOf(path), list);
}

function show(session: Session) {
  if (!panel) {
    const dist = vscode.Uri.joinPath(session.context.extensionUri, "dist");
    panel = vscode.window.createWebviewPanel(
      "coopmat-results",
      "Run",
      { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
      { enableScripts: true, localResourceRoots: [dist], retainContextWhenHidden: true },
    );
    panel.webview.html = page(panel.webview, dist);
    panel.webview.onDidReceiveMessage((message: FromView) => void heard(message));
    panel.onDidDispose(() => {
      panel = undefined;
    });
  } else {
    panel.reveal(undefined, true);
  }
  send();
}

function send() {
  if (!panel || !shown) return;
  const name = nameOf(shown.shader);
  panel.title = `Run of ${name}`;
  const message: ToView = { kind: "answer", name, answer: shown.answer };
  void panel.webview.postMessage(message);
}

async function heard(message: FromView) {
  switch (message.kind) {
    case "ready":
      send();
      break;
    case "run": {
      const { checked, strict, numerics, ownership } = message;
      if (shown)
        await runShader(shown.session, shown.shader, {
          checked,
          strict,
          ...(numerics && { numerics }),
          ...(ownership && { ownership }),
        });
      break;
    }
    case "createRecipe":
      if (shown) await runShader(shown.session, shown.shader, { createRecipe: true });
      break;
    case "reveal":
      await reveal(message.place);
      break;
  }
}

const reveal = (place: Place) =>
  vscode.commands.executeCommand(
    "coopmat-analyzer.reveal",
    uriOf(place.path).toString(),
    place.line - 1,
    place.column - 1,
  );

function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const word = nonce();
  const policy = `default-src 'none'; script-src 'nonce-${word}'; style-src ${webview.cspSource} 'unsafe-inline'; img-src data: blob:`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <style>${VERDICT_COLOURS}</style><link rel="stylesheet" href="${file("results.css")}"></head>
    <body><main></main><script nonce="${word}" src="${file("results.js")}"></script></body></html>`;
}
