// The buffers of a recipe: what each is, what it holds before the run and after it, as tables to look at and to edit.

import { npy } from "@coopmat/shared/data";
import { element } from "@coopmat/shared/element";
import { LIMITS } from "@coopmat/shared/project/project";
import type { BufferView } from "@coopmat/shared/project/view";
import { folded } from "@coopmat/shared/views";
import { apart, componentOf, exact, plain } from "@coopmat/shared/views/numbers";
import { append, at, remove } from "../../recipe/toml";
import { type Cells, Grid } from "../../ui/grid";
import type { BufferInfo, Contents, Ran } from "../../workers/simulator-protocol";
import { differenceOf, downloads, nested } from "./buffer-values";
import { button, choice, parse, part, text } from "./fields";
import { fillFields } from "./fill";
import type { RunModel } from "./model";
import { real } from "./report";

type Look = "before" | "after" | "expected" | "difference";
const LOOKS: Record<Look, string> = {
  before: "Before",
  after: "After",
  expected: "Expected",
  difference: "Difference",
};

/** Elements that a recipe holds as literal values; more become a file. */
const LITERAL = 1024;
/** Elements that can be edited at all: the page keeps them with the project. */
const EDITABLE = 1 << 18;

/** Draws a matrix; the views' pictures take the place of the table where there are any. */
export interface Picture {
  (contents: Contents, values: Float64Array, matrix: number): HTMLElement | undefined;
  /** The selected element of a buffer's picture. */
  selected(buffer: string): number | undefined;
  select(buffer: string, index: number): void;
}

interface State {
  open: boolean;
  look: Look;
  /** Which matrix, where there are several. */
  matrix: number;
  grid?: Grid;
  /** Numbers instead of a picture. */
  table?: boolean;
  before?: Contents | undefined;
  body?: HTMLElement;
  /** What `body` was drawn from. */
  drawn?: unknown[];
  /** How far the table is scrolled. */
  scroll?: [left: number, top: number];
  /** A cell to show when the table is there. */
  wanted?: number[] | undefined;
}

export class Buffers {
  private readonly states = new Map<string, State>();
  /** Counts recipes. */
  private age = 0;
  picture: Picture | undefined;

  constructor(
    private readonly model: RunModel,
    private readonly redraw: () => void,
  ) {}

  /** Shows a buffer after the run, at an element perhaps: in view, and selected. */
  open(name: string, index?: number[]) {
    const state = this.stateOf(name);
    state.open = true;
    if (index) {
      state.wanted = index;
      // A difference in view stays: its table has the element, too.
      if (state.look !== "difference") state.look = "after";
      // A place is looked up among numbers.
      state.table = true;
      if (index.length > 2) state.matrix = this.matrixOf(name, index);
    } else state.look = "after";
    this.redraw();
    const card = document.getElementById(`buffer-${name}`);
    // The part around it may be folded, and an element in it has no place then.
    const part = card?.closest<HTMLDetailsElement>('details[data-key="part-buffers"]');
    if (part && !part.open) {
      part.open = true;
      this.redraw();
    }
    document.getElementById(`buffer-${name}`)?.scrollIntoView({ block: "nearest" });
  }

  /** What is unfolded, for links. */
  state(): BufferView[] {
    return [...this.states]
      .filter(([, { open }]) => open)
      .map(([name, { look, matrix, table }]) => {
        const selected = this.picture?.selected(name);
        return {
          name,
          look,
          ...(matrix > 0 && { matrix }),
          ...(table !== undefined && { table }),
          ...(selected !== undefined && { selected }),
        };
      });
  }

  /** Unfolds what a link showed. */
  restore(views: readonly BufferView[]) {
    for (const state of this.states.values()) state.open = false;
    for (const { name, look, matrix, table, selected } of views) {
      const state = this.stateOf(name);
      state.open = true;
      if (Object.hasOwn(LOOKS, look)) state.look = look as Look;
      state.matrix = matrix ?? 0;
      if (table !== undefined) state.table = table;
      if (selected !== undefined) this.picture?.select(name, selected);
    }
    this.redraw();
  }

  /** Another shader: nothing is open. */
  clear() {
    this.states.clear();
  }

