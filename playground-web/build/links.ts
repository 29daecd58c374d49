// Where the header's links lead: to the book, which `cargo xtask dist` puts beside the page and says so by VITE_BOOK=beside, otherwise to the one beside the
// public page; and to the repository that Cargo.toml names.

import { readFileSync } from "node:fs";
import { publicAddress } from "@coopmat/shared/address";
import { parse } from "smol-toml";
import type { Plugin } from "vite";

const manifest = parse(readFileSync(new URL("../../Cargo.toml", import.meta.url), "utf8")) as {
  workspace?: { package?: { repository?: string } };
};
const repository = manifest.workspace?.package?.repository;
if (!repository) throw new Error("Cargo.toml names no repository");

const book = process.env.VITE_BOOK === "beside" ? "./book/" : `${publicAddress()}book/`;

const LINKS: Record<string, string> = {
  book: `${book}introduction.html`,
  install: `${book}install.html`,
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
