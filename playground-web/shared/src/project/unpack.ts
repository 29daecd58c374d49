// Unpacks what came from outside. A few bytes can unpack to any amount, so what comes out is counted while it comes.

import { Inflate, Unzip, UnzipInflate } from "fflate";

/** Deflate makes at most a thousand bytes of one: what comes out between two looks at the count is bounded by this. */
const STEP = 4096;

export class TooLarge extends Error {}

/** Calls `push` with the input in small pieces. */
export function pieces(bytes: Uint8Array, push: (piece: Uint8Array, last: boolean) => void) {
  for (let at = 0; at < bytes.length; at += STEP)
    push(bytes.subarray(at, at + STEP), at + STEP >= bytes.length);
}

function joined(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** Deflated bytes, of at most `limit` when they are unpacked. */
export function inflate(bytes: Uint8Array, limit: number): Uint8Array {
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Inflate((part) => {
    size += part.length;
    parts.push(part);
  });
  pieces(bytes, (piece, last) => {
    if (size > limit) throw new TooLarge();
    stream.push(piece, last);
  });
  if (size > limit) throw new TooLarge();
  return joined(parts);
}

export interface Entry {
  name: string;
  bytes: Uint8Array;
}

/**
 * The files of a zip archive; `wanted` says which. More than `limit` bytes or `files` entries are `TooLarge`; any other error means that it is
 * no zip.
 */
export function unzip(
  bytes: Uint8Array,
  limit: number,
  files: number,
  wanted: (name: string) => boolean = () => true,
): Entry[] {
  const entries: { name: string; parts: Uint8Array[]; whole: boolean }[] = [];
  let size = 0;
  let any = false;
  const stream = new Unzip((file) => {
    if (file.name.endsWith("/")) return;
    any = true;
    if (!wanted(file.name)) return;
    if (entries.length === files) throw new TooLarge();
    const entry = { name: file.name, parts: [] as Uint8Array[], whole: false };
    entries.push(entry);
    file.ondata = (error, part, last) => {
      if (error) throw error;
      size += part.length;
      if (size > limit) throw new TooLarge();
      entry.parts.push(part);
      entry.whole ||= last;
    };
    file.start();
  });
  stream.register(UnzipInflate);
  pieces(bytes, (piece, last) => stream.push(piece, last));
  if (!any || !entries.every(({ whole }) => whole)) throw new Error("no whole file in it");
  return entries.map(({ name, parts }) => ({ name, bytes: joined(parts) }));
}
