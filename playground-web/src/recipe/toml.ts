// Edits a TOML text at a key, and leaves everything else - comments, order, spacing - as it is. Reading what the text means is the recipe
// crate's: this only knows where statements begin and end.

export type Step = string | number;
export type Path = readonly Step[];
export type Value = string | number | boolean | null | undefined | Value[] | { [key: string]: Value };

/** `key = value`, or the header of a table. */
interface Statement {
  header: boolean;
  path: Step[];
  /** From the start of its line to behind its line's end. */
  from: number;
  to: number;
  /** Of the value; of the name between the brackets. */
  valueFrom: number;
  valueTo: number;
}

/** A number that is a formula where it is written in quotes stays what it was given as. */
export function print(value: Value): string {
  if (typeof value === "string") return JSON.stringify(value).replaceAll("\u007f", "\\u007F");
  if (typeof value === "number") {
    if (Number.isNaN(value)) return "nan";
    if (!Number.isFinite(value)) return value < 0 ? "-inf" : "inf";
    if (Object.is(value, -0)) return "-0.0";
    const text = String(value);
    return /^-?\d+$/.test(text) || /[.]/.test(text) || !/e/.test(text) ? text : text.replace("e+", "e");
  }
  if (Array.isArray(value)) return `[${value.map(print).join(", ")}]`;
  if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value).filter(([, one]) => one !== undefined && one !== null);
    return entries.length === 0
      ? "{}"
      : `{ ${entries.map(([key, one]) => `${name(key)} = ${print(one)}`).join(", ")} }`;
  }
  return String(value ?? '""');
}

const name = (key: string) => (/^[A-Za-z0-9_-]+$/.test(key) ? key : JSON.stringify(key));

/** Where a string that begins at `at` ends. */
function stringEnd(text: string, at: number): number {
  const quote = text.charAt(at);
  const triple = quote.repeat(3);
  if (text.startsWith(triple, at)) {
    let end = at + 3;
    while (end < text.length && !text.startsWith(triple, end))
      end += quote === '"' && text[end] === "\\" ? 2 : 1;
    end += 3;
    while (text[end] === quote) end++;
    return end;
  }
  let end = at + 1;
  while (end < text.length && text[end] !== quote && text[end] !== "\n")
    end += quote === '"' && text[end] === "\\" ? 2 : 1;
  return end + 1;
}

/** Where a value that begins at `at` ends: behind its last letter. */
function valueEnd(text: string, at: number): number {
  let depth = 0;
  let last = at;
  for (let here = at; here < text.length; ) {
    const letter = text.charAt(here);
    if (letter === '"' || letter === "'") {
      here = stringEnd(text, here);
      last = here;
      continue;
    }
    if (letter === "#") {
      if (depth === 0) return last;
      while (here < text.length && text[here] !== "\n") here++;
      continue;
    }
    if (letter === "\n" && depth === 0) return last;
    if (letter === "[" || letter === "{") depth++;
    if (letter === "]" || letter === "}") depth--;
    here++;
    if (!/\s/.test(letter)) last = here;
  }
  return last;
}

/** The parts of `a."b c".d`, and where they end. */
function keys(text: string, at: number): { parts: string[]; end: number } {
  const parts: string[] = [];
  let here = at;
  for (;;) {
    while (text[here] === " " || text[here] === "\t") here++;
    const letter = text.charAt(here);
    if (letter === '"' || letter === "'") {
      const end = stringEnd(text, here);
      const inner = text.slice(here + 1, end - 1);
      parts.push(letter === '"' ? unescaped(inner) : inner);
      here = end;
    } else {
      const [bare = ""] = /^[A-Za-z0-9_-]*/.exec(text.slice(here, here + 200)) ?? [];
      if (bare === "") break;
      parts.push(bare);
      here += bare.length;
    }
    while (text[here] === " " || text[here] === "\t") here++;
    if (text[here] !== ".") break;
    here++;
  }
  return { parts, end: here };
}

function unescaped(text: string): string {
  try {
    return JSON.parse(`"${text}"`);
  } catch {
    return text;
  }
}

