// A list to choose from by typing: each letter of what is typed has to come in the row, in this order; arrows, Enter and the mouse choose.

import { element } from "@coopmat/shared/element";
import { dialog } from "./dialog";
import { rank } from "./fuzzy";

export interface Item {
  value: string;
  label: string;
  /** Beside the label. */
  description?: string;
  /** Below it, and found too. */
  detail?: string;
  badge?: { text: string; kind: "error" | "warning" };
  /** What else can be done with it. */
  actions?: { label: string; title: string; act(): void }[];
}

export interface Picking {
  title: string;
  placeholder: string;
  items: readonly Item[];
  /** The one that is chosen now. */
  current?: string | undefined;
  /** What else there is to do: buttons below the list. */
  more?: { label: string; act(): void }[];
}

/** Rows at a time: who has more types a letter. */
const MOST = 200;

/** `undefined`: none. */
export function pick({
  title,
  placeholder,
  items,
  current,
  more = [],
}: Picking): Promise<string | undefined> {
  return new Promise((resolve) => {
    const input = element("input", {
      type: "search",
      placeholder,
      ariaLabel: placeholder,
      spellcheck: false,
      autocomplete: "off",
      attributes: { role: "combobox", "aria-expanded": "true", "aria-controls": "pick-list" },
    });
    const list = element("ul", {
      id: "pick-list",
      className: "pick-list",
      attributes: { role: "listbox", "aria-label": title },
    });
    const count = element("p", { className: "faint", ariaLive: "polite" });
    let found: readonly Item[] = [];
    let at = 0;
    let chosen: string | undefined;
    const choose = (value: string) => {
      chosen = value;
      box.close();
    };
    const mark = () => {
      for (const [index, row] of Array.from(list.children).entries()) {
        row.setAttribute("aria-selected", String(index === at));
        if (index === at) row.scrollIntoView({ block: "nearest" });
      }
      input.setAttribute("aria-activedescendant", list.children[at]?.id ?? "");
    };
    const row = (item: Item, index: number) => {
      const made = element(
        "li",
        { id: `pick-${index}`, attributes: { role: "option", "aria-selected": "false" } },
        element("span", { className: "pick-label" }, item.label),
      );
      made.dataset.value = item.value;
      if (item.value === current) made.classList.add("current");
      if (item.badge)
        made.append(element("span", { className: `badge ${item.badge.kind}` }, item.badge.text));
      if (item.description) made.append(element("span", { className: "faint" }, item.description));
      for (const { label, title, act } of item.actions ?? []) {
        const button = element("button", { type: "button", className: "link", title, tabIndex: -1 }, label);
        button.onclick = (event) => {
          event.stopPropagation();
          box.close();
          act();
        };
        made.append(button);
      }
      if (item.detail) made.append(element("small", { className: "faint" }, item.detail));
      made.onclick = () => choose(item.value);
      return made;
    };
    const draw = () => {
      found = rank(items, input.value, ({ label, description = "", detail = "" }) => [
        label,
        `${description} ${detail}`,
      ]);
      const here = found.findIndex(({ value }) => value === current);
      at = input.value === "" && here >= 0 && here < MOST ? here : 0;
      list.replaceChildren(...found.slice(0, MOST).map(row));
      const words =
        found.length === 0 ? `No results for “${input.value}”.` : `${found.length} of ${items.length}`;
      count.textContent = found.length > MOST ? `${words}; these are the first ${MOST}.` : words;
      mark();
    };
    input.oninput = draw;
    input.onkeydown = (event) => {
      const shown = Math.min(found.length, MOST);
      const page = 10;
      const to = {
        ArrowDown: (at + 1) % Math.max(shown, 1),
        ArrowUp: (at + shown - 1) % Math.max(shown, 1),
        PageDown: Math.min(at + page, shown - 1),
        PageUp: Math.max(at - page, 0),
      }[event.key];
      const item = found[at];
      if (to !== undefined) at = to;
      else if (event.key === "Enter" && item) choose(item.value);
      else return;
      event.preventDefault();
      mark();
    };
    const buttons = more.map(({ label, act }) =>
      element(
        "button",
        {
          type: "button",
          onclick: () => {
            box.close();
            act();
          },
        },
        label,
      ),
    );
    const box = dialog(title, input, list, element("div", { className: "bar" }, count, ...buttons));
    box.classList.add("pick");
    box.addEventListener("close", () => resolve(chosen));
    draw();
    input.focus();
  });
}