  /** What was fetched is of an older recipe. */
  forget() {
    this.age++;
    for (const state of this.states.values()) delete state.before;
  }

  /** After a run, what was expected is in view; where the run was to show what is wrong, how far that is off. */
  show({ report, buffers, shows }: Ran) {
    // Without anything to compare with, there is what the run left.
    for (const { info, expected } of buffers) {
      const state = this.states.get(info.name);
      if (state && !expected && state.look !== "before") state.look = "after";
    }
    for (const { buffer } of report.expectations) {
      const state = this.stateOf(buffer);
      // What the person looks at stays.
      if (!state.open || state.look === "before") state.look = "after";
      state.open = true;
    }
    if (!shows) return;
    const wrong = report.expectations.filter(({ met }) => !met).map(({ buffer }) => buffer);
    const differing = buffers.filter(({ against }) => against !== undefined).map(({ info }) => info.name);
    for (const name of [...wrong, ...differing]) {
      const state = this.stateOf(name);
      state.open = true;
      state.look = "difference";
    }
  }

  cards(): Node[] {
    const { model } = this;
    const planned = model.description.plan?.buffers ?? [];
    const written = Array.isArray(model.recipe.buffers)
      ? (model.recipe.buffers as Record<string, unknown>[])
      : [];
    const names = model.recipeName
      ? written.map(({ name }) => String(name ?? ""))
      : planned.map(({ name }) => name);
    const judged = new Set(model.ran?.report.expectations.map(({ buffer }) => buffer));
    const cards = names
      .map((name, index) => ({ name, index }))
      // What was expected comes first: that is what one runs a shader for.
      .sort((a, b) => Number(judged.has(b.name)) - Number(judged.has(a.name)))
      .map(({ name, index }) => {
        const info = planned.find((one) => one.name === name);
        return this.card(name, model.recipeName ? index : undefined, info);
      });
    const missing = (model.description.interface?.bindings ?? []).filter(
      ({ kind, name, block, set, binding }) =>
        kind !== "sampler" &&
        !written.some(
          (one) =>
            one.name === name || one.name === block || (one.binding === binding && (one.set ?? 0) === set),
        ),
    );
    if (model.recipeName) {
      const add = missing.map(({ name, block, type }) =>
        button(`add-${name || block}`, `Add buffer ${name || block}`, () =>
          model.rewrite(append("buffers", { name: name || block, type: type ?? "f32", shape: [16, 16] })),
        ),
      );
      if (add.length > 0) cards.push(element("p", { className: "fields" }, ...add));
    }
    return cards;
  }

  private stateOf(name: string): State {
    let state = this.states.get(name);
    if (!state) {
      state = { open: false, look: "before", matrix: 0 };
      this.states.set(name, state);
    }
    return state;
  }

  private after(name: string): Contents | undefined {
    return this.model.ran?.buffers.find(({ info }) => info.name === name);
  }

  private matrixOf(name: string, index: number[]): number {
    const shape = this.after(name)?.info.shape ?? [];
    return index.slice(0, -2).reduce((sum, at, dim) => sum * (shape[dim] ?? 1) + at, 0);
  }

  private card(name: string, index: number | undefined, info: BufferInfo | undefined): HTMLElement {
    const state = this.stateOf(name);
    const outcome = this.model.ran?.report.expectations.find(({ buffer }) => buffer === name);
    const mark = outcome ? (outcome.met ? "good" : "bad") : "";
    const shape = info ? info.shape.join(" × ") : "";
    const image = info?.image ? "image, " : "";
    const place = info?.descriptor
      ? `${image}binding ${info.descriptor[1]}`
      : info?.heap
        ? `${image}${info.heap}`
        : info
          ? "by its address"
          : "";
    const summary = element(
      "summary",
      {},
      element("b", { className: mark }, name),
      element(
        "span",
        { className: "faint" },
        ` ${[info?.type, shape, info && info.layout !== "row-major" ? info.layout : "", place].filter(Boolean).join(" · ")}`,
      ),
    );
    const card = element(
      "details",
      { className: "part buffer", id: `buffer-${name}`, open: state.open },
      summary,
    );
    card.dataset.key = `buffer-${name}`;
    card.ontoggle = () => {
      if (card.open === state.open) return;
      state.open = card.open;
      this.redraw();
    };
    if (!state.open) return card;
    // The same again: what is drawn in it, and how far it is scrolled, stays until there is something else to show.
    const { dom } = state.grid ?? {};
    if (dom?.isConnected) state.scroll = [dom.scrollLeft, dom.scrollTop];
    state.body ??= element("div", { className: "contents" });
    const { body } = state;
    card.append(body);
    if (index !== undefined)
      card.append(
        part(
          `part-settings-${name}`,
          "Type, shape, and what it holds before",
          !outcome,
          this.settings(index, info),
        ),
      );
    void this.contents(name, index, state, body);
    return card;
  }

