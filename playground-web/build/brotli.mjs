// `node brotli.mjs FOLDER [--keep] [--known FILE]`: prints `BYTES COMPRESSED NAME` for each file, and writes the compressed ones beside them on request.
// FILE remembers the sizes of contents that were compressed before: at the best quality a module takes half a minute.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { promisify } from "node:util";
import { brotliCompress, constants } from "node:zlib";

const [folder, ...options] = process.argv.slice(2);
const keep = options.includes("--keep");
const memory = options[options.indexOf("--known") + 1];
const remembers = options.includes("--known") && memory !== undefined;
const known = remembers && existsSync(memory) ? JSON.parse(readFileSync(memory, "utf8")) : {};

// Not the one that blocks: each file has a thread of its own.
const compress = promisify(brotliCompress);
const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 };

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name))
  .sort();

for (const old of files.filter((file) => file.endsWith(".br"))) rmSync(old);

const lines = await Promise.all(
  files
    .filter((file) => !file.endsWith(".br"))
    .map(async (file) => {
      const bytes = readFileSync(file);
      const hash = createHash("sha256").update(bytes).digest("hex");
      if (keep || known[hash] === undefined) {
        const compressed = await compress(bytes, { params });
        known[hash] = compressed.length;
        if (keep) writeFileSync(`${file}.br`, compressed);
      }
      return `${bytes.length} ${known[hash]} ${relative(folder, file)}`;
    }),
);
for (const line of lines) console.log(line);
if (remembers) {
  mkdirSync(dirname(memory), { recursive: true });
  writeFileSync(memory, JSON.stringify(known));
}
