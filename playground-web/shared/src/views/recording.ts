// What a recorder of the simulator kept of a run: its index and data as matrices and operations.

import type { ArrayIndex, EventIndex, MemoryIndex, RecordingIndex, TensorIndex } from "../messages";
import type {
  ConversionData,
  LaneArrays,
  MatrixData,
  MultiplyData,
  TensorData,
  TensorElement,
} from "./model";
import { widthOf } from "./numbers";

/** One operation, with whatever pictures fit. */
export interface RecordedEvent {
  /** As a shader calls it: `coopMatMulAdd`. */
  title: string;
  instruction: number;
  workgroup: readonly [number, number, number];
  subgroup: number;
  path: string | undefined;
  /** From 0. */
  line: number | undefined;
  /** What the operation is about: its result, or what it stores. */
  matrix: MatrixData | undefined;
  operands: MatrixData[];
  /** Where a strided load or store goes, in words. */
  where: string | undefined;
  multiply: MultiplyData | undefined;
  tensor: TensorData | undefined;
  conversion: ConversionData | undefined;
}

export interface Recording {
  /** Operations that were let go because they were too many. */
  dropped: number;
  events: RecordedEvent[];
}

/** The built-ins behind the instructions. */
const TITLES: Record<string, string> = {
  CompositeConstruct: "coopmat(value)",
  CooperativeMatrixLoad: "coopMatLoad",
  CooperativeMatrixStore: "coopMatStore",
  CooperativeMatrixMulAdd: "coopMatMulAdd",
  CooperativeMatrixLoadTensor: "coopMatLoadTensorNV",
  CooperativeMatrixStoreTensor: "coopMatStoreTensorNV",
  CooperativeMatrixReduce: "coopMatReduceNV",
  CooperativeMatrixPerElementOp: "coopMatPerElementNV",
  CooperativeMatrixTranspose: "coopMatTransposeNV",
  CooperativeMatrixConvert: "conversion of use",
  CompositeConstructCoopMat: "vectorToCoopmatQCOM",
  CompositeExtractCoopMat: "coopmatToVectorQCOM",
  BitCastArray: "bitcastQCOM",
  ExtractSubArray: "subArrayQCOM",
  Arithmetic: "arithmetic",
  Negate: "negation",
  MatrixTimesScalar: "times scalar",
  Convert: "conversion",
  Bitcast: "bitcast",
};

const LAYOUTS: Record<string, string> = {
  RowMajor: "row major",
  ColumnMajor: "column major",
  RowBlockedInterleaved: "row blocked, interleaved",
  ColumnBlockedInterleaved: "column blocked, interleaved",
};

const KINDS = ["element", "clipped", "clamped", "outside"] as const;

