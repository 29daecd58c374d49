// A multiply-add as in a textbook: A to the left of the result, B above it. Pointing at an element of the result lights its row of A and
// its column of B, and lists the terms of its sum.

import { element } from "../element";
import { colourOf } from "./colour";
import { Grid } from "./grid";
import { markOf } from "./marks";
import { type MatrixData, type MultiplyData, place } from "./model";
import { exact, largest, short } from "./numbers";
import { makeScale, rangeOf } from "./scale";

/** Pixels between A and the result; views.css has the same. */
const GAP = 12;

/** Pixels of a cell that is told apart from its neighbours. */
const LEGIBLE = 11;

/** Pixels of what usually stands above and below the picture in its window. */
const AROUND = 540;

/** The terms that are listed; a sum of thousands is no reading. */
const MOST_TERMS = 256;

export interface Term {
  k: number;
  a: number;
  b: number;
  product: number;
}

/** The products that an element of the result is made of. */
export function termsOf({ a, b, result }: MultiplyData, index: number): Term[] {
  const [row, column] = place(index, result.columns);
  return Array.from({ length: a.columns }, (_, k) => {
    const [left, right] = [a.values[row * a.columns + k] ?? 0, b.values[k * b.columns + column] ?? 0];
    return { k, a: left, b: right, product: left * right };
  });
}

/**
 * How far the sums of an element of a `float16_t` accumulator, one after each product, are from overflowing. They begin with what C holds,
 * or, where that was measured, with what it would hold if nothing had been rounded.
 */
export function headroomOf({ c, result }: MultiplyData, index: number, terms: readonly Term[]): string {
  if (result.component !== "float16_t") return "";
  const limit = largest(result.component);
  const { products = 0, values } = c.sums ?? {};
  let sum = values?.[index] ?? c.values[index] ?? 0;
  let [most, at, first] = [0, products, -1];
  for (const { k, product } of terms) {
    sum += product;
    if (Math.abs(sum) > Math.abs(most)) [most, at] = [sum, products + k];
    if (first < 0 && Math.abs(sum) > limit) first = products + k;
  }
  if (!Number.isFinite(sum)) return "";
  const bits = Math.log2(limit / Math.abs(most));
  return first < 0
    ? most === 0
      ? ""
      : `; largest partial sum ${exact(most)} at k = ${at}: ${(Math.floor(bits * 100) / 100).toFixed(2)} bits of headroom`
    : `; beyond ${limit} from k = ${first} on, largest partial sum ${exact(most)} at k = ${at}`;
}

/** A term of a sum as it is listed. */
export interface Chip {
  name: string;
  text: string;
  title?: string;
}

/** The terms of a sum, the first ones of many. */
export const chips = (terms: readonly Chip[]): (HTMLElement | string)[] => [
  ...terms
    .slice(0, MOST_TERMS)
    .map(({ name, text, title }) =>
      element(
        "span",
        { className: "view-term", ...(title && { title }) },
        element("small", {}, name),
        ` ${text}`,
      ),
    ),
  ...(terms.length > MOST_TERMS ? [`and ${terms.length - MOST_TERMS} more`] : []),
];

export class MultiplyView {
  readonly body = element("div", { className: "matrix-view multiply" });
  readonly a = new Grid({ label: "A", still: true, height: 4000 });
  readonly b = new Grid({ label: "B", still: true, height: 4000 });
  readonly result = new Grid({ label: "Result", still: true, height: 4000 });
  /** Nothing of the product stands beside B and above A: there is room for the sum. */
  private readonly corner = element("div", { className: "view-corner" });
  private readonly shapes = element("div", { className: "view-shapes" });
  private readonly words = element("output", { className: "view-words", ariaLive: "polite" });
  private readonly terms = element("div", {
    className: "view-terms",
    tabIndex: 0,
    attributes: { role: "group", "aria-label": "Terms of the sum" },
  });
  private readonly square = element("div", { className: "view-textbook" });
  private data: MultiplyData | undefined;

  constructor() {
    const place = (name: string, grid: Grid, title: string) =>
      element("div", { className: `view-place place-${name}` }, element("h3", {}, title), grid.body);
    this.square.append(
      this.corner,
      place("b", this.b, "B"),
      place("a", this.a, "A"),
      place("result", this.result, "A × B + C"),
    );
    this.corner.append(this.shapes, this.terms);
    this.body.append(this.words, this.square);
    new ResizeObserver(() => this.fit()).observe(this.body);
    this.result.onPoint = (index) => this.point(index);
    this.a.onPoint = (index) => this.pointOperand(index, "a");
    this.b.onPoint = (index) => this.pointOperand(index, "b");
  }

