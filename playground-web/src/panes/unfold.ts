// What a line of the source becomes, unfolded beneath it: by the triangle before the line, or by a key.

import {
  type EditorState,
  type Extension,
  RangeSet,
  RangeSetBuilder,
  StateEffect,
  StateField,
} from "@codemirror/state";
import { Decoration, EditorView, GutterMarker, gutter, keymap, WidgetType } from "@codemirror/view";
import { asking } from "../language/asking";

interface Instruction {
  text: string;
  opcode: string;
  /** Where it stands in the text of the whole module. */
  virtualRange: { start: { line: number } };
}

interface Answer {
  lines: { line: number; instructions: Instruction[] }[];
  stale: unknown;
}

/** By line, counted from 1. */
type Lines = ReadonlyMap<number, readonly Instruction[]>;

const setLines = StateEffect.define<Lines>();
/** A line by its start, or all of them. */
const toggle = StateEffect.define<number | "all">();

interface State {
  lines: Lines;
  /** Starts of the lines that are unfolded. */
  open: readonly number[];
}

const NOTHING: State = { lines: new Map(), open: [] };

const field = StateField.define<State>({
  create: () => NOTHING,
  update(state, transaction) {
    let { lines, open } = state;
    if (transaction.docChanged) {
      const { doc } = transaction.state;
      open = Array.from(new Set(open.map((at) => doc.lineAt(transaction.changes.mapPos(at, 1)).from)));
      // Until the server has answered about the new text, what stands after the edit moves along.
      lines = moved(lines, transaction.startState, transaction.state, (at) =>
        transaction.changes.mapPos(at, 1),
      );
    }
    for (const effect of transaction.effects) {
      if (effect.is(setLines)) lines = effect.value;
      if (effect.is(toggle)) open = toggled({ lines, open }, transaction.state, effect.value);
    }
    return lines === state.lines && open === state.open ? state : { lines, open };
  },
  provide: (field) => EditorView.decorations.compute([field], (state) => widgets(state, state.field(field))),
});

function moved(lines: Lines, before: EditorState, after: EditorState, map: (at: number) => number): Lines {
  const made = new Map<number, readonly Instruction[]>();
  for (const [line, instructions] of lines) {
    if (line <= before.doc.lines)
      made.set(after.doc.lineAt(map(before.doc.line(line).from)).number, instructions);
  }
  return made;
}

function toggled(state: State, editor: EditorState, which: number | "all"): readonly number[] {
  if (which !== "all")
    return state.open.includes(which) ? state.open.filter((at) => at !== which) : [...state.open, which];
  if (state.open.length > 0) return [];
  return Array.from(state.lines.keys())
    .filter((line) => line <= editor.doc.lines)
    .map((line) => editor.doc.line(line).from);
}

function widgets(editor: EditorState, { lines, open }: State) {
  const builder = new RangeSetBuilder<Decoration>();
  for (const from of [...open].sort((a, b) => a - b)) {
    if (from > editor.doc.length) continue;
    const line = editor.doc.lineAt(from);
    const found = lines.get(line.number) ?? [];
    const indent = /^\s*/.exec(line.text)?.[0].length ?? 0;
    const widget = new Unfolded(found, indent);
    builder.add(line.to, line.to, Decoration.widget({ widget, block: true, side: 1 }));
  }
  return builder.finish();
}

/** Ids, names of instructions, numbers, strings. */
const TOKENS = /(%\w+)|(Op\w+)|("(?:[^"\\]|\\.)*")|(-?\b\d[\w.+-]*)/g;
const CLASSES = ["tok-variable", "tok-keyword", "tok-string", "tok-number"];

export function coloured(text: string): Node[] {
  const nodes: Node[] = [];
  let at = 0;
  for (const match of text.matchAll(TOKENS)) {
    nodes.push(document.createTextNode(text.slice(at, match.index)));
    const span = document.createElement("span");
    span.className = CLASSES[match.slice(1).findIndex((group) => group !== undefined)] ?? "";
    span.textContent = match[0];
    nodes.push(span);
    at = match.index + match[0].length;
  }
  nodes.push(document.createTextNode(text.slice(at)));
  return nodes;
}

