// A matrix beside what was expected of it: how far each element is off, and the worst one first.

import { element } from "../element";
import { HeatMap } from "./heat-map";
import { type MatrixData, place } from "./model";
import { distance, exact, MEASURE_TITLES, MEASURES, type Measure, many } from "./numbers";

export interface Worst {
  index: number;
  distance: number;
  /** Elements that are not exactly as expected. */
  differing: number;
}

/** How far each element is from the expected one, and the worst; NaN where only one is NaN counts more than any distance. */
export function differences(measure: Measure, actual: MatrixData, expected: ArrayLike<number>) {
  const count = actual.values.length;
  const values = new Float64Array(count);
  let worst: Worst | undefined;
  let differing = 0;
  for (let index = 0; index < count; index++) {
    const far = distance(measure, actual.component, actual.values[index] ?? 0, expected[index] ?? 0);
    values[index] = far;
    if (far === 0) continue;
    differing++;
    const worse = !worst || (Number.isNaN(far) ? !Number.isNaN(worst.distance) : far > worst.distance);
    if (worse) worst = { index, distance: far, differing };
  }
  return { values, worst: worst && { ...worst, differing } };
}

export class Difference {
  readonly body = element("div", { className: "matrix-view difference" });
  readonly map: HeatMap;
  private readonly measure = element("select", { ariaLabel: "Measure of the difference" });
  private readonly words = element("p", { className: "view-summary" });
  private readonly jump = element("button", { type: "button" }, "Go to the worst element");
  private actual: MatrixData | undefined;
  private expected: ArrayLike<number> = [];
  private worst: Worst | undefined;

  constructor() {
    this.map = new HeatMap({ describe: (index) => this.describe(index) });
    for (const value of MEASURES) this.measure.append(element("option", { value }, MEASURE_TITLES[value]));
    this.measure.onchange = () => this.update();
    this.jump.onclick = () => this.toWorst();
    this.body.append(
      element("div", { className: "view-bar" }, element("label", {}, "Difference ", this.measure), this.jump),
      this.words,
      this.map.body,
    );
  }

  show(actual: MatrixData, expected: ArrayLike<number>) {
    this.actual = actual;
    this.expected = expected;
    this.update();
  }

  private update() {
    const { actual } = this;
    if (!actual) return;
    const measure = this.measure.value as Measure;
    const { values, worst } = differences(measure, actual, this.expected);
    this.worst = worst;
    this.jump.disabled = !worst;
    this.words.textContent = worst
      ? `${many(worst.differing, "element")} of ${values.length} differ${worst.differing === 1 ? "s" : ""}; the worst is ${this.name(worst.index)}: ${this.describe(worst.index)}`
      : `All ${values.length} elements are exactly as expected.`;
    this.map.show({
      name: `Difference of ${actual.name}`,
      component: measure === "ulp" ? "units in the last place" : measure,
      rows: actual.rows,
      columns: actual.columns,
      values,
      ...(actual.folded && { folded: true }),
    });
  }

  private name(index: number) {
    if (this.actual?.folded) return `element ${index}`;
    const [row, column] = place(index, this.actual?.columns ?? 1);
    return `row ${row}, column ${column}`;
  }

  private describe(index: number): string {
    const { actual, expected } = this;
    if (!actual) return "";
    const [is, should] = [actual.values[index] ?? 0, expected[index] ?? 0];
    const ulps = distance("ulp", actual.component, is, should);
    return `It is ${exact(is)}, expected ${exact(should)} (${Number(ulps.toPrecision(3))} ulp)`;
  }

  private toWorst() {
    if (!this.worst) return;
    const { grid } = this.map;
    if (grid.scale < 24) grid.zoom(24 / grid.scale);
    grid.select(this.worst.index);
    grid.body.focus();
  }
}