  /** Type, shape and layout, in the recipe. */
  private settings(index: number, info: BufferInfo | undefined): HTMLElement {
    const { model } = this;
    const path = ["buffers", index] as const;
    const own = (at(model.recipe, path) ?? {}) as Record<string, unknown>;
    const { components, blocks, layouts } = model.client.lists;
    const shape = Array.isArray(own.shape) ? own.shape.join(", ") : "";
    const fields = element(
      "div",
      { className: "fields" },
      choice({
        key: `type-${index}`,
        label: "Type",
        value: String(own.type ?? ""),
        options: [
          ["", info?.type && !own.type ? `${info.type} (the shader's)` : "the shader's"],
          ...[...components, ...blocks].map((one) => [one, one] as const),
        ],
        change: (value) => model.edit([...path, "type"], value || undefined),
      }),
      text({
        key: `shape-${index}`,
        label: "Shape",
        value: shape,
        placeholder: info?.shape.join(", ") ?? "",
        title: "rows, columns; in front of them the number of matrices. Numbers or formulas of the sizes.",
        change: (value) => {
          const lengths = value.split(/[,×]/).flatMap((one) => parse(one) ?? []);
          model.edit([...path, "shape"], lengths.length > 0 ? lengths : undefined);
        },
      }),
      choice({
        key: `layout-${index}`,
        label: "Layout",
        value: String(own.layout ?? "row-major"),
        options: layouts.map((one) => [one, one] as const),
        change: (value) => model.edit([...path, "layout"], value === "row-major" ? undefined : value),
      }),
      text({
        key: `stride-${index}`,
        label: "Stride",
        value: own.stride,
        placeholder: info?.stride === null || info === undefined ? "" : String(info.stride),
        title: "Elements from one row to the next (column, when column-major)",
        change: (value) => model.edit([...path, "stride"], parse(value)),
      }),
      text({
        key: `offset-${index}`,
        label: "Offset",
        value: own.offset,
        placeholder: "0",
        title: "Bytes before the first element",
        change: (value) => model.edit([...path, "offset"], parse(value)),
      }),
    );
    const remover = button(`remove-${index}`, "Remove buffer", () => model.rewrite(remove(path)));
    const fill = fillFields(model, index, own.fill, (file) => void this.upload(index, file));
    fill.append(remover);
    return element("div", {}, fields, fill);
  }

