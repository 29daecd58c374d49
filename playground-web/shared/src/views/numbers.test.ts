import { describe, expect, test } from "vitest";
import { distance, exact, hex, short, unitInLastPlace, widthOf } from "./numbers";

test("numbers in cells take five characters at the most", () => {
  const shown = [0, -0, 0.25, -0.0901, 1 / 3, 12345, 123456, -99999, 1e-7, -2.71234, 65504, 1e300, -1e300];
  expect(shown.map(short).join(" ")).toBe(
    "0 −0 .25 −.09 .333 12345 1.2e5 −1e5 1e-7 −2.71 65504 1e300 −1e300",
  );
  expect([Number.NaN, Infinity, -Infinity].map(short)).toEqual(["NaN", "∞", "−∞"]);
});

test("in words they are exact", () => {
  expect([0.1, -0, -3.5e-6, -Infinity].map(exact)).toEqual(["0.1", "−0", "−3.5e-6", "−infinity"]);
});

describe("the distance to what is expected", () => {
  test("in units in the last place of the component", () => {
    expect(distance("ulp", "float32_t", 1 + 2 ** -23, 1)).toBe(1);
    expect(distance("ulp", "float16_t", 1 + 2 ** -9, 1)).toBe(2);
    expect(distance("ulp", "int8_t", 7, 5)).toBe(2);
    // Subnormal numbers have the step of the smallest normal one.
    expect(unitInLastPlace("float16_t", 2 ** -20)).toBe(2 ** -24);
  });

  test("of what is no number", () => {
    expect(distance("absolute", "float32_t", Number.NaN, Number.NaN)).toBe(0);
    expect(distance("absolute", "float32_t", Number.NaN, 1)).toBeNaN();
    expect(distance("absolute", "float32_t", Infinity, Infinity)).toBe(0);
    expect(distance("relative", "float32_t", 1, 0)).toBe(Infinity);
  });
});

test("bits have the digits of their type", () => {
  expect(hex(0x3c00n, widthOf("float16_t"))).toBe("0x3c00");
  expect(hex(1n, widthOf("floate4m3_t"))).toBe("0x01");
  expect(hex(1n, widthOf("uint64_t"))).toBe("0x0000000000000001");
});
