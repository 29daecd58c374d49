// What each example's picture shows of its run. An example that is not named here gets a picture of all that it reads, and of what it makes.

import type { ScaleName } from "@coopmat/shared/views/scale";
import { beside, flow, heat, owners, type Painting, type Panel, product } from "./draw";

/** A buffer as the run left it, cut down to what a picture can show. */
export interface Taken {
  name: string;
  /** At most three directions: matrices, rows, columns. */
  shape: [matrices: number, rows: number, columns: number];
  /** Of the first columns, rows and matrices. */
  kept: [matrices: number, rows: number, columns: number];
  values: number[];
}

/** A matrix that an operation made, in rows. */
export interface Seen {
  subgroup: number;
  /** The source line of the operation. */
  line: string;
  rows: number;
  columns: number;
  values: number[];
  /** Elements that nothing was written to. */
  undefined: number[];
}

export interface Run {
  buffers: Taken[];
  /** Buffers that something is expected of. */
  results: string[];
  recorded: Seen[];
}

interface Sheet {
  matrix?: number;
  rows?: number;
  columns?: number;
  /** Every so many rows and columns. */
  step?: number;
  /** Rows become columns. */
  turned?: boolean;
  blocks?: readonly [number, number];
  mark?: Panel["mark"];
  scale?: ScaleName;
}

function buffer(run: Run, name: string): Taken {
  const found = run.buffers.find((one) => one.name === name);
  if (!found) throw new Error(`the run has no buffer ${name}`);
  return found;
}

/** An element of rows that follow each other, by its number. */
const flat = (taken: Taken, index: number) =>
  at(taken, 0, Math.floor(index / taken.shape[2]), index % taken.shape[2]);

/** An element; no number outside of what was kept. */
function at({ kept, values }: Taken, matrix: number, row: number, column: number): number {
  const [matrices, rows, columns] = kept;
  if (matrix >= matrices || row >= rows || column >= columns) return Number.NaN;
  return values[(matrix * rows + row) * columns + column] ?? Number.NaN;
}

function sheet(run: Run, name: string, options: Sheet = {}): Panel {
  const { matrix = 0, step = 1, turned = false, ...more } = options;
  const taken = buffer(run, name);
  const [, tall, wide] = taken.kept;
  const [down, across] = turned ? [wide, tall] : [tall, wide];
  const rows = Math.min(options.rows ?? 16, Math.ceil(down / step));
  const columns = Math.min(options.columns ?? 16, Math.ceil(across / step));
  const value = (row: number, column: number) =>
    turned ? at(taken, matrix, column * step, row * step) : at(taken, matrix, row * step, column * step);
  return heat(rows, columns, value, { blocks: more.blocks, mark: more.mark, scale: more.scale ?? "linear" });
}

/** A channel of an image that is stored as height, width, channels. */
function channel(run: Run, name: string, number: number, rows = 8, columns = 16): Panel {
  const taken = buffer(run, name);
  const [tall, wide] = taken.kept;
  return heat(Math.min(rows, tall), Math.min(columns, wide), (row, column) => at(taken, row, column, number));
}

/** A product whose second factor is stored by rows, or transposed. */
const multiplied = (
  [a, b, result]: [string, string, string],
  [rows, depth, columns]: [number, number, number],
  { transposed = false, chosen = [Math.floor(rows / 3), Math.floor(columns / 2)] as [number, number] } = {},
) => {
  return (run: Run) =>
    product(
      sheet(run, a, { rows, columns: depth }),
      sheet(run, b, { rows: depth, columns, turned: transposed }),
      sheet(run, result, { rows, columns }),
      chosen,
    );
};

const GEMM: [string, string, string] = ["inputA", "inputB", "outputD"];

const everywhere = () => "wrong" as const;

/** How many subgroups of the first workgroup are watched, where one is not enough. */
export const WATCHED: Record<string, number> = { "khr/flash_attention.comp": 4 };

