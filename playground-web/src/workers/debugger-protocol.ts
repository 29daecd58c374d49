// What the page and the debugger's worker say to each other.

import type { Breakpoint } from "@coopmat/shared/project/project";
import type { Choices, Modes, Place, Problem, Source } from "./simulator-protocol";

export type { Breakpoint };

export type Motion = "continue" | "into" | "over" | "out" | "instruction" | "end" | "time";

/** Lanes as digits: `1` for those that are in it. */
export type Mask = string;

export interface Frame {
  function: string;
  place: Place | null;
  instruction: number;
  active: Mask;
  live: Mask;
  /** Lanes are elements of a matrix. */
  elements: boolean;
}

export interface Subgroup {
  index: number;
  status: string;
  place: Place | null;
  active: number;
  lanes: number;
}

export type Reason =
  | { kind: "step" | "finding" | "time" | "start" | "end" | "cancelled" }
  | { kind: "breakpoint"; index: number }
  | { kind: "error"; message: string };

/** Where the run stands. Time counts instructions. */
export interface State {
  reason: Reason | null;
  time: number;
  furthest: number;
  /** The time at which the run ends, once it got there. */
  end: number | null;
  workgroup: [number, number, number];
  subgroup: number;
  stack: Frame[];
  subgroups: Subgroup[];
  findings: { kind: string; message: string; place: Place | null }[];
  log: string[];
  modes: Modes;
}

/** A value as the lanes have it. */
export interface Value {
  type: string;
  /** In one line. */
  text: string;
  /** One text for all lanes, or one for each; null where a lane has none. */
  lanes?: { values: (string | null)[]; undefined?: Mask };
  parts?: { name: string; value: Value }[];
  /** How many parts there are, shown or not. */
  count?: number;
  matrix?: {
    component: string;
    rows: number;
    columns: number;
    use: string;
    scope: string;
    written: boolean;
    undefined?: Mask;
    /** In rows; only where somebody asked for this matrix. */
    values?: Float64Array;
  };
}

export interface Variable {
  name: string;
  kind: string;
  value: Value;
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
