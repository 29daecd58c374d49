// A load or a store through a tensor layout: the tensor in memory with its slice, beside the matrix; which element came from where, and what
// lies outside of the tensor.

import { element } from "../element";
import { colourOf } from "./colour";
import { Grid, type Outline } from "./grid";
import { zoomButtons } from "./heat-map";
import { markOf } from "./marks";
import { place, type TensorData, type TensorElement } from "./model";
import { exact, short } from "./numbers";
import { makeScale, rangeOf } from "./scale";

/** Rows and columns around what is used that are drawn, too. */
const MARGIN = 1;
/** A tensor whose side is no longer is drawn whole. */
const WHOLE = 48;
/** The most rows and columns of memory that are drawn. */
const MOST_LINES = 1024;
/** Columns that further dimensions may take. */
const WIDEST = 96;

/** The part of a tensor that is drawn. */
export interface Window {
  /** The leading coordinates of each row, and the others of each column. */
  rows: number[][];
  columns: number[][];
}

export function windowOf(data: TensorData, elements: readonly TensorElement[]): Window {
  const dimensions = data.dimension.length;
  const used = elements.filter((element) => element.kind !== "clipped");
  const both = used.flatMap((element) =>
    element.kind === "clamped" ? [element.wanted] : [element.wanted, element.got],
  );
  // As many dimensions go to the right as have room there.
  let split = dimensions - 1;
  let wide = data.dimension[split] ?? 1;
  while (split > 1 && wide * (data.dimension[split - 1] ?? 1) <= WIDEST) {
    split--;
    wide *= data.dimension[split] ?? 1;
  }
  const range = (dim: number): number[][] => {
    const size = data.dimension[dim] ?? 1;
    let [low, high] = size <= WHOLE ? [0, size] : [Infinity, -Infinity];
    for (const coordinate of both) {
      const at = coordinate[dim] ?? 0;
      if (at - MARGIN < low) low = Math.max(at - MARGIN, Math.min(at, 0));
      if (at + 1 + MARGIN > high) high = Math.min(at + 1 + MARGIN, Math.max(at + 1, size));
    }
    if (low > high) [low, high] = [0, Math.min(size, WHOLE)];
    return Array.from({ length: Math.min(MOST_LINES, high - low) }, (_, at) => [low + at]);
  };
  // Of several dimensions together, what is used, in the order of memory.
  const lines = (first: number, end: number): number[][] => {
    if (end - first === 0) return [[]];
    if (end - first === 1) return range(first);
    const found = new Map<string, number[]>();
    for (const coordinate of both) {
      const part = coordinate.slice(first, end);
      found.set(part.join(","), part);
    }
    const sorted = [...found.values()].sort((one, other) => {
      const dim = one.findIndex((at, dim) => at !== other[dim]);
      return dim < 0 ? 0 : (one[dim] ?? 0) - (other[dim] ?? 0);
    });
    return sorted.slice(0, MOST_LINES);
  };
  return { rows: lines(0, split), columns: lines(split, dimensions) };
}

export class TensorView {
  readonly body = element("div", { className: "matrix-view tensor" });
  readonly memory = new Grid({ label: "Tensor in memory", height: 420 });
  readonly matrix = new Grid({ label: "Matrix", height: 420 });
  private readonly words = element("output", { className: "view-words", ariaLive: "polite" });
  private readonly slice = element("span", { className: "slice" }, "slice");
  private readonly edge = element("span", { className: "edge" }, "the tensor's edge");
  private readonly facts = element("dl", { className: "view-facts" });
  private readonly memoryTitle = element("h3", {}, "Memory");
  private readonly matrixTitle = element("h3", {}, "Matrix");
  private data: TensorData | undefined;
  private elements: TensorElement[] = [];
  private window: Window = { rows: [], columns: [] };
  private rowOf = new Map<string, number>();
  private columnOf = new Map<string, number>();
  /** Which elements of the matrix come from a cell of memory, and which ask for it in vain. */
  private readonly from = new Map<number, number[]>();
  private readonly asked = new Map<number, number[]>();

  constructor() {
    this.body.append(
      element("div", { className: "view-bar" }, zoomButtons(this.memory)),
      this.words,
      element(
        "div",
        { className: "view-columns" },
        element("div", {}, this.memoryTitle, this.memory.body),
        element("div", {}, this.matrixTitle, this.matrix.body),
      ),
      element(
        "p",
        { className: "view-note view-key" },
        this.slice,
        this.edge,
        element("span", { className: "beyond" }, "outside"),
      ),
      this.facts,
    );
    this.matrix.onPoint = (index) => this.pointElement(index);
    this.memory.onPoint = (cell) => this.pointMemory(cell);
  }

