// Files of other languages, whose strings hold GLSL: the server answers for the strings, and whole files stay with the extensions of their own language.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";

/** Languages whose strings the server looks at. */
export const OTHERS = ["c", "cpp", "cuda-cpp", "objective-c", "objective-cpp", "rust"];

/** Words that mark GLSL in strings, as the server knows them. */
const MARKS = /glsl|GLSL|shader!/;

/** Whether there may be something to do in a document. */
function isOurs(document: vscode.TextDocument): boolean {
  if (!OTHERS.includes(document.languageId)) return document.languageId !== "plaintext";
  const enabled = vscode.workspace.getConfiguration("coopmat-analyzer", document).get("embedded.enable");
  return enabled !== false && MARKS.test(document.getText());
}

/** Begins once there is a reason to: VS Code starts the extension for every file of C++ or Rust, most of which have no shader. */
export async function beginWhenWanted(context: vscode.ExtensionContext, begin: () => Promise<void>) {
  const { workspace } = vscode;
  const ofProject = () => workspace.findFiles("**/{coopmat-analyzer.toml,*.run.toml}", undefined, 1);
  const others = workspace.textDocuments.filter((document) => OTHERS.includes(document.languageId));
  if (others.length === 0 || workspace.textDocuments.some(isOurs) || (await ofProject()).length > 0)
    return begin();
  let begun = false;
  const look = (document: vscode.TextDocument) => {
    if (begun || !isOurs(document)) return;
    begun = true;
    for (const one of waiting) one.dispose();
    void begin();
  };
  const waiting = [workspace.onDidOpenTextDocument(look), workspace.onDidSaveTextDocument(look)];
  context.subscriptions.push(...waiting);
}

/** What VS Code asks one extension alone for, or shows above every function: it would take these from the language's own. */
const WHOLE_FILES = [
  "textDocument/formatting",
  "textDocument/rangeFormatting",
  "textDocument/onTypeFormatting",
  "textDocument/semanticTokens",
  "textDocument/codeLens",
];

type Initialize = (capabilities: unknown, selector: vscode.DocumentSelector | undefined) => void;

/** The client's types name each method in an overload of its own. */
function featureOf(client: BaseLanguageClient, method: string) {
  const get = client.getFeature.bind(client) as (method: string) => unknown;
  return get(method) as { initialize?: Initialize } | undefined;
}

/** Registers these for shaders only. */
export function leaveOthersAlone(client: BaseLanguageClient) {
  for (const method of WHOLE_FILES) {
    const feature = featureOf(client, method);
    if (!feature?.initialize) continue;
    const initialize = feature.initialize.bind(feature);
    feature.initialize = (capabilities, selector) => initialize(capabilities, ofShaders(selector));
  }
}

function ofShaders(selector: vscode.DocumentSelector | undefined) {
  if (!Array.isArray(selector)) return selector;
  const isOther = (one: vscode.DocumentFilter | string) =>
    typeof one !== "string" && one.language !== undefined && OTHERS.includes(one.language);
  return selector.filter((one) => !isOther(one));
}
