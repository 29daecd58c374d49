// What the server answers to a run, and what the view of its results is sent.

export interface Place {
  path: string;
  line: number;
  column: number;
}

export interface Expectation {
  buffer: string;
  reference: string;
  met: boolean;
  elements: number;
  wrong: number;
  "max-absolute": number | string;
  worst?: { index: number[]; expected: number | string; found: number | string };
}

export interface Report {
  modes: { "subgroup-size": number; numerics: string; ownership: string; checked: boolean };
  met: boolean;
  expectations: Expectation[];
  findings: { message: string; place?: Place }[];
  error?: { message: string; place?: Place };
  work: Record<string, unknown>;
}

export interface Buffer {
  name: string;
  type: string;
  shape: number[];
  elements: (number | string)[];
  leftOut: number;
}

export interface Answer {
  summary: string;
  met: boolean;
  report?: Report;
  buffers?: Buffer[];
  /** The names of all modes. */
  modes?: { numerics: string[]; ownership: string[] };
  error?: { message: string; path?: string; line?: number; column?: number };
  /** The path of the recipe that there is not. */
  missingRecipe?: string;
  /** A recipe that is to be written. */
  created?: { path: string; uri: string; text: string };
}

/** From the extension to the view. */
export type ToView = { kind: "answer"; name: string; answer: Answer };

/** From the view to the extension. */
export type FromView =
  | { kind: "ready" }
  | { kind: "run"; checked: boolean; numerics: string; ownership: string }
  | { kind: "createRecipe" }
  | { kind: "reveal"; place: Place };
