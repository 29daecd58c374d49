// Packages import each other by name: what one takes of another is what the other's `exports` offer.

import { globSync, readFileSync } from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { expect, test } from "vitest";

const ROOT = resolve(import.meta.dirname, "../..");
/** The first one that holds a path is its package. */
const PACKAGES = ["playground-web/shared", "playground-web", "editors/vscode"];

const packageOf = (path: string) => PACKAGES.find((folder) => path.startsWith(join(ROOT, folder) + sep));

/** `from "x"`, `import "x"`, `import("x")`, and workers: `new URL("x.ts", ...)`. */
const IMPORT = /\b(?:from|import)\s*\(?\s*["']([^"'\n]+)["']|\bnew URL\(\s*["']([^"'\n]+\.ts)["']/g;

/** Its examples are no imports. */
const THIS = join(import.meta.dirname, "packages.test.ts");

/** Relative imports of a file that lead into another package. */
function strays(file: string, text: string): string[] {
  return [...text.matchAll(IMPORT)]
    .map(([, one, other]) => one ?? other ?? "")
    .filter((name) => name.startsWith("."))
    .filter((name) => {
      const found = packageOf(resolve(dirname(file), name));
      return found !== undefined && found !== packageOf(file);
    })
    .map((name) => `${file} imports ${name}`);
}

test("no package imports from another one by its path", () => {
  const files = PACKAGES.flatMap((folder) =>
    globSync(`${folder}/{*,{src,shared/src,shared/testing,testing,tests,test,bench,build}/**/*}.{ts,mjs}`, {
      cwd: ROOT,
    }),
  );
  const all = new Set(files.map((file) => join(ROOT, file)));
  expect(all.size).toBeGreaterThan(100);
  all.delete(THIS);
  expect([...all].flatMap((file) => strays(file, readFileSync(file, "utf8")))).toEqual([]);
});

test("such an import is seen in each of its forms", () => {
  const page = join(ROOT, "playground-web/src/x.ts");
  expect(strays(page, 'import type { A } from "../shared/src/data";')).toHaveLength(1);
  expect(strays(page, 'await import("../../editors/vscode/src/text");')).toHaveLength(1);
  expect(
    strays(page, 'new Worker(new URL("../shared/src/workers/server.ts", import.meta.url))'),
  ).toHaveLength(1);
  const shared = join(ROOT, "playground-web/shared/src/x.ts");
  expect(strays(shared, 'import "../../src/style.css";')).toHaveLength(1);
  // Data of the repository is no package, and neither is a name.
  expect(
    strays(
      page,
      'import text from "../../examples/khr/gemm.comp?raw"; import "./y"; import "@coopmat/shared/data";',
    ),
  ).toEqual([]);
});
