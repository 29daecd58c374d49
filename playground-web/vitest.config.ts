import { defineConfig } from "vitest/config";
import { Outcome } from "./tests/outcome.ts";

// Tests of single modules, without a browser.
export default defineConfig({
  test: {
    include: ["{src,shared/src,build}/**/*.test.ts"],
    testTimeout: 60_000,
    reporters: ["default", new Outcome()],
  },
});
