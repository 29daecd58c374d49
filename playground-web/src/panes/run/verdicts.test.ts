import { describe, expect, test } from "vitest";
import type { OwnershipVerdict } from "../../workers/simulator-protocol";
import { title } from "./verdicts";

const WORDS = { met: "met", wrong: "wrong", depends: "depends", "not-known": "not known" };

const verdicts = (names: OwnershipVerdict["verdict"][], all = names.length) => ({
  rows: names.map((verdict, index) => ({
    ownership: `table-${index}`,
    subgroupSize: 32,
    verdict,
    words: WORDS[verdict],
    reasons: [],
  })),
  all,
  notes: [],
});

describe("the title of the verdicts", () => {
  test.each([
    [verdicts(["met", "met", "not-known"]), "Ownerships: met under 2 of 2"],
    [verdicts(["met", "wrong", "depends", "not-known"]), "Ownerships: met under 1 of 3"],
    [verdicts(["wrong", "wrong"]), "Ownerships: met under 0 of 2"],
    [verdicts(["not-known"]), "Ownerships: none has run"],
    [verdicts(["met"], 7), "Ownerships: met under 1 of 1, stopped early"],
    // Stopped before anything was known.
    [verdicts([], 0), "Ownerships: none has run, stopped early"],
  ])("counts those that are met", (all, words) => {
    expect(title(all, false)).toBe(words);
  });

  test("has the words of the verdicts, where nothing is expected", () => {
    const all = verdicts(["met", "depends"]);
    for (const row of all.rows) if (row.verdict === "met") row.words = "same";
    expect(title(all, false)).toBe("Ownerships: same under 1 of 2");
  });

  test("says that there will be more", () => {
    expect(title(verdicts(["met"], 7), true)).toBe("Ownerships: met under 1 of 1, so far");
  });
});
