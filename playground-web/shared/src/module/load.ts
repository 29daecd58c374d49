// Loads the module in the build that this browser can run. The one without vector instructions is made by `cargo xtask dist` alone.

import vectors from "../../pkg/coopmat_bg.wasm?url";
import { hasSimd } from "./vectors";

const plain = import.meta.glob<string>("../../pkg/plain/coopmat_bg.wasm", {
  query: "?url",
  import: "default",
  eager: true,
});

export async function loadModule(): Promise<WebAssembly.Module> {
  const address = hasSimd() ? vectors : Object.values(plain)[0];
  if (!address) throw new Error("this browser lacks WebAssembly's vector instructions (SIMD)");
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answers ${answer.status} for ${address}`);
  // Some static hosts know no type for .wasm, which compiling while it loads insists on.
  return answer.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(answer)
    : WebAssembly.compile(await answer.arrayBuffer());
}
