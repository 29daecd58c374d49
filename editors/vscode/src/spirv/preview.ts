// The module beside the shader: a document of the server that follows edits, marked on both sides where the cursor is.

import { fromInstruction, fromSource, type Link, links, type Span } from "@coopmat/shared/spirv-map";
import * as vscode from "vscode";
import { type Session, shaderInView } from "../extension";
import { fromServer, toServer } from "../uris";
import { Options } from "./options";

interface Answer {
  uri: string;
  text: string | null;
  stale: { reason: string } | null;
  functions: { name: string; summary: string | null }[];
  files: (string | null)[];
  map: number[][];
}

const range = (span: Span) => new vscode.Range(span.line, span.character, span.endLine, span.endCharacter);

export class Preview implements vscode.Disposable {
  private readonly linked = vscode.window.createTextEditorDecorationType({
    backgroundColor: new vscode.ThemeColor("editor.wordHighlightStrongBackground"),
    borderRadius: "2px",
    overviewRulerColor: new vscode.ThemeColor("editorOverviewRuler.wordHighlightStrongForeground"),
  });
  private readonly staleMark = vscode.window.createTextEditorDecorationType({ opacity: "0.6" });
  private readonly watching: vscode.Disposable;
  private shader: vscode.Uri | undefined;
  private functionName: string | undefined;
  private document: vscode.Uri | undefined;
  private links: Link[] = [];
  private stale = false;
  /** The version of the shader's document that `links` speak of. */
  private version = -1;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private asked = 0;
  private readonly options = new Options();

