// Numbers as JSON brings them: what is not finite is text.

const numbers: Record<string, number> = { inf: Infinity, "-inf": -Infinity, NaN: Number.NaN };

export const numberOf = (given: number | string): number =>
  typeof given === "number" ? given : (numbers[given] ?? Number.NaN);
