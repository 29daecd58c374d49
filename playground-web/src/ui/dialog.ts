// Dialogs: the browser's own, which keep the focus inside, close by Escape, and give the focus back. Two of them ask: for a line of text, and
// whether to go on.

import { element } from "@coopmat/shared/element";
import { copyFrom } from "./copy";
import { icon } from "./icons";

export function dialog(title: string, ...content: Node[]): HTMLDialogElement {
  const close = element(
    "button",
    { type: "button", className: "quiet", ariaLabel: "Close", title: "Close (Escape)" },
    icon("close"),
  );
  const heading = element("h2", { id: `dialog-${title.toLowerCase().replace(/\W+/g, "-")}` }, title);
  const made = element(
    "dialog",
    { attributes: { "aria-labelledby": heading.id } },
    element("div", { className: "dialog-head" }, heading, close),
    ...content,
  );
  close.onclick = () => made.close();
  closeAround(made);
  made.onclose = () => made.remove();
  document.body.append(made);
  made.showModal();
  return made;
}

/** A press on what is around a dialog closes it; one on its margin, or one that began inside, does not. */
export function closeAround(dialog: HTMLDialogElement) {
  dialog.onpointerdown = ({ target, clientX, clientY }) => {
    const { left, right, top, bottom } = dialog.getBoundingClientRect();
    const inside = clientX >= left && clientX <= right && clientY >= top && clientY <= bottom;
    if (target === dialog && !inside) dialog.close();
  };
}

/** A small dialog with buttons; answers with what its `form` was sent for, or nothing where it was put away. */
function question<T>(
  title: string,
  label: string,
  content: Node[],
  answer: () => T | undefined,
): Promise<T | undefined> {
  return new Promise((resolve) => {
    let answered: T | undefined;
    const form = element(
      "form",
      {
        className: "question",
        noValidate: true,
        onsubmit: (event: Event) => {
          event.preventDefault();
          answered = answer();
          if (answered !== undefined) made.close();
        },
      },
      ...content,
      element(
        "div",
        { className: "dialog-buttons" },
        element("button", { type: "button", onclick: () => made.close() }, "Cancel"),
        element("button", { type: "submit", className: "primary" }, label),
      ),
    );
    const made = dialog(title, form);
    made.classList.add("small");
    made.addEventListener("close", () => resolve(answered));
  });
}

/**
 * Asks for a line of text. `check` says what is wrong with it, and it is asked for until nothing is; blanks around it do not count. Undefined: the
 * person changed their mind.
 */
export function ask(
  title: string,
  suggestion = "",
  check: (text: string) => string | undefined = () => undefined,
  label = "OK",
): Promise<string | undefined> {
  const wrong = element("p", { id: "question-wrong", className: "problem", role: "alert", hidden: true });
  const field = element("input", {
    type: "text",
    value: suggestion,
    ariaLabel: title,
    spellcheck: false,
    autocomplete: "off",
    attributes: { "aria-describedby": wrong.id },
  });
  const tell = (words: string | undefined) => {
    wrong.textContent = words ?? "";
    wrong.hidden = words === undefined;
    field.ariaInvalid = String(words !== undefined);
  };
  // What was wrong may be right by now.
  field.oninput = () => wrong.hidden || tell(check(field.value.trim()));
  const made = question(title, label, [field, wrong], () => {
    const text = field.value.trim();
    const words = text === "" ? "Type a name." : check(text);
    tell(words);
    if (words === undefined) return text;
    field.focus();
    return undefined;
  });
  field.focus();
  // The ending of a name stays as a rule.
  const end = suggestion.lastIndexOf(".");
  field.setSelectionRange(suggestion.lastIndexOf("/") + 1, end > 0 ? end : suggestion.length);
  return made;
}

/** Asks whether to do what cannot be undone; `label` says what is done. */
export async function confirm(title: string, label: string, words = ""): Promise<boolean> {
  const content = words === "" ? [] : [element("p", {}, words)];
  const asked = question(title, label, content, () => true);
  document.querySelector<HTMLElement>("dialog:modal .primary")?.focus();
  return (await asked) ?? false;
}

/** A text to take along, with a button that copies it; `said` hears whether that worked. */
export function copyable(field: HTMLInputElement | HTMLTextAreaElement, label: string): HTMLElement {
  field.readOnly = true;
  field.ariaLabel = label;
  field.onfocus = () => field.select();
  const button = element("button", { type: "button" }, "Copy");
  button.onclick = () =>
    copyFrom(
      button,
      () => field.value,
      () => field.focus(),
    );
  return element("div", { className: "copyable" }, field, button);
}
