// The panes beside the editor: a row of tabs, one pane in view.

import { element } from "@coopmat/shared/element";
import { replaceTabs } from "../ui/tabs";

export interface Pane {
  id: string;
  title: string;
  body: HTMLElement;
  /** Called when the pane comes into view. */
  shown?(): void;
}

export class Panes {
  private readonly panes: Pane[] = [];
  private active = "";

  constructor(
    private readonly tabs: HTMLElement,
    private readonly holder: HTMLElement,
  ) {}

  add(pane: Pane) {
    pane.body.classList.add("pane");
    pane.body.id = `pane-${pane.id}`;
    pane.body.setAttribute("role", "tabpanel");
    pane.body.setAttribute("aria-label", pane.title);
    pane.body.tabIndex = 0;
    this.panes.push(pane);
    this.holder.append(pane.body);
    this.select(this.active || pane.id);
  }

  /** What is no pane of this page changes nothing. */
  select(id: string) {
    if (!this.panes.some((pane) => pane.id === id)) return;
    this.active = id;
    const tabs = this.panes.map((pane) => {
      pane.body.hidden = pane.id !== id;
      return element(
        "button",
        {
          className: "tab",
          onclick: () => this.select(pane.id),
          // One stop for Tab in the whole row: arrows go along it.
          tabIndex: pane.id === id ? 0 : -1,
          attributes: {
            role: "tab",
            "aria-selected": String(pane.id === id),
            "aria-controls": pane.body.id,
          },
        },
        pane.title,
      );
    });
    replaceTabs(this.tabs, tabs);
    this.panes.find((pane) => pane.id === id)?.shown?.();
  }
}
