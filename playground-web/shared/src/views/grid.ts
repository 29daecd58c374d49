// A matrix on a canvas: zoomed and panned by wheel, pinch, dragging and keys, one cell selected, some of them lit. Every view is made of these.

import { element } from "../element";
import { type Colour, css, inkOn } from "./colour";
import { drawMark, type Mark, spot } from "./marks";
import { onTheme, type Theme, themeOf } from "./theme";
import { Viewport } from "./viewport";

/** A rectangle of cells with a line around it. */
export interface Outline {
  row: number;
  column: number;
  rows: number;
  columns: number;
  dashed?: boolean;
}

/** What a grid shows. Cells are named by their index in rows. */
export interface Cells {
  rows: number;
  columns: number;
  /** Nothing: the cell is empty. */
  colour(index: number, dark: boolean): Colour | undefined;
  text?(index: number): string;
  /** Characters of the longest text; five where it is not said. */
  longest?: number;
  mark?(index: number): Mark | undefined;
  rowTitle?(row: number): string;
  columnTitle?(column: number): string;
  outlines?: Outline[];
  /** Thick lines before every so many rows and columns. */
  blocks?: readonly [number, number];
}

export interface GridOptions {
  /** What the grid is, for those who do not see it. */
  label: string;
  /** Pixels of height at the most. */
  height?: number;
  /** Cells stay as they are: no zoom, no panning. */
  still?: boolean;
  /** How many times as wide as high a cell is. */
  aspect?: number;
}

/** Pixels of the smallest letters that are written into cells. */
const SMALLEST_LETTERS = 7;
/** Pixels of a cell from which on its mark is drawn in it. */
const MARKED = 7;
/** The most cells whose colours are kept as a picture, and its longest side. */
const MOST_CELLS = 1 << 22;
const LONGEST_SIDE = 16_384;

/** Whether so many cells can be drawn. */
export function drawable(rows: number, columns: number): boolean {
  return rows * columns <= MOST_CELLS && Math.max(rows, columns) <= LONGEST_SIDE;
}
/** The most marks that are drawn where cells are small. */
const MOST_SPOTS = 400;

export class Grid {
  readonly body: HTMLElement;
  /** The cell under the pointer, or the selected one when there is none. */
  onPoint: (index: number | undefined) => void = () => {};
  onSelect: (index: number | undefined) => void = () => {};
  selected: number | undefined;
  private readonly canvas = element("canvas", { attributes: { "aria-hidden": "true" } });
  private readonly picture = document.createElement("canvas");
  private cells: Cells | undefined;
  private view = new Viewport(0, 0, { width: 0, height: 0 });
  private marked: number[] = [];
  private lit: ReadonlySet<number> | undefined;
  private hovered: number | undefined;
  private theme: Theme | undefined;
  private width = 0;
  private pending = false;
  private gutter = { left: 0, top: 0 };
  private fixed: number | undefined;
  private readonly pointers = new Map<number, { x: number; y: number }>();
  private dragged = false;

  constructor(private readonly options: GridOptions) {
    this.body = element("div", {
      className: "view-grid",
      tabIndex: 0,
      attributes: { role: "group", "aria-roledescription": "matrix", "aria-label": options.label },
    });
    this.body.append(this.canvas);
    new ResizeObserver(() => this.resize()).observe(this.body);
    onTheme(() => {
      this.theme = undefined;
      this.paint();
    });
    this.listen();
  }

  /** Shows other cells. The part in view stays where the size is the same. */
  show(cells: Cells, label = this.options.label) {
    const before = this.cells;
    this.cells = cells;
    this.body.setAttribute("aria-label", label);
    const same = before?.rows === cells.rows && before.columns === cells.columns;
    if (!same) {
      this.selected = undefined;
      this.view = new Viewport(cells.rows, cells.columns, { width: 0, height: 0 }, this.options.aspect);
    }
    this.hovered = undefined;
    this.lit = undefined;
    this.marked = [];
    if (cells.mark)
      for (let index = 0; index < cells.rows * cells.columns && this.marked.length < MOST_SPOTS; index++)
        if (cells.mark(index)) this.marked.push(index);
    this.paint();
    this.resize();
  }

