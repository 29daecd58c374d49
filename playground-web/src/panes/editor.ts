// The editor: tabs of files, one of them in view. Each tab keeps its history and selection while another one is shown.

import {
  autocompletion,
  closeBrackets,
  closeBracketsKeymap,
  completionKeymap,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap, indentWithTab } from "@codemirror/commands";
import { bracketMatching, indentUnit } from "@codemirror/language";
import { lintGutter, lintKeymap } from "@codemirror/lint";
import { highlightSelectionMatches, searchKeymap } from "@codemirror/search";
import { Compartment, EditorState, type Extension, type StateEffect } from "@codemirror/state";
import {
  drawSelection,
  EditorView,
  highlightActiveLine,
  highlightActiveLineGutter,
  highlightSpecialChars,
  keymap,
  lineNumbers,
  rectangularSelection,
} from "@codemirror/view";
import { byId, element } from "@coopmat/shared/element";
import { isName, type Project } from "@coopmat/shared/project/project";
import type { Language } from "../language/client";
import type { Findings } from "../language/diagnostics";
import { offset } from "../language/positions";
import { toml } from "../language/toml";
import { nameOf, type Tabs, uriOf } from "../language/workspace";
import { beside, isToml, shaderOf } from "../recipe/names";
import { PAGE } from "../ui/clean";
import { replaceTabs } from "../ui/tabs";
import { linkedRanges } from "./highlight";

const keys = keymap.of([
  ...closeBracketsKeymap,
  ...defaultKeymap,
  ...searchKeymap,
  ...historyKeymap,
  ...completionKeymap,
  ...lintKeymap,
  indentWithTab,
]);

export class Editor implements Tabs {
  readonly view: EditorView;
  private readonly states = new Map<string, EditorState>();
  private readonly vim = new Compartment();
  private vimKeys: Extension = [];
  private active = "";
  /** The shader that the panes show: the last one in view. */
  private shader = "";
  private readonly closing = byId("close-file", HTMLButtonElement);
  private readonly listeners = new Set<() => void>();
  private readonly cursorListeners = new Set<() => void>();
  /** For editors whose ranges belong to those of this one. */
  readonly linked: Extension[] = [linkedRanges];
  /** Shows a page of the server's, where a definition is in one. */
  onPage: (uri: string) => void = () => {};
  /** Hears that a place in a file is to be seen. */
  onGo: () => void = () => {};
  /** Files are neither made nor renamed nor closed by hand. */
  locked = false;
  /** Takes along what is known of a file beside its text when it gets another name. */
  onMove: (before: EditorState, name: string) => void = () => {};
  /** What other parts of the page add to every tab; they do so before the first one is opened. */
  readonly extensions: Extension[] = [];

  constructor(
    parent: HTMLElement,
    private readonly tabs: HTMLElement,
    private readonly language: Language,
    private readonly findings: Findings,
  ) {
    this.view = new EditorView({ parent });
    // Who scrolls by keys gets there too.
    this.view.scrollDOM.tabIndex = 0;
    language.workspace.tabs = this;
    findings.onChange(() => this.drawTabs());
    byId("new-file", HTMLButtonElement).onclick = () => this.create();
    this.closing.onclick = () => this.close(this.active);
  }

  /** Hears of every change of a text, of the tabs, and of which is in view. */
  onChange(listener: () => void) {
    this.listeners.add(listener);
  }

  /** Hears of every move of the cursor. */
  onCursor(listener: () => void) {
    this.cursorListeners.add(listener);
  }

  /** The shader's, also while its recipe is in view. */
  get uri() {
    return uriOf(this.shader);
  }

  get shaderName() {
    return this.shader;
  }

  /** Whether the shader is in view, not a recipe. */
  get showsShader() {
    return this.active === this.shader;
  }

