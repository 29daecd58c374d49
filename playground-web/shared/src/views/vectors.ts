// An operation on cooperative vectors: the vectors of all invocations as rows, and the matrix that they are multiplied by or that their products are
// added to. Pointing at an element lights what it is made of, or what it counts in.

import { element } from "../element";
import { colourOf } from "./colour";
import { Grid } from "./grid";
import { describe } from "./heat-map";
import { hidden, type MatrixData, markOfElement, matricesIn, place, type VectorsData } from "./model";
import { type Chip, chips } from "./multiply";
import { exact, many, short } from "./numbers";
import { makeScale, rangeOf } from "./scale";

/** What pointing at an element shows. */
export interface Pointed {
  /** By the name of the matrix. */
  lit: Record<string, number[]>;
  words: string;
  terms: Chip[];
}

const row = (data: MatrixData, row: number) =>
  Array.from({ length: data.columns }, (_, column) => row * data.columns + column);

/** A column, in the rows that take part. */
const column = (data: MatrixData, column: number) =>
  Array.from({ length: data.rows }, (_, row) => row * data.columns + column).filter(
    (index) => !data.inactive?.(index),
  );

/** What an element of one of the matrices is made of, and what it counts in. */
export function pointed(data: VectorsData, own: MatrixData, index: number): Pointed {
  const told = describe(own, index);
  const [first, second] = place(index, own.columns);
  if (own.inactive?.(index))
    return { lit: { [own.name]: [index] }, words: `Invocation ${first} takes no part.`, terms: [] };
  switch (data.kind) {
    case "product":
      return inProduct(data, own, index, [first, second], told);
    case "outer product":
      return inOuterProduct(data, own, index, [first, second], told);
    case "sum": {
      const { vector, before, result } = data;
      const lit = {
        [vector.name]: own === vector ? [index] : column(vector, second),
        [before.name]: [second],
        [result.name]: [second],
      };
      if (own === vector)
        return { lit, words: `${told}. It is added to component ${second} in memory.`, terms: [] };
      const parts = column(vector, second);
      const terms = parts.map((at) => ({
        name: `invocation ${place(at, vector.columns)[0]}`,
        text: short(vector.values[at] ?? 0),
      }));
      const sum = parts.reduce((sum, at) => sum + (vector.values[at] ?? 0), before.values[second] ?? 0);
      return {
        lit,
        words: sumWords(result, second, before, second, sum, many(parts.length, "number")),
        terms,
      };
    }
    case "components": {
      const { matrices, where } = data;
      const lit = Object.fromEntries(
        matrices.map((one) => [one.name, [first * one.columns + Math.min(second, one.columns - 1)]]),
      );
      const others = matrices
        .filter((one) => one !== own)
        .map((one) => `${one.name}: ${exact(one.values[lit[one.name]?.[0] ?? 0] ?? 0, one.component)}`);
      const memory = where?.(first, second);
      return { lit, words: [told, ...others, ...(memory ? [memory] : [])].join(". "), terms: [] };
    }
  }
}

