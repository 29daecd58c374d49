// "Set up this project": asks which command builds the shaders, when the server is about to run it. Nothing is run in a workspace that is not trusted.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { claims } from "./experimental";

interface Question {
  folder: string;
  command: string;
  because: string | null;
  file: string;
  exists: boolean;
}

interface Agreed {
  command: string;
  trusted: boolean;
  replace: boolean;
}

/** Before the client starts. */
export function answersBuildCommands(client: BaseLanguageClient) {
  claims(client, { askBuildCommand: true });
  client.onRequest("coopmat-analyzer/askBuildCommand", ask);
}

async function ask(question: Question): Promise<Agreed | null> {
  if (!vscode.workspace.isTrusted) {
    const manage = "Manage Workspace Trust";
    const told = "Setting up a project runs its build. Trust the workspace first.";
    void vscode.window.showWarningMessage(told, manage).then((chosen) => {
      if (chosen === manage) void vscode.commands.executeCommand("workbench.trust.manage");
    });
    return null;
  }
  const guessed = question.because ? `The folder has a ${question.because}. ` : "";
  const command = await vscode.window.showInputBox({
    title: "Set up this project: which command compiles its shaders?",
    prompt: `${guessed}Runs in ${question.folder}; {build} stands for a temporary folder.`,
    placeHolder: "make -B shaders",
    value: question.command,
    ignoreFocusOut: true,
  });
  if (!command?.trim()) return null;
  const replace = "Replace";
  if (question.exists) {
    const told = `${question.file} already exists.`;
    const detail = "Setting up the project replaces it.";
    const chosen = await vscode.window.showWarningMessage(told, { modal: true, detail }, replace);
    if (chosen !== replace) return null;
  }
  return { command, trusted: vscode.workspace.isTrusted, replace: question.exists };
}