  open(project: Project) {
    this.view.setState(EditorState.create());
    for (const name of this.states.keys()) this.language.workspace.drop(uriOf(name));
    this.states.clear();
    // What is in view now belongs to no file of the new project, not even to one of the same name.
    this.active = "";
    for (const { name, text } of project.files) this.add(name, text);
    this.select(project.active);
  }

  names(): string[] {
    return [...this.states.keys()];
  }

  /** The files as they are now. */
  files() {
    return Array.from(this.states.keys(), (name) => ({ name, text: this.text(name) }));
  }

  get activeName() {
    return this.active;
  }

  text(name: string): string {
    return this.stateOf(name)?.doc.toString() ?? "";
  }

  add(name: string, text: string) {
    const state = this.state(name, text);
    this.states.set(name, state);
    if (!isToml(name)) this.language.workspace.add(uriOf(name), state.doc);
  }

  has(name: string) {
    return this.states.has(name);
  }

  /** Another text for a file, as one edit that can be undone; what is the same at both ends stays. */
  setText(name: string, text: string) {
    const before = this.text(name);
    if (before === text) return;
    let from = 0;
    while (from < before.length && before[from] === text[from]) from++;
    let to = before.length;
    let end = text.length;
    while (to > from && end > from && before[to - 1] === text[end - 1]) {
      to--;
      end--;
    }
    const changes = { from, to, insert: text.slice(from, end) };
    const hidden = this.states.get(name);
    if (name === this.active) this.view.dispatch({ changes });
    else if (hidden) this.language.workspace.updateFile(uriOf(name), { changes });
    if (name !== this.active && hidden && isToml(name)) {
      this.states.set(name, hidden.update({ changes }).state);
      this.changed();
    }
  }

  /** Changes what is known of a file beside its text, in view or not. */
  apply(name: string, effects: StateEffect<unknown>) {
    const hidden = this.states.get(name);
    if (name === this.active) this.view.dispatch({ effects });
    else if (hidden) this.states.set(name, hidden.update({ effects }).state);
  }

  /** The state of a file, in view or not. */
  stateOf(name: string): EditorState | undefined {
    return name === this.active ? this.view.state : this.states.get(name);
  }

  /** Adds a file beside the one in view. */
  put(name: string, text: string) {
    if (this.states.has(name)) this.setText(name, text);
    else {
      this.add(name, text);
      this.drawTabs();
      this.changed();
    }
  }

  select(name: string) {
    if (!this.states.has(name)) return;
    if (this.states.has(this.active)) this.states.set(this.active, this.view.state);
    this.active = name;
    const names = [...this.states.keys()];
    const shown = isToml(name) ? shaderOf(name, this.text(name), names) : name;
    // A recipe without a shader leaves the one that was there.
    if (shown) this.shader = shown;
    else if (!this.states.has(this.shader)) this.shader = names.find((one) => !isToml(one)) ?? name;
    const state = this.states.get(name);
    if (state) this.view.setState(state);
    this.view.dispatch({ effects: this.vim.reconfigure(this.vimKeys) });
    this.drawTabs();
    this.changed();
  }

  async useVim(on: boolean) {
    this.vimKeys = on ? (await import("@replit/codemirror-vim")).vim() : [];
    this.view.dispatch({ effects: this.vim.reconfigure(this.vimKeys) });
  }

  // What the language client asks for.

  show(uri: string) {
    if (uri.startsWith(PAGE)) this.onPage(uri);
    const name = nameOf(uri);
    if (!name || !this.states.has(name)) return null;
    if (name !== this.active) this.select(name);
    return this.view;
  }

  hidden(uri: string) {
    const name = nameOf(uri);
    return name && name !== this.active ? this.states.get(name) : undefined;
  }

  change(uri: string, state: EditorState) {
    const name = nameOf(uri);
    if (name) this.states.set(name, state);
    this.changed();
  }

  go(uri: string, line: number, character: number) {
    const view = this.show(uri);
    if (!view) return;
    this.onGo();
    const anchor = offset(view.state.doc, { line, character });
    view.dispatch({ selection: { anchor }, effects: EditorView.scrollIntoView(anchor, { y: "center" }) });
    view.focus();
  }

