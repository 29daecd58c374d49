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

/** Explicit bits of the significand, the exponent of the smallest normal number, the largest number. */
const FORMATS: Record<string, readonly [bits: number, lowest: number, largest: number]> = {
  float64_t: [52, -1022, Number.MAX_VALUE],
  float32_t: [23, -126, (2 - 2 ** -23) * 2 ** 127],
  float16_t: [10, -14, 65504],
  bfloat16_t: [7, -126, (2 - 2 ** -7) * 2 ** 127],
  floate5m2_t: [2, -14, 57344],
  floate4m3_t: [3, -6, 448],
  floate3m2_t: [2, -2, 28],
  floate2m3_t: [3, 0, 7.5],
  floate2m1_t: [1, 0, 6],
};

/** The largest number of a floating-point type. */
export const largest = (component: string) => FORMATS[component]?.[2] ?? Number.POSITIVE_INFINITY;

/** Types without infinities: what is too large for them is no number. */
const FINITE = new Set(["floate4m3_t", "floate3m2_t", "floate2m3_t", "floate2m1_t"]);

/** How recipes call the types that numbers are written in. */
export function componentOf(type: string | null): string {
  const [, letter = "", width = ""] = /^([a-z]+)(\d+)$/.exec(type ?? "") ?? [];
  const names: Record<string, string> = { f: "float", s: "int", u: "uint", bf: "bfloat" };
  if (type === "e4m3" || type === "e5m2") return `float${type}_t`;
  return names[letter] ? `${names[letter]}${width}_t` : "float32_t";
}

const memory = new DataView(new ArrayBuffer(8));

/** The exponent of a positive number, exactly. */
function exponentOf(size: number): number {
  memory.setFloat64(0, size);
  return ((memory.getUint32(0) >>> 20) & 0x7ff) - 1023;
}

/** The number of a component type that is nearest to a value; integers drop the fraction and wrap around. */
export function nearest(component: string, value: number): number {
  const format = FORMATS[component];
  if (!format) return wrapped(component, value);
  const [bits, lowest, largest] = format;
  if (bits === 52 || value === 0 || Number.isNaN(value)) return value;
  const beyond = FINITE.has(component) ? Number.NaN : Math.sign(value) * Infinity;
  if (!Number.isFinite(value)) return beyond;
  const size = Math.abs(value);
  const unit = 2 ** (Math.max(lowest, exponentOf(size)) - bits);
  const units = size / unit;
  const low = Math.floor(units);
  const [below, half] = [units - low < 0.5, units - low === 0.5];
  const rounded = (below || (half && low % 2 === 0) ? low : low + 1) * unit;
  return rounded > largest ? beyond : Math.sign(value) * rounded;
}

function wrapped(component: string, value: number): number {
  const [, unsigned, width] = /^(u?)int(\d+)_t$/.exec(component) ?? [];
  if (width === undefined || !Number.isFinite(value)) return value;
  const whole = BigInt(Math.trunc(value));
  return Number(unsigned ? BigInt.asUintN(Number(width), whole) : BigInt.asIntN(Number(width), whole));
}

/** In as few digits as tell it from its neighbours in its type: 0.1 of a `float`, not 0.10000000149011612. Whole numbers stay whole. */
function shortest(value: number, component?: string): number {
  const format = component === undefined ? undefined : FORMATS[component];
  if (!component || !format || format[0] === 52 || !Number.isFinite(value)) return value;
  if ((Number.isInteger(value) && Math.abs(value) < 1e15) || nearest(component, value) !== value)
    return value;
  for (let digits = 1; digits < 17; digits++) {
    const rounded = Number(value.toPrecision(digits));
    if (nearest(component, rounded) === value) return rounded;
  }
  return value;
}

/** As files, recipes and fields have it: in the digits of its type, where that is known. */
export function plain(value: number, component?: string): string {
  if (Object.is(value, -0)) return "-0";
  if (Number.isNaN(value)) return "nan";
  if (!Number.isFinite(value)) return value > 0 ? "inf" : "-inf";
  return String(shortest(value, component));
}

/** For reading, with all digits that tell it from its neighbours in its type. */
export function exact(value: number, component?: string): string {
  if (Number.isNaN(value)) return "NaN";
  if (!Number.isFinite(value)) return value > 0 ? "infinity" : "−infinity";
  if (Object.is(value, -0)) return "−0";
  const told = shortest(value, component);
  const size = Math.abs(told);
  const text = size > 0 && size < 1e-4 ? told.toExponential() : String(told);
  return text.replace(/^-/, "−").replace("e+", "e");
}

/** The distance from a number of the component type to the next one; 1 for integers. */
export function unitInLastPlace(component: string, value: number): number {
  const format = FORMATS[component];
  if (!format) return 1;
  const [bits, lowest] = format;
  const size = Math.abs(value);
  return 2 ** ((size > 0 ? Math.max(lowest, exponentOf(size)) : lowest) - bits);
}

