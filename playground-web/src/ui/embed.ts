// The page inside of another one: small, without what only a whole page needs, and with a way to the whole page. Nothing is kept there: the
// storage belongs to the person's own work.

import { EditorState } from "@codemirror/state";
import { byId, element } from "@coopmat/shared/element";
import { encode } from "@coopmat/shared/project/share";
import type { Editor } from "../panes/editor";
import type { Panes } from "../panes/panes";
import type { Shown } from "../state/arrival";
import { readEmbed, unembedded } from "./embed-options";

export const embed = readEmbed(location.search);

/** Before anything is drawn: what the style sheet goes by. */
export function prepareEmbed() {
  if (!embed) return;
  const { dataset } = document.documentElement;
  dataset.embed = embed.mode;
  dataset.pane = embed.pane;
  if (embed.theme !== "auto") dataset.theme = embed.theme;
}

/** Texts that cannot be changed, by no key and no command. */
export function lockEditor(editor: Editor) {
  if (!embed || embed.mode === "edit") return;
  editor.locked = true;
  // The filter, too: renames and code actions change texts without asking whether they may.
  editor.extensions.push(
    EditorState.readOnly.of(true),
    EditorState.changeFilter.of(() => false),
  );
}

/** Puts up the bar of an embedded page, and shows the pane that was asked for. */
export function finishEmbed(page: Shown, panes: Panes) {
  if (!embed) return;
  const open = element(
    "a",
    {
      className: "open-whole",
      target: "_blank",
      rel: "noopener",
      title: "Open these files in the playground",
    },
    "Open in playground ↗",
  );
  const lead = () => {
    open.href = new URL(encode(page.current()), unembedded(location.href)).href;
  };
  lead();
  // What was edited meanwhile goes along.
  open.onpointerdown = lead;
  open.onfocus = lead;
  open.onclick = lead;
  const header = byId("header", HTMLElement);
  const pane = embed.pane === "none" ? (embed.mode === "read" ? undefined : "run") : embed.pane;
  if (pane) panes.select(pane);
  if (pane) header.append(sides(embed.pane === "none"));
  header.append(element("span", { className: "spacer" }), open);
}

/** Where both do not fit beside each other, one of code and results is in view. */
function sides(code: boolean) {
  const { dataset } = document.documentElement;
  const pick = (side: "code" | "result", label: string) => {
    const button = element("button", { type: "button", attributes: { "aria-pressed": "false" } }, label);
    button.onclick = () => {
      dataset.side = side;
      for (const other of buttons) other.setAttribute("aria-pressed", String(other === button));
    };
    return button;
  };
  const buttons = [pick("code", "Code"), pick("result", "Result")];
  // What a lens or a key runs is looked at.
  document.addEventListener("click", ({ target }) => {
    if ((target as Element | null)?.closest?.(".cm-lenses")) buttons[1]?.click();
  });
  document.addEventListener("keydown", ({ key, ctrlKey, metaKey }) => {
    if (key === "Enter" && (ctrlKey || metaKey)) buttons[1]?.click();
  });
  dataset.side = code ? "code" : "result";
  buttons[code ? 0 : 1]?.setAttribute("aria-pressed", "true");
  return element(
    "span",
    { className: "sides", attributes: { role: "group" }, ariaLabel: "In view" },
    ...buttons,
  );
}
