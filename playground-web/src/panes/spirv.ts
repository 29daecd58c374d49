// The SPIR-V pane: the module that the shader becomes, while it is typed; what the cursor is in is marked on the other side.

import { LSPPlugin } from "@codemirror/lsp-client";
import { EditorState, type Text } from "@codemirror/state";
import { EditorView, hoverTooltip, lineNumbers } from "@codemirror/view";
import { element } from "@coopmat/shared/element";
import { fromInstruction, fromSource, type Link, links } from "@coopmat/shared/spirv-map";
import type { Hover } from "vscode-languageserver-types";
import type { Language } from "../language/client";
import { debounced } from "../language/debounce";
import { rendered } from "../language/hover";
import { position } from "../language/positions";
import { semanticTokensOf } from "../language/semantic-tokens";
import { isForeign, isModule, isWgsl, isWords } from "../recipe/names";
import { copyFrom } from "../ui/copy";
import { save } from "../ui/download";
import { Difference } from "./difference";
import type { Editor } from "./editor";
import { showLinked } from "./highlight";
import type { Pane } from "./panes";
import { type Statistics, statisticsTable } from "./statistics";

interface Answer {
  uri: string;
  version: number;
  text: string | null;
  stale: { reason: string } | null;
  functions: { name: string; summary: string | null }[];
  files: (string | null)[];
  map: number[][];
  statistics: Statistics | null;
}

/** The text that is made of a module in words. */
const assemblyOf = (name: string) => name.replace(/\.(spv|wgsl)$/, ".spvasm");

const WHOLE = "whole module";

export class SpirvPane implements Pane {
  readonly id = "spirv";
  readonly title = "SPIR-V";
  readonly body = element("div", { className: "spirv" });
  private readonly view: EditorView;
  private readonly reason = element("p", { className: "notice", hidden: true });
  private readonly functions = element("select", { ariaLabel: "Function" });
  private readonly optimise = element("input", { type: "checkbox" });
  private readonly comments = element("input", { type: "checkbox" });
  private readonly copying = element(
    "button",
    { type: "button", ariaLive: "polite", onclick: () => void this.copy() },
    "Copy",
  );
  private readonly statistics = element("details", { className: "statistics" });
  private readonly holder = element("div", { className: "listing" });
  /** Makes a text that can be edited of a module in words. */
  private readonly assembly = element(
    "button",
    { type: "button", hidden: true, onclick: () => void this.makeAssembly() },
    "",
  );
  private readonly downloads = [
    element("button", { type: "button", onclick: () => this.download() }, "Download .spvasm"),
    element("button", { type: "button", onclick: () => void this.downloadModule() }, "Download .spv"),
  ];
  private readonly difference: Difference;
  /** What is of use for a shader alone. */
  private readonly ofShaders: HTMLElement[];
  private links: Link[] = [];
  private uri = "";
  /** A line to show as soon as its text is there. */
  private wanted: number | undefined;
  /** The document that `links` speak of. */
  private doc: Text | undefined;
  private asked = 0;
  private readonly refresh = debounced(60, () => void this.request());

  constructor(
    private readonly editor: Editor,
    private readonly language: Language,
  ) {
    const { holder } = this;
    this.difference = new Difference(editor, language, (shown) =>
      this.body.classList.toggle("compared", shown),
    );
    const optimise = element("label", {}, this.optimise, " Optimise");
    const comments = element("label", {}, this.comments, " Source lines");
    this.ofShaders = [holder, this.functions, optimise, comments, this.copying];
    const bar = element(
      "div",
      { className: "bar" },
      this.functions,
      optimise,
      comments,
      this.copying,
      this.assembly,
      this.difference.button,
      ...this.downloads,
    );
    this.body.append(bar, this.reason, this.difference.body, holder, this.statistics);
    this.view = new EditorView({
      parent: holder,
      state: EditorState.create({
        extensions: [
          lineNumbers(),
          EditorState.readOnly.of(true),
          EditorView.contentAttributes.of({ "aria-label": "SPIR-V assembly", tabindex: "0" }),
          hoverTooltip((view, pos) => this.explain(view, pos)),
          semanticTokensOf.field,
          ...this.editor.linked,
          EditorView.updateListener.of((update) => {
            if (update.selectionSet && update.view.hasFocus) this.fromHere();
          }),
        ],
      }),
    });
    this.view.scrollDOM.tabIndex = 0;
    for (const control of [this.functions, this.optimise, this.comments])
      control.onchange = () => this.refresh();
    editor.onChange(() => this.shows() && this.refresh());
    editor.onCursor(() => this.shows() && this.fromEditor());
  }

