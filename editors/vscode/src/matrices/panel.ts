// The matrices of the debugged frame beside the code: a panel that follows the stop. What matrices hold is the adapter's matter
// (`coopmat/matrices`, `coopmat/matrix`).

import * as vscode from "vscode";
import { TYPE } from "../debugging";
import type { Session } from "../extension";
import { nonce } from "../text";
import { VERDICT_COLOURS } from "../verdicts";
import type { FromView, Listed, Matrix, ToView } from "./answer";

let panel: vscode.WebviewPanel | undefined;
/** A matrix that somebody asked for by its name. */
let wanted: string | undefined;

export function registerMatrices(
  session: Session,
  command: (name: string, act: (...args: never[]) => unknown) => void,
) {
  // From the menu of a variable, or for all.
  command("showMatrices", (from?: { variable?: { evaluateName?: string } }) => {
    wanted = from?.variable?.evaluateName;
    open(session);
    void follow();
  });
  session.context.subscriptions.push(
    vscode.debug.onDidChangeActiveStackItem(() => void follow()),
    vscode.debug.onDidTerminateDebugSession((ended) => {
      if (ended.type === TYPE) void follow();
    }),
    { dispose: () => panel?.dispose() },
  );
}

/** The frame that is looked at. */
function frame(): vscode.DebugStackFrame | undefined {
  const item = vscode.debug.activeStackItem;
  return item instanceof vscode.DebugStackFrame && item.session.type === TYPE ? item : undefined;
}

const send = (message: ToView) => panel?.webview.postMessage(message);

/** Answers are in order, and only the last question counts. */
let asked = 0;

async function ask<T>(request: string, parameters: object): Promise<T | string | undefined> {
  const [at, number] = [frame(), ++asked];
  if (!at) return "The run goes on, or there is none.";
  try {
    const answer = await at.session.customRequest(request, { frameId: at.frameId, ...parameters });
    return number === asked ? (answer as T) : undefined;
  } catch (error) {
    return number === asked ? (error instanceof Error ? error.message : String(error)) : undefined;
  }
}

async function follow() {
  if (!panel) return;
  const listed = await ask<Listed>("coopmat/matrices", {});
  if (listed === undefined) return;
  if (typeof listed === "string") {
    send({ kind: "nothing", because: listed });
    return;
  }
  const where = frame()?.session.name ?? "";
  send({ kind: "matrices", where, listed, ...(wanted && { choose: wanted }) });
  wanted = undefined;
}

async function heard(message: FromView) {
  if (message.kind === "ready") {
    await follow();
    return;
  }
  const matrix = await ask<Matrix>("coopmat/matrix", { expression: message.name });
  if (typeof matrix === "string") send({ kind: "nothing", because: matrix });
  else if (matrix) send({ kind: "matrix", matrix });
}

function open(session: Session) {
  if (panel) {
    panel.reveal(undefined, true);
    return;
  }
  const dist = vscode.Uri.joinPath(session.context.extensionUri, "dist");
  panel = vscode.window.createWebviewPanel(
    "coopmat-matrices",
    "Matrices",
    { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true },
    { enableScripts: true, localResourceRoots: [dist], retainContextWhenHidden: true },
  );
  panel.webview.html = page(panel.webview, dist);
  panel.webview.onDidReceiveMessage((message: FromView) => void heard(message));
  panel.onDidDispose(() => {
    panel = undefined;
  });
}

function page(webview: vscode.Webview, dist: vscode.Uri): string {
  const file = (name: string) => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
  const word = nonce();
  const policy = `default-src 'none'; script-src 'nonce-${word}'; style-src ${webview.cspSource} 'unsafe-inline'; img-src data: blob:`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
    <meta http-equiv="Content-Security-Policy" content="${policy}">
    <style>${VERDICT_COLOURS}</style><link rel="stylesheet" href="${file("matrices.css")}"></head>
    <body><main></main><script nonce="${word}" src="${file("matrices.js")}"></script></body></html>`;
}