  /** Cells of one size everywhere, so that rows and columns continue each other. */
  private fit() {
    const width = this.body.clientWidth;
    if (!this.data || width === 0) return;
    const { a, b, result } = this.data;
    const gutter = 10 + 7 * String(Math.max(a.rows, b.rows) - 1).length;
    const room = width - 2 * gutter - GAP - 4;
    // All three in view at once where that leaves cells to be told apart.
    const high = Math.max(LEGIBLE, (innerHeight - AROUND) / (b.rows + result.rows));
    const cell = Math.max(1.5, Math.min(30, room / (a.columns + result.columns), high));
    for (const grid of [this.a, this.b, this.result]) grid.fix(cell, gutter);
    this.corner.style.width = `${Math.max(90, gutter + a.columns * cell)}px`;
    // As high as B with its title, so that a long sum scrolls.
    this.corner.style.height = `${Math.max(120, b.rows * cell + 40)}px`;
  }

  show(data: MultiplyData) {
    this.data = data;
    const { a, b, result } = data;
    showMatrix(this.a, a, "A");
    showMatrix(this.b, b, "B");
    showMatrix(this.result, result, "The result");
    this.shapes.replaceChildren(
      element("strong", {}, `${result.rows}×${result.columns}×${a.columns}`),
      element("div", {}, `A ${a.rows}×${a.columns} ${a.component}`),
      element("div", {}, `B ${b.rows}×${b.columns} ${b.component}`),
      element("div", {}, `C ${result.rows}×${result.columns} ${result.component}`),
    );
    this.fit();
    this.point(this.result.selected);
  }

  private point(index: number | undefined) {
    const { data } = this;
    if (!data) return;
    const { a, b, c, result } = data;
    this.result.light(undefined);
    if (index === undefined) {
      this.a.light(undefined);
      this.b.light(undefined);
      this.words.textContent = "Point at an element of the result: its row of A and its column of B are lit.";
      this.terms.replaceChildren();
      return;
    }
    const [row, column] = place(index, result.columns);
    this.a.light(Array.from({ length: a.columns }, (_, k) => row * a.columns + k));
    this.b.light(Array.from({ length: b.rows }, (_, k) => k * b.columns + column));
    const terms = termsOf(data, index);
    const before = c.values[index] ?? 0;
    const sum = terms.reduce((sum, term) => sum + term.product, before);
    const after = result.values[index] ?? 0;
    const same = Object.is(sum, after) || sum === after;
    this.words.textContent =
      `Row ${row}, column ${column}: ${exact(after, result.component)} = C ${exact(before, c.component)} + ${terms.length} products` +
      (same ? "" : `; in double precision the sum is ${exact(sum)}`) +
      headroomOf(data, index, terms);
    this.terms.replaceChildren(
      ...chips([
        { name: "C", text: short(before) },
        ...terms.map(({ k, a: left, b: right, product }) => ({
          name: `k${k}`,
          text: `${short(left)} × ${short(right)}`,
          title: `k = ${k}: ${exact(left, a.component)} × ${exact(right, b.component)} = ${exact(product)}`,
        })),
      ]),
    );
  }

  /** An element of A counts in a row of the result, one of B in a column. */
  private pointOperand(index: number | undefined, side: "a" | "b") {
    const { data } = this;
    if (!data) return;
    const { a, b, result } = data;
    this.a.light(undefined);
    this.b.light(undefined);
    if (index === undefined) return this.point(this.result.selected);
    const own = data[side];
    const [row, column] = place(index, own.columns);
    const value = exact(own.values[index] ?? 0, own.component);
    this.terms.replaceChildren();
    if (side === "a") {
      this.b.light(Array.from({ length: b.columns }, (_, j) => column * b.columns + j));
      this.result.light(Array.from({ length: result.columns }, (_, j) => row * result.columns + j));
      this.words.textContent = `A, row ${row}, k ${column}: ${value}. It meets row ${column} of B, and counts in row ${row} of the result.`;
    } else {
      this.a.light(Array.from({ length: a.rows }, (_, i) => i * a.columns + row));
      this.result.light(Array.from({ length: result.rows }, (_, i) => i * result.columns + column));
      this.words.textContent = `B, k ${row}, column ${column}: ${value}. It meets column ${row} of A, and counts in column ${column} of the result.`;
    }
  }
}

/** A matrix in a grid, in the colours of its own range. */
export function showMatrix(grid: Grid, data: MatrixData, role: string) {
  const scale = makeScale("automatic", rangeOf(data.values, data.undefined));
  const mark = (index: number) => markOf(data.values[index] ?? 0, data.undefined?.(index) ?? false);
  grid.show(
    {
      rows: data.rows,
      columns: data.columns,
      colour: (index, dark) => colourOf(scale.scheme, scale.part(data.values[index] ?? 0), dark),
      text: (index) => (mark(index) ? "" : short(data.values[index] ?? 0)),
      mark,
    },
    `${role}, ${data.rows} by ${data.columns} ${data.component}. Arrow keys choose an element.`,
  );
}