  shown() {
    this.refresh();
  }

  private shows() {
    return !this.body.hidden;
  }

  private async request() {
    if (!this.editor.showsShader) return;
    void this.difference.refresh();
    const number = ++this.asked;
    const { client } = this.language;
    client.sync();
    const module = this.editor.shaderName;
    for (const one of this.ofShaders) one.hidden = isForeign(module);
    this.assembly.hidden = !(isWords(module) || isWgsl(module)) || this.editor.locked;
    for (const one of this.downloads) one.hidden = isWgsl(module);
    this.body.classList.toggle("foreign", isForeign(module));
    if (isForeign(module)) {
      await this.requestModule(module, number);
      return;
    }
    const { doc } = this.editor.view.state;
    const name = this.functions.value;
    const params = {
      textDocument: { uri: this.editor.uri },
      ...(name && name !== WHOLE && { function: name }),
      options: { optimise: this.optimise.checked, sourceComments: this.comments.checked },
      statistics: true,
      // So that the server answers about the text: hovers, colours.
      follow: true,
    };
    try {
      const answer = await client.request<typeof params, Answer>("coopmat-analyzer/spirv", params);
      // Somebody asked again meanwhile.
      if (number !== this.asked) return;
      this.show(answer, doc);
    } catch (error) {
      if (number !== this.asked) return;
      const reason = (error as { message?: string }).message ?? String(error);
      if (name && name !== WHOLE) {
        // The function may have gone with an edit.
        this.functions.value = WHOLE;
        this.refresh();
        return;
      }
      this.tell(reason);
    }
  }

  /** The text in the editor is the module: what it does is counted here. */
  private async requestModule(name: string, number: number) {
    const assembly = assemblyOf(name);
    this.assembly.textContent = this.editor.has(assembly) ? `Open ${assembly}` : `Make ${assembly}`;
    this.body.classList.remove("stale");
    this.links = [];
    if (isWgsl(name)) {
      this.count(null);
      this.tell(
        `naga compiles ${name}. Its module can be read as a file of its own: make ${assembly}.`,
        false,
      );
      return;
    }
    const params = { textDocument: { uri: this.editor.uri }, statistics: true };
    try {
      const answer = await this.language.client.request<typeof params, Answer>(
        "coopmat-analyzer/spirv",
        params,
      );
      if (number !== this.asked) return;
      this.tell(
        isWords(name)
          ? `${name} is a module in words: its text is in the editor, to be read.`
          : `${name} is the module: its text is in the editor.`,
        false,
      );
      this.count(answer.statistics);
    } catch (error) {
      if (number !== this.asked) return;
      this.count(null);
      this.tell(`There is no module: ${(error as { message?: string }).message ?? error}`);
    }
  }

  private count(statistics: Statistics | null) {
    const open = this.statistics.open;
    if (statistics)
      this.statistics.replaceChildren(element("summary", {}, "Statistics"), statisticsTable(statistics));
    this.statistics.hidden = statistics === null;
    this.statistics.open = open;
  }

  private async makeAssembly() {
    const { editor } = this;
    const { shaderName } = editor;
    const name = assemblyOf(shaderName);
    try {
      if (!editor.has(name)) editor.add(name, await editor.textOfWords(shaderName));
      editor.select(name);
      editor.view.focus();
    } catch (error) {
      this.tell(`There is no module: ${(error as { message?: string }).message ?? error}`);
    }
  }

  /** `wrong`: it is no mere remark. */
  private tell(reason: string | undefined, wrong = true) {
    this.reason.hidden = reason === undefined;
    this.reason.className = wrong ? "notice" : "remark";
    this.reason.textContent = reason ?? "";
  }