  show(data: TensorData) {
    this.data = data;
    const { matrix } = data;
    const count = matrix.rows * matrix.columns;
    this.elements = Array.from({ length: count }, (_, index) => data.element(index));
    this.window = windowOf(data, this.elements);
    this.rowOf = new Map(this.window.rows.map((part, row) => [part.join(","), row]));
    this.columnOf = new Map(this.window.columns.map((part, column) => [part.join(","), column]));
    this.from.clear();
    this.asked.clear();
    for (const [index, found] of this.elements.entries()) {
      if (found.kind === "clipped") continue;
      if (found.kind !== "clamped") add(this.from, this.cell(found.got), index);
      if (found.kind === "clamped" || found.wanted.some((at, dim) => at !== found.got[dim]))
        add(this.asked, this.cell(found.wanted), index);
    }
    this.memoryTitle.textContent = `Tensor ${data.dimension.join("×")} in ${data.memory}`;
    this.matrixTitle.textContent = `${data.store ? "Stored" : "Loaded"} matrix ${matrix.rows}×${matrix.columns} ${matrix.component}`;
    this.showMemory(data);
    this.showMatrix(data);
    this.showFacts(data);
    this.say();
  }

  /** The cell of a coordinate in the part that is drawn. */
  private cell(coordinate: readonly number[]): number | undefined {
    const split = this.window.rows[0]?.length ?? 0;
    const row = this.rowOf.get(coordinate.slice(0, split).join(","));
    const column = this.columnOf.get(coordinate.slice(split).join(","));
    if (row === undefined || column === undefined) return undefined;
    return row * this.window.columns.length + column;
  }

  private coordinate(cell: number): number[] {
    const [row, column] = place(cell, this.window.columns.length);
    return [...(this.window.rows[row] ?? []), ...(this.window.columns[column] ?? [])];
  }

  private inside(coordinate: readonly number[]): boolean {
    return coordinate.every((at, dim) => at >= 0 && at < (this.data?.dimension[dim] ?? 0));
  }

  private showMemory(data: TensorData) {
    const { window, from, asked } = this;
    const scale = makeScale("automatic", rangeOf(data.matrix.values, data.matrix.undefined));
    const value = (cell: number) => {
      const [first] = from.get(cell) ?? [];
      return first === undefined ? undefined : data.matrix.values[first];
    };
    const last = data.dimension.length - 1;
    const block = data.blockSize.some((size) => size > 1);
    this.memory.show(
      {
        rows: window.rows.length,
        columns: window.columns.length,
        colour: (cell, dark) => {
          const found = value(cell);
          if (found !== undefined) return colourOf(scale.scheme, scale.part(found), dark);
          if (!this.inside(this.coordinate(cell))) return undefined;
          return dark ? 0x2a323c : 0xe6eaef;
        },
        text: (cell) => {
          const found = value(cell);
          return found === undefined ? "" : short(found);
        },
        // What is asked for outside of the tensor.
        mark: (cell) => (asked.has(cell) && !this.inside(this.coordinate(cell)) ? "outside" : undefined),
        rowTitle: (row) => (window.rows[row] ?? []).join(","),
        columnTitle: (column) => (window.columns[column] ?? []).join(","),
        outlines: this.outlines(data),
        ...(block &&
        (window.columns[0]?.[0] ?? 0) % (data.blockSize[last] ?? 1) === 0 &&
        window.columns[0]?.length === 1
          ? {
              blocks: [data.dimension.length === 2 ? (data.blockSize[0] ?? 1) : 1, data.blockSize[last] ?? 1],
            }
          : {}),
      },
      `The tensor in memory, ${data.dimension.join(" by ")}. Arrow keys choose an element.`,
    );
  }

  /** The tensor's edge, and the slice. */
  private outlines(data: TensorData): Outline[] {
    const { window } = this;
    if (data.dimension.length > 2) return [];
    const two = data.dimension.length === 2;
    const [firstRow] = window.rows[0] ?? [0];
    const rectangle = (start: readonly number[], size: readonly number[]): Outline => {
      const last = data.dimension.length - 1;
      const row = two ? (start[0] ?? 0) - (firstRow ?? 0) : 0;
      return {
        row,
        column: (start[last] ?? 0) - (window.columns[0]?.[0] ?? 0),
        rows: two ? (size[0] ?? 1) : 1,
        columns: size[last] ?? 1,
      };
    };
    const zeros = data.dimension.map(() => 0);
    return [{ ...rectangle(zeros, data.dimension), dashed: true }, rectangle(data.sliceOffset, data.span)];
  }

  private showMatrix(data: TensorData) {
    const { matrix } = data;
    const scale = makeScale("automatic", rangeOf(matrix.values, matrix.undefined));
    this.matrix.show(
      {
        rows: matrix.rows,
        columns: matrix.columns,
        colour: (index, dark) => colourOf(scale.scheme, scale.part(matrix.values[index] ?? 0), dark),
        text: (index) => (this.padded(index) ? "" : short(matrix.values[index] ?? 0)),
        mark: (index) =>
          this.padded(index)
            ? "outside"
            : markOf(matrix.values[index] ?? 0, matrix.undefined?.(index) ?? false),
      },
      `The matrix, ${matrix.rows} by ${matrix.columns}. Arrow keys choose an element.`,
    );
  }

  private padded(index: number) {
    const kind = this.elements[index]?.kind;
    return kind === "clamped" || kind === "clipped";
  }

