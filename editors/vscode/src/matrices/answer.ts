// What the debug adapter answers about matrices (`lsp/debug/src/matrices.rs`), and what the view of them is sent.

/** Of `coopmat/matrices`. */
export interface Listed {
  matrices: MatrixInfo[];
  leftOut: number;
}

export interface MatrixInfo {
  name: string;
  component: string;
  rows: number;
  columns: number;
  use: string;
  scope: string;
  written: boolean;
}

/** Of `coopmat/matrix`. */
export interface Matrix extends MatrixInfo {
  values: (number | string)[];
  undefined?: string;
  ownership: {
    name: string;
    source: string;
    length: number;
    invocations: number;
    elements: number[];
    note?: string;
  };
}

/** From the extension to the view. `where`: the frame that is looked at; `because`: why there is nothing to see. */
export type ToView =
  | { kind: "matrices"; where: string; listed: Listed; choose?: string }
  | { kind: "matrix"; matrix: Matrix }
  | { kind: "nothing"; because: string };

/** From the view to the extension. */
export type FromView = { kind: "ready" } | { kind: "show"; name: string };
