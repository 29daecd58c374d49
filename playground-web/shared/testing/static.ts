// A static host as simple as they come, with a folder below some path.

import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname } from "node:path";

const TYPES: Record<string, string> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

export interface Host {
  address: string;
  /** What is answered for a file from now on. */
  change(file: string, edit: (text: string) => string): void;
  stop(): void;
}

/** `folder`: an address that ends in a slash. */
export async function serveBelow(path: string, folder: URL): Promise<Host> {
  const edits = new Map<string, (text: string) => string>();
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "/", "http://host/");
    try {
      if (!pathname.startsWith(path) || pathname.includes("..")) throw new Error("not here");
      const file = pathname.slice(path.length) || "index.html";
      const bytes = readFileSync(new URL(file, folder));
      const edit = edits.get(file);
      response.setHeader("content-type", TYPES[extname(file)] ?? "application/octet-stream");
      response.end(edit ? edit(bytes.toString()) : bytes);
    } catch {
      response.statusCode = 404;
      response.end();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    address: `http://127.0.0.1:${port}${path}`,
    change: (file, edit) => edits.set(file, edit),
    stop() {
      server.closeAllConnections();
      server.close();
    },
  };
}
