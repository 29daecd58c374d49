// The page's public address, from the one place that says it: `[workspace.metadata.playground]` of the root Cargo.toml. For the build of the page, which
// tells it in "Share", and for that of the extension for VS Code, which opens shaders there.

import { readFileSync } from "node:fs";
import { parse } from "smol-toml";

/** @param {string} [text] of a Cargo.toml; nothing: the repository's own. */
export function publicAddress(text = readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8")) {
  const address = parse(text).workspace?.metadata?.playground?.address;
  if (typeof address !== "string" || !/^https:\/\/.+\/$/.test(address))
    throw new Error("[workspace.metadata.playground] of Cargo.toml has no `address` that ends in a slash");
  return address;
}
