// Runs the shader in view on the server's simulator, as its recipe says, and shows what came of it.

import * as vscode from "vscode";
import { WorkDoneProgress } from "vscode-languageclient";
import { Beside } from "../beside";
import { programInView, type Session } from "../extension";
import { shownOf } from "../spirv/module";
import { fromServer, toServer } from "../uris";
import type { Answer, FromView, Place, ToView } from "./answer";
import { Heat } from "./heat";

export interface Wanted {
  checked?: boolean;
  strict?: boolean;
  numerics?: string;
  ownership?: string;
  createRecipe?: boolean;
  /** Slower: what conflicts cost is in the answer, too. */
  profile?: boolean;
}

const view = new Beside<ToView, FromView>("results", "coopmat-results", "Run", heard);
let shown: { session: Session; shader: vscode.Uri; answer: Answer; version: number | undefined } | undefined;
let heat: Heat | undefined;
const findings = vscode.languages.createDiagnosticCollection("coopmat-analyzer run");

export function registerRuns(session: Session, command: (name: string, act: () => unknown) => void) {
  command("runChecked", () => runShader(session, undefined, { checked: true }));
  command("showLineCosts", () => showLineCosts(session));
  command("hideLineCosts", () => heat?.hide());
  heat = new Heat();
  session.context.subscriptions.push(findings, heat);
}

const versionOf = (uri: vscode.Uri) =>
  vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString())?.version;

/** Of the last run, if it was one of the text in view, or else of a run with a profile. */
async function showLineCosts(session: Session) {
  const shader = programInView()?.document.uri;
  if (!shader) return;
  const isOfText = () =>
    shown?.shader.toString() === shader.toString() && shown.version === versionOf(shader);
  if (!isOfText()) await runShader(session, shader, { profile: true });
  if (!shown || !isOfText()) return;
  if (!drawLineCosts(shown.answer))
    void vscode.window.showWarningMessage(
      `There is nothing to show beside the lines: ${shown.answer.summary}`,
    );
}

/** False where a run did not get to its end: what it did until then says little. */
function drawLineCosts({ report, lines }: Answer): boolean {
  if (!report || report.error || !lines || lines.length === 0) return false;
  heat?.show(lines, uriOf);
  return true;
}

/** One run, and its answer. */
export async function runShader(session: Session, given: vscode.Uri | undefined, wanted: Wanted) {
  const shader = given ?? programInView()?.document.uri;
  if (!shader) return;
  const parameters = { textDocument: { uri: toServer(shader) }, buffers: true, ...wanted };
  const version = versionOf(shader);
  const answer = await ask(session, nameOf(shader), parameters);
  if (!answer) return;
  if (answer.created) await write(answer.created);
  diagnose(answer);
  shown = { session, shader, answer, version };
  // What is beside the lines is that of the last run.
  if (heat?.isShown && (version !== versionOf(shader) || !drawLineCosts(answer))) heat.hide();
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
  view.open(session);
  send();
}

function send() {
  if (!shown) return;
  const name = nameOf(shown.shader);
  view.send({ kind: "answer", name, answer: shown.answer }, `Run of ${name}`);
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
