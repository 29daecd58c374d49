// What the server answers to a run, and what the view of its results is sent.

import type { LineWork, Outcome, Report, SourcePlace } from "@coopmat/shared/messages";

/** Generated from the crates that make them, as the page's are. */
export type { Report };
export type Place = SourcePlace;
export type Expectation = Outcome;

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
  /** What each line did. */
  lines?: LineWork[];
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
  | { kind: "run"; checked: boolean; strict: boolean; numerics: string; ownership: string }
  | { kind: "createRecipe" }
  | { kind: "reveal"; place: Place };
