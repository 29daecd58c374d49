// Rows of tabs: by the keyboard arrows go along the row, Home and End to its ends, Enter opens; by the wheel a row that is longer than the page is wide
// moves along; the tab in view is scrolled to.

/** For all rows of the page, those that come later, too. */
export function tabKeys() {
  document.addEventListener("keydown", (event) => {
    const row = (event.target as Element | null)?.closest?.('[role="tablist"]');
    if (!row) return;
    const tabs = Array.from(row.querySelectorAll<HTMLElement>('[role="tab"]'));
    const at = tabs.indexOf(document.activeElement as HTMLElement);
    const to = {
      ArrowRight: (at + 1) % tabs.length,
      ArrowLeft: (at + tabs.length - 1) % tabs.length,
      Home: 0,
      End: tabs.length - 1,
    }[event.key];
    if (at < 0 || to === undefined) return;
    event.preventDefault();
    tabs[to]?.focus();
  });
  for (const row of document.querySelectorAll<HTMLElement>('[role="tablist"]'))
    row.addEventListener("wheel", (event) => along(row, event), { passive: false });
}

function along(row: HTMLElement, event: WheelEvent) {
  if (event.deltaX !== 0 || event.ctrlKey || row.scrollWidth <= row.clientWidth) return;
  event.preventDefault();
  row.scrollLeft += event.deltaY;
}

const chosen = (row: HTMLElement) =>
  Array.from(row.children).findIndex((tab) => tab.getAttribute("aria-selected") === "true");

/** Puts other tabs into a row; who is in the row stays there. */
export function replaceTabs(row: HTMLElement, tabs: readonly HTMLElement[]) {
  const at = Array.from(row.children).indexOf(document.activeElement as Element);
  const [before, count] = [chosen(row), row.childElementCount];
  row.replaceChildren(...tabs);
  // The one that was chosen by it, or the one that took its place.
  if (at >= 0) (tabs.length > at ? tabs[at] : tabs.at(-1))?.focus();
  // Not whenever a count changes: somebody may look along the row meanwhile.
  const now = chosen(row);
  if (now !== before || tabs.length !== count) reveal(row);
}

/** Scrolls a row to its tab in view; the page around it stays where it is. */
export function reveal(row: HTMLElement) {
  const tab = row.children[chosen(row)];
  if (!(tab instanceof HTMLElement)) return;
  const [left, right] = [tab.offsetLeft - row.offsetLeft, tab.offsetLeft - row.offsetLeft + tab.offsetWidth];
  if (left < row.scrollLeft) row.scrollLeft = left;
  else if (right > row.scrollLeft + row.clientWidth) row.scrollLeft = right - row.clientWidth;
}
