// What the page and the debugger's worker say to each other. What the module has to do with is generated from its types.

import type { Breakpoint, MatrixInfo, Problem, State, Value as Told } from "@coopmat/shared/messages";
import type { Choices, Source } from "./simulator-protocol";

export type { Breakpoint, Frame, Reason, State, Subgroup, Variable } from "@coopmat/shared/messages";

export type Motion = "continue" | "into" | "over" | "out" | "instruction" | "end" | "time";

/** A value as the lanes have it; a matrix has its elements, in rows, where somebody asked for it. */
export interface Value extends Omit<Told, "matrix"> {
  matrix?: MatrixInfo & { values?: Float64Array };
}

export type Evaluated = Value | { error: string };

export type ToDebugger =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "data"; name: string; bytes: Uint8Array }
  | {
      kind: "begin";
      id: number;
      source: Source;
      choices: Choices;
      breakpoints: Breakpoint[];
      findings: boolean;
    }
  | { kind: "breakpoints"; id: number; breakpoints: Breakpoint[] }
  | { kind: "findings"; stops: boolean }
  | { kind: "go"; id: number; motion: Motion; backwards: boolean; time?: number }
  | { kind: "stop" }
  | { kind: "focus"; id: number; subgroup: number }
  | { kind: "variables"; id: number; frame: number }
  | { kind: "evaluate"; id: number; frame: number; expressions: string[] };

/** The lines at which breakpoints stand; null where no line has code. */
export type Verified = (number | null)[];

export interface Begun {
  state: State;
  verified: Verified;
}

export type FromDebugger =
  | { kind: "ready" }
  | { kind: "progress"; time: number; furthest: number }
  | { kind: "answer"; id: number; answer: unknown }
  | { kind: "problem"; id: number; problem: Problem }
  | { kind: "broken"; reason: string };
