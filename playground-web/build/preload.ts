// Tells the browser in the page's first lines which script the first one will import, so that it does not wait for it. The module is not told of: the
// first script knows which of its two builds this browser runs.

import type { HtmlTagDescriptor, Plugin } from "vite";

export function preload(): Plugin {
  return {
    name: "preload",
    apply: "build",
    transformIndexHtml: {
      order: "post",
      handler(_, { bundle }) {
        const main = Object.values(bundle ?? {}).filter(
          (item) => item.type === "chunk" && item.facadeModuleId?.endsWith("/src/main.ts"),
        );
        return main.map(
          ({ fileName }): HtmlTagDescriptor => ({
            tag: "link",
            attrs: { rel: "modulepreload", href: `./${fileName}`, crossorigin: true },
            injectTo: "head",
          }),
        );
      },
    },
  };
}
