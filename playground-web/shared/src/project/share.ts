// Links that carry a whole project behind the `#`, which browsers never send to a server, or name the example that it is.

import { deflateSync, strFromU8, strToU8 } from "fflate";
import { fromBase64, toBase64 } from "../data";
import { checkedLink, LIMITS, type Project, type Reference } from "./project";
import { inflate, TooLarge } from "./unpack";

/** The first letter tells the form, so that a later one can differ. What a later version adds to a project is no other form: what is not known is ignored. */
const FORM = "1";
const KEY = "p=";

export function encode(project: Project | Reference): string {
  const bytes = deflateSync(strToU8(JSON.stringify(project)), { level: 9 });
  const base64 = toBase64(bytes).replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
  return `#${KEY}${FORM}${base64}`;
}

/** Whether the part of an address behind the `#` is meant to carry a project. */
export const isLink = (hash: string) => hash.startsWith(`#${KEY}`);

/** `undefined`: the link carries nothing. An error says what is wrong with what it carries. */
export function decode(hash: string): Project | Reference | undefined {
  if (!isLink(hash)) return undefined;
  const at = hash.slice(1);
  const form = at.charAt(KEY.length);
  if (form !== FORM) throw new Error("it was made by another version of this page");
  const base64 = at
    .slice(KEY.length + 1)
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  let json: string;
  const damaged = "it is damaged or incomplete";
  try {
    const bytes = fromBase64(base64);
    json = strFromU8(inflate(bytes, LIMITS.text * 2));
  } catch (error) {
    throw new Error(error instanceof TooLarge ? "it unpacks to more than a project may hold" : damaged);
  }
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error(damaged);
  }
  return checkedLink(value);
}
