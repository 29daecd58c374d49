// Rows of tabs by the keyboard: arrows go along the row, Home and End to its ends, Enter opens.

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
}

/** Puts other tabs into a row; who is in the row stays there. */
export function replaceTabs(row: HTMLElement, tabs: readonly HTMLElement[]) {
  const at = Array.from(row.children).indexOf(document.activeElement as Element);
  row.replaceChildren(...tabs);
  // The one that was chosen by it, or the one that took its place.
  if (at >= 0) (tabs.length > at ? tabs[at] : tabs.at(-1))?.focus();
}