  private show(answer: Answer, doc: Text) {
    this.tell(answer.stale ? `This is the last module that compiled. ${answer.stale.reason}` : undefined);
    this.body.classList.toggle("stale", answer.stale !== null);
    const chosen = this.functions.value || WHOLE;
    const names = [WHOLE, ...answer.functions.map(({ name }) => name)];
    if (chosen !== WHOLE && !names.includes(chosen)) names.push(chosen);
    // One function in view: the list of all stays as it was.
    if (chosen === WHOLE)
      this.functions.replaceChildren(...names.map((value) => element("option", { value }, value)));
    this.functions.value = chosen;
    const text = answer.text ?? "";
    if (text !== this.view.state.doc.toString()) {
      const { scrollTop } = this.view.scrollDOM;
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
      this.view.scrollDOM.scrollTop = scrollTop;
    }
    if (this.uri !== "" && this.uri !== answer.uri) {
      this.language.client.notification("textDocument/didClose", { textDocument: { uri: this.uri } });
    }
    this.uri = answer.uri;
    this.links = answer.stale ? [] : links(answer.map, answer.files);
    this.doc = doc;
    if (answer.statistics) this.count(answer.statistics);
    void semanticTokensOf.request(this.language.client, this.view, this.uri);
    if (this.wanted === undefined) this.fromEditor();
    else this.reveal(this.wanted);
  }

  /** Marks what the editor's cursor is in. */
  private fromEditor() {
    if (this.view.hasFocus || this.editor.view.state.doc !== this.doc) return;
    const { line, character } = position(
      this.editor.view.state.doc,
      this.editor.view.state.selection.main.head,
    );
    const found = fromSource(this.links, this.editor.uri, line, character);
    showLinked(
      this.view,
      found.map((link) => link.instruction),
      true,
    );
    showLinked(this.editor.view, [], false);
  }

  /** Marks where the instruction under this pane's cursor comes from. */
  private fromHere() {
    const { line } = position(this.view.state.doc, this.view.state.selection.main.head);
    const found = fromInstruction(this.links, line);
    const here = found.filter((link) => link.uri === this.editor.uri);
    showLinked(
      this.view,
      found.map((link) => link.instruction),
      false,
    );
    showLinked(
      this.editor.view,
      here.map((link) => link.source),
      true,
    );
  }

  private async explain(view: EditorView, pos: number) {
    const params = { textDocument: { uri: this.uri }, position: position(view.state.doc, pos) };
    const hover = await this.language.client
      .request<typeof params, Hover | null>("textDocument/hover", params)
      .catch(() => null);
    const plugin = LSPPlugin.get(this.editor.view);
    if (!hover || !plugin) return null;
    const dom = rendered(plugin, hover.contents);
    return { pos, above: true, create: () => ({ dom }) };
  }

  private copy() {
    const all = () => {
      this.view.focus();
      this.view.dispatch({ selection: { anchor: 0, head: this.view.state.doc.length } });
    };
    return copyFrom(this.copying, () => this.view.state.doc.toString(), all);
  }

  /** Brings a line of the whole module into view, with its instruction marked. */
  reveal(line: number) {
    if (this.functions.value !== WHOLE && this.functions.value !== "") {
      this.functions.value = WHOLE;
      this.wanted = line;
      this.refresh();
      return;
    }
    this.wanted = undefined;
    if (line >= this.view.state.doc.lines) {
      this.wanted = line;
      return;
    }
    const { from, to } = this.view.state.doc.line(line + 1);
    this.view.dispatch({
      selection: { anchor: from },
      effects: EditorView.scrollIntoView(from, { y: "center" }),
    });
    showLinked(this.view, [{ line, character: 0, endLine: line, endCharacter: to - from }], true);
  }

  /** The module as drivers take it, as it is shown. */
  private async downloadModule() {
    const params = {
      textDocument: { uri: this.editor.uri },
      options: { optimise: this.optimise.checked },
      words: true,
    };
    try {
      const { words, stale } = await this.language.client.request<
        typeof params,
        { words: number[] | null; stale: { reason: string } | null }
      >("coopmat-analyzer/spirv", params);
      if (!words) throw new Error("there is no module yet");
      if (stale) throw new Error(`this shader does not compile: ${stale.reason}`);
      const bytes = new DataView(new ArrayBuffer(words.length * 4));
      for (const [at, word] of words.entries()) bytes.setUint32(at * 4, word, true);
      save(this.named(".spv"), bytes.buffer, "application/octet-stream");
    } catch (error) {
      this.tell(`There is nothing to download: ${(error as { message?: string }).message ?? error}`);
    }
  }

  /** After the shader, also while its recipe is in view; a downloaded file lies in no folder of the project. */
  private named(extension: string) {
    const name = this.editor.shaderName.replace(/^.*\//, "");
    return `${isModule(name) ? name.replace(/\.spv(asm)?$/, "") : name}${extension}`;
  }

  private download() {
    const { shaderName } = this.editor;
    save(
      this.named(".spvasm"),
      isModule(shaderName) ? this.editor.text(shaderName) : this.view.state.doc.toString(),
    );
  }
}
