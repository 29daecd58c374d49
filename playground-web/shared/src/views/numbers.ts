// Numbers for people: short in cells, exact in words, and how far apart two of a component type are.

/** Characters of a number in a cell. */
const ROOM = 5;

/** In as few characters as fit into a cell: five, if the number can be told in five. */
export function short(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (value === 0) return Object.is(value, -0) ? "−0" : "0";
  const sign = value < 0 ? "−" : "";
  const size = Math.abs(value);
  if (Number.isInteger(value) && sign.length + String(size).length <= ROOM) return sign + size;
  const texts = [3, 2, 1].flatMap((digits) => {
    const exponential = size
      .toExponential(digits - 1)
      .replace("e+", "e")
      .replace(/\.?0*e/, "e");
    const plain = size >= 1e5 || size < 1e-4 ? exponential : String(Number(size.toPrecision(digits)));
    // "0.25" as ".25": the zero tells nothing in a cell.
    return [plain.replace(/^0\./, "."), exponential];
  });
  return sign + (texts.find((text) => sign.length + text.length <= ROOM) ?? texts[texts.length - 1] ?? "");
}

/** As it is, with all digits that tell it from its neighbours. */
export function exact(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "infinity" : "−infinity";
  if (Object.is(value, -0)) return "−0";
  const size = Math.abs(value);
  const text = size > 0 && size < 1e-4 ? value.toExponential() : String(value);
  return text.replace(/^-/, "−").replace("e+", "e");
}

/** Explicit bits of the significand, and the exponent of the smallest normal number. */
const FORMATS: Record<string, readonly [number, number]> = {
  float64_t: [52, -1022],
  float32_t: [23, -126],
  float16_t: [10, -14],
  bfloat16_t: [7, -126],
  floate5m2_t: [2, -14],
  floate4m3_t: [3, -6],
  floate3m2_t: [2, -2],
  floate2m3_t: [3, 0],
  floate2m1_t: [1, 0],
};

/** The distance from a number of the component type to the next one; 1 for integers. */
export function unitInLastPlace(component: string, value: number): number {
  const format = FORMATS[component];
  if (!format) return 1;
  const [mantissa, lowest] = format;
  const size = Math.abs(value);
  const exponent = size > 0 ? Math.max(lowest, Math.floor(Math.log2(size))) : lowest;
  return 2 ** (exponent - mantissa);
}

export const MEASURES = ["absolute", "relative", "ulp"] as const;
export type Measure = (typeof MEASURES)[number];

export const MEASURE_TITLES: Record<Measure, string> = {
  absolute: "Absolute",
  relative: "Relative",
  ulp: "Units in the last place",
};

/** How far a value is from the expected one; NaN where one of them is NaN alone, infinity where one is infinite alone. */
export function distance(measure: Measure, component: string, value: number, expected: number): number {
  if (value === expected || (Number.isNaN(value) && Number.isNaN(expected))) return 0;
  if (Number.isNaN(value) || Number.isNaN(expected)) return Number.NaN;
  const apart = Math.abs(value - expected);
  switch (measure) {
    case "absolute":
      return apart;
    case "relative":
      return expected === 0 ? Infinity : apart / Math.abs(expected);
    case "ulp":
      return Number.isFinite(expected) ? apart / unitInLastPlace(component, expected) : Infinity;
  }
}

/** `0x3c00`, with as many digits as the component has. */
export function hex(bits: bigint | number, width: number): string {
  return `0x${bits.toString(16).padStart(Math.ceil(width / 4), "0")}`;
}

/** Bits of a component in memory. */
export function widthOf(component: string): number {
  if (/^(floate|floatue|floatmx)/.test(component)) return 8;
  return Number(/(\d+)_t$/.exec(component)?.[1] ?? 32);
}

export const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** A count as people read it: 1,234,567. */
export const grouped = (count: number) => count.toLocaleString("en");
