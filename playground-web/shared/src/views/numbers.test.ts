import { describe, expect, test } from "vitest";
import { apart, exact, hex, nearest, numberOf, plain, short, unitInLastPlace, widthOf } from "./numbers";

test("numbers in cells take five characters at the most", () => {
  const shown = [0, -0, 0.25, -0.0901, 1 / 3, 12345, 123456, -99999, 1e-7, -2.71234, 65504, 1e300, -1e300];
  expect(shown.map(short).join(" ")).toBe(
    "0 −0 .25 −.09 .333 12345 1.2e5 −1e5 1e-7 −2.71 65504 1e300 −1e300",
  );
  expect([Number.NaN, Infinity, -Infinity].map(short)).toEqual(["NaN", "∞", "−∞"]);
});

test("in words they are exact", () => {
  expect([0.1, -0, -3.5e-6, -Infinity].map((value) => exact(value))).toEqual([
    "0.1",
    "−0",
    "−3.5e-6",
    "−infinity",
  ]);
});

describe("numbers of a type are told in as few digits as tell them from their neighbours", () => {
  test.each([
    ["float32_t", 0.1, "0.1"],
    ["float32_t", 1 / 3, "0.33333334"],
    ["float16_t", 0.1, "0.1"],
    ["bfloat16_t", 2.7, "2.7"],
    ["floate4m3_t", 0.1, "0.1"],
    ["floate5m2_t", 0.7, "0.8"],
    // Whole numbers stay whole, and doubles as they are.
    ["float16_t", 65504, "65504"],
    ["float64_t", 0.1 + 0.2, "0.30000000000000004"],
  ])("%s %d", (component, value, told) => {
    const held = nearest(component, value);
    expect(plain(held, component)).toBe(told);
    expect(nearest(component, Number(plain(held, component)))).toBe(held);
  });

  test("and what the type does not hold in all digits", () => {
    expect(exact(0.1 + 0.2, "float32_t")).toBe("0.30000000000000004");
    expect([Number.NaN, -Infinity, -0].map((value) => plain(value, "float16_t"))).toEqual([
      "nan",
      "-inf",
      "-0",
    ]);
  });

  test.each(["float16_t", "bfloat16_t", "floate4m3_t", "floate5m2_t"])("all of %s come back", (component) => {
    const all = Array.from({ length: 2 ** widthOf(component) }, (_, bits) => numberOf(component, bits) ?? 0);
    const finite = all.filter((value) => Number.isFinite(value));
    expect(finite.map((value) => nearest(component, value))).toEqual(finite);
    expect(finite.map((value) => nearest(component, Number(plain(value, component))))).toEqual(finite);
  });
});

test("bits are numbers", () => {
  expect(numberOf("float32_t", 0x3f80_0000)).toBe(1);
  expect(numberOf("float16_t", 0x0001)).toBe(2 ** -24);
  expect(numberOf("float16_t", 0xfc00)).toBe(-Infinity);
  expect(numberOf("floate4m3_t", 0x7f)).toBeNaN();
  expect(numberOf("floate4m3_t", 0x7e)).toBe(448);
  expect(numberOf("int8_t", 0x80)).toBe(-128);
  expect(numberOf("uint64_t", 0)).toBeUndefined();
});

describe("what is found is compared with what is expected as the run's report does it", () => {
  test("in numbers of the type", () => {
    const ulp = (component: string, found: number, expected: number) =>
      apart(component, found, expected, { ulp: 0 }).ulp;
    expect(ulp("float32_t", 1 + 2 ** -23, 1)).toBe(1);
    expect(ulp("float16_t", 1 + 2 ** -9, 1)).toBe(2);
    // Below a power of two they are closer.
    expect(ulp("float16_t", 1 - 2 ** -11, 1)).toBe(1);
    expect(ulp("float32_t", 2 ** -149, -(2 ** -149))).toBe(2);
    expect(ulp("int8_t", 7, 5)).toBe(2);
    expect(ulp("float16_t", Infinity, 65504)).toBe(1);
    expect(ulp("float64_t", 1, -1)).toBe(2 * 1023 * 2 ** 52);
    // Subnormal numbers have the step of the smallest normal one.
    expect(unitInLastPlace("float16_t", 2 ** -20)).toBe(2 ** -24);
  });

  test("without a tolerance, the nearest number of the type is expected", () => {
    expect(apart("float16_t", 1, 1.0001)).toEqual({ absolute: 0, relative: 0, ulp: 0, met: true });
    expect(apart("float16_t", 2.5, 2).met).toBe(false);
    expect(nearest("float16_t", 2049)).toBe(2048);
    expect(nearest("float16_t", 65520)).toBe(Infinity);
    expect(nearest("floate4m3_t", 480)).toBeNaN();
    expect(nearest("int8_t", 200)).toBe(-56);
  });

  test("with several, one tolerance is enough", () => {
    const tolerance = { absolute: 0.1, relative: 0.01, ulp: 2 };
    const found: [number, number][] = [
      [101.05, 100],
      [0.1, 0],
      [1.2e-7, 1e-7],
      [101.2, 100],
    ];
    expect(found.map(([is, should]) => apart("float16_t", is, should, tolerance).met)).toEqual([
      true,
      true,
      true,
      false,
    ]);
  });

  test("what is no number is infinitely far", () => {
    expect(apart("float32_t", Number.NaN, Number.NaN).met).toBe(true);
    expect(apart("float32_t", Number.NaN, 1)).toEqual({
      absolute: Infinity,
      relative: Infinity,
      ulp: Infinity,
      met: false,
    });
    expect(apart("float32_t", Infinity, Infinity).absolute).toBe(0);
    expect(apart("float32_t", 1, 0).relative).toBe(Infinity);
  });
});

test("bits have the digits of their type", () => {
  expect(hex(0x3c00n, widthOf("float16_t"))).toBe("0x3c00");
  expect(hex(1n, widthOf("floate4m3_t"))).toBe("0x01");
  expect(hex(1n, widthOf("uint64_t"))).toBe("0x0000000000000001");
});
