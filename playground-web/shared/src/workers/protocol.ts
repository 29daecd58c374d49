// What the page and the language server's worker say to each other.

export type ToServer =
  /** `warmUp`: a shader to look at while nothing else is asked for. */
  | { kind: "start"; module: WebAssembly.Module; warmUp?: string }
  | { kind: "message"; text: string }
  | { kind: "put"; path: string; text: string }
  | { kind: "remove"; path: string }
  /** A file that is no text; without bytes it is gone. */
  | { kind: "data"; path: string; bytes?: Uint8Array };

export type FromServer =
  | { kind: "ready" }
  | { kind: "message"; text: string }
  | { kind: "log"; text: string }
  | { kind: "broken"; reason: string };
