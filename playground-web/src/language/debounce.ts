// Waits for a moment of quiet before acting.

export interface Debounced {
  (): void;
  cancel(): void;
}

export function debounced(milliseconds: number, act: () => void): Debounced {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const wait = () => {
    clearTimeout(timer);
    timer = setTimeout(act, milliseconds);
  };
  wait.cancel = () => clearTimeout(timer);
  return wait;
}
