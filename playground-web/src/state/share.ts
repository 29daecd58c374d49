// Links that carry a whole project behind the `#`, which browsers never send to a server.

import { deflateSync, inflateSync, strFromU8, strToU8 } from "fflate";
import { checked, LIMITS, type Project } from "./project";

/** The first letter tells the form, so that a later one can differ. */
const FORM = "1";
const KEY = "p=";

export function encode(project: Project): string {
  const bytes = deflateSync(strToU8(JSON.stringify(project)), { level: 9 });
  let binary = "";
  for (let at = 0; at < bytes.length; at += 0x8000)
    binary += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  const base64 = btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `#${KEY}${FORM}${base64}`;
}

/** `undefined`: the link carries nothing. An error says what is wrong with what it carries. */
export function decode(hash: string): Project | undefined {
  const at = hash.replace(/^#/, "");
  if (!at.startsWith(KEY)) return undefined;
  const form = at.charAt(KEY.length);
  if (form !== FORM) throw new Error("it was made by another version of this page");
  const base64 = at
    .slice(KEY.length + 1)
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  let json: string;
  try {
    const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
    // A bound on what comes out: a few bytes can unpack to any amount.
    const out = inflateSync(bytes, { out: new Uint8Array(LIMITS.text * 2) });
    json = strFromU8(out);
  } catch {
    throw new Error("it is damaged or incomplete");
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error("it is damaged or incomplete");
  }
  return checked(value);
}
