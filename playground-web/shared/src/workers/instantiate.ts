// Puts the module in place in a worker, or says that it is another version's: the two are files of their own, which a host, a cache or a build may mix.

import { initSync, interfaceVersion } from "../../pkg/coopmat.js";

/** `INTERFACE` in `playground-web/wasm/src/interface.rs`. */
const INTERFACE = 4;

export const OTHER_VERSION =
  "the module and the scripts of this page are of two versions: reload the page, without the browser's cache if that does not help";

export function instantiate(module: WebAssembly.Module) {
  try {
    initSync({ module });
    if (interfaceVersion() === INTERFACE) return;
  } catch (error) {
    // Something is missing on one side or the other: an import, or an export that is called.
    if (!(error instanceof WebAssembly.LinkError || error instanceof TypeError)) throw error;
  }
  throw new Error(OTHER_VERSION);
}
