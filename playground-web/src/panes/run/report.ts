// What a run came to: the verdict first, then what is wrong and where, then how much was done.

import { element } from "@coopmat/shared/element";
import { componentOf, exact } from "@coopmat/shared/views/numbers";
import { uriOf } from "../../language/workspace";
import type {
  Accumulator,
  Outcome,
  PartialSum,
  Ran,
  Real,
  SourcePlace,
} from "../../workers/simulator-protocol";
import { part } from "./fields";
import type { RunModel } from "./model";

const grouped = new Intl.NumberFormat("en");
const count = (value: number, one: string, many = `${one}s`) =>
  `${grouped.format(value)} ${value === 1 ? one : many}`;

export function real(value: Real): string {
  if (typeof value === "string") return value;
  const size = Math.abs(value);
  return value !== 0 && (size < 1e-3 || size >= 1e7)
    ? value.toExponential(3)
    : String(Number(value.toPrecision(7)));
}

/** `4.2 million`. */
function large(value: number, unit: string): string {
  const steps: [number, string][] = [
    [1e12, "T"],
    [1e9, "G"],
    [1e6, "M"],
    [1e3, "k"],
  ];
  const [size, letter] = steps.find(([size]) => value >= size) ?? [1, ""];
  return `${Number((value / size).toPrecision(3))} ${letter}${unit}`;
}

export function report(
  model: RunModel,
  { report, findingPlaces, buffers }: Ran,
  open: (buffer: string, index?: number[]) => void,
): Node[] {
  const go = ({ path, line, column }: SourcePlace) => model.editor.go(uriOf(path), line - 1, column - 1);
  const at = (place: SourcePlace | undefined) =>
    place
      ? element(
          "button",
          { type: "button", className: "link", onclick: () => go(place) },
          `${place.path}:${place.line}`,
        )
      : element("span", {}, "");
  const nodes: Node[] = [
    element("p", { className: report.met ? "verdict good" : "verdict bad" }, verdict(report)),
  ];
  if (report.error) {
    const { dispatch, place, message } = report.error;
    const of = dispatch === undefined ? "" : ` dispatch ${dispatch}:`;
    nodes.push(element("p", { className: "problem" }, at(place), `${of} ${message}`));
  }
  const typeOf = (buffer: string) =>
    componentOf(buffers.find(({ info }) => info.name === buffer)?.info.type ?? null);
  for (const outcome of report.expectations) nodes.push(expectation(outcome, typeOf(outcome.buffer), open));

  if (report.findings.length > 0) {
    const rows = report.findings.map((finding, index) => {
      const place = findingPlaces[index];
      const where = place
        ? { path: place.file, line: place.start.line + 1, column: place.start.character + 1 }
        : finding.place;
      const of = finding.dispatch === undefined ? "" : ` of dispatch ${finding.dispatch}`;
      const times = finding.times > 1 ? ` ${grouped.format(finding.times)} times;` : "";
      return element(
        "li",
        { className: finding.expected ? "expected" : "unexpected" },
        element("b", {}, finding.kind),
        " ",
        at(where),
        finding.expected ? " (the recipe expects it) " : " ",
        finding.message,
        element(
          "span",
          { className: "faint" },
          `${times} first by invocation ${finding.invocation} of workgroup ${finding.workgroup.join(", ")}${of}`,
        ),
      );
    });
    nodes.push(element("ul", { className: "run-findings" }, ...rows));
  }
  for (const { kind, line, dispatch } of report["missing-findings"] ?? [])
    nodes.push(
      element(
        "p",
        { className: "problem" },
        `The recipe expects ${kind} at line ${line}${dispatch === undefined ? "" : ` of dispatch ${dispatch}`}, and there was none.`,
      ),
    );
  const rooms = report.headroom?.accumulators ?? [];
  if (rooms.length > 0)
    nodes.push(
      element("ul", { className: "run-findings" }, ...rooms.map((room) => headroom(room, at(room.place)))),
    );
  for (const note of report.notes ?? []) nodes.push(element("p", { className: "faint" }, `Note: ${note}.`));
  if (report.log && report.log.length > 0) {
    const lines = report.log.slice(0, 2000);
    const rest = report.log.length - lines.length;
    nodes.push(
      part(
        "part-log",
        `debugPrintf: ${count(report.log.length, "line")}`,
        true,
        element(
          "pre",
          { className: "run-log", tabIndex: 0 },
          lines.join("\n"),
          rest > 0 ? `\n… and ${rest} more` : "",
        ),
      ),
    );
  }
  nodes.push(work(report));
  return nodes;
}

/** The verdict and the time in one line. */
export const outcome = (report: Ran["report"]) =>
  [verdict(report), duration(report.seconds)].filter(Boolean).join(" · ");

function duration(seconds: number | undefined): string {
  if (seconds === undefined) return "";
  return seconds < 1 ? `${(seconds * 1000).toFixed(1)} ms` : `${seconds.toFixed(2)} s`;
}

