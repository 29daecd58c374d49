// Writes into the service worker which files it keeps: all of the build, the module in that of its two builds that a browser can run.

import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Plugin } from "vite";

export const SERVICE_WORKER = "sw.js";

export function precache(): Plugin {
  let publicFolder = "";
  return {
    name: "precache",
    apply: "build",
    configResolved(config) {
      publicFolder = config.publicDir;
    },
    generateBundle: {
      order: "post",
      handler(_, bundle) {
        const worker = bundle[SERVICE_WORKER];
        if (worker?.type !== "chunk") return;
        const hash = createHash("sha256");
        const files: string[] = [];
        const modules: string[] = [];
        const take = (name: string, content: string | Uint8Array) => {
          hash.update(name).update("\0").update(content).update("\0");
          (name.endsWith(".wasm") ? modules : files).push(name);
        };
        for (const name of Object.keys(bundle).sort()) {
          const item = bundle[name];
          if (item && name !== SERVICE_WORKER) take(name, item.type === "chunk" ? item.code : item.source);
        }
        for (const name of readdirSync(publicFolder).sort())
          take(name, readFileSync(join(publicFolder, name)));
        hash.update(worker.code);
        const plain = modules.filter((name) => name.startsWith("assets/plain-"));
        // Most visits have no WGSL.
        const later = modules.filter((name) => name.startsWith("assets/wgsl_bg-"));
        const build = {
          version: hash.digest("hex").slice(0, 16),
          files,
          simd: modules.filter((name) => !plain.includes(name) && !later.includes(name)),
          plain,
          later,
        };
        worker.code = `const BUILD = ${JSON.stringify(build)};\n${worker.code}`;
      },
    },
  };
}