  constructor(
    private readonly session: Session,
    command: (name: string, act: (...args: never[]) => unknown) => void,
  ) {
    // What is shown now is shown as it is wanted then.
    this.options.register(command, () => this.open(this.shader, this.functionName));
    this.watching = vscode.Disposable.from(
      vscode.window.onDidChangeTextEditorSelection(({ textEditor }) => this.moved(textEditor)),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        const editor = this.editorOf(this.document);
        if (editor) this.mark(editor, []);
        this.later();
      }),
      vscode.workspace.onDidChangeTextDocument(({ document }) => {
        const key = document.uri.toString();
        if (key === this.shader?.toString() || key === this.document?.toString()) this.later();
      }),
    );
  }

  dispose() {
    clearTimeout(this.timer);
    this.watching.dispose();
    this.linked.dispose();
    this.staleMark.dispose();
  }

  private wanted(shader: vscode.Uri, name: string | undefined) {
    return {
      textDocument: { uri: toServer(shader) },
      ...(name && { function: name }),
      options: this.options.wanted,
    };
  }

  /** Opens the module of a shader, or of one of its functions, to the side. Whether there is one. */
  async open(shader = shaderInView()?.document.uri, name?: string): Promise<boolean> {
    if (!shader) return false;
    const answer = await this.session.ask<Answer>("coopmat-analyzer/spirv", this.wanted(shader, name));
    if (!answer) return false;
    if (answer.text === null) {
      void vscode.window.showWarningMessage(answer.stale?.reason ?? "There is no module yet.");
      return false;
    }
    const before = this.document;
    this.shader = shader;
    this.functionName = name;
    this.document = fromServer(answer.uri);
    const document = await vscode.workspace.openTextDocument(this.document);
    if (document.languageId !== "spirv") await vscode.languages.setTextDocumentLanguage(document, "spirv");
    // Where it is, or where the one was that it takes the place of.
    const shown = this.editorOf(this.document) ?? this.editorOf(before);
    await vscode.window.showTextDocument(document, {
      viewColumn: shown?.viewColumn ?? vscode.ViewColumn.Beside,
      preserveFocus: true,
      preview: true,
    });
    if (before?.toString() !== this.document.toString()) await close(before);
    this.take(answer);
    return true;
  }

  /** The function around the cursor. */
  async openHere() {
    const editor = shaderInView();
    if (!editor) return;
    const { line, character } = editor.selection.active;
    const answer = await this.session.ask<Answer>("coopmat-analyzer/spirv", {
      textDocument: { uri: toServer(editor.document.uri) },
      position: { line, character },
    });
    const name = /function=([^&]+)/.exec(answer?.uri ?? "")?.[1] ?? answer?.functions[0]?.name;
    if (answer) await this.open(editor.document.uri, name && decodeURIComponent(name));
  }

  private editorOf(uri: vscode.Uri | undefined): vscode.TextEditor | undefined {
    const key = uri?.toString();
    return vscode.window.visibleTextEditors.find((editor) => editor.document.uri.toString() === key);
  }

  /** Asks for the map again: soon, and once for several edits. */
  private later() {
    if (!this.shader || !this.editorOf(this.document)) return;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.refresh(), 150);
  }

  private async refresh() {
    const { shader } = this;
    if (!shader || !this.session.client?.isRunning()) return;
    const asked = ++this.asked;
    const version = this.editorOf(shader)?.document.version;
    const answer = await this.session.follow<Answer>(
      "coopmat-analyzer/spirv",
      this.wanted(shader, this.functionName),
    );
    if (!answer || asked !== this.asked) return;
    // The document follows on its own way, and may be behind or ahead of this answer.
    const text = this.editorOf(this.document)?.document.getText().replaceAll("\r\n", "\n");
    if (answer.text !== null && text !== undefined && text.trimEnd() !== answer.text.trimEnd()) {
      clearTimeout(this.timer);
      this.timer = setTimeout(() => void this.refresh(), 300);
    }
    this.take(answer, version);
  }

  private take(answer: Answer, version = this.editorOf(this.shader)?.document.version) {
    this.links = links(answer.map, answer.files);
    this.stale = answer.stale !== null;
    this.version = version ?? -1;
    const module = this.editorOf(this.document);
    if (module) {
      const all = new vscode.Range(0, 0, module.document.lineCount, 0);
      module.setDecorations(this.staleMark, this.stale ? [all] : []);
    }
    const source = this.editorOf(this.shader);
    if (source && vscode.window.activeTextEditor !== module) this.moved(source);
  }

  private mark(editor: vscode.TextEditor | undefined, ranges: vscode.Range[], reveal = false) {
    editor?.setDecorations(this.linked, ranges);
    const [first] = ranges;
    if (!editor || !reveal || !first) return;
    // Lines alone: whoever reads the beginning of lines is not to be moved to the middle of a long one.
    if (editor.visibleRanges.some((range) => range.contains(first.start.with({ character: 0 })))) return;
    const start = new vscode.Range(first.start.line, 0, first.start.line, 0);
    editor.revealRange(start, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
  }

  private moved(editor: vscode.TextEditor) {
    const source = this.editorOf(this.shader);
    const module = this.editorOf(this.document);
    if (!source || !module || !this.shader) return;
    const { line, character } = editor.selection.active;
    const uri = toServer(this.shader);
    if (editor === source) {
      // Marks of another text would be at other places: they come back with the next map.
      if (source.document.version !== this.version) return;
      const found = fromSource(this.links, uri, line, character);
      this.mark(
        module,
        found.map((link) => range(link.instruction)),
        true,
      );
      this.mark(source, []);
    } else if (editor === module) {
      const found = fromInstruction(this.links, line);
      this.mark(
        module,
        found.map((link) => range(link.instruction)),
      );
      const here = found.filter((link) => link.uri === uri);
      this.mark(
        source,
        here.map((link) => range(link.source)),
        true,
      );
    }
  }
}

/** Closes the tab of a document that is shown no more. */
async function close(uri: vscode.Uri | undefined) {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const shows = ({ input }: vscode.Tab) =>
    input instanceof vscode.TabInputText && input.uri.toString() === uri?.toString();
  await vscode.window.tabGroups.close(tabs.filter(shows), true);
}
