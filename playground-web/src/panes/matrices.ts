// The matrices and cooperative vectors of the last run, by source line: what each operation read and made, at each time that it was executed, in the view that
// fits. The editor's cursor chooses the line.

import { element } from "@coopmat/shared/element";
import type { MatricesView } from "@coopmat/shared/project/view";
import {
  ConversionView,
  Grid,
  HeatMap,
  type MatrixData,
  MultiplyView,
  OwnershipView,
  type RecordedEvent,
  type Recording,
  readRecording,
  TensorView,
  VectorsView,
} from "@coopmat/shared/views";
import { many } from "@coopmat/shared/views/numbers";
import { debounced } from "../language/debounce";
import { NoAnswer, type SimulatorClient } from "../simulator/client";
import { icon } from "../ui/icons";
import type { Ran, Report, Source } from "../workers/simulator-protocol";
import { DispatchChoice } from "./dispatch-choice";
import type { Editor } from "./editor";
import { showLinked } from "./highlight";
import { groupEvents, type Operation } from "./matrices-groups";
import { OwnershipForm } from "./ownership-form";
import type { Pane } from "./panes";
import "@coopmat/shared/views/views.css";
import "./matrices.css";

/** Who runs the shader. */
export interface Runs {
  onRun(listener: (ran: Ran, source: Source) => void): void;
  onChange(listener: () => void): void;
  run(): Promise<Ran | undefined>;
  /** The names of the recipe's dispatches, where it lists them. */
  readonly dispatches: string[];
  /** Why the last run did not begin. */
  readonly problem: { message: string } | undefined;
}

const LOOKS = {
  product: "Product",
  tensor: "Tensor",
  arrays: "Invocations' arrays",
  vectors: "Vectors",
  values: "Values",
  ownership: "Ownership",
} as const;
type Look = keyof typeof LOOKS;

export class MatricesPane implements Pane {
  readonly id = "matrices";
  readonly title = "Matrices";
  readonly body = element("div", { className: "matrices" });
  private readonly notice = element("p", { className: "matrices-notice" });
  private readonly list = element("div", {
    className: "matrices-list",
    attributes: { role: "group", "aria-label": "Matrix operations by line" },
  });
  private readonly time = element("input", {
    type: "range",
    min: "0",
    max: "0",
    value: "0",
    ariaLabel: "Time",
  });
  private readonly timeWords = element("output");
  private readonly timeBar = element(
    "label",
    { className: "matrices-time" },
    "Time ",
    this.time,
    this.timeWords,
  );
  private readonly looks = element("div", {
    className: "segments",
    attributes: { role: "group", "aria-label": "View" },
  });
  private readonly which = element("select", { ariaLabel: "Matrix" });
  private readonly ownership = element("select", { ariaLabel: "Ownership" });
  private readonly words = element("p", { className: "matrices-words" });
  private readonly holder = element("div", { className: "matrices-view" });
  private readonly place: {
    x: HTMLInputElement;
    y: HTMLInputElement;
    z: HTMLInputElement;
    subgroup: HTMLInputElement;
  };
  private readonly dispatch = new DispatchChoice(() => this.record());
  private readonly anyType: OwnershipForm;
  private readonly onlyLine = element("input", { type: "checkbox" });
  private readonly views = {
    product: made(() => new MultiplyView()),
    tensor: made(() => new TensorView()),
    arrays: made(() => new ConversionView()),
    vectors: made(() => new VectorsView()),
    values: made(() => new HeatMap()),
    ownership: made(() => new OwnershipView()),
  };
  private recording: Recording | undefined;
  private report: Report | undefined;
  /** What was run. */
  private source: Source | undefined;
  private operations: Operation[] = [];
  private chosen: Operation | undefined;
  private look: Look | undefined;
  private asked = 0;
  /** Elements to select as soon as they are drawn. */
  private wanted: MatricesView["selected"];

