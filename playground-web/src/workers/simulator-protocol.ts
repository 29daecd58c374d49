// What the page and the simulator's worker say to each other.

/** Counted from 0; columns in UTF-16, as editors count. */
export interface Position {
  line: number;
  character: number;
}

export interface Place {
  /** The name of the page's file. */
  file: string;
  start: Position;
  end: Position;
}

export interface Problem {
  message: string;
  place?: Place | null;
}

/** What is to be run. */
export interface Source {
  files: { name: string; text: string }[];
  /** The name of the shader's file. */
  shader: string;
  /** The name of the recipe's file. Without one it follows from the shader. */
  recipe?: string | undefined;
  /** A device profile, over the recipe's. */
  device?: string | undefined;
}

/** Over the first of the recipe's modes. */
export interface Choices {
  numerics?: string | undefined;
  ownership?: string | undefined;
  decode?: string | undefined;
  checked?: boolean | undefined;
  record?: Recorder | undefined;
}

/** Whose matrices are kept for the views, and of which line alone (from 0). */
export interface Recorder {
  workgroup: [number, number, number];
  subgroup: number;
  line?: [file: string, line: number] | undefined;
}

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

/** What there is to choose from. */
export interface Lists {
  numerics: string[];
  ownerships: string[];
  decodes: string[];
  devices: { name: string; title: string }[];
  /** Types of elements: single numbers, and blocks that share a scale. */
  components: string[];
  blocks: string[];
}

export interface Binding {
  set: number;
  binding: number;
  /** What a recipe calls it. */
  name: string;
  block: string;
  kind: "buffer" | "uniform" | "image" | "sampled image" | "sampler";
  count: number | null;
  readonly: boolean;
  bytes: number;
  type: string | null;
}

export interface Constant {
  id: number;
  name: string | null;
  type: string | null;
  default: number;
  value: number;
}

/** What the module wants to be given. */
export interface Interface {
  workgroupSize: [number, number, number];
  subgroupSize: number | null;
  bindings: Binding[];
  pushConstants: {
    bytes: number;
    members: { name: string; type: string; count: number; offset: number }[];
  } | null;
  specialization: Constant[];
}

export interface BufferInfo {
  name: string;
  bytes: number;
  /** Nothing for a buffer of members alone. */
  type: string | null;
  shape: number[];
  layout: "row-major" | "column-major";
  stride: number | null;
  offset: number | null;
  descriptor: [number, number, number] | null;
  uniform: boolean;
  /** An image of the shader: texels, and their channels last. */
  image: boolean;
  uninitialised: boolean;
  /** The reference that it is compared with. */
  expectation?: string | null;
}

export interface Modes {
  "subgroup-size": number;
  numerics: string;
  ownership: string;
  decode: string;
  checked: boolean;
}

/** Everything about a run before it begins. What cannot be told is null. */
export interface Description {
  problems: Problem[];
  interface?: Interface | null;
  /** The recipe, as its schema has it. */
  recipe?: Record<string, unknown> | null;
  plan?: {
    dispatch: [number, number, number];
    modes: Modes;
    stepLimit: number;
    buffers: BufferInfo[];
    expectations: { buffer: number; reference: string }[];
  } | null;
}

/** What a buffer holds. */
export interface Contents {
  info: BufferInfo;
  /** The elements in the order of the shape. */
  values: Float64Array;
  expected?: Float64Array | undefined;
  bytes: Uint8Array;
}

export type Real = number | "inf" | "-inf" | "NaN";

export interface Outcome {
  buffer: string;
  reference: string;
  met: boolean;
  elements: number;
  wrong: number;
  "max-absolute": Real;
  "max-relative": Real;
  "max-ulp": Real;
  worst?: { index: number[]; expected: Real; found: Real };
}

export interface SourcePlace {
  path: string;
  line: number;
  column: number;
}

export interface Finding {
  kind: string;
  message: string;
  place?: SourcePlace;
  other?: SourcePlace;
  instruction: number;
  workgroup: [number, number, number];
  invocation: number;
  expected: boolean;
  times: number;
}

/** As `coopmat-analyzer run --json` prints it. */
export interface Report {
  shader: string;
  recipe?: string;
  met: boolean;
  error?: { message: string; place?: SourcePlace };
  modes: Modes;
  dispatch: [number, number, number];
  "workgroup-size": [number, number, number];
  expectations: Outcome[];
  findings: Finding[];
  "missing-findings"?: { kind: string; line: number }[];
  work: {
    instructions: number;
    "by-family": [string, number][];
    "matrix-multiplies": number;
    "matrix-flops": number;
    "bytes-read": number;
    "bytes-written": number;
    workgroups: number;
  };
  log?: string[];
  seconds?: number;
}

export interface Ran {
  report: Report;
  /** The ranges of `report.findings`, in their order. */
  findingPlaces: (Place | null)[];
  buffers: Contents[];
  /** Where `Choices.record` asked for it. */
  recorded?: Recorded | undefined;
}

export interface Progress {
  /** Workgroups that have ended, of all. */
  done: number;
  all: number;
  steps: number;
}

/** Questions, each answered once under its number. */
export type Question =
  | { kind: "describe"; source: Source; choices: Choices }
  | { kind: "contents"; source: Source; buffer: string }
  | { kind: "init"; source: Source }
  | { kind: "ownership"; of: OwnershipQuestion }
  | { kind: "run"; source: Source; choices: Choices };

export type ToSimulator =
  | { kind: "start"; module: WebAssembly.Module }
  | { kind: "data"; name: string; bytes?: Uint8Array }
  | { kind: "stop" }
  | { kind: "ask"; id: number; question: Question };

export type FromSimulator =
  | { kind: "ready"; lists: Lists }
  | { kind: "progress"; id: number; progress: Progress }
  | { kind: "answer"; id: number; answer: unknown }
  | { kind: "problem"; id: number; problem: Problem }
  | { kind: "broken"; reason: string };
