import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Findings } from "../../language/diagnostics";
import { NoAnswer, type SimulatorClient } from "../../simulator/client";
import type {
  Choices,
  Contents,
  OwnershipVerdict,
  Progress,
  Ran,
  Source,
  Verdicts,
} from "../../workers/simulator-protocol";
import type { Editor } from "../editor";
import { RunModel } from "./model";

interface Asked<T> {
  choices: Choices;
  progress(progress: Progress): void;
  answer(answer: T): void;
  refuse(reason: Error): void;
}

/** A model with a shader, and what it asks of the simulator. */
function made() {
  const texts = new Map([["a.comp", "void main() {}"]]);
  let changed = () => {};
  const editor = {
    shaderName: "a.comp",
    names: () => [...texts.keys()],
    textNames: () => [...texts.keys()],
    putSources: () => {},
    files: () => [...texts].map(([name, text]) => ({ name, text })),
    text: (name: string) => texts.get(name),
    has: (name: string) => texts.has(name),
    chosen: () => ({}),
    onChange: (listener: () => void) => {
      changed = listener;
    },
  };
  const judged: Asked<Verdicts>[] = [];
  const ran: Asked<Ran>[] = [];
  const asks =
    <T>(all: Asked<T>[]) =>
    (_: Source, choices: Choices, progress: Asked<T>["progress"]) =>
      new Promise<T>((answer, refuse) => all.push({ choices, progress, answer, refuse }));
  const client = {
    onReady() {},
    putAll() {},
    put() {},
    stop() {},
    describe: async () => ({ problems: [], interface: null, recipe: null, plan: null }),
    verdicts: asks(judged),
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
  return { model, type, look: () => changed(), judged: () => next(judged), ran: () => next(ran) };
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

const row = (ownership: string, more: Partial<OwnershipVerdict> = {}): OwnershipVerdict => ({
  ownership,
  subgroupSize: 32,
  verdict: "met",
  words: "met",
  reasons: [],
  ...more,
});
const two: Verdicts = { rows: [row("plain"), row("shuffled")], all: 2, notes: [] };
const one: Verdicts = { rows: [row("plain")], all: 2, notes: [] };
const progress = (verdicts: Verdicts): Progress => ({ done: 1, all: 2, steps: 0, verdicts });

describe("verdicts", () => {
  test("are there as they come, and are of the choices of the page", async () => {
    const { model, judged } = made();
    model.choose({ numerics: "pairwise" });
    const ended = model.judge();
    const asked = await judged();
    expect(asked.choices).toEqual({ numerics: "pairwise" });
    asked.progress(progress(one));
    expect(model.verdicts).toBe(one);
    asked.answer(two);
    await ended;
    expect(model.verdicts).toBe(two);
    expect(model.verdictsStale).toBe(false);
    expect(model.running).toBe(false);
  });

  test("are old when the text changes meanwhile", async () => {
    const { model, judged, type } = made();
    const ended = model.judge();
    const asked = await judged();
    type("void main() { }");
    asked.answer(two);
    await ended;
    expect(model.verdictsStale).toBe(true);
  });

  test.each(CHANGES)("are old when %s changes afterwards", async (_, change) => {
    const all = made();
    const ended = all.model.judge();
    (await all.judged()).answer(two);
    await ended;
    change(all);
    expect(all.model.verdictsStale).toBe(true);
    expect(all.model.verdicts).toBe(two);
  });

  test("are not old when another tab is in view, or a mode is what it was again", async () => {
    const { model, judged, look } = made();
    const ended = model.judge();
    (await judged()).answer(two);
    await ended;
    look();
    expect(model.verdictsStale).toBe(false);
    model.choose({ numerics: "pairwise" });
    model.choose({ numerics: "" });
    expect(model.verdictsStale).toBe(false);
  });

  test("so far stay when the worker is stopped for good", async () => {
    const { model, judged } = made();
    const ended = model.judge();
    const asked = await judged();
    asked.progress(progress(one));
    model.stop();
    asked.refuse(new NoAnswer({ message: "The run was stopped." }));
    await ended;
    expect(model.verdicts).toBe(one);
    expect(model.problem).toBeUndefined();
  });

  test("so far stay when the worker breaks, with the reason", async () => {
    const { model, judged } = made();
    const ended = model.judge();
    const asked = await judged();
    asked.progress(progress(one));
    asked.refuse(new NoAnswer({ message: "The simulator broke off." }));
    await ended;
    expect(model.verdicts).toBe(one);
    expect(model.problem?.message).toBe("The simulator broke off.");
  });

  test("are not there where nothing can be run", async () => {
    const { model, judged } = made();
    const ended = model.judge();
    (await judged()).refuse(new NoAnswer({ message: "the shader does not compile" }));
    await ended;
    expect(model.verdicts).toBeUndefined();
    expect(model.problem?.message).toBe("the shader does not compile");
  });
});

describe("the run of a verdict", () => {
  // Of a window, for pages around this one.
  beforeEach(() => vi.stubGlobal("dispatchEvent", () => true));
  afterEach(() => vi.unstubAllGlobals());

  const contents = (...bytes: number[]) =>
    ({ info: { name: "b" }, values: Float64Array.from(bytes), bytes: Uint8Array.from(bytes) }) as Contents;
  const answer = (contents: Contents) =>
    ({
      report: { findings: [], expectations: [] },
      findingPlaces: [],
      buffers: [contents],
    }) as unknown as Ran;

  test("has the modes of the verdict, once", async () => {
    const { model, ran } = made();
    model.choose({ numerics: "pairwise", ownership: "plain", checked: true });
    const ended = model.run(row("shuffled", { verdict: "wrong", subgroupSize: 64 }));
    const asked = await ran();
    expect(JSON.parse(JSON.stringify(asked.choices))).toEqual({
      numerics: "pairwise",
      ownership: "shuffled",
      subgroupSize: 64,
      unchecked: true,
    });
    asked.answer(answer(contents(1, 2)));
    expect((await ended)?.shows?.ownership).toBe("shuffled");
    void model.run();
    expect((await ran()).choices).toEqual({ numerics: "pairwise", ownership: "plain", checked: true });
  });

  test("that depends shows what the other ownership left, where that differs", async () => {
    const { model, ran } = made();
    const ended = model.run(row("shuffled", { verdict: "depends", comparedWith: "plain" }));
    (await ran()).answer(answer(contents(1, 2)));
    await new Promise((wake) => setTimeout(wake));
    const other = await ran();
    expect(other.choices.ownership).toBe("plain");
    other.answer(answer(contents(1, 3)));
    const [shown] = (await ended)?.buffers ?? [];
    expect(shown?.against).toBe("plain");
    expect(shown?.expected).toEqual(Float64Array.of(1, 3));
    // No tolerance of the recipe's: these are not its expectations.
    expect(model.judged("b")).toBeUndefined();
  });

  test("that depends compares nothing with a run that was stopped", async () => {
    const { model, ran } = made();
    const ended = model.run(row("shuffled", { verdict: "depends", comparedWith: "plain" }));
    const asked = await ran();
    model.stop();
    asked.answer(answer(contents(1, 2)));
    const [shown] = (await ended)?.buffers ?? [];
    expect(shown).toEqual(contents(1, 2));
    await expect(ran()).rejects.toThrow("nothing was asked");
  });
});