  /** Lets these cells stand out from all others; nothing: all are as they are. */
  light(indexes: Iterable<number> | undefined) {
    this.lit = indexes && new Set(indexes);
    this.draw();
  }

  /** Whether there is such a cell. */
  has(index: number): boolean {
    return this.cells !== undefined && index < this.cells.rows * this.cells.columns;
  }

  select(index: number | undefined, reveal = true) {
    const { cells } = this;
    if (!cells) return;
    this.selected = index;
    if (index !== undefined && reveal)
      this.view.reveal(Math.floor(index / cells.columns), index % cells.columns);
    this.draw();
    this.onSelect(index);
    this.onPoint(index);
  }

  /** Makes cells so many pixels large, and the grid as large as they need; `gutter` is the width of the row numbers. */
  fix(cell: number, gutter: number) {
    this.fixed = cell;
    this.gutter.left = gutter;
    this.body.style.width = `${this.fixedWidth()}px`;
    this.resize();
  }

  private fixedWidth() {
    return Math.ceil(this.gutter.left + (this.cells?.columns ?? 0) * (this.fixed ?? 0) + 1);
  }

  zoom(factor: number) {
    const { cells, selected } = this;
    this.view.zoom(factor);
    if (cells && selected !== undefined)
      this.view.reveal(Math.floor(selected / cells.columns), selected % cells.columns);
    this.draw();
  }

  fit() {
    this.view.fit();
    this.draw();
  }

  /** Where a cell's middle is, in pixels of the body: for tests, and for lines between grids. */
  middle(index: number): { x: number; y: number } | undefined {
    const { cells, view } = this;
    if (!cells) return undefined;
    const [row, column] = [Math.floor(index / cells.columns), index % cells.columns];
    return {
      x: this.gutter.left + (column + 0.5 - view.left) * view.scale,
      y: this.gutter.top + (row + 0.5 - view.top) * view.high,
    };
  }

  /** Pixels of a cell. */
  get scale() {
    return this.view.scale;
  }

  private resize() {
    const { cells } = this;
    const { fixed } = this;
    const width = fixed === undefined ? this.body.clientWidth : this.fixedWidth();
    if (!cells || width === 0 || this.body.clientWidth === 0) return;
    if (!this.theme) this.paint();
    this.width = width;
    const longest = Math.max(...[0, cells.rows - 1].map((row) => this.rowTitle(row).length));
    this.gutter = { left: fixed === undefined ? 10 + 7 * longest : this.gutter.left, top: 18 };
    this.view.fixed = fixed;
    const most = this.options.height ?? 480;
    const area = { width: Math.max(1, width - this.gutter.left - 1), height: most - this.gutter.top };
    this.view.resize(area);
    // No higher than what is seen of it.
    const needed = Math.min(area.height, Math.ceil((cells.rows * this.view.fitting) / this.view.aspect) + 1);
    this.view.resize({ ...area, height: needed });
    const height = needed + this.gutter.top;
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.draw();
  }

  private rowTitle(row: number) {
    return this.cells?.rowTitle?.(row) ?? String(row);
  }

  /** All colours as one picture, a pixel each. */
  private paint() {
    const { cells } = this;
    this.picture.width = 0;
    if (!cells || cells.rows * cells.columns === 0 || !drawable(cells.rows, cells.columns)) return;
    const dark = this.colours().dark;
    this.picture.width = cells.columns;
    this.picture.height = cells.rows;
    const context = this.picture.getContext("2d");
    if (!context) return;
    const image = context.createImageData(cells.columns, cells.rows);
    const pixels = new DataView(image.data.buffer);
    for (let index = 0; index < cells.rows * cells.columns; index++) {
      const colour = cells.colour(index, dark);
      pixels.setUint32(index * 4, colour === undefined ? 0 : ((colour << 8) | 255) >>> 0);
    }
    context.putImageData(image, 0, 0);
    this.draw();
  }

  private colours(): Theme {
    if (this.theme) return this.theme;
    const found = themeOf(this.body);
    // What is not on the page has no colours of the page yet.
    if (this.body.isConnected) this.theme = found;
    return found;
  }

