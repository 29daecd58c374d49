// What a module does, counted, as tables.

import { element } from "@coopmat/shared/element";

export interface Amount {
  value: number;
  perRoundOf: string[];
  atMost: boolean;
}

interface EntryPoint {
  name: string;
  workgroup: [number, number, number] | null;
  instructions: number;
  classes: { class: string; count: number }[];
  matrixOperations: {
    instruction: string;
    operands: string[];
    result: string | null;
    scope: string;
    count: number;
    executed: Amount[];
  }[];
  barriers: number;
  sharedMemory: number;
  loops: { name: string; place: string | null; rounds: number | null; reason: string | null }[];
  matrixFlops: Amount[];
  otherFlops: Amount[];
  globalBytesRead: Amount[];
  globalBytesWritten: Amount[];
  sharedBytesRead: Amount[];
  sharedBytesWritten: Amount[];
}

export interface Statistics {
  instructions: number;
  capabilities: string[];
  entryPoints: EntryPoint[];
}

const grouped = new Intl.NumberFormat("en");

/** `at most 8,192 + 512 per iteration of L1`. */
export function amount(parts: readonly Amount[]): string {
  if (parts.length === 0) return "0";
  const words = parts.map(({ value, perRoundOf, atMost }) => {
    const rounds = perRoundOf.length > 0 ? ` per iteration of ${perRoundOf.join(" of ")}` : "";
    return `${atMost ? "at most " : ""}${grouped.format(value)}${rounds}`;
  });
  return words.join(" + ");
}

const row = (...cells: string[]) => element("tr", {}, ...cells.map((cell) => element("td", {}, cell)));

const table = (caption: string, head: string[], rows: HTMLTableRowElement[]) =>
  element(
    "table",
    {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...head.map((cell) => element("th", { scope: "col" }, cell)))),
    element("tbody", {}, ...rows),
  );

export function statisticsTable(statistics: Statistics): HTMLElement {
  const body = element("div");
  for (const entry of statistics.entryPoints) {
    const size = entry.workgroup ? `, workgroup ${entry.workgroup.join(" × ")}` : "";
    body.append(
      element(
        "h3",
        {},
        `${entry.name}: ${grouped.format(entry.instructions)} ${entry.instructions === 1 ? "instruction" : "instructions"}${size}`,
      ),
    );
    const work = [
      row("matrix operations", `${amount(entry.matrixFlops)} FLOP`),
      row("other arithmetic", `${amount(entry.otherFlops)} FLOP`),
      row("read from buffers", `${amount(entry.globalBytesRead)} bytes`),
      row("written to buffers", `${amount(entry.globalBytesWritten)} bytes`),
      row("read from shared memory", `${amount(entry.sharedBytesRead)} bytes`),
      row("written to shared memory", `${amount(entry.sharedBytesWritten)} bytes`),
      row("shared memory", `${grouped.format(entry.sharedMemory)} bytes`),
      row("barriers", String(entry.barriers)),
    ];
    body.append(table("Per workgroup", ["what", "how much"], work));
    if (entry.matrixOperations.length > 0) {
      const rows = entry.matrixOperations.map((one) =>
        row(
          one.instruction,
          [...one.operands, one.result ? `→ ${one.result}` : ""].join(", "),
          one.scope,
          amount(one.executed),
        ),
      );
      body.append(table("Matrices", ["instruction", "types", "scope", "executed"], rows));
    }
    if (entry.loops.length > 0) {
      const rows = entry.loops.map((one) =>
        row(
          one.name,
          one.place ?? "",
          one.rounds === null ? (one.reason ?? "unknown") : grouped.format(one.rounds),
        ),
      );
      body.append(table("Loops", ["loop", "place", "rounds"], rows));
    }
    const classes = entry.classes.map((one) => row(one.class, String(one.count)));
    body.append(table("Instructions", ["class", "count"], classes));
  }
  body.append(element("p", {}, `Capabilities: ${statistics.capabilities.join(", ")}`));
  return body;
}
