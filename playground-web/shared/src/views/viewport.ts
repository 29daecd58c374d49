// Which part of a matrix is in view, and how large: the arithmetic of zooming and panning.

export interface Size {
  width: number;
  height: number;
}

/** The largest cell, in pixels. */
export const LARGEST = 72;
/** Cells of a matrix that fits are no larger than this. */
const COMFORTABLE = 40;

export class Viewport {
  /** Pixels of a cell's width. */
  scale = 1;
  /** The column and the row at the corner, with fractions. */
  left = 0;
  top = 0;
  /** Whether the whole matrix is in view, as large as fits. */
  fitted = true;
  /** Pixels of a cell, where somebody else says so. */
  fixed: number | undefined;

  constructor(
    readonly rows: number,
    readonly columns: number,
    private area: Size,
    /** How many times as wide as high a cell is. */
    readonly aspect = 1,
  ) {
    this.fit();
  }

  /** Pixels of a cell's height. */
  get high(): number {
    return this.scale / this.aspect;
  }

  /** Pixels of a cell so that everything is seen. */
  get fitting(): number {
    if (this.fixed !== undefined) return this.fixed;
    const wide = this.area.width / Math.max(1, this.columns);
    const high = (this.area.height / Math.max(1, this.rows)) * this.aspect;
    return Math.max(1e-3, Math.min(wide, high, COMFORTABLE * (this.aspect > 1 ? 1.4 : 1)));
  }

  resize(area: Size) {
    this.area = area;
    if (this.fitted) this.fit();
    else this.settle();
  }

  fit() {
    this.scale = this.fitting;
    this.left = 0;
    this.top = 0;
    this.fitted = true;
  }

  /** Zooms by a factor and keeps the point at these pixels where it is. Whether anything changed. */
  zoom(factor: number, x = this.area.width / 2, y = this.area.height / 2): boolean {
    const before = this.scale;
    const scale = Math.min(LARGEST, Math.max(this.fitting, before * factor));
    if (scale === before) return false;
    this.left += x / before - x / scale;
    this.top += (y / before - y / scale) * this.aspect;
    this.scale = scale;
    this.fitted = scale === this.fitting;
    this.settle();
    return true;
  }

  /** Moves by pixels. Whether anything changed. */
  pan(x: number, y: number): boolean {
    const { left, top } = this;
    this.left -= x / this.scale;
    this.top -= y / this.high;
    this.settle();
    return left !== this.left || top !== this.top;
  }

  /** Moves a cell into view. */
  reveal(row: number, column: number) {
    const [wide, high] = [this.area.width / this.scale, this.area.height / this.high];
    if (column < this.left) this.left = column;
    if (column + 1 > this.left + wide) this.left = column + 1 - wide;
    if (row < this.top) this.top = row;
    if (row + 1 > this.top + high) this.top = row + 1 - high;
    this.settle();
  }

  /** The cell at these pixels. */
  at(x: number, y: number): { row: number; column: number } | undefined {
    const column = Math.floor(this.left + x / this.scale);
    const row = Math.floor(this.top + y / this.high);
    const inside = x >= 0 && y >= 0 && column >= 0 && row >= 0 && column < this.columns && row < this.rows;
    return inside ? { row, column } : undefined;
  }

  /** The first and the last (exclusive) rows and columns that are seen. */
  get seen() {
    const last = (start: number, cells: number, count: number) => Math.min(count, Math.ceil(start + cells));
    return {
      firstRow: Math.max(0, Math.floor(this.top)),
      lastRow: last(this.top, this.area.height / this.high, this.rows),
      firstColumn: Math.max(0, Math.floor(this.left)),
      lastColumn: last(this.left, this.area.width / this.scale, this.columns),
    };
  }

  private settle() {
    const within = (start: number, cells: number, count: number) =>
      Math.max(0, Math.min(start, count - cells));
    this.left = within(this.left, this.area.width / this.scale, this.columns);
    this.top = within(this.top, this.area.height / this.high, this.rows);
  }
}
