// The gallery: every example of the repository with a sentence, in groups, found by words.

import { element } from "@coopmat/shared/element";
import { type Example, examples, GROUPS } from "../state/gallery";
import { closeAround } from "./dialog";

/** A dialogue; `open` gets the path of the example that is chosen. */
export function gallery(open: (path: string) => void): HTMLDialogElement {
  const search = element("input", {
    type: "search",
    placeholder: "Find: gemm, softmax, race …",
    ariaLabel: "Find an example",
  });
  const list = element("div", { className: "gallery-list" });
  const dialog = element("dialog", { className: "gallery", ariaLabel: "Examples" });
  const close = element("button", { type: "button", onclick: () => dialog.close(), ariaLabel: "Close" }, "×");
  dialog.append(element("div", { className: "bar" }, element("h2", {}, "Examples"), search, close), list);
  const all = examples();
  const draw = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const fits = ({ path, summary }: Example) =>
      words.every((word) => `${path} ${summary}`.toLowerCase().includes(word));
    const found = all.filter(fits);
    const groups = [...new Set(found.map(({ group }) => group))].map((group) =>
      element(
        "section",
        {},
        element("h3", {}, GROUPS[group] ?? group),
        element(
          "ul",
          {},
          ...found
            .filter((one) => one.group === group)
            .map(({ path, summary, runs }) => {
              const choose = element(
                "button",
                {
                  type: "button",
                  className: "example",
                  onclick: () => {
                    dialog.close();
                    open(path);
                  },
                },
                element("b", {}, path.replace(/^.*\//, "").replace(/\.comp$/, "")),
                element("span", {}, summary),
                ...(runs ? [] : [element("span", { className: "faint" }, "checked only, it does not run")]),
              );
              choose.dataset.path = path;
              return element("li", {}, choose);
            }),
        ),
      ),
    );
    list.replaceChildren(
      ...(groups.length > 0 ? groups : [element("p", {}, "No example has all these words.")]),
    );
  };
  search.oninput = draw;
  search.onkeydown = (event) => {
    if (event.key === "Enter") list.querySelector("button")?.click();
    if (event.key === "ArrowDown") list.querySelector("button")?.focus();
  };
  list.onkeydown = (event) => {
    if (event.key !== "ArrowDown" && event.key !== "ArrowUp") return;
    event.preventDefault();
    const buttons = [...list.querySelectorAll("button")];
    const here = buttons.indexOf(document.activeElement as HTMLButtonElement);
    const next = buttons[here + (event.key === "ArrowDown" ? 1 : -1)];
    (next ?? search).focus();
  };
  closeAround(dialog);
  draw();
  return dialog;
}
