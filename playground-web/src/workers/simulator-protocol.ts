// What the page and the simulator's worker say to each other. What the module has to do with is generated from its types.

import type {
  BufferInfo,
  Choices as Chosen,
  FirstRecipe,
  Lists,
  OwnershipVerdict,
  Problem,
  RanAnswer,
  RunRequest,
  TomlEdit,
} from "@coopmat/shared/messages";

export type {
  Accumulator,
  BufferInfo,
  Description,
  FirstRecipe,
  JudgedAnswer,
  Lists,
  Outcome,
  OwnershipVerdict,
  PartialSum,
  Place,
  Problem,
  Real,
  Recorder,
  Report,
  ReportedFinding as Finding,
  SourcePlace,
} from "@coopmat/shared/messages";

/** What JSON leaves out where it is undefined. */
type Loose<T> = { [Key in keyof T]?: T[Key] | undefined };

export type Choices = Loose<Chosen>;

/** What the module is asked to run. */
export type Request = Loose<Pick<RunRequest, "recipe" | "device" | "configuration" | "specialization">> & {
  shader: string;
  choices?: Choices;
};

/** A first recipe that could be made. */
export type MadeRecipe = Extract<FirstRecipe, { text: string }>;

/** What is to be run, with the texts that it is made of. */
export interface Source extends Omit<Request, "choices"> {
  files: { name: string; text: string }[];
}

/** The same without the texts, which the worker holds. */
export type Asked = Omit<Source, "files">;

/** What was recorded: `readRecording` of the views makes matrices of it. */
export interface Recorded {
  index: string;
  data: Uint8Array;
}

/** A type of matrices, and the ownership that is asked for. */
export interface OwnershipQuestion {
  name: string;
  component: string;
  rows: number;
  columns: number;
  use: string;
  scope: string;
  invocations: number;
}

/** See `OwnershipData` of the views. */
export interface OwnershipAnswer {
  length: number;
  invocations: number;
  elements: Uint32Array;
  note?: string | undefined;
  source: string;
}

/** What a buffer holds. */
export interface Contents {
  info: BufferInfo;
  /** The elements in the order of the shape. */
  values: Float64Array;
  expected?: Float64Array | undefined;
  /** The ownership under which a run left `expected`: nobody said what is expected, or this differs from it within the tolerance. */
  against?: string | undefined;
  bytes: Uint8Array;
}

export interface Ran extends RanAnswer {
  buffers: Contents[];
  /** Where `Choices.record` asked for it. */
  recorded?: Recorded | undefined;
  /** The verdict that this run shows. */
  shows?: OwnershipVerdict | undefined;
}

/** Whether results depend on who owns which element: a verdict for each ownership at each size of subgroups. */
export interface Verdicts {
  rows: OwnershipVerdict[];
  /** How many there are in the end; 0 where that is not known yet. */
  all: number;
  /** What all of them say together. */
  notes: string[];
}

export interface Progress {
  /** Workgroups that have ended, or verdicts that there are, of all. */
  done: number;
  all: number;
  steps: number;
  /** Those that there are, when one more is there. */
  verdicts?: Verdicts;
}

/** Questions, each answered once under its number. */
export type Question =
  | { kind: "describe"; source: Asked; choices: Choices }
  | { kind: "contents"; source: Asked; buffer: string }
  | { kind: "init"; source: Asked }
  | { kind: "edit"; text: string; edit: TomlEdit }
  | { kind: "ownership"; of: OwnershipQuestion }
  | { kind: "run"; source: Asked; choices: Choices }
  | { kind: "verdicts"; source: Asked; choices: Choices };

export type ToSimulator =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "data"; name: string; bytes?: Uint8Array }
  /** The texts that questions are about from now on, as they differ from those before. */
  | { kind: "files"; put: { name: string; text: string }[]; removed: string[] }
  | { kind: "stop" }
  | { kind: "ask"; id: number; question: Question };

export type FromSimulator =
  | { kind: "ready"; lists: Lists }
  | { kind: "progress"; id: number; progress: Progress }
  | { kind: "answer"; id: number; answer: unknown }
  | { kind: "problem"; id: number; problem: Problem }
  | { kind: "broken"; reason: string };
