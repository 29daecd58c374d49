// Loads the module in the build that this browser can run. The one without vector instructions is made by `cargo xtask dist` alone.

import vectors from "../../pkg/coopmat_bg.wasm?url";
import { fetchModule } from "./fetch";
import { hasSimd } from "./vectors";

const plain = import.meta.glob<string>("../../pkg/plain/coopmat_bg.wasm", {
  query: "?url",
  import: "default",
  eager: true,
});

export async function loadModule(): Promise<WebAssembly.Module> {
  const address = hasSimd() ? vectors : Object.values(plain)[0];
  if (!address) throw new Error("this browser lacks WebAssembly's vector instructions (SIMD)");
  return fetchModule(address);
}
