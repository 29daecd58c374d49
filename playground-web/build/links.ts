// Where the header's links lead: to the book, which `cargo xtask dist` puts beside the page and says so by VITE_BOOK=beside, otherwise to the same chapters
// in the repository; the repository is the one that Cargo.toml names.

import { readFileSync } from "node:fs";
import type { Plugin } from "vite";

const manifest = readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8");
const repository = /^repository = "(https:[^"]*)"$/m.exec(manifest)?.[1];
if (!repository) throw new Error("Cargo.toml names no repository");

const chapter = (name: string) =>
  process.env.VITE_BOOK === "beside" ? `./book/${name}.html` : `${repository}/blob/main/docs/${name}.md`;

const LINKS: Record<string, string> = {
  book: chapter("introduction"),
  install: chapter("install"),
  source: repository,
};

/** `href="#book"` becomes the address. */
export function links(): Plugin {
  return {
    name: "links",
    transformIndexHtml: {
      order: "pre",
      handler: (html) =>
        Object.entries(LINKS).reduce((html, [id, address]) => {
          const mark = `href="#${id}"`;
          if (!html.includes(mark)) throw new Error(`index.html has no ${mark}`);
          return html.replace(mark, `href="${address}"`);
        }, html),
    },
  };
}
