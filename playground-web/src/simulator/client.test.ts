import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { FromSimulator, Lists, Source, ToSimulator } from "../workers/simulator-protocol";
import { SimulatorClient } from "./client";

/** What a worker was told, and a way to answer for it. */
class Fake {
  static all: Fake[] = [];
  readonly heard: ToSimulator[] = [];
  onmessage: ((event: { data: FromSimulator }) => void) | undefined;
  onerror: ((event: { message: string; preventDefault(): void }) => void) | undefined;
  constructor() {
    Fake.all.push(this);
  }
  postMessage(message: ToSimulator) {
    this.heard.push(message);
  }
  terminate() {
    this.onmessage = undefined;
  }
  say(data: FromSimulator) {
    this.onmessage?.({ data });
  }
  get asked() {
    return this.heard.flatMap((one) => (one.kind === "ask" ? [one.id] : []));
  }
}

const source: Source = { files: [], shader: "a.comp", recipe: undefined, device: undefined };
const lists: Lists = {
  numerics: [],
  ownerships: [],
  decodes: [],
  devices: [],
  components: [],
  blocks: [],
  layouts: [],
};

function made() {
  const told: string[] = [];
  const client = new SimulatorClient({} as WebAssembly.Module, (words) => told.push(words));
  const ready = vi.fn();
  client.onReady(ready);
  return { client, told, ready };
}

beforeEach(() => {
  Fake.all = [];
  vi.stubGlobal("Worker", Fake);
});
afterEach(() => vi.unstubAllGlobals());

describe("a worker that breaks", () => {
  test("is replaced, and its run ends with words", async () => {
    const { client, told, ready } = made();
    const run = client.run(source, {}, () => {});
    Fake.all[0]?.say({ kind: "ready", lists });
    Fake.all[0]?.say({ kind: "broken", reason: "RuntimeError: memory access" });
    await expect(run).rejects.toThrow("ran out of memory");
    expect(told).toHaveLength(1);
    Fake.all[1]?.say({ kind: "ready", lists });
    // What broke the first one is not asked of the second one by itself.
    expect(ready).toHaveBeenCalledTimes(1);
    const again = client.run(source, {}, () => {});
    Fake.all[1]?.say({ kind: "answer", id: Fake.all[1].asked[0] ?? 0, answer: "done" });
    await expect(again).resolves.toBe("done");
  });

  test("before it had its module is not started over and over", async () => {
    const { client, told } = made();
    const description = client.describe(source, {});
    const run = client.run(source, {}, () => {});
    Fake.all[0]?.say({ kind: "broken", reason: "LinkError: import object" });
    await expect(run).rejects.toThrow("LinkError");
    await expect(description).rejects.toThrow("does not start");
    await expect(client.describe(source, {})).rejects.toThrow("does not start");
    expect(Fake.all).toHaveLength(1);
    expect(told).toHaveLength(1);
    // Who runs tries again.
    const again = client.run(source, {}, () => {});
    Fake.all[1]?.onerror?.({ message: "", preventDefault: () => {} });
    await expect(again).rejects.toThrow("it did not start");
    expect(Fake.all).toHaveLength(2);
  });
});

test("files of another project take the place of all that were there", () => {
  const { client } = made();
  client.put("old.npy", new Uint8Array([1]));
  client.start();
  client.putAll(new Map([["new.npy", new Uint8Array([2])]]));
  const data = Fake.all[0]?.heard.filter(({ kind }) => kind === "data");
  expect(data).toEqual([
    { kind: "data", name: "old.npy", bytes: new Uint8Array([1]) },
    { kind: "data", name: "old.npy" },
    { kind: "data", name: "new.npy", bytes: new Uint8Array([2]) },
  ]);
});
