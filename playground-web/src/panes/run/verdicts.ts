// Whether results depend on who owns which element: a verdict for each ownership at each size of subgroups, and the run behind each.

import { element } from "@coopmat/shared/element";
import type { OwnershipVerdict, Ran, Verdicts } from "../../workers/simulator-protocol";
import { button, part } from "./fields";
import type { RunModel } from "./model";

/** How many are met, of those that were run; the words for that are those of a verdict. */
export function title({ rows, all }: Verdicts, running: boolean): string {
  const met = rows.filter(({ verdict }) => verdict === "met");
  const runs = rows.filter(({ verdict }) => verdict !== "not-known").length;
  const words = met[0]?.words ?? "met";
  const told = runs === 0 ? "none has run" : `${words} under ${met.length} of ${runs}`;
  const left = running ? ", so far" : rows.length < all || all === 0 ? ", stopped early" : "";
  return `Ownerships: ${told}${left}`;
}

const sameRow = (a: OwnershipVerdict | undefined, b: OwnershipVerdict) =>
  a?.ownership === b.ownership && a.subgroupSize === b.subgroupSize;

/** `show` runs once more under the ownership of a row. */
export function verdicts(model: RunModel, show: (verdict: OwnershipVerdict) => void): HTMLElement[] {
  const { verdicts: all, verdictsStale: stale, judging, ran } = model;
  if (!all || (judging && all.rows.length === 0)) return [];
  const rows = all.rows.map((row) => {
    const { ownership, subgroupSize, verdict, words, reasons } = row;
    const good = verdict === "met";
    const view = button(
      `verdict-${subgroupSize}-${ownership}`,
      "Show",
      () => show(row),
      "Run once more under this ownership, and show what differs in the buffers",
    );
    view.ariaLabel = `Show ${ownership} with subgroups of ${subgroupSize}`;
    view.disabled = judging;
    view.setAttribute("aria-pressed", String(!model.stale && sameRow(ran?.shows, row)));
    return element(
      "tr",
      {},
      element("td", {}, String(subgroupSize)),
      element("td", {}, ownership),
      element("td", { className: verdict === "not-known" ? "faint" : good ? "good" : "bad" }, words),
      element("td", {}, ...(verdict === "not-known" || stale ? [] : [view])),
      element("td", {}, reasons.join("; ")),
    );
  });
  const heads = ["Subgroups of", "Ownership", "Verdict", "Run", "Why"].map((name) =>
    element("th", { scope: "col" }, name),
  );
  const table = element(
    "table",
    { className: "verdicts" },
    element("thead", {}, element("tr", {}, ...heads)),
    element("tbody", {}, ...rows),
  );
  const changed = "Something changed since these verdicts.";
  return [
    part(
      "part-verdicts",
      title(all, judging),
      true,
      ...(stale ? [element("p", { className: "faint" }, changed)] : []),
      table,
      ...all.notes.map((note) => element("p", {}, `${note[0]?.toUpperCase()}${note.slice(1)}.`)),
    ),
  ];
}

/** Above the result of a run that shows a verdict: which one that is. */
export function shown({ shows, buffers }: Ran): HTMLElement[] {
  if (!shows) return [];
  const against = buffers.find(({ against }) => against !== undefined)?.against;
  const words = `This run has the ownership ${shows.ownership} and subgroups of ${shows.subgroupSize}, and is not checked.`;
  const compared = against
    ? ` Buffers that hold something else than under ${against} show the difference.`
    : "";
  return [element("p", { className: "faint" }, words + compared)];
}
