// The worker of the language server, and the transport that the client speaks through. It is started while the page's own script is still being read.

import type { Transport } from "@codemirror/lsp-client";
import type { FromServer, ToServer } from "@coopmat/shared/workers/protocol";
import { listen } from "../workers/asked";
import { STOPPED } from "./stopped";

/** Of the protocol: a request that failed for no fault of its own. */
const REQUEST_FAILED = -32803;
/** How a file changed. */
const [CREATED, CHANGED, DELETED] = [1, 2, 3];

export class Connection {
  readonly transport: Transport;
  /** Resolves when the module is in place; fails where the first worker does not come so far. */
  readonly ready: Promise<void>;
  /** Hears of an end that nobody asked for. */
  onEnd: (reason: string) => void = () => {};
  private worker: Worker | undefined;
  private ended: string | undefined;
  /** Whether this worker's server was told `initialized`. */
  private greeted = false;
  private readonly handlers = new Set<(text: string) => void>();
  /** Requests that wait for an answer. */
  private readonly waiting = new Set<number | string>();
  /** What a worker is told before it is asked anything. */
  private readonly files = new Map<string, string>();
  private readonly data = new Map<string, Uint8Array>();

  /** `warmUp`: a shader that the server looks at until it is spoken to. */
  constructor(
    private readonly module: Promise<WebAssembly.Module>,
    warmUp: string,
  ) {
    this.transport = {
      send: (text) => this.send(text),
      subscribe: (handler) => this.handlers.add(handler),
      unsubscribe: (handler) => this.handlers.delete(handler),
    };
    this.ready = this.start(warmUp);
    // Who waits for it hears of it.
    this.ready.catch(() => {});
  }

  /** Files that no editor has open. The server reads project files and recipes anew when it hears of them. */
  change(put: readonly (readonly [path: string, text: string])[], removed: readonly string[] = []) {
    const changes: { uri: string; type: number }[] = [];
    const changed = (path: string, type: number) => {
      const uri = `file://${path.split("/").map(encodeURIComponent).join("/")}`;
      changes.push({ uri, type });
    };
    for (const path of removed) {
      if (!this.files.delete(path)) continue;
      this.post({ kind: "remove", path });
      changed(path, DELETED);
    }
    for (const [path, text] of put) {
      changed(path, this.files.has(path) ? CHANGED : CREATED);
      this.files.set(path, text);
      this.post({ kind: "put", path, text });
    }
    // Before it is spoken to, the server has read nothing that could have changed.
    if (!this.greeted || changes.length === 0) return;
    const text = JSON.stringify({
      jsonrpc: "2.0",
      method: "workspace/didChangeWatchedFiles",
      params: { changes },
    });
    this.post({ kind: "message", text });
  }

  /** A file that is no text, or none any more. */
  putData(path: string, bytes: Uint8Array | undefined) {
    if (bytes) this.data.set(path, bytes);
    else this.data.delete(path);
    this.post(bytes ? { kind: "data", path, bytes } : { kind: "data", path });
  }

  /** Another worker in the place of one that has ended; it knows the files, and has to be spoken to anew. */
  async restart() {
    this.greeted = false;
    await this.start();
    for (const [path, text] of this.files) this.post({ kind: "put", path, text });
    for (const [path, bytes] of this.data) this.post({ kind: "data", path, bytes });
  }

  private post(message: ToServer) {
    this.worker?.postMessage(message);
  }

  private start(warmUp?: string): Promise<void> {
    const worker = new Worker(new URL("@coopmat/shared/workers/server", import.meta.url), {
      type: "module",
      name: "server",
    });
    this.worker = worker;
    this.ended = undefined;
    return new Promise((resolve, reject) => {
      // Both: before the module is in place, somebody waits for it; later, nobody does.
      const end = (reason: string) => {
        if (this.worker !== worker) return;
        this.end(reason);
        reject(new Error(`the language server: ${reason}`));
      };
      const receive = (message: Exclude<FromServer, { kind: "broken" }>) => {
        if (message.kind === "ready") resolve();
        else this.receive(message);
      };
      listen<FromServer>(worker, receive, end);
      this.module.then(
        (module) =>
          worker.postMessage({ kind: "start", module, ...(warmUp && { warmUp }) } satisfies ToServer),
        reject,
      );
    });
  }

  private receive(data: Extract<FromServer, { kind: "message" | "log" }>) {
    if (data.kind === "log") {
      console.info(data.text);
      return;
    }
    const { id, method } = JSON.parse(data.text);
    if (id !== undefined && method === undefined) this.waiting.delete(id);
    this.tell(data.text);
  }

  private tell(text: string) {
    for (const handler of this.handlers) handler(text);
  }

  private send(text: string) {
    const { id, method } = JSON.parse(text);
    if (id !== undefined && method !== undefined) {
      this.waiting.add(id);
      // Whoever asks waits for no answer that cannot come.
      if (this.ended !== undefined) queueMicrotask(() => this.refuse());
    }
    this.post({ kind: "message", text: withoutPull(text) });
    if (method === "initialized") this.greeted = true;
  }

  private end(reason: string) {
    this.worker?.terminate();
    this.worker = undefined;
    this.ended = reason;
    this.refuse();
    this.onEnd(reason);
  }

  /** Answers what nobody else answers any more. */
  private refuse() {
    const ids = [...this.waiting];
    this.waiting.clear();
    const error = { code: REQUEST_FAILED, message: `${STOPPED} (${this.ended})` };
    for (const id of ids) this.tell(JSON.stringify({ jsonrpc: "2.0", id, error }));
  }
}

/** The client says that it can ask for diagnostics, but only ever takes those that the server sends. */
function withoutPull(text: string): string {
  if (!text.includes('"method":"initialize"')) return text;
  const message = JSON.parse(text);
  delete message.params?.capabilities?.textDocument?.diagnostic;
  return JSON.stringify(message);
}
