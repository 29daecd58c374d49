// The server as WebAssembly, spoken to as `cargo xtask bench` speaks to the native one: node server.mjs PKG SHADER
// Prints the milliseconds of each step as JSON.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";

const [pkg, shader] = process.argv.slice(2);
let last = performance.now();
const times = {};
const lap = (name) => {
  const now = performance.now();
  times[name] = now - last;
  last = now;
};

const { initSync, Server } = await import(pathToFileURL(resolve(pkg, "coopmat.js")).href);
initSync({ module: readFileSync(resolve(pkg, "coopmat_bg.wasm")) });
const server = new Server();
const uri = "file:///bench/gemm.comp";

function send(message) {
  server.receive(JSON.stringify({ jsonrpc: "2.0", ...message }));
}

// Works until a message comes that is waited for; what the server asks is answered with nothing.
async function until(wanted) {
  for (;;) {
    const wait = server.step(performance.now());
    for (const text of server.takeMessages()) {
      const message = JSON.parse(text);
      if (message.id !== undefined && message.method !== undefined) {
        const count = message.params?.items?.length;
        send({ id: message.id, result: count === undefined ? null : Array(count).fill(null) });
      } else if (message.error) {
        throw new Error(text);
      } else if (wanted(message)) {
        return message;
      }
    }
    if (wait < 0) throw new Error("the server has nothing left to do");
    if (wait > 0) await new Promise((done) => setTimeout(done, wait));
  }
}

const answer = (id) => until((message) => message.id === id && message.method === undefined);
const published = (version) =>
  until((message) => message.method === "textDocument/publishDiagnostics" && message.params.version === version);

const text = readFileSync(shader, "utf8");
const recipe = readFileSync(shader.replace(/\.comp$/, ".run.toml"), "utf8");
send({ id: 1, method: "initialize", params: { capabilities: { textDocument: { publishDiagnostics: { versionSupport: true } } } } });
await answer(1);
send({ method: "initialized", params: {} });
lap("start");
send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "glsl", version: 1, text } } });
await published(1);
lap("diagnostics");
const end = { line: text.split("\n").length - 1, character: 0 };
send({
  method: "textDocument/didChange",
  params: { textDocument: { uri, version: 2 }, contentChanges: [{ range: { start: end, end }, text: "// x\n" }] },
});
await published(2);
lap("keystroke");
send({ id: 2, method: "coopmat-analyzer/spirv", params: { textDocument: { uri } } });
await answer(2);
lap("module");
send({ id: 3, method: "coopmat-analyzer/run", params: { textDocument: { uri }, recipe } });
await answer(3);
lap("run");
console.log(JSON.stringify(times));
