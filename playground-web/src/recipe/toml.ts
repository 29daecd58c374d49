// Changes of a recipe's text at a key. The module makes them, which reads TOML and leaves what stands around as it is.

import type { Step, TomlEdit, TomlValue } from "@coopmat/shared/messages";

export type Path = readonly Step[];
export type Value = string | number | boolean | null | undefined | Value[] | { [key: string]: Value };

/** As JSON carries it. */
function carried(value: Exclude<Value, undefined>): TomlValue {
  if (typeof value === "number") {
    if (Number.isNaN(value)) return { $number: "nan" };
    if (!Number.isFinite(value)) return { $number: value < 0 ? "-inf" : "inf" };
    return Object.is(value, -0) ? { $number: "-0" } : value;
  }
  if (Array.isArray(value)) return value.map((one) => carried(one ?? ""));
  if (typeof value === "object" && value !== null) return table(value);
  return value ?? "";
}

/** What is not there is left out. */
function table(value: { [key: string]: Value }): { [key: string]: TomlValue } {
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, one]) =>
      one === undefined || one === null ? [] : [[key, carried(one)]],
    ),
  );
}

/** Everything at or below a path, taken out. */
export const remove = (path: Path): TomlEdit => ({ kind: "remove", path: [...path] });

/** Another value at a path; `undefined` takes it out. */
export const set = (path: Path, value: Value): TomlEdit =>
  value === undefined ? remove(path) : { kind: "set", path: [...path], value: carried(value) };

/** A further table of a list, behind the last one of it, or at the end. */
export const append = (list: string, entries: { [key: string]: Value }): TomlEdit => ({
  kind: "append",
  list,
  table: table(entries),
});

/** What is at a path of a value that has been read. */
export function at(model: unknown, path: Path): Value {
  let here = model;
  for (const step of path) {
    if (typeof here !== "object" || here === null) return undefined;
    here = (here as Record<Step, unknown>)[step];
  }
  return here as Value;
}

/** Texts by name; `undefined` where there is none of this name any more. */
interface Texts {
  read(name: string): string | undefined;
  write(name: string, text: string): void;
}

/** Makes changes one after the other: each is of the text that the one before it left, and of what was typed meanwhile. */
export class Edits {
  private last: Promise<void> = Promise.resolve();

  constructor(
    private readonly texts: Texts,
    private readonly make: (text: string, edit: TomlEdit) => Promise<string>,
  ) {}

  /** `wanted`: whether it still is, when its turn comes. */
  apply(name: string, edit: TomlEdit, wanted = () => true): Promise<void> {
    const made = this.last.then(async () => {
      for (;;) {
        const text = wanted() ? this.texts.read(name) : undefined;
        if (text === undefined) return;
        const changed = await this.make(text, edit);
        if (!wanted() || this.texts.read(name) !== text) continue;
        this.texts.write(name, changed);
        return;
      }
    });
    // One that fails keeps no other from being made.
    this.last = made.catch(() => {});
    return made;
  }
}
