// What the debug adapter answers about matrices (`lsp/debug/src/matrices.rs`), and what the view of them is sent.

import type { MatrixInfo as Generated } from "@coopmat/shared/messages";

/** Of `coopmat/matrices`. */
export interface Listed {
  matrices: MatrixInfo[];
  leftOut: number;
}

/** With an expression that names it; the rest is generated from the crates that make it, as the page's is. */
export type MatrixInfo = Generated & { name: string };

/** Of `coopmat/matrix`. */
export type Matrix = MatrixInfo & {
  values: (number | string)[];
  ownership: {
    name: string;
    source: string;
    length: number;
    invocations: number;
    elements: number[];
    note?: string;
  };
};

/** From the extension to the view. `where`: the frame that is looked at; `because`: why there is nothing to see. */
export type ToView =
  | { kind: "matrices"; where: string; listed: Listed; choose?: string }
  | { kind: "matrix"; matrix: Matrix }
  | { kind: "nothing"; because: string };

/** From the view to the extension. */
export type FromView = { kind: "ready" } | { kind: "show"; name: string };
