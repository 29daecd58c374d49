import { expect, test } from "vitest";
import type { MatrixData } from "./model";
import { headroomOf, termsOf } from "./multiply";

const matrix = (rows: number, columns: number, values: number[], component = "float16_t"): MatrixData => ({
  name: "m",
  component,
  rows,
  columns,
  values,
});

/** What is told of the only element of a row times a column. */
function told(a: number[], c: Partial<MatrixData> = {}, component = "float16_t") {
  const data = {
    a: matrix(1, a.length, a),
    b: matrix(
      a.length,
      1,
      a.map(() => 1),
    ),
    c: { ...matrix(1, 1, [0], component), ...c },
    result: matrix(1, 1, [0], component),
  };
  return headroomOf(data, 0, termsOf(data, 0));
}

test("the headroom of an element's partial sums", () => {
  expect(told([1, 2, -1])).toBe("; largest partial sum 3 at k = 1: 14.41 bits of headroom");
  expect(told([60000, 60000, -60000])).toBe(
    "; beyond 65504 from k = 1 on, largest partial sum 120000 at k = 1",
  );
  expect(told([-60000, -60000], { values: [60000] })).toBe(
    "; largest partial sum −60000 at k = 1: 0.12 bits of headroom",
  );
});

test("k and the sum go on where they are measured", () => {
  const sums = { products: 16, values: [65536] };
  expect(told([-1, -40], { values: [Infinity], sums })).toBe(
    "; beyond 65504 from k = 16 on, largest partial sum 65535 at k = 16",
  );
});

test("nothing is told of zeros, of operands that are not finite, and of other accumulators", () => {
  expect(told([0, 0])).toBe("");
  expect(told([1, Infinity])).toBe("");
  expect(told([1], { values: [Infinity] })).toBe("");
  expect(told([1, 2], {}, "float32_t")).toBe("");
});