  private draw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => {
      this.pending = false;
      this.drawNow();
    });
  }

  private drawNow() {
    const { cells, view, gutter } = this;
    const context = this.canvas.getContext("2d");
    if (!cells || !context || this.width === 0 || this.picture.width === 0) return;
    const theme = this.colours();
    // A finger scrolls the page where there is nothing to pan.
    this.body.classList.toggle("zoomed", !view.fitted);
    const ratio = devicePixelRatio || 1;
    const [width, height] = [this.canvas.width / ratio, this.canvas.height / ratio];
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, width, height);
    context.save();
    context.beginPath();
    context.rect(gutter.left, gutter.top, width - gutter.left, height - gutter.top);
    context.clip();
    const x = (column: number) => gutter.left + (column - view.left) * view.scale;
    const y = (row: number) => gutter.top + (row - view.top) * view.high;
    const { firstRow, lastRow, firstColumn, lastColumn } = view.seen;
    context.imageSmoothingEnabled = view.scale < 1;
    context.drawImage(this.picture, x(0), y(0), cells.columns * view.scale, cells.rows * view.high);
    const each = (act: (index: number, left: number, top: number) => void) => {
      for (let row = firstRow; row < lastRow; row++)
        for (let column = firstColumn; column < lastColumn; column++)
          act(row * cells.columns + column, x(column), y(row));
    };
    if (this.lit) {
      context.globalAlpha = 0.68;
      context.fillStyle = theme.background;
      context.fillRect(x(0), y(0), cells.columns * view.scale, cells.rows * view.high);
      context.globalAlpha = 1;
      for (const index of this.lit) {
        const colour = cells.colour(index, theme.dark);
        if (colour === undefined) continue;
        context.fillStyle = css(colour);
        const [row, column] = [Math.floor(index / cells.columns), index % cells.columns];
        context.fillRect(x(column), y(row), view.scale, view.high);
      }
    }
    if (view.high >= 5) this.rules(context, theme, x, y);
    const { mark } = cells;
    if (mark && view.high >= MARKED)
      each((index, left, top) => {
        const found = mark(index);
        if (found) drawMark(context, found, left, top, view.scale, view.high, theme);
      });
    else
      for (const index of this.marked) {
        const [row, column] = [Math.floor(index / cells.columns), index % cells.columns];
        const found = mark?.(index);
        if (found) spot(context, found, x(column + 0.5), y(row + 0.5), theme);
      }
    const { text } = cells;
    // The same size for all that are as long as numbers are.
    const letters = (length: number) => Math.min(14, view.high * 0.62, (view.scale - 2) / (length * 0.6));
    const longest = cells.longest ?? 5;
    if (text && letters(longest) >= SMALLEST_LETTERS) {
      context.textAlign = "center";
      context.textBaseline = "middle";
      each((index, left, top) => {
        if (this.lit && !this.lit.has(index)) return;
        const written = text(index);
        const colour = cells.colour(index, theme.dark);
        context.fillStyle = colour === undefined ? theme.text : inkOn(colour);
        context.font = `${letters(Math.max(longest, written.length))}px ${theme.font}`;
        context.fillText(written, left + view.scale / 2, top + view.high / 2 + 0.5);
      });
    }
    context.save();
    context.beginPath();
    context.rect(x(0) - 1, y(0) - 1, cells.columns * view.scale + 2, cells.rows * view.high + 2);
    context.clip();
    for (const outline of cells.outlines ?? []) {
      context.strokeStyle = outline.dashed ? theme.text : theme.accent;
      context.lineWidth = 2;
      context.setLineDash(outline.dashed ? [4, 3] : []);
      const [left, top] = [x(outline.column), y(outline.row)];
      context.strokeRect(left + 1, top + 1, outline.columns * view.scale - 2, outline.rows * view.scale - 2);
    }
    context.restore();
    if (this.lit && this.lit.size <= 4096 && view.scale >= 4)
      for (const index of this.lit) this.ring(context, index, x, y, theme.text, 1);
    if (this.hovered !== undefined) this.ring(context, this.hovered, x, y, theme.text, 2);
    if (this.selected !== undefined) this.ring(context, this.selected, x, y, theme.accent, 3);
    context.restore();
    this.drawHeaders(context, theme, width, height);
  }

  private ring(
    context: CanvasRenderingContext2D,
    index: number,
    x: (column: number) => number,
    y: (row: number) => number,
    colour: string,
    thick: number,
  ) {
    const columns = this.cells?.columns ?? 1;
    const [row, column] = [Math.floor(index / columns), index % columns];
    const { scale, high } = this.view;
    // Around the cell, so that its colour and its value are seen.
    const room = thick > 1 ? thick / 2 + (high < 14 ? 1 : 0) : -thick / 2;
    const [left, top] = [x(column) - room, y(row) - room];
    const stroke = (colour: string, wide: number) => {
      context.strokeStyle = colour;
      context.lineWidth = wide;
      context.strokeRect(left, top, scale + 2 * room, high + 2 * room);
    };
    // Seen on every colour.
    if (thick > 1) stroke(this.colours().background, thick + 2);
    stroke(colour, thick);
  }

  /** Lines between cells, and thick ones between blocks. */
  private rules(
    context: CanvasRenderingContext2D,
    theme: Theme,
    x: (column: number) => number,
    y: (row: number) => number,
  ) {
    const { cells, view } = this;
    if (!cells) return;
    const { firstRow, lastRow, firstColumn, lastColumn } = view.seen;
    const lines = (every: readonly [number, number], colour: string, thick: number, alpha: number) => {
      context.beginPath();
      for (let row = firstRow; row <= lastRow; row++)
        if (row % every[0] === 0) {
          context.moveTo(x(firstColumn), y(row));
          context.lineTo(x(lastColumn), y(row));
        }
      for (let column = firstColumn; column <= lastColumn; column++)
        if (column % every[1] === 0) {
          context.moveTo(x(column), y(firstRow));
          context.lineTo(x(column), y(lastRow));
        }
      context.strokeStyle = colour;
      context.lineWidth = thick;
      context.globalAlpha = alpha;
      context.stroke();
      context.globalAlpha = 1;
    };
    lines([1, 1], theme.background, 1, Math.min(0.9, view.scale / 24));
    if (cells.blocks) lines(cells.blocks, theme.text, 1.5, 0.8);
  }

  private drawHeaders(context: CanvasRenderingContext2D, theme: Theme, width: number, height: number) {
    const { cells, view, gutter } = this;
    if (!cells || gutter.left === 0) return;
    const { firstRow, lastRow, firstColumn, lastColumn } = view.seen;
    const pointed = this.hovered ?? this.selected;
    const here =
      pointed === undefined ? undefined : [Math.floor(pointed / cells.columns), pointed % cells.columns];
    context.font = `11px ${theme.font}`;
    context.textBaseline = "middle";
    const step = (cell: number, pixels: number) => {
      for (const step of [1, 2, 4, 8, 16, 32, 64, 128, 256, 512]) if (step * cell >= pixels) return step;
      return 1024;
    };
    const widest = Math.max(
      ...[firstColumn, lastColumn - 1].map(
        (column) => (cells.columnTitle?.(column) ?? String(column)).length,
      ),
    );
    const put = (words: string, left: number, top: number, strong: boolean) => {
      context.fillStyle = strong ? theme.text : theme.faint;
      context.font = `${strong ? "bold " : ""}11px ${theme.font}`;
      context.fillText(words, left, top);
    };
    context.textAlign = "center";
    const across = step(view.scale, 8 + 7 * widest);
    for (let column = firstColumn; column < lastColumn; column++) {
      const left = gutter.left + (column + 0.5 - view.left) * view.scale;
      if (column % across !== 0 || left < gutter.left || left > width) continue;
      put(cells.columnTitle?.(column) ?? String(column), left, gutter.top / 2, here?.[1] === column);
    }
    context.textAlign = "right";
    const down = step(view.high, 14);
    for (let row = firstRow; row < lastRow; row++) {
      const top = gutter.top + (row + 0.5 - view.top) * view.high;
      if (row % down !== 0 || top < gutter.top || top > height) continue;
      put(this.rowTitle(row), gutter.left - 5, top, here?.[0] === row);
    }
  }

  private cellAt(event: { clientX: number; clientY: number }): number | undefined {
    const box = this.canvas.getBoundingClientRect();
    const found = this.view.at(
      event.clientX - box.left - this.gutter.left,
      event.clientY - box.top - this.gutter.top,
    );
    return found && this.cells ? found.row * this.cells.columns + found.column : undefined;
  }

  private hover(index: number | undefined) {
    if (index === this.hovered) return;
    this.hovered = index;
    this.draw();
    this.onPoint(index ?? this.selected);
  }

  private listen() {
    const { body, options } = this;
    body.addEventListener("keydown", (event) => this.key(event));
    body.addEventListener("pointerdown", (event) => {
      this.pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.dragged = false;
    });
    body.addEventListener("pointermove", (event) => this.move(event));
    body.addEventListener("pointerleave", () => this.hover(undefined));
    for (const name of ["pointerup", "pointercancel"] as const)
      body.addEventListener(name, (event) => {
        const known = this.pointers.delete(event.pointerId);
        if (name === "pointerup" && known && !this.dragged) {
          const index = this.cellAt(event);
          this.select(index === this.selected ? undefined : index, false);
        }
      });
    if (options.still) return;
    body.addEventListener(
      "wheel",
      (event) => {
        const box = this.canvas.getBoundingClientRect();
        const factor = Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0022));
        const changed = this.view.zoom(
          factor,
          event.clientX - box.left - this.gutter.left,
          event.clientY - box.top - this.gutter.top,
        );
        // At the ends the page scrolls on.
        if (changed || event.ctrlKey) event.preventDefault();
        if (changed) this.draw();
      },
      { passive: false },
    );
    body.addEventListener("dblclick", () => {
      if (this.view.fitted) this.zoom(4);
      else this.fit();
    });
  }

  private move(event: PointerEvent) {
    const before = this.pointers.get(event.pointerId);
    if (!before || this.options.still) {
      this.hover(this.cellAt(event));
      return;
    }
    const now = { x: event.clientX, y: event.clientY };
    const other = [...this.pointers].find(([id]) => id !== event.pointerId)?.[1];
    if (other) {
      const apart = (point: { x: number; y: number }) => Math.hypot(point.x - other.x, point.y - other.y);
      const box = this.canvas.getBoundingClientRect();
      const factor = apart(now) / Math.max(1, apart(before));
      const middle = [(now.x + other.x) / 2 - box.left, (now.y + other.y) / 2 - box.top] as const;
      this.view.zoom(factor, middle[0] - this.gutter.left, middle[1] - this.gutter.top);
      this.dragged = true;
    } else if (this.dragged || Math.hypot(now.x - before.x, now.y - before.y) > 3) {
      this.dragged = true;
      this.view.pan(now.x - before.x, now.y - before.y);
    } else return;
    this.pointers.set(event.pointerId, now);
    this.draw();
  }

  private key(event: KeyboardEvent) {
    const { cells } = this;
    if (!cells || event.ctrlKey || event.metaKey || event.altKey) return;
    const { rows, columns } = cells;
    const from = this.selected ?? this.hovered;
    const [row, column] = from === undefined ? [0, 0] : [Math.floor(from / columns), from % columns];
    const page = Math.max(1, Math.min(8, Math.floor(rows / 4)));
    const go = (toRow: number, toColumn: number) => {
      const to = from === undefined ? [0, 0] : [toRow, toColumn];
      const clamp = (value: number | undefined, count: number) =>
        Math.max(0, Math.min(count - 1, value ?? 0));
      this.hovered = undefined;
      this.select(clamp(to[0], rows) * columns + clamp(to[1], columns));
    };
    const keys: Record<string, () => void> = {
      ArrowUp: () => go(row - 1, column),
      ArrowDown: () => go(row + 1, column),
      ArrowLeft: () => go(row, column - 1),
      ArrowRight: () => go(row, column + 1),
      PageUp: () => go(row - page, column),
      PageDown: () => go(row + page, column),
      Home: () => go(row, 0),
      End: () => go(row, columns - 1),
      Escape: () => this.select(undefined),
      ...(!this.options.still && {
        "+": () => this.zoom(1.4),
        "=": () => this.zoom(1.4),
        "-": () => this.zoom(1 / 1.4),
        "0": () => this.fit(),
      }),
    };
    const act = keys[event.key];
    if (!act || (event.key === "Escape" && this.selected === undefined)) return;
    event.preventDefault();
    event.stopPropagation();
    act();
  }
}
