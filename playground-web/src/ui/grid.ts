// A table of numbers of any size: only what is in view has elements. Arrow keys move, Enter edits.

import { element } from "@coopmat/shared/element";

export interface Cells {
  label: string;
  rows: number;
  columns: number;
  text(row: number, column: number): string;
  /** Classes of a cell: what is wrong with it. */
  mark?(row: number, column: number): string;
  title?(row: number, column: number): string;
  /** What stands beside a row and above a column, where it is not their number. */
  rowTitle?(row: number): string;
  columnTitle?(column: number): string;
  /** Takes another text for a cell; an answer is why it does not. */
  edit?(row: number, column: number, text: string): string | undefined;
}

const HEIGHT = 22;
/** Beyond this a browser's scrolling loses pixels: rows are then chosen in proportion. */
const TALLEST = 8_000_000;

export class Grid {
  readonly dom = element("div", { className: "grid", tabIndex: 0, attributes: { role: "grid" } });
  private readonly sizer = element("div", { className: "grid-sizer" });
  private readonly body = element("div", { className: "grid-body", attributes: { role: "rowgroup" } });
  private width = 60;
  private row = 0;
  private column = 0;
  private readonly id = `grid-${Math.random().toString(36).slice(2, 8)}`;
  private editing: HTMLInputElement | undefined;
  /** Where rows are chosen in proportion, a pixel is many of them: the first one that was meant. */
  private meant: { top: number; first: number } | undefined;

  constructor(private cells: Cells) {
    this.dom.append(this.sizer, this.body);
    this.dom.onscroll = () => this.draw();
    this.dom.onkeydown = (event) => this.key(event);
    this.dom.ondblclick = (event) => this.pick(event) && this.open();
    this.dom.onclick = (event) => this.pick(event);
    new ResizeObserver(() => this.draw()).observe(this.dom);
    this.show(cells);
  }

  show(cells: Cells) {
    this.cells = cells;
    this.row = Math.min(this.row, Math.max(cells.rows - 1, 0));
    this.column = Math.min(this.column, Math.max(cells.columns - 1, 0));
    // As wide as the longest of some samples.
    let longest = 3;
    for (let sample = 0; sample < 200; sample++) {
      const row = Math.floor((sample / 200) * cells.rows);
      const column = (sample * 7) % Math.max(cells.columns, 1);
      if (cells.rows > 0 && cells.columns > 0) longest = Math.max(longest, cells.text(row, column).length);
    }
    this.width = Math.min(longest, 16) * 7.3 + 14;
    this.dom.setAttribute("aria-label", cells.label);
    this.dom.setAttribute("aria-rowcount", String(cells.rows));
    this.dom.setAttribute("aria-colcount", String(cells.columns));
    this.dom.setAttribute("aria-readonly", String(!cells.edit));
    this.sizer.style.width = `${this.left(cells.columns)}px`;
    this.sizer.style.height = `${Math.min((cells.rows + 1) * HEIGHT, TALLEST)}px`;
    this.dom.style.setProperty("--rows", String(Math.min(cells.rows, 14)));
    this.draw();
  }

  private head() {
    return this.rowTitle(Math.max(this.cells.rows - 1, 0)).length * 8 + 16;
  }

  private rowTitle(row: number) {
    return this.cells.rowTitle?.(row) ?? String(row);
  }

  private left(column: number) {
    return this.head() + column * this.width;
  }

  private get fits() {
    return (this.cells.rows + 1) * HEIGHT <= TALLEST;
  }

  private firstRow() {
    const { scrollTop, clientHeight, scrollHeight } = this.dom;
    if (this.fits) return Math.floor(scrollTop / HEIGHT);
    if (this.meant?.top === scrollTop) return this.meant.first;
    const share = scrollTop / Math.max(scrollHeight - clientHeight, 1);
    const inView = Math.floor(clientHeight / HEIGHT) - 1;
    return Math.floor(share * Math.max(this.cells.rows - inView, 0));
  }

  private draw() {
    if (this.editing) return;
    const { scrollLeft, scrollTop, clientWidth, clientHeight } = this.dom;
    if (clientHeight === 0) return;
    const first = this.firstRow();
    const last = Math.min(first + Math.ceil(clientHeight / HEIGHT) + 1, this.cells.rows);
    const from = Math.max(Math.floor((scrollLeft - this.head()) / this.width), 0);
    const to = Math.min(from + Math.ceil(clientWidth / this.width) + 2, this.cells.columns);
    const offset = this.fits ? HEIGHT : scrollTop + HEIGHT - first * HEIGHT;
    const rows: HTMLElement[] = [];
    const head = element("div", { className: "grid-row grid-head", attributes: { role: "row" } });
    head.style.top = `${scrollTop}px`;
    for (let column = from; column < to; column++) {
      head.append(
        this.cell(
          "columnheader",
          this.cells.columnTitle?.(column) ?? String(column),
          this.left(column),
          "grid-column",
        ),
      );
    }
    const corner = element("span", {
      className: "grid-cell grid-corner",
      attributes: { role: "presentation" },
    });
    corner.style.left = `${scrollLeft}px`;
    corner.style.width = `${this.head()}px`;
    head.append(corner);
    for (let row = first; row < last; row++) {
      const line = element("div", {
        className: "grid-row",
        attributes: { role: "row", "aria-rowindex": String(row + 1) },
      });
      line.style.top = `${offset + row * HEIGHT}px`;
      const number = this.cell("rowheader", this.rowTitle(row), scrollLeft, "grid-number");
      number.style.width = `${this.head()}px`;
      for (let column = from; column < to; column++) {
        const mark = this.cells.mark?.(row, column) ?? "";
        const cell = this.cell("gridcell", this.cells.text(row, column), this.left(column), mark);
        cell.setAttribute("aria-colindex", String(column + 1));
        cell.dataset.at = `${row},${column}`;
        const title = this.cells.title?.(row, column);
        if (title) cell.title = title;
        if (row === this.row && column === this.column) {
          cell.classList.add("grid-here");
          cell.setAttribute("aria-selected", "true");
          cell.id = this.id;
        }
        line.append(cell);
      }
      line.append(number);
      rows.push(line);
    }
    this.body.replaceChildren(...rows, head);
    this.dom.setAttribute("aria-activedescendant", this.id);
  }

