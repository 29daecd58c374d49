// The examples of the repository, which the page offers to open. Their texts are loaded when they are asked for.

import readme from "../../../examples/README.md?raw";
import type { File } from "./project";

const texts = import.meta.glob<string>(["../../../examples/**/*.comp", "../../../examples/**/*.glsl"], {
  query: "?raw",
  import: "default",
});

export interface Example {
  /** `khr/gemm.comp`. */
  path: string;
  /** A sentence, from the table in examples/README.md. */
  summary: string;
}

const relative = (path: string) => path.replace("../../../examples/", "");

/** The rows `| [path](path) | what it shows |` of the table. */
export function summaries(markdown: string): Map<string, string> {
  const rows = markdown.matchAll(/^\| \[([^\]]+)\]\([^)]*\) \| (.*) \|$/gm);
  return new Map(Array.from(rows, ([, path = "", text = ""]) => [path, text.replaceAll("**", "")]));
}

export function examples(): Example[] {
  const known = summaries(readme);
  return Object.keys(texts)
    .map(relative)
    .filter((path) => path.endsWith(".comp"))
    .map((path) => ({ path, summary: known.get(path) ?? "" }));
}

export async function load(path: string): Promise<File[]> {
  const text = await texts[`../../../examples/${path}`]?.();
  if (text === undefined) throw new Error(`there is no example ${path}`);
  return [{ name: path.replace(/^.*\//, ""), text }];
}