function verdict(report: Ran["report"]): string {
  if (report.error) return "Not finished";
  const wrong = report.expectations.filter(({ met }) => !met).length;
  const unexpected = report.findings.filter(({ expected }) => !expected).length;
  const parts: string[] = [];
  if (report.expectations.length === 0 && report.findings.length === 0)
    parts.push("Ran to its end; nothing was expected");
  else if (wrong > 0) parts.push(`${wrong} of ${count(report.expectations.length, "expectation")} not met`);
  else if (report.expectations.length > 0)
    parts.push(report.expectations.length === 1 ? "The expectation is met" : "All expectations are met");
  if (unexpected > 0) parts.push(count(unexpected, "finding"));
  else if (report.findings.length > 0)
    parts.push(`${count(report.findings.length, "finding")}, as the recipe expects`);
  return `${report.met ? "✓" : "✗"} ${parts.join("; ")}`;
}

function expectation(
  outcome: Outcome,
  component: string,
  open: (buffer: string, index?: number[]) => void,
): HTMLElement {
  const { met, buffer, after, reference, elements, wrong, worst } = outcome;
  const told = (value: Real) => (typeof value === "string" ? value : exact(value, component));
  const [expected, found] = worst?.exact ?? [told(worst?.expected ?? 0), told(worst?.found ?? 0)];
  const tail = worst
    ? [
        "; worst at ",
        element(
          "button",
          {
            type: "button",
            className: "link",
            title: "Show the worst element in its buffer",
            onclick: () => open(buffer, worst.index),
          },
          `[${worst.index.join(", ")}]`,
        ),
        `: expected ${expected}, found ${found}`,
      ]
    : [];
  return element(
    "p",
    { className: met ? "outcome good" : "outcome bad" },
    element("button", { type: "button", className: "link", onclick: () => open(buffer) }, buffer),
    `${after === undefined ? "" : ` after ${after}`} = ${reference}: `,
    met
      ? `${count(elements, "element")} within the tolerance`
      : `${grouped.format(wrong)} of ${count(elements, "element")} wrong`,
    `; error at most ${real(outcome["max-absolute"])} absolute, ${real(outcome["max-relative"])} relative, ${real(outcome["max-ulp"])} ulp`,
    ...(outcome.patterns ?? []).map((pattern) => `; ${pattern}`),
    ...tail,
  );
}

/** Four digits, none of them rounded up. */
function roundedDown(value: number): number {
  const unit = 10 ** (3 - Math.floor(Math.log10(value)));
  return value > 0 ? Math.floor(value * unit) / unit : 0;
}

/** How far the accumulators of a multiply-add are from overflowing. */
function headroom(
  { sums, products, beyond, infinite, excluded, bits, scale, first, largest }: Accumulator,
  place: HTMLElement,
) {
  const where = ({ value, k, row, column, workgroup, subgroup }: PartialSum) =>
    `${real(value)} at k = ${k} in element [${row}, ${column}] of workgroup ${workgroup.join(", ")}, subgroup ${subgroup}`;
  const parts = [
    first &&
      `${grouped.format(beyond)} of ${grouped.format(sums)} sums of up to ${grouped.format(products)} products go beyond the range, the first one ${where(first)}; ${grouped.format(infinite)} of them became infinite`,
    largest &&
      `${typeof bits === "number" ? Math.floor(bits * 100) / 100 : bits} bits of headroom: the largest partial sum is ${where(largest)}`,
    typeof scale === "number" && `products may be scaled by up to ${roundedDown(scale)}`,
    excluded > 0 && `${count(excluded, "sum")} with an infinite or NaN operand`,
  ];
  return element(
    "li",
    { className: first ? "unexpected" : "expected" },
    element("b", {}, first ? "overflow" : "headroom"),
    " ",
    place,
    ` ${parts.filter(Boolean).join("; ")}`,
  );
}

/** The amounts in a line; the rest unfolds. */
function work({ work, seconds, dispatch, dispatches = [], modes, ...rest }: Ran["report"]): HTMLElement {
  const size = rest["workgroup-size"];
  const amounts = [
    duration(seconds),
    ...(work["matrix-multiplies"] > 0
      ? [count(work["matrix-multiplies"], "multiply-add"), large(work["matrix-flops"], "FLOP")]
      : []),
    `${large(work["bytes-read"], "B")} read`,
    `${large(work["bytes-written"], "B")} written`,
  ];
  const facts: [string, string][] = [
    ...(dispatches.length === 0
      ? [["Workgroups", `${dispatch.join(" × ")} of ${size.join(" × ")}`] as [string, string]]
      : dispatches.map(({ name, workgroups, "workgroup-size": size }): [string, string] => [
          `Workgroups of ${name}`,
          `${workgroups.join(" × ")} of ${size.join(" × ")}`,
        ])),
    ["Subgroups of", String(modes["subgroup-size"])],
    ["Numerics", modes.numerics],
    ["Ownership", modes.ownership],
    ["Instructions", grouped.format(work.instructions)],
    ...work["by-family"].map(([family, times]): [string, string] => [
      `of these ${family}`,
      grouped.format(times),
    ]),
  ];
  const cells = facts.map(([name, value]) =>
    element("div", {}, element("dt", {}, name), element("dd", {}, value)),
  );
  return part(
    "part-work",
    amounts.filter(Boolean).join(" · "),
    false,
    element("dl", { className: "facts" }, ...cells),
  );
}
