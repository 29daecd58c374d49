// Where this page is published, and whom a link to the page that is open reaches: one to localhost is of no use to anybody else.

/** Written by the build, from the root Cargo.toml. */
declare const PUBLIC_ADDRESS: string;

export const published = () => PUBLIC_ADDRESS;

export type Reach = "everyone" | "network" | "machine";

/** Names that are of a network alone, by RFC 6762 (`local`), RFC 8375 (`home.arpa`) and ICANN's reservation of `internal`; and those in wide use. */
const PRIVATE_NAMES = /(^|\.)(local|internal|home\.arpa|lan|home|corp|intranet)$/;

/** Who can open a link that begins with this address. */
export function reach(address: string): Reach {
  const { protocol, hostname } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") return "machine";
  const name = hostname.replace(/\.$/, "");
  if (name.startsWith("[")) return ofSixth(name.slice(1, -1));
  const numbers = /^(\d+)\.(\d+)\.\d+\.\d+$/.exec(name);
  if (numbers) return ofFourth(Number(numbers[1]), Number(numbers[2]));
  if (/(^|\.)localhost$/.test(name)) return "machine";
  // A name without a dot is one that only this network knows.
  return PRIVATE_NAMES.test(name) || !name.includes(".") ? "network" : "everyone";
}

/** IPv4: loopback, then the blocks of RFC 1918, RFC 3927 and RFC 6598. */
function ofFourth(first: number, second: number): Reach {
  if (first === 127 || first === 0) return "machine";
  const own =
    first === 10 ||
    (first === 172 && second >= 16 && second < 32) ||
    (first === 192 && second === 168) ||
    (first === 169 && second === 254) ||
    (first === 100 && second >= 64 && second < 128);
  return own ? "network" : "everyone";
}

/** IPv6, as URLs write it: loopback, unique local and link-local addresses. */
function ofSixth(address: string): Reach {
  if (address === "::1" || address === "::") return "machine";
  // An address of IPv4 within: its last two words.
  const inner = /^::ffff:([0-9a-f]+):[0-9a-f]+$/.exec(address);
  if (inner) {
    const word = Number.parseInt(inner[1] ?? "", 16);
    return ofFourth(word >> 8, word & 0xff);
  }
  return /^(f[cd]|fe[89ab])/.test(address) ? "network" : "everyone";
}

/** The same link at another address of the page: what it carries stands behind the `#`. */
export const at = (page: string, link: string): string => new URL(new URL(link).hash, page).href;
