// Which dispatch of a recipe is looked at. A recipe with a single one leaves no choice, and shows none.

import { element } from "@coopmat/shared/element";

export class DispatchChoice {
  readonly body: HTMLElement;
  private readonly select: HTMLSelectElement;
  /** Of the recipe's dispatches, as they were last told. */
  private names: string[] = [];

  constructor(changed: () => void) {
    this.select = element("select", { ariaLabel: "Dispatch", onchange: changed });
    this.body = element("label", { className: "matrices-place", hidden: true }, "Dispatch ", this.select);
  }

  /** From 0. */
  get value(): number {
    return Math.max(0, this.select.selectedIndex);
  }

  /** What a link showed may come before the recipe is known. */
  set value(index: number) {
    while (this.select.options.length <= index) this.select.append(element("option", {}, "…"));
    this.select.selectedIndex = index;
  }

  /** The recipe may be another one. */
  offer(names: string[]) {
    if (names.join("\n") === this.names.join("\n")) return;
    const { value } = this;
    this.names = names;
    this.body.hidden = names.length < 2;
    this.select.replaceChildren(...names.map((name) => element("option", {}, name)));
    this.select.selectedIndex = value < names.length ? value : 0;
  }
}
