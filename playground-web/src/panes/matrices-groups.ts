// Recorded operations by the instruction that they are: each line of the source once, with all the times that it was executed.

import type { RecordedEvent } from "@coopmat/shared/views";

export interface Operation {
  title: string;
  path: string | undefined;
  /** From 0. */
  line: number | undefined;
  /** In the order of the run. */
  events: RecordedEvent[];
}

/** In the order of the source, file by file; what has no place last. */
export function groupEvents(events: readonly RecordedEvent[]): Operation[] {
  const groups = new Map<number, Operation>();
  for (const event of events) {
    const known = groups.get(event.instruction);
    if (known) known.events.push(event);
    else {
      const { title, path, line } = event;
      groups.set(event.instruction, { title, path, line, events: [event] });
    }
  }
  const place = ({ line }: Operation) => line ?? Infinity;
  return [...groups.values()].sort((one, other) => {
    if (one.path !== other.path) return (one.path ?? "\uffff") < (other.path ?? "\uffff") ? -1 : 1;
    return place(one) === place(other) ? 0 : place(one) - place(other);
  });
}
