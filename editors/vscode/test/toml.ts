// What extensions for TOML make of project files and recipes: Even Better TOML's language server, told of the schemas as that extension tells it of
// the manifest's `tomlValidation`. Ends with 0 when wrong files have a mistake and their keys are completed.
//
//   node test/toml.ts

import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { isAbsolute, join, resolve } from "node:path";
import type { RpcMessage, TaploLsp as Taplo } from "@taplo/lsp";

// A bundle that only `require` reads.
const { TaploLsp }: { TaploLsp: typeof Taplo } = createRequire(import.meta.url)("@taplo/lsp");

const here = resolve(import.meta.dirname, "..");
const ADDRESS = "https://raw.githubusercontent.com/coopmat-analyzer/coopmat-analyzer/main/";
const PATIENCE = 60_000;
const FOLDER = "file:///shaders";

/** A file with a mistake, and what is completed in its last line. */
interface Wrong {
  name: string;
  text: string;
  mistake: string;
  completes: string;
}
const WRONG: Wrong[] = [
  {
    name: "gemm.run.toml",
    text: "checked = 1\n",
    mistake: '1 is not of type "boolean"',
    completes: "dispatch",
  },
  {
    name: "coopmat-analyzer.toml",
    text: "device = 1\n",
    mistake: '1 is not of type "string"',
    completes: "include",
  },
];

// The addresses in the manifest are those of this repository's files.
const served = async (request: string | Request) => {
  const url = typeof request === "string" ? request : request.url;
  const ours = url.startsWith(ADDRESS);
  const text = ours ? await readFile(join(here, "../..", url.slice(ADDRESS.length)), "utf8") : "{}";
  const answer = new Response(text, { status: ours ? 200 : 404 });
  return Object.defineProperty(answer, "url", { value: url });
};
globalThis.fetch = served as typeof fetch;

const heard: RpcMessage[] = [];
const settings = { schema: { enabled: true, associations: {}, catalogs: [] } };

/** The first message, come or to come, that is wanted. */
async function wait(wanted: (message: RpcMessage) => boolean): Promise<RpcMessage> {
  for (const end = Date.now() + PATIENCE; Date.now() < end; ) {
    const found = heard.find(wanted);
    if (found) return found;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
  throw new Error(`not heard: ${wanted}; but: ${JSON.stringify(heard).slice(0, 2000)}`);
}

const server = await TaploLsp.initialize(
  {
    cwd: () => "/shaders",
    envVar: () => undefined,
    envVars: () => [],
    findConfigFile: () => undefined,
    glob: () => [],
    isAbsolute,
    now: () => new Date(),
    readFile: async (path) => new Uint8Array(await readFile(path)),
    writeFile: async () => {},
    stdErrAtty: () => false,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: async (bytes: Uint8Array) => bytes.length,
    urlToFilePath: (url) => decodeURI(url).slice("file://".length),
    fetch: { fetch: served, Headers, Request, Response },
  },
  {
    onMessage: (message) => {
      heard.push(message);
      if (message.method && message.id !== undefined) {
        const items = message.method === "workspace/configuration" ? message.params.items : undefined;
        server.send({ jsonrpc: "2.0", id: message.id, result: items?.map(() => settings) ?? null });
      }
    },
  },
);
const notify = (method: string, params: unknown) => server.send({ jsonrpc: "2.0", method, params });
const ask = async (id: number, method: string, params: unknown) => {
  server.send({ jsonrpc: "2.0", id, method, params });
  return wait((message) => message.id === id && !message.method);
};

const completion = { completionItem: { snippetSupport: true } };
await ask(1, "initialize", {
  processId: null,
  rootUri: FOLDER,
  workspaceFolders: [{ uri: FOLDER, name: "shaders" }],
  capabilities: { textDocument: { completion } },
  initializationOptions: { configurationSection: "evenBetterToml" },
});
notify("initialized", {});
await wait((message) => message.method === "workspace/configuration");
const manifest = JSON.parse(await readFile(join(here, "package.json"), "utf8"));
for (const { fileMatch, url } of manifest.contributes.tomlValidation)
  notify("taplo/associateSchema", {
    schemaUri: url,
    priority: 10,
    rule: { glob: `**/${fileMatch}` },
    meta: { source: "extension" },
  });
for (const [at, { name, text, mistake, completes }] of WRONG.entries()) {
  const uri = `${FOLDER}/${name}`;
  notify("textDocument/didOpen", { textDocument: { uri, languageId: "toml", version: 1, text } });
  await wait(
    ({ method, params }) =>
      method === "textDocument/publishDiagnostics" &&
      params.uri === uri &&
      params.diagnostics.some((one: { message: string }) => one.message.includes(mistake)),
  );
  const position = { line: text.split("\n").length - 1, character: 0 };
  const { result } = await ask(10 + at, "textDocument/completion", { textDocument: { uri }, position });
  const labels = (result ?? []).map((item: { label: string }) => item.label);
  if (!labels.includes(completes)) throw new Error(`${name}: ${completes} is not completed: ${labels}`);
  console.log(`ok      ${name}: ${mistake}; ${labels.length} keys are completed`);
}
process.exit(0);
