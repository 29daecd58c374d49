// What the page and the worker that compiles WGSL say to each other.

import type { Range } from "vscode-languageserver-types";

export interface Label {
  message: string;
  range: Range;
}

/** Why a shader is no module, and what else is where. */
export interface Mistake extends Label {
  labels: Label[];
}

export type Compiled = { words: Uint8Array } | { mistake: Mistake };

export interface ToWgsl {
  id: number;
  name: string;
  text: string;
}

export type FromWgsl = { kind: "answer"; id: number; answer: Compiled } | { kind: "broken"; reason: string };
