import type { ToServer } from "@coopmat/shared/workers/protocol";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Connection } from "./connection";

/** What the workers were told. */
const heard: ToServer[] = [];

class Fake {
  onmessage: ((event: { data: unknown }) => void) | undefined;
  onerror: unknown;
  postMessage(message: ToServer) {
    heard.push(message);
    if (message.kind === "start") this.onmessage?.({ data: { kind: "ready" } });
  }
  terminate() {}
}

beforeEach(() => {
  heard.length = 0;
  vi.stubGlobal("Worker", Fake);
});
afterEach(() => {
  vi.unstubAllGlobals();
});

/** The changes of files that the server heard of, as URI and kind. */
function changes(): string[] {
  return heard.flatMap((message) => {
    if (message.kind !== "message") return [];
    const { method, params } = JSON.parse(message.text);
    if (method !== "workspace/didChangeWatchedFiles") return [];
    return params.changes.map(({ uri, type }: { uri: string; type: number }) => `${type} ${uri}`);
  });
}

test("the server hears of files that change once it is spoken to", async () => {
  const connection = new Connection(Promise.resolve({} as WebAssembly.Module), "");
  await connection.ready;
  connection.change([["/playground/a.run.toml", ""]]);
  expect(changes()).toEqual([]);
  connection.transport.send(JSON.stringify({ jsonrpc: "2.0", method: "initialized", params: {} }));
  connection.change([["/playground/coopmat-analyzer.toml", ""]]);
  connection.change([["/playground/coopmat-analyzer.toml", 'like = "glslang"']]);
  connection.change([["/playground/a b.run.toml", ""]]);
  connection.change([], ["/playground/coopmat-analyzer.toml"]);
  expect(changes()).toEqual([
    "1 file:///playground/coopmat-analyzer.toml",
    "2 file:///playground/coopmat-analyzer.toml",
    "1 file:///playground/a%20b.run.toml",
    "3 file:///playground/coopmat-analyzer.toml",
  ]);

  // Another worker reads all of them when it is spoken to.
  heard.length = 0;
  await connection.restart();
  connection.change([["/playground/a.run.toml", "x = 1"]]);
  expect(changes()).toEqual([]);
});
