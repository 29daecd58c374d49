// The page inside of another one: small, without what only a whole page needs, and with a way to the whole page. Nothing is kept there: the
// storage belongs to the person's own work.

import { EditorState } from "@codemirror/state";
import { byId, element } from "@coopmat/shared/element";
import type { Project } from "@coopmat/shared/project/project";
import { encode } from "@coopmat/shared/project/share";
import type { View } from "@coopmat/shared/project/view";
import type { Editor } from "../panes/editor";
import type { Panes } from "../panes/panes";
import { hashOf, type Shown } from "../state/arrival";
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

/** What a link had in view, as far as it is not what the page around this one asks for. */
export function framed({ pane: _, side: __, ...view }: View): View {
  return view;
}

/** Puts up the bar of an embedded page, and shows the pane that was asked for. */
export function finishEmbed(page: Shown, panes: Panes, project: Project) {
  if (!embed) return;
  const open = element(
    "a",
    {
      className: "open-whole",
      target: "_blank",
      rel: "noopener",
      title: "Open these files in the playground",
      ariaLabel: "Open in playground",
    },
    element("span", {}, "Open in playground"),
    icon("external"),
  );
  const lead = () => {
    const now = page.current();
    const hash = hashOf(now) ?? encode({ ...now, options: { ...now.options, view: page.view() } });
    open.href = new URL(hash, unembedded(location.href)).href;
  };
  lead();
  // What was edited meanwhile goes along.
  open.onpointerdown = lead;
  open.onfocus = lead;
  open.onclick = lead;
  const header = byId("header", HTMLElement);
  const { view } = project.options;
  const asked = embed.pane === "none" ? view?.pane : embed.pane;
  const pane = embed.mode === "read" && embed.pane === "none" ? undefined : (asked ?? "run");
  if (pane) panes.show(pane);
  showSide(embed.pane === "none" ? (view?.side ?? "code") : "result");
  header.append(open);
}
