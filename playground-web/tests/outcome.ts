// What became of the tests, at the end of all the output: which failed, and which passed at the second try alone, as what fails seldom is not
// to be overlooked. The same goes into `target/playground/outcome.txt`, where `cargo xtask test` counts it.

import { mkdirSync, writeFileSync } from "node:fs";
import type { Reporter, TestCase, TestModule } from "vitest/node";

const FOLDER = new URL("../../target/playground/", import.meta.url).pathname;

const firstLine = (words: string) => words.replace(/\n.*/s, "");

export class Outcome implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]) {
    const tests = modules.flatMap((module) => Array.from(module.children.allTests()));
    const of = (wanted: string) => tests.filter((test) => test.result().state === wanted);
    const named = (test: TestCase) =>
      `${test.module.relativeModuleId}: ${test.fullName}: ${(test.result().errors ?? []).map(({ message }) => firstLine(message)).join("; then ")}`;
    const broken = modules.filter((module) => module.state() === "failed" && module.errors().length > 0);
    const lines = [
      `passed ${of("passed").length}`,
      ...of("failed").map((test) => `failed ${named(test)}`),
      ...broken.map(
        (module) => `failed ${module.relativeModuleId}: ${firstLine(module.errors()[0]?.message ?? "")}`,
      ),
      ...of("passed")
        .filter((test) => (test.diagnostic()?.retryCount ?? 0) > 0)
        .map((test) => `retried ${named(test)}`),
    ];
    mkdirSync(FOLDER, { recursive: true });
    writeFileSync(`${FOLDER}outcome.txt`, `${lines.join("\n")}\n`);
    for (const line of lines.slice(1)) console.log(line);
  }
}
