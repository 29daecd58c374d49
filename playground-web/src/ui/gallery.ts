// The gallery: every example of the repository as a card with its picture, its name and a sentence, in groups, found by words.

import { element } from "@coopmat/shared/element";
import { type Example, examples, GROUPS } from "../state/gallery";
import { closeAround } from "./dialog";
import { icon } from "./icons";

/** What a reader can open besides the examples. */
export interface Others {
  /** Asks for one of the reader's folders; without it there is no card for that. */
  openFolder?: () => void;
}

/** A dialog; `open` gets the path of the example that is chosen. */
export function gallery(open: (path: string) => void, { openFolder }: Others = {}): HTMLDialogElement {
  const search = element("input", {
    type: "search",
    placeholder: "Find: gemm, softmax, race …",
    ariaLabel: "Find an example",
    autofocus: true,
  });
  const close = element(
    "button",
    {
      type: "button",
      className: "quiet",
      ariaLabel: "Close",
      title: "Close (Escape)",
      onclick: () => dialog.close(),
    },
    icon("close"),
  );
  const list = element("div", { className: "gallery-list" });
  const dialog = element("dialog", { className: "gallery", ariaLabel: "Examples" });
  dialog.append(element("div", { className: "bar" }, element("h2", {}, "Examples"), search, close), list);

  const all = examples();
  const cards = new Map(
    all.map((example) => [
      example,
      element(
        "li",
        {},
        card(example, () => {
          dialog.close();
          open(example.path);
        }),
      ),
    ]),
  );
  const sections = [...new Set(all.map(({ group }) => group))].map((group) => {
    const own = all.filter((one) => one.group === group);
    return section(
      GROUPS[group] ?? group,
      own.flatMap((one) => cards.get(one) ?? []),
    );
  });
  const none = element("p", { className: "faint", ariaLive: "polite" }, "No example has all these words.");
  list.append(...sections, none);
  if (openFolder) {
    const choose = () => {
      dialog.close();
      openFolder();
    };
    list.append(section("Kernels of other projects", [element("li", {}, folderCard(choose))]));
  }

  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const [{ path, name, summary }, item] of cards) {
      const text = `${path} ${name} ${summary}`.toLowerCase();
      item.hidden = !words.every((word) => text.includes(word));
    }
    for (const one of sections) one.hidden = !one.querySelector("li:not([hidden])");
    none.hidden = sections.some((one) => !one.hidden);
    reach(visible()[0]);
  };
  /** The cards in view, in their order. */
  const visible = () => [...list.querySelectorAll<HTMLButtonElement>("li:not([hidden]) > button")];
  /** Tab comes to one card; arrows lead to the others. */
  const reach = (card: HTMLButtonElement | undefined) => {
    for (const one of list.querySelectorAll("button")) one.tabIndex = one === card ? 0 : -1;
  };
  search.oninput = draw;
  search.onkeydown = (event) => {
    if (event.key !== "Enter" && event.key !== "ArrowDown") return;
    event.preventDefault();
    const first = visible()[0];
    if (event.key === "Enter") first?.click();
    else first?.focus();
  };
  list.addEventListener("focusin", ({ target }) => {
    if (target instanceof HTMLButtonElement) reach(target);
  });
  list.onkeydown = (event) => {
    const here = document.activeElement;
    if (event.ctrlKey || event.metaKey || event.altKey || !(here instanceof HTMLButtonElement)) return;
    // Who types looks for something else.
    if (event.key.length === 1 && event.key !== " ") return search.focus();
    const to = neighbour(visible(), here, event.key);
    if (!to) return;
    event.preventDefault();
    (to === "above" ? search : to).focus();
  };
  dialog.onclose = () => {
    search.value = "";
    draw();
    list.scrollTop = 0;
  };
  closeAround(dialog);
  draw();
  return dialog;
}

/** Where a key leads from a card: to another card, or to what stands above them all. */
function neighbour(
  cards: readonly HTMLButtonElement[],
  here: HTMLButtonElement,
  key: string,
): HTMLButtonElement | "above" | undefined {
  const at = cards.indexOf(here);
  switch (key) {
    case "ArrowRight":
      return cards[at + 1];
    case "ArrowLeft":
      return cards[at - 1];
    case "Home":
      return cards[0];
    case "End":
      return cards.at(-1);
    case "ArrowDown":
      return inNextRow(cards.slice(at + 1), here);
    case "ArrowUp":
      return inNextRow(cards.slice(0, at).reverse(), here) ?? "above";
    default:
      return undefined;
  }
}

/** Of the nearest row, the card that stands closest to the same column. */
function inNextRow(onwards: readonly HTMLButtonElement[], here: HTMLButtonElement) {
  const { top, left } = here.getBoundingClientRect();
  const places = onwards.map((card) => ({ card, place: card.getBoundingClientRect() }));
  const row = places.find(({ place }) => Math.abs(place.top - top) > 1)?.place.top;
  return places
    .filter(({ place }) => row !== undefined && Math.abs(place.top - row) <= 1)
    .sort((one, other) => Math.abs(one.place.left - left) - Math.abs(other.place.left - left))[0]?.card;
}

function section(title: string, items: HTMLElement[]): HTMLElement {
  return element("section", {}, element("h3", {}, title), element("ul", {}, ...items));
}

function card({ path, name, summary, runs, picture }: Example, choose: () => void): HTMLButtonElement {
  const shown = element("span", { className: "picture" });
  if (picture) {
    // What it shows stands in words beside it.
    shown.append(
      element("img", { loading: "lazy", decoding: "async", width: 224, height: 108, alt: "", src: picture }),
    );
  }
  const made = element(
    "button",
    { type: "button", className: "example", title: path, onclick: choose },
    shown,
    element(
      "span",
      { className: "words" },
      element("b", {}, name),
      element("span", {}, summary),
      ...(runs ? [] : [element("span", { className: "faint" }, "Checked only: it does not run.")]),
    ),
  );
  made.dataset.path = path;
  return made;
}

function folderCard(choose: () => void): HTMLButtonElement {
  return element(
    "button",
    { type: "button", className: "example", onclick: choose },
    element(
      "span",
      { className: "picture sign", ariaHidden: "true" },
      element("span", { className: "folder" }),
    ),
    element(
      "span",
      { className: "words" },
      element("b", {}, "Open your own folder …"),
      element("span", {}, "Shaders with their includes and configurations. Nothing leaves your machine."),
    ),
  );
}
