import { expect, test } from "vitest";
import note from "../../../analysis/diagnostics/missing-configuration.md?raw";
import { advised } from "./advice";

const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 1 } };

test("what a build defines is said in the page", () => {
  // The words of the server, from the page of the diagnostic.
  const message = /<- missing-configuration: (.*)/.exec(note)?.[1] ?? "";
  const told = advised({ range, message, code: "missing-configuration" }).message;
  expect(told).toMatch(/^this shader needs macros that its build defines \(`A_TYPE`, `TILE`\)\. Say what/);
  expect(told).not.toContain("set up");
});

test("other diagnostics stay as they are", () => {
  const found = { range, message: "unknown: set up", code: "syntax-error" };
  expect(advised(found)).toBe(found);
});
