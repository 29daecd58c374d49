// Every example has what its card shows: a name, a sentence, and a picture that is small. `cargo xtask playground --thumbnails` makes those
// that are missing.

import { readdirSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { examples, GROUPS } from "../../src/state/gallery";

const THUMBNAILS = fileURLToPath(new URL("../../src/ui/thumbnails/", import.meta.url));
/** Bytes of a picture. */
const MOST = 4096;

const pictures = readdirSync(THUMBNAILS, { recursive: true, encoding: "utf8" }).filter((name) =>
  name.endsWith(".webp"),
);

describe("the gallery", () => {
  const all = examples();

  test("has a name and a sentence for each example", () => {
    for (const { path, name, summary } of all) {
      expect(name, `${path} has no row with a name in examples/README.md`).not.toBe(path);
      expect(summary, path).toMatch(/^[A-Z0-9].*[^.]\.$/);
    }
    expect(new Set(all.map(({ name }) => name)).size, "two examples have one name").toBe(all.length);
  });

  test("has a picture of each example, and of nothing else", () => {
    const wanted = all.map(({ path }) => path.replace(/\.comp$/, ".webp"));
    expect(pictures.toSorted(), "run `cargo xtask playground --thumbnails`").toEqual(wanted.toSorted());
    expect(all.filter(({ picture }) => !picture).map(({ path }) => path)).toEqual([]);
  });

  test("has small pictures", () => {
    const large = pictures.filter((name) => statSync(THUMBNAILS + name).size > MOST);
    expect(large).toEqual([]);
  });

  test("begins with the kernels that a newcomer looks at", () => {
    const start = all.filter(({ group }) => group === "start").map(({ path }) => path);
    expect(start).toContain("khr/gemm_staged.comp");
    expect(start).toEqual(all.slice(0, start.length).map(({ path }) => path));
    for (const { path, group } of all) expect(Object.keys(GROUPS), path).toContain(group);
  });
});
