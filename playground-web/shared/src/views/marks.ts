// Signs for what is no number, so that it is told by shape and not by colour alone.

import { css, inkOn } from "./colour";
import type { Theme } from "./theme";

export type Mark = "nan" | "infinity" | "negative-infinity" | "undefined" | "outside" | "inactive";

export const MARK_TITLES: Record<Mark, string> = {
  nan: "NaN",
  infinity: "infinite",
  "negative-infinity": "negative infinite",
  undefined: "undefined",
  outside: "outside",
  inactive: "inactive",
};

export const MARK_SIGNS: Record<Mark, string> = {
  nan: "✕",
  infinity: "▲",
  "negative-infinity": "▼",
  undefined: "?",
  outside: "▨",
  inactive: "▧",
};

/** Magenta: on neither of the scales. */
const NAN = 0xb5179e;

/** The mark of a value, if it needs one. */
export function markOf(value: number, undefinedThere: boolean): Mark | undefined {
  if (undefinedThere) return "undefined";
  if (Number.isFinite(value)) return undefined;
  if (Number.isNaN(value)) return "nan";
  return value > 0 ? "infinity" : "negative-infinity";
}

/** In a cell whose corner, width and height these are. */
export function drawMark(
  context: CanvasRenderingContext2D,
  mark: Mark,
  left: number,
  top: number,
  width: number,
  height: number,
  theme: Theme,
) {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  const size = Math.min(width, height);
  const [x, y] = [left + (width - size) / 2, top + (height - size) / 2];
  switch (mark) {
    case "nan": {
      context.fillStyle = css(NAN);
      context.fillRect(left, top, width, height);
      context.strokeStyle = inkOn(NAN);
      context.lineWidth = Math.max(1, size / 14);
      const edge = size * 0.22;
      context.beginPath();
      context.moveTo(x + edge, y + edge);
      context.lineTo(x + size - edge, y + size - edge);
      context.moveTo(x + size - edge, y + edge);
      context.lineTo(x + edge, y + size - edge);
      context.stroke();
      break;
    }
    case "infinity":
    case "negative-infinity": {
      context.fillStyle = theme.text;
      context.fillRect(left, top, width, height);
      const up = mark === "infinity";
      const [tip, base] = up ? [0.22, 0.78] : [0.78, 0.22];
      context.fillStyle = theme.background;
      context.beginPath();
      context.moveTo(x + size / 2, y + size * tip);
      context.lineTo(x + size * 0.8, y + size * base);
      context.lineTo(x + size * 0.2, y + size * base);
      context.fill();
      break;
    }
    case "undefined":
    case "outside":
    case "inactive": {
      context.fillStyle = theme.raised;
      context.fillRect(left, top, width, height);
      context.strokeStyle = mark === "undefined" ? theme.faint : theme.line;
      context.lineWidth = 1;
      context.beginPath();
      // In step with the neighbours, so that lines run on.
      const step = 6;
      const first = Math.floor((left + top) / step) * step;
      for (let at = first; at < left + top + width + height; at += step) {
        context.moveTo(at - top - height, top + height);
        context.lineTo(at - top, top);
      }
      context.stroke();
      if (mark === "undefined" && size >= 12) {
        context.fillStyle = theme.raised;
        context.fillRect(x + size * 0.3, y + size * 0.2, size * 0.4, size * 0.6);
        context.fillStyle = theme.text;
        context.font = `bold ${Math.min(16, size * 0.5)}px ${theme.font}`;
        context.textAlign = "center";
        context.textBaseline = "middle";
        context.fillText("?", x + size / 2, y + size / 2);
      }
      break;
    }
  }
  context.restore();
}

/** Where cells are too small for a sign: large enough to be seen. */
export function spot(context: CanvasRenderingContext2D, mark: Mark, x: number, y: number, theme: Theme) {
  if (mark === "outside" || mark === "undefined" || mark === "inactive") {
    context.fillStyle = theme.faint;
    context.fillRect(x - 1, y - 1, 2, 2);
    return;
  }
  context.beginPath();
  context.arc(x, y, 3, 0, 2 * Math.PI);
  context.fillStyle = mark === "nan" ? css(NAN) : theme.text;
  context.fill();
  context.lineWidth = 1;
  context.strokeStyle = theme.background;
  context.stroke();
}
