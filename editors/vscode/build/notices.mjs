// The licences of what the package is made of: the crates, which `cargo xtask notices` has collected, and the npm packages of the bundles.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `bundles`: esbuild's descriptions of what it has put together. `crates`: the file about crates. */
export function notices(bundles, crates) {
  const inputs = bundles.flatMap(({ metafile }) => Object.keys(metafile.inputs));
  const folders = inputs.flatMap((path) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path) ?? []);
  const packages = [...new Set(folders)].sort().map((folder) => {
    const { name, version, license } = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
    const file = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (!file) throw new Error(`${name} has no text of its licence (${license})`);
    return `## ${name} ${version}: ${license}\n\n\`\`\`text\n${readFileSync(join(folder, file), "utf8").trim()}\n\`\`\`\n`;
  });
  const ours = existsSync(crates) ? readFileSync(crates, "utf8") : undefined;
  if (!ours)
    console.log(`without the licences of crates: no ${crates}, which \`cargo xtask notices\` writes`);
  return [ours, "# npm packages in the extension\n", ...packages].filter(Boolean).join("\n");
}
