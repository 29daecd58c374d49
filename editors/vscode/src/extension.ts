// What the extension does wherever it runs: the language client, and each feature in a file of its own.

import * as vscode from "vscode";
import type { BaseLanguageClient, LanguageClientOptions } from "vscode-languageclient";
import { Choices } from "./choices";
import { registerComparing } from "./compare";
import { registerDebugging, withDebug } from "./debugging";
import { registerMatrices } from "./matrices/panel";
import { registerPlayground } from "./playground";
import { Portability } from "./portability";
import { registerRuns, runShader } from "./run/run";
import { answersBuildCommands } from "./setup";
import { registerModules } from "./spirv/module";
import { Preview } from "./spirv/preview";
import { Perseverance, quiet, Status } from "./status";
import { beginWhenWanted, leaveOthersAlone, OTHERS } from "./strings";
import { registerTests } from "./tests";
import { traceChannel } from "./trace";
import { fromServer, SCHEMES, toServer } from "./uris";

export interface Started {
  client: BaseLanguageClient;
  kind: "native" | "wasm";
  /** The program, where there is one. */
  program?: string;
  dispose(): void;
}

export interface Host {
  connect(
    context: vscode.ExtensionContext,
    options: LanguageClientOptions,
    log: (text: string) => void,
  ): Promise<Started>;
  run?(program: string, args: string[], folder: string): Promise<{ code: number; output: string }>;
  /** The native program, where one is to be used. */
  program?(context: vscode.ExtensionContext): string | undefined;
  /** The address of the extension's own copy of the playground, where the extension can serve one. */
  page?(): Promise<string>;
  /** Whether there is a page at an address. A browser's extension cannot know that of another host. */
  answers?(address: string): Promise<boolean>;
}

/** What other extensions, and tests, may ask for. */
export interface Extension {
  kind(): string;
}

export const SECTION = "coopmat-analyzer";

/** Settings that the extension keeps for itself: the server would call them unknown. */
const OWN_SETTINGS = ["server", "trace", "playground"];

export class Session {
  readonly status = new Status();
  /** What else is to hear of a client before it starts. */
  watching: (client: BaseLanguageClient) => void = () => {};
  private started: Started | undefined;
  /** Counts the starts: what comes of an earlier one than the last is of no interest. */
  private starts = 0;

  constructor(
    readonly context: vscode.ExtensionContext,
    readonly host: Host,
    readonly output: vscode.LogOutputChannel,
  ) {}

  get kind() {
    return this.started?.kind ?? "none";
  }

  get program() {
    return this.started?.program;
  }

  get client() {
    return this.started?.client;
  }

  /** Asks the server; a mistake is told to the user. */
  async ask<T>(method: string, params?: unknown, token?: vscode.CancellationToken): Promise<T | undefined> {
    const { client } = this;
    if (!client) {
      void vscode.window.showWarningMessage(
        "The server is not running: see 'Coopmat: Show the Server's Output'.",
      );
      return undefined;
    }
    try {
      // What is not given is left out: what stands there as undefined would be sent.
      if (params === undefined) return await client.sendRequest<T>(method);
      if (token === undefined) return await client.sendRequest<T>(method, params);
      return await client.sendRequest<T>(method, params, token);
    } catch (error) {
      if (token?.isCancellationRequested) return undefined;
      void vscode.window.showWarningMessage((error as Error).message);
      return undefined;
    }
  }

  /** The same for a view that follows edits: what it cannot have now it gets later, or is not wanted any more. */
  async follow<T>(method: string, params: unknown): Promise<T | undefined> {
    try {
      return await this.client?.sendRequest<T>(method, params);
    } catch (error) {
      this.output.info(`${method}: ${(error as Error).message}`);
      return undefined;
    }
  }