/** How many numbers of the type lie between two of them, one of them counted. */
function stepsBetween(component: string, a: number, b: number): number {
  const format = FORMATS[component];
  if (!format) return Math.abs(Math.trunc(a) - Math.trunc(b));
  const [bits, lowest, largest] = format;
  // Numbers from zero: so many times as many as an exponent has, and some.
  const count = (value: number): [exponents: number, units: number] => {
    const size = Math.abs(nearest(component, value));
    // What stands for infinity comes next behind the largest.
    const past = !(size <= largest);
    const inside = past ? largest : size;
    if (inside === 0) return [0, 0];
    const exponent = Math.max(lowest, exponentOf(inside));
    return [exponent - lowest, inside / 2 ** (exponent - bits) + Number(past)];
  };
  const [[exponents, units], [others, more]] = [count(a), count(b)];
  return a < 0 === b < 0
    ? Math.abs((exponents - others) * 2 ** bits + (units - more))
    : (exponents + others) * 2 ** bits + units + more;
}

/** How far a buffer's element may be from what is expected of it; one of them is enough. */
export interface Tolerance {
  absolute?: number;
  relative?: number;
  ulp?: number;
}

/** How far an element is from what was expected. */
export interface Apart {
  absolute: number;
  relative: number;
  /** In numbers of the type that lie between them. */
  ulp: number;
  /** Whether that is near enough. */
  met: boolean;
}

const SAME: Apart = { absolute: 0, relative: 0, ulp: 0, met: true };

const strict = ({ absolute, relative, ulp }: Tolerance) =>
  absolute === undefined && relative === undefined && ulp === undefined;

/** What an element shall be: without a tolerance the number of its type that is nearest to the reference. */
export const wanted = (component: string, reference: number, tolerance: Tolerance = {}): number =>
  strict(tolerance) ? nearest(component, reference) : reference;

/**
 * The one rule by which the page compares: that of the run's report, in the recipe crate's `compare`.
 */
export function apart(component: string, found: number, reference: number, tolerance: Tolerance = {}): Apart {
  const expected = wanted(component, reference, tolerance);
  const lost = Number(Number.isNaN(found)) + Number(Number.isNaN(expected));
  if (found === expected || lost === 2) return SAME;
  const difference = Math.abs(found - expected);
  const absolute = Number.isNaN(difference) ? Infinity : difference;
  const relative = expected === 0 || !Number.isFinite(absolute) ? Infinity : absolute / Math.abs(expected);
  const ulp = lost === 1 ? Infinity : stepsBetween(component, found, expected);
  const allowed = (tolerance.absolute ?? 0) + (tolerance.relative ?? 0) * Math.abs(expected);
  const met =
    (Number.isFinite(absolute) && absolute <= allowed) ||
    (tolerance.ulp !== undefined && ulp <= tolerance.ulp);
  return { absolute, relative, ulp, met };
}

export const MEASURES = ["absolute", "relative", "ulp"] as const;
export type Measure = (typeof MEASURES)[number];

export const MEASURE_TITLES: Record<Measure, string> = {
  absolute: "Absolute",
  relative: "Relative",
  ulp: "Units in the last place",
};

/** `0x3c00`, with as many digits as the component has. */
export function hex(bits: bigint | number, width: number): string {
  return `0x${bits.toString(16).padStart(Math.ceil(width / 4), "0")}`;
}

/** The number that the low bits of a word are, in a type of at most 32 bits; undefined of other types. */
export function numberOf(component: string, word: number): number | undefined {
  const width = widthOf(component);
  const bits = width >= 32 ? word >>> 0 : word & (2 ** width - 1);
  const [, unsigned, whole] = /^(u?)int(8|16|32)_t$/.exec(component) ?? [];
  if (whole) return unsigned || bits < 2 ** (width - 1) ? bits : bits - 2 ** width;
  if (component === "float32_t") {
    memory.setUint32(0, bits);
    return memory.getFloat32(0);
  }
  const format = FORMATS[component];
  // Those of fewer than eight bits have zeros above them, as long as they are stored in bytes.
  if (!format || !/^(b?float16|floate5m2|floate4m3)_t$/.test(component)) return undefined;
  const [mantissa, lowest, largest] = format;
  const sign = bits >= 2 ** (width - 1) ? -1 : 1;
  const size = bits & (2 ** (width - 1) - 1);
  const [exponent, low] = [size >> mantissa, size & (2 ** mantissa - 1)];
  const number =
    exponent === 0
      ? low * 2 ** (lowest - mantissa)
      : (1 + low / 2 ** mantissa) * 2 ** (exponent - 1 + lowest);
  if (number <= largest) return sign * number;
  return FINITE.has(component) || low > 0 ? Number.NaN : sign * Infinity;
}

/** Bits of a component in memory. */
export function widthOf(component: string): number {
  if (/^(floate|floatue|floatmx)/.test(component)) return 8;
  return Number(/(\d+)_t$/.exec(component)?.[1] ?? 32);
}

export const many = (count: number, one: string, more = `${one}s`) => `${count} ${count === 1 ? one : more}`;

/** A count as people read it: 1,234,567. */
export const grouped = (count: number) => count.toLocaleString("en");
