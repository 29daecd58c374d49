import { defineConfig } from "vite";

export default defineConfig({
  // Relative addresses: the folder works under any path of a static host.
  base: "./",
  build: { target: "es2022", sourcemap: false },
  worker: { format: "es" },
});