  /** Starts the server, anew where there is one. That it does not start is told in the status bar. */
  async start(options: LanguageClientOptions) {
    const start = ++this.starts;
    const isLast = () => start === this.starts;
    await this.stop();
    if (!isLast()) return;
    let server = "";
    let ran = false;
    const failed = (reason: string) => {
      if (!isLast()) return;
      this.output.error(`${server}${reason}`);
      this.status.failed(`${server}${reason}`);
    };
    try {
      const watched: LanguageClientOptions = {
        ...options,
        errorHandler: new Perseverance(() => ran, failed),
        initializationFailedHandler: () => false,
      };
      const started = await this.host.connect(this.context, watched, (text) => this.output.info(text));
      if (!isLast()) return started.dispose();
      this.started = started;
      quiet(started.client);
      leaveOthersAlone(started.client);
      answersBuildCommands(started.client);
      this.watching(started.client);
      const name = started.program ?? "the WebAssembly server";
      server = `${name} could not be started as a server: `;
      this.status.starting(name);
      await started.client.start();
      ran = true;
      if (!isLast()) return;
      this.status.well();
      this.output.info(`the ${started.kind} server runs`);
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error));
    }
  }

  async stop() {
    this.status.well();
    const { started } = this;
    this.started = undefined;
    if (!started) return;
    await started.client.stop().catch(() => {});
    await started.client.dispose().catch(() => {});
    started.dispose();
  }
}

export async function start(context: vscode.ExtensionContext, host: Host): Promise<Extension> {
  const output = vscode.window.createOutputChannel("Coopmat Analyzer", { log: true });
  const trace = traceChannel(SECTION);
  const session = new Session(context, host, output);
  const portability = new Portability(session);
  const choices = new Choices(session, () => portability.later());
  session.watching = (client) => choices.follow(client);
  const command = (name: string, act: (...args: never[]) => unknown) =>
    context.subscriptions.push(vscode.commands.registerCommand(`${SECTION}.${name}`, act));
  const preview = new Preview(session, command);

  const options: LanguageClientOptions = {
    documentSelector: [
      ...SCHEMES.map((scheme) => ({ language: "glsl", scheme })),
      ...OTHERS.flatMap((language) => SCHEMES.map((scheme) => ({ language, scheme }))),
      ...SCHEMES.map((scheme) => ({ pattern: "**/{coopmat-analyzer.toml,*.run.toml}", scheme })),
      { scheme: "coopmat-spirv" },
    ],
    outputChannel: output,
    traceOutputChannel: trace,
    initializationOptions: () => choices.options(),
    uriConverters: { code2Protocol: toServer, protocol2Code: fromServer },
    middleware: {
      workspace: {
        didChangeConfiguration: async () => {
          const settings = { [SECTION]: withoutOwn(vscode.workspace.getConfiguration(SECTION)) };
          await session.client?.sendNotification("workspace/didChangeConfiguration", { settings });
        },
        configuration: async (params, token, next) => {
          const answer = await next(params, token);
          return Array.isArray(answer) ? answer.map(withoutOwn) : answer;
        },
      },
      provideCodeLenses: async (document, token, next) => withDebug(session, await next(document, token)),
      // The server's commands that the extension carries out in windows of its own.
      executeCommand: async (command, args, next) => {
        const first = args[0] as { uri?: string } | string | undefined;
        const uri = typeof first === "string" ? first : first?.uri;
        switch (command) {
          case "coopmat-analyzer.run":
            return runShader(session, uri ? fromServer(uri) : undefined, {});
          case "coopmat-analyzer.createRecipe":
            return runShader(session, uri ? fromServer(uri) : undefined, { createRecipe: true });
          case "coopmat-analyzer.chooseConfiguration":
            return choices.configuration(uri ? fromServer(uri) : undefined, args[1]);
          case "coopmat-analyzer.chooseSpecialization":
            return choices.specialization(uri ? fromServer(uri) : undefined, args[1]);
          case "coopmat-analyzer.chooseDevice":
            return choices.device(args[0]);
          case "coopmat-analyzer.setUpProject": {
            const place = uri ?? shaderInView()?.document.uri ?? (await someFolder());
            if (place === undefined) return undefined;
            return next(command, place ? [typeof place === "string" ? place : toServer(place)] : []);
          }
          default:
            return next(command, args);
        }
      },
    },
  };

  const restart = async () => {
    await session.start(options);
    await choices.refresh();
  };
  command("restart", restart);
  command("showProblem", () => session.status.tell());
  command("showOutput", () => output.show());
  command("showTrace", async () => {
    const settings = vscode.workspace.getConfiguration(SECTION);
    if (settings.get("trace.server") === "off")
      await settings.update("trace.server", "verbose", vscode.ConfigurationTarget.Global);
    trace.show();
  });
  command("pickConfiguration", () => choices.configuration());
  command("pickSpecialization", () => choices.specialization());
  command("pickDevice", () => choices.device());
  command("checkAgainst", (device: string) => choices.device(device));
  command("portability", () => portability.open());
  command("showPortability", (lens: { uri: string }) => portability.open(fromServer(lens.uri)));
  command("previewSpirv", () => preview.open());
  command("previewSpirvOfFunction", () => preview.openHere());
  command("showSpirv", (lens: { uri: string; function?: string }) =>
    preview.open(fromServer(lens.uri), lens.function),
  );
  command("showReferences", showReferences(session));
  command("reveal", reveal);
  registerComparing(session, choices, command);
  registerRuns(session, command);
  registerPlayground(session, command);
  registerDebugging(session, command);
  registerMatrices(session, command);
  registerTests(session);
  registerModules(session);
  context.subscriptions.push(output, trace, choices, preview, portability, session.status, {
    dispose: () => void session.stop(),
  });
  context.subscriptions.push(
    vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration(`${SECTION}.server`)) void restart();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => void restart()),
  );
  await beginWhenWanted(context, restart);
  return { kind: () => session.kind };
}

