// A project as a zip archive: its files as they are, and one more with the rest.

import { strToU8, zipSync } from "fflate";
import { checked, isName, LIMITS, type Project } from "./project";
import { TooLarge, unzip } from "./unpack";

/** Holds what is not the text of a file: the file in view, the options. */
export const MANIFEST = "coopmat-playground.json";
const VERSION = 1;

export function pack(project: Project): Uint8Array<ArrayBuffer> {
  const { files, ...rest } = project;
  const entries = files.map(({ name, text }) => [name, strToU8(text)] as const);
  const manifest = `${JSON.stringify({ version: VERSION, ...rest }, null, 2)}\n`;
  return new Uint8Array(
    zipSync(Object.fromEntries([...entries, [MANIFEST, strToU8(manifest)]]), { level: 9 }),
  );
}

export interface Unpacked {
  project: Project;
  /** Files that were left out, because they hold no text or have a name that a page cannot give. */
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
          ? `it holds more than ${LIMITS.files} files or 4 MiB`
          : "it is no zip archive, or a damaged one",
      );
    }
  })();
  const folder = common(entries.map(({ name }) => name));
  const decoder = new TextDecoder("utf-8", { fatal: true });
  const files: { name: string; text: string }[] = [];
  const left: string[] = [];
  let rest: Record<string, unknown> = {};
  for (const { name, bytes } of entries) {
    const short = name.slice(folder.length);
    try {
      const text = decoder.decode(bytes);
      if (short === MANIFEST) rest = { ...JSON.parse(text) };
      else if (isName(short) && !text.includes("\0")) files.push({ name: short, text });
      else left.push(name);
    } catch {
      left.push(name);
    }
  }
  if (typeof rest.version === "number" && rest.version > VERSION)
    throw new Error("it was made by a newer version of this page");
  return { project: checked({ ...rest, files }), left };
}

/** The folder that everything lies in, as programs pack one: `shaders/`. */
function common(names: readonly string[]): string {
  const [first = ""] = names;
  const folder = first.slice(0, first.indexOf("/") + 1);
  return names.every((name) => name.startsWith(folder)) ? folder : "";
}
