// A matrix as a heat map: a colour for each element, its value where there is room, a legend with a histogram, and the element that is
// pointed at in words.

import { element } from "../element";
import { colourOf } from "./colour";
import { Grid } from "./grid";
import { Legend } from "./legend";
import type { Mark } from "./marks";
import { hidden, type MatrixData, markOfElement, place } from "./model";
import { exact, hex, short, widthOf } from "./numbers";
import { makeScale, type Range, rangeOf, SCALE_TITLES, SCALES, type Scale, type ScaleName } from "./scale";
import { valuesTable } from "./table";

export interface HeatMapOptions {
  height?: number;
  /** More about an element, behind its value. */
  describe?: (index: number) => string;
  /** The scale to begin with. */
  scale?: ScaleName;
  /** No legend, no controls: the grid and the words alone. */
  plain?: boolean;
}

export class HeatMap {
  readonly body = element("div", { className: "matrix-view heat-map" });
  readonly grid: Grid;
  onPoint: (index: number | undefined) => void = () => {};
  private readonly legend = new Legend();
  private readonly chooser = element("select", { ariaLabel: "Colour scale" });
  private readonly words = element("output", { className: "view-words", ariaLive: "polite" });
  private readonly table = valuesTable();
  private data: MatrixData | undefined;
  private range: Range | undefined;
  private scale: Scale | undefined;

  constructor(private readonly options: HeatMapOptions = {}) {
    this.grid = new Grid({ label: "Matrix", ...(options.height && { height: options.height }) });
    for (const value of SCALES) this.chooser.append(element("option", { value }, SCALE_TITLES[value]));
    this.chooser.value = options.scale ?? "automatic";
    this.chooser.onchange = () => this.colour();
    const bar = element(
      "div",
      { className: "view-bar" },
      element("label", {}, "Scale ", this.chooser),
      zoomButtons(this.grid),
    );
    if (!options.plain) this.body.append(bar);
    this.body.append(this.words, this.grid.body);
    if (!options.plain) this.body.append(this.legend.body, this.table.body);
    this.grid.onPoint = (index) => {
      this.say(index);
      this.onPoint(index);
    };
    this.legend.onMark = (mark) => this.next(mark);
  }

  show(data: MatrixData) {
    this.data = data;
    this.range = rangeOf(data.values, hidden(data));
    this.table.show(data);
    this.colour();
    this.say(this.grid.selected);
  }

  /** The value's colour, which other pictures of the same matrix take too. */
  colourAt(index: number, dark: boolean): number {
    const part = this.scale?.part(this.data?.values[index] ?? 0) ?? 0;
    return colourOf(this.scale?.scheme ?? "sequential", part, dark);
  }

  mark(index: number): Mark | undefined {
    const { data } = this;
    return data && index < data.values.length ? markOfElement(data, index) : undefined;
  }

  private colour() {
    const { data, range } = this;
    if (!data || !range) return;
    this.scale = makeScale(this.chooser.value as ScaleName, range);
    const marks = new Map<Mark, number>();
    for (let index = 0; index < data.rows * data.columns; index++) {
      const mark = this.mark(index);
      if (mark) marks.set(mark, (marks.get(mark) ?? 0) + 1);
    }
    if (!this.options.plain) this.legend.show(data.values, this.scale, marks, hidden(data));
    this.grid.show(
      {
        rows: data.rows,
        columns: data.columns,
        colour: (index, dark) =>
          index < data.values.length && !data.inactive?.(index) ? this.colourAt(index, dark) : undefined,
        text: (index) =>
          this.mark(index) || index >= data.values.length ? "" : short(data.values[index] ?? 0),
        ...(data.folded && {
          rowTitle: (row: number) => String(row * data.columns),
          columnTitle: (column: number) => `+${column}`,
        }),
        ...(marks.size > 0 && { mark: (index: number) => this.mark(index) }),
      },
      `${data.name}, ${data.rows} by ${data.columns} ${data.component}. Arrow keys choose an element, plus and minus zoom, 0 shows all.`,
    );
  }

  private say(index: number | undefined) {
    const { data } = this;
    if (!data) return;
    this.words.replaceChildren(
      index === undefined ? summary(data, this.range) : describe(data, index, this.options.describe?.(index)),
    );
  }

  /** Selects the next element with a mark, behind the selected one. */
  private next(mark: Mark) {
    const { data } = this;
    if (!data) return;
    const count = data.rows * data.columns;
    for (let step = 1; step <= count; step++) {
      const index = ((this.grid.selected ?? -1) + step) % count;
      if (this.mark(index) === mark) return this.go(index);
    }
  }

  /** Brings an element into view, large enough to be read, and selects it. */
  go(index: number) {
    this.body.scrollIntoView({ block: "nearest" });
    if (this.grid.scale < 24) this.grid.zoom(24 / this.grid.scale);
    this.grid.select(index);
    this.grid.body.focus({ preventScroll: true });
  }
}

function summary(data: MatrixData, range: Range | undefined): string {
  const size = data.folded ? `${data.values.length} elements` : `${data.rows}×${data.columns}`;
  const type = `${data.component}, ${size}`;
  if (!range || range.finite === 0) return type;
  return `${type}: from ${exact(range.low, data.component)} to ${exact(range.high, data.component)}`;
}

/** An element in words: where, what, which bits. */
export function describe(data: MatrixData, index: number, more?: string): string {
  const [row, column] = place(index, data.columns);
  if (index >= data.values.length) return "No element.";
  if (data.inactive?.(index)) return `Invocation ${row} takes no part.`;
  const where = data.folded
    ? `Element ${index}`
    : data.inactive
      ? `Invocation ${row}, component ${column}`
      : `Row ${row}, column ${column}`;
  const value = data.undefined?.(index) ? "undefined" : exact(data.values[index] ?? 0, data.component);
  const bits = data.bits ? `, bits ${hex(data.bits(index), widthOf(data.component))}` : "";
  return `${where}: ${value}${bits}${more ? `. ${more}` : ""}`;
}

/** Buttons for who has no wheel. */
export function zoomButtons(grid: Grid): HTMLElement {
  const button = (sign: string, title: string, act: () => void) =>
    element("button", { type: "button", title, ariaLabel: title, onclick: act }, sign);
  return element(
    "span",
    { className: "view-zoom" },
    button("−", "Smaller", () => grid.zoom(1 / 1.6)),
    button("+", "Larger", () => grid.zoom(1.6)),
    button("Fit", "Fit the whole matrix", () => grid.fit()),
  );
}