function withoutOwn(value: unknown): unknown {
  if (typeof value !== "object" || value === null) return value;
  // A section as VS Code hands it out has methods, too.
  return Object.fromEntries(
    Object.entries(value).filter(([key, one]) => !OWN_SETTINGS.includes(key) && typeof one !== "function"),
  );
}

interface ServerLocation {
  uri: string;
  range: { start: { line: number; character: number }; end: { line: number; character: number } };
}

/** A place in the folder that is meant where no shader says so: the workspace's own, or one of several; `null` where there is none, `undefined` for nothing. */
async function someFolder(): Promise<vscode.Uri | null | undefined> {
  const folders = vscode.workspace.workspaceFolders ?? [];
  if (folders.length < 2) return null;
  const folder = await vscode.window.showWorkspaceFolderPick({
    placeHolder: "Which project should be set up?",
  });
  return folder && vscode.Uri.joinPath(folder.uri, "coopmat-analyzer.toml");
}

/** Where the references lens counts: the editor's own list of places. */
const showReferences =
  (session: Session) =>
  async (uri: string, position: ServerLocation["range"]["start"], counted: ServerLocation[] | null) => {
    const { client } = session;
    if (!client) return;
    const { protocol2CodeConverter: converter } = client;
    // Those that are too many to be counted above a line are looked for now.
    const found =
      counted ??
      (await session.ask<ServerLocation[]>("textDocument/references", {
        textDocument: { uri },
        position,
        context: { includeDeclaration: false },
      }));
    return vscode.commands.executeCommand(
      "editor.action.showReferences",
      fromServer(uri),
      converter.asPosition(position),
      (found ?? []).map((location) => converter.asLocation(location)),
    );
  };

/** Shows a place that a view names. Lines and columns count from 0. */
async function reveal(uri: string, line: number, character: number) {
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(uri));
  const position = new vscode.Position(line, character);
  const column = vscode.window.visibleTextEditors.find((editor) => editor.document === document)?.viewColumn;
  await vscode.window.showTextDocument(document, {
    selection: new vscode.Range(position, position),
    viewColumn: column ?? vscode.ViewColumn.One,
  });
}

/** The shader in view. */
export const shaderInView = () => inView((document) => document.languageId === "glsl");

/** What is in view and can be run: a shader, or a module that is not the preview of one. */
export const programInView = () =>
  inView(
    ({ languageId, uri }) =>
      languageId === "glsl" || (languageId === "spirv" && uri.scheme !== "coopmat-spirv"),
  );

function inView(wanted: (document: vscode.TextDocument) => boolean): vscode.TextEditor | undefined {
  const is = (editor: vscode.TextEditor | undefined) => editor !== undefined && wanted(editor.document);
  const { activeTextEditor, visibleTextEditors } = vscode.window;
  return is(activeTextEditor) ? activeTextEditor : visibleTextEditors.find(is);
}
