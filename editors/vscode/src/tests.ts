// Recipes in the Test Explorer. Where the server is a program, it runs each recipe under all its modes; otherwise the WebAssembly server
// runs the first mode, and checked mode on request.

import * as vscode from "vscode";
import { debugTest } from "./debugging";
import type { Session } from "./extension";
import type { Answer } from "./run/answer";
import { decode } from "./text";
import { toServer } from "./uris";

const PATTERN = "**/*.run.toml";
const IGNORED = "**/{node_modules,target,.git}/**";
const MOST = 2000;

export function registerTests(session: Session) {
  const controller = vscode.tests.createTestController("coopmat-analyzer", "Shader recipes");
  const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
  const add = (uri: vscode.Uri) => {
    const label = vscode.workspace.asRelativePath(uri).replace(/\.run\.toml$/, "");
    controller.items.add(controller.createTestItem(uri.toString(), label, uri));
  };
  const find = async () => {
    const found = await vscode.workspace.findFiles(PATTERN, IGNORED, MOST);
    controller.items.replace([]);
    found.sort((a, b) => (a.path < b.path ? -1 : 1)).forEach(add);
  };
  watcher.onDidCreate(add);
  watcher.onDidDelete((uri) => controller.items.delete(uri.toString()));
  controller.resolveHandler = find;
  controller.refreshHandler = find;
  const profile = (label: string, checked: boolean) =>
    controller.createRunProfile(
      label,
      vscode.TestRunProfileKind.Run,
      (request, token) => run(session, controller, request, token, checked),
      !checked,
    );
  profile("Run", false);
  profile("Run and report undefined behaviour", true);
  if (session.host.program)
    controller.createRunProfile("Debug", vscode.TestRunProfileKind.Debug, (request, token) =>
      debug(controller, request, token),
    );
  session.context.subscriptions.push(controller, watcher);
  // So that all tests can be run before anybody has looked at them.
  void find();
}

async function run(
  session: Session,
  controller: vscode.TestController,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
  checked: boolean,
) {
  const run = controller.createTestRun(request);
  const wanted = request.include ?? [...controller.items].map(([, item]) => item);
  const items = wanted.filter((item) => !request.exclude?.includes(item));
  for (const item of items) run.enqueued(item);
  for (const item of items) {
    if (token.isCancellationRequested || !item.uri) {
      run.skipped(item);
      continue;
    }
    run.started(item);
    const started = Date.now();
    try {
      const failure =
        session.program && !checked ? await native(session, item.uri) : await ask(session, item.uri, checked);
      if (failure === undefined) run.passed(item, Date.now() - started);
      else {
        run.appendOutput(failure.replaceAll("\n", "\r\n"), undefined, item);
        run.failed(item, new vscode.TestMessage(failure), Date.now() - started);
      }
    } catch (error) {
      run.errored(item, new vscode.TestMessage(String(error)));
    }
  }
  run.end();
}

/** Debugs one recipe after the other. */
async function debug(
  controller: vscode.TestController,
  request: vscode.TestRunRequest,
  token: vscode.CancellationToken,
) {
  const run = controller.createTestRun(request);
  const wanted = request.include ?? [...controller.items].map(([, item]) => item);
  for (const item of wanted.filter((item) => !request.exclude?.includes(item))) {
    if (token.isCancellationRequested || !item.uri) {
      run.skipped(item);
      continue;
    }
    run.started(item);
    const met = await debugTest(item.uri);
    if (met === undefined) run.skipped(item);
    else if (met) run.passed(item);
    else run.failed(item, new vscode.TestMessage("The report is in the debug console."));
  }
  run.end();
}

/** What went wrong, from the program's own run of the recipe. */
async function native(session: Session, recipe: vscode.Uri): Promise<string | undefined> {
  const { program, host } = session;
  if (!program || !host.run) return "there is no native program";
  const folder = recipe.fsPath.replace(/[\\/][^\\/]*$/, "");
  const { code, output } = await host.run(program, ["test", recipe.fsPath], folder);
  return code === 0 ? undefined : output;
}

async function ask(session: Session, recipe: vscode.Uri, checked: boolean): Promise<string | undefined> {
  const { client } = session;
  if (!client) return "the server is not running";
  const shader = await shaderOf(recipe);
  if (!shader) return "there is no shader beside the recipe";
  // Opened, so that the server analyses it.
  await vscode.workspace.openTextDocument(shader);
  const text = decode(await vscode.workspace.fs.readFile(recipe));
  const answer = await client.sendRequest<Answer>("coopmat-analyzer/run", {
    textDocument: { uri: toServer(shader) },
    recipe: text,
    checked,
  });
  return answer.met ? undefined : answer.summary;
}

/** The shader of a recipe's name, or the one that the recipe names. */
async function shaderOf(recipe: vscode.Uri): Promise<vscode.Uri | undefined> {
  const text = decode(await vscode.workspace.fs.readFile(recipe));
  const named = /^shader\s*=\s*"([^"]+)"/m.exec(text)?.[1];
  const stem = recipe.path.replace(/\.run\.toml$/, "");
  const paths = named
    ? [vscode.Uri.joinPath(recipe, "..", named).path]
    : [".comp", ".comp.glsl", ".glsl"].map((extension) => stem + extension);
  for (const path of paths) {
    const uri = recipe.with({ path });
    try {
      await vscode.workspace.fs.stat(uri);
      return uri;
    } catch {
      // The next name.
    }
  }
  return undefined;
}
