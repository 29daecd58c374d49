// The way from instructions to the source and back, as `coopmat-analyzer/spirv` tells it.

export interface Span {
  line: number;
  character: number;
  endLine: number;
  endCharacter: number;
}

export interface Link {
  /** In the text of the module. */
  instruction: Span;
  uri: string;
  /** In the file at `uri`. */
  source: Span;
}

const span = (numbers: readonly number[], at: number): Span => {
  const [line = 0, character = 0, endLine = 0, endCharacter = 0] = numbers.slice(at, at + 4);
  return { line, character, endLine, endCharacter };
};

/** Each entry: where the instruction stands, a file, where it comes from there; then the same of where that is spelled, when it is a macro. */
export function links(map: readonly (readonly number[])[], files: readonly (string | null)[]): Link[] {
  return map.flatMap((entry) => {
    const instruction = span(entry, 0);
    const places = [4, 9].filter((at) => entry.length >= at + 5);
    return places.flatMap((at) => {
      const uri = files[entry[at] ?? -1];
      return uri ? [{ instruction, uri, source: span(entry, at + 1) }] : [];
    });
  });
}

const before = (line: number, character: number, otherLine: number, otherCharacter: number) =>
  line < otherLine || (line === otherLine && character <= otherCharacter);

export const holds = (span: Span, line: number, character: number) =>
  before(span.line, span.character, line, character) &&
  before(line, character, span.endLine, span.endCharacter);

const inside = (inner: Span, outer: Span) =>
  holds(outer, inner.line, inner.character) && holds(outer, inner.endLine, inner.endCharacter);

/** Longer means more lines; of equal ones, more characters. */
const size = (span: Span) => (span.endLine - span.line) * 100_000 + (span.endCharacter - span.character);

/** What the smallest piece of source around a place became, with all that came from inside it. */
export function fromSource(all: readonly Link[], uri: string, line: number, character: number): Link[] {
  const here = all.filter((link) => link.uri === uri);
  const around = here.filter((link) => holds(link.source, line, character));
  const smallest = around.reduce<Link | undefined>(
    (best, link) => (best && size(best.source) <= size(link.source) ? best : link),
    undefined,
  );
  return smallest ? here.filter((link) => inside(link.source, smallest.source)) : [];
}

/** Where the instruction at a place of the module's text comes from. */
export const fromInstruction = (all: readonly Link[], line: number) =>
  all.filter((link) => link.instruction.line <= line && line <= link.instruction.endLine);