  private cell(role: string, text: string, left: number, className: string) {
    const made = element("span", { className: `grid-cell ${className}`, attributes: { role } }, text);
    made.style.left = `${left}px`;
    made.style.width = `${this.width}px`;
    return made;
  }

  /** Brings a cell into view and marks it. */
  go(row: number, column: number) {
    this.row = Math.max(0, Math.min(row, this.cells.rows - 1));
    this.column = Math.max(0, Math.min(column, this.cells.columns - 1));
    const { clientWidth, clientHeight, scrollHeight } = this.dom;
    const left = this.left(this.column);
    if (left < this.dom.scrollLeft + this.head()) this.dom.scrollLeft = left - this.head();
    else if (left + this.width > this.dom.scrollLeft + clientWidth)
      this.dom.scrollLeft = left + this.width - clientWidth;
    const inView = Math.max(Math.floor(clientHeight / HEIGHT) - 2, 1);
    const first = this.firstRow();
    if (this.row < first || this.row >= first + inView) {
      const top = this.row < first ? this.row : this.row - inView + 1;
      this.dom.scrollTop = this.fits
        ? top * HEIGHT
        : (top / Math.max(this.cells.rows - inView - 1, 1)) * (scrollHeight - clientHeight);
      if (!this.fits) this.meant = { top: this.dom.scrollTop, first: top };
    }
    this.draw();
  }

  private pick(event: Event): boolean {
    const at = event.target instanceof HTMLElement ? event.target.dataset.at : undefined;
    if (!at || this.editing) return false;
    const [row = 0, column = 0] = at.split(",").map(Number);
    this.row = row;
    this.column = column;
    this.draw();
    return true;
  }

  private key(event: KeyboardEvent) {
    if (this.editing || event.ctrlKey || event.metaKey || event.altKey) return;
    const page = Math.max(Math.floor(this.dom.clientHeight / HEIGHT) - 2, 1);
    const moves: Record<string, [number, number]> = {
      ArrowUp: [-1, 0],
      ArrowDown: [1, 0],
      ArrowLeft: [0, -1],
      ArrowRight: [0, 1],
      PageUp: [-page, 0],
      PageDown: [page, 0],
      Home: [0, -this.cells.columns],
      End: [0, this.cells.columns],
    };
    const move = moves[event.key];
    if (move) {
      event.preventDefault();
      this.go(this.row + move[0], this.column + move[1]);
    } else if (
      this.cells.edit &&
      (event.key === "Enter" || event.key === "F2" || /^[\d.+-]$/.test(event.key))
    ) {
      event.preventDefault();
      this.open(/^[\d.+-]$/.test(event.key) ? event.key : undefined);
    }
  }

  private open(text?: string) {
    const { edit } = this.cells;
    const cell = this.body.querySelector<HTMLElement>(`[data-at="${this.row},${this.column}"]`);
    if (!edit || !cell) return;
    const { row, column } = this;
    const field = element("input", {
      className: "grid-field",
      value: text ?? this.cells.text(row, column),
      ariaLabel: `row ${row}, column ${column}`,
    });
    this.editing = field;
    const close = (keep: boolean) => {
      if (this.editing !== field) return;
      const refused = keep ? edit(row, column, field.value) : undefined;
      if (refused !== undefined) {
        field.setCustomValidity(refused);
        field.reportValidity();
        return;
      }
      this.editing = undefined;
      this.dom.focus({ preventScroll: true });
      this.draw();
    };
    field.onkeydown = (event) => {
      event.stopPropagation();
      field.setCustomValidity("");
      if (event.key === "Escape") close(false);
      if (event.key === "Enter" || event.key === "Tab") {
        event.preventDefault();
        close(true);
        if (!this.editing)
          this.go(event.key === "Enter" ? row + 1 : row, event.key === "Tab" ? column + 1 : column);
      }
    };
    field.onblur = () => close(!field.validationMessage);
    cell.replaceChildren(field);
    field.focus();
    if (text === undefined) field.select();
  }
}
