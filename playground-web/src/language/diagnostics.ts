// Diagnostics as the server publishes them: squiggles, and a tooltip with the id's page, related places and quick fixes. Findings of tabs
// that are not in view are kept, for their counts and for when the tab comes back.

import { type Diagnostic as Shown, setDiagnostics } from "@codemirror/lint";
import { type LSPClientExtension, LSPPlugin } from "@codemirror/lsp-client";
import { StateEffect, StateField, type Text } from "@codemirror/state";
import { Decoration, EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import type { Diagnostic } from "vscode-languageserver-types";
import { advised } from "./advice";
import { debounced } from "./debounce";
import { span } from "./positions";

interface Publish {
  uri: string;
  version?: number | null;
  diagnostics: Diagnostic[];
}

const UNNECESSARY = 1;
const SEVERITIES = ["error", "error", "warning", "info", "hint"] as const;

/** The last diagnostics of each file, in the protocol's terms: the server's, and those of the last run. */
export class Findings {
  private readonly byUri = new Map<string, Diagnostic[]>();
  private readonly ofRun = new Map<string, Diagnostic[]>();
  private readonly listeners = new Set<(uri: string) => void>();

  of(uri: string): readonly Diagnostic[] {
    return [...(this.byUri.get(uri) ?? []), ...(this.ofRun.get(uri) ?? [])];
  }
  /** What the simulator says about a file; it stays until it is replaced. */
  setRun(uri: string, diagnostics: Diagnostic[]) {
    if (diagnostics.length === 0 && !this.ofRun.has(uri)) return;
    if (diagnostics.length === 0) this.ofRun.delete(uri);
    else this.ofRun.set(uri, diagnostics);
    for (const listener of this.listeners) listener(uri);
  }
  set(uri: string, diagnostics: Diagnostic[]) {
    this.byUri.set(uri, diagnostics);
    for (const listener of this.listeners) listener(uri);
  }
  /** Answers with what ends it. */
  onChange(listener: (uri: string) => void): () => void {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  }
  /** Errors and warnings, as a tab counts them. */
  count(uri: string) {
    const of = (severity: number) => this.of(uri).filter((found) => found.severity === severity).length;
    return { errors: of(1), warnings: of(2) };
  }
}

export interface Handlers {
  /** Shows a page of the server's: a diagnostic's, a built-in's. */
  page(uri: string): void;
  /** Shows a place. */
  go(uri: string, line: number, character: number): void;
}

const setFaded = StateEffect.define<{ from: number; to: number }[]>();
const fadedMark = Decoration.mark({ class: "cm-faded" });

const faded = StateField.define({
  create: () => Decoration.none,
  update(marks, transaction) {
    marks = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (effect.is(setFaded))
        marks = Decoration.set(
          effect.value.map(({ from, to }) => fadedMark.range(from, to)),
          true,
        );
    }
    return marks;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const isFaded = (found: Diagnostic) => found.tags?.includes(UNNECESSARY) ?? false;

/** The message as text, whichever form the protocol gives it. */
export const words = ({ message }: Diagnostic): string =>
  typeof message === "string" ? message : message.value;

function message(found: Diagnostic, handlers: Handlers): Node {
  const body = document.createElement("div");
  body.className = "finding";
  const text = document.createElement("span");
  text.textContent = words(found);
  body.append(text);
  if (found.code !== undefined) {
    const code = document.createElement(found.codeDescription ? "button" : "span");
    code.className = "finding-code";
    code.textContent = String(found.code);
    const href = found.codeDescription?.href;
    if (href) {
      code.title = "What this means, with an example";
      code.onclick = () => handlers.page(href);
    }
    body.append(" ", code);
  }
  for (const related of found.relatedInformation ?? []) {
    const { uri, range } = related.location;
    const link = document.createElement("button");
    link.className = "finding-related";
    link.textContent = `${range.start.line + 1}:${range.start.character + 1} ${related.message}`;
    link.onclick = () => handlers.go(uri, range.start.line, range.start.character);
    body.append(link);
  }
  return body;
}

/** What the editor shows; hints that only fade text have no squiggle. */
export function shown(doc: Text, findings: readonly Diagnostic[], handlers: Handlers): Shown[] {
  return findings
    .filter((found) => !isFaded(found))
    .map((found) => ({
      ...span(doc, found.range),
      severity: SEVERITIES[found.severity ?? 1] ?? "error",
      message: words(found),
      renderMessage: () => message(found, handlers),
    }));
}

function show(view: EditorView, findings: Findings, handlers: Handlers) {
  const plugin = LSPPlugin.get(view);
  if (!plugin) return;
  const found = findings.of(plugin.uri);
  const map = ({ from, to }: { from: number; to: number }) => ({
    from: plugin.unsyncedChanges.mapPos(from, 1),
    to: plugin.unsyncedChanges.mapPos(to, -1),
  });
  const marks = shown(plugin.syncedDoc, found, handlers).map((mark) => {
    const { from, to } = map(mark);
    return { ...mark, from, to: Math.max(from, to) };
  });
  view.dispatch(setDiagnostics(view.state, marks));
  const fade = found.filter(isFaded).map((one) => map(span(plugin.syncedDoc, one.range)));
  view.dispatch({ effects: setFaded.of(fade.filter(({ from, to }) => from < to)) });
}

export function diagnostics(findings: Findings, handlers: Handlers): LSPClientExtension {
  class Sync {
    private readonly send = debounced(1, () => LSPPlugin.get(this.view)?.client.sync());
    private readonly off: () => void;
    constructor(private readonly view: EditorView) {
      this.off = findings.onChange((uri) => {
        if (LSPPlugin.get(view)?.uri === uri) show(view, findings, handlers);
      });
      // A tab that comes back shows what is known of it.
      queueMicrotask(() => show(view, findings, handlers));
    }
    update(update: ViewUpdate) {
      if (update.docChanged) this.send();
    }
    destroy() {
      this.off();
      this.send.cancel();
    }
  }
  return {
    clientCapabilities: {
      textDocument: {
        publishDiagnostics: {
          versionSupport: true,
          relatedInformation: true,
          codeDescriptionSupport: true,
          tagSupport: { valueSet: [1, 2] },
        },
      },
    },
    notificationHandlers: {
      "textDocument/publishDiagnostics": (client, params: Publish) => {
        const file = client.workspace.getFile(params.uri);
        if (
          file &&
          params.version !== undefined &&
          params.version !== null &&
          params.version !== file.version
        )
          return true;
        findings.set(params.uri, params.diagnostics.map(advised));
        return true;
      },
    },
    editorExtension: [faded, ViewPlugin.fromClass(Sync)],
  };
}
