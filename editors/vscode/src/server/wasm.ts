// The WebAssembly server, whatever its worker runs in: the module is compiled once, each start gets a worker of its own.

import * as vscode from "vscode";
import type { MessageTransports } from "vscode-languageclient";
import { feed } from "./files";
import { type Port, transports } from "./transports";

export interface WasmServer {
  connect(): Promise<MessageTransports>;
  dispose(): void;
}

export async function wasmServer(
  context: vscode.ExtensionContext,
  start: () => Port,
  log: (text: string) => void,
): Promise<WasmServer> {
  const file = vscode.Uri.joinPath(context.extensionUri, "dist/coopmat_bg.wasm");
  const bytes = await vscode.workspace.fs.readFile(file);
  const module = await WebAssembly.compile(new Uint8Array(bytes));
  let port: Port | undefined;
  let files: vscode.Disposable | undefined;
  const dispose = () => {
    files?.dispose();
    port?.terminate();
  };
  return {
    connect: async () => {
      dispose();
      port = start();
      const connected = await transports(port, module, log);
      files = await feed(port, log);
      return connected;
    },
    dispose,
  };
}
