// A buffer's contents as the views draw them: a heat map, or the difference to what was expected.

import "@coopmat/shared/views/views.css";
import { Difference, drawable, folded, HeatMap, type MatrixData } from "@coopmat/shared/views";
import { componentOf, exact } from "@coopmat/shared/views/numbers";
import type { Contents } from "../../workers/simulator-protocol";
import type { Picture } from "./buffers";
import type { Judged } from "./model";

/** One picture for each buffer, which keeps its zoom and its scale from run to run. */
export function pictures(judged: (buffer: string) => Judged | undefined): Picture {
  const maps = new Map<string, HeatMap>();
  const hoped = new Map<string, { values: Float64Array; words: string } | undefined>();
  const differences = new Map<string, Difference>();
  // What each view shows, so that it is not drawn again whenever something beside it is.
  const shown = new WeakMap<object, string>();
  const numbers = new WeakMap<ArrayBufferLike, number>();
  let next = 0;
  const number = (of: Float64Array | undefined) => {
    if (!of) return "";
    if (!numbers.has(of.buffer)) numbers.set(of.buffer, next++);
    return `${numbers.get(of.buffer)}+${of.byteOffset}`;
  };
  const news = (view: object, key: string) => {
    if (shown.get(view) === key) return false;
    shown.set(view, key);
    return true;
  };
  /** Elements to select as soon as they are drawn. */
  const wanted = new Map<string, number>();
  const draw = (contents: Contents, values: Float64Array, matrix: number) => {
    const { info, expected } = contents;
    const columns = info.shape.at(-1) ?? 1;
    const rows = Math.max(1, Math.round(values.length / Math.max(1, columns)));
    const shape = info.shape.length === 1 ? folded(values.length) : { rows, columns };
    if (values.length === 0 || !drawable(shape.rows, shape.columns)) return undefined;
    const data = (values: Float64Array): MatrixData => ({
      name: info.name,
      component: componentOf(info.type),
      ...shape,
      values,
    });
    const part = (all: Float64Array) => all.subarray(matrix * values.length, (matrix + 1) * values.length);
    const held = values.buffer === contents.values.buffer;
    if (expected && !held && values.buffer !== expected.buffer) {
      const view = differences.get(info.name) ?? new Difference();
      differences.set(info.name, view);
      const [is, should] = [part(contents.values), part(expected)];
      const { tolerance, where } = judged(info.name) ?? {};
      const { against } = contents;
      if (news(view, `${number(is)} ${number(should)} ${JSON.stringify([tolerance, where, against])}`))
        view.show(data(is), should, tolerance, where, against && `under ${against}`);
      return view.body;
    }
    const { name } = info;
    const describe = (index: number) => {
      const { values, words } = hoped.get(name) ?? {};
      const wanted = values?.[index];
      return wanted === undefined ? "" : `${words} ${exact(wanted, componentOf(info.type))}`;
    };
    const map = maps.get(name) ?? new HeatMap({ height: 360, describe });
    maps.set(name, map);
    const should = expected && held ? part(expected) : undefined;
    const words = contents.against === undefined ? "Expected" : `Under ${contents.against}:`;
    hoped.set(name, should && { values: should, words });
    if (news(map, `${number(values)} ${number(should)}`)) map.show(data(values));
    const index = wanted.get(name);
    wanted.delete(name);
    if (index !== undefined && map.grid.has(index)) map.grid.select(index);
    return map.body;
  };
  return Object.assign(draw, {
    selected: (buffer: string) => maps.get(buffer)?.grid.selected,
    select: (buffer: string, index: number) => void wanted.set(buffer, index),
  });
}
