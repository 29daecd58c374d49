// What each line did in the last run, beside its number: its share of the instructions or of the bytes. An edit of a text takes its marks away.

import { RangeSet, StateEffect, StateField } from "@codemirror/state";
import { GutterMarker, gutter } from "@codemirror/view";
import { element } from "@coopmat/shared/element";
import type { LineWork } from "@coopmat/shared/messages";
import { grouped } from "@coopmat/shared/views/numbers";
import type { Editor } from "../editor";
import type { RunModel } from "./model";

export type Measure = "instructions" | "bytes";

/** A line that did something, and its share of the whole, from 0 to 1. */
interface Warm {
  line: number;
  share: number;
  title: string;
}

class Mark extends GutterMarker {
  constructor(private readonly warm: Warm) {
    super();
  }
  override eq({ warm }: Mark) {
    return warm.title === this.warm.title;
  }
  override toDOM() {
    const { share, title } = this.warm;
    const mark = element("span", { className: "cm-heat", title }, percent(share));
    mark.style.setProperty("--heat", `${Math.round(Math.sqrt(share) * 100)}%`);
    return mark;
  }
}

const percent = (share: number) => (share < 0.005 ? "<1 %" : `${Math.round(share * 100)} %`);

const setHeat = StateEffect.define<readonly Warm[]>();
const heat = StateField.define<RangeSet<GutterMarker>>({
  create: () => RangeSet.empty,
  update(marks, transaction) {
    let next = transaction.docChanged ? RangeSet.empty : marks;
    const doc = transaction.newDoc;
    for (const effect of transaction.effects)
      if (effect.is(setHeat))
        next = RangeSet.of(
          effect.value
            .filter(({ line }) => line <= doc.lines)
            .map((warm) => new Mark(warm).range(doc.line(warm.line).from)),
          true,
        );
    return next;
  },
});

/** To be in the editor before the first file is opened. It takes no room without marks. */
export const heatGutter = [
  heat,
  gutter({ class: "cm-heat-gutter", markers: (view) => view.state.field(heat) }),
];

/** "12 % of the instructions: 34,560; 2,048 bytes": in words, also for who does not see the colour. */
export function words(work: LineWork, measure: Measure, share: number): string {
  const { instructions, bytes } = work;
  const one = `${grouped(instructions)} ${instructions === 1 ? "instruction" : "instructions"}`;
  const moved =
    bytes === undefined
      ? "; bytes not counted"
      : bytes === 0
        ? ""
        : `; ${grouped(bytes)} bytes read and written`;
  return measure === "instructions"
    ? `${percent(share)} of the instructions: ${grouped(instructions)}${moved}`
    : `${percent(share)} of the bytes: ${grouped(bytes ?? 0)}; ${one}`;
}

/** Lines with what they are measured by, those with most first. */
export function warm(lines: readonly LineWork[], measure: Measure) {
  const of = (work: LineWork) => work[measure] ?? 0;
  const all = lines.reduce((sum, work) => sum + of(work), 0);
  return lines
    .filter((work) => of(work) > 0)
    .sort((a, b) => of(b) - of(a))
    .map((work) => ({ ...work, share: of(work) / all, title: words(work, measure, of(work) / all) }));
}

export class Heat {
  measure: Measure | undefined;
  /** The texts that ran, without those that have their marks. */
  private waiting = new Map<string, string>();
  private lines: readonly LineWork[] = [];

  constructor(
    private readonly editor: Editor,
    model: RunModel,
  ) {
    model.onRun((ran, source) => {
      // What a run did until it stopped says little of where runs spend their time.
      this.lines = ran.report.error ? [] : ran.lines;
      this.draw(source.files);
    });
    editor.onChange(() => this.put(editor.activeName));
  }

  choose(measure: Measure | undefined) {
    this.measure = measure;
    this.draw(this.ran);
  }

  /** The lines that did most. */
  get hottest() {
    return this.measure ? warm(this.lines, this.measure) : [];
  }

  private ran: readonly { name: string; text: string }[] = [];

  private draw(files: readonly { name: string; text: string }[]) {
    this.ran = files;
    this.waiting = new Map(files.map(({ name, text }) => [name, text]));
    for (const { name } of files) this.put(name);
  }

  /** Marks a file that has a tab, once, if its text is the one that ran. */
  private put(name: string) {
    const text = this.waiting.get(name);
    if (text === undefined || !this.editor.stateOf(name)) return;
    this.waiting.delete(name);
    const marks = text === this.editor.text(name) ? this.hottest.filter(({ path }) => path === name) : [];
    this.editor.apply(name, setHeat.of(marks));
  }
}
