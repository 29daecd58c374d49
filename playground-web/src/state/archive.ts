// A project as a zip archive: its files and data as they are, and one more file with the rest.

import { fromBase64, toBase64 } from "@coopmat/shared/data";
import { checked, type Data, isName, LIMITS, type Project } from "@coopmat/shared/project/project";
import { TooLarge, unzip } from "@coopmat/shared/project/unpack";
import { strFromU8, strToU8, zipSync } from "fflate";

/** Holds what is not the text of a file: the file in view, the options. */
export const MANIFEST = "coopmat-playground.json";
const VERSION = 1;

/** Its names: another one where a file of the project is called so. */
const manifestName = (number: number) => (number === 1 ? MANIFEST : `coopmat-playground-${number}.json`);
const numberOf = (name: string) => {
  const [whole, number] = /^coopmat-playground(?:-([1-9]\d{0,3}))?\.json$/.exec(name) ?? [];
  return whole === undefined ? 0 : Number(number ?? 1);
};

export function pack(project: Project): Uint8Array<ArrayBuffer> {
  const {
    files,
    active,
    options: { data = [], ...options },
  } = project;
  const entries = [
    ...files.map(({ name, text }) => [name, strToU8(text)] as const),
    ...data.map(({ name, base64 }) => [name, fromBase64(base64)] as const),
  ];
  const manifest = `${JSON.stringify({ version: VERSION, active, options }, null, 2)}\n`;
  const name = manifestName(Math.max(0, ...entries.map(([name]) => numberOf(name))) + 1);
  return new Uint8Array(zipSync(Object.fromEntries([...entries, [name, strToU8(manifest)]]), { level: 9 }));
}

/** Whether an archive is one of this page's, which has more in it than files. */
export function hasManifest(bytes: Uint8Array): boolean {
  try {
    const names = unzip(bytes, LIMITS.text, LIMITS.files, (name) => numberOf(name.replace(/^.*\//, "")) > 0);
    return names.some((one) => manifest(one.bytes) !== undefined);
  } catch {
    // What is wrong with it is told where it is opened.
    return false;
  }
}

export interface Unpacked {
  project: Project;
  /** Files that were left out, because they are too large or have a name that a page cannot give. */
  left: string[];
}

/** Any zip of text files; the error says what is wrong with it. */
export function unpack(bytes: Uint8Array): Unpacked {
  const entries = (() => {
    try {
      // Twice: what is not text is read too, before it is left out.
      return unzip(bytes, LIMITS.text * 2, LIMITS.files * 4);
    } catch (error) {
      throw new Error(
        error instanceof TooLarge
          ? `it holds more than ${LIMITS.files} files or ${LIMITS.text >> 20} MiB`
          : "it is no zip archive, or a damaged one",
      );
    }
  })();
  const folder = common(entries.map(({ name }) => name));
  const files: { name: string; text: string }[] = [];
  const data: Data[] = [];
  const left: string[] = [];
  let rest: Record<string, unknown> = {};
  const last = Math.max(...entries.map(({ name }) => numberOf(name.slice(folder.length))));
  for (const { name, bytes } of entries) {
    const short = name.slice(folder.length);
    const ours = last > 0 && numberOf(short) === last ? manifest(bytes) : undefined;
    if (ours) {
      rest = ours;
    } else if (!isName(short)) {
      left.push(name);
    } else {
      const text = textOf(bytes);
      if (text === undefined) data.push({ name: short, base64: toBase64(bytes) });
      else files.push({ name: short, text });
    }
  }
  if (typeof rest.version === "number" && rest.version > VERSION)
    throw new Error("it was made by a newer version of this page");
  const project = checked({ ...rest, files, options: { ...Object(rest.options), data } });
  // All or none: they may be more than a project holds.
  const kept = new Set(project.options.data?.map(({ name }) => name));
  left.push(...data.map(({ name }) => name).filter((name) => !kept.has(name)));
  if (kept.size === 0) delete project.options.data;
  return { project, left };
}

/** `undefined`: the bytes are no text. */
function textOf(bytes: Uint8Array): string | undefined {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** `undefined`: a file of somebody's that is only called so. */
function manifest(bytes: Uint8Array): Record<string, unknown> | undefined {
  try {
    const value = JSON.parse(strFromU8(bytes));
    return typeof value?.version === "number" ? { ...value } : undefined;
  } catch {
    return undefined;
  }
}

/** The folder that everything lies in, as programs pack one: `shaders/`. */
function common(names: readonly string[]): string {
  const [first = ""] = names;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return names.every((name) => name.startsWith(folder)) ? folder : "";
}
