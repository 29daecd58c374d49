// The WebAssembly server's worker as a connection of the language client. The worker is the page's own; only its messages differ by host.

import type { FromServer, ToServer } from "@coopmat/shared/workers/protocol";
import type { MessageTransports } from "vscode-languageclient";
import {
  AbstractMessageReader,
  AbstractMessageWriter,
  type DataCallback,
  type Disposable,
  type Message,
} from "vscode-languageclient";

/** A worker, whether the browser's or one of Node's. */
export interface Port {
  post(message: ToServer): void;
  listen(heard: (message: FromServer) => void): void;
  terminate(): void;
}

class Reader extends AbstractMessageReader {
  private heard: DataCallback | undefined;
  private readonly early: Message[] = [];

  listen(callback: DataCallback): Disposable {
    this.heard = callback;
    for (const message of this.early.splice(0)) callback(message);
    return { dispose: () => (this.heard = undefined) };
  }

  take(message: Message) {
    if (this.heard) this.heard(message);
    else this.early.push(message);
  }

  broken(reason: string) {
    this.fireError(new Error(reason));
    this.fireClose();
  }
}

class Writer extends AbstractMessageWriter {
  constructor(private readonly port: Port) {
    super();
  }

  async write(message: Message): Promise<void> {
    this.port.post({ kind: "message", text: JSON.stringify(message) });
  }

  end() {}
}

/** Resolves when the module is in place. */
export function transports(
  port: Port,
  module: WebAssembly.Module,
  log: (text: string) => void,
): Promise<MessageTransports> {
  const reader = new Reader();
  const writer = new Writer(port);
  return new Promise((resolve, reject) => {
    port.listen((message) => {
      switch (message.kind) {
        case "ready":
          resolve({ reader, writer });
          break;
        case "message":
          reader.take(JSON.parse(message.text));
          break;
        case "log":
          log(message.text);
          break;
        case "broken":
          log(`the server ended: ${message.reason}`);
          reject(new Error(message.reason));
          reader.broken(message.reason);
          break;
      }
    });
    port.post({ kind: "start", module });
  });
}
