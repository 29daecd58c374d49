// The words of GLSL and its extensions, from the tables that the analysis itself is made of: analysis/extensions/*.toml.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "smol-toml";

/** Rows of a list: a family's name stands for the family's rows, whose own may be names again. */
const rows = (list, families) =>
  (Array.isArray(list) ? list : typeof list === "string" ? (families[list] ?? []) : [list]).flatMap((row) =>
    typeof row === "string" ? rows(row, families) : [row],
  );

/** Every combination of rows of the lists of a `for`. */
function combinations(lists, families) {
  let all = [{}];
  const each = lists === undefined ? [] : Array.isArray(lists) ? lists : [lists];
  for (const list of each)
    all = all.flatMap((known) => rows(list, families).map((row) => ({ ...known, ...row })));
  return all;
}

const fill = (text, row) =>
  text.replace(/\$\{?(\w+)\}?/g, (whole, key) => (row[key] === undefined ? whole : String(row[key])));

const forms = (name) =>
  /^g[a-z]/.test(name) ? ["", "i", "u"].map((letter) => letter + name.slice(1)) : [name];

/** `{types, functions, constants}`: sorted names without repetitions. */
export function words(folder) {
  const tables = readdirSync(folder)
    .filter((name) => name.endsWith(".toml"))
    .map((name) => parse(readFileSync(join(folder, name), "utf8")));
  const families = Object.assign({}, ...tables.map((table) => table.families ?? {}));
  const found = { types: new Set(), functions: new Set(), constants: new Set() };
  const add = (set, name) => /^[A-Za-z_]\w*$/.test(name) && set.add(name);
  for (const table of tables) {
    for (const entry of table.types ?? [])
      for (const row of combinations(entry.for, families))
        for (const name of fill(entry.names ?? entry.name ?? "", row)
          .split(/\s+/)
          .flatMap(forms))
          add(found.types, name);
    for (const entry of table.functions ?? [])
      for (const row of combinations(entry.for, families))
        for (const [, name] of fill(entry.declarations ?? "", row).matchAll(/(\w+)\s*\(/g))
          add(found.functions, name);
    for (const entry of [...(table.constants ?? []), ...(table.variables ?? [])])
      for (const row of combinations(entry.for, families)) add(found.constants, fill(entry.name ?? "", row));
  }
  return Object.fromEntries(Object.entries(found).map(([kind, names]) => [kind, [...names].sort()]));
}