  constructor(
    private readonly editor: Editor,
    private readonly client: SimulatorClient,
    private readonly runs: Runs,
  ) {
    this.anyType = new OwnershipForm(client);
    const number = (label: string) =>
      element("input", {
        type: "number",
        min: "0",
        value: "0",
        ariaLabel: label,
        onchange: () => this.record(),
      });
    this.place = {
      x: number("Workgroup, x"),
      y: number("Workgroup, y"),
      z: number("Workgroup, z"),
      subgroup: number("Subgroup"),
    };
    this.onlyLine.onchange = () => this.record();
    const { x, y, z, subgroup } = this.place;
    const start = element(
      "button",
      { type: "button", onclick: () => this.run() },
      icon("run"),
      "Run and record",
    );
    this.time.oninput = () => this.draw();
    this.which.onchange = () => this.draw();
    this.ownership.onchange = () => this.draw();
    this.body.append(
      element(
        "div",
        { className: "bar" },
        start,
        this.dispatch.body,
        element("span", { className: "matrices-place" }, "Workgroup ", x, y, z),
        element("label", { className: "matrices-place" }, "Subgroup ", subgroup),
        element("label", { className: "matrices-place" }, this.onlyLine, " The cursor's line alone"),
      ),
      this.notice,
      this.list,
      element("div", { className: "bar" }, this.looks, this.which, this.ownership, this.timeBar),
      this.words,
      this.holder,
      this.anyType.body,
    );
    this.record();
    this.tell();
    this.drawList();
    this.timeBar.hidden = true;
    runs.onRun((ran, source) => this.ran(ran, source));
    runs.onChange(() => this.dispatch.offer(runs.dispatches));
    editor.onChange(() => this.changed());
    editor.onCursor(() => this.follow());
  }

  shown() {
    this.draw();
  }

  /** What is in view, for links. */
  state(): MatricesView | undefined {
    const { chosen, look, client } = this;
    if (!chosen || !look || !client.record) return undefined;
    const { dispatch, workgroup, subgroup, line: onlyLine } = client.record;
    const { path, line, title } = chosen;
    const selected = gridsOf(this.views[look]()).flatMap(([name, { selected }]) =>
      selected === undefined ? [] : [[name, selected] as [string, number]],
    );
    return {
      ...(dispatch && { dispatch }),
      workgroup,
      subgroup,
      ...(onlyLine && { onlyLine }),
      ...(path !== undefined && { path }),
      ...(line !== undefined && { line }),
      title,
      time: Number(this.time.value),
      look,
      ...(!this.which.hidden && { matrix: this.which.value }),
      ...(look === "ownership" && { ownership: this.ownership.value }),
      ...(selected.length > 0 && { selected }),
    };
  }

  /** Records what a link showed, from the next run on. */
  aim({ dispatch = 0, workgroup: [x, y, z], subgroup, onlyLine }: MatricesView) {
    this.dispatch.value = dispatch;
    for (const [field, value] of [
      [this.place.x, x],
      [this.place.y, y],
      [this.place.z, z],
      [this.place.subgroup, subgroup],
    ] as const)
      field.value = String(value);
    this.onlyLine.checked = onlyLine !== undefined;
    this.record();
    if (onlyLine && this.client.record) this.client.record.line = onlyLine;
  }

  /** Brings into view what a link showed, after the run. What is not there any more leaves what is. */
  restore(view: MatricesView) {
    const found = this.operations.find(
      ({ path, line, title }) => path === view.path && line === view.line && title === view.title,
    );
    if (!found) return;
    this.look = Object.hasOwn(LOOKS, view.look) ? (view.look as Look) : undefined;
    this.choose(found);
    if (view.look === "values") this.look = "values";
    this.time.value = String(view.time);
    this.fillOwnerships();
    for (const [select, value] of [
      [this.which, view.matrix],
      [this.ownership, view.ownership],
    ] as const) {
      if (value === undefined) continue;
      // It is filled when it is drawn, and keeps what it is at then.
      if (![...select.options].some((option) => option.value === value) && select === this.which)
        select.append(element("option", { value }, value));
      select.value = value;
    }
    this.wanted = view.selected;
    this.draw();
  }

