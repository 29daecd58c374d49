// What the page and the language server's worker say to each other.

export type ToServer =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "message"; text: string }
  | { kind: "put"; path: string; text: string }
  | { kind: "remove"; path: string };

export type FromServer =
  | { kind: "ready" }
  | { kind: "message"; text: string }
  | { kind: "log"; text: string }
  | { kind: "broken"; reason: string };
