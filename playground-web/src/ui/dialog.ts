// Dialogs: the browser's own, which keep the focus inside, close by Escape, and give the focus back.

import { element } from "@coopmat/shared/element";
import { copyFrom } from "./copy";

export function dialog(title: string, ...content: Node[]): HTMLDialogElement {
  const close = element(
    "button",
    { type: "button", className: "quiet", ariaLabel: "Close", title: "Close" },
    "×",
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
