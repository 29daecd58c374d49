// Links come from strangers: whatever stands behind the `#`, reading it answers with a project that is within its limits, with nothing, or with words.

import { isName, LIMITS, type Project, type Reference } from "@coopmat/shared/project/project";
import { decode, encode } from "@coopmat/shared/project/share";
import { deflateSync, strToU8 } from "fflate";
import { describe, expect, test } from "vitest";
import { unpack } from "./archive";

/** Numbers that look random and are the same in every run: mulberry32. */
function random(seed: number) {
  let state = seed;
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const bytes = (length: number) => Uint8Array.from({ length }, () => below(256));
  return { below, bytes, pick: <T>(from: readonly T[]) => from[below(from.length)] as T };
}

type Random = ReturnType<typeof random>;

const base64 = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_");

const TEXTS = [
  "",
  "a.comp",
  "../a",
  "a/b",
  "é\ud800",
  "\0",
  "void main() {}",
  "__proto__",
  "1e999",
  "k/8A",
  "=".repeat(5),
];

/** JSON of any form, with the names that a project has. */
function value(of: Random, depth: number): unknown {
  const leaf = () =>
    of.pick<unknown>([null, true, -1, 0.5, 2 ** 40, of.pick(TEXTS), of.pick(TEXTS).repeat(of.below(60))]);
  if (depth === 0) return leaf();
  const kind = of.below(3);
  if (kind === 0) return leaf();
  if (kind === 1) return Array.from({ length: of.below(5) }, () => value(of, depth - 1));
  const names =
    "files name text active options data base64 run device vim breakpoints line file subgroup workgroup condition".split(
      " ",
    );
  return Object.fromEntries(
    Array.from({ length: of.below(6) }, () => [of.pick(names), value(of, depth - 1)]),
  );
}

const own: Project = {
  files: [
    { name: "a.comp", text: "#version 460\nvoid main() {}\n" },
    { name: "lib/b.glsl", text: "// Größe\n" },
  ],
  active: "a.comp",
  options: {
    run: { checked: true },
    data: [{ name: "x.npy", base64: "k/8A" }],
    breakpoints: [{ file: "a.comp", line: 1 }],
  },
};

/** A project with parts of it put out of shape. */
function bent(of: Random): unknown {
  const copy = structuredClone(own) as unknown as Record<string, unknown>;
  for (let times = 0; times <= of.below(3); times++) {
    let at: Record<string, unknown> = copy;
    for (;;) {
      const keys = Object.keys(at);
      if (keys.length === 0) break;
      const key = of.pick(keys);
      const inner = at[key];
      if (typeof inner === "object" && inner !== null && of.below(3) > 0)
        at = inner as Record<string, unknown>;
      else {
        at[key] = value(of, 2);
        break;
      }
    }
  }
  return copy;
}

function judge(read: () => Project | Reference | undefined) {
  let project: Project | undefined;
  try {
    const found = read();
    // One that names an example carries nothing that could be wrong.
    if (found && "files" in found) project = found;
  } catch (error) {
    // Words for a person, none of the language's own mistakes.
    expect(error).toBeInstanceOf(Error);
    expect(["TypeError", "RangeError", "ReferenceError", "SyntaxError"]).not.toContain((error as Error).name);
    expect((error as Error).message).toMatch(/^[a-z"]/);
    return;
  }
  if (!project) return;
  const { files, active, options } = project;
  expect(files.length).toBeGreaterThan(0);
  expect(files.length).toBeLessThanOrEqual(LIMITS.files);
  expect(new Set(files.map(({ name }) => name)).size).toBe(files.length);
  expect(files.every(({ name, text }) => isName(name) && typeof text === "string")).toBe(true);
  expect(files.some(({ name }) => name === active)).toBe(true);
  // What is kept of it can be shared again, and is the same then.
  expect(decode(encode(project))).toEqual(project);
  for (const { base64 } of options.data ?? []) expect(() => atob(base64)).not.toThrow();
}

describe("whatever a link holds", () => {
  test("as letters", () => {
    const of = random(1);
    const letters = "ABCabc019-_=+/%# \n\ud83d\0";
    for (let times = 0; times < 3000; times++) {
      const text = Array.from({ length: of.below(80) }, () => of.pick([...letters])).join("");
      judge(() => decode(`${of.pick(["#p=1", "#p=", "#p=2", "#", ""])}${text}`));
    }
  });

  test("as bytes", () => {
    const of = random(2);
    for (let times = 0; times < 3000; times++) judge(() => decode(`#p=1${base64(of.bytes(of.below(300)))}`));
  });

  test("as a link in which bytes have changed, are missing, or are too many", () => {
    const of = random(3);
    const good = encode(own).slice(4).replaceAll("-", "+").replaceAll("_", "/");
    const bytes = Uint8Array.from(atob(good), (letter) => letter.charCodeAt(0));
    for (let times = 0; times < 3000; times++) {
      const bad = bytes.slice(0, of.below(3) === 0 ? of.below(bytes.length) : bytes.length);
      for (let flips = of.below(4); flips >= 0; flips--) bad[of.below(bad.length)] = of.below(256);
      judge(() =>
        decode(`#p=1${base64(of.below(4) === 0 ? new Uint8Array([...bad, ...of.bytes(of.below(9))]) : bad)}`),
      );
    }
  });

  test("as JSON of any form", () => {
    const of = random(4);
    for (let times = 0; times < 2000; times++) {
      const json = JSON.stringify(of.below(2) === 0 ? value(of, 4) : bent(of));
      judge(() => decode(`#p=1${base64(deflateSync(strToU8(json)))}`));
    }
  });

  test("as JSON that nests deeper than anything", () => {
    const deep = "[".repeat(200_000);
    judge(() => decode(`#p=1${base64(deflateSync(strToU8(deep)))}`));
    judge(() => decode(`#p=1${base64(deflateSync(strToU8(`{"files":${deep}`)))}`));
  });
});

test("whatever an archive holds", () => {
  const of = random(5);
  for (let times = 0; times < 2000; times++) {
    const bytes = of.bytes(of.below(400));
    if (of.below(2) === 0) bytes.set([0x50, 0x4b, 3, 4].slice(0, bytes.length));
    judge(() => unpack(bytes).project);
  }
});
