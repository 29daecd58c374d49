// The server's code lenses as a line above the code: what the page can do with a command is a button, what is only told is text.

import { type Extension, StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, type DecorationSet, EditorView, WidgetType } from "@codemirror/view";
import type { CodeLens } from "vscode-languageserver-types";
import { asking } from "./asking";

/** What the page does when a lens is clicked, by the command's name; the argument is the lens's first one. */
export type Commands = Record<string, (argument: unknown) => void>;

interface Shown {
  title: string;
  command: string;
  argument: unknown;
}

class Lenses extends WidgetType {
  constructor(
    private readonly lenses: readonly Shown[],
    private readonly commands: Commands,
    private readonly indent: string,
  ) {
    super();
  }
  override eq(other: Lenses) {
    return JSON.stringify(other.lenses) === JSON.stringify(this.lenses) && other.indent === this.indent;
  }
  override get estimatedHeight() {
    return 18;
  }
  override toDOM() {
    const line = document.createElement("div");
    line.className = "cm-lenses";
    line.append(this.indent);
    for (const { title, command, argument } of this.lenses) {
      const act = this.commands[command];
      const one = document.createElement(act ? "button" : "span");
      if (one instanceof HTMLButtonElement && act) {
        one.type = "button";
        one.onclick = () => act(argument);
      }
      one.textContent = command.endsWith(".run") ? `▶ ${title}` : title;
      line.append(one);
    }
    return line;
  }
  override ignoreEvent() {
    return true;
  }
}

const set = StateEffect.define<DecorationSet>();

const field = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(lenses, transaction) {
    lenses = lenses.map(transaction.changes);
    for (const effect of transaction.effects) if (effect.is(set)) lenses = effect.value;
    return lenses;
  },
  provide: (field) => EditorView.decorations.from(field),
});

function decorations(doc: Text, lenses: readonly CodeLens[], commands: Commands): DecorationSet {
  const byLine = new Map<number, Shown[]>();
  for (const { range, command } of lenses) {
    // References come without a title until they are resolved: the editor has a key for them. The
    // configuration stands above the editor.
    if (!command || range.start.line >= doc.lines || command.command.endsWith(".chooseConfiguration"))
      continue;
    const { title, command: name, arguments: given } = command;
    const line = range.start.line + 1;
    byLine.set(line, [...(byLine.get(line) ?? []), { title, command: name, argument: given?.[0] }]);
  }
  const widgets = Array.from(byLine, ([number, shown]) => {
    const line = doc.line(number);
    const [indent = ""] = /^\s*/.exec(line.text) ?? [];
    // What can be done comes first, in the order of the commands.
    const order = Object.keys(commands);
    const rank = ({ command }: Shown) => (order.includes(command) ? order.indexOf(command) : order.length);
    shown.sort((a, b) => rank(a) - rank(b));
    return Decoration.widget({ widget: new Lenses(shown, commands, indent), block: true, side: -1 }).range(
      line.from,
    );
  });
  return Decoration.set(widgets, true);
}

/** Lenses also change with what the editor does not see: `again` hears of a function that asks anew. */
export function codeLenses(commands: Commands, again: (ask: () => void) => () => void): Extension {
  const lenses = asking<object, CodeLens[] | null>({
    method: "textDocument/codeLens",
    delay: 150,
    again,
    parameters: (plugin) => ({ textDocument: { uri: plugin.uri } }),
    show(view, answer) {
      view.dispatch({ effects: set.of(decorations(view.state.doc, answer ?? [], commands)) });
    },
  });
  return [field, lenses];
}
