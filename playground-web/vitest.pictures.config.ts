import { defineConfig } from "vitest/config";

// Pictures of the built page for README and book. `cargo xtask pictures --page` runs it.
export default defineConfig({
  test: {
    include: ["pictures/**/*.pictures.ts"],
    globalSetup: "tests/serve.ts",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 45_000 } },
    fileParallelism: false,
  },
});
