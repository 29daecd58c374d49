// Between the protocol's positions (UTF-16, as the editor counts too) and offsets into the document.

import type { Text } from "@codemirror/state";
import type { Position, Range } from "vscode-languageserver-types";

export function offset(doc: Text, position: Position): number {
  if (position.line >= doc.lines) return doc.length;
  const line = doc.line(position.line + 1);
  return Math.min(line.from + position.character, line.to);
}

export function position(doc: Text, offset: number): Position {
  const line = doc.lineAt(offset);
  return { line: line.number - 1, character: offset - line.from };
}

export const span = (doc: Text, range: Range) => ({
  from: offset(doc, range.start),
  to: offset(doc, range.end),
});
