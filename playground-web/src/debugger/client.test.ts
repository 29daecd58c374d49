import { afterEach, expect, test, vi } from "vitest";
import type { FromDebugger } from "../workers/debugger-protocol";
import { DebuggerClient } from "./client";

afterEach(() => vi.unstubAllGlobals());

test("a session that broke answers with words, then and later", async () => {
  let hear: (data: FromDebugger) => void = () => {};
  vi.stubGlobal(
    "Worker",
    class {
      set onmessage(listener: (event: { data: FromDebugger }) => void) {
        hear = (data) => listener({ data });
      }
      postMessage() {}
      terminate() {}
    },
  );
  const client = new DebuggerClient({} as WebAssembly.Module);
  await expect(client.go("into", false)).rejects.toThrow("not running");
  const source = { files: [], shader: "a.comp", recipe: undefined, device: undefined };
  const begun = client.begin(source, {}, [], [], true);
  expect(client.alive).toBe(true);
  hear({ kind: "broken", reason: "TypeError: x is not a function" });
  await expect(begun).rejects.toThrow("x is not a function");
  expect(client.alive).toBe(false);
  await expect(client.go("into", false)).rejects.toThrow("x is not a function");
});
