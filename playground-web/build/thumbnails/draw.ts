// Paints thumbnails: matrices as cells, side by side or as the factors of a product, with signs between them. What lies around the cells is
// transparent, and no sign is lighter or darker than both themes allow for, so that one picture is right on either.

import { type Colour, colourOf, colourOfInvocation } from "@coopmat/shared/views/colour";
import { makeScale, rangeOf, type ScaleName } from "@coopmat/shared/views/scale";

/** Twice the size in which the gallery shows them. */
export const WIDTH = 448;
export const HEIGHT = 216;
const MARGIN = 14;

const SIGN = 0x808b99;
const WRONG = 0xd8365d;
// What is pointed out has a dark line with a light one around it: one of them is seen on either theme.
const INK = 0x10151c;
const WHITE = 0xffffff;

/** What is wrong with a cell. */
export type Mark = "wrong" | "outside";

export interface Panel {
  rows: number;
  columns: number;
  colour(row: number, column: number): Colour | undefined;
  mark?: ((row: number, column: number) => Mark | undefined) | undefined;
  /** So many rows and columns keep together. */
  blocks?: readonly [number, number] | undefined;
}

export class Painting {
  readonly pixels = new Uint8ClampedArray(WIDTH * HEIGHT * 4);

  rectangle(left: number, top: number, width: number, height: number, colour: Colour) {
    for (let y = Math.max(0, Math.round(top)); y < Math.min(HEIGHT, Math.round(top + height)); y++)
      for (let x = Math.max(0, Math.round(left)); x < Math.min(WIDTH, Math.round(left + width)); x++)
        this.pixels.set([colour >> 16, (colour >> 8) & 255, colour & 255, 255], (y * WIDTH + x) * 4);
  }

  /** Around the rectangle, outside of it. */
  outline(left: number, top: number, width: number, height: number, thick: number, colour: Colour) {
    this.rectangle(left - thick, top - thick, width + 2 * thick, thick, colour);
    this.rectangle(left - thick, top + height, width + 2 * thick, thick, colour);
    this.rectangle(left - thick, top, thick, height, colour);
    this.rectangle(left + width, top, thick, height, colour);
  }

  arrow(left: number, middle: number, size: number) {
    this.rectangle(left, middle - 2, size * 0.6, 4, SIGN);
    for (let x = 0; x < size * 0.5; x++) {
      const half = (size * 0.5 - x) * 0.7;
      this.rectangle(left + size * 0.5 + x, middle - half, 1, 2 * half, SIGN);
    }
  }

  cross(left: number, top: number, size: number, colour: Colour) {
    const thick = Math.max(2, Math.round(size / 7));
    const edge = size * 0.22;
    for (let at = edge; at < size - edge; at++) {
      this.rectangle(left + at - thick / 2, top + at - thick / 2, thick, thick, colour);
      this.rectangle(left + size - at - thick / 2, top + at - thick / 2, thick, thick, colour);
    }
  }
}

/** Between two blocks. */
const BREAK = 4;

const breaks = (count: number, block: number | undefined) =>
  block ? Math.max(0, Math.ceil(count / block) - 1) * BREAK : 0;

/** The largest whole number of pixels by which a cell fits. */
function cellFor(panel: Panel, width: number, height: number): number {
  const across = (width - breaks(panel.columns, panel.blocks?.[1])) / panel.columns;
  const down = (height - breaks(panel.rows, panel.blocks?.[0])) / panel.rows;
  return Math.max(1, Math.min(28, Math.floor(Math.min(across, down))));
}

class Placed {
  readonly width: number;
  readonly height: number;

  constructor(
    readonly panel: Panel,
    readonly cell: number,
    readonly left: number,
    readonly top: number,
  ) {
    [this.height, this.width] = extent(panel, cell);
  }

  x(column: number): number {
    const block = this.panel.blocks?.[1];
    return this.left + column * this.cell + (block ? Math.floor(column / block) * BREAK : 0);
  }

  y(row: number): number {
    const block = this.panel.blocks?.[0];
    return this.top + row * this.cell + (block ? Math.floor(row / block) * BREAK : 0);
  }

  paint(on: Painting) {
    const { panel, cell } = this;
    const size = cell >= 7 ? cell - 1 : cell;
    for (let row = 0; row < panel.rows; row++)
      for (let column = 0; column < panel.columns; column++) {
        const [x, y] = [this.x(column), this.y(row)];
        const mark = panel.mark?.(row, column);
        if (mark === "wrong") {
          on.rectangle(x, y, size, size, WRONG);
          if (size >= 8) on.cross(x, y, size, WHITE);
          continue;
        }
        if (mark === "outside") {
          on.outline(x + 2, y + 2, size - 4, size - 4, 2, WRONG);
          continue;
        }
        const colour = panel.colour(row, column);
        if (colour !== undefined) on.rectangle(x, y, size, size, colour);
      }
  }

  outline(on: Painting, row: number, column: number, rows: number, columns: number) {
    const [x, y] = [this.x(column), this.y(row)];
    const width = this.x(column + columns - 1) + this.cell - x - 1;
    const height = this.y(row + rows - 1) + this.cell - y - 1;
    on.outline(x, y, width, height, 2, INK);
    on.outline(x - 2, y - 2, width + 4, height + 4, 2, WHITE);
  }
}

function extent(panel: Panel, cell: number): [height: number, width: number] {
  return [
    panel.rows * cell + breaks(panel.rows, panel.blocks?.[0]),
    panel.columns * cell + breaks(panel.columns, panel.blocks?.[1]),
  ];
}

