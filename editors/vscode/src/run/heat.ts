// Where the last run spent its instructions: a bar in the margin of each line that ran and its share behind it, until the text changes.

import type { LineWork } from "@coopmat/shared/messages";
import * as vscode from "vscode";

/** Widths of the bar, in steps. */
const STEPS = 6;
const count = new Intl.NumberFormat("en");

/** The wider and the redder, the more. */
function bar(step: number): vscode.Uri {
  const width = Math.round((14 * (step + 1)) / STEPS);
  const hue = Math.round(45 - (45 * step) / (STEPS - 1));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="16" height="16"><rect x="1" y="3" width="${width}" height="10" rx="1" fill="hsl(${hue},85%,50%)"/></svg>`;
  return vscode.Uri.parse(`data:image/svg+xml;base64,${btoa(svg)}`);
}

const percent = (share: number) => (share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`);

/** "12 % of the instructions: 34,560; 2,048 bytes read and written; 8 passes of shared memory, 3 too many" */
export function words(work: LineWork, share: number): string {
  const parts = [`${percent(share)} of the instructions: ${count.format(work.instructions)}`];
  if (work.bytes) parts.push(`${count.format(work.bytes)} bytes read and written`);
  if (work.passes !== undefined) {
    const extra = work["extra-passes"] ?? 0;
    const told = extra > 0 ? `${count.format(extra)} too many` : "no conflicts";
    parts.push(`${count.format(work.passes)} passes of shared memory, ${told}`);
  }
  return parts.join("; ");
}

export class Heat implements vscode.Disposable {
  /** By the width of the bar. */
  readonly #types = Array.from({ length: STEPS }, (_, step) =>
    vscode.window.createTextEditorDecorationType({
      gutterIconPath: bar(step),
      gutterIconSize: "contain",
      overviewRulerColor: `hsla(${45 - (45 * step) / (STEPS - 1)},85%,50%,0.6)`,
      overviewRulerLane: vscode.OverviewRulerLane.Left,
      after: { color: new vscode.ThemeColor("editorCodeLens.foreground"), margin: "0 0 0 2em" },
    }),
  );
  /** Lines by the document's URI. */
  #lines = new Map<string, LineWork[]>();
  #all = 0;
  readonly #listeners = [
    vscode.workspace.onDidChangeTextDocument(({ document, contentChanges }) => {
      if (contentChanges.length > 0 && this.#lines.delete(document.uri.toString())) this.#draw();
    }),
    vscode.window.onDidChangeVisibleTextEditors(() => this.#draw()),
  ];

  get isShown() {
    return this.#lines.size > 0;
  }

  /** Lines of all files of a run. */
  show(lines: readonly LineWork[], uriOf: (path: string) => vscode.Uri) {
    this.#lines.clear();
    this.#all = lines.reduce((sum, { instructions }) => sum + instructions, 0);
    for (const line of lines) {
      const uri = uriOf(line.path).toString();
      this.#lines.set(uri, [...(this.#lines.get(uri) ?? []), line]);
    }
    this.#draw();
  }

  hide() {
    this.#lines.clear();
    this.#draw();
  }

  #draw() {
    for (const editor of vscode.window.visibleTextEditors) {
      const lines = this.#lines.get(editor.document.uri.toString()) ?? [];
      const steps = this.#types.map((): vscode.DecorationOptions[] => []);
      for (const work of lines) {
        if (work.line > editor.document.lineCount) continue;
        const share = work.instructions / Math.max(this.#all, 1);
        const { range } = editor.document.lineAt(work.line - 1);
        const step = Math.min(STEPS - 1, Math.floor(Math.sqrt(share) * STEPS));
        const told = words(work, share);
        const after = { contentText: percent(share) };
        steps[step]?.push({ range, hoverMessage: told, renderOptions: { after } });
      }
      this.#types.forEach((type, step) => {
        editor.setDecorations(type, steps[step] ?? []);
      });
    }
  }

  dispose() {
    for (const one of [...this.#types, ...this.#listeners]) one.dispose();
  }
}
