import { defineConfig } from "vitest/config";

// The speed of the built page. `cargo xtask bench --playground` runs it; its figures are never a test's.
export default defineConfig({
  test: {
    include: ["bench/**/*.bench.ts"],
    globalSetup: "tests/serve.ts",
    testTimeout: 120_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 30_000 } },
    fileParallelism: false,
  },
});
