// Fetches and compiles a WebAssembly module.

export async function fetchModule(address: string): Promise<WebAssembly.Module> {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(`the server answers ${answer.status} for ${address}`);
  // Some static hosts know no type for .wasm, which compiling while it loads insists on.
  return answer.headers.get("content-type")?.startsWith("application/wasm")
    ? WebAssembly.compileStreaming(answer)
    : WebAssembly.compile(await answer.arrayBuffer());
}