  private showFacts(data: TensorData) {
    // Of more than two dimensions, no rectangle is the slice.
    this.slice.hidden = this.edge.hidden = data.dimension.length > 2;
    const list = (numbers: readonly number[]) => numbers.join(", ");
    const facts: [string, string][] = [
      ["Slice", data.sliceOffset.map((at, dim) => `${at} … ${at + (data.span[dim] ?? 0) - 1}`).join(", ")],
      ["Strides", list(data.stride)],
      ["Clamp mode", data.clampMode],
    ];
    if (data.blockSize.some((size) => size > 1))
      facts.push(["Blocks", `${data.blockSize.join("×")}, ${data.unit} bytes each, decoded`]);
    if (data.view) {
      facts.push(["View", `dimensions in the order ${list(data.view.permutation)}`]);
      if (data.view.hasDimensions)
        facts.push([
          "View's dimensions",
          `${data.view.dimension.join("×")}, strides ${list(data.view.stride)}`,
        ]);
      const [row = 0, rows = 0, column = 0, columns = 0] = data.view.clip;
      if (row > 0 || column > 0 || rows < 0xffffffff || columns < 0xffffffff)
        facts.push([
          "Clip region",
          `${size(rows)} rows from ${row}, ${size(columns)} columns from ${column}`,
        ]);
    }
    const outside = this.elements.filter(({ kind }) => kind === "clamped").length;
    const clipped = this.elements.filter(({ kind }) => kind === "clipped").length;
    if (outside > 0)
      facts.push([
        "Outside",
        `${outside} elements ${data.store ? "are not written" : "are the clamp value"}`,
      ]);
    if (clipped > 0)
      facts.push(["Clipped", `${clipped} elements ${data.store ? "are not written" : "keep their value"}`]);
    this.facts.replaceChildren(
      ...facts.flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, value)]),
    );
  }

  private pointElement(index: number | undefined) {
    const { data } = this;
    if (!data) return;
    this.matrix.light(undefined);
    const found = index === undefined ? undefined : this.elements[index];
    if (index === undefined || !found) {
      this.memory.light(undefined);
      return this.say();
    }
    const cells =
      found.kind === "clipped" ? [] : [found.wanted, ...(found.kind === "clamped" ? [] : [found.got])];
    this.memory.light(cells.map((at) => this.cell(at)).filter((cell) => cell !== undefined));
    this.say(`${nameOf(data, index)}: ${this.explain(data, found, index)}`);
  }

  private explain(data: TensorData, found: TensorElement, index: number): string {
    const at = (coordinate: readonly number[]) => `[${coordinate.join(", ")}]`;
    const value = data.matrix.undefined?.(index)
      ? "undefined"
      : exact(data.matrix.values[index] ?? 0, data.matrix.component);
    if (found.kind === "clipped")
      return `outside of the view's clip region, ${data.store ? "not written" : `keeps its value, ${value}`}.`;
    if (found.kind === "clamped")
      return `asks for ${at(found.wanted)}, outside of the tensor: ${data.store ? "not written" : `the clamp value, ${value}`}.`;
    const byte = data.offset + found.index * data.unit;
    const blocks = data.blockSize.some((size) => size > 1);
    const unit = blocks ? `block ${found.index}` : `element ${found.index}`;
    const arrow = data.store ? "to" : "from";
    const moved = found.wanted.some((at, dim) => at !== found.got[dim]);
    const detour = moved ? ` asks for ${at(found.wanted)}, and ${data.clampMode} makes it` : ` ${arrow}`;
    const warning =
      found.kind === "outside" ? " Outside of the tensor, and the clamp mode is Undefined." : "";
    return `${value}${detour} ${at(found.got)}: ${unit}, byte ${byte} of ${data.memory}.${warning}`;
  }

  private pointMemory(cell: number | undefined) {
    const { data } = this;
    if (!data) return;
    this.memory.light(undefined);
    if (cell === undefined) {
      this.matrix.light(undefined);
      return this.say();
    }
    const indexes = [...(this.from.get(cell) ?? []), ...(this.asked.get(cell) ?? [])];
    this.matrix.light(indexes);
    const coordinate = this.coordinate(cell);
    const names = indexes.slice(0, 6).map((index) => nameOf(data, index).toLowerCase());
    const more = indexes.length > 6 ? ` and ${indexes.length - 6} more` : "";
    const where = this.inside(coordinate) ? "" : ", outside of the tensor,";
    const verb = this.inside(coordinate) ? (data.store ? "is written by" : "goes to") : "is asked for by";
    this.say(
      `[${coordinate.join(", ")}]${where} ${indexes.length > 0 ? `${verb} ${names.join("; ")}${more}` : "is not touched"}.`,
    );
  }

  private say(
    words = "Point at an element to see where in memory it is, or at memory to see which elements it became.",
  ) {
    this.words.textContent = words;
  }
}

function nameOf(data: TensorData, index: number) {
  const [row, column] = place(index, data.matrix.columns);
  return `Row ${row}, column ${column}`;
}

const size = (count: number) => (count === 0xffffffff ? "all" : String(count));

function add(map: Map<number, number[]>, key: number | undefined, value: number) {
  if (key === undefined) return;
  const list = map.get(key);
  if (list) list.push(value);
  else map.set(key, [value]);
}
