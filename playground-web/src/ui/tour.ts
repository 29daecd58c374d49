// The guided tour: five steps through one shader, from a wrong shape to who owns which element. It stands beside what it speaks of, takes
// nothing away from the page, follows what the person does, and can be left at any step.

import { byId, element } from "@coopmat/shared/element";
import type { Shown } from "../state/arrival";
import { load } from "../state/gallery";
import { setAside } from "../state/store";
import { notify } from "./notice";
import { broken, type Place, steps } from "./tour-steps";

const EXAMPLE = "khr/gemm.comp";

export interface Tour extends Place {
  page: Shown;
}

/** Puts the button's action in place. */
export function tour(place: Tour) {
  let under = false;
  const left = () => {
    under = false;
  };
  byId("tour", HTMLButtonElement).onclick = () => {
    // A second one would take the first one's shader for the person's own files.
    if (under) document.querySelector<HTMLElement>(".tour")?.focus();
    else
      begin(place, left).catch((error) => {
        left();
        throw error;
      });
    under = true;
  };
}

async function begin(place: Tour, left: () => void) {
  const { page, editor } = place;
  const files = await load(EXAMPLE);
  const [shader, ...others] = files;
  const text = shader && broken(shader.text);
  if (!shader || text === undefined) throw new Error("the example of the tour is another one by now");
  const now = page.current();
  const before = { ...now, options: { ...now.options, view: page.view() } };
  setAside();
  // What the person set for their own runs, and data of their own, has no place in it.
  const { vim } = now.options;
  page.open({
    files: [{ ...shader, text }, ...others],
    active: shader.name,
    options: { ...(vim !== undefined && { vim }) },
  });
  const all = steps(place, files);
  let at = 0;
  const box = element("aside", {
    className: "tour",
    tabIndex: -1,
    attributes: { role: "region", "aria-label": "Tour", "aria-live": "polite" },
  });
  const state = element("p", { className: "tour-state" });
  const mend = element("button", { type: "button" });
  const trouble = element("p", { className: "tour-trouble" }, element("span", {}), " ", mend);
  const forth = element("button", { type: "button", className: "primary", onclick: () => show(at + 1) });
  const back = element("button", { type: "button", onclick: () => show(at - 1) }, "Back");
  const leave = element(
    "button",
    { type: "button", className: "quiet", title: "Leave the tour (Escape)" },
    "Leave",
  );
  const end = (words: string) => {
    box.remove();
    clearInterval(timer);
    window.removeEventListener("keydown", press, { capture: true });
    left();
    notify(words, { label: "Back to my files", act: () => page.open(before) });
  };
  const stop = () => {
    end("The shader of the tour is yours to change.");
    editor.view.focus();
  };
  leave.onclick = stop;
  const look = () => {
    // Somebody opened something else: the tour has nothing to say about it, and nothing to mend in it.
    if (!files.some(({ name }) => editor.has(name)))
      return end("The tour has ended, as other files are open.");
    const step = all[at];
    const missing = step?.missing();
    const done = missing ? undefined : step?.done();
    const words = done ? `✓ ${done}` : "";
    if (state.textContent !== words) state.textContent = words;
    forth.classList.toggle("primary", done !== undefined);
    trouble.hidden = missing === undefined;
    const [told] = trouble.children;
    if (missing && told && told.textContent !== missing.words) told.textContent = missing.words;
    if (missing && mend.textContent !== missing.label) mend.textContent = missing.label;
    mend.onclick = () => {
      missing?.mend();
      look();
    };
  };
  const show = (next: number) => {
    const step = all[next];
    if (!step) return stop();
    at = next;
    box.classList.toggle("beside", step.beside ?? false);
    forth.textContent = at === all.length - 1 ? "Done" : "Next";
    back.disabled = at === 0;
    box.replaceChildren(
      element("p", { className: "faint" }, `Step ${at + 1} of ${all.length}`),
      element("h2", {}, step.title),
      element("p", {}, ...step.words),
      state,
      trouble,
      element("div", { className: "bar" }, back, forth, element("span", { className: "spacer" }), leave),
      element(
        "p",
        { className: "faint" },
        element("kbd", {}, "F6"),
        " goes from the page to the tour and back.",
      ),
    );
    step.enter();
    look();
  };
  /** Where the focus was before it came to the box. */
  let origin: Element | null = null;
  const press = (event: KeyboardEvent) => {
    const inside = box.contains(document.activeElement);
    if (event.key === "Escape" && inside) stop();
    else if (event.key === "F6" && !event.ctrlKey && !event.altKey && !event.metaKey) {
      if (!inside) origin = document.activeElement;
      if (!inside) forth.focus();
      else if (origin instanceof HTMLElement && origin.isConnected && origin !== document.body)
        origin.focus();
      else editor.view.focus();
    } else return;
    event.preventDefault();
    event.stopPropagation();
  };
  window.addEventListener("keydown", press, { capture: true });
  const timer = setInterval(look, 200);
  document.body.append(box);
  show(0);
}
