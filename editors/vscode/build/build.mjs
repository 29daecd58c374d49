// Makes the extension's folder: bundles, grammars, the manifest with the server's settings, the module, the program.
// `node build/build.mjs OUT [--program FILE] [--web]`: FILE is the native server, and with `--web` the extension has the entry for browsers
// alone, so that any VS Code runs it as VS Code for the Web does.

import { copyFileSync, cpSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { publicAddress } from "@coopmat/shared/address";
import { build } from "esbuild";
import { assembly } from "./assembly.mjs";
import { embedded } from "./embedded.mjs";
import { grammar, injection } from "./grammar.mjs";
import { icons } from "./icons.mjs";
import { settings } from "./settings.mjs";
import { words } from "./words.mjs";

const here = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const root = resolve(here, "../..");
const option = (name) => {
  const at = process.argv.indexOf(name);
  return at < 0 ? undefined : process.argv[at + 1];
};
const out = resolve(process.argv[2] ?? join(here, "out"));
const module = fileURLToPath(import.meta.resolve("@coopmat/shared/pkg/coopmat_bg.wasm"));
const program = option("--program");

rmSync(out, { recursive: true, force: true });
const dist = join(out, "dist");
mkdirSync(dist, { recursive: true });
const json = (path) => JSON.parse(readFileSync(path, "utf8"));
const write = (path, value) => writeFileSync(path, `${JSON.stringify(value, null, 1)}\n`);

const common = {
  bundle: true,
  minify: true,
  sourcemap: false,
  logLevel: "warning",
  legalComments: "none",
  target: "es2022",
};
await Promise.all([
  build({
    ...common,
    entryPoints: { node: join(here, "src/node.ts"), "node-worker": join(here, "src/server/node-worker.ts") },
    outdir: dist,
    platform: "node",
    format: "cjs",
    external: ["vscode"],
    // The module is handed over compiled; nothing looks for it beside this file.
    define: { "import.meta.url": '"file:///"' },
  }),
  build({
    ...common,
    entryPoints: { web: join(here, "src/web.ts") },
    outdir: dist,
    platform: "browser",
    format: "cjs",
    external: ["vscode"],
  }),
  build({
    ...common,
    entryPoints: {
      "web-worker": "@coopmat/shared/workers/server",
      results: join(here, "src/run/results.ts"),
      matrices: join(here, "src/matrices/view.ts"),
    },
    outdir: dist,
    platform: "browser",
    format: "iife",
    define: { "import.meta.url": '"file:///"' },
  }),
]);

const known = words(join(root, "analysis/extensions"));
write(join(dist, "glsl.tmLanguage.json"), grammar(known));
write(join(dist, "coopmat.tmLanguage.json"), injection(known));
write(join(dist, "embedded.tmLanguage.json"), embedded());
write(join(dist, "spirv.tmLanguage.json"), assembly());
for (const [name, text] of icons()) {
  mkdirSync(join(dist, "icons"), { recursive: true });
  writeFileSync(join(dist, "icons", name), text);
}
copyFileSync(module, join(dist, "coopmat_bg.wasm"));
// The playground, which the entry for desktops serves with this module.
if (!process.argv.includes("--web")) {
  const page = join(root, "playground-web/dist");
  const served = (path) => !path.endsWith(".wasm") && !path.startsWith(join(page, "book"));
  cpSync(page, join(out, "page"), { recursive: true, filter: served });
}
if (program) {
  mkdirSync(join(out, "server"));
  copyFileSync(
    program,
    join(out, "server", program.endsWith(".exe") ? "coopmat-analyzer.exe" : "coopmat-analyzer"),
  );
}

const manifest = json(join(here, "package.json"));
Object.assign(
  manifest.contributes.configuration.properties,
  settings(json(join(root, "lsp/core/settings.schema.json"))),
);
manifest.contributes.configuration.properties["coopmat-analyzer.playground.url"].default = publicAddress();
// Everything is bundled.
for (const key of ["dependencies", "devDependencies", "scripts", "private"]) delete manifest[key];
if (process.argv.includes("--web")) delete manifest.main;
write(join(out, "package.json"), manifest);
for (const name of ["README.md", "language-configuration.json", "spirv-configuration.json"])
  copyFileSync(join(here, name), join(out, name));
for (const name of ["snippets", "media"]) cpSync(join(here, name), join(out, name), { recursive: true });
copyFileSync(join(root, "CHANGELOG.md"), join(out, "CHANGELOG.md"));
// Links to our pictures are relative; the marketplace has them beside the text.
writeFileSync(
  join(out, "LICENSE"),
  ["LICENSE-MIT", "LICENSE-APACHE"].map((name) => readFileSync(join(root, name), "utf8")).join("\n\n"),
);
if (existsSync(join(here, ".vscodeignore")))
  copyFileSync(join(here, ".vscodeignore"), join(out, ".vscodeignore"));
console.log(
  `${known.types.length} types, ${known.functions.length} functions, ${known.constants.length} constants`,
);
