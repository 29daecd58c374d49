// The panes beside the editor: a row of tabs, one pane in view.

import { element } from "@coopmat/shared/element";
import { showSide } from "../ui/sides";
import { replaceTabs } from "../ui/tabs";

export interface Pane {
  id: string;
  title: string;
  body: HTMLElement;
  /** Called when the pane comes into view. */
  shown?(): void;
}

/** A count on a pane's tab. */
export interface Badge {
  count: number;
  kind: "error" | "warning";
}

/** In the order of their tabs: what one looks at most comes first. */
const ORDER = ["run", "matrices", "debugger", "spirv", "portability", "problems", "documentation"];

export class Panes {
  private readonly panes: Pane[] = [];
  private readonly badges = new Map<string, Badge>();
  private active = "";
  /** Hears which pane somebody, or something that they did, brought into view. */
  onSelect: (id: string) => void = () => {};

  constructor(
    private readonly tabs: HTMLElement,
    private readonly holder: HTMLElement,
    private readonly first: string,
  ) {}

  /** The pane in view. */
  get inView(): string {
    return this.active;
  }

  /** The one called `first` is in view when the page opens. */
  add(pane: Pane) {
    pane.body.classList.add("pane");
    pane.body.id = `pane-${pane.id}`;
    pane.body.setAttribute("role", "tabpanel");
    pane.body.setAttribute("aria-label", pane.title);
    pane.body.tabIndex = 0;
    const rank = ({ id }: Pane) => (ORDER.includes(id) ? ORDER.indexOf(id) : ORDER.length);
    this.panes.push(pane);
    this.panes.sort((a, b) => rank(a) - rank(b));
    this.holder.append(pane.body);
    pane.body.hidden = true;
    if (pane.id === this.first || !this.active) this.put(pane.id);
    else this.draw();
  }

  /** What is no pane of this page changes nothing. */
  select(id: string) {
    if (!this.panes.some((pane) => pane.id === id)) return;
    showSide("result");
    this.show(id);
    this.onSelect(id);
  }

  /** Without a word: a link brings it into view, not the person. */
  show(id: string) {
    if (this.panes.some((pane) => pane.id === id)) this.put(id);
  }

  /** Says on a pane's tab that there is something in it. */
  badge(id: string, badge: Badge | undefined) {
    const before = this.badges.get(id);
    if (before?.count === badge?.count && before?.kind === badge?.kind) return;
    if (badge) this.badges.set(id, badge);
    else this.badges.delete(id);
    this.draw();
  }

  private put(id: string) {
    this.active = id;
    for (const pane of this.panes) pane.body.hidden = pane.id !== id;
    this.draw();
    this.panes.find((pane) => pane.id === id)?.shown?.();
  }

  private draw() {
    const tabs = this.panes.map((pane) => {
      const tab = element(
        "button",
        {
          type: "button",
          className: "tab",
          onclick: () => this.select(pane.id),
          // One stop for Tab in the whole row: arrows go along it.
          tabIndex: pane.id === this.active ? 0 : -1,
          attributes: {
            role: "tab",
            "aria-selected": String(pane.id === this.active),
            "aria-controls": pane.body.id,
          },
        },
        pane.title,
      );
      const badge = this.badges.get(pane.id);
      if (badge) {
        const words = `${badge.count} ${badge.kind}${badge.count === 1 ? "" : "s"}`;
        tab.title = words;
        // The number is no part of the name.
        tab.ariaLabel = pane.title;
        tab.ariaDescription = words;
        tab.dataset.badge = String(badge.count);
        tab.dataset.kind = badge.kind;
      }
      return tab;
    });
    replaceTabs(this.tabs, tabs);
  }
}