export function readRecording(json: string, data: Uint8Array): Recording {
  const index = JSON.parse(json) as RecordingIndex;
  // Offsets are multiples of 8; the data may begin anywhere in its buffer.
  const bytes = data.byteOffset % 8 === 0 ? data : data.slice();
  const { buffer, byteOffset } = bytes;
  const view = new DataView(buffer, byteOffset, bytes.byteLength);
  const matrices = index.matrices.map((found): MatrixData => {
    const count = found.rows * found.columns;
    const size = widthOf(found.component) / 8;
    return {
      name: "matrix",
      component: found.component,
      rows: found.rows,
      columns: found.columns,
      use: found.use,
      scope: found.scope,
      values: new Float64Array(buffer, byteOffset + found.values, count),
      bits: (index) => bitsAt(view, found.bits + index * size, size),
      ...(found.undefined !== null && {
        undefined: (index: number) =>
          ((bytes[(found.undefined ?? 0) + (index >> 3)] ?? 0) & (1 << (index & 7))) !== 0,
      }),
    };
  });
  const arrays = (found: ArrayIndex): LaneArrays => {
    const count = found.lanes * found.length;
    const flags = found.offset + 4 * count;
    return {
      width: found.width,
      length: found.length,
      lanes: found.lanes,
      words: new Uint32Array(buffer, byteOffset + found.offset, count),
      undefined: (lane, i) => (bytes[flags + lane * found.length + i] ?? 0) !== 0,
    };
  };
  const named = (index: number | null | undefined, name: string): MatrixData | undefined => {
    const found = index === null || index === undefined ? undefined : matrices[index];
    return found && { ...found, name };
  };
  const events = index.events.map((event): RecordedEvent => {
    const result = named(event.result, "Result");
    const store = event.operation.startsWith("CooperativeMatrixStore");
    const multiplies = event.operation === "CooperativeMatrixMulAdd";
    const names = multiplies ? ["A", "B", "C"] : [store ? "Stored matrix" : "Operand"];
    const operands = event.operands.flatMap(
      (operand, place) => named(operand, names[place] ?? "Operand") ?? [],
    );
    const matrix = result ?? operands[0];
    const [a, b, c] = operands;
    const tensor = event.memory?.tensor;
    return {
      title: TITLES[event.operation] ?? event.operation,
      instruction: event.instruction,
      workgroup: event.workgroup,
      subgroup: event.subgroup,
      path: event.path ?? undefined,
      line: event.line ?? undefined,
      matrix,
      operands: result && event.operation === "CooperativeMatrixLoadTensor" ? [] : operands,
      where: event.memory && !tensor ? whereOf(event.memory) : undefined,
      multiply: multiplies && a && b && c && result ? { a, b, c, result } : undefined,
      tensor:
        tensor && event.memory && matrix ? tensorOf(event.memory, tensor, matrix, store, view) : undefined,
      conversion: conversionOf(event, matrix, arrays),
    };
  });
  return { dropped: index.dropped, events };
}

function bitsAt(view: DataView, offset: number, size: number): bigint {
  let bits = 0n;
  for (let byte = size - 1; byte >= 0; byte--) bits = (bits << 8n) | BigInt(view.getUint8(offset + byte));
  return bits;
}

function whereOf(memory: MemoryIndex): string {
  const layout = memory.layout ? `, ${LAYOUTS[memory.layout] ?? memory.layout}` : "";
  return `${memory.name} from byte ${memory.offset}, stride ${memory.stride ?? 0} bytes${layout}`;
}

function tensorOf(
  memory: MemoryIndex,
  tensor: TensorIndex,
  matrix: MatrixData,
  store: boolean,
  view: DataView,
): TensorData {
  const dimensions = tensor.dimension.length;
  const element = (index: number): TensorElement => {
    const first = tensor.elements + index * 4 * (2 + 2 * dimensions);
    const words = (from: number) =>
      Array.from({ length: dimensions }, (_, dim) => view.getInt32(first + 4 * (from + dim), true));
    return {
      kind: KINDS[view.getUint32(first, true)] ?? "element",
      index: view.getUint32(first + 4, true),
      wanted: words(2),
      got: words(2 + dimensions),
    };
  };
  return {
    matrix,
    memory: memory.name,
    offset: memory.offset,
    unit: memory.size,
    store,
    clampMode: tensor.clampMode,
    dimension: tensor.dimension,
    stride: tensor.stride,
    sliceOffset: tensor.offset,
    span: tensor.span,
    blockSize: tensor.blockSize,
    ...(tensor.view && { view: tensor.view }),
    element,
  };
}

function conversionOf(
  event: EventIndex,
  matrix: MatrixData | undefined,
  arrays: (found: ArrayIndex) => LaneArrays,
): ConversionData | undefined {
  const from = event.array && arrays(event.array);
  const to = event.arrayResult && arrays(event.arrayResult);
  switch (event.operation) {
    case "CompositeConstructCoopMat":
      return matrix && from ? { kind: "vectorToCoopmat", matrix, array: from } : undefined;
    case "CompositeExtractCoopMat":
      return matrix && to ? { kind: "coopmatToVector", matrix, array: to } : undefined;
    case "BitCastArray":
      return from && to ? { kind: "bitcastQCOM", from, to } : undefined;
    case "ExtractSubArray":
      return from && to ? { kind: "subArrayQCOM", from, to, start: event.start ?? 0 } : undefined;
    default:
      return undefined;
  }
}