export const PICTURES: Record<string, (run: Run) => Painting> = {
  "khr/gemm.comp": multiplied(GEMM, [11, 7, 24]),
  "khr/gemm_f16.comp": multiplied(GEMM, [10, 8, 22]),
  "khr/gemm_f32.comp": multiplied(GEMM, [12, 5, 20], { transposed: true }),
  "khr/gemm_s8.comp": multiplied(GEMM, [8, 10, 24]),
  // The blocks are what a subgroup makes: one tile here, four in the next.
  "khr/gemm_shared.comp": (run) =>
    product(
      sheet(run, "inputA", { rows: 16, columns: 6, step: 2, blocks: [8, 8] }),
      sheet(run, "inputB", { rows: 4, columns: 32, step: 2, blocks: [8, 8] }),
      sheet(run, "outputD", { rows: 16, columns: 32, step: 2, blocks: [8, 8] }),
    ),
  "khr/gemm_staged.comp": (run) =>
    product(
      sheet(run, "inputA", { rows: 11, columns: 4, step: 8, blocks: [4, 2] }),
      sheet(run, "inputB", { rows: 4, columns: 19, step: 8, blocks: [2, 4] }),
      sheet(run, "outputD", { rows: 11, columns: 19, step: 8, blocks: [4, 4] }),
    ),
  "khr/gemm_batched.comp": (run) =>
    beside([0, 1, 2].map((matrix) => sheet(run, "outputD", { matrix, rows: 16, columns: 14 }))),
  "khr/experts_heap.comp": (run) =>
    beside(["resultA", "resultB", "resultC"].map((name) => sheet(run, name, { rows: 16, columns: 14 }))),
  "khr/gemm_q4.comp": multiplied(["activations", "blocks", "result"], [9, 8, 26], { transposed: true }),
  "nv2/gemm_q4.comp": (run) =>
    flow(
      [
        sheet(run, "weights", { rows: 7, columns: 16, blocks: [1, 16] }),
        sheet(run, "activations", { rows: 6 }),
      ],
      [sheet(run, "result", { rows: 14, columns: 18 })],
    ),
  "khr/dequantize_shared.comp": (run) =>
    flow(
      [sheet(run, "packedB", { rows: 16, columns: 8 })],
      [sheet(run, "inputA", { rows: 8, columns: 16 }), sheet(run, "result", { rows: 8, columns: 16 })],
    ),
  "khr/specialized_shape.comp": multiplied(GEMM, [8, 8, 24]),
  // The weights of the first queries: what a query sees ends at its own place.
  "khr/flash_attention.comp": (run) => {
    const taken = buffer(run, "result");
    return flow(
      [
        sheet(run, "queries", { rows: 7, columns: 16 }),
        sheet(run, "keys", { rows: 7, columns: 16 }),
        sheet(run, "values", { rows: 7, columns: 16 }),
      ],
      [weights(run, "coopMatLoad(weight, weights")],
      [heat(16, 8, (row, column) => at(taken, 0, row, column))],
    );
  },
  "khr/convolution_shared.comp": (run) =>
    flow([channel(run, "pixels", 0), channel(run, "pixels", 1)], [channel(run, "result", 0)]),
  "khr/capture_ownership.comp": (run) => {
    const words = buffer(run, "capture").values;
    const [rows = 0, columns = 0, , count = 0] = words.slice(4, 8);
    const places = words.slice(8, 8 + rows * columns);
    const owner = places.reduce<number[]>((owners, element, place) => {
      owners[element] = Math.floor(place / count);
      return owners;
    }, []);
    return beside([owners(rows, columns, (row, column) => owner[row * columns + column] ?? 0)]);
  },
  "khr/components.comp": (run) => beside([sheet(run, "values", { rows: 8, columns: 16, turned: true })]),
  "khr/declarations.comp": () =>
    beside([owners(16, 8, () => 1), owners(8, 16, () => 4), owners(8, 8, () => 9)]),
  "qcom/rows_and_columns.comp": (run) =>
    flow(
      [owners(16, 1, (row) => row)],
      [sheet(run, "result", { rows: 16, columns: 8 })],
      [owners(1, 8, (_, column) => column)],
    ),
  "qcom/sub_array.comp": (run) =>
    flow(
      [sheet(run, "values", { rows: 10, columns: 32, blocks: [10, 8] })],
      [sheet(run, "values", { rows: 10, columns: 8 })],
    ),
  "qcom/bitcast.comp": (run) => {
    const words = buffer(run, "words");
    return beside([
      sheet(run, "words", { rows: 16, columns: 8 }),
      heat(16, 16, (row, column) => half(at(words, 0, row, column >> 1), column & 1)),
    ]);
  },
  "qcom/convolution.comp": (run) =>
    flow([channel(run, "inputA", 0), channel(run, "inputA", 1)], [channel(run, "result", 0)]),
  "qcom/texture_decompression.comp": (run) =>
    flow(
      [sheet(run, "features", { rows: 16, columns: 8 })],
      [sheet(run, "inputB0", { rows: 8, columns: 8 }), sheet(run, "inputB1", { rows: 8, columns: 8 })],
      [sheet(run, "colours", { rows: 16, columns: 8 })],
    ),
  "qcom/layer_merging.comp": (run) =>
    flow(
      [sheet(run, "inputA", { rows: 6, columns: 12 }), sheet(run, "inputB", { rows: 6, columns: 12 })],
      [sheet(run, "inputD", { rows: 12, columns: 12 })],
      [sheet(run, "result", { rows: 12, columns: 12 })],
    ),
  "qcom/flash_attention.comp": (run) =>
    flow(
      [
        sheet(run, "queries", { rows: 7, columns: 16 }),
        sheet(run, "keys", { rows: 7, columns: 16 }),
        sheet(run, "values", { rows: 7, columns: 16 }),
      ],
      [sheet(run, "result", { rows: 16, columns: 16 })],
    ),
  "qcom/q4_dequantize.comp": multiplied(["blocks", "activations", "result"], [12, 8, 22], {
    transposed: true,
  }),
  "nv2/tensor_loads.comp": (run) => beside([sheet(run, "result", { rows: 16, columns: 32, step: 2 })]),
  "nv2/gemm_workgroup.comp": (run) =>
    product(
      sheet(run, "inputA", { rows: 18, columns: 5, step: 4, blocks: [16, 8] }),
      sheet(run, "inputB", { rows: 5, columns: 23, step: 4, blocks: [8, 16] }),
      sheet(run, "outputD", { rows: 18, columns: 23, step: 4, blocks: [16, 16] }),
    ),
  "nv2/clamp_modes.comp": (run) =>
    beside([0, 1, 2, 3].map((matrix) => sheet(run, "result", { matrix, rows: 16, columns: 16 }))),
  "nv2/transpose_view.comp": (run) =>
    flow([sheet(run, "values", { rows: 8, columns: 16 })], [sheet(run, "result", { rows: 16, columns: 8 })]),
  "nv2/space_to_depth.comp": (run) =>
    flow([channel(run, "pixels", 0)], [sheet(run, "result", { rows: 32, columns: 16, step: 1 })]),
  "nv2/reductions.comp": (run) =>
    beside(["values", "rows", "columns"].map((name) => sheet(run, name, { rows: 12, columns: 12 }))),
  "nv2/softmax.comp": (run) =>
    flow(
      [sheet(run, "scores", { rows: 12, columns: 16 })],
      [sheet(run, "result", { rows: 12, columns: 16, scale: "logarithmic" })],
    ),
  "nv2/activation.comp": (run) =>
    flow(
      [sheet(run, "values", { rows: 12, columns: 16 })],
      [sheet(run, "result", { rows: 12, columns: 16 })],
    ),
  "nv2/q8_0_decode_vector.comp": (run) =>
    flow(
      [sheet(run, "weights", { rows: 12, columns: 10, blocks: [1, 10] })],
      [sheet(run, "result", { rows: 12, columns: 18 })],
    ),

  "mistakes/indexed-shape-mismatch.comp": () => {
    const rising = (row: number, column: number) => row + column;
    const mark: Panel["mark"] = (row) => (row >= 6 ? "wrong" : undefined);
    return product(heat(6, 6, rising), heat(9, 15, rising, { mark }), heat(6, 15, rising));
  },
  "mistakes/out_of_bounds.comp": (run) =>
    beside([
      // Three tiles, of which the last reaches out.
      heat(16, 48, (row, column) => at(buffer(run, "values"), 0, column, row), {
        blocks: [16, 16],
        mark: (_, column) => (column >= 40 ? "outside" : undefined),
      }),
    ]),
  "mistakes/uninitialised_element.comp": (run) => beside([written(run)]),
  "mistakes/race.comp": (run) => {
    const half = (from: number) =>
      heat(4, 8, (row, column) => at(buffer(run, "values"), 0, 0, from + row * 8 + column));
    return flow([half(0), half(32)], [heat(4, 8, () => 0, { mark: everywhere })]);
  },
  "mistakes/missing_barrier.comp": (run) =>
    beside(
      [0, 1].map((half) =>
        heat(8, 12, (row, column) => at(buffer(run, "result"), 0, half, row * 16 + column)),
      ),
      true,
    ),
  "mistakes/divergent_multiply.comp": () =>
    beside([
      owners(
        4,
        8,
        (row, column) => row * 8 + column,
        (row, column) => (row * 8 + column >= 20 ? "wrong" : undefined),
      ),
    ]),
  "mistakes/stride_below_row.comp": (run) => {
    const taken = buffer(run, "values");
    // Each row begins in the middle of the one before.
    return beside([
      heat(6, 32, (row, column) => at(taken, 0, row, column - 4 * row), {
        mark: (row, column) => {
          const place = column - 4 * row;
          if (place < 0 || place >= 8) return undefined;
          return place >= 4 && row < 5 ? "wrong" : undefined;
        },
      }),
    ]);
  },
  "mistakes/undefined_rows.comp": (run) =>
    beside([
      heat(8, 32, (row, column) => at(buffer(run, "result"), 0, 2 * column, row), {
        blocks: [8, 16],
        mark: (_, column) => (column >= 16 ? "wrong" : undefined),
      }),
    ]),
  // Two devices deal the elements out; what the code takes for its row is wrong on the other.
  "mistakes/ownership_dependence.comp": () =>
    beside([
      owners(8, 8, (row, column) => row * 8 + column),
      owners(
        8,
        8,
        (row, column) => (row & 1) * 16 + (column >> 1) * 5 + row,
        (row, column) => ((row * 3 + column) % 7 === 0 ? "wrong" : undefined),
      ),
    ]),
  "mistakes/saturating_overflow.comp": (run) =>
    product(
      sheet(run, "inputA", { rows: 10, columns: 8 }),
      sheet(run, "inputB", { rows: 8, columns: 20 }),
      sheet(run, "sums", {
        rows: 10,
        columns: 16,
        mark: (row, column) => (row + column === 0 ? "wrong" : undefined),
      }),
    ),
  "mistakes/half_overflow.comp": (run) => {
    const result = buffer(run, "outputD");
    return product(
      sheet(run, "inputA", { rows: 10, columns: 12 }),
      sheet(run, "inputB", { rows: 12, columns: 16 }),
      sheet(run, "outputD", {
        rows: 10,
        columns: 16,
        mark: (row, column) => (Number.isFinite(at(result, 0, row, column)) ? undefined : "wrong"),
      }),
    );
  },
  "mistakes/division_by_zero.comp": (run) => {
    const [values, scales] = [buffer(run, "values"), buffer(run, "scales")];
    const zero = (row: number, column: number) =>
      at(scales, 0, 0, row * 8 + column) === 0 ? ("wrong" as const) : undefined;
    return flow(
      [heat(4, 8, (row, column) => at(values, 0, 0, row * 8 + column))],
      [heat(4, 8, (row, column) => at(buffer(run, "result"), 0, 0, row * 8 + column), { mark: zero })],
    );
  },
  "mistakes/nan_born.comp": (run) => {
    const result = buffer(run, "result");
    return flow(
      [sheet(run, "scores", { rows: 12, columns: 16 })],
      [
        sheet(run, "result", {
          rows: 12,
          columns: 16,
          mark: (row, column) => (Number.isNaN(at(result, 0, row, column)) ? "wrong" : undefined),
        }),
      ],
    );
  },
  "mistakes/misaligned.comp": (run) =>
    beside([
      // Eight numbers are 16 bytes; the matrix begins at the fourth.
      heat(6, 32, (row, column) => at(buffer(run, "values"), 0, 2 * row + (column >> 4), column & 15), {
        blocks: [6, 8],
        mark: (row, column) => (row === 0 && column === 3 ? "wrong" : undefined),
      }),
    ]),
  "mistakes/misaligned_bias.comp": (run) =>
    beside([
      // Eight numbers are 16 bytes; the second bias begins at the thirteenth.
      heat(3, 8, (row, column) => at(buffer(run, "biases"), 0, 0, 8 * row + column), {
        mark: (row, column) => (row === 1 && column === 4 ? "wrong" : undefined),
      }),
    ]),
  // The optimal layout has room for 16 rows of 24.
  "mistakes/unconverted_matrix.comp": (run) =>
    beside([
      heat(16, 24, (row, column) => flat(buffer(run, "weights"), row * 24 + column), {
        mark: (row, column) => (row * 24 + column >= 12 * 20 ? "wrong" : undefined),
      }),
    ]),
  "mistakes/unadvertised_shape.comp": (run) =>
    product(
      sheet(run, "inputA", { rows: 12, columns: 4, mark: everywhere }),
      sheet(run, "inputB", { rows: 4, columns: 16, mark: everywhere }),
      sheet(run, "result", { rows: 12, columns: 16 }),
    ),
};

