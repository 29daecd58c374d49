import { describe, expect, test } from "vitest";
import { type MatrixData, matricesIn, type VectorsData } from "./model";
import { pointed } from "./vectors";

const of = (name: string, columns: number, values: number[], active?: number[]): MatrixData => ({
  name,
  component: "float32_t",
  rows: values.length / columns,
  columns,
  values,
  ...(active && { inactive: (index: number) => !active.includes(Math.floor(index / columns)) }),
});

/** Two invocations with 3 components each, a matrix of 2 rows; invocation 0 takes no part. */
const input = of("Input", 3, [7, 7, 7, 1, 2, 3], [1]);
const product: VectorsData = {
  kind: "product",
  facts: [],
  input,
  taken: input,
  matrix: of("Matrix", 3, [1, 10, 100, 2, 20, 200]),
  transposed: false,
  bias: of("Bias", 2, [0, 0, 5, 6], [1]),
  result: of("Result", 2, [9, 9, 326, 648], [1]),
};

describe("a product", () => {
  test("of a component has a row of the matrix and the whole input", () => {
    const { lit, words, terms } = pointed(product, product.result, 3);
    expect(words).toBe(
      "Invocation 1, component 1: 648 = Bias 6 + 3 products of row 1 of the matrix and the input",
    );
    expect(lit).toEqual({ Input: [3, 4, 5], Matrix: [3, 4, 5], Bias: [3], Result: [3] });
    expect(terms.map(({ text }) => text)).toEqual(["2 × 1", "20 × 2", "200 × 3"]);
  });

  test("with a transposed matrix has a column of it", () => {
    const matrix = of("Matrix", 2, [1, 2, 10, 20, 100, 200]);
    const { lit, words } = pointed({ ...product, matrix, transposed: true }, product.result, 3);
    expect(lit.Matrix).toEqual([1, 3, 5]);
    expect(words).toContain("column 1 of the matrix");
    expect(words).toContain("648 = Bias 6 + 3 products of column 1");
  });

  test("says which components an element of the matrix meets", () => {
    const { lit, words } = pointed(product, product.matrix, 4);
    expect(lit).toEqual({ Input: [4], Matrix: [4], Result: [3], Bias: [] });
    expect(words).toBe(
      "Row 1, column 1: 20. It meets component 1 of each input, and counts in component 1 of each result.",
    );
  });

  test("unpacks components", () => {
    const packed = { ...of("Input", 1, [0, 66051], [1]), component: "uint32_t" };
    const taken = of("Input as it is multiplied", 3, [0, 0, 0, 1, 2, 3], [1]);
    const data: VectorsData = { ...product, input: packed, taken };
    const { lit, words } = pointed(data, packed, 1);
    expect(words).toContain("multiplied as 1, 2, 3");
    expect(lit[taken.name]).toEqual([3, 4, 5]);
    expect(pointed(data, taken, 5).lit.Input).toEqual([1]);
    expect(matricesIn(data)).toHaveLength(5);
  });

  test("says that an invocation takes no part", () => {
    expect(pointed(product, product.result, 1)).toMatchObject({
      words: "Invocation 0 takes no part.",
      terms: [],
    });
  });
});

test("sums of outer products have a term for each invocation that takes part", () => {
  const data: VectorsData = {
    kind: "outer product",
    facts: [],
    a: of("A", 1, [2, 9, 3], [0, 2]),
    b: of("B", 2, [5, 6, 9, 9, 7, 8], [0, 2]),
    before: of("Matrix before", 2, [100, 200]),
    result: of("Matrix after", 2, [131, 236]),
  };
  const { lit, words, terms } = pointed(data, data.result, 1);
  expect(words).toBe("Row 0, column 1: 236 = Matrix before 200 + 2 products");
  expect(terms.map(({ name, text }) => `${name}: ${text}`)).toEqual([
    "invocation 0: 2 × 6",
    "invocation 2: 3 × 8",
  ]);
  expect(lit).toMatchObject({ A: [0, 2], B: [1, 5] });
  expect(pointed(data, data.b, 4).words).toContain("added to column 0 of the matrix");
});

test("sums of a component add up those of the invocations that take part", () => {
  const data: VectorsData = {
    kind: "sum",
    facts: [],
    vector: of("Vector", 2, [1, 2, 9, 9, 3, 4], [0, 2]),
    before: of("Sums before", 2, [10, 20]),
    result: of("Sums after", 2, [14, 26]),
  };
  expect(pointed(data, data.result, 0).words).toBe("Row 0, column 0: 14 = Sums before 10 + 2 numbers");
  expect(pointed(data, data.result, 1).lit.Vector).toEqual([1, 5]);
});

test("components of a store are where they are in memory", () => {
  const stored = of("Stored vector", 2, [1, 2, 3, 4], [0, 1]);
  const where = (lane: number, at: number) => `Byte ${lane * 16 + at * 4} of buffer B`;
  const data: VectorsData = { kind: "components", facts: [], matrices: [stored], where };
  expect(pointed(data, stored, 3).words).toBe("Invocation 1, component 1: 4. Byte 20 of buffer B");
});
