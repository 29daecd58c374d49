import { expect, test } from "vitest";
import { mishap } from "./mishaps";

test("what nobody caught is told in its own words", () => {
  expect(mishap(new TypeError("ran.take is not a function"))).toContain("ran.take is not a function");
  expect(mishap({ code: -32603, message: "it panicked" })).toContain("it panicked");
  expect(mishap("plain")).toContain("plain");
  expect(mishap(undefined)).toContain("undefined");
});

test("a script that is gone is told to be so, and who asks a server that has stopped hears of it once", () => {
  const gone = new TypeError("Failed to fetch dynamically imported module: http://host/assets/vim-1.js");
  expect(mishap(gone)).toContain("newer version");
  expect(
    mishap({ code: -32803, message: "the language server has stopped (out of memory)" }),
  ).toBeUndefined();
});

test("what is asked again anyway is nobody's concern", () => {
  expect(mishap({ code: -32800, message: "cancelled" })).toBeUndefined();
  expect(mishap("ResizeObserver loop completed with undelivered notifications.")).toBeUndefined();
});