class Unfolded extends WidgetType {
  constructor(
    private readonly instructions: readonly Instruction[],
    private readonly indent: number,
  ) {
    super();
  }
  private get text() {
    return this.instructions.map(({ text }) => text).join("\n");
  }
  override eq(other: Unfolded) {
    return other.text === this.text && other.indent === this.indent;
  }
  override get estimatedHeight() {
    return this.instructions.length * 18 + 8;
  }
  override toDOM() {
    const box = document.createElement("div");
    box.className = "cm-unfolded";
    box.style.paddingLeft = `${this.indent + 1}ch`;
    const count = this.instructions.length;
    box.setAttribute("role", "note");
    box.setAttribute(
      "aria-label",
      `SPIR-V of this line, ${count} ${count === 1 ? "instruction" : "instructions"}`,
    );
    for (const { text, virtualRange } of this.instructions) {
      const row = document.createElement("div");
      row.className = "cm-instruction";
      row.dataset.line = String(virtualRange.start.line);
      row.append(...coloured(text));
      box.append(row);
    }
    if (count === 0) box.textContent = "This line has no instructions.";
    return box;
  }
  override ignoreEvent() {
    return false;
  }
}

class Triangle extends GutterMarker {
  constructor(
    private readonly open: boolean,
    private readonly count: number,
  ) {
    super();
  }
  override eq(other: Triangle) {
    return other.open === this.open && other.count === this.count;
  }
  override toDOM() {
    const mark = document.createElement("span");
    mark.textContent = this.open ? "▾" : "▸";
    mark.title = `${this.count} SPIR-V ${this.count === 1 ? "instruction" : "instructions"} (Alt-Enter; all lines: Shift-Alt-Enter)`;
    return mark;
  }
}

/** `reveal` is told which line of the module was clicked. */
export function unfolding(reveal: (line: number) => void): Extension {
  const lines = asking<object, Answer>({
    method: "coopmat-analyzer/spirvLines",
    delay: 250,
    parameters: (plugin) => ({ textDocument: { uri: plugin.uri } }),
    show(view, answer) {
      if (answer.stale && answer.lines.length === 0) return;
      const made = new Map(answer.lines.map(({ line, instructions }) => [line + 1, instructions]));
      view.dispatch({ effects: setLines.of(made) });
    },
  });
  const flip = (view: EditorView, which: number | "all") => {
    view.dispatch({ effects: toggle.of(which) });
    return true;
  };
  return [
    field,
    lines,
    gutter({
      class: "cm-unfolds",
      markers(view) {
        const { lines, open } = view.state.field(field, false) ?? NOTHING;
        const { doc } = view.state;
        const marks = Array.from(lines)
          .filter(([line]) => line <= doc.lines)
          .map(([line, { length }]) => {
            const { from } = doc.line(line);
            return new Triangle(open.includes(from), length).range(from);
          });
        return RangeSet.of(marks, true);
      },
      initialSpacer: () => new Triangle(false, 0),
      domEventHandlers: {
        mousedown(view, line) {
          const { lines } = view.state.field(field, false) ?? NOTHING;
          return lines.has(view.state.doc.lineAt(line.from).number) && flip(view, line.from);
        },
      },
    }),
    EditorView.domEventHandlers({
      click(event) {
        const row = (event.target as Element | null)?.closest<HTMLElement>(".cm-instruction");
        if (row) reveal(Number(row.dataset.line));
        return row !== null && row !== undefined;
      },
    }),
    keymap.of([
      {
        key: "Alt-Enter",
        run: (view) => flip(view, view.state.doc.lineAt(view.state.selection.main.head).from),
      },
      { key: "Shift-Alt-Enter", run: (view) => flip(view, "all") },
    ]),
  ];
}