  private changed() {
    for (const listener of this.listeners) listener();
  }

  private state(name: string, doc: string) {
    return EditorState.create({
      doc,
      extensions: [
        this.vim.of(this.vimKeys),
        this.extensions,
        lineNumbers(),
        lintGutter(),
        highlightActiveLineGutter(),
        highlightSpecialChars(),
        history(),
        drawSelection(),
        EditorState.allowMultipleSelections.of(true),
        indentUnit.of("    "),
        bracketMatching(),
        closeBrackets(),
        autocompletion(),
        rectangularSelection(),
        highlightActiveLine(),
        highlightSelectionMatches(),
        keys,
        EditorView.contentAttributes.of({
          "aria-label": `${name}, ${isToml(name) ? "recipe" : "GLSL"}`,
          // Tab indents: who has no mouse must know the other way.
          "aria-description": "Control M, then Tab, leaves the editor",
        }),
        linkedRanges,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.changed();
          if (update.selectionSet && update.view.hasFocus)
            for (const listener of this.cursorListeners) listener();
        }),
        isToml(name)
          ? toml(uriOf(name), this.findings, (uri, line, character) => this.go(uri, line, character))
          : this.language.client.plugin(uriOf(name), "glsl"),
      ],
    });
  }

  private drawTabs() {
    const tabs = Array.from(this.states.keys(), (name) => {
      const { errors, warnings } = this.findings.count(uriOf(name));
      const selected = name === this.active;
      const tab = element(
        "button",
        {
          className: "tab",
          onclick: () => this.select(name),
          ondblclick: () => this.rename(name),
          onkeydown: ({ key }) => key === "F2" && this.rename(name),
          tabIndex: selected ? 0 : -1,
          title: `${name}: ${errors} errors, ${warnings} warnings.${this.locked ? "" : " Double-click or press F2 to rename."}`,
          attributes: { role: "tab", "aria-selected": String(selected), "aria-controls": "editor" },
        },
        name,
      );
      if (errors + warnings > 0) {
        const badge = element(
          "span",
          { className: errors > 0 ? "badge error" : "badge warning" },
          String(errors || warnings),
        );
        tab.append(badge);
      }
      return tab;
    });
    replaceTabs(this.tabs, tabs);
    this.closing.hidden = this.locked || this.states.size < 2;
  }

  private ask(question: string, suggestion: string) {
    const name = prompt(question, suggestion)?.trim();
    if (!name) return undefined;
    if (isName(name) && !this.states.has(name)) return name;
    alert(isName(name) ? `There is a file ${name} already.` : `${name} cannot be the name of a file.`);
    return undefined;
  }

  private create() {
    if (this.locked) return;
    const name = this.ask("Name of the new file", "header.glsl");
    if (!name) return;
    this.add(name, "");
    this.select(name);
  }

  private rename(before: string) {
    if (this.locked) return;
    const name = this.ask(`New name of ${before}`, before);
    if (!name) return;
    // A shader takes its recipe along.
    const [recipe, next] = [beside(before), beside(name)];
    if (!isToml(before) && this.states.has(recipe) && !this.states.has(next)) this.move(recipe, next);
    this.move(before, name);
    this.select(name);
  }

  private move(before: string, name: string) {
    const text = this.text(before);
    const state = this.stateOf(before);
    this.states.delete(before);
    this.language.workspace.drop(uriOf(before));
    this.add(name, text);
    if (state) this.onMove(state, name);
  }

  private close(name: string) {
    if (this.states.size < 2 || (this.text(name) && !confirm(`Close ${name}? Its text is lost.`))) return;
    this.states.delete(name);
    const [next] = this.states.keys();
    this.select(next ?? "");
    this.language.workspace.drop(uriOf(name));
    this.drawTabs();
    this.changed();
  }
}
