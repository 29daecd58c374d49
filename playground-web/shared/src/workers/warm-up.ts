// Lets a server of its own look at a shader before there is anything to do: browsers compile each function of the module when it is first called, and
// the server makes its tables when it first needs them. That happens while the page's own script is still being read.

import { Server } from "../../pkg/coopmat.js";

const URI = "file:///warm-up/shader.comp";

/** Does a piece of the work at each call; whether there is more of it. */
export function warmUp(text: string): () => boolean {
  let server: Server | undefined = new Server();
  const say = (message: object) => server?.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
  say({ id: 1, method: "initialize", params: { processId: null, rootUri: null, capabilities: {} } });
  say({ method: "initialized", params: {} });
  const textDocument = { uri: URI, languageId: "glsl", version: 0, text };
  say({ method: "textDocument/didOpen", params: { textDocument } });
  return () => {
    const more = server?.step(performance.now()) === 0;
    if (!more) {
      server?.free();
      server = undefined;
    }
    return more;
  };
}
