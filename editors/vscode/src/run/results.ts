// The view of a run's results: the report, and each buffer as a heat map, with the page's own views.

import { HeatMap, type MatrixData } from "@coopmat/shared/views";
import "@coopmat/shared/views/views.css";
import "./results.css";
import { element } from "@coopmat/shared/element";
import type { Answer, Buffer, Expectation, FromView, Place, ToView } from "./answer";
import { numberOf } from "./values";

declare function acquireVsCodeApi(): { postMessage(message: FromView): void };
const editor = acquireVsCodeApi();

/** As GLSL calls the component types, which the views know. */
const COMPONENTS: Record<string, string> = {
  f16: "float16_t",
  f32: "float",
  f64: "double",
  bf16: "bfloat16_t",
  i8: "int8_t",
  u8: "uint8_t",
  i16: "int16_t",
  u16: "uint16_t",
  i32: "int",
  u32: "uint",
  i64: "int64_t",
  u64: "uint64_t",
};

const map = new HeatMap({ height: 420 });
const strict = element("input", { type: "checkbox", disabled: true });
const checked = element("input", {
  type: "checkbox",
  onchange: () => {
    strict.disabled = !checked.checked;
  },
});
const numerics = element("select", { ariaLabel: "Numerics" });
const ownership = element("select", { ariaLabel: "Ownership" });
const main = document.querySelector("main") as HTMLElement;
let chosen: string | undefined;

/** The modes that the server knows; what was chosen stays. */
function offer(list: HTMLSelectElement, names: string[]) {
  const before = list.value;
  const options = ["", ...names].map((name) =>
    element("option", { value: name }, name || "as the recipe says"),
  );
  list.replaceChildren(...options);
  list.value = names.includes(before) ? before : "";
}

/** The matrices of a batch stand below one another. */
function matrix(buffer: Buffer): MatrixData {
  const values = Float64Array.from(buffer.elements, numberOf);
  const columns = Math.max(1, buffer.shape.at(-1) ?? values.length);
  return {
    name: buffer.name,
    component: COMPONENTS[buffer.type] ?? buffer.type,
    rows: Math.ceil(values.length / columns),
    columns,
    values,
  };
}

function place(at: Place) {
  const name = at.path.split("/").pop();
  return element(
    "button",
    { type: "button", className: "link", onclick: () => editor.postMessage({ kind: "reveal", place: at }) },
    `${name}:${at.line}:${at.column}`,
  );
}

/** As short as tells it from its neighbours in 32 bits. */
const number = (given: number | string) =>
  typeof given === "number" ? String(Number(given.toPrecision(8))) : given;

const worst = ({ index, expected, found }: NonNullable<Expectation["worst"]>, columns: number) =>
  element(
    "td",
    { colSpan: columns, className: "faint" },
    `Largest error at [${index.join(", ")}]: expected ${number(expected)}, found ${number(found)}`,
  );

function report(answer: Answer): (HTMLElement | string)[] {
  const parts: (HTMLElement | string)[] = [];
  const { report } = answer;
  if (answer.error?.path && answer.error.line)
    parts.push(
      element(
        "p",
        {},
        place({ path: answer.error.path, line: answer.error.line, column: answer.error.column ?? 1 }),
        ` ${answer.error.message}`,
      ),
    );
  if (!report) return parts;
  const { modes } = report;
  parts.push(
    element(
      "p",
      { className: "modes" },
      `Subgroups of ${modes["subgroup-size"]}, numerics ${modes.numerics}, ownership ${modes.ownership}${modes.checked ? (modes.strict ? ", checked strictly" : ", checked") : ""}.`,
    ),
  );
  if (report.expectations.length > 0) {
    const head = ["", "Buffer", "Reference", "Wrong", "Largest difference"];
    const rows = report.expectations.flatMap((one) => [
      element(
        "tr",
        { className: one.met ? "met" : "missed" },
        ...[
          one.met ? "✓ met" : "✗ not met",
          one.buffer,
          one.reference,
          `${one.wrong} of ${one.elements}`,
          number(one["max-absolute"]),
        ].map((text) => element("td", {}, text)),
      ),
      ...(one.worst ? [element("tr", {}, element("td", {}), worst(one.worst, head.length - 1))] : []),
    ]);
    parts.push(
      element(
        "table",
        { className: "expectations" },
        element("tr", {}, ...head.map((text) => element("th", {}, text))),
        ...rows,
      ),
    );
  }
  const told = [...report.findings, ...(report.error ? [report.error] : [])];
  if (told.length > 0)
    parts.push(
      element(
        "ul",
        { className: "findings" },
        ...told.map((one) => element("li", {}, ...(one.place ? [place(one.place), " "] : []), one.message)),
      ),
    );
  return parts;
}

function show(name: string, answer: Answer) {
  const again = element("button", { type: "button" }, "Run again");
  again.onclick = () =>
    editor.postMessage({
      kind: "run",
      checked: checked.checked,
      strict: checked.checked && strict.checked,
      numerics: numerics.value,
      ownership: ownership.value,
    });
  const create = element("button", { type: "button" }, "Create recipe");
  create.onclick = () => editor.postMessage({ kind: "createRecipe" });
  offer(numerics, answer.modes?.numerics ?? []);
  offer(ownership, answer.modes?.ownership ?? []);
  const buffers = answer.buffers ?? [];
  const list = element(
    "select",
    { ariaLabel: "Buffer" },
    ...buffers.map((buffer) =>
      element("option", { value: buffer.name }, `${buffer.name}: ${buffer.type} ${buffer.shape.join(" x ")}`),
    ),
  );
  // What is expected of is what is looked at first.
  const first = answer.report?.expectations[0]?.buffer ?? buffers.at(-1)?.name;
  list.value = buffers.some((one) => one.name === chosen) ? (chosen ?? "") : (first ?? "");
  const left = element("p", { className: "left-out" });
  const draw = () => {
    const buffer = buffers.find((one) => one.name === list.value);
    if (!buffer) return;
    map.show(matrix(buffer));
    left.textContent = buffer.leftOut > 0 ? `${buffer.leftOut} more elements are not shown.` : "";
  };
  list.onchange = () => {
    chosen = list.value;
    draw();
  };
  main.replaceChildren(
    element("h2", {}, name),
    element("p", { className: answer.met ? "summary met" : "summary missed" }, answer.summary),
    // Without a recipe there is nothing to run again.
    answer.missingRecipe
      ? element("div", { className: "controls" }, create)
      : element(
          "div",
          { className: "controls" },
          again,
          element("label", {}, checked, " report undefined behaviour"),
          element("label", {}, strict, " also writes of the same value"),
          element("label", {}, "Numerics ", numerics),
          element("label", {}, "Ownership ", ownership),
        ),
    ...report(answer),
    ...(buffers.length > 0
      ? [element("div", { className: "controls" }, element("label", {}, "Buffer ", list)), map.body, left]
      : []),
  );
  // In the document by now: the picture takes its size from there.
  draw();
}

window.addEventListener("message", ({ data }: MessageEvent<ToView>) => {
  if (data.kind === "answer") show(data.name, data.answer);
});
editor.postMessage({ kind: "ready" });
