// The editor: the project's files, those of them that have tabs, and the one in view. Each file keeps its history and selection while another one is shown.

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
import {
  Annotation,
  Compartment,
  EditorState,
  type Extension,
  Prec,
  type StateEffect,
  Text,
} from "@codemirror/state";
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
import { byId } from "@coopmat/shared/element";
import type { Project } from "@coopmat/shared/project/project";
import type { Language } from "../language/client";
import type { Findings } from "../language/diagnostics";
import { folding } from "../language/folding";
import { offset } from "../language/positions";
import { problems, toml } from "../language/toml";
import { wgsl } from "../language/wgsl";
import { nameOf, type Tabs, uriOf } from "../language/workspace";
import { tabsOf } from "../project/tabs";
import { isModule, isRecipe, isSource, isToml, isWgsl, isWords, languageOf, shaderOf } from "../recipe/names";
import { PAGE } from "../ui/clean";
import { drawTabs } from "./file-tabs";
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

/** Of assembly text, for the key that comments lines. */
const comments = EditorState.languageData.of(() => [{ commentTokens: { line: ";" } }]);

/** Files that no editor has had yet are texts alone. */
type Held = EditorState | Text;

const docOf = (held: Held) => (held instanceof EditorState ? held.doc : held);

/** A text is asked for at every change of any of them. */
const strings = new WeakMap<Text, string>();

function stringOf(doc: Text): string {
  const known = strings.get(doc);
  if (known !== undefined) return known;
  const made = doc.toString();
  strings.set(doc, made);
  return made;
}

const textOf = (text: string) => Text.of(text.split(/\r\n?|\n/));

/** Text that the page puts into a file that nobody edits. */
const made = Annotation.define<boolean>();

/** The texts of modules are made of their words, or are in them. */
const isReadOnly = (name: string) => isWords(name) || isSource(name);

/** Whether the server is told of the file as a document. */
const isDocument = (name: string) => !isToml(name) && !isSource(name) && !isWgsl(name);

const kindOf = (name: string) => {
  if (isRecipe(name)) return "recipe";
  if (isToml(name)) return "TOML";
  if (isSource(name)) return "source";
  if (isWgsl(name)) return "WGSL";
  return isModule(name) ? "SPIR-V" : "GLSL";
};

export class Editor implements Tabs {
  readonly view: EditorView;
  private readonly held = new Map<string, Held>();
  /** Modules in words, as base64. */
  private readonly words = new Map<string, string>();
  /** Texts that modules hold of their sources. */
  private readonly sources = new Set<string>();
  /** Those of them whose text has been asked for, and whether it is there. */
  private readonly read = new Map<string, boolean>();
  /** The names of the files that have tabs, in their order. */
  private tabs: string[] = [];
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
  /** Called before the server is asked about a file that it may not have seen: puts the files on its disk. */
  onFiles: () => void = () => {};
  /** Answers with the text of a module in words; see `project/modules.ts`. */
  textOfWords: (name: string) => Promise<string> = () => Promise.resolve("");
  /** A module in words has another name, or is gone. */
  onWords: (name: string, next: string | undefined) => void = () => {};
  /** Hears that somebody would rename in a text that is not edited. */
  onReadOnly: (name: string) => void = () => {};
  /** Asks for another name of a file; see `project/files.ts`. */
  onRename: (name: string) => void = () => {};
  /** What was chosen of the shader's configurations, for its runs; see `project/choices.ts`. */
  chosen: (shader: string) => { configuration?: string; specialization?: string } = () => ({});
  /** What may stand behind the keys of recipes and project files: devices, modes. */
  lists: () => Record<string, readonly string[]> = () => ({});
  /** What other parts of the page add to every tab; they do so before the first one is opened. */
  readonly extensions: Extension[] = [];

  constructor(
    parent: HTMLElement,
    private readonly row: HTMLElement,
    private readonly language: Language,
    private readonly findings: Findings,
  ) {
    this.view = new EditorView({ parent });
    // Who scrolls by keys gets there too.
    this.view.scrollDOM.tabIndex = 0;
    language.workspace.tabs = this;
    findings.onChange(() => this.drawTabs());
    this.closing.onclick = () => this.close(this.active);
  }

