// A matrix beside what was expected of it: how far each element is off, and the worst one first.

import { element } from "../element";
import { HeatMap } from "./heat-map";
import { type MatrixData, place } from "./model";
import {
  type Apart,
  apart,
  exact,
  grouped,
  MEASURE_TITLES,
  MEASURES,
  type Measure,
  many,
  type Tolerance,
  wanted,
} from "./numbers";

export interface Worst {
  index: number;
  apart: Apart;
}

/** How far each element is from the expected one, how many are off, and the worst: what is outside of the tolerance comes first. */
export function differences(
  measure: Measure,
  actual: MatrixData,
  expected: ArrayLike<number>,
  tolerance?: Tolerance,
) {
  const count = actual.values.length;
  const values = new Float64Array(count);
  let worst: Worst | undefined;
  let differing = 0;
  let wrong = 0;
  for (let index = 0; index < count; index++) {
    const found = apart(actual.component, actual.values[index] ?? 0, expected[index] ?? 0, tolerance);
    const far = found[measure];
    values[index] = far;
    if (far === 0) continue;
    differing++;
    if (!found.met) wrong++;
    const before = worst?.apart;
    if (!before || (found.met === before.met ? far > before[measure] : before.met))
      worst = { index, apart: found };
  }
  return { values, worst, differing, wrong };
}

export class Difference {
  readonly body = element("div", { className: "matrix-view difference" });
  readonly map: HeatMap;
  private readonly measure = element("select", { ariaLabel: "Measure of the difference" });
  private readonly words = element("p", { className: "view-summary" });
  private readonly jump = element("button", { type: "button" }, "Go to the worst element");
  private actual: MatrixData | undefined;
  private expected: ArrayLike<number> = [];
  private tolerance: Tolerance | undefined;
  /** The condition of the elements that the expectation compares, where it leaves others out. */
  private only: string | undefined;
  /** What the other numbers are, in a sentence: `expected`, or whose they are. */
  private others = "expected";
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

  /** Without a tolerance, what is expected is the number of the type that is nearest to `expected`. `only`: which elements count. */
  show(
    actual: MatrixData,
    expected: ArrayLike<number>,
    tolerance?: Tolerance,
    only?: string,
    others = "expected",
  ) {
    this.only = only;
    this.others = others;
    this.actual = actual;
    this.expected = expected;
    this.tolerance = tolerance;
    this.update();
  }

  private update() {
    const { actual } = this;
    if (!actual) return;
    const measure = this.measure.value as Measure;
    const { values, worst, differing, wrong } = differences(measure, actual, this.expected, this.tolerance);
    this.worst = worst;
    this.jump.disabled = !worst;
    const of = `${grouped(differing)} of ${many(values.length, "element")} ${differing === 1 ? "differs" : "differ"}`;
    const verdict =
      wrong > 0 ? `, ${grouped(wrong)} by more than the tolerance` : ", all within the tolerance";
    this.words.textContent = worst
      ? `${of}${this.tolerance ? verdict : ""}. The worst is ${this.name(worst.index)}: ${this.describe(worst.index)}.`
      : `${values.length === 1 ? "The element is" : `All ${grouped(values.length)} elements are`} exactly as ${this.others}.`;
    if (this.only) this.words.textContent += ` The expectation compares only elements where ${this.only}.`;
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
    const { component } = actual;
    const { ulp } = apart(component, is, should, this.tolerance);
    const expectation = wanted(component, should, this.tolerance);
    return `It is ${exact(is, component)}, ${this.others} ${exact(expectation, component)} (${Number.isFinite(ulp) ? grouped(ulp) : exact(ulp)} ulp)`;
  }

  private toWorst() {
    if (this.worst) this.map.go(this.worst.index);
  }
}
