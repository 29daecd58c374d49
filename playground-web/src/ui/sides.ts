// Where code and results do not fit beside each other, one of them is in view: the two buttons that choose it, and who else may.

export type Side = "code" | "result";

const buttons = () => document.querySelectorAll<HTMLButtonElement>(".sides [data-side]");

export const sideInView = (): Side =>
  document.documentElement.dataset.side === "result" ? "result" : "code";

/** Changes nothing to be seen where both are in view. */
export function showSide(side: Side) {
  document.documentElement.dataset.side = side;
  for (const button of buttons()) button.setAttribute("aria-pressed", String(button.dataset.side === side));
}

export function sides() {
  for (const button of buttons())
    button.onclick = () => showSide(button.dataset.side === "result" ? "result" : "code");
  showSide(sideInView());
}
