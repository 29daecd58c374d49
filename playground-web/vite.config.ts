import { publicAddress } from "@coopmat/shared/address";
import { defineConfig } from "vite";
import { documentation } from "./build/documentation.ts";
import { icons } from "./build/icons.ts";
import { links } from "./build/links.ts";
import { precache, SERVICE_WORKER } from "./build/precache.ts";
import { preload } from "./build/preload.ts";

export default defineConfig({
  // Relative addresses: the folder works under any path of a static host.
  base: "./",
  define: { PUBLIC_ADDRESS: JSON.stringify(publicAddress()) },
  plugins: [documentation(), icons(), links(), preload(), precache()],
  build: {
    target: "es2022",
    sourcemap: false,
    rolldownOptions: {
      input: { index: "index.html", sw: "src/offline/worker.ts" },
      output: {
        // A service worker serves what lies beside and below it, so it is the one script at the top; and its name never changes.
        // The module that few browsers take has a name of its own.
        assetFileNames: ({ originalFileNames }) =>
          originalFileNames.some((name) => name.includes("pkg/plain/"))
            ? "assets/plain-[hash][extname]"
            : "assets/[name]-[hash][extname]",
        entryFileNames: ({ name }) => (name === "sw" ? SERVICE_WORKER : "assets/[name]-[hash].js"),
      },
    },
  },
  worker: { format: "es" },
});
