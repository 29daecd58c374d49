// The worker of the language server, and the transport that the client speaks through.

import type { Transport } from "@codemirror/lsp-client";
import type { FromServer, ToServer } from "../workers/protocol";

export interface Connection {
  transport: Transport;
  put(path: string, text: string): void;
  remove(path: string): void;
  stop(): void;
}

/** Starts the worker; resolves when the module is in place. `broken` hears of an end that nobody asked for. */
export function connect(module: WebAssembly.Module, broken: (reason: string) => void): Promise<Connection> {
  const worker = new Worker(new URL("../workers/server.ts", import.meta.url), {
    type: "module",
    name: "server",
  });
  const handlers = new Set<(text: string) => void>();
  const post = (message: ToServer) => worker.postMessage(message);
  const connection: Connection = {
    transport: {
      send: (text) => post({ kind: "message", text: withoutPull(text) }),
      subscribe: (handler) => handlers.add(handler),
      unsubscribe: (handler) => handlers.delete(handler),
    },
    put: (path, text) => post({ kind: "put", path, text }),
    remove: (path) => post({ kind: "remove", path }),
    stop: () => worker.terminate(),
  };
  return new Promise((resolve, reject) => {
    // Both: before the module is in place, somebody waits for it; later, nobody does.
    const end = (reason: string) => {
      worker.terminate();
      reject(new Error(`the language server: ${reason}`));
      broken(reason);
    };
    worker.onerror = (event) => {
      // It is told here, and not by the page once more.
      event.preventDefault();
      end(event.message || "its worker did not start");
    };
    worker.onmessageerror = () => end("its answer could not be read");
    worker.onmessage = ({ data }: MessageEvent<FromServer>) => {
      switch (data.kind) {
        case "ready":
          resolve(connection);
          break;
        case "message":
          for (const handler of handlers) handler(data.text);
          break;
        case "log":
          console.info(data.text);
          break;
        case "broken":
          end(data.reason);
          break;
      }
    };
    post({ kind: "start", module });
  });
}

/** The client says that it can ask for diagnostics, but only ever takes those that the server sends. */
function withoutPull(text: string): string {
  if (!text.includes('"method":"initialize"')) return text;
  const message = JSON.parse(text);
  delete message.params?.capabilities?.textDocument?.diagnostic;
  return JSON.stringify(message);
}
