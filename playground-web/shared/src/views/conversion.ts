// QCOM's built-ins: rows of a matrix (columns, for use B) as arrays of the invocations, parts of these arrays, and their bits in elements of
// another width. Pointing at either side lights the other.

import { element } from "../element";
import { colourOfInvocation } from "./colour";
import { Grid, type Outline } from "./grid";
import { zoomButtons } from "./heat-map";
import { type ConversionData, type LaneArrays, type MatrixData, place } from "./model";
import { exact, hex, many, numberOf, short, widthOf } from "./numbers";

/** How many components of the matrix one element of the array holds. */
export function packing(array: LaneArrays, component: string): number {
  return Math.max(1, Math.floor(array.width / Math.max(1, widthOf(component))));
}

/** The invocation, and the element of its array, that holds an element of the matrix. */
export function holderOf(matrix: MatrixData, array: LaneArrays, index: number): { lane: number; i: number } {
  const [row, column] = place(index, matrix.columns);
  const [line, along] = matrix.use === "B" ? [column, row] : [row, column];
  return { lane: line, i: Math.floor(along / packing(array, matrix.component)) };
}

/** The numbers in an element of an array, the lowest bits first; undefined where they are not known to be of a type, or undefined. */
export function numbersIn(array: LaneArrays, lane: number, i: number): number[] | undefined {
  const { component, width } = array;
  if (component === undefined || width > 32 || array.undefined(lane, i)) return undefined;
  const word = array.words[lane * array.length + i] ?? 0;
  const each = widthOf(component);
  const found: number[] = [];
  for (let shift = 0; shift + each <= width; shift += each) {
    const number = numberOf(component, word >>> shift);
    if (number === undefined) return undefined;
    found.push(number);
  }
  return found.length > 0 ? found : undefined;
}

/** Numbers that a cell has room for: of more than two, the bits are told. */
const IN_CELL = 2;

/** The elements of an array with the bits of element `i` of another one. */
export function overlapping(from: LaneArrays, i: number, to: LaneArrays): number[] {
  const [first, end] = [i * from.width, (i + 1) * from.width];
  const found: number[] = [];
  for (let j = Math.floor(first / to.width); j * to.width < end && j < to.length; j++) found.push(j);
  return found;
}

export class ConversionView {
  readonly body = element("div", { className: "matrix-view conversion" });
  readonly left = new Grid({ label: "Arrays", height: 820, aspect: 3 });
  readonly right = new Grid({ label: "Matrix", height: 820, aspect: 3 });
  private readonly leftTitle = element("h3");
  private readonly rightTitle = element("h3");
  private readonly intro = element("p", { className: "view-note" });
  private readonly words = element("output", { className: "view-words", ariaLive: "polite" });
  private readonly sides = element("div", { className: "view-columns" });

  constructor() {
    this.sides.append(
      element("div", {}, this.leftTitle, this.left.body),
      element("div", {}, this.rightTitle, this.right.body),
    );
    this.body.append(
      this.intro,
      element("div", { className: "view-bar" }, zoomButtons(this.right)),
      this.words,
      this.sides,
    );
  }

  show(data: ConversionData) {
    this.words.textContent = "Point at an element on either side.";
    // Columns of B lie under the invocations, rows of A and C beside them.
    const stacked =
      "matrix" in data ? data.matrix.use === "B" : Math.max(data.from.length, data.to.length) > 16;
    this.sides.classList.toggle("stacked", stacked);
    if ("matrix" in data) this.showMatrix(data.matrix, data.array, data.kind);
    else this.showArrays(data);
  }

  private showMatrix(matrix: MatrixData, array: LaneArrays, kind: "vectorToCoopmat" | "coopmatToVector") {
    const columns = matrix.use === "B";
    const line = columns ? "column" : "row";
    const packed = packing(array, matrix.component);
    const lines = columns ? matrix.columns : matrix.rows;
    const each = packed > 1 ? `, ${packed} components in each element` : "";
    this.intro.textContent =
      kind === "vectorToCoopmat"
        ? `vectorToCoopmatQCOM: the array of invocation n becomes ${line} n of the matrix${each}.`
        : `coopmatToVectorQCOM: ${line} n of the matrix becomes the array of invocation n${each}.`;
    if (lines < array.lanes)
      this.intro.textContent += ` Invocations from ${lines} on have no ${line}${kind === "coopmatToVector" ? ": what they get is undefined" : ""}.`;
    this.leftTitle.textContent = `Arrays of ${many(array.lanes, "invocation")}`;
    this.rightTitle.textContent = `Matrix ${matrix.rows}×${matrix.columns} ${matrix.component}, use ${matrix.use ?? "any"}`;
    // What the matrix is made of is in the arrays as well, one or several in an element.
    const typed = { component: matrix.component, ...array };
    // Where columns are meant, an invocation is a column of the picture as well.
    const cell = (lane: number, i: number) => (columns ? i * array.lanes + lane : lane * array.length + i);
    const split = (cell: number) =>
      columns
        ? { lane: cell % array.lanes, i: Math.floor(cell / array.lanes) }
        : { lane: Math.floor(cell / array.length), i: cell % array.length };
    this.showArray(this.left, typed, columns, split, lines);
    this.right.show(
      {
        rows: matrix.rows,
        columns: matrix.columns,
        colour: (index) => colourOfInvocation(holderOf(matrix, array, index).lane),
        longest: 5,
        text: (index) => (matrix.undefined?.(index) ? "" : short(matrix.values[index] ?? 0)),
        mark: (index) => (matrix.undefined?.(index) ? "undefined" : undefined),
      },
      `The matrix, each ${line} in the colour of its invocation. Arrow keys choose an element.`,
    );
    this.right.onPoint = (index) => {
      this.right.light(undefined);
      if (index === undefined) return this.left.light(undefined);
      const { lane, i } = holderOf(matrix, array, index);
      this.left.light([cell(lane, i)]);
      const [row, column] = place(index, matrix.columns);
      const part = packed > 1 ? `, part ${(columns ? row : column) % packed}` : "";
      const value = matrix.undefined?.(index)
        ? "undefined"
        : exact(matrix.values[index] ?? 0, matrix.component);
      this.words.textContent = `Row ${row}, column ${column}: ${value}, element ${i} of invocation ${lane}'s array${part}.`;
    };
    this.left.onPoint = (at) => {
      this.left.light(undefined);
      if (at === undefined) return this.right.light(undefined);
      const { lane, i } = split(at);
      const indexes = Array.from({ length: matrix.rows * matrix.columns }, (_, index) => index).filter(
        (index) => {
          const holder = holderOf(matrix, array, index);
          return holder.lane === lane && holder.i === i;
        },
      );
      this.right.light(indexes);
      const to = indexes.map((index) => `(${place(index, matrix.columns).join(", ")})`).join(", ");
      this.words.textContent = `Invocation ${lane}, element ${i}: ${wordOf(typed, lane, i)}, ${indexes.length > 0 ? `row and column ${to}` : `no element: the matrix has no ${line} ${lane}`}.`;
    };
  }

