// The view of a frame's matrices: one of them as a heat map, and who owns its elements, with the page's own views.

import { element } from "@coopmat/shared/element";
import { HeatMap, OwnershipView } from "@coopmat/shared/views";
import "@coopmat/shared/views/views.css";
import "../run/results.css";
import { numberOf } from "../run/values";
import type { FromView, Listed, Matrix, ToView } from "./answer";

declare function acquireVsCodeApi(): { postMessage(message: FromView): void };
const editor = acquireVsCodeApi();

const main = document.querySelector("main") as HTMLElement;
const map = new HeatMap({ height: 360 });
const owners = new OwnershipView();
const list = element("select", { ariaLabel: "Matrix" });
const words = element("p", { className: "faint" });
const left = element("p", { className: "left-out" });
const pictures = element(
  "div",
  {},
  map.body,
  element("details", {}, element("summary", {}, "Who owns the elements"), owners.body),
);
const details = pictures.querySelector("details") as HTMLDetailsElement;
let chosen: string | undefined;
let shown: Matrix | undefined;

list.onchange = () => {
  chosen = list.value;
  ask();
};
details.ontoggle = () => drawOwners();

function ask() {
  if (list.value) editor.postMessage({ kind: "show", name: list.value });
}

/** The matrices of the frame; the choice stays where it can. */
function offer({ matrices, leftOut }: Listed, choose: string | undefined) {
  chosen = choose ?? chosen;
  list.replaceChildren(
    ...matrices.map(({ name, component, rows, columns, use, written }) =>
      element(
        "option",
        { value: name },
        `${name}: ${component} ${rows}x${columns} ${use}${written ? "" : " (nothing stored yet)"}`,
      ),
    ),
  );
  const names = matrices.map((one) => one.name);
  // The innermost computation is usually what was written last.
  const first = matrices.find((one) => one.written) ?? matrices[0];
  list.value = chosen !== undefined && names.includes(chosen) ? chosen : (first?.name ?? "");
  left.textContent = leftOut > 0 ? `${leftOut} more elements of arrays are not listed.` : "";
}

function draw(matrix: Matrix) {
  shown = matrix;
  const { undefined: holes } = matrix;
  words.textContent = `${matrix.component}, ${matrix.rows} x ${matrix.columns}, use ${matrix.use}, scope ${matrix.scope}; ownership ${matrix.ownership.name}`;
  map.show({
    name: matrix.name,
    component: matrix.component,
    rows: matrix.rows,
    columns: matrix.columns,
    values: Float64Array.from(matrix.values, numberOf),
    use: matrix.use,
    scope: matrix.scope,
    ...(holes && { undefined: (index: number) => holes[index] === "1" }),
  });
  drawOwners();
}

/** A picture takes its size from the document, where it is there. */
function drawOwners() {
  if (!shown || !details.open) return;
  const { ownership, rows, columns } = shown;
  owners.show({ ...ownership, rows, columns });
}

window.addEventListener("message", ({ data }: MessageEvent<ToView>) => {
  switch (data.kind) {
    case "nothing":
      main.replaceChildren(element("p", { className: "faint" }, data.because));
      break;
    case "matrices":
      offer(data.listed, data.choose);
      if (data.listed.matrices.length === 0)
        main.replaceChildren(element("p", { className: "faint" }, "This frame has no cooperative matrices."));
      else {
        main.replaceChildren(
          element("div", { className: "controls" }, element("label", {}, "Matrix ", list)),
          words,
          pictures,
          left,
        );
        ask();
      }
      break;
    case "matrix":
      draw(data.matrix);
      break;
  }
});
editor.postMessage({ kind: "ready" });
