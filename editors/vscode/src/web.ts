// The extension in a browser: the WebAssembly server in a worker.

import type * as vscode from "vscode";
import { Uri } from "vscode";
import { LanguageClient, type LanguageClientOptions } from "vscode-languageclient/browser";
import { type Extension, type Started, start } from "./extension";
import type { Port } from "./server/transports";
import { wasmServer } from "./server/wasm";

function worker(context: vscode.ExtensionContext): Port {
  const worker = new Worker(Uri.joinPath(context.extensionUri, "dist/web-worker.js").toString(true));
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
  const wasm = await wasmServer(context, () => worker(context), log);
  const client = new LanguageClient("coopmat-analyzer", "Coopmat Analyzer", wasm.connect, options);
  return { client, kind: "wasm", dispose: wasm.dispose };
}

export const activate = (context: vscode.ExtensionContext): Promise<Extension> => start(context, { connect });

export const deactivate = (): Thenable<void> | undefined => undefined;