  private showArrays(data: Extract<ConversionData, { from: LaneArrays }>) {
    const { from, to } = data;
    const start = data.kind === "subArrayQCOM" ? data.start : 0;
    this.intro.textContent =
      data.kind === "subArrayQCOM"
        ? `subArrayQCOM: ${many(to.length, "element")} of each invocation's array, from element ${start} on.`
        : from.width === to.width
          ? "bitcastQCOM: the same bits of each invocation, read as another type of the same width."
          : `bitcastQCOM: the same bits of each invocation, in elements of ${to.width} bits instead of ${from.width}.`;
    // What type the elements have is not recorded, and it is not the same on both sides.
    if (!from.component) this.intro.textContent += " The bits of each element are shown, in hexadecimal.";
    this.leftTitle.textContent = `From ${many(from.length, "element")} of ${from.width} bits`;
    this.rightTitle.textContent = `To ${many(to.length, "element")} of ${to.width} bits`;
    const across = (i: number) => (data.kind === "subArrayQCOM" ? [i - start] : overlapping(from, i, to));
    const back = (i: number) => (data.kind === "subArrayQCOM" ? [i + start] : overlapping(to, i, from));
    const connect = (
      grid: Grid,
      own: LaneArrays,
      other: Grid,
      array: LaneArrays,
      map: (i: number) => number[],
    ) => {
      const split = (cell: number) => ({ lane: Math.floor(cell / own.length), i: cell % own.length });
      const part = { row: 0, column: start, rows: own.lanes, columns: to.length };
      this.showArray(
        grid,
        own,
        false,
        split,
        own.lanes,
        own === from && start + to.length <= own.length && data.kind === "subArrayQCOM" ? [part] : [],
      );
      grid.onPoint = (cell) => {
        grid.light(undefined);
        if (cell === undefined) return other.light(undefined);
        const { lane, i } = split(cell);
        const found = map(i).filter((j) => j >= 0 && j < array.length);
        other.light(found.map((j) => lane * array.length + j));
        const words = found.map((j) => `element ${j}: ${wordOf(array, lane, j)}`).join(", ");
        this.words.textContent = `Invocation ${lane}, element ${i}: ${wordOf(own, lane, i)}, on the other side ${words || "nothing"}.`;
      };
    };
    connect(this.left, from, this.right, to, across);
    connect(this.right, to, this.left, from, back);
  }

  private showArray(
    grid: Grid,
    array: LaneArrays,
    columns: boolean,
    split: (cell: number) => { lane: number; i: number },
    used: number,
    outlines: Outline[] = [],
  ) {
    const held =
      array.component && numberOf(array.component, 0) !== undefined
        ? array.width / widthOf(array.component)
        : 0;
    const shown = held >= 1 && held <= IN_CELL ? held : undefined;
    grid.show(
      {
        outlines,
        rows: columns ? array.length : array.lanes,
        columns: columns ? array.lanes : array.length,
        colour: (cell) => {
          const { lane } = split(cell);
          return lane < used ? colourOfInvocation(lane) : undefined;
        },
        longest: shown === undefined ? Math.min(8, array.width / 4) : 6 * shown - 1,
        text: (cell) => {
          const { lane, i } = split(cell);
          if (lane >= used || array.undefined(lane, i)) return "";
          const numbers = shown === undefined ? undefined : numbersIn(array, lane, i);
          return numbers?.map(short).join(" ") ?? (array.words[lane * array.length + i] ?? 0).toString(16);
        },
        mark: (cell) => {
          const { lane, i } = split(cell);
          return lane >= used ? "outside" : array.undefined(lane, i) ? "undefined" : undefined;
        },
        ...(columns
          ? { columnTitle: (lane: number) => String(lane), rowTitle: (i: number) => `[${i}]` }
          : { rowTitle: (lane: number) => String(lane), columnTitle: (i: number) => `[${i}]` }),
      },
      `Arrays of ${many(array.lanes, "invocation")}, ${many(array.length, "element")} of ${array.width} bits each. Arrow keys choose an element.`,
    );
  }
}

function wordOf(array: LaneArrays, lane: number, i: number): string {
  if (array.undefined(lane, i)) return "undefined";
  const bits = hex(array.words[lane * array.length + i] ?? 0, Math.min(32, array.width));
  const numbers = numbersIn(array, lane, i)?.map((number) => exact(number, array.component));
  return numbers ? `${numbers.join(" and ")} (bits ${bits})` : bits;
}
