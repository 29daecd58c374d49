// The colours of the page or of the editor around the views, and when they change.

export interface Theme {
  dark: boolean;
  background: string;
  raised: string;
  text: string;
  faint: string;
  line: string;
  accent: string;
  font: string;
}

/** Read from the element's custom properties, which views.css sets from the page's, or from the editor's. */
export function themeOf(element: Element): Theme {
  const style = getComputedStyle(element);
  const read = (name: string, otherwise: string) => style.getPropertyValue(name).trim() || otherwise;
  const background = read("--view-background", "#ffffff");
  return {
    dark: isDark(background),
    background,
    raised: read("--view-raised", "#f3f5f7"),
    text: read("--view-text", "#1d2530"),
    faint: read("--view-faint", "#5a6573"),
    line: read("--view-line", "#cfd6de"),
    accent: read("--view-accent", "#0b5cad"),
    font: style.fontFamily || "sans-serif",
  };
}

function isDark(colour: string): boolean {
  const digits = /^#([0-9a-f]{6}|[0-9a-f]{3})/i.exec(colour)?.[1];
  const parts = digits
    ? (digits.length === 3 ? [...digits].map((digit) => digit + digit) : (digits.match(/../g) ?? [])).map(
        (part) => Number.parseInt(part, 16),
      )
    : (colour.match(/[\d.]+/g) ?? ["255", "255", "255"]).map(Number);
  const [r = 255, g = 255, b = 255] = parts;
  return 0.299 * r + 0.587 * g + 0.114 * b < 128;
}

const listeners = new Set<() => void>();
let watching = false;

/** Calls when the page turns light or dark. */
export function onTheme(listener: () => void) {
  listeners.add(listener);
  if (watching) return;
  watching = true;
  const tell = () =>
    requestAnimationFrame(() => {
      for (const listener of listeners) listener();
    });
  // The page says it at its root, VS Code's webviews at their body.
  const observer = new MutationObserver(tell);
  for (const element of [document.documentElement, document.body])
    observer.observe(element, { attributes: true, attributeFilter: ["data-theme", "class", "style"] });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
}
