import { defineConfig } from "vitest/config";

// Tests of single modules, without a browser.
export default defineConfig({ test: { include: ["src/**/*.test.ts"] } });
