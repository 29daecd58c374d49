// Files as they come from outside: dropped, picked, in folders, in archives. Nothing of them is read before it is known to be wanted.

import { pieces, TooLarge, unzip } from "@coopmat/shared/project/unpack";
import { Gunzip } from "fflate";

export interface Entry {
  /** With the folders that it came in. */
  path: string;
  size: number;
  bytes(): Promise<Uint8Array>;
}

/** Entries of one drop: whoever drops a whole disk is told so. */
const MOST = 50_000;
/** Bytes of an archive, and of what is taken out of it. */
const ARCHIVE = 128 << 20;
const UNPACKED = 64 << 20;
/** Folders that hold no shaders of the project. */
const PASSED_OVER = /(^|\/)(\.git|\.svn|\.hg|node_modules|__MACOSX)(\/|$)/;

export const isArchive = (name: string) => /\.(zip|tar|tar\.gz|tgz)$/i.test(name);

const tooMany = () => new Error(`it holds more than ${MOST.toLocaleString("en")} files`);

const ofFile = (file: File, path = file.webkitRelativePath || file.name): Entry => ({
  path,
  size: file.size,
  bytes: async () => new Uint8Array(await file.arrayBuffer()),
});

/** Files that were picked, with their folders where a folder was. */
export function ofFiles(files: readonly File[]): Entry[] {
  const entries = files.map((file) => ofFile(file)).filter(({ path }) => !PASSED_OVER.test(path));
  if (entries.length > MOST) throw tooMany();
  return entries;
}

/** What was dropped, folders and all that is in them. To be called while the drop is handled: later it is gone. */
export function ofDrop(transfer: DataTransfer): Promise<Entry[]> {
  const roots = Array.from(transfer.items).flatMap((item) => item.webkitGetAsEntry?.() ?? []);
  const files = Array.from(transfer.files);
  return roots.length > 0 ? walk(roots) : Promise.resolve(ofFiles(files));
}

async function walk(roots: readonly FileSystemEntry[]): Promise<Entry[]> {
  const found: Entry[] = [];
  const waiting = [...roots];
  for (let entry = waiting.shift(); entry; entry = waiting.shift()) {
    const path = entry.fullPath.replace(/^\//, "");
    if (PASSED_OVER.test(path)) continue;
    if (found.length >= MOST) throw tooMany();
    if (entry.isDirectory) waiting.push(...(await listed(entry as FileSystemDirectoryEntry)));
    else {
      const file = await new Promise<File>((resolve, reject) =>
        (entry as FileSystemFileEntry).file(resolve, reject),
      );
      found.push(ofFile(file, path));
    }
  }
  return found;
}

/** Browsers tell the entries of a folder by the hundred. */
async function listed(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (some.length === 0) return all;
    all.push(...some);
  }
}

/** What is in an archive. `wanted`: which of its files may be. */
export function ofArchive(name: string, bytes: Uint8Array, wanted: (path: string) => boolean): Entry[] {
  if (bytes.length > ARCHIVE) throw new Error(`it is larger than ${ARCHIVE >> 20} MiB`);
  const takes = (path: string) => !PASSED_OVER.test(path) && wanted(path);
  const files = /\.zip$/i.test(name)
    ? ofZip(bytes, takes)
    : untar(/\.tar$/i.test(name) ? bytes : gunzip(bytes), takes);
  return files.map(({ name, bytes }) => ({ path: name, size: bytes.length, bytes: async () => bytes }));
}

function ofZip(bytes: Uint8Array, wanted: (path: string) => boolean) {
  try {
    return unzip(bytes, UNPACKED, MOST, wanted);
  } catch (error) {
    throw new Error(
      error instanceof TooLarge
        ? `it unpacks to more than ${UNPACKED >> 20} MiB`
        : "it is no zip archive, or a damaged one",
    );
  }
}

/** A few bytes can unpack to any amount: what comes out is counted while it comes. */
function gunzip(bytes: Uint8Array): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Gunzip((part) => {
    size += part.length;
    parts.push(part);
  });
  pieces(bytes, (piece, last) => {
    if (size > ARCHIVE) throw new Error(`it unpacks to more than ${ARCHIVE >> 20} MiB`);
    stream.push(piece, last);
  });
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

const BLOCK = 512;

/** Plain files of a tar archive, with the long names that GNU tar and pax write. */
function untar(bytes: Uint8Array, wanted: (path: string) => boolean): { name: string; bytes: Uint8Array }[] {
  const decoder = new TextDecoder();
  const text = (at: number, length: number) =>
    decoder.decode(bytes.subarray(at, at + length)).replace(/\0.*$/s, "");
  const found: { name: string; bytes: Uint8Array }[] = [];
  let longName: string | undefined;
  if (bytes.length < BLOCK || !/^ustar/.test(text(257, 6))) throw new Error("it is no tar archive");
  for (let at = 0; at + BLOCK <= bytes.length; ) {
    if (bytes[at] === 0) break;
    const size = Number.parseInt(text(at + 124, 12).trim() || "0", 8);
    const kind = text(at + 156, 1);
    const from = at + BLOCK;
    if (!Number.isFinite(size) || from + size > bytes.length) throw new Error("it is damaged or incomplete");
    const content = bytes.subarray(from, from + size);
    if (kind === "L") longName = text(from, size);
    else if (kind === "x") longName = /\d+ path=([^\n]*)\n/.exec(decoder.decode(content))?.[1] ?? longName;
    else {
      const prefix = text(at + 345, 155);
      const name = longName ?? (prefix ? `${prefix}/${text(at, 100)}` : text(at, 100));
      longName = undefined;
      if ((kind === "0" || kind === "") && wanted(name))
        found.push({ name: name.replace(/^\.\//, ""), bytes: content });
      if (found.length > MOST) throw tooMany();
    }
    at = from + Math.ceil(size / BLOCK) * BLOCK;
  }
  return found;
}
