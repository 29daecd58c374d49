import { describe, expect, test } from "vitest";
import { colourOf, colourOfInvocation, contrast, css, inkOn, luminance, oklch } from "./colour";

const steps = Array.from({ length: 33 }, (_, step) => step / 32);

describe("the sequential scale", () => {
  test("grows lighter with every step, which is what everybody sees", () => {
    const light = steps.map((part) => luminance(colourOf("sequential", part, false)));
    for (const [step, value] of light.entries())
      if (step > 0) expect(value).toBeGreaterThan(light[step - 1] ?? 1);
  });

  test("takes what is beyond its ends for its ends", () => {
    expect(colourOf("sequential", -3, false)).toBe(colourOf("sequential", 0, false));
    expect(colourOf("sequential", 7, false)).toBe(colourOf("sequential", 1, false));
  });
});

describe("the diverging scale", () => {
  test.each([
    ["light", false],
    ["dark", true],
  ])("is as far from its middle on both sides, on a %s page", (_, dark) => {
    const middle = luminance(colourOf("diverging", 0.5, dark));
    for (const part of [0, 0.1, 0.2, 0.3, 0.4]) {
      const [low, high] = [part, 1 - part].map((part) => luminance(colourOf("diverging", part, dark)));
      expect(Math.sign((low ?? 0) - middle)).toBe(Math.sign((high ?? 0) - middle));
      expect(Math.abs((low ?? 0) - (high ?? 0))).toBeLessThan(0.06);
    }
  });
});

test("what is written on a colour stands out: AA on every one", () => {
  const all = steps.flatMap((part) => [
    colourOf("sequential", part, false),
    colourOf("diverging", part, false),
    colourOf("diverging", part, true),
  ]);
  for (const colour of [...all, ...Array.from({ length: 64 }, (_, i) => colourOfInvocation(i))]) {
    const ink = inkOn(colour) === "#000" ? 0 : 0xffffff;
    expect(contrast(ink, colour), css(colour)).toBeGreaterThan(4.5);
  }
});

test("black, white and a colour that sRGB lacks", () => {
  expect([oklch(0, 0, 0), oklch(1, 0, 0)].map(css)).toEqual(["#000000", "#ffffff"]);
  expect(css(oklch(0.7, 0.4, 150))).toMatch(/^#[0-9a-f]{6}$/);
});
