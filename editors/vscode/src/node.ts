// The extension on a desktop or a remote machine: starts the native program where there is one, the WebAssembly server in a thread otherwise.

import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { Worker } from "node:worker_threads";
import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions, type ServerOptions } from "vscode-languageclient/node";
import { type Extension, type Started, start } from "./extension";
import { answers, pageOf } from "./page";
import type { Port } from "./server/transports";
import { wasmServer } from "./server/wasm";
import { SCHEME } from "./spirv/module";
import { SCHEMES } from "./uris";

const EXECUTABLE = process.platform === "win32" ? "coopmat-analyzer.exe" : "coopmat-analyzer";

/** The program: what the settings name, the one of the package, one on PATH. */
function program(context: vscode.ExtensionContext): string | undefined {
  const settings = vscode.workspace.getConfiguration("coopmat-analyzer");
  const given = settings.get<string>("server.path");
  if (given) return given;
  const folders = [context.asAbsolutePath("server"), ...(process.env.PATH ?? "").split(delimiter)];
  return folders.map((folder) => join(folder, EXECUTABLE)).find((path) => existsSync(path));
}

const kindOf = () =>
  vscode.workspace.getConfiguration("coopmat-analyzer").get<string>("server.kind") ?? "auto";

/** The program, unless the settings want the other server. */
const wanted = (context: vscode.ExtensionContext) => (kindOf() === "wasm" ? undefined : program(context));

function thread(context: vscode.ExtensionContext): Port {
  const worker = new Worker(context.asAbsolutePath("dist/node-worker.js"));
  return {
    post: (message) => worker.postMessage(message),
    listen: (heard) => {
      worker.on("message", heard);
      worker.on("error", (error) => heard({ kind: "broken", reason: String(error) }));
    },
    terminate: () => void worker.terminate(),
  };
}

/** For documents of SPIR-V assembly, too, for which the WebAssembly server has no room. */
function withAssembly(options: LanguageClientOptions): LanguageClientOptions {
  const assembly = [...SCHEMES, SCHEME].map((scheme) => ({ language: "spirv", scheme }));
  const selector = [...(options.documentSelector ?? []), ...assembly];
  return { ...options, documentSelector: selector as NonNullable<LanguageClientOptions["documentSelector"]> };
}

async function connect(
  context: vscode.ExtensionContext,
  options: LanguageClientOptions,
  log: (text: string) => void,
): Promise<Started> {
  const kind = kindOf();
  const path = wanted(context);
  if (kind === "native" && !path)
    throw new Error("no native server was found: set coopmat-analyzer.server.path");
  const make = (server: ServerOptions, options: LanguageClientOptions) =>
    new LanguageClient("coopmat-analyzer", "Coopmat Analyzer", server, options);
  if (path) {
    log(`starting ${path}`);
    const run = { command: path, args: ["lsp"] };
    const client = make({ run, debug: run }, withAssembly(options));
    return { client, kind: "native", program: path, dispose: () => {} };
  }
  log("starting the WebAssembly server");
  const wasm = await wasmServer(context, () => thread(context), log);
  return { client: make(wasm.connect, options), kind: "wasm", dispose: wasm.dispose };
}

/** Runs the program to its end, for the tests of the workspace. */
function run(program: string, args: string[], folder: string): Promise<{ code: number; output: string }> {
  return new Promise((resolve) => {
    execFile(program, args, { cwd: folder, maxBuffer: 16 << 20 }, (error, output, errors) => {
      const code = error ? (typeof error.code === "number" ? error.code : 2) : 0;
      resolve({ code, output: output + errors });
    });
  });
}

export const activate = (context: vscode.ExtensionContext): Promise<Extension> =>
  start(context, { connect, run, program: wanted, answers, page: pageOf(context) });

export const deactivate = (): Thenable<void> | undefined => undefined;
