// What the views draw: plain data, whoever has it - a run of the page, the debugger, an editor's extension.

import { type Mark, markOf } from "./marks";

/** The index of `nobody` in an ownership. */
export const NOBODY = 0xffffffff;

/** A matrix, or a buffer seen as one. */
export interface MatrixData {
  name: string;
  /** As GLSL calls it: `float16_t`, `int8_t`. Says how numbers are written, and what a unit in the last place is. */
  component: string;
  rows: number;
  columns: number;
  /** In rows. */
  values: ArrayLike<number>;
  /** The bits of an element, where they are known. */
  bits?: (index: number) => bigint;
  /** Whether an element holds no defined value. */
  undefined?: (index: number) => boolean;
  /** Rows are the vectors of invocations: whether that of an element takes no part. */
  inactive?: (index: number) => boolean;
  /** What multiply-adds have made it of, where that was measured: products of each element, and elements that nothing rounded. */
  sums?: { products: number; values: ArrayLike<number> };
  use?: string;
  scope?: string;
  /** A run of elements without rows of its own, folded to be seen. */
  folded?: boolean;
}

/** Which invocation owns which element of a type, under one ownership. */
export interface OwnershipData {
  name: string;
  rows: number;
  columns: number;
  /** `m.length()`. */
  length: number;
  invocations: number;
  /** At `invocation * length + i` the index in rows of `m[i]`, or `NOBODY`. */
  elements: ArrayLike<number>;
  /** What was assumed because the ownership does not know the type. */
  note?: string | undefined;
  /** Where the ownership is known from. */
  source?: string | undefined;
}

/** One multiply-add: D = A * B + C. */
export interface MultiplyData {
  a: MatrixData;
  b: MatrixData;
  c: MatrixData;
  result: MatrixData;
}

/** What becomes of an element of a tensor load or store. */
export type PlaceKind = "element" | "clipped" | "clamped" | "outside";

export interface TensorElement {
  kind: PlaceKind;
  /** In units of `unit` bytes from the pointer. */
  index: number;
  /** The coordinate that the element asks for, before it is clamped. */
  wanted: readonly number[];
  /** The coordinate that it gets. */
  got: readonly number[];
}

/** A tensor layout and view, and where they put each element of a matrix. */
export interface TensorData {
  matrix: MatrixData;
  /** The buffer, in words. */
  memory: string;
  /** Of the pointer, in bytes. */
  offset: number;
  /** Bytes of an element in memory, or of a block that a function decodes. */
  unit: number;
  store: boolean;
  clampMode: string;
  dimension: readonly number[];
  stride: readonly number[];
  sliceOffset: readonly number[];
  span: readonly number[];
  blockSize: readonly number[];
  view?: {
    hasDimensions: boolean;
    permutation: readonly number[];
    dimension: readonly number[];
    stride: readonly number[];
    clip: readonly number[];
  };
  element(index: number): TensorElement;
}

/** An array of each invocation: SPV_QCOM_cooperative_matrix_conversion. */
export interface LaneArrays {
  /** What its elements are, as GLSL calls it, or what is packed into them; where it is known. */
  component?: string;
  /** Bits of an element. */
  width: number;
  length: number;
  lanes: number;
  /** At `lane * length + i`. */
  words: ArrayLike<number>;
  undefined(lane: number, i: number): boolean;
}

/** What one of QCOM's built-ins does. */
export type ConversionData =
  | { kind: "vectorToCoopmat" | "coopmatToVector"; matrix: MatrixData; array: LaneArrays }
  | { kind: "bitcastQCOM"; from: LaneArrays; to: LaneArrays }
  | { kind: "subArrayQCOM"; from: LaneArrays; to: LaneArrays; start: number };

/** An operation on cooperative vectors, which are rows, one for each invocation. */
export type VectorsData = {
  /** Where in memory what is, and how it is read: names with words. */
  facts: readonly (readonly [string, string])[];
} & (
  | {
      kind: "product";
      input: MatrixData;
      /** The input as it is multiplied; the same where nothing is converted or unpacked. */
      taken: MatrixData;
      matrix: MatrixData;
      transposed: boolean;
      bias: MatrixData | undefined;
      result: MatrixData;
    }
  | { kind: "outer product"; a: MatrixData; b: MatrixData; before: MatrixData; result: MatrixData }
  | { kind: "sum"; vector: MatrixData; before: MatrixData; result: MatrixData }
  | {
      /** Each component by itself: arithmetic, loads, stores. */
      kind: "components";
      matrices: MatrixData[];
      /** Where a component is in memory, in words. */
      where?: (lane: number, index: number) => string;
    }
);

/** The matrices of an operation, in the order of a sum: what is added up, what is added to, what comes out. */
export function matricesIn(data: VectorsData): MatrixData[] {
  switch (data.kind) {
    case "product": {
      const { input, taken, matrix, bias, result } = data;
      return [input, ...(taken.name === input.name ? [] : [taken]), matrix, ...(bias ? [bias] : []), result];
    }
    case "outer product":
      return [data.a, data.b, data.before, data.result];
    case "sum":
      return [data.vector, data.before, data.result];
    case "components":
      return data.matrices;
  }
}

/** Elements without a value that counts. */
export function hidden({
  undefined: without,
  inactive,
}: MatrixData): ((index: number) => boolean) | undefined {
  return inactive ? (index) => inactive(index) || (without?.(index) ?? false) : without;
}

/** The mark of an element, if it needs one. */
export const markOfElement = (data: MatrixData, index: number): Mark | undefined =>
  data.inactive?.(index) ? "inactive" : markOf(data.values[index] ?? 0, data.undefined?.(index) ?? false);

/** A run of so many elements as rows of a picture. */
export function folded(count: number): { rows: number; columns: number; folded: true } {
  const columns = Math.max(1, Math.min(count, 64));
  return { rows: Math.ceil(count / columns), columns, folded: true };
}

/** The row and the column of an element. */
export function place(index: number, columns: number): [number, number] {
  return [Math.floor(index / columns), index % columns];
}
