// The matrices of the debugged frame beside the code: a panel that follows the stop. What matrices hold is the adapter's matter
// (`coopmat/matrices`, `coopmat/matrix`).

import * as vscode from "vscode";
import { Beside } from "../beside";
import { TYPE } from "../debugging";
import type { Session } from "../extension";
import type { FromView, Listed, Matrix, ToView } from "./answer";

const view = new Beside<ToView, FromView>("matrices", "coopmat-matrices", "Matrices", heard);
/** A matrix that somebody asked for by its name. */
let wanted: string | undefined;

export function registerMatrices(
  session: Session,
  command: (name: string, act: (...args: never[]) => unknown) => void,
) {
  // From the menu of a variable, or for all.
  command("showMatrices", (from?: { variable?: { evaluateName?: string } }) => {
    wanted = from?.variable?.evaluateName;
    view.open(session);
    void follow();
  });
  session.context.subscriptions.push(
    vscode.debug.onDidChangeActiveStackItem(() => void follow()),
    vscode.debug.onDidTerminateDebugSession((ended) => {
      if (ended.type === TYPE) void follow();
    }),
    view,
  );
}

/** The frame that is looked at. */
function frame(): vscode.DebugStackFrame | undefined {
  const item = vscode.debug.activeStackItem;
  return item instanceof vscode.DebugStackFrame && item.session.type === TYPE ? item : undefined;
}

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
  if (!view.isOpen) return;
  const listed = await ask<Listed>("coopmat/matrices", {});
  if (listed === undefined) return;
  if (typeof listed === "string") {
    view.send({ kind: "nothing", because: listed });
    return;
  }
  const where = frame()?.session.name ?? "";
  view.send({ kind: "matrices", where, listed, ...(wanted && { choose: wanted }) });
  wanted = undefined;
}

async function heard(message: FromView) {
  if (message.kind === "ready") {
    await follow();
    return;
  }
  const matrix = await ask<Matrix>("coopmat/matrix", { expression: message.name });
  if (typeof matrix === "string") view.send({ kind: "nothing", because: matrix });
  else if (matrix) view.send({ kind: "matrix", matrix });
}
