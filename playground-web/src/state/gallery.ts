// The examples of the repository, which the page offers to open. Their texts are loaded when they are asked for.

import type { File } from "@coopmat/shared/project/project";
import readme from "../../../examples/README.md?raw";

const texts = import.meta.glob<string>(
  ["../../../examples/**/*.comp", "../../../examples/**/*.glsl", "../../../examples/**/*.run.toml"],
  { query: "?raw", import: "default" },
);

export interface Example {
  /** `khr/gemm.comp`. */
  path: string;
  /** A sentence, from the table in examples/README.md. */
  summary: string;
  /** `khr`. */
  group: string;
  /** Whether a recipe lies beside it. */
  runs: boolean;
}

/** What the folders hold. */
export const GROUPS: Record<string, string> = {
  khr: "Cooperative matrices (KHR)",
  nv2: "Tensor loads, reductions, workgroup matrices (NV)",
  qcom: "Conversions between arrays and matrices (QCOM)",
  mistakes: "Mistakes, each found by checked mode",
};

const FOLDER = "../../../examples/";
const relative = (path: string) => path.replace(FOLDER, "");

/** The rows `| [path](path) | what it shows |` of the tables. */
export function summaries(markdown: string): Map<string, string> {
  const rows = markdown.matchAll(/^\| \[([^\]]+)\]\([^)]*\) \| (.*) \|$/gm);
  return new Map(Array.from(rows, ([, path = "", text = ""]) => [path, text.replaceAll("**", "")]));
}

const recipeOf = (path: string) => path.replace(/\.comp$/, ".run.toml");

export function examples(): Example[] {
  const known = summaries(readme);
  const order = [...known.keys()];
  const rank = (path: string) => (order.includes(path) ? order.indexOf(path) : order.length);
  return Object.keys(texts)
    .map(relative)
    .filter((path) => path.endsWith(".comp"))
    .sort((a, b) => rank(a) - rank(b))
    .map((path) => ({
      path,
      summary: known.get(path) ?? "",
      group: path.replace(/\/.*$/, ""),
      runs: FOLDER + recipeOf(path) in texts,
    }));
}

/** The shader, and its recipe behind it. */
export async function load(path: string): Promise<File[]> {
  const found = await Promise.all(
    [path, recipeOf(path)].map(async (path) => {
      const text = await texts[FOLDER + path]?.();
      return text === undefined ? [] : [{ name: path.replace(/^.*\//, ""), text }];
    }),
  );
  const files = found.flat();
  if (files.length === 0) throw new Error(`there is no example ${path}`);
  return files;
}
