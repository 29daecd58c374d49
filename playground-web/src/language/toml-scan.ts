// Where in a TOML text a place is: in a header, a key or a value, and of what. It reads what is before the place alone, and takes whatever stands there.

export interface Place {
  kind: "header" | "key" | "value";
  /** The keys that lead there: of the table, of inline tables, and of the statement; lists of tables and elements of lists have no key. */
  path: string[];
  /** The keys of this one that are written already: `a.b.` of `a.b.c`. */
  before: string[];
  /** Where the word begins that the place is in. */
  from: number;
  /** Inside of quotes. */
  quoted: boolean;
  /** At the start of a statement of its own, not in an inline table. */
  statement: boolean;
}

interface Frame {
  table: boolean;
  path: string[];
}

const WORD = /[A-Za-z0-9_-]/;

/** `undefined`: in a comment, or behind a value. */
export function scan(text: string, end: number): Place | undefined {
  let table: string[] = [];
  const frames: Frame[] = [];
  let kind: Place["kind"] | "behind" = "key";
  /** Keys of the statement, or of the header, that are complete. */
  let keys: string[] = [];
  let word = "";
  let from = 0;
  /** The path of the value. */
  let path: string[] = [];
  const home = () => frames.at(-1)?.path ?? table;
  const begin = (at: number) => {
    kind = "key";
    keys = [];
    word = "";
    from = at;
  };
  for (let at = 0; at < end; ) {
    const letter = text[at] ?? "";
    if (letter === "#") {
      const line = text.indexOf("\n", at);
      if (line < 0 || line >= end) return undefined;
      at = line;
      continue;
    }
    if (letter === '"' || letter === "'") {
      const long = text.startsWith(letter.repeat(3), at);
      const quote = long ? letter.repeat(3) : letter;
      const start = at + quote.length;
      let close = start;
      while (close < text.length && !text.startsWith(quote, close)) {
        if (!long && text[close] === "\n") break;
        close += letter === '"' && text[close] === "\\" ? 2 : 1;
      }
      if (close >= end) {
        const shown = kind === "behind" ? "value" : kind;
        return {
          kind: shown,
          path: shown === "value" ? path : home(),
          before: shown === "value" ? [] : keys,
          from: start,
          quoted: true,
          statement: frames.length === 0,
        };
      }
      if (kind === "value") kind = "behind";
      else word = text.slice(start, close);
      at = text.startsWith(quote, close) ? close + quote.length : close;
      continue;
    }
    at++;
    if (letter === "\n" && frames.length === 0) begin(at);
    else if (kind === "header") {
      if (letter === "[") from = at;
      else if (letter === ".") {
        keys = [...keys, word];
        word = "";
        from = at;
      } else if (letter === "]") {
        if (word !== "") table = [...keys, word];
        word = "";
        kind = "behind";
      } else if (WORD.test(letter)) {
        if (word === "") from = at - 1;
        word += letter;
      }
    } else if (kind === "key") {
      if (letter === "[" && frames.length === 0 && word === "" && keys.length === 0) {
        kind = "header";
        from = at;
      } else if (letter === ".") {
        keys = [...keys, word];
        word = "";
        from = at;
      } else if (letter === "=") {
        path = [...home(), ...keys, word];
        kind = "value";
        from = at;
      } else if (letter === "}") {
        frames.pop();
        kind = "behind";
      } else if (letter === ",") begin(at);
      else if (WORD.test(letter)) {
        if (word === "") from = at - 1;
        word += letter;
      } else if (word === "") from = at;
    } else {
      const frame = frames.at(-1);
      if (letter === "{") {
        frames.push({ table: true, path });
        begin(at);
      } else if (letter === "[") {
        frames.push({ table: false, path });
        kind = "value";
        from = at;
      } else if (letter === "}" || letter === "]") {
        if (frame) path = frame.path;
        frames.pop();
        kind = "behind";
      } else if (letter === "," && frame) {
        if (frame.table) begin(at);
        else {
          path = frame.path;
          kind = "value";
          from = at;
        }
      } else if (kind === "value" && /\s/.test(letter)) from = at;
    }
  }
  if (kind === "behind") return undefined;
  return {
    kind,
    path: kind === "value" ? path : kind === "header" ? [] : home(),
    before: kind === "value" ? [] : keys,
    from,
    quoted: false,
    statement: frames.length === 0,
  };
}