  private async contents(name: string, index: number | undefined, state: State, body: HTMLElement) {
    const after = this.after(name);
    if (!state.before) {
      const { age } = this;
      const before = this.model.description.plan
        ? await this.model.contents(name).catch(() => undefined)
        : undefined;
      // Of an older recipe: another answer is on its way.
      if (age !== this.age) return;
      state.before = before;
      if (!before && !after) {
        const words = "What it holds is told when the recipe has no mistake.";
        body.replaceChildren(element("p", { className: "faint" }, words));
        delete state.drawn;
        return;
      }
    }
    const looks = (Object.keys(LOOKS) as Look[]).filter(
      (look) => this.values(look, state, after) !== undefined,
    );
    const look = looks.includes(state.look) ? state.look : (looks[0] ?? "before");
    const held = look === "before" ? state.before : after;
    const values = this.values(look, state, after);
    if (!held || !values) return;
    const { info } = held;
    if (values.length === 0) {
      const words = `${info.bytes} bytes of members, which the recipe gives by name.`;
      body.replaceChildren(element("p", { className: "faint" }, words));
      delete state.drawn;
      return;
    }
    // Numbers to change are in a table, results in a picture, unless the person chose.
    const inTable = state.table ?? look === "before";
    const drawn = [held, look, state.matrix, inTable, looks.join(), index, this.picture];
    if (!state.wanted && drawn.every((one, at) => one === state.drawn?.[at])) {
      this.settle(state);
      return;
    }
    state.drawn = drawn;
    const flat = info.shape.length < 2;
    // A row of thousands is folded, as its picture is.
    const { rows, columns } = flat
      ? folded(values.length)
      : { rows: info.shape.at(-2) ?? 1, columns: info.shape.at(-1) ?? 1 };
    const matrices = flat ? 1 : Math.max(1, Math.round(values.length / Math.max(rows * columns, 1)));
    state.matrix = Math.min(state.matrix, matrices - 1);
    const tabs = looks.map((one) => {
      const label = one === "expected" && after?.against ? `Under ${after.against}` : LOOKS[one];
      const made = button(`look-${name}-${one}`, label, () => {
        state.look = one;
        this.redraw();
      });
      made.setAttribute("aria-pressed", String(one === look));
      return made;
    });
    const bar = element("div", { className: "bar" }, element("div", { className: "segments" }, ...tabs));
    if (matrices > 1) {
      bar.append(
        text({
          key: `matrix-${name}`,
          label: `Matrix, of ${matrices}`,
          value: state.matrix,
          title: `0 to ${matrices - 1}`,
          change: (value) => {
            state.matrix = Math.min(Math.max(Math.trunc(Number(value)) || 0, 0), matrices - 1);
            this.redraw();
          },
        }),
      );
    }
    const stored = look === "before" || look === "after";
    const files = downloads(name, stored ? name : `${name}-${look}`, stored, held, values);
    const start = state.matrix * rows * columns;
    const shown = values.subarray(start, start + rows * columns);
    const cells: Cells = {
      ...this.cells(name, look, index, state, after, shown, rows, columns, start),
      ...(flat &&
        rows > 1 && {
          rowTitle: (row: number) => String(row * columns),
          columnTitle: (column: number) => `+${column}`,
        }),
    };
    if (state.grid) state.grid.show(cells);
    else state.grid = new Grid(cells);
    const picture = inTable ? undefined : this.picture?.(held, shown, state.matrix);
    if (this.picture) {
      const form = (label: string, table: boolean) => {
        const made = button(`form-${name}-${label}`, label, () => {
          state.table = table;
          this.redraw();
        });
        made.setAttribute("aria-pressed", String((picture === undefined) === table));
        return made;
      };
      bar.append(element("div", { className: "segments" }, form("Picture", false), form("Table", true)));
    }
    bar.append(element("span", { className: "files" }, ...files));
    body.replaceChildren(bar, picture ?? state.grid.dom);
    if (picture) return;
    // It has a size only now.
    this.settle(state);
    state.grid.show(cells);
    // What is drawn here is put into the page only afterwards, and has no place before.
    if (state.wanted) queueMicrotask(() => reach(state, flat ? columns : undefined));
  }

  /** Scrolls to where the table was before it was taken out and put back. */
  private settle({ grid, scroll }: State) {
    if (!grid || !scroll || !grid.dom.isConnected) return;
    [grid.dom.scrollLeft, grid.dom.scrollTop] = scroll;
  }

  private values(look: Look, state: State, after: Contents | undefined): Float64Array | undefined {
    switch (look) {
      case "before":
        return state.before?.values;
      case "after":
        return after?.values;
      case "expected":
        return after?.expected;
      case "difference":
        return after && differenceOf(after);
    }
  }

