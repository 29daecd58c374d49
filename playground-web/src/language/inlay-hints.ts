// The server's inlay hints as widgets between the characters.

import { StateEffect, StateField } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { InlayHint } from "vscode-languageserver-types";
import { asking } from "./asking";
import { offset } from "./positions";

class Hint extends WidgetType {
  constructor(
    private readonly text: string,
    private readonly title: string,
  ) {
    super();
  }
  override eq(other: Hint) {
    return other.text === this.text && other.title === this.title;
  }
  override toDOM() {
    const element = document.createElement("span");
    element.className = "cm-inlay-hint";
    element.textContent = this.text;
    if (this.title) element.title = this.title;
    // A screen reader reads the code, not what stands between it.
    element.setAttribute("aria-hidden", "true");
    return element;
  }
}

const set = StateEffect.define<DecorationSet>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(hints, transaction) {
    hints = hints.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(set)) hints = effect.value;
    return hints;
  },
  provide: (field) => EditorView.decorations.from(field),
});

export function label(hint: InlayHint): string {
  const text = typeof hint.label === "string" ? hint.label : hint.label.map((part) => part.value).join("");
  return `${hint.paddingLeft ? " " : ""}${text}${hint.paddingRight ? " " : ""}`;
}

const tooltip = (hint: InlayHint) =>
  typeof hint.tooltip === "string" ? hint.tooltip : (hint.tooltip?.value ?? "");

const hints = asking<object, InlayHint[] | null>({
  method: "textDocument/inlayHint",
  delay: 80,
  scrolls: true,
  parameters(plugin, { viewport: { from, to } }) {
    return {
      textDocument: { uri: plugin.uri },
      range: { start: plugin.toPosition(from), end: plugin.toPosition(to) },
    };
  },
  show(view, answer) {
    const { doc } = view.state;
    const widgets = (answer ?? []).map((hint) => {
      const widget = new Hint(label(hint), tooltip(hint));
      return Decoration.widget({ widget, side: 1 }).range(offset(doc, hint.position));
    });
    view.dispatch({ effects: set.of(Decoration.set(widgets, true)) });
  },
});

export const inlayHints = () => [field, hints];
