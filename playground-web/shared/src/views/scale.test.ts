import { describe, expect, test } from "vitest";
import { histogram, makeScale, rangeOf, type ScaleName } from "./scale";

const values = [-4, -0.5, 0, 0.25, 8, Number.NaN, Infinity];

test("the range is that of what is finite and defined", () => {
  expect(rangeOf(values)).toEqual({ low: -4, high: 8, least: 0.25, finite: 5 });
  expect(rangeOf(values, (index) => index === 4).high).toBe(0.25);
  expect(rangeOf([Number.NaN])).toEqual({ low: 0, high: 0, least: 1, finite: 0 });
});

describe("each scale", () => {
  const names: ScaleName[] = ["linear", "logarithmic", "symmetric", "symmetric-logarithmic"];
  test.each(names)("%s goes from 0 to 1 and back", (name) => {
    const scale = makeScale(name, rangeOf(values));
    expect(scale.part(scale.low)).toBeCloseTo(0);
    expect(scale.part(scale.high)).toBeCloseTo(1);
    for (const part of [0, 0.1, 0.5, 0.9, 1]) expect(scale.part(scale.value(part))).toBeCloseTo(part);
  });

  test.each(names)(
    "%s has colours for a matrix of one value, of zeros, and of the largest numbers",
    (name) => {
      for (const values of [[3], [0], [-Number.MAX_VALUE, Number.MAX_VALUE]]) {
        const scale = makeScale(name, rangeOf(values));
        for (const value of values) expect(scale.part(value)).not.toBeNaN();
      }
    },
  );
});

test("automatic puts zero in the middle where there are negative numbers", () => {
  expect(makeScale("automatic", rangeOf(values)).part(0)).toBe(0.5);
  expect(makeScale("automatic", rangeOf([1, 2])).name).toBe("linear");
});

test("the histogram counts what has a number", () => {
  const scale = makeScale("linear", rangeOf(values));
  const counts = histogram(values, scale, 4);
  expect(counts).toEqual([1, 3, 0, 1]);
});
