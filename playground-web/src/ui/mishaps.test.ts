import { expect, test } from "vitest";
import { mishap } from "./mishaps";

test("what nobody caught is told in its own words", () => {
  expect(mishap(new TypeError("ran.take is not a function"))).toContain("ran.take is not a function");
  expect(mishap({ code: -32603, message: "it panicked" })).toContain("it panicked");
  expect(mishap("plain")).toContain("plain");
  expect(mishap(undefined)).toContain("undefined");
});

test("what is asked again anyway is nobody's concern", () => {
  expect(mishap({ code: -32800, message: "cancelled" })).toBeUndefined();
  expect(mishap("ResizeObserver loop completed with undelivered notifications.")).toBeUndefined();
});
