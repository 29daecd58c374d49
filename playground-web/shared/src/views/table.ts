// The values as a table that is read aloud and copied. Made when it is opened.

import { element } from "../element";
import type { MatrixData } from "./model";
import { exact } from "./numbers";

/** The longest side of a table: what is larger is for pictures, and for files. */
const LONGEST = 64;

export function valuesTable() {
  const body = element("details", { className: "view-table" });
  const holder = element("div", { className: "view-table-holder", tabIndex: 0 });
  let data: MatrixData | undefined;
  const fill = () => {
    if (!body.open || !data) return;
    holder.replaceChildren(tableOf(data));
    holder.setAttribute("aria-label", `Values of ${data.name}`);
    holder.setAttribute("role", "region");
  };
  body.append(element("summary", {}, "Values as a table"), holder);
  body.addEventListener("toggle", fill);
  return {
    body,
    show(shown: MatrixData) {
      data = shown;
      fill();
    },
  };
}

function tableOf(data: MatrixData): HTMLElement {
  const [rows, columns] = [Math.min(data.rows, LONGEST), Math.min(data.columns, LONGEST)];
  const header = element("tr", {}, element("th", {}, ""));
  for (let column = 0; column < columns; column++)
    header.append(element("th", { scope: "col" }, String(column)));
  const table = element(
    "table",
    {},
    element("caption", {}, `${data.name}, ${data.component}`),
    element("thead", {}, header),
  );
  const body = element("tbody");
  for (let row = 0; row < rows; row++) {
    const line = element("tr", {}, element("th", { scope: "row" }, String(row)));
    for (let column = 0; column < columns; column++) {
      const index = row * data.columns + column;
      if (index >= data.values.length) break;
      line.append(
        element(
          "td",
          {},
          data.inactive?.(index)
            ? "inactive"
            : data.undefined?.(index)
              ? "undefined"
              : exact(data.values[index] ?? 0, data.component),
        ),
      );
    }
    body.append(line);
  }
  table.append(body);
  if (rows === data.rows && columns === data.columns) return table;
  const cut = `The first ${rows} rows and ${columns} columns of ${data.rows}×${data.columns}.`;
  return element("div", {}, element("p", {}, cut), table);
}
