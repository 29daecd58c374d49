// Code actions: a light bulb in the gutter of the cursor's line, and a menu on Ctrl-. (Cmd-. on macOS).

import { LSPPlugin } from "@codemirror/lsp-client";
import { type EditorState, RangeSet, StateEffect, StateField } from "@codemirror/state";
import {
  type EditorView,
  GutterMarker,
  gutter,
  keymap,
  showTooltip,
  type Tooltip,
  ViewPlugin,
  type ViewUpdate,
} from "@codemirror/view";
import type { CodeAction, Command, Diagnostic } from "vscode-languageserver-types";
import { debounced } from "./debounce";
import type { Findings } from "./diagnostics";
import { apply } from "./edits";
import { span } from "./positions";

type Action = CodeAction | Command;

const isAction = (action: Action): action is CodeAction => typeof action.command !== "string";

/** The menu's order: what mends something first, what the server prefers first among it. */
export function order(actions: readonly Action[]): CodeAction[] {
  const rank = (action: CodeAction) =>
    (action.kind?.startsWith("quickfix") ? 0 : 2) + (action.isPreferred ? 0 : 1);
  const usable = actions.filter(isAction).filter((action) => !action.disabled);
  return usable.sort((a, b) => rank(a) - rank(b));
}

const overlapping = (state: EditorState, found: readonly Diagnostic[]) => {
  const { from, to } = state.selection.main;
  return found.filter((one) => {
    const range = span(state.doc, one.range);
    return range.from <= to && range.to >= from;
  });
};

async function request(view: EditorView, findings: Findings): Promise<CodeAction[]> {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return [];
  plugin.client.sync();
  const { from, to } = view.state.selection.main;
  const params = {
    textDocument: { uri: plugin.uri },
    range: { start: plugin.toPosition(from), end: plugin.toPosition(to) },
    context: { diagnostics: overlapping(view.state, findings.of(plugin.uri)) },
  };
  const actions = await plugin.client.request<typeof params, Action[] | null>(
    "textDocument/codeAction",
    params,
  );
  return order(actions ?? []);
}

async function perform(view: EditorView, action: CodeAction) {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  const { client } = plugin;
  const whole = action.edit
    ? action
    : await client.request<CodeAction, CodeAction>("codeAction/resolve", action).catch(() => undefined);
  // Cancelled by an edit: it was about another text.
  if (!whole) return;
  if (whole.edit) apply(client, whole.edit);
  if (whole.command) {
    const { command, arguments: list } = whole.command;
    await client.request("workspace/executeCommand", { command, arguments: list });
  }
  view.focus();
}

const setMenu = StateEffect.define<{ pos: number; actions: CodeAction[] } | null>();

const menu = StateField.define<Tooltip | null>({
  create: () => null,
  update(tooltip, transaction) {
    for (const effect of transaction.effects) {
      if (effect.is(setMenu)) return effect.value && menuTooltip(effect.value.pos, effect.value.actions);
    }
    // It is about the place where it was opened.
    return transaction.docChanged || transaction.selection ? null : tooltip;
  },
  provide: (field) => showTooltip.from(field),
});

function menuTooltip(pos: number, actions: CodeAction[]): Tooltip {
  return {
    pos,
    above: false,
    create(view) {
      const dom = document.createElement("div");
      dom.className = "action-menu";
      dom.setAttribute("role", "menu");
      const close = () => {
        view.dispatch({ effects: setMenu.of(null) });
        view.focus();
      };
      const items = actions.map((action) => {
        const item = document.createElement("button");
        item.setAttribute("role", "menuitem");
        item.textContent = action.title;
        item.onclick = () => {
          close();
          void perform(view, action);
        };
        return item;
      });
      if (items.length === 0) dom.textContent = "No code actions here";
      dom.append(...items);
      dom.onkeydown = (event) => {
        const at = items.indexOf(document.activeElement as HTMLButtonElement);
        const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
        if (event.key === "Escape") close();
        else if (step) items[(at + step + items.length) % items.length]?.focus();
        else return;
        event.preventDefault();
      };
      return { dom, mount: () => items[0]?.focus() };
    },
  };
}

const setBulb = StateEffect.define<number | null>();

const bulb = StateField.define<number | null>({
  create: () => null,
  update(line, transaction) {
    for (const effect of transaction.effects) if (effect.is(setBulb)) return effect.value;
    return transaction.docChanged ? null : line;
  },
});

class Bulb extends GutterMarker {
  override toDOM() {
    const element = document.createElement("span");
    element.textContent = "💡";
    element.title = "Code actions (Ctrl-.)";
    return element;
  }
}

const marker = new Bulb();

export function codeActions(findings: Findings) {
  const open = async (view: EditorView) => {
    const { doc } = view.state;
    // Cancelled by an edit: the menu would be about another text. Another tab may be in view as well.
    const actions = await request(view, findings).catch(() => undefined);
    if (!actions || view.state.doc !== doc) return;
    view.dispatch({ effects: setMenu.of({ pos: view.state.selection.main.head, actions }) });
  };
  class Watch {
    private readonly look = debounced(150, () => this.ask());
    constructor(private readonly view: EditorView) {}
    update(update: ViewUpdate) {
      if (update.docChanged || update.selectionSet) this.look();
    }
    destroy() {
      this.look.cancel();
    }
    private async ask() {
      const { state } = this.view;
      try {
        const actions = await request(this.view, findings);
        if (this.view.state.selection !== state.selection || this.view.state.doc !== state.doc) return;
        const mends = actions.some((action) => action.kind?.startsWith("quickfix"));
        const line = mends ? state.doc.lineAt(state.selection.main.head).from : null;
        if (line !== this.view.state.field(bulb, false)) this.view.dispatch({ effects: setBulb.of(line) });
      } catch {
        // Cancelled by an edit.
      }
    }
  }
  return [
    menu,
    bulb,
    ViewPlugin.fromClass(Watch),
    gutter({
      class: "cm-bulbs",
      markers: (view) => {
        const line = view.state.field(bulb, false) ?? null;
        return line === null || line > view.state.doc.length
          ? RangeSet.empty
          : RangeSet.of(marker.range(line));
      },
      domEventHandlers: {
        mousedown(view, line) {
          if (view.state.field(bulb, false) !== line.from) return false;
          void open(view);
          return true;
        },
      },
    }),
    keymap.of([
      {
        // A menu without entries has no focus of its own.
        key: "Escape",
        run(view) {
          if (!view.state.field(menu, false)) return false;
          view.dispatch({ effects: setMenu.of(null) });
          return true;
        },
      },
      {
        key: "Mod-.",
        run: (view) => {
          void open(view);
          return true;
        },
      },
    ]),
  ];
}
