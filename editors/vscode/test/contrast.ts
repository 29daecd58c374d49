// How well text can be read on its background: the contrast ratio of WCAG 2 (https://www.w3.org/TR/WCAG22/#dfn-contrast-ratio).

/** What small text needs (success criterion 1.4.3). */
export const READABLE = 4.5;

/** `#rrggbb`, or what browsers answer: `rgb(r, g, b)`. */
function channels(colour: string): number[] {
  const hex = /^#([0-9a-f]{6})$/i.exec(colour)?.[1];
  const parts = hex
    ? [0, 2, 4].map((at) => Number.parseInt(hex.slice(at, at + 2), 16))
    : (colour
        .match(/^rgba?\((.*)\)$/)?.[1]
        ?.split(",")
        .map(Number) ?? []);
  if (parts.length < 3 || parts.some(Number.isNaN)) throw new Error(`not a colour: ${colour}`);
  if (parts[3] !== undefined && parts[3] !== 1) throw new Error(`what lies below ${colour} is not known`);
  return parts.slice(0, 3);
}

function luminance(colour: string): number {
  const linear = (part: number) =>
    part / 255 <= 0.04045 ? part / 255 / 12.92 : ((part / 255 + 0.055) / 1.055) ** 2.4;
  const [red = 0, green = 0, blue = 0] = channels(colour).map(linear);
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

export function contrast(text: string, background: string): number {
  const [low = 0, high = 0] = [luminance(text), luminance(background)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