function statements(text: string): Statement[] {
  const found: Statement[] = [];
  const counts = new Map<string, number>();
  let table: Step[] = [];
  let at = 0;
  while (at < text.length) {
    const from = at;
    while (/[ \t\r]/.test(text.charAt(at))) at++;
    const letter = text.charAt(at);
    if (letter === "" || letter === "\n" || letter === "#") {
      at = lineEnd(text, at);
      continue;
    }
    if (letter === "[") {
      const array = text[at + 1] === "[";
      const { parts, end } = keys(text, at + (array ? 2 : 1));
      table = [];
      for (const [index, part] of parts.entries()) {
        table.push(part);
        const key = JSON.stringify(table);
        if (array && index === parts.length - 1) counts.set(key, (counts.get(key) ?? -1) + 1);
        const count = counts.get(key);
        if (count !== undefined) table.push(count);
      }
      const to = lineEnd(text, end);
      found.push({ header: true, path: [...table], from, to, valueFrom: at, valueTo: end });
      at = to;
      continue;
    }
    const { parts, end } = keys(text, at);
    if (parts.length === 0 || text[end] !== "=") {
      // Not TOML: the recipe crate says so.
      at = lineEnd(text, at);
      continue;
    }
    let valueFrom = end + 1;
    while (text[valueFrom] === " " || text[valueFrom] === "\t") valueFrom++;
    const valueTo = valueEnd(text, valueFrom);
    const to = lineEnd(text, valueTo);
    found.push({ header: false, path: [...table, ...parts], from, to, valueFrom, valueTo });
    at = to;
  }
  return found;
}

function lineEnd(text: string, at: number): number {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}

const begins = (path: Path, start: Path) => start.every((step, index) => path[index] === step);
const same = (a: Path, b: Path) => a.length === b.length && begins(a, b);

/** What is at a path of a value that has been read. */
export function at(model: unknown, path: Path): Value {
  let here = model;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<Step, unknown>)[step];
  }
  return here as Value;
}

function changed(model: Value, path: Path, value: Value): Value {
  const [step, ...rest] = path;
  if (step === undefined) return value;
  if (typeof step === "number" || Array.isArray(model)) {
    const list = Array.isArray(model) ? [...model] : [];
    if (rest.length === 0 && value === undefined) list.splice(Number(step), 1);
    else list[Number(step)] = changed(list[Number(step)], rest, value);
    return list;
  }
  const table = typeof model === "object" && model !== null ? { ...model } : {};
  const next = changed(table[step], rest, value);
  if (next === undefined) delete table[step];
  else table[step] = next;
  return table;
}

function splice(text: string, from: number, to: number, insert: string) {
  return text.slice(0, from) + insert + text.slice(to);
}

/** Everything at or below a path, taken out. */
export function remove(text: string, path: Path): string {
  const gone = statements(text).filter((one) => begins(one.path, path));
  let result = text;
  for (const { from, to } of gone.reverse()) {
    result = splice(result, from, to, "");
  }
  return result.replace(/\n{3,}/g, "\n\n");
}

/**
 * The text with another value at a path; `undefined` takes it out. `model` is what the text means: values that stand in one line with others
 * are written anew from it.
 */
export function set(text: string, path: Path, value: Value, model: unknown): string {
  const all = statements(text);
  const here = all.find((one) => !one.header && same(one.path, path));
  if (here && value !== undefined) return splice(text, here.valueFrom, here.valueTo, print(value));
  const around = all.find((one) => !one.header && one.path.length < path.length && begins(path, one.path));
  if (around) {
    const inner = path.slice(around.path.length);
    const next = changed(at(model, around.path), inner, value);
    return splice(text, around.valueFrom, around.valueTo, print(next));
  }
  const without = remove(text, path);
  return value === undefined ? without : insert(without, path, value);
}

/** A new statement, in the table that it belongs to. */
function insert(text: string, path: Path, value: Value): string {
  const all = statements(text);
  const headers = all.filter((one) => one.header && one.path.length < path.length && begins(path, one.path));
  const header = headers.sort((a, b) => b.path.length - a.path.length)[0];
  const table = header?.path ?? [];
  const rest = path.slice(table.length);
  const line = `${rest.map((step) => name(String(step))).join(".")} = ${print(value)}\n`;
  // Behind the last statement of the table.
  const start = header ? all.indexOf(header) : -1;
  let last = header;
  for (const one of all.slice(start + 1)) {
    if (one.header) break;
    last = one;
  }
  const where = last?.to ?? 0;
  const before = where > 0 && text[where - 1] !== "\n" ? "\n" : "";
  const after = !last && all.length > 0 ? "\n" : "";
  return splice(text, where, where, before + line + after);
}

/** A further table of a list, behind the last one of it, or at the end. */
export function append(text: string, list: string, table: { [key: string]: Value }): string {
  const all = statements(text);
  const lines = Object.entries(table).filter(([, value]) => value !== undefined);
  const body = `[[${list}]]\n${lines.map(([key, value]) => `${name(key)} = ${print(value)}\n`).join("")}`;
  const last = all.filter((one) => one.path[0] === list).at(-1);
  if (!last) {
    const gap = text === "" || text.endsWith("\n\n") ? "" : text.endsWith("\n") ? "\n" : "\n\n";
    return text + gap + body;
  }
  const before = text[last.to - 1] === "\n" ? "\n" : "\n\n";
  return splice(text, last.to, last.to, before + body);
}
