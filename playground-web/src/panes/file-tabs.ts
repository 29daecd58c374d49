// The row of tabs above the editor: one for each open file, with the count of what is wrong in it.

import { element } from "@coopmat/shared/element";
import { replaceTabs } from "../ui/tabs";

export interface Shown {
  names: readonly string[];
  active: string;
  locked: boolean;
  count(name: string): { errors: number; warnings: number };
  select(name: string): void;
  close(name: string): void;
  rename(name: string): void;
}

export function drawTabs(row: HTMLElement, shown: Shown) {
  const { active, locked } = shown;
  const tabs = shown.names.map((name) => {
    const { errors, warnings } = shown.count(name);
    const selected = name === active;
    const rename = () => !locked && shown.rename(name);
    const tab = element(
      "button",
      {
        className: "tab",
        onclick: () => shown.select(name),
        ondblclick: rename,
        onauxclick: (event) => event.button === 1 && shown.close(name),
        onkeydown: ({ key }) => {
          if (key === "F2") rename();
          if (key === "Delete") shown.close(name);
        },
        tabIndex: selected ? 0 : -1,
        title: `${name}: ${errors} errors, ${warnings} warnings.${locked ? "" : " Double-click or press F2 to rename."}`,
        attributes: { role: "tab", "aria-selected": String(selected), "aria-controls": "editor" },
      },
      labelOf(name, shown.names),
    );
    if (errors + warnings > 0)
      tab.append(
        element(
          "span",
          { className: errors > 0 ? "badge error" : "badge warning" },
          String(errors || warnings),
        ),
      );
    return tab;
  });
  const before = row.querySelector('[aria-selected="true"]')?.textContent;
  replaceTabs(row, tabs);
  const now = row.querySelector('[aria-selected="true"]');
  // Another one is in view: it is brought to where it can be seen. Counts that change move nothing.
  if (now && now.firstChild?.textContent !== before)
    now.scrollIntoView({ block: "nearest", inline: "nearest" });
}

/** The file's name, with its folder where that is needed to tell it from another tab. */
function labelOf(name: string, names: readonly string[]): string {
  const last = (path: string) => path.slice(path.lastIndexOf("/") + 1);
  const alike = names.filter((one) => last(one) === last(name));
  return alike.length > 1 ? name : last(name);
}
