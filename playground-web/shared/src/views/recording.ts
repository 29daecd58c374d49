// What a recorder of the simulator kept of a run: its index and data as matrices and operations.

import type {
  ArrayIndex,
  EventIndex,
  MemoryIndex,
  RecordingIndex,
  TensorIndex,
  VectorsIndex,
} from "../messages";
import type {
  ConversionData,
  LaneArrays,
  MatrixData,
  MultiplyData,
  TensorData,
  TensorElement,
  VectorsData,
} from "./model";
import { matricesIn } from "./model";
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
  vectors: VectorsData | undefined;
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
  CooperativeVectorLoad: "coopVecLoadNV",
  CooperativeVectorStore: "coopVecStoreNV",
  CooperativeVectorMatrixMul: "coopVecMatMulNV",
  CooperativeVectorMatrixMulAdd: "coopVecMatMulAddNV",
  CooperativeVectorOuterProductAccumulate: "coopVecOuterProductAccumulateNV",
  CooperativeVectorReduceSumAccumulate: "coopVecReduceSumAccumulateNV",
  Arithmetic: "arithmetic",
  Negate: "negation",
  MatrixTimesScalar: "times scalar",
  Convert: "conversion",
  Bitcast: "bitcast",
  VectorTimesScalar: "times scalar",
  Bitwise: "bitwise operation",
  Shift: "shift",
  Exp: "exp",
  Log: "log",
  Tanh: "tanh",
  Atan: "atan",
  Step: "step",
  Fma: "fma",
  FMin: "min",
  SMin: "min",
  UMin: "min",
  FMax: "max",
  SMax: "max",
  UMax: "max",
  FClamp: "clamp",
  SClamp: "clamp",
  UClamp: "clamp",
};

const LAYOUTS: Record<string, string> = {
  RowMajor: "row major",
  ColumnMajor: "column major",
  RowBlockedInterleaved: "row blocked, interleaved",
  ColumnBlockedInterleaved: "column blocked, interleaved",
  InferencingOptimal: "inferencing-optimal",
  TrainingOptimal: "training-optimal",
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
      ...(found.sums && {
        sums: {
          products: found.sums.products,
          values: new Float64Array(buffer, byteOffset + found.sums.values, count),
        },
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
    if (event.vectors) return vectorsOf(event, event.vectors, matrices);
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
      ...happened(event),
      matrix,
      operands: result && event.operation === "CooperativeMatrixLoadTensor" ? [] : operands,
      where: event.memory && !tensor ? whereOf(event.memory) : undefined,
      multiply: multiplies && a && b && c && result ? { a, b, c, result } : undefined,
      tensor:
        tensor && event.memory && matrix ? tensorOf(event.memory, tensor, matrix, store, view) : undefined,
      conversion: conversionOf(event, matrix, arrays),
      vectors: undefined,
    };
  });
  return { dropped: index.dropped, events };
}

/** What happened where. */
const happened = ({ operation, instruction, workgroup, subgroup, path, line }: EventIndex) => ({
  title: TITLES[operation] ?? operation,
  instruction,
  workgroup,
  subgroup,
  path: path ?? undefined,
  line: line ?? undefined,
});

/** An operation on cooperative vectors; what its operands are, the simulator's `MatrixValues` says. */
function vectorsOf(event: EventIndex, index: VectorsIndex, matrices: readonly MatrixData[]): RecordedEvent {
  const active = new Set(index.active);
  const inactive = (columns: number) => (at: number) => !active.has(Math.floor(at / columns));
  const named = (name: string, number: number | null | undefined, rows: "lines" | "invocations") => {
    const found = number === null || number === undefined ? undefined : matrices[number];
    const lanes = found && rows === "invocations" && { inactive: inactive(found.columns) };
    return found && { ...found, name, ...lanes };
  };
  const vectors = (name: string, number: number | null | undefined) => named(name, number, "invocations");
  const [first, second, third, fourth] = event.operands;
  const facts = factsOf(event, index);
  const data = ((): VectorsData | undefined => {
    switch (event.operation) {
      case "CooperativeVectorMatrixMul":
      case "CooperativeVectorMatrixMulAdd": {
        const input = vectors("Input", first);
        const taken = first === second ? input : vectors("Input as it is multiplied", second);
        const matrix = named("Matrix", third, "lines");
        const [bias, result] = [vectors("Bias", fourth), vectors("Result", event.result)];
        const transposed = event.memory?.transposed ?? false;
        return input && taken && matrix && result
          ? { kind: "product", facts, input, taken, matrix, transposed, bias, result }
          : undefined;
      }
      case "CooperativeVectorOuterProductAccumulate": {
        const [a, b] = [vectors("A", first), vectors("B", second)];
        const before = named("Matrix before", third, "lines");
        const result = named("Matrix after", event.result, "lines");
        return a && b && before && result
          ? { kind: "outer product", facts, a, b, before, result }
          : undefined;
      }
      case "CooperativeVectorReduceSumAccumulate": {
        const vector = vectors("Vector", first);
        const before = named("Sums before", second, "lines");
        const result = named("Sums after", event.result, "lines");
        return vector && before && result ? { kind: "sum", facts, vector, before, result } : undefined;
      }
      default: {
        const store = event.operation === "CooperativeVectorStore";
        // What a vector is made of may be as many numbers as it has components.
        const operands = event.operation === "CompositeConstruct" ? [] : event.operands;
        const name = (at: number) =>
          store ? "Stored vector" : operands.length > 1 ? `Operand ${at + 1}` : "Operand";
        const result = vectors("Result", event.result);
        const parts = operands.flatMap((operand, at) => vectors(name(at), operand) ?? []);
        const { starts } = index;
        const where = (lane: number, at: number) =>
          `Byte ${(starts?.offsets[lane] ?? 0) + at * (starts?.size ?? 0)} of ${starts?.name}`;
        return {
          kind: "components",
          facts,
          matrices: [...parts, ...(result ? [result] : [])],
          ...(starts && { where }),
        };
      }
    }
  })();
  const all = data ? matricesIn(data) : [];
  return {
    ...happened(event),
    ...(event.operation === "CompositeConstruct" && { title: "coopvecNV(...)" }),
    matrix: all.at(-1),
    operands: all.slice(0, -1),
    where: undefined,
    multiply: undefined,
    tensor: undefined,
    conversion: undefined,
    vectors: data,
  };
}

/** Where in memory what is, and how it is read. */
function factsOf(event: EventIndex, { active, interpretations, starts }: VectorsIndex): [string, string][] {
  const { memory } = event;
  const facts: [string, string][] = [];
  if (memory) {
    const stride = memory.stride === null ? "" : `, stride ${memory.stride} bytes`;
    const transposed = memory.transposed ? ", transposed before it is multiplied" : "";
    const layout = LAYOUTS[memory.layout ?? ""] ?? memory.layout;
    facts.push(["Matrix", `${memory.name} from byte ${memory.offset}${stride}, ${layout}${transposed}`]);
  }
  if (starts) {
    const offsets = active.map((lane) => starts.offsets[lane] ?? 0);
    const all = new Set(offsets);
    const from =
      all.size < 2
        ? `from byte ${offsets[0] ?? 0}`
        : `from byte ${Math.min(...all)} to ${Math.max(...all)}, an offset for each invocation`;
    facts.push([memory ? "Bias" : "Memory", `${starts.name} ${from}`]);
  }
  const names = interpretations.length === 1 ? ["matrix"] : ["input", "matrix", "bias"];
  if (interpretations.length > 0)
    facts.push(["Interpretation", interpretations.map((one, at) => `${names[at]} ${one}`).join(", ")]);
  return facts;
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
