// From values to parts of a colour scale, and back for the legend.

import type { Scheme } from "./colour";

export const SCALES = ["automatic", "linear", "logarithmic", "symmetric", "symmetric-logarithmic"] as const;
export type ScaleName = (typeof SCALES)[number];

export const SCALE_TITLES: Record<ScaleName, string> = {
  automatic: "Automatic",
  linear: "Linear",
  logarithmic: "Logarithmic",
  symmetric: "Symmetric around 0",
  "symmetric-logarithmic": "Symmetric, logarithmic",
};

export interface Scale {
  name: Exclude<ScaleName, "automatic">;
  scheme: Scheme;
  low: number;
  high: number;
  /** From 0 to 1; what a logarithm has no place for is at 0. */
  part(value: number): number;
  value(part: number): number;
}

export interface Range {
  low: number;
  high: number;
  /** The smallest number that is not zero, without its sign. */
  least: number;
  finite: number;
}

/** What the finite and defined values span. */
export function rangeOf(values: ArrayLike<number>, skip?: (index: number) => boolean): Range {
  let [low, high, least, finite] = [Infinity, -Infinity, Infinity, 0];
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value) || skip?.(index)) continue;
    finite++;
    if (value < low) low = value;
    if (value > high) high = value;
    const size = Math.abs(value);
    if (size > 0 && size < least) least = size;
  }
  return finite > 0 ? { low, high, least, finite } : { low: 0, high: 0, least: 1, finite };
}

const log = (value: number) => Math.log10(value);

export function makeScale(wanted: ScaleName, range: Range): Scale {
  const name = wanted === "automatic" ? (range.low < 0 ? "symmetric" : "linear") : wanted;
  const most = Math.max(Math.abs(range.low), Math.abs(range.high)) || 1;
  switch (name) {
    case "linear": {
      const [low, high] = [range.low, range.high === range.low ? range.low + 1 : range.high];
      // Halves, so that the width of a range from one end of the numbers to the other is finite.
      const width = high / 2 - low / 2;
      return {
        name,
        scheme: "sequential",
        low,
        high,
        part: (value) => (value / 2 - low / 2) / width,
        value: (part) => 2 * (low / 2 + part * width),
      };
    }
    case "logarithmic": {
      const high = range.high > 0 ? range.high : 1;
      const least = Math.min(range.least, high);
      const low = least === high ? high / 10 : least;
      const width = log(high) - log(low);
      return {
        name,
        scheme: "sequential",
        low,
        high,
        part: (value) => (value > 0 ? (log(value) - log(low)) / width : 0),
        value: (part) => 10 ** (log(low) + part * width),
      };
    }
    case "symmetric":
      return {
        name,
        scheme: "diverging",
        low: -most,
        high: most,
        part: (value) => value / most / 2 + 0.5,
        value: (part) => (2 * part - 1) * most,
      };
    case "symmetric-logarithmic": {
      // Linear up to the smallest number, or six decades below the largest; then a logarithm.
      const knee = Math.max(Math.min(range.least, most), most / 1e6);
      const bend = (value: number) => Math.asinh(value / knee);
      const width = bend(most);
      return {
        name,
        scheme: "diverging",
        low: -most,
        high: most,
        part: (value) => bend(value) / width / 2 + 0.5,
        value: (part) => knee * Math.sinh((2 * part - 1) * width),
      };
    }
  }
}

/** How many of the finite values fall into each of so many equal parts of the scale. */
export function histogram(
  values: ArrayLike<number>,
  scale: Scale,
  bins: number,
  skip?: (index: number) => boolean,
): number[] {
  const counts = new Array<number>(bins).fill(0);
  for (let index = 0; index < values.length; index++) {
    const value = values[index] ?? Number.NaN;
    if (!Number.isFinite(value) || skip?.(index)) continue;
    const bin = Math.min(bins - 1, Math.max(0, Math.floor(scale.part(value) * bins)));
    counts[bin] = (counts[bin] ?? 0) + 1;
  }
  return counts;
}
