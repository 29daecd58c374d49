// The page inside of another one: small, without what only a whole page needs, and with a way to the whole page. Nothing is kept there: the
// storage belongs to the person's own work.

import { EditorState } from "@codemirror/state";
import { byId, element } from "@coopmat/shared/element";
import { encode } from "@coopmat/shared/project/share";
import type { Editor } from "../panes/editor";
import type { Panes } from "../panes/panes";
import type { Shown } from "../state/arrival";
import { embed, unembedded } from "./embed-options";
import { icon } from "./icons";
import { showSide } from "./sides";

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
    "Open in playground ",
    icon("external"),
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
  showSide(embed.pane === "none" ? "code" : "result");
  header.append(open);
}