  /** Whose the elements are: of the matrix that was chosen, or of any, where nothing has been recorded. */
  showOwnership() {
    const event = this.chosen?.events[0];
    if (event && looksOf(event).includes("ownership")) this.see("ownership");
    else this.anyType.open();
  }

  private async run() {
    this.record();
    if (await this.runs.run()) return;
    this.forget();
    const { problem } = this.runs;
    if (problem) this.notice.textContent = `There was no run: ${problem.message}`;
  }

  private forget() {
    // It would tell the same again, over what is told next.
    this.compare.cancel();
    this.recording = undefined;
    this.report = undefined;
    this.source = undefined;
    this.operations = [];
    this.tell();
    this.drawList();
    this.choose(undefined);
  }

  /** Another shader has nothing to do with what was recorded; another text of it may differ. */
  private changed() {
    const { source } = this;
    if (!source) return;
    if (this.editor.shaderName !== source.shader) this.forget();
    else this.compare();
  }

  /** Not at every key: whole texts are compared. */
  private readonly compare = debounced(300, () => this.tell());

  private stale(): boolean {
    const now = new Map(this.editor.files().map(({ name, text }) => [name, text]));
    return this.source?.files.some(({ name, text }) => now.get(name) !== text) ?? false;
  }

  /** Tells the simulator whose matrices to keep, from the next run on. */
  private record() {
    const { x, y, z, subgroup } = this.place;
    const [gx = 0, gy = 0, gz = 0, group = 0] = [x, y, z, subgroup].map(({ value }) =>
      Math.max(0, Math.min(0xffff, Math.trunc(Number(value)) || 0)),
    );
    this.client.record = {
      ...(this.dispatch.value > 0 && { dispatch: this.dispatch.value }),
      workgroup: [gx, gy, gz],
      subgroup: group,
      ...(this.onlyLine.checked && { line: [this.editor.activeName, this.cursorLine()] as [string, number] }),
    };
  }

  private ran({ recorded, report }: Ran, source: Source) {
    this.source = source;
    this.recording = recorded && readRecording(recorded.index, recorded.data);
    this.report = report;
    this.operations = groupEvents(this.recording?.events ?? []);
    const before = this.chosen;
    const again = this.operations.find(
      ({ line, title }) => before !== undefined && line === before.line && title === before.title,
    );
    // At first what shows most: a product, where there is one.
    const first =
      this.operations.find(({ events }) => events[0]?.multiply ?? events[0]?.vectors?.kind === "product") ??
      this.operations[0];
    this.chosen = undefined;
    this.tell();
    this.drawList();
    this.choose(again ?? first);
  }

