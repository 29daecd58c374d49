// Which of many files make a project: shaders and what they include, project files, recipes with their data, and what builds have printed. What is left
// out is told, with the reason.

import { toBase64 } from "@coopmat/shared/data";
import { type Data, type File, isName, LIMITS } from "@coopmat/shared/project/project";
import type { Entry } from "./entries";
import { PROJECT_FILE } from "./tabs";

export interface Gathered {
  files: File[];
  data: Data[];
  /** Names of files that a build has left: logs, `compile_commands.json`. */
  logs: string[];
  left: Left[];
}

export interface Left {
  /** `files that are neither shaders nor read by any`: what stands behind a number. */
  why: string;
  names: string[];
}

const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);

const SHADER =
  /\.(comp|vert|tesc|tese|geom|frag|task|mesh|rgen|rint|rahit|rchit|rmiss|rcall|glsl|spvasm|wgsl)$/i;
const HEADER = /\.(h|hpp|hh|inc|inl|glslh|hglsl|glslinc)$/i;
const DATA = /\.(npy|csv|bin|raw|dat)$/i;
/** Modules in words. */
const WORDS = /\.spv$/i;
const LOG = /(^|\/)(compile_commands\.json|[^/]*\.(log|rsp))$/i;
const isProjectFile = (path: string) => base(path) === PROJECT_FILE || path.endsWith(".run.toml");
const PROFILE = /\.json$/i;

/** What may be part of a project, by its name alone; the rest of an archive is not even unpacked. */
export const mayMatter = (path: string) =>
  SHADER.test(path) ||
  HEADER.test(path) ||
  DATA.test(path) ||
  WORDS.test(path) ||
  LOG.test(path) ||
  PROFILE.test(path) ||
  isProjectFile(path);

const COMPILER = /\b(glslc|glslangValidator|glslang)\b/;

/** A file of more bytes than this is no shader, unless somebody picked it; logs of builds are larger. */
const LARGE = 1 << 20;
const LARGE_LOG = LIMITS.text;

/** `undefined`: the bytes are no text. PowerShell writes UTF-16. */
export function textOf(bytes: Uint8Array): string | undefined {
  const utf16 =
    bytes[0] === 0xff && bytes[1] === 0xfe
      ? "utf-16le"
      : bytes[0] === 0xfe && bytes[1] === 0xff
        ? "utf-16be"
        : undefined;
  try {
    const text = new TextDecoder(utf16 ?? "utf-8", { fatal: true }).decode(bytes);
    return text.includes("\0") ? undefined : text;
  } catch {
    return undefined;
  }
}

/** The first word of a module, in either order of bytes. */
const isModule = (bytes: Uint8Array) => {
  const [a, b, c, d] = bytes;
  const [first, last] = [[a, b, c, d].join(), [d, c, b, a].join()];
  return bytes.length % 4 === 0 && [first, last].includes([0x03, 0x02, 0x23, 0x07].join());
};

