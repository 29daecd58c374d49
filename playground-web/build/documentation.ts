// The list of the pages that the server can show: the module `virtual:documentation`. Their texts stay in the server.

import { readdirSync, readFileSync } from "node:fs";
import type { Plugin } from "vite";

const ID = "virtual:documentation";
const ANALYSIS = new URL("../../analysis/", import.meta.url);

/** The value of `key = "..."` in a TOML text; the first one. */
const value = (text: string, key: string) => new RegExp(`^${key} = "(.*)"$`, "m").exec(text)?.[1] ?? "";

function entries(folder: string, ending: string) {
  const files = readdirSync(new URL(folder, ANALYSIS)).filter((name) => name.endsWith(ending));
  return files.sort().map((file) => {
    const text = readFileSync(new URL(`${folder}${file}`, ANALYSIS), "utf8");
    return { name: file.slice(0, -ending.length), summary: value(text, "summary") };
  });
}

export function documentation(): Plugin {
  return {
    name: "documentation",
    resolveId: (id) => (id === ID ? `\0${ID}` : undefined),
    load: (id) =>
      id === `\0${ID}`
        ? `export const diagnostics = ${JSON.stringify(entries("diagnostics/", ".md"))};
           export const extensions = ${JSON.stringify(entries("extensions/", ".toml").filter(({ name }) => name.startsWith("GL_")))};`
        : undefined,
  };
}
