// Colours of the views, computed in OKLab (Björn Ottosson, "A perceptual color space for image processing", 2020), so that equal steps of
// a value look like equal steps. Lightness alone tells values apart; the hues, blue to yellow and blue to orange, are those that every
// common kind of colour blindness keeps apart.

/** Red, green and blue as 0xRRGGBB. */
export type Colour = number;

/** From OKLCH: lightness 0 to 1, chroma, hue in degrees. What sRGB does not hold is made less colourful. */
export function oklch(lightness: number, chroma: number, hue: number): Colour {
  const radians = (hue * Math.PI) / 180;
  for (let c = chroma; ; c -= 0.005) {
    const linear = toLinear(lightness, c * Math.cos(radians), c * Math.sin(radians));
    const inside = linear.every((part) => part >= -0.0005 && part <= 1.0005);
    if (inside || c <= 0) {
      const [r, g, b] = linear.map((part) => Math.round(255 * gamma(Math.min(1, Math.max(0, part)))));
      return ((r ?? 0) << 16) | ((g ?? 0) << 8) | (b ?? 0);
    }
  }
}

function toLinear(lightness: number, a: number, b: number): number[] {
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
}

const gamma = (part: number) => (part <= 0.0031308 ? 12.92 * part : 1.055 * part ** (1 / 2.4) - 0.055);

const linear = (part: number) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);

/** The relative luminance of WCAG 2. */
export function luminance(colour: Colour): number {
  const [r, g, b] = [16, 8, 0].map((shift) => linear(((colour >> shift) & 255) / 255));
  return 0.2126 * (r ?? 0) + 0.7152 * (g ?? 0) + 0.0722 * (b ?? 0);
}

/** The contrast of WCAG 2, from 1 to 21. */
export function contrast(one: Colour, other: Colour): number {
  const [dark, light] = [luminance(one), luminance(other)].sort((x, y) => x - y);
  return ((light ?? 0) + 0.05) / ((dark ?? 0) + 0.05);
}

/** What is readable on a colour: black or white, whichever stands out more. */
export function inkOn(colour: Colour): string {
  return contrast(colour, 0) >= contrast(colour, 0xffffff) ? "#000" : "#fff";
}

export const css = (colour: Colour) => `#${colour.toString(16).padStart(6, "0")}`;

const STEPS = 256;
const table = (at: (part: number) => Colour) =>
  Uint32Array.from({ length: STEPS }, (_, step) => at(step / (STEPS - 1)));

/** Low to high: dark blue to light yellow, evenly lighter. */
const SEQUENTIAL = table((part) => {
  // Through green, the short way: the hues of viridis.
  const hue = 285 - 180 * part;
  return oklch(0.24 + 0.71 * part, 0.1 + 0.06 * part, hue);
});

/** Negative to positive: blue over a light neutral to orange, as far from it on both sides. */
const DIVERGING = table((part) => {
  const away = Math.abs(2 * part - 1);
  return oklch(0.96 - 0.5 * away, 0.15 * away, part < 0.5 ? 255 : 50);
});

/** The same around a dark neutral, for dark pages. */
const DIVERGING_DARK = table((part) => {
  const away = Math.abs(2 * part - 1);
  return oklch(0.28 + 0.5 * away, 0.15 * away, part < 0.5 ? 245 : 65);
});

export type Scheme = "sequential" | "diverging";

/** The colour of a part of a scale, from 0 to 1. */
export function colourOf(scheme: Scheme, part: number, dark: boolean): Colour {
  const table = scheme === "sequential" ? SEQUENTIAL : dark ? DIVERGING_DARK : DIVERGING;
  return table[Math.round(Math.min(1, Math.max(0, part)) * (STEPS - 1))] ?? 0;
}

/** The colour of an invocation: neighbours differ in hue and in lightness. Numbers stand beside it wherever it matters. */
export function colourOfInvocation(invocation: number): Colour {
  const lightness = [0.72, 0.86, 0.6][invocation % 3] ?? 0.7;
  return oklch(lightness, 0.12, (invocation * 137.508) % 360);
}
