// Which invocation owns which element: the matrix with the owner of each, and the invocations. Pointing at one lights the other.

import { element } from "../element";
import { colourOfInvocation } from "./colour";
import { Grid } from "./grid";
import { zoomButtons } from "./heat-map";
import { NOBODY, type OwnershipData, place } from "./model";
import { many } from "./numbers";

/** A place of an element: `m[i]` of an invocation. */
export interface Owner {
  invocation: number;
  i: number;
}

/** The places of each element; several where copies are kept. */
export function ownersOf(data: OwnershipData): Owner[][] {
  const owners: Owner[][] = Array.from({ length: data.rows * data.columns }, () => []);
  for (let invocation = 0; invocation < data.invocations; invocation++)
    for (let i = 0; i < data.length; i++) {
      const index = data.elements[invocation * data.length + i] ?? NOBODY;
      if (index !== NOBODY) owners[index]?.push({ invocation, i });
    }
  return owners;
}

/** Invocations in a row of their grid. */
const ACROSS = 16;

export class OwnershipView {
  readonly body = element("div", { className: "matrix-view ownership" });
  readonly matrix = new Grid({ label: "Elements", height: 420 });
  readonly invocations = new Grid({ label: "Invocations", height: 200 });
  private readonly words = element("output", { className: "view-words", ariaLive: "polite" });
  private readonly about = element("p", { className: "view-note" });
  private data: OwnershipData | undefined;
  private owners: Owner[][] = [];

  constructor() {
    this.body.append(
      element("div", { className: "view-bar" }, zoomButtons(this.matrix)),
      this.words,
      element(
        "div",
        { className: "view-columns wide" },
        element("div", {}, element("h3", {}, "Elements, each with its invocation"), this.matrix.body),
        element("div", {}, element("h3", {}, "Invocations"), this.invocations.body),
      ),
      this.about,
    );
    this.matrix.onPoint = (index) => this.pointElement(index);
    this.invocations.onPoint = (index) => this.pointInvocation(index);
  }

  show(data: OwnershipData) {
    this.data = data;
    this.owners = ownersOf(data);
    const { owners } = this;
    this.matrix.show(
      {
        rows: data.rows,
        columns: data.columns,
        colour: (index) => {
          const owner = owners[index]?.[0];
          return owner && colourOfInvocation(owner.invocation);
        },
        longest: String(data.invocations - 1).length + (owners.some((places) => places.length > 1) ? 1 : 0),
        text: (index) => {
          const [first, ...others] = owners[index] ?? [];
          return first ? `${first.invocation}${others.length > 0 ? "+" : ""}` : "";
        },
        mark: (index) => ((owners[index]?.length ?? 0) === 0 ? "outside" : undefined),
      },
      `Elements of a matrix of ${data.rows} by ${data.columns}, each with the invocation that owns it. Arrow keys choose an element.`,
    );
    this.invocations.show(
      {
        rows: Math.ceil(data.invocations / ACROSS),
        columns: Math.min(ACROSS, data.invocations),
        colour: (index) => (index < data.invocations ? colourOfInvocation(index) : undefined),
        longest: String(data.invocations - 1).length,
        text: (index) => (index < data.invocations ? String(index) : ""),
        rowTitle: (row) => String(row * ACROSS),
        columnTitle: (column) => `+${column}`,
      },
      `${data.invocations} invocations. Arrow keys choose one and light its elements.`,
    );
    const copies = Math.max(0, ...owners.map((places) => places.length));
    this.about.textContent = [
      `Ownership ${data.name}: every invocation has m.length() = ${data.length}.`,
      ...(copies > 1 ? [`Elements are kept up to ${copies} times.`] : []),
      ...(data.note ? [`${data.note}.`] : []),
      ...(data.source ? [`Source: ${data.source}.`] : []),
    ].join(" ");
    this.say();
  }

  private pointElement(index: number | undefined) {
    const { data } = this;
    if (!data) return;
    this.matrix.light(undefined);
    this.invocations.light(undefined);
    if (index === undefined) return this.say();
    const owners = this.owners[index] ?? [];
    const invocations = new Set(owners.map(({ invocation }) => invocation));
    this.invocations.light(invocations);
    // What else its owner has.
    this.matrix.light([...invocations].flatMap((invocation) => this.elementsOf(data, invocation)));
    const [row, column] = place(index, data.columns);
    const places = owners.map(({ invocation, i }) => `m[${i}] of invocation ${invocation}`);
    this.say(`Row ${row}, column ${column} is ${places.length > 0 ? places.join(" and ") : "nobody's"}.`);
  }

  private elementsOf(data: OwnershipData, invocation: number): number[] {
    const first = invocation * data.length;
    return Array.from({ length: data.length }, (_, i) => data.elements[first + i] ?? NOBODY);
  }

  private pointInvocation(invocation: number | undefined) {
    const { data } = this;
    if (!data) return;
    this.matrix.light(undefined);
    this.invocations.light(undefined);
    if (invocation === undefined || invocation >= data.invocations) return this.say();
    const elements = this.elementsOf(data, invocation);
    this.matrix.light(elements.filter((index) => index !== NOBODY));
    const shown = elements.slice(0, 16).map((index, i) => {
      if (index === NOBODY) return `m[${i}] is empty`;
      const [row, column] = place(index, data.columns);
      return `m[${i}] = (${row}, ${column})`;
    });
    const more = elements.length > 16 ? `, and ${elements.length - 16} more` : "";
    const count = many(elements.filter((index) => index !== NOBODY).length, "element");
    this.say(`Invocation ${invocation} has ${count}: ${shown.join(", ")}${more}.`);
  }

  private say(words = "Point at an element to see who owns it, or at an invocation to see what it owns.") {
    this.words.textContent = words;
  }
}
