// What resting on a name tells, or asking for it by a key: the server's Markdown in paragraphs, with the rules that are checked there folded.

import { LSPPlugin } from "@codemirror/lsp-client";
import { type Extension, Prec } from "@codemirror/state";
import {
  activateHover,
  closeHoverTooltips,
  type EditorView,
  hasHoverTooltips,
  hoverTooltip,
  keymap,
  type Tooltip,
} from "@codemirror/view";
import { element } from "@coopmat/shared/element";
import type { Hover, MarkupContent } from "vscode-languageserver-types";
import { position, span } from "./positions";
import "./hover.css";

/** Asked for by a key: what is told takes the focus, so that keys scroll and unfold it. */
let byKey = false;

/** A hover's text, cleaned by the language client of the editor in view; what is long in it is folded. */
export function rendered(plugin: LSPPlugin, contents: Hover["contents"]): HTMLElement {
  const dom = element("div", {
    className: "cm-lsp-hover-tooltip cm-lsp-documentation documentation",
    tabIndex: 0,
    attributes: { role: "region", "aria-label": "About this name" },
  });
  dom.innerHTML = plugin.docToHTML(contents as MarkupContent);
  fold(dom);
  return dom;
}

/** A list of rules below "Checked here:" unfolds when it is wanted: what the name means comes first. */
function fold(dom: HTMLElement) {
  for (const heading of Array.from(dom.querySelectorAll("p"))) {
    const list = heading.nextElementSibling;
    const title = /^(Checked here):?$/.exec(heading.textContent?.trim() ?? "")?.[1];
    if (!title || !(list instanceof HTMLUListElement)) continue;
    const count = list.children.length;
    const details = element(
      "details",
      {},
      element(
        "summary",
        {},
        title,
        element("span", { className: "faint" }, `: ${count} ${count === 1 ? "rule" : "rules"}`),
      ),
    );
    heading.replaceWith(details);
    details.append(list);
  }
}

async function ask(view: EditorView, pos: number): Promise<Tooltip | null> {
  const focus = byKey;
  byKey = false;
  const plugin = LSPPlugin.get(view);
  if (!plugin) return null;
  plugin.client.sync();
  const { doc } = view.state;
  const params = { textDocument: { uri: plugin.uri }, position: position(doc, pos) };
  // Cancelled by an edit: nothing is there any more.
  const hover = await plugin.client
    .request<typeof params, Hover | null>("textDocument/hover", params)
    .catch(() => null);
  if (!hover || view.state.doc !== doc) return null;
  const { from, to } = hover.range ? span(doc, hover.range) : { from: pos, to: pos };
  return {
    pos: from,
    end: to,
    above: true,
    create() {
      const dom = rendered(plugin, hover.contents);
      dom.onkeydown = (event) => {
        if (event.key !== "Escape") return;
        event.preventDefault();
        view.dispatch({ effects: closeHoverTooltips });
        view.focus();
      };
      return { dom, mount: () => focus && dom.focus() };
    },
  };
}

export function hovers(): Extension {
  const source = hoverTooltip(ask, { hideOn: (transaction) => transaction.docChanged });
  const show = (view: EditorView) => {
    byKey = true;
    activateHover(view, view.state.selection.main.head, 1, {
      tooltip: source,
      until: (transaction) => transaction.docChanged || transaction.selection !== undefined,
    });
    return true;
  };
  const close = (view: EditorView) => {
    if (!hasHoverTooltips(view.state)) return false;
    view.dispatch({ effects: closeHoverTooltips });
    return true;
  };
  return [
    source,
    keymap.of([{ key: "Mod-k Mod-i", run: show, preventDefault: true }]),
    // What others do with Escape comes first.
    Prec.low(keymap.of([{ key: "Escape", run: close }])),
  ];
}
