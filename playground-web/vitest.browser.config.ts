import { defineConfig } from "vitest/config";
import { Outcome } from "./tests/outcome.ts";

// The built page in a real Chromium, and a few visits in a real Firefox. `cargo xtask playground --check` builds it first. Machines are slow at times: whoever waits, waits for
// something, and for long; a test that fails is tried once more, and named even when it passes then.
export default defineConfig({
  test: {
    include: ["tests/**/*.test.ts"],
    globalSetup: "tests/serve.ts",
    testTimeout: 180_000,
    hookTimeout: 120_000,
    expect: { poll: { timeout: 45_000, interval: 50 } },
    retry: 1,
    reporters: ["default", new Outcome()],
    maxWorkers: 2,
  },
});