  /** Hears of every change of a text, of the files, of the tabs, and of which is in view. */
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
    for (const name of this.held.keys()) this.language.workspace.drop(uriOf(name));
    this.held.clear();
    // What is in view now belongs to no file of the new project, not even to one of the same name.
    this.active = "";
    this.words.clear();
    this.sources.clear();
    this.read.clear();
    for (const { name, text } of project.files) this.hold(name, textOf(text));
    for (const { name, base64 } of project.options.data ?? []) {
      if (!isWords(name) || this.held.has(name)) continue;
      this.words.set(name, base64);
      this.hold(name, textOf(`; ${name} is being read`));
    }
    this.tabs = [];
    this.onFiles();
    for (const name of tabsOf(project)) this.openTab(name);
    this.select(project.active);
  }

  /** All files of the project. */
  names(): string[] {
    return this.textNames().filter((name) => !this.sources.has(name));
  }

  /** With the texts that modules hold of their sources. */
  textNames(): string[] {
    return [...this.held.keys()];
  }

  /** Modules in words, as base64. */
  get modules(): ReadonlyMap<string, string> {
    return this.words;
  }

  /** What is in view of the project's files. */
  get fileName() {
    return this.sources.has(this.active) ? this.shader : this.active;
  }

  /** Texts that modules hold of their sources; they get tabs when a place in them is to be seen. */
  putSources(sources: readonly { name: string; text: string }[]) {
    for (const { name, text } of sources) {
      if (this.sources.has(name)) this.setText(name, text);
      else if (!this.held.has(name)) {
        this.sources.add(name);
        this.hold(name, textOf(text));
      }
    }
  }

  /** Those that have tabs. */
  get tabNames(): readonly string[] {
    return this.tabs;
  }

  /** The texts of the project as they are now. */
  files() {
    const names = this.names().filter((name) => !this.words.has(name));
    return names.map((name) => ({ name, text: this.text(name) }));
  }

  get activeName() {
    return this.active;
  }

  text(name: string): string {
    const held = name === this.active ? this.view.state : this.held.get(name);
    return held ? stringOf(docOf(held)) : "";
  }

  /** Adds a file, with a tab. */
  add(name: string, text: string) {
    this.hold(name, textOf(text));
    this.onFiles();
    this.openTab(name);
  }

  has(name: string) {
    return this.held.has(name);
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
    const changes = {
      changes: { from, to, insert: text.slice(from, end) },
      ...(isReadOnly(name) && { annotations: made.of(true) }),
    };
    if (name === this.active) this.view.dispatch(changes);
    else if (this.held.has(name) && isDocument(name))
      this.language.workspace.updateFile(uriOf(name), changes);
    else if (this.held.has(name)) {
      this.held.set(name, this.stateFor(name).update(changes).state);
      this.changed();
    }
  }

  /** Changes what is known of a file beside its text, in view or not. */
  apply(name: string, effects: StateEffect<unknown>) {
    const hidden = this.held.get(name);
    if (name === this.active) this.view.dispatch({ effects });
    else if (hidden instanceof EditorState) this.held.set(name, hidden.update({ effects }).state);
  }

  /** Whether the text of a file is still to come: it is made of a module, or is in one. */
  awaits(name: string): boolean {
    return this.words.has(name) ? this.read.get(name) !== true : isSource(name) && !this.stateOf(name);
  }

  /** The state of a file, in view or not; none of one that was never opened. */
  stateOf(name: string): EditorState | undefined {
    if (name === this.active) return this.view.state;
    const held = this.held.get(name);
    return held instanceof EditorState ? held : undefined;
  }

  /** Adds a file beside the one in view. */
  put(name: string, text: string) {
    if (this.held.has(name)) this.setText(name, text);
    else {
      this.add(name, text);
      this.drawTabs();
      this.changed();
    }
  }

  select(name: string) {
    if (!this.held.has(name)) return;
    if (this.held.has(this.active)) this.held.set(this.active, this.view.state);
    this.openTab(name);
    this.active = name;
    const names = this.names();
    const shown = isToml(name)
      ? shaderOf(name, this.text(name), names)
      : this.sources.has(name)
        ? undefined
        : name;
    // A recipe without a shader leaves the one that was there.
    if (shown) this.shader = shown;
    else if (!this.held.has(this.shader)) this.shader = names.find((one) => !isToml(one)) ?? name;
    this.view.setState(this.stateFor(name));
    this.view.dispatch({ effects: this.vim.reconfigure(this.vimKeys) });
    this.drawTabs();
    this.changed();
  }

  /** Closes a tab; the file stays in the project. */
  close(name: string) {
    if (this.locked || this.tabs.length < 2 || !this.tabs.includes(name)) return;
    this.closeTab(name);
    this.drawTabs();
    this.changed();
  }

  /** Takes a file out of the project. */
  remove(name: string) {
    if (this.names().length < 2 || !this.held.has(name)) return;
    if (this.tabs.length === 1 && this.tabs[0] === name) {
      const [other = ""] = this.names().filter((one) => one !== name);
      this.openTab(other);
    }
    this.closeTab(name);
    this.held.delete(name);
    this.read.delete(name);
    if (this.words.delete(name)) this.onWords(name, undefined);
    if (this.shader === name) this.shader = this.names().find((one) => !isToml(one)) ?? this.active;
    this.language.workspace.drop(uriOf(name));
    this.onFiles();
    this.drawTabs();
    this.changed();
  }

  /** Gives a file another name. */
  move(before: string, name: string) {
    const state = this.stateOf(before);
    const at = this.tabs.indexOf(before);
    const inView = this.active === before;
    this.hold(name, textOf(this.text(before)));
    this.held.delete(before);
    const words = this.words.get(before);
    if (words !== undefined) {
      this.words.delete(before);
      this.words.set(name, words);
      this.read.delete(before);
      this.onWords(before, name);
    }
    this.language.workspace.drop(uriOf(before));
    if (inView) this.active = "";
    if (this.shader === before) this.shader = name;
    this.onFiles();
    if (at >= 0) void this.readWords(name);
    if (at >= 0) {
      this.tabs = this.tabs.with(at, name);
      if (isDocument(name)) this.language.workspace.open(uriOf(name));
    }
    if (state) {
      this.held.set(name, this.stateFor(name));
      this.onMove(state, name);
    }
    if (inView) this.select(name);
    this.drawTabs();
    this.changed();
  }

  async useVim(on: boolean) {
    this.vimKeys = on ? (await import("@replit/codemirror-vim")).vim() : [];
    this.view.dispatch({ effects: this.vim.reconfigure(this.vimKeys) });
  }

  /** Something beside the texts changed that those who listen go by: the configuration in view. */
  touch() {
    this.changed();
  }

  // What the language client asks for.

  show(uri: string) {
    if (uri.startsWith(PAGE)) this.onPage(uri);
    const name = nameOf(uri);
    if (!name || !this.held.has(name)) return null;
    if (name !== this.active) this.select(name);
    return this.view;
  }

  hidden(uri: string) {
    const name = nameOf(uri);
    return name && name !== this.active && this.held.has(name) ? this.stateFor(name) : undefined;
  }

  change(uri: string, state: EditorState) {
    const name = nameOf(uri);
    if (name) this.held.set(name, state);
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

  private state(name: string, doc: Text) {
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
          "aria-label": `${name}, ${kindOf(name)}${isReadOnly(name) ? ", read only" : ""}`,
          // Tab indents: who has no mouse must know the other way.
          "aria-description": "Control M, then Tab, leaves the editor",
        }),
        linkedRanges,
        EditorView.updateListener.of((update) => {
          if (update.docChanged) this.changed();
          if (update.selectionSet && update.view.hasFocus)
            for (const listener of this.cursorListeners) listener();
        }),
        isReadOnly(name) ? this.unedited(name) : [],
        isModule(name) ? comments : isWgsl(name) ? wgsl() : [],
        isDocument(name)
          ? [this.language.client.plugin(uriOf(name), languageOf(name)), folding(isModule(name))]
          : isToml(name)
            ? toml(
                uriOf(name),
                this.findings,
                () => this.lists(),
                (uri, line, character) => this.go(uri, line, character),
              )
            : problems(uriOf(name), this.findings, (uri, line, character) => this.go(uri, line, character)),
      ],
    });
  }

  /** A text that the page makes: renames of the language client leave it alone, too. */
  private unedited(name: string): Extension {
    const told = () => {
      this.onReadOnly(name);
      return true;
    };
    return [
      EditorState.readOnly.of(true),
      EditorState.transactionFilter.of((transaction) =>
        transaction.docChanged && !transaction.annotation(made) ? [] : transaction,
      ),
      Prec.highest(keymap.of([{ key: "F2", run: told }])),
    ];
  }

  /** The text of a module in words, once somebody looks at it. */
  private async readWords(name: string) {
    const words = this.words.get(name);
    if (words === undefined || this.read.has(name)) return;
    this.read.set(name, false);
    const text = await this.textOfWords(name).catch(
      (error: unknown) => `; ${(error as { message?: string }).message ?? error}`,
    );
    // Another project may be open by now.
    if (this.words.get(name) !== words) return;
    this.read.set(name, true);
    this.setText(name, text);
  }

  private hold(name: string, doc: Text) {
    this.held.set(name, doc);
    if (isDocument(name)) this.language.workspace.add(uriOf(name), doc);
  }

  /** The state of a file that is not in view, made when it is first needed. */
  private stateFor(name: string): EditorState {
    const held = this.held.get(name) ?? Text.empty;
    const state = held instanceof EditorState ? held : this.state(name, held);
    this.held.set(name, state);
    return state;
  }

  private openTab(name: string) {
    if (this.tabs.includes(name) || !this.held.has(name)) return;
    this.tabs.push(name);
    this.stateFor(name);
    if (isDocument(name)) this.language.workspace.open(uriOf(name));
    void this.readWords(name);
  }

  private closeTab(name: string) {
    const at = this.tabs.indexOf(name);
    if (at < 0) return;
    if (name === this.active) this.select(this.tabs[at + 1] ?? this.tabs[at - 1] ?? "");
    this.tabs = this.tabs.toSpliced(this.tabs.indexOf(name), 1);
    // The server reads it from its disk from now on: what was typed last has to be there.
    this.onFiles();
    if (isDocument(name)) this.language.workspace.shut(uriOf(name));
  }

  private drawTabs() {
    drawTabs(this.row, {
      names: this.tabs,
      active: this.active,
      locked: this.locked,
      count: (name) => this.findings.count(uriOf(name)),
      select: (name) => this.select(name),
      close: (name) => this.close(name),
      rename: (name) => this.onRename(name),
    });
    this.closing.hidden = this.locked || this.tabs.length < 2;
  }
}
