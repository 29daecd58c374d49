import { defineConfig } from "vitest/config";

// The gallery's pictures, made of runs in the built page. `cargo xtask playground --thumbnails` runs it.
export default defineConfig({
  test: {
    include: ["build/thumbnails/*.chore.ts"],
    globalSetup: "tests/serve.ts",
    testTimeout: 600_000,
    hookTimeout: 60_000,
    expect: { poll: { timeout: 60_000 } },
    fileParallelism: false,
  },
});
