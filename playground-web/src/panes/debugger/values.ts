// Values as lanes have them: a line where they agree, a strip of lanes where they do not, matrices as heat maps.

import { element } from "@coopmat/shared/element";
import { HeatMap } from "@coopmat/shared/views";
import { grouped } from "@coopmat/shared/views/numbers";
import type { Frame, Value } from "../../workers/debugger-protocol";

/** What a strip says of a lane. */
type LaneState = "active" | "waiting" | "left";

export function laneState({ active, live }: Frame, lane: number): LaneState {
  if (active[lane] === "1") return "active";
  return live[lane] === "1" ? "waiting" : "left";
}

const WORDS: Record<LaneState, string> = {
  active: "active",
  waiting: "waits",
  left: "has left this function",
};

/** The lanes of a frame with their values. */
export function strip(frame: Frame, name: string, lanes: NonNullable<Value["lanes"]>): HTMLElement {
  const count = frame.live.length;
  const what = frame.elements ? "element" : "lane";
  const cells = Array.from({ length: count }, (_, lane) => {
    const state = laneState(frame, lane);
    const text = lanes.values[lanes.values.length === 1 ? 0 : lane];
    const isUndefined = lanes.undefined?.[lane] === "1";
    const shown = isUndefined ? "?" : (text ?? "–");
    const known = isUndefined ? "undefined" : (text ?? "outside");
    const words =
      state === "left" ? `${what} ${lane} ${WORDS.left}` : `${what} ${lane} (${WORDS[state]}): ${known}`;
    return element(
      "li",
      {
        className: `lane ${state}${isUndefined ? " undefined" : ""}`,
        title: words,
        ariaLabel: words,
      },
      state === "left" ? "·" : shown,
    );
  });
  return element("ol", { className: "strip", ariaLabel: `${name}, by ${what}` }, ...cells);
}

/** Heat maps by expression, kept while their matrices change. */
export class Matrices {
  private readonly maps = new Map<string, HeatMap>();

  show(expression: string, value: Value): HTMLElement {
    const { matrix } = value;
    if (!matrix) return element("p", {}, value.text);
    if (!matrix.values)
      return element(
        "p",
        { className: "faint" },
        matrix.written ? "…" : "Nothing has been stored in it yet.",
      );
    let map = this.maps.get(expression);
    if (!map) {
      map = new HeatMap({ height: 260 });
      this.maps.set(expression, map);
    }
    const { undefined: holes } = matrix;
    map.show({
      name: expression,
      component: matrix.component,
      rows: matrix.rows,
      columns: matrix.columns,
      values: matrix.values,
      use: matrix.use,
      scope: matrix.scope,
      ...(holes && { undefined: (index: number) => holes[index] === "1" }),
    });
    return map.body;
  }
}

export interface Shown {
  frame: Frame;
  matrices: Matrices;
  /** Elements of matrices that are open, by key: the expression, or `watch` and the expression. */
  whole: ReadonlyMap<string, Value>;
  /** Values whose lanes or parts are open, by expression. */
  expanded: Set<string>;
  /** Somebody opened or closed a matrix. */
  open(expression: string, on: boolean): void;
  /** What changed since the last stop. */
  changed(expression: string, value: Value): boolean;
}

/** A value with its name; what has parts opens. */
export function valueNode(
  shown: Shown,
  name: string,
  expression: string,
  value: Value,
  key = expression,
): HTMLElement {
  const text = element("span", { className: "value-text" }, value.text);
  const head = [
    element("span", { className: "value-name" }, name),
    element("span", { className: "value-type" }, value.type),
    text,
  ];
  if (shown.changed(expression, value)) text.classList.add("changed");
  const uniform = value.lanes !== undefined && value.lanes.values.length === 1 && !value.lanes.undefined;
  if (!value.matrix && !value.parts && (uniform || !value.lanes))
    return element("div", { className: "value" }, ...head);
  const details = element("details", { className: "value" }, element("summary", {}, ...head));
  details.dataset.key = `part-${key}`;
  const fill = () => {
    if (!details.open || details.childElementCount > 1) return;
    details.append(...inside(shown, name, expression, value));
  };
  if (value.matrix) {
    const whole = shown.whole.get(key);
    details.open = whole !== undefined;
    // Those that are watched are open anyway.
    if (key === expression) details.ontoggle = () => shown.open(expression, details.open);
    if (whole) details.append(shown.matrices.show(key, whole));
  } else {
    details.open = shown.expanded.has(key);
    fill();
    details.ontoggle = () => {
      if (details.open) shown.expanded.add(key);
      else shown.expanded.delete(key);
      fill();
    };
  }
  return details;
}

/** What is in a value: its lanes or its parts. */
function inside(shown: Shown, name: string, expression: string, value: Value): HTMLElement[] {
  if (value.lanes) return [strip(shown.frame, name, value.lanes)];
  const parts = value.parts ?? [];
  const nodes = parts.map((part) =>
    valueNode(shown, part.name.replace(/^\./, ""), expression + part.name, part.value),
  );
  const more = (value.count ?? 0) - parts.length;
  if (more > 0) {
    const words = `… ${grouped(more)} more: watch ${expression}[${parts.length}..] to see them`;
    nodes.push(element("p", { className: "faint" }, words));
  }
  return nodes;
}
