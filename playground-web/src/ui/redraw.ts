// Draws a container anew without taking what somebody is typing: elements with a `data-key` keep focus, text and selection, and parts
// (`part-...`) stay open or closed.

export function redraw(container: HTMLElement, children: (Node | string)[]) {
  const active = document.activeElement;
  const key = active instanceof HTMLElement && container.contains(active) ? active.dataset.key : undefined;
  const open = new Map<string, boolean>();
  for (const one of container.querySelectorAll<HTMLDetailsElement>('details[data-key^="part-"]'))
    open.set(one.dataset.key ?? "", one.open);
  const typed =
    active instanceof HTMLInputElement || active instanceof HTMLTextAreaElement
      ? {
          value: active.value,
          dirty: active.value !== active.defaultValue,
          start: active.type === "text" ? active.selectionStart : null,
          end: active.type === "text" ? active.selectionEnd : null,
        }
      : undefined;
  const { scrollTop } = container;
  container.replaceChildren(...children);
  container.scrollTop = scrollTop;
  for (const one of container.querySelectorAll<HTMLDetailsElement>('details[data-key^="part-"]')) {
    const was = open.get(one.dataset.key ?? "");
    if (was !== undefined) one.open = was;
  }
  if (key === undefined) return;
  const again = container.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
  again?.focus({ preventScroll: true });
  if (typed && (again instanceof HTMLInputElement || again instanceof HTMLTextAreaElement)) {
    if (typed.dirty) again.value = typed.value;
    if (typed.start !== null && again.type === "text") again.setSelectionRange(typed.start, typed.end);
  }
}
