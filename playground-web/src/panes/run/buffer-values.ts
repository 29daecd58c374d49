// The numbers of a buffer: how far they are from what was expected, as a recipe writes them, as files to take along.

import { csv, npy, npyOfBuffer } from "@coopmat/shared/data";
import { componentOf, plain } from "@coopmat/shared/views/numbers";
import type { Value } from "../../recipe/toml";
import { save } from "../../ui/download";
import type { Contents } from "../../workers/simulator-protocol";
import { button } from "./fields";

/** Buttons that hand the numbers in view to the person, and what the buffer holds of them; `stored`: as it is in memory, not what was computed. */
export function downloads(
  name: string,
  file: string,
  stored: boolean,
  { info, bytes }: Contents,
  values: Float64Array,
): Node[] {
  const { type, shape, layout, stride, offset } = info;
  const packed = layout === "row-major" && (offset ?? 0) === 0 && stride === shape.at(-1);
  return [
    button(
      `npy-${name}`,
      ".npy",
      () =>
        save(
          `${file}.npy`,
          stored ? npyOfBuffer(type, shape, packed, bytes, values) : npy(values, shape),
          "application/octet-stream",
        ),
      "Download for NumPy",
    ),
    button(
      `csv-${name}`,
      ".csv",
      () => {
        const component = stored ? componentOf(type) : undefined;
        const text = csv(values, shape.at(-1) ?? 1, (value) => plain(value, component));
        save(`${file}.csv`, text, "text/csv");
      },
      "Download as text",
    ),
    ...(stored
      ? [
          button(
            `raw-${name}`,
            "raw",
            () => save(`${file}.bin`, bytes as Uint8Array<ArrayBuffer>, "application/octet-stream"),
            "Download the buffer's bytes",
          ),
        ]
      : []),
  ];
}

const differences = new WeakMap<Contents, Float64Array>();

/** How far each element is off, with its sign; computed once for each run. */
export function differenceOf(contents: Contents): Float64Array | undefined {
  const { values, expected } = contents;
  if (!expected) return undefined;
  const known = differences.get(contents) ?? difference(values, expected);
  differences.set(contents, known);
  return known;
}

function difference(found: Float64Array, expected: Float64Array): Float64Array {
  const same = (a: number, b: number) => a === b || (Number.isNaN(a) && Number.isNaN(b));
  return found.map((value, at) => (same(value, expected[at] ?? 0) ? 0 : value - (expected[at] ?? 0)));
}

export function nested(values: Float64Array, shape: readonly number[]): Value[] {
  const [, ...inner] = shape;
  if (inner.length === 0) return Array.from(values);
  const size = inner.reduce((product, length) => product * length, 1);
  return Array.from({ length: shape[0] ?? 0 }, (_, at) =>
    nested(values.subarray(at * size, (at + 1) * size), inner),
  );
}
