// The extension in a browser: the WebAssembly server in a worker.

import * as vscode from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/browser";
import { type Extension, type Started, start } from "./extension";
import type { Port } from "./server/transports";
import { wasmServer } from "./server/wasm";

/** The worker's program. Read by us: where the extension lies on a server, a worker may not be started from its address. */
async function program(context: vscode.ExtensionContext): Promise<string> {
  const file = vscode.Uri.joinPath(context.extensionUri, "dist/web-worker.js");
  const bytes = new Uint8Array(await vscode.workspace.fs.readFile(file));
  return URL.createObjectURL(new Blob([bytes], { type: "text/javascript" }));
}

function worker(program: string): Port {
  const worker = new Worker(program);
  return {
    post: (message) => worker.postMessage(message),
    listen: (heard) => {
      worker.onmessage = ({ data }) => heard(data);
      worker.onerror = (event) =>
        heard({ kind: "broken", reason: event.message || "the worker did not start" });
    },
    terminate: () => worker.terminate(),
  };
}

async function connect(
  context: vscode.ExtensionContext,
  options: LanguageClientOptions,
  log: (text: string) => void,
): Promise<Started> {
  log("starting the WebAssembly server in the browser");
  const script = await program(context);
  const wasm = await wasmServer(context, () => worker(script), log);
  const client = new LanguageClient("coopmat-analyzer", "Coopmat Analyzer", wasm.connect, options);
  const dispose = () => {
    wasm.dispose();
    URL.revokeObjectURL(script);
  };
  return { client, kind: "wasm", dispose };
}

export const activate = (context: vscode.ExtensionContext): Promise<Extension> => start(context, { connect });

export const deactivate = (): Thenable<void> | undefined => undefined;