function inProduct(
  data: Extract<VectorsData, { kind: "product" }>,
  own: MatrixData,
  index: number,
  [first, second]: [number, number],
  told: string,
): Pointed {
  const { input, taken, matrix, bias, result, transposed } = data;
  const [m, k] = transposed ? [second, first] : [first, second];
  const inner = transposed ? matrix.rows : matrix.columns;
  const line = (m: number) =>
    Array.from({ length: inner }, (_, k) => (transposed ? k * matrix.columns + m : m * matrix.columns + k));
  const across = transposed ? "column" : "row";
  if (own === matrix)
    return {
      lit: {
        [taken.name]: column(taken, k),
        [matrix.name]: [index],
        [result.name]: column(result, m),
        ...(bias && { [bias.name]: [] }),
        ...(input !== taken && { [input.name]: [] }),
      },
      words: `${told}. It meets component ${k} of each input, and counts in component ${m} of each result.`,
      terms: [],
    };
  if (own === input || own === taken) {
    // What is packed is several numbers of what is multiplied.
    const packed = Math.max(1, Math.round(taken.columns / input.columns));
    const numbers =
      own === taken
        ? [second]
        : Array.from({ length: packed }, (_, part) => second * packed + part).filter((k) => k < inner);
    const lines = numbers.flatMap((k) =>
      Array.from({ length: result.columns }, (_, m) =>
        transposed ? k * matrix.columns + m : m * matrix.columns + k,
      ),
    );
    const taking = numbers.map((k) => exact(taken.values[first * taken.columns + k] ?? 0, taken.component));
    const as = own === taken ? "" : `, multiplied as ${taking.join(", ")}`;
    return {
      lit: {
        [input.name]: [own === input ? index : first * input.columns + Math.floor(second / packed)],
        [taken.name]: numbers.map((k) => first * taken.columns + k),
        [matrix.name]: lines,
        [result.name]: row(result, first),
        ...(bias && { [bias.name]: [] }),
      },
      words: `${told}${as}. It counts in each component of the result of invocation ${first}.`,
      terms: [],
    };
  }
  // An element of the result, or what is added to it.
  const elements = line(second);
  const terms = elements.map((at, k) => ({
    k,
    weight: matrix.values[at] ?? 0,
    value: taken.values[first * taken.columns + k] ?? 0,
  }));
  const of = `${many(inner, "product")} of ${across} ${second} of the matrix and the input`;
  const start = bias?.values[index] ?? 0;
  const sum = terms.reduce((sum, { weight, value }) => sum + weight * value, start);
  return {
    lit: {
      ...(input !== taken && { [input.name]: row(input, first) }),
      [taken.name]: row(taken, first),
      [matrix.name]: elements,
      ...(bias && { [bias.name]: [index] }),
      [result.name]: [index],
    },
    words: sumWords(result, index, bias, index, sum, of),
    terms: terms.map(({ k, weight, value }) => ({
      name: `k${k}`,
      text: `${short(weight)} × ${short(value)}`,
      title: `k = ${k}: ${exact(weight, matrix.component)} × ${exact(value, taken.component)} = ${exact(weight * value)}`,
    })),
  };
}

function inOuterProduct(
  data: Extract<VectorsData, { kind: "outer product" }>,
  own: MatrixData,
  index: number,
  [first, second]: [number, number],
  told: string,
): Pointed {
  const { a, b, before, result } = data;
  if (own === a || own === b) {
    const [other, line, name] =
      own === a ? [b, row(result, second), "row"] : [a, column(result, second), "column"];
    return {
      lit: {
        [own.name]: [index],
        [other.name]: row(other, first),
        [before.name]: [],
        [result.name]: line,
      },
      words: `${told}. Its products with ${other.name} of invocation ${first} are added to ${name} ${second} of the matrix.`,
      terms: [],
    };
  }
  const lanes = column(a, first).map((at) => place(at, a.columns)[0]);
  const terms = lanes.map((lane) => ({
    lane,
    left: a.values[lane * a.columns + first] ?? 0,
    right: b.values[lane * b.columns + second] ?? 0,
  }));
  const sum = terms.reduce((sum, { left, right }) => sum + left * right, before.values[index] ?? 0);
  return {
    lit: {
      [a.name]: column(a, first),
      [b.name]: column(b, second),
      [before.name]: [index],
      [result.name]: [index],
    },
    words: sumWords(result, index, before, index, sum, many(lanes.length, "product")),
    terms: terms.map(({ lane, left, right }) => ({
      name: `invocation ${lane}`,
      text: `${short(left)} × ${short(right)}`,
      title: `${exact(left, a.component)} × ${exact(right, b.component)} = ${exact(left * right)}`,
    })),
  };
}

