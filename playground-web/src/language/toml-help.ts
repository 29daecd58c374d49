// Completion and hovers in recipes and project files, from their schemas, and from what this module knows: devices, modes of runs, files.

import type { Completion, CompletionContext, CompletionResult } from "@codemirror/autocomplete";
import type { EditorView, Tooltip } from "@codemirror/view";
import { element } from "@coopmat/shared/element";
import projectSchema from "../../../analysis/schema/coopmat-analyzer.schema.json?url";
import recipeSchema from "../../../recipe/run-recipe.schema.json?url";
import { isRecipe } from "../recipe/names";
import { at, description, headers, keys, type Schema, values } from "./schema";
import { scan } from "./toml-scan";

/** What may stand behind a key beside what its schema says. */
export type Lists = Record<string, readonly string[]>;

const loaded = new Map<string, Promise<Schema>>();

function schemaOf(name: string): Promise<Schema> {
  const url = isRecipe(name) ? recipeSchema : projectSchema;
  const known = loaded.get(url);
  if (known) return known;
  const made = fetch(url).then((answer) => answer.json() as Promise<Schema>);
  // One that fails is asked for again.
  made.catch(() => loaded.delete(url));
  loaded.set(url, made);
  return made;
}

export async function complete(
  name: string,
  lists: Lists,
  context: CompletionContext,
): Promise<CompletionResult | null> {
  const text = context.state.doc.toString();
  const place = scan(text, context.pos);
  if (!place) return null;
  const typed = context.pos > place.from;
  if (!typed && !context.explicit && !place.quoted) return null;
  const schema = await schemaOf(name);
  const options = optionsFor(schema, place, lists, text.slice(context.pos));
  return options.length > 0 ? { from: place.from, options, validFor: /^[\w.+-]*$/ } : null;
}

/** `behind`: the text behind the cursor. */
export function optionsFor(
  schema: Schema,
  place: NonNullable<ReturnType<typeof scan>>,
  lists: Lists,
  behind: string,
): Completion[] {
  const info = (words: string) => (words ? { info: () => ({ dom: prose(words) }) } : {});
  if (place.kind === "header")
    return headers(schema)
      .filter(({ path }) => place.before.every((key, index) => path[index] === key))
      .filter(({ path }) => path.length > place.before.length)
      .map(({ path, form, description }) => {
        const label = path.slice(place.before.length).join(".");
        return {
          label,
          type: "class",
          detail: form === "list" ? "list of tables" : "table",
          ...info(description),
        };
      });
  if (place.kind === "key")
    return keys(schema, [...place.path, ...place.before]).map(({ name, form, description }) => ({
      label: name,
      type: "property",
      ...(form !== "value" && { detail: form === "list" ? "list of tables" : "table" }),
      // What is written behind it already stays.
      apply: /^[\w-]*\s*[=.]/.test(behind) ? name : `${name} = `,
      ...info(description),
    }));
  const key = place.path.at(-1) ?? "";
  const named = (lists[key] ?? []).map((value) => ({ value: value as unknown, description: "" }));
  return [...values(schema, place.path), ...named].flatMap(({ value, description }) => {
    if (place.quoted && typeof value !== "string") return [];
    const label = place.quoted || typeof value !== "string" ? String(value) : JSON.stringify(value);
    return [{ label, type: "enum", ...info(description) }];
  });
}

export async function hover(name: string, view: EditorView, pos: number): Promise<Tooltip | null> {
  const text = view.state.doc.toString();
  const word = wordAt(text, pos);
  if (!word) return null;
  const words = await about(await schemaOf(name), text, word);
  if (!words) return null;
  return {
    pos: word.from,
    end: word.to,
    above: true,
    create: () => ({ dom: element("div", { className: "documentation toml-help" }, prose(words)) }),
  };
}

/** What is said about a word. */
export async function about(
  schema: Schema,
  text: string,
  word: { from: number; to: number },
): Promise<string> {
  const place = scan(text, word.to);
  if (!place || place.from > word.from) return "";
  const name = text.slice(word.from, word.to);
  if (place.kind !== "value") {
    const path = [...place.path, ...place.before, name];
    const named = values(schema, path).map(({ value }) => `\`${value}\``);
    const words = description(schema, path);
    return named.length > 0 ? `${words}\n\nOne of ${named.join(", ")}.` : words;
  }
  const known = values(schema, place.path).find(({ value }) => String(value) === name);
  return known?.description || (at(schema, place.path).length > 0 ? description(schema, place.path) : "");
}

function wordAt(text: string, pos: number) {
  const inWord = (index: number) => /[\w.-]/.test(text[index] ?? "");
  let [from, to] = [pos, pos];
  while (from > 0 && inWord(from - 1)) from--;
  while (to < text.length && inWord(to)) to++;
  // Of `a.b` the part that is pointed at.
  const scanned = scan(text, to);
  if (scanned && scanned.kind !== "value") {
    const dot = text.indexOf(".", pos);
    if (dot >= 0 && dot < to) to = dot;
    const before = text.lastIndexOf(".", pos - 1);
    if (before >= from) from = before + 1;
  }
  return to > from ? { from, to } : undefined;
}

/** Paragraphs, with code between backticks. */
function prose(words: string): HTMLElement {
  const body = element("div");
  for (const paragraph of words.split(/\n{2,}/)) {
    const made = element("p");
    for (const [index, part] of paragraph.split("`").entries())
      made.append(index % 2 === 1 ? element("code", {}, part) : part);
    body.append(made);
  }
  return body;
}
