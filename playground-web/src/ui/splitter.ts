// The bar between code and results: dragged, or moved by the arrow keys. Where the two lie one above the other it divides the height.

import { byId } from "@coopmat/shared/element";
import {
  EVEN,
  isShare,
  keepLayout,
  type Layout,
  layout,
  NARROWEST,
  putLayout,
  WIDEST,
} from "../state/appearance";

/** The page's own rule for where results lie below the code; layout.css has the same. */
const STACKED = "(max-width: 760px)";
const STEP = 2;
const LEAP = 10;

export interface Splitter {
  layout(): Layout;
  /** For this visit: a link's division is not the person's own. */
  show(layout: Partial<Layout>): void;
}

export function splitter(): Splitter {
  const bar = byId("splitter", HTMLElement);
  const stacked = matchMedia(STACKED);
  let now = layout();
  const side = (): keyof Layout => (stacked.matches ? "rows" : "columns");
  const draw = () => {
    putLayout(now);
    bar.setAttribute("aria-orientation", stacked.matches ? "horizontal" : "vertical");
    bar.setAttribute("aria-valuenow", String(Math.round(now[side()])));
    bar.setAttribute("aria-valuetext", `${Math.round(now[side()])} % for the editor`);
  };
  const move = (share: number) => {
    const bounded = Math.min(WIDEST, Math.max(NARROWEST, Math.round(share * 10) / 10));
    now = { ...now, [side()]: bounded };
    draw();
  };
  const settle = (share: number) => {
    move(share);
    keepLayout(now);
  };

  bar.onpointerdown = (event) => {
    if (event.button !== 0) return;
    event.preventDefault();
    bar.focus();
    bar.setPointerCapture(event.pointerId);
    bar.classList.add("dragged");
  };
  bar.onpointermove = ({ pointerId, clientX, clientY }) => {
    if (!bar.hasPointerCapture(pointerId)) return;
    const box = bar.parentElement?.getBoundingClientRect();
    if (!box) return;
    move(
      side() === "rows" ? ((clientY - box.top) / box.height) * 100 : ((clientX - box.left) / box.width) * 100,
    );
  };
  bar.onlostpointercapture = () => {
    bar.classList.remove("dragged");
    keepLayout(now);
  };
  bar.ondblclick = () => settle(EVEN[side()]);
  bar.onkeydown = (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const step = event.shiftKey ? LEAP : STEP;
    const share = now[side()];
    const to = {
      ArrowLeft: share - step,
      ArrowUp: share - step,
      ArrowRight: share + step,
      ArrowDown: share + step,
      Home: NARROWEST,
      End: WIDEST,
      Enter: EVEN[side()],
    }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    settle(to);
  };
  stacked.addEventListener("change", draw);
  draw();
  return {
    layout: () => now,
    show({ columns, rows }) {
      now = { columns: isShare(columns) ? columns : now.columns, rows: isShare(rows) ? rows : now.rows };
      draw();
    },
  };
}