/** The picture of an example that has none of its own. */
export function usual(run: Run): Painting {
  const made = new Set(run.results);
  const read = run.buffers.filter(({ name }) => !made.has(name)).slice(0, 3);
  const results = run.buffers.filter(({ name }) => made.has(name)).slice(0, 2);
  const panels = (buffers: Taken[]) =>
    buffers.map(({ name }) => sheet(run, name, { rows: buffers.length > 1 ? 7 : 16 }));
  return read.length > 0 && results.length > 0
    ? flow(panels(read), panels(results))
    : beside(panels(run.buffers.slice(0, 3)));
}

/** The upper or the lower sixteen bits of a float. */
function half(value: number, which: number): number {
  const view = new DataView(new ArrayBuffer(4));
  view.setFloat32(0, value);
  return view.getUint16(2 * which);
}

/** The weights of attention as they were loaded: a row of tiles for each subgroup, in the order of the keys. */
function weights(run: Run, words: string): Panel {
  const tiles = run.recorded.filter(({ line }) => line.includes(words));
  const size = tiles[0]?.rows;
  if (!size) throw new Error(`nothing was recorded at ${words}`);
  const subgroups = Math.max(...tiles.map(({ subgroup }) => subgroup)) + 1;
  const step = 2;
  return heat((subgroups * size) / step, (subgroups * size) / step, (row, column) => {
    const [y, x] = [row * step, column * step];
    const own = tiles.filter(({ subgroup }) => subgroup === Math.floor(y / size));
    return own[Math.floor(x / size)]?.values[(y % size) * size + (x % size)] ?? 0;
  });
}

/** The matrix that was stored last; crosses where nothing was written. */
function written(run: Run): Panel {
  const last = run.recorded.at(-1);
  if (!last) throw new Error("nothing was recorded");
  return heat(last.rows, last.columns, (row, column) => last.values[row * last.columns + column] ?? 0, {
    mark: (row, column) => (last.undefined.includes(row * last.columns + column) ? "wrong" : undefined),
  });
}
