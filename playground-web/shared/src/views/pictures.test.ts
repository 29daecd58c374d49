// What the pictures say, without drawing them.

import { describe, expect, test } from "vitest";
import { holderOf, numbersIn, overlapping, packing } from "./conversion";
import { differences } from "./difference";
import { type LaneArrays, type MatrixData, NOBODY, type TensorData, type TensorElement } from "./model";
import { termsOf } from "./multiply";
import { ownersOf } from "./ownership";
import { windowOf } from "./tensor";

const matrix = (rows: number, columns: number, values: number[], more: Partial<MatrixData> = {}) =>
  ({ name: "M", component: "float32_t", rows, columns, values, ...more }) satisfies MatrixData;

test("an element of a product has a term for each k", () => {
  const a = matrix(2, 3, [1, 2, 3, 4, 5, 6]);
  const b = matrix(3, 2, [7, 8, 9, 10, 11, 12]);
  const c = matrix(2, 2, [0, 0, 0, 0]);
  const terms = termsOf({ a, b, c, result: c }, 3);
  expect(terms.map(({ a, b, product }) => [a, b, product])).toEqual([
    [4, 8, 32],
    [5, 10, 50],
    [6, 12, 72],
  ]);
});

test("an element may have several owners, and a place no element", () => {
  const owners = ownersOf({
    name: "copies",
    rows: 1,
    columns: 2,
    length: 2,
    invocations: 2,
    elements: [0, 1, 0, NOBODY],
  });
  expect(owners).toEqual([
    [
      { invocation: 0, i: 0 },
      { invocation: 1, i: 0 },
    ],
    [{ invocation: 0, i: 1 }],
  ]);
});

describe("the worst element", () => {
  test("is the one that is farthest off", () => {
    const { values, worst, differing } = differences("absolute", matrix(1, 3, [1, 5, 3]), [1, 2, 4]);
    expect([...values]).toEqual([0, 3, 1]);
    expect([worst?.index, worst?.apart.absolute, differing]).toEqual([1, 3, 2]);
  });

  test("is a NaN before anything else", () => {
    expect(differences("relative", matrix(1, 3, [9, Number.NaN, 3]), [1, 2, 0]).worst?.index).toBe(1);
  });

  test("is outside of the tolerance, where one is", () => {
    const actual = matrix(1, 3, [1009, 0.5, 3]);
    const found = differences("absolute", actual, [1000, 0, 3], { relative: 0.01 });
    expect([found.worst?.index, found.differing, found.wrong]).toEqual([1, 2, 1]);
  });

  test("does not exist where all are as expected", () => {
    expect(differences("ulp", matrix(1, 2, [1, Number.NaN]), [1, Number.NaN]).worst).toBeUndefined();
  });
});

describe("QCOM's arrays", () => {
  const array = (width: number, length: number): LaneArrays => ({
    width,
    length,
    lanes: 64,
    words: [],
    undefined: () => false,
  });

  test("are rows of A, and columns of B", () => {
    expect(holderOf(matrix(64, 8, [], { use: "A" }), array(32, 8), 8 * 5 + 3)).toEqual({ lane: 5, i: 3 });
    expect(holderOf(matrix(8, 64, [], { use: "B" }), array(32, 8), 64 * 3 + 5)).toEqual({ lane: 5, i: 3 });
  });

  test("hold several small components in a word", () => {
    const small = { use: "A", component: "float16_t" };
    expect(packing(array(32, 8), "float16_t")).toBe(2);
    expect(holderOf(matrix(64, 16, [], small), array(32, 8), 5)).toEqual({ lane: 0, i: 2 });
  });

  test("hold numbers, one or several in an element", () => {
    const halves = { ...array(32, 1), words: [0xc000_3c00], component: "float16_t" };
    expect(numbersIn(halves, 0, 0)).toEqual([1, -2]);
    expect(numbersIn({ ...halves, component: "float32_t", words: [0x3dcc_cccd] }, 0, 0)).toEqual([
      Math.fround(0.1),
    ]);
    expect(numbersIn(array(32, 1), 0, 0)).toBeUndefined();
  });

  test("keep their bits when elements change their width", () => {
    expect(overlapping(array(32, 2), 1, array(8, 8))).toEqual([4, 5, 6, 7]);
    expect(overlapping(array(8, 8), 5, array(32, 2))).toEqual([1]);
  });
});

describe("the part of a tensor that is drawn", () => {
  const tensor = (dimension: number[]): TensorData => ({
    matrix: matrix(1, 1, [0]),
    memory: "buffer A",
    offset: 0,
    unit: 4,
    store: false,
    clampMode: "Constant",
    dimension,
    stride: [],
    sliceOffset: [],
    span: [],
    blockSize: [],
    element: () => at([]),
  });
  const at = (wanted: number[], kind: TensorElement["kind"] = "element"): TensorElement => ({
    kind,
    index: 0,
    wanted,
    got: kind === "clamped" ? wanted.map(() => 0) : wanted,
  });

  test("holds a small tensor, and what is asked for outside of it", () => {
    const window = windowOf(tensor([3, 4]), [at([0, 0]), at([-2, 5], "clamped")]);
    expect([window.rows.at(0), window.rows.at(-1)]).toEqual([[-2], [2]]);
    expect([window.columns.at(0), window.columns.at(-1)]).toEqual([[0], [5]]);
  });

  test("is the used part of a large one", () => {
    const window = windowOf(tensor([4096, 4096]), [at([1000, 2000]), at([1015, 2031])]);
    expect(window.rows.length).toBe(18);
    expect([window.columns.at(0), window.columns.length]).toEqual([[1999], 34]);
  });

  test("lists what is used where there are more than two dimensions", () => {
    const window = windowOf(tensor([8, 64, 4]), [at([1, 7, 0]), at([0, 2, 1]), at([1, 7, 3])]);
    expect(window.rows).toEqual([
      [0, 2],
      [1, 7],
    ]);
    expect(window.columns).toEqual([[0], [1], [2], [3]]);
  });

  test("puts small dimensions side by side", () => {
    const window = windowOf(tensor([8, 2, 4]), [at([1, 1, 0]), at([1, 0, 3])]);
    expect(window.rows.length).toBe(8);
    expect(window.columns).toEqual([
      [0, 3],
      [1, 0],
    ]);
  });
});