/** A above B's left, B above the result, as on paper; with a row, a column and the element that they make. */
export function product(a: Panel, b: Panel, result: Panel, chosen?: readonly [number, number]): Painting {
  const on = new Painting();
  const gap = 12;
  const width = WIDTH - 2 * MARGIN - gap;
  const height = HEIGHT - 2 * MARGIN - gap;
  const inAll = (cell: number) => {
    const [tall, wide] = extent(result, cell);
    return extent(a, cell)[1] + wide <= width && extent(b, cell)[0] + tall <= height;
  };
  let cell = 28;
  while (cell > 1 && !inAll(cell)) cell--;
  const [tall, wide] = extent(result, cell);
  const [left, above] = [extent(a, cell)[1], extent(b, cell)[0]];
  const x = (WIDTH - left - gap - wide) / 2;
  const y = (HEIGHT - above - gap - tall) / 2;
  const placed = {
    a: new Placed(a, cell, Math.round(x), Math.round(y + above + gap)),
    b: new Placed(b, cell, Math.round(x + left + gap), Math.round(y)),
    result: new Placed(result, cell, Math.round(x + left + gap), Math.round(y + above + gap)),
  };
  for (const one of Object.values(placed)) one.paint(on);
  if (chosen) {
    const [row, column] = chosen;
    placed.a.outline(on, row, 0, 1, a.columns);
    placed.b.outline(on, 0, column, b.rows, 1);
    placed.result.outline(on, row, column, 1, 1);
  }
  return on;
}

/** Panels one above the other, from which an arrow leads to others, and so on. */
export function flow(...stages: (readonly Panel[])[]): Painting {
  const on = new Painting();
  const arrow = 34;
  const between = 12;
  const gap = 14;
  const width = (WIDTH - 2 * MARGIN - (stages.length - 1) * (arrow + 2 * between)) / stages.length;
  const sized = stages.map((panels) => {
    const height = (HEIGHT - 2 * MARGIN - (panels.length - 1) * gap) / panels.length;
    const cell = Math.min(...panels.map((panel) => cellFor(panel, width, height)));
    const sizes = panels.map((panel) => extent(panel, cell));
    return { panels, cell, sizes, width: Math.max(...sizes.map(([, wide]) => wide)) };
  });
  const whole = sized.reduce((sum, stage) => sum + stage.width, (stages.length - 1) * (arrow + 2 * between));
  let x = (WIDTH - whole) / 2;
  sized.forEach(({ panels, cell, sizes, width }, number) => {
    if (number > 0) {
      on.arrow(x + between, HEIGHT / 2, arrow);
      x += arrow + 2 * between;
    }
    const tall = sizes.reduce((sum, [height]) => sum + height, (panels.length - 1) * gap);
    let y = (HEIGHT - tall) / 2;
    panels.forEach((panel, index) => {
      const [height, wide] = sizes[index] ?? [0, 0];
      new Placed(panel, cell, Math.round(x + (width - wide) / 2), Math.round(y)).paint(on);
      y += height + gap;
    });
    x += width;
  });
  return on;
}

/** Panels beside each other; `barred`: with a red bar in between. */
export function beside(panels: readonly Panel[], barred = false): Painting {
  const on = new Painting();
  const gap = barred ? 40 : 18;
  const width = (WIDTH - 2 * MARGIN - (panels.length - 1) * gap) / panels.length;
  const cell = Math.min(...panels.map((panel) => cellFor(panel, width, HEIGHT - 2 * MARGIN)));
  const sizes = panels.map((panel) => extent(panel, cell));
  const whole = sizes.reduce((sum, [, wide]) => sum + wide, (panels.length - 1) * gap);
  let x = (WIDTH - whole) / 2;
  panels.forEach((panel, index) => {
    const [height, wide] = sizes[index] ?? [0, 0];
    if (index > 0 && barred)
      for (let y = MARGIN; y < HEIGHT - MARGIN; y += 22) on.rectangle(x - gap / 2 - 3, y, 6, 14, WRONG);
    new Placed(panel, cell, Math.round(x), Math.round((HEIGHT - height) / 2)).paint(on);
    x += wide + gap;
  });
  return on;
}

/** Of each kind of colour: with sixteen in all, a picture takes half the bytes. */
const SHADES = 11;

/** A matrix in the colours of the views. What is no number is left out: marks say what it is. */
export function heat(
  rows: number,
  columns: number,
  value: (row: number, column: number) => number,
  { scale: name = "linear", ...more }: Pick<Panel, "mark" | "blocks"> & { scale?: ScaleName } = {},
): Panel {
  const values = Array.from({ length: rows * columns }, (_, index) =>
    value(Math.floor(index / columns), index % columns),
  );
  const range = rangeOf(values);
  const scale = makeScale(name, range);
  // Where all are the same, none is the least.
  const part = (value: number) => (range.low === range.high ? 0.5 : scale.part(value));
  return {
    rows,
    columns,
    colour: (row, column) => {
      const at = values[row * columns + column] ?? Number.NaN;
      if (!Number.isFinite(at)) return undefined;
      return colourOf("sequential", Math.round(part(at) * SHADES) / SHADES, false);
    },
    ...more,
  };
}

/** Each cell in the colour of an invocation. */
export function owners(
  rows: number,
  columns: number,
  owner: (row: number, column: number) => number,
  mark?: Panel["mark"],
): Panel {
  return {
    rows,
    columns,
    colour: (row, column) => colourOfInvocation(owner(row, column) % (SHADES + 1)),
    mark,
  };
}