/** Files that a text includes, by their last names. */
const includes = (text: string) =>
  Array.from(text.matchAll(/^[ \t]*#[ \t]*include[ \t]*["<]([^">\n]+)[">]/gm), ([, path = ""]) => base(path));

/** What recipes and project files name as files of theirs. */
const named = (text: string) =>
  Array.from(text.matchAll(/["']([^"'\n]+\.[A-Za-z0-9_]+)["']/g), ([, path = ""]) => base(path));

/** `picked`: the person named each of the files, so that none is passed over for its kind. */
export async function gather(entries: readonly Entry[], picked: boolean): Promise<Gathered> {
  const left = new Map<string, string[]>();
  const leave = (why: string, path: string) => left.set(why, [...(left.get(why) ?? []), path]);
  const folder = common(entries.map(({ path }) => path));
  const files: File[] = [];
  const data: Data[] = [];
  const logs: string[] = [];
  let size = 0;
  let dataSize = 0;

  const read = async (entry: Entry, most: number): Promise<string | undefined> => {
    if (entry.size > most) {
      leave(`larger than ${most >> 20} MiB`, entry.path);
      return undefined;
    }
    const text = textOf(await entry.bytes());
    if (text === undefined) leave("no text", entry.path);
    return text;
  };
  const keep = (path: string, text: string): boolean => {
    const name = path.slice(folder.length);
    if (!isName(name)) leave("with a name that a file of this page cannot have", path);
    else if (files.length >= LIMITS.files || size + text.length > LIMITS.text)
      leave(
        `for which there is no room: a project holds ${LIMITS.files} files and ${LIMITS.text >> 20} MiB`,
        path,
      );
    else {
      files.push({ name, text });
      size += text.length;
      return true;
    }
    return false;
  };

  const of = (fits: (path: string) => boolean) => entries.filter(({ path }) => fits(path));
  const done = new Set<Entry>();
  const wanted = new Set<string>();
  for (const entry of of(isProjectFile)) {
    done.add(entry);
    const text = await read(entry, LARGE_LOG);
    if (text === undefined || !keep(entry.path, text)) continue;
    for (const name of named(text)) wanted.add(name);
  }
  const waiting: string[] = [];
  for (const entry of of((path) => SHADER.test(path))) {
    done.add(entry);
    const text = await read(entry, picked ? LIMITS.text : LARGE);
    if (text !== undefined && keep(entry.path, text)) waiting.push(...includes(text));
  }
  // Headers, and whatever else is included, by the names that they have wherever they lie; and what these include.
  const byName = new Map<string, Entry[]>();
  for (const entry of entries)
    if (!done.has(entry)) byName.set(base(entry.path), [...(byName.get(base(entry.path)) ?? []), entry]);
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    for (const entry of byName.get(name) ?? []) {
      if (done.has(entry)) continue;
      done.add(entry);
      const text = await read(entry, LARGE);
      if (text !== undefined && keep(entry.path, text)) waiting.push(...includes(text));
    }
  }
  const keepData = (path: string, bytes: Uint8Array | undefined) => {
    const base64 = bytes && toBase64(bytes);
    if (!base64 || dataSize + base64.length > LIMITS.data) leave("of data that is more than 3 MiB", path);
    else {
      dataSize += base64.length;
      data.push({ name: path.slice(folder.length), base64 });
    }
  };
  for (const entry of entries) {
    if (done.has(entry)) continue;
    const { path } = entry;
    const name = base(path);
    if (WORDS.test(path)) {
      const bytes = entry.size > LIMITS.data ? undefined : await entry.bytes();
      if (bytes && !isModule(bytes)) leave("without the first word of a SPIR-V module", path);
      else keepData(path, bytes);
    } else if (LOG.test(path) || (picked && !HEADER.test(path) && !DATA.test(path))) {
      const text = await read(entry, LARGE_LOG);
      const isLog = text !== undefined && COMPILER.test(text);
      if (text === undefined) continue;
      if (!isLog && !picked && !wanted.has(name)) leave("in which no shader is compiled", path);
      else if (keep(path, text) && isLog && !/\.rsp$/i.test(path)) logs.push(path.slice(folder.length));
    } else if (picked && HEADER.test(path)) {
      const text = await read(entry, LIMITS.text);
      if (text !== undefined) keep(path, text);
    } else if (DATA.test(path) && (picked || wanted.has(name))) {
      const bytes = entry.size > LIMITS.data ? undefined : await entry.bytes();
      const text = /\.csv$/i.test(path) && bytes ? textOf(bytes) : undefined;
      if (text !== undefined) keep(path, text);
      else keepData(path, bytes);
    } else if (wanted.has(name) && PROFILE.test(path)) {
      const text = await read(entry, LARGE);
      if (text !== undefined) keep(path, text);
    } else if (HEADER.test(path)) leave("that no shader includes", path);
    else leave("of other kinds", path);
  }
  return {
    files,
    data: data.filter(({ name }) => isName(name)),
    logs,
    left: Array.from(left, ([why, names]) => ({ why, names })),
  };
}

/** The folders that everything lies in. */
export function common(paths: readonly string[]): string {
  const [first = ""] = paths;
  let folder = first.slice(0, first.lastIndexOf("/") + 1);
  while (folder && !paths.every((path) => path.startsWith(folder)))
    folder = folder.slice(0, folder.lastIndexOf("/", folder.length - 2) + 1);
  return folder;
}

/** `Left out: 3 files that no shader includes (a.h, b.h, c.h).` */
export function leftInWords(left: readonly Left[]): string {
  if (left.length === 0) return "";
  const part = ({ why, names }: Left) => {
    const some = names.slice(0, 3).map(base).join(", ");
    const count = names.length === 1 ? "1 file" : `${names.length.toLocaleString("en")} files`;
    return `${count} ${why} (${some}${names.length > 3 ? " …" : ""})`;
  };
  return ` Left out: ${left.map(part).join("; ")}.`;
}
