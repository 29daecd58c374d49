import { defineConfig } from "vitest/config";

// The built page in a real Chromium. `cargo xtask playground --check` builds it first.
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/serve.ts",
    testTimeout: 60_000,
    hookTimeout: 60_000,
    fileParallelism: false,
  },
});