  private cells(
    name: string,
    look: Look,
    index: number | undefined,
    state: State,
    after: Contents | undefined,
    shown: Float64Array,
    rows: number,
    columns: number,
    start: number,
  ): Cells {
    const { expected, against } = after ?? {};
    const info = after?.info ?? state.before?.info;
    const component = componentOf(info?.type ?? null);
    const { tolerance } = this.model.judged(name) ?? {};
    const unwritten = look === "before" && state.before?.info.uninitialised;
    const editable = look === "before" && index !== undefined && shown.length <= EDITABLE;
    const held = look === "before" || look === "after";
    const at = (row: number, column: number) => row * columns + column;
    const there = (row: number, column: number) => at(row, column) < shown.length;
    return {
      label: `${name}, ${LOOKS[look].toLowerCase()}`,
      rows,
      columns,
      text: (row, column) => {
        if (!there(row, column)) return "";
        const value = shown[at(row, column)] ?? Number.NaN;
        return unwritten ? "?" : held ? plain(value, component) : real(value);
      },
      mark: (row, column) => {
        if (!there(row, column)) return "grid-nothing";
        const value = shown[at(row, column)] ?? 0;
        const wanted = expected?.[start + at(row, column)];
        if (unwritten) return "grid-undefined";
        if (look === "after" && wanted !== undefined && !apart(component, value, wanted, tolerance).met)
          return "grid-off";
        return Number.isFinite(value) ? "" : "grid-infinite";
      },
      title: (row, column) => {
        if (!there(row, column)) return "";
        const value = exact(shown[at(row, column)] ?? Number.NaN, held ? component : undefined);
        const wanted = look === "after" ? expected?.[start + at(row, column)] : undefined;
        const place = info && info.shape.length < 2 ? `[${at(row, column)}]` : `[${row}, ${column}]`;
        const hoped = against === undefined ? "expected" : `under ${against}`;
        return `${place} ${value}${wanted === undefined ? "" : `, ${hoped} ${exact(wanted, component)}`}`;
      },
      ...(editable && {
        edit: (row, column, text) =>
          !there(row, column) || (!unwritten && text.trim() === plain(shown[at(row, column)] ?? 0, component))
            ? undefined
            : this.edit(index, state, start + at(row, column), text),
      }),
    };
  }

  /** One element, by hand: the recipe then holds all of them, or a file of the project does. */
  private edit(index: number, state: State, element: number, text: string): string | undefined {
    const words = new Map([
      ["inf", Infinity],
      ["+inf", Infinity],
      ["-inf", -Infinity],
    ]);
    const value = words.get(text.trim().toLowerCase()) ?? Number(text.trim());
    if (text.trim() === "" || (Number.isNaN(value) && text.trim().toLowerCase() !== "nan"))
      return `${text} is not a number`;
    const { before } = state;
    if (!before) return "The buffer is not there yet.";
    if (before.values[element] === value) return undefined;
    const values = before.values.slice();
    values[element] = value;
    const refused = this.write(index, before.info, values);
    if (refused === undefined)
      state.before = { ...before, values, info: { ...before.info, uninitialised: false } };
    return refused;
  }

  /** Answers why it does not. */
  private write(index: number, info: BufferInfo, values: Float64Array): string | undefined {
    const path = ["buffers", index, "fill"] as const;
    if (values.length <= LITERAL) {
      this.model.edit(path, { values: nested(values, info.shape) });
      return undefined;
    }
    const file = `${info.name}.npy`;
    if (!this.model.keepData(file, npy(values, info.shape))) return this.model.problem?.message;
    this.model.edit(path, { file });
    return undefined;
  }

  private async upload(index: number, file: File) {
    // As a name of the project's, which has no folders.
    const name = file.name.replaceAll(/[/\\:\p{Cc}\p{Cs}]/gu, "_").slice(-LIMITS.name);
    if (file.size > 3 << 20) {
      this.model.problem = {
        message: `${name} is larger than 3 MiB, the most that a project in this page carries`,
      };
      this.redraw();
      return;
    }
    const bytes = new Uint8Array(await file.arrayBuffer());
    if (this.model.keepData(name, bytes)) this.model.edit(["buffers", index, "fill"], { file: name });
  }
}

/** Brings the wanted element of a table into view, and selects it; `folds`: the length of the rows into which one row is folded. */
function reach(state: State, folds: number | undefined) {
  const { grid, wanted } = state;
  // While the part around it is folded, the element waits.
  if (!grid || !wanted || grid.dom.clientHeight === 0) return;
  const last = wanted.at(-1) ?? 0;
  delete state.wanted;
  if (folds === undefined) grid.go(wanted.at(-2) ?? 0, last);
  else grid.go(Math.floor(last / folds), last % folds);
  const { dom } = grid;
  state.scroll = [dom.scrollLeft, dom.scrollTop];
  dom.scrollIntoView({ block: "nearest" });
  dom.focus({ preventScroll: true });
}