function sumWords(
  result: MatrixData,
  index: number,
  start: MatrixData | undefined,
  at: number,
  sum: number,
  added: string,
): string {
  const after = result.values[index] ?? 0;
  const from = start ? `${start.name} ${exact(start.values[at] ?? 0, start.component)} + ` : "";
  const same = Object.is(sum, after) || sum === after;
  const apart = same ? "" : `; in double precision the sum is ${exact(sum)}`;
  return `${describe(result, index)} = ${from}${added}${apart}`;
}

export class VectorsView {
  readonly body = element("div", { className: "matrix-view vectors" });
  readonly first = new Grid({ label: "Vectors" });
  readonly second = new Grid({ label: "Vectors" });
  readonly third = new Grid({ label: "Matrix" });
  readonly fourth = new Grid({ label: "Vectors" });
  readonly fifth = new Grid({ label: "Result" });
  private readonly facts = element("dl", { className: "view-facts" });
  private readonly words = element("output", { className: "view-words", ariaLive: "polite" });
  private readonly terms = element("div", {
    className: "view-terms",
    tabIndex: 0,
    attributes: { role: "group", "aria-label": "Terms of the sum" },
  });
  private readonly places = element("div", { className: "view-columns" });
  private shown: [MatrixData, Grid][] = [];
  private data: VectorsData | undefined;

  constructor() {
    this.body.append(this.facts, this.words, this.terms, this.places);
  }

  show(data: VectorsData) {
    this.data = data;
    const grids = [this.first, this.second, this.third, this.fourth, this.fifth];
    this.shown = matricesIn(data)
      .slice(0, grids.length)
      .map((matrix, at) => [matrix, grids[at] ?? this.fifth]);
    this.facts.replaceChildren(
      ...data.facts.flatMap(([name, fact]) => [element("dt", {}, name), element("dd", {}, fact)]),
    );
    this.places.replaceChildren(
      ...this.shown.map(([matrix, grid]) => {
        const { name, component, rows, columns } = matrix;
        const size = matrix.inactive
          ? `${many(rows, "invocation")}, ${many(columns, "component")}`
          : `${rows}×${columns}`;
        return element("div", {}, element("h3", {}, `${name}: ${size}, ${component}`), grid.body);
      }),
    );
    let selected: [MatrixData, number] | undefined;
    for (const [matrix, grid] of this.shown) {
      drawIn(grid, matrix);
      grid.onPoint = (index) => this.point(index === undefined ? undefined : [matrix, index]);
      if (grid.selected !== undefined) selected = [matrix, grid.selected];
    }
    this.point(selected);
  }

  private point(at: [MatrixData, number] | undefined) {
    const { data } = this;
    if (!data) return;
    const found = at && pointed(data, at[0], at[1]);
    for (const [matrix, grid] of this.shown) grid.light(found?.lit[matrix.name]);
    this.words.textContent =
      found?.words ?? "Point at an element: what it is made of, and what it counts in, is lit.";
    this.terms.hidden = !found || found.terms.length === 0;
    this.terms.replaceChildren(...chips(found?.terms ?? []));
  }
}

function drawIn(grid: Grid, data: MatrixData) {
  const scale = makeScale("automatic", rangeOf(data.values, hidden(data)));
  const { rows, columns } = data;
  const mark = (index: number) => markOfElement(data, index);
  const parts = data.inactive ? "components" : "columns";
  grid.show(
    {
      rows,
      columns,
      colour: (index, dark) =>
        data.inactive?.(index)
          ? undefined
          : colourOf(scale.scheme, scale.part(data.values[index] ?? 0), dark),
      text: (index) => (mark(index) ? "" : short(data.values[index] ?? 0)),
      mark,
    },
    `${data.name}, ${data.inactive ? many(rows, "invocation") : many(rows, "row")} by ${columns} ${parts} ${data.component}. Arrow keys choose an element.`,
  );
}
