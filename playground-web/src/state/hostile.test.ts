// Damaged links and archives, from the same seed every time. What comes out is a project that passes every check and comes back as itself,
// or there is an error with words for a person. VITE_FUZZ=100000 tries more of them.

import { checked, LIMITS, type Project } from "@coopmat/shared/project/project";
import { decode, encode } from "@coopmat/shared/project/share";
import { deflateSync, strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import { readEmbed } from "../ui/embed-options";
import { pack, unpack } from "./archive";

const RUNS = Number(import.meta.env.VITE_FUZZ ?? 1000);
const TIME = 60_000 + RUNS * 100;

/** xorshift: numbers below `bound`. */
function generator(seed: number) {
  let state = seed;
  return (bound: number) => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) % bound;
  };
}

type Below = ReturnType<typeof generator>;

const pick = <T>(below: Below, list: readonly T[]): T => list[below(list.length)] as T;

const PROJECT: Project = {
  files: [
    { name: "a.comp", text: "#version 460\nvoid main() {}\n// Größe 😀\n" },
    { name: "lib/b.glsl", text: "" },
    { name: "a.run.toml", text: "dispatch = [1]\n" },
  ],
  active: "lib/b.glsl",
  options: {
    device: "nvidia-h200",
    vim: true,
    optimise: false,
    run: { numerics: "exact", ownership: "plain", decode: "mixed", checked: true },
    data: [{ name: "w.npy", base64: "k/8A" }],
    tabs: ["a.run.toml", "a.comp"],
    choices: [{ shader: "a.comp", configuration: "f16", specialization: "TM=64" }],
  },
};

/** Values that a project does not hold, in the place of those that it does. */
const VALUES: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  "",
  "..",
  "a/../b",
  "\ud800",
  "a\0",
  "C:\\x",
  "__proto__",
  "constructor",
  "x".repeat(201),
  [],
  {},
  [null],
  [[]],
  { __proto__: null, name: "a", text: "b" },
  { length: 5 },
];

/** Exchanges, doubles or takes out something inside of a value. */
function damaged(value: unknown, below: Below): unknown {
  if (below(6) === 0) return pick(below, VALUES);
  if (Array.isArray(value)) {
    if (value.length === 0) return [pick(below, VALUES)];
    const at = below(value.length);
    if (below(5) === 0) return [...value, value[at]];
    if (below(5) === 0) return value.toSpliced(at, 1);
    return value.with(at, damaged(value[at], below));
  }
  if (typeof value === "object" && value !== null) {
    const fields = Object.entries(value);
    if (fields.length === 0) return pick(below, VALUES);
    const [key, inner] = pick(below, fields);
    if (below(8) === 0) return Object.fromEntries(fields.filter(([name]) => name !== key));
    return { ...value, [key]: damaged(inner, below) };
  }
  return pick(below, VALUES);
}

const base64 = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");

/** A link whose project, bytes or letters are damaged. */
function link(below: Below): string {
  const kind = below(4);
  if (kind === 0) {
    let value: unknown = PROJECT;
    for (let times = below(4); times >= 0; times -= 1) value = damaged(value, below);
    return `#p=1${base64(deflateSync(strToU8(JSON.stringify(value) ?? "")))}`;
  }
  if (kind === 1) {
    const bytes = deflateSync(strToU8(JSON.stringify(PROJECT)));
    for (let times = below(4); times >= 0; times -= 1) bytes[below(bytes.length)] = below(256);
    return `#p=1${base64(bytes.subarray(0, below(8) === 0 ? below(bytes.length) : bytes.length))}`;
  }
  if (kind === 2) {
    const bytes = Uint8Array.from({ length: below(200) }, () => below(256));
    return `#p=1${base64(bytes)}`;
  }
  const letters = [...encode(PROJECT)];
  for (let times = below(4); times >= 0; times -= 1)
    letters.splice(below(letters.length), below(3), String.fromCodePoint(below(0x500)));
  return letters.join("");
}

/** Whether an error is told in a sentence rather than in an engine's words. */
const isSentence = (error: unknown) =>
  error instanceof Error &&
  !(error instanceof TypeError) &&
  !(error instanceof RangeError) &&
  error.message !== "";

describe("whatever comes from outside", () => {
  test("a link gives a project that passes every check, or a sentence", { timeout: TIME }, () => {
    const below = generator(20_25);
    let opened = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const hash = link(below);
      let project: Project | undefined;
      try {
        const decoded = decode(hash);
        if (decoded && "files" in decoded) project = decoded;
      } catch (error) {
        expect(isSentence(error), `${hash}: ${error}`).toBe(true);
        continue;
      }
      if (!project) continue;
      opened += 1;
      expect(checked(JSON.parse(JSON.stringify(project)))).toEqual(project);
      expect(decode(encode(project))).toEqual(project);
      expect(project.files.length).toBeLessThanOrEqual(LIMITS.files);
      expect(project.files.some(({ name }) => name === project.active)).toBe(true);
    }
    // Some come through, or the test would show nothing.
    expect(opened).toBeGreaterThan(RUNS / 100);
  });

  test("an archive gives a project that passes every check, or a sentence", { timeout: TIME }, () => {
    const below = generator(7);
    const whole = pack(PROJECT);
    let opened = 0;
    for (let run = 0; run < RUNS; run += 1) {
      const bytes = whole.slice(0, below(10) === 0 ? below(whole.length) : whole.length);
      for (let times = below(4); times > 0 && bytes.length > 0; times -= 1)
        bytes[below(bytes.length)] = below(256);
      let project: Project;
      try {
        ({ project } = unpack(bytes));
      } catch (error) {
        expect(isSentence(error), `${error}`).toBe(true);
        continue;
      }
      opened += 1;
      expect(checked(JSON.parse(JSON.stringify(project)))).toEqual(project);
    }
    expect(opened).toBeGreaterThan(RUNS / 100);
  });

  test("an address asks for a known way to be embedded, or none", () => {
    const below = generator(3);
    const words = [
      "embed",
      "mode",
      "pane",
      "theme",
      "1",
      "0",
      "edit",
      "toString",
      "__proto__",
      "dark",
      "&",
      "=",
      "%",
      "?",
      "é",
    ];
    for (let run = 0; run < RUNS; run += 1) {
      const search = Array.from({ length: below(9) }, () => pick(below, words)).join("");
      const options = readEmbed(search);
      if (!options) continue;
      expect(["edit", "run", "read"]).toContain(options.mode);
      expect(["none", "spirv", "run"]).toContain(options.pane);
      expect(["auto", "light", "dark"]).toContain(options.theme);
    }
  });
});
