// What VS Code makes of the manifest and of the language's configuration: colours of matrices that can be read, and a minimap without headings.
//
//   node test/manifest.ts

import { readFileSync } from "node:fs";
import { contrast, READABLE } from "./contrast.ts";

const read = (name: string) => JSON.parse(readFileSync(new URL(`../${name}`, import.meta.url), "utf8"));
let failed = 0;
const check = (what: string, good: boolean) => {
  if (!good) failed++;
  console.log(`${good ? "ok     " : "FAILED "} ${what}`);
};

const colours =
  read("package.json").contributes.configurationDefaults["editor.semanticTokenColorCustomizations"];
for (const [rules, background] of [
  [colours.rules, "#1f1f1f"],
  [colours["[*Light*]"].rules, "#ffffff"],
])
  for (const [token, colour] of Object.entries<string>(rules))
    check(`${token} can be read on ${background}`, contrast(colour, background) >= READABLE);

// VS Code takes what follows the mark of a fold for the heading of a region, and writes it over the minimap.
const { start } = read("language-configuration.json").folding.markers;
for (const line of ["#ifdef MUL_MAT_ID", "#if defined(A) && B // both", "  # ifndef X"]) {
  const matched = new RegExp(start).exec(line)?.[0];
  check(`${line} folds, and is no heading`, matched === line);
}
process.exit(failed === 0 ? 0 : 1);
