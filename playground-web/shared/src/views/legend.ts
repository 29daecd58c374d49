// The legend of a heat map: its colours with numbers, and above each colour how many elements have it. What is no number is counted beside it.

import { element } from "../element";
import { colourOf, css } from "./colour";
import { MARK_SIGNS, MARK_TITLES, type Mark } from "./marks";
import { exact, many, short } from "./numbers";
import { histogram, type Scale } from "./scale";
import { onTheme, themeOf } from "./theme";

const BINS = 48;
const HEIGHT = { bars: 44, strip: 10, ticks: 18 };

export class Legend {
  readonly body = element("div", { className: "view-legend" });
  /** Called with a mark when the next one is wanted. */
  onMark: (mark: Mark) => void = () => {};
  private readonly canvas = element("canvas", { attributes: { role: "img" } });
  private readonly marks = element("div", { className: "view-marks" });
  private scale: Scale | undefined;
  private counts: number[] = [];

  constructor() {
    this.body.append(this.canvas, this.marks);
    new ResizeObserver(() => this.draw()).observe(this.body);
    onTheme(() => this.draw());
  }

  show(
    values: ArrayLike<number>,
    scale: Scale,
    marks: ReadonlyMap<Mark, number>,
    skip?: (index: number) => boolean,
  ) {
    this.scale = scale;
    this.counts = histogram(values, scale, BINS, skip);
    const ends = `from ${exact(scale.low)} to ${exact(scale.high)}`;
    this.canvas.setAttribute("aria-label", `Colours ${ends}, with a histogram of ${values.length} elements`);
    this.marks.replaceChildren(
      ...[...marks].map(([mark, count]) =>
        element(
          "button",
          {
            type: "button",
            className: `view-mark ${mark}`,
            title: `Go to the next ${MARK_TITLES[mark]} element`,
            onclick: () => this.onMark(mark),
          },
          element("span", { attributes: { "aria-hidden": "true" } }, MARK_SIGNS[mark]),
          ` ${many(count, `${MARK_TITLES[mark]} element`)}`,
        ),
      ),
    );
    this.draw();
  }

  private draw() {
    const { scale } = this;
    const width = this.body.clientWidth;
    const context = this.canvas.getContext("2d");
    if (!scale || !context || width === 0) return;
    const theme = themeOf(this.body);
    const ratio = devicePixelRatio || 1;
    const height = HEIGHT.bars + HEIGHT.strip + HEIGHT.ticks;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    // Square roots, so that a single element is seen beside a thousand.
    const most = Math.sqrt(Math.max(1, ...this.counts));
    const wide = width / BINS;
    for (const [bin, count] of this.counts.entries()) {
      const colour = css(colourOf(scale.scheme, (bin + 0.5) / BINS, theme.dark));
      if (count > 0) {
        const high = Math.max(2, (Math.sqrt(count) / most) * (HEIGHT.bars - 4));
        context.fillStyle = theme.faint;
        context.fillRect(bin * wide, HEIGHT.bars - high, Math.max(1, wide - 1), high);
        context.fillStyle = colour;
        context.fillRect(bin * wide + 1, HEIGHT.bars - high + 1, Math.max(1, wide - 3), high - 1);
      }
    }
    for (let x = 0; x < width; x++) {
      context.fillStyle = css(colourOf(scale.scheme, x / Math.max(1, width - 1), theme.dark));
      context.fillRect(x, HEIGHT.bars, 1, HEIGHT.strip);
    }
    context.strokeStyle = theme.faint;
    context.strokeRect(0.5, HEIGHT.bars + 0.5, width - 1, HEIGHT.strip - 1);
    context.fillStyle = theme.text;
    context.font = `11px ${theme.font}`;
    context.textBaseline = "alphabetic";
    const ticks = width < 260 ? [0, 0.5, 1] : [0, 0.25, 0.5, 0.75, 1];
    for (const part of ticks) {
      context.textAlign = part === 0 ? "left" : part === 1 ? "right" : "center";
      context.fillText(short(tidy(scale, part)), part * width, height - 4);
      context.fillRect(Math.min(width - 1, Math.max(0, part * width)), HEIGHT.bars + HEIGHT.strip, 1, 3);
    }
  }
}

/** The value of a part of the scale; nothing that rounding made of a zero. */
function tidy(scale: Scale, part: number): number {
  const value = scale.value(part);
  return Math.abs(value) < Math.abs(scale.high - scale.low) * 1e-12 ? 0 : value;
}
