// `node brotli.mjs FOLDER [--keep]`: prints `BYTES COMPRESSED NAME` for each file, and writes the compressed ones beside them on request.

import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { brotliCompressSync, constants } from "node:zlib";

const [folder, keep] = process.argv.slice(2);

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name));

for (const file of files.sort()) {
  if (file.endsWith(".br")) {
    rmSync(file);
    continue;
  }
  const bytes = readFileSync(file);
  const compressed = brotliCompressSync(bytes, {
    params: { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_LGWIN]: 24 },
  });
  console.log(`${bytes.length} ${compressed.length} ${relative(folder, file)}`);
  if (keep) writeFileSync(`${file}.br`, compressed);
}
