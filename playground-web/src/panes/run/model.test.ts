import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Findings } from "../../language/diagnostics";
import type { SimulatorClient } from "../../simulator/client";
import type { Choices, Ran, Source } from "../../workers/simulator-protocol";
import type { Editor } from "../editor";
import { RunModel } from "./model";

interface Asked<T> {
  choices: Choices;
  answer(answer: T): void;
}

/** A model with a shader, and what it asks of the simulator. */
function made() {
  const texts = new Map([["a.comp", "void main() {}"]]);
  let changed = () => {};
  const editor = {
    shaderName: "a.comp",
    names: () => [...texts.keys()],
    files: () => [...texts].map(([name, text]) => ({ name, text })),
    text: (name: string) => texts.get(name),
    has: (name: string) => texts.has(name),
    chosen: () => ({}),
    onChange: (listener: () => void) => {
      changed = listener;
    },
  };
  const ran: Asked<Ran>[] = [];
  const asks =
    <T>(all: Asked<T>[]) =>
    (_: Source, choices: Choices) =>
      new Promise<T>((answer) => all.push({ choices, answer }));
  const client = {
    onReady() {},
    putAll() {},
    put() {},
    stop() {},
    describe: async () => ({ problems: [], interface: null, recipe: null, plan: null }),
    run: asks(ran),
  };
  const findings = { setRun() {} };
  const model = new RunModel(
    editor as unknown as Editor,
    client as unknown as SimulatorClient,
    findings as unknown as Findings,
    {},
    () => {},
  );
  const type = (text: string) => {
    texts.set("a.comp", text);
    changed();
  };
  /** The next question of a kind, once it was asked. */
  const next = async <T>(all: Asked<T>[]): Promise<Asked<T>> => {
    await Promise.resolve();
    const asked = all.shift();
    if (!asked) throw new Error("nothing was asked");
    return asked;
  };
  return { model, type, look: () => changed(), ran: () => next(ran) };
}

const CHANGES: [string, (all: ReturnType<typeof made>) => unknown][] = [
  ["the text", ({ type }) => type("void main() { }")],
  ["the device", ({ model }) => model.chooseDevice("amd-rdna3")],
  ["a mode", ({ model }) => model.choose({ numerics: "pairwise" })],
  ["a file", ({ model }) => model.keepData("a.npy", new Uint8Array([1]))],
];

describe("a result", () => {
  // Of a window, for pages around this one.
  beforeEach(() => vi.stubGlobal("dispatchEvent", () => true));
  afterEach(() => vi.unstubAllGlobals());

  async function withResult() {
    const all = made();
    const ended = all.model.run();
    (await all.ran()).answer({ report: { findings: [] }, findingPlaces: [], buffers: [] } as unknown as Ran);
    await ended;
    expect(all.model.stale).toBe(false);
    return all;
  }

  test.each(CHANGES)("is old when %s changes afterwards", async (_, change) => {
    const all = await withResult();
    change(all);
    expect(all.model.stale).toBe(true);
    expect(all.model.ran).toBeDefined();
  });

  test("is not old when another tab is in view, or a mode is what it was again", async () => {
    const { model, look } = await withResult();
    look();
    expect(model.stale).toBe(false);
    model.choose({ numerics: "pairwise" });
    model.choose({ numerics: "" });
    expect(model.stale).toBe(false);
  });

  test("is old when a mode changes while it is made", async () => {
    const { model, ran } = made();
    const ended = model.run();
    const asked = await ran();
    model.choose({ numerics: "pairwise" });
    asked.answer({ report: { findings: [] }, findingPlaces: [], buffers: [] } as unknown as Ran);
    await ended;
    expect(model.stale).toBe(true);
  });
});
