// The extension's own copy of the playground, which this machine's browsers alone reach, while the window is open. It is served, rather than opened as a
// file, because browsers load workers and WebAssembly from hosts only.

import { readFile } from "node:fs/promises";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import type * as vscode from "vscode";

const TYPES: Record<string, string> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
};

/** The file for a path of the page; nothing for what is none of its own. */
function file(context: vscode.ExtensionContext, path: string): string | undefined {
  const parts = path.split("/").filter((part) => part !== "");
  if (parts.some((part) => !/^[\w][\w.-]*$/.test(part))) return undefined;
  // The page has the extension's own module, under a name that says which one it is.
  if (path.endsWith(".wasm")) return context.asAbsolutePath("dist/coopmat_bg.wasm");
  return join(context.asAbsolutePath("page"), ...(parts.length > 0 ? parts : ["index.html"]));
}

async function answer(context: vscode.ExtensionContext, url: string, response: ServerResponse) {
  const path = file(context, decodeURIComponent(new URL(url, "http://localhost").pathname));
  const bytes = path && (await readFile(path));
  if (!bytes) throw new Error("no such file");
  const type = TYPES[extname(path)] ?? "application/octet-stream";
  response.writeHead(200, { "content-type": type, "x-content-type-options": "nosniff" }).end(bytes);
}

/** In milliseconds: who waits for a page wants to see one. */
const PATIENCE = 4000;

/** Whether there is a page at an address. One that asks who one is, is there. */
export async function answers(address: string): Promise<boolean> {
  try {
    const { status } = await fetch(address, { method: "HEAD", signal: AbortSignal.timeout(PATIENCE) });
    return status !== 404 && status !== 410 && status < 500;
  } catch {
    return false;
  }
}

/** Gives the page's address; the first time, it is served from then on. */
export function pageOf(context: vscode.ExtensionContext): () => Promise<string> {
  let served: Promise<string> | undefined;
  const serve = () =>
    new Promise<string>((resolve, reject) => {
      const server = createServer((request, response) => {
        const missing = () => response.writeHead(404).end();
        if (request.method === "GET") answer(context, request.url ?? "/", response).catch(missing);
        else missing();
      });
      server.on("error", reject);
      server.listen(0, "127.0.0.1", () =>
        resolve(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`),
      );
      context.subscriptions.push({ dispose: () => server.close() });
    });
  return () => {
    served ??= serve();
    return served;
  };
}