  private tell() {
    const { recording, report } = this;
    const where = () => {
      const {
        dispatch = 0,
        workgroup,
        subgroup,
      } = this.client.record ?? {
        workgroup: [0, 0, 0],
        subgroup: 0,
      };
      const name = this.report?.dispatches?.[dispatch]?.name;
      const of = name === undefined ? "" : `dispatch ${name}, `;
      return `${of}workgroup ${workgroup.join(", ")}, subgroup ${subgroup}`;
    };
    const vectors = recording?.events.some((event) => event.vectors) ?? false;
    const what = vectors ? "operation" : "matrix operation";
    this.notice.textContent =
      recording === undefined
        ? "Run the shader to see the matrices and cooperative vectors of one subgroup: every load, product, conversion and store, at each time."
        : recording.events.length === 0
          ? `No matrix operation was executed by ${where()}${report?.error ? `: ${report.error.message}` : ""}.`
          : `${many(recording.events.length, what)} of ${where()}.${
              recording.dropped > 0
                ? ` ${recording.dropped} earlier ones were let go; record the cursor's line alone to see them.`
                : ""
            }`;
    if (this.stale()) this.notice.textContent += " The text has changed since; run it again.";
  }

  private drawList() {
    this.list.hidden = this.operations.length === 0;
    const rows = this.operations.map((operation) => {
      const { line, title, events } = operation;
      const text = line === undefined ? "" : this.lineText(operation.path, line);
      const times = events.length > 1 ? `×${events.length}` : "";
      const row = element(
        "button",
        { type: "button", className: "matrices-row", onclick: () => this.pick(operation) },
        element("span", { className: "matrices-line" }, line === undefined ? "" : String(line + 1)),
        element("code", {}, text || title),
        element("span", { className: "matrices-times" }, times),
      );
      row.title = title;
      return row;
    });
    this.list.replaceChildren(...rows);
    this.mark();
  }

  private mark() {
    for (const [index, row] of [...this.list.children].entries()) {
      const on = this.operations[index] === this.chosen;
      row.setAttribute("aria-pressed", String(on));
      if (on && row instanceof HTMLElement && row.offsetParent) {
        const { offsetTop, offsetHeight } = row;
        const list = this.list;
        if (offsetTop < list.scrollTop) list.scrollTop = offsetTop;
        if (offsetTop + offsetHeight > list.scrollTop + list.clientHeight)
          list.scrollTop = offsetTop + offsetHeight - list.clientHeight;
      }
    }
  }

  private lineText(path: string | undefined, line: number): string {
    const file = this.source?.files.find(({ name }) => name === path);
    return file?.text.split("\n")[line]?.trim() ?? "";
  }

  private cursorLine(): number {
    const { state } = this.editor.view;
    return state.doc.lineAt(state.selection.main.head).number - 1;
  }

  /** The operations of the line that the cursor is in. */
  private follow() {
    if (this.body.hidden || this.operations.length === 0) return;
    const line = this.cursorLine();
    const here = (operation: Operation) =>
      operation.line === line && operation.path === this.editor.activeName;
    if (this.chosen && here(this.chosen)) return;
    const found = this.operations.find(here);
    if (found) this.choose(found);
  }

  /** Chosen by hand: its line is marked in the editor. */
  private pick(operation: Operation) {
    this.choose(operation);
    const { path, line } = operation;
    const { doc } = this.editor.view.state;
    if (line === undefined || path !== this.editor.activeName || line >= doc.lines) return;
    const endCharacter = doc.line(line + 1).length;
    showLinked(this.editor.view, [{ line, character: 0, endLine: line, endCharacter }], true);
  }

  private choose(operation: Operation | undefined) {
    this.chosen = operation;
    this.mark();
    const count = operation?.events.length ?? 0;
    this.time.max = String(Math.max(0, count - 1));
    this.time.value = String(Math.min(Number(this.time.value), Math.max(0, count - 1)));
    this.timeBar.hidden = count < 2;
    const looks = operation?.events[0] ? looksOf(operation.events[0]) : [];
    if (!this.look || !looks.includes(this.look) || this.look === "values") this.look = looks[0];
    this.draw();
  }

  private draw() {
    if (this.body.hidden) return;
    const event = this.chosen?.events[Number(this.time.value)];
    const looks = event ? looksOf(event) : [];
    this.looks.replaceChildren(
      ...looks.map((look) => {
        const button = element("button", { type: "button", onclick: () => this.see(look) }, LOOKS[look]);
        button.setAttribute("aria-pressed", String(look === this.look));
        return button;
      }),
    );
    this.which.hidden = true;
    this.ownership.hidden = true;
    this.words.textContent = "";
    if (!event || !this.chosen) {
      this.holder.replaceChildren();
      return;
    }
    this.timeWords.textContent = ` ${Number(this.time.value) + 1} of ${this.chosen.events.length}`;
    // What a product is, its picture says.
    this.words.textContent =
      this.look === "product" ? "" : [event.title, event.where].filter(Boolean).join(": ");
    switch (this.look) {
      case "product":
        if (event.multiply) this.show("product").show(event.multiply);
        break;
      case "tensor":
        if (event.tensor) this.show("tensor").show(event.tensor);
        break;
      case "arrays":
        if (event.conversion) this.show("arrays").show(event.conversion);
        break;
      case "vectors":
        if (event.vectors) this.show("vectors").show(event.vectors);
        break;
      case "values": {
        const matrix = this.pickMatrix(event);
        if (matrix) this.show("values").show(matrix);
        break;
      }
      case "ownership":
        void this.drawOwnership(event);
        break;
      case undefined:
        this.holder.replaceChildren();
    }
  }

  private see(look: Look) {
    this.look = look;
    this.draw();
    const pressed = this.looks.querySelector<HTMLElement>("[aria-pressed=true]");
    pressed?.focus();
  }

  private show<K extends Look>(look: K): ReturnType<(typeof this.views)[K]> {
    const view = this.views[look]() as ReturnType<(typeof this.views)[K]>;
    if (view.body.parentElement !== this.holder) this.holder.replaceChildren(view.body);
    if (this.wanted) queueMicrotask(() => this.selectWanted(view));
    return view;
  }

  private selectWanted(view: object) {
    for (const [name, index] of this.wanted ?? []) {
      const grid = gridsOf(view).find(([one]) => one === name)?.[1];
      if (grid?.has(index)) grid.select(index);
    }
    this.wanted = undefined;
  }

  /** One of the matrices of an operation, by name. */
  private pickMatrix(event: RecordedEvent): MatrixData | undefined {
    const matrices = matricesOf(event);
    const names = matrices.map(({ name }) => name);
    const before = this.which.value;
    this.which.replaceChildren(...names.map((value) => element("option", { value }, value)));
    this.which.value = names.includes(before) ? before : (names[0] ?? "");
    this.which.hidden = names.length < 2;
    return matrices.find(({ name }) => name === this.which.value);
  }

  private fillOwnerships() {
    if (this.ownership.options.length > 0) return;
    const names = this.client.lists.ownerships;
    const run = this.report?.modes.ownership ?? "";
    this.ownership.append(...names.map((value) => element("option", { value }, value)));
    this.ownership.value = names.includes(run) ? run : (names[0] ?? "");
  }

  private async drawOwnership(event: RecordedEvent) {
    const matrix = this.pickMatrix(event);
    if (!matrix || !this.report) return;
    const { modes } = this.report;
    this.fillOwnerships();
    this.ownership.hidden = false;
    const all = this.report["workgroup-size"].reduce((product, size) => product * size, 1);
    const { component, rows, columns, use = "any", scope = "subgroup" } = matrix;
    const invocations = scope === "workgroup" ? all : modes["subgroup-size"];
    const name = this.ownership.value;
    const number = ++this.asked;
    try {
      const question = { name, component, rows, columns, use, scope, invocations };
      const answer = await this.client.ownership(question);
      if (number !== this.asked || this.look !== "ownership") return;
      this.words.textContent = `${matrix.name}: coopmat<${component}, ${rows}×${columns}, ${use}> of ${invocations} invocations`;
      this.show("ownership").show({ name, rows, columns, ...answer });
    } catch (error) {
      if (number !== this.asked || this.look !== "ownership") return;
      this.words.textContent = error instanceof NoAnswer ? error.problem.message : String(error);
    }
  }
}

/** The grids of a view, by the names that it has for them. */
const gridsOf = (view: object): [string, Grid][] =>
  Object.entries(view).filter((entry): entry is [string, Grid] => entry[1] instanceof Grid);

function matricesOf(event: RecordedEvent): MatrixData[] {
  const all = event.multiply
    ? [event.multiply.result, ...event.operands]
    : [...(event.matrix ? [event.matrix] : []), ...event.operands];
  const names = new Set<string>();
  return all.filter(({ name }) => !names.has(name) && names.add(name));
}

/** The views of an operation, the one that tells most first. */
function looksOf(event: RecordedEvent): Look[] {
  return [
    ...(event.multiply ? (["product"] as const) : []),
    ...(event.tensor ? (["tensor"] as const) : []),
    ...(event.conversion ? (["arrays"] as const) : []),
    ...(event.vectors ? (["vectors"] as const) : []),
    ...(event.matrix ? (["values"] as const) : []),
    // A cooperative vector belongs to its invocation.
    ...(event.matrix && !event.vectors ? (["ownership"] as const) : []),
  ];
}

/** Made when it is first wanted. */
function made<T>(make: () => T): () => T {
  let view: T | undefined;
  return () => {
    view ??= make();
    return view;
  };
}
