// What the debugger pane knows: the session, where it stands, what is seen there. The worker does the work.

import { fromBase64 } from "@coopmat/shared/data";
import type { DebuggerView } from "@coopmat/shared/project/view";
import type { DebuggerClient } from "../../debugger/client";
import { uriOf } from "../../language/workspace";
import { NoAnswer } from "../../simulator/client";
import type {
  Breakpoint,
  Evaluated,
  Frame,
  Motion,
  State,
  Value,
  Variable,
} from "../../workers/debugger-protocol";
import type { Editor } from "../editor";
import type { RunModel } from "../run/model";
import { type Mark, marksOf, putMarks, setMarks, showHere } from "./gutter";

export class DebuggerModel {
  state: State | undefined;
  /** Why there is no session, or why it ended. */
  problem: string | undefined;
  /** A motion is under way. */
  moving = false;
  progress: { time: number; furthest: number } | undefined;
  frame = 0;
  variables: Variable[] = [];
  watches: string[] = [];
  watched: Evaluated[] = [];
  /** Matrices whose elements are shown, by expression; those of watches by `watch` and the expression. */
  readonly whole = new Map<string, Value>();
  checked = false;
  /** The dispatch that runs under the debugger, from 0. Those before it run first. */
  dispatch = 0;
  stopAtFindings = true;
  /** The texts changed since the session began. */
  stale = false;
  /** Breakpoints of texts that are still to come. */
  private waiting: Breakpoint[] = [];
  private before = new Map<string, string>();
  private values = new Map<string, string>();
  private readonly opened = new Set<string>();
  private readonly listeners = new Set<() => void>();
  /** The breakpoints changed: they are kept with the project. */
  onMarks: () => void = () => {};
  /** What stands there is still being fetched. */
  looking = 0;
  private asked = 0;
  private texts = "";
  /** The worker has older breakpoints than the editor. */
  private unsent = false;
  /** Answers for a session that has ended concern nobody. */
  private session = 0;

  constructor(
    readonly editor: Editor,
    readonly client: DebuggerClient,
    private readonly run: RunModel,
  ) {
    client.onProgress = (time, furthest) => {
      this.progress = { time, furthest };
      this.tell();
    };
    run.onChange(() => {
      this.put();
      // Another recipe may have fewer.
      const idle = !this.state && !this.moving;
      if (idle && this.dispatch > 0 && this.dispatch >= run.dispatches.length) this.dispatch = 0;
      this.tell();
    });
    editor.onChange(() => {
      if (this.waiting.length > 0) queueMicrotask(() => this.put());
      if (!this.state) return;
      const stale = this.key() !== this.texts;
      if (stale !== this.stale) {
        this.stale = stale;
        queueMicrotask(() => this.tell());
      }
      // Another tab is in view: the line may be in it.
      queueMicrotask(() => this.point(false));
    });
  }

  /** The names of the recipe's dispatches, where it lists them. */
  get dispatches(): string[] {
    return this.run.dispatches;
  }

  onChange(listener: () => void) {
    this.listeners.add(listener);
  }

  private tell() {
    for (const listener of this.listeners) listener();
  }

  private key() {
    return JSON.stringify(this.editor.files());
  }

  get frames(): Frame[] {
    return this.state?.stack ?? [];
  }

  get current(): Frame | undefined {
    return this.frames[this.frame];
  }

  /** The breakpoints of all files. */
  get breakpoints(): (Breakpoint & { mark: Mark })[] {
    return this.editor.textNames().flatMap((name) => {
      const state = this.editor.stateOf(name);
      if (!state) return [];
      return [...marksOf(state)]
        .sort((a, b) => a.at - b.at)
        .map((mark) => ({
          file: name,
          line: state.doc.lineAt(mark.at).number - 1,
          ...(mark.condition && { condition: mark.condition }),
          ...(mark.workgroup && { workgroup: mark.workgroup }),
          ...(mark.subgroup !== undefined && { subgroup: mark.subgroup }),
          mark,
        }));
    });
  }

  /** Puts breakpoints that were kept, or came by a link, where they were. */
  restore(kept: readonly Breakpoint[]) {
    this.waiting = kept.filter(({ file }) => this.editor.awaits(file));
    this.mark(kept.filter(({ file }) => !this.editor.awaits(file)));
    void this.marked();
  }

  /** Those whose text has come are put where they belong. */
  private put() {
    const here = this.waiting.filter(({ file }) => !this.editor.awaits(file));
    if (here.length === 0) return;
    this.waiting = this.waiting.filter((one) => !here.includes(one));
    this.mark(here, new Set(here.map(({ file }) => file)));
  }

  /** Replaces the breakpoints of all texts, or of some. */
  private mark(kept: readonly Breakpoint[], of?: ReadonlySet<string>) {
    for (const name of this.editor.textNames()) {
      const doc = this.editor.stateOf(name)?.doc;
      if (!doc || of?.has(name) === false) continue;
      const marks = new Map<number, Mark>();
      for (const { file, line, condition = "", workgroup, subgroup } of kept) {
        if (file !== name || line >= doc.lines) continue;
        const at = doc.line(line + 1).from;
        marks.set(at, { at, condition, workgroup, subgroup });
      }
      this.editor.apply(name, setMarks.of([...marks.values()]));
    }
  }

  /** Without the marks of the editor, as it is kept and told. */
  get wire(): Breakpoint[] {
    return [...this.breakpoints.map(({ mark: _, ...breakpoint }) => breakpoint), ...this.waiting];
  }

  /** The breakpoints changed: the worker hears of it. */
  async marked() {
    this.tell();
    this.onMarks();
    this.unsent = this.state !== undefined || this.moving;
    if (!this.moving) await this.send();
  }

  /** Not while the run moves: it is told when it stands. */
  private async send() {
    if (!this.unsent) return;
    this.unsent = false;
    await this.client.breakpoints(this.wire).catch(() => undefined);
  }

  limit(wanted: Breakpoint & { mark: Mark }, limits: Partial<Mark>) {
    this.editor.select(wanted.file);
    const { view } = this.editor;
    const next = marksOf(view.state).map((mark) =>
      mark.at === wanted.mark.at ? { ...mark, ...limits } : mark,
    );
    putMarks(view, next);
  }

  remove(unwanted: Breakpoint & { mark: Mark }) {
    this.editor.select(unwanted.file);
    const { view } = this.editor;
    putMarks(
      view,
      marksOf(view.state).filter(({ at }) => at !== unwanted.mark.at),
    );
  }

  /** Begins a session, at the first line. */
  async begin() {
    this.end();
    const { session } = this;
    this.moving = true;
    this.texts = this.key();
    this.stale = false;
    this.tell();
    try {
      await this.run.compile();
      const kept = (this.run.options.data ?? []).map(({ name, base64 }) => ({
        name,
        bytes: fromBase64(base64),
      }));
      const data = [...kept, ...this.run.compiled()];
      const choices = { ...this.run.choices, ...(this.checked && { checked: true }) };
      const wire = this.wire;
      const source = { ...this.run.source, dispatch: this.dispatch };
      const begun = await this.client.begin(source, choices, data, wire, this.stopAtFindings);
      if (session !== this.session) return;
      this.settle(wire, begun.verified);
      await this.arrive(begun.state);
    } catch (error) {
      this.fail(error, session);
    }
  }

  /** Breakpoints of the file in view move to where they stand. */
  private settle(wire: Breakpoint[], verified: (number | null)[]) {
    const { view, activeName } = this.editor;
    const lines = new Map(
      wire.flatMap(({ file, line }, index) =>
        file === activeName ? [[line, verified[index] ?? line] as const] : [],
      ),
    );
    const known = marksOf(view.state);
    const moved = known.map((mark) => {
      const line = view.state.doc.lineAt(mark.at).number - 1;
      const to = Math.min((lines.get(line) ?? line) + 1, view.state.doc.lines);
      return { ...mark, at: view.state.doc.line(to).from };
    });
    if (moved.some((mark, index) => mark.at !== known[index]?.at))
      putMarks(
        view,
        moved.filter((mark, index) => moved.findIndex(({ at }) => at === mark.at) === index),
      );
  }

  async go(motion: Motion, backwards = false, time = 0) {
    if (!this.state) return;
    if (motion !== "time" && this.moving) return;
    this.moving = true;
    this.progress = undefined;
    this.tell();
    const number = ++this.asked;
    const { session } = this;
    try {
      const state = await this.client.go(motion, backwards, time);
      // Whoever scrubs asks for many moments; the last one counts.
      if (number === this.asked && session === this.session) await this.arrive(state);
    } catch (error) {
      this.fail(error, session);
    }
  }

  /** Where the session stands, for links. */
  step(): DebuggerView | undefined {
    if (!this.state || this.moving) return undefined;
    const { time, subgroup } = this.state;
    return {
      ...(this.dispatch > 0 && { dispatch: this.dispatch }),
      time,
      subgroup,
      frame: this.frame,
      ...(this.checked && { checked: true }),
      ...(this.watches.length > 0 && { watches: this.watches }),
    };
  }

  /** Begins a session, and goes where a link's stood; `wanted`: whether anybody still waits for it. */
  async restoreStep(view: DebuggerView, wanted: () => boolean) {
    const { dispatch = 0, time, subgroup, frame, checked, watches } = view;
    this.dispatch = dispatch;
    this.checked = checked ?? false;
    this.watches = [...(watches ?? [])];
    await this.begin();
    if (wanted() && this.state && time > 0) await this.go("time", false, time);
    if (wanted() && this.state && this.state.subgroup !== subgroup) await this.focus(subgroup);
    if (wanted() && frame > 0 && frame < this.frames.length) await this.select(frame);
  }

  pause() {
    this.client.stop();
  }

  end() {
    this.session++;
    this.client.end();
    this.leave();
    this.problem = undefined;
    this.moving = false;
    this.progress = undefined;
    this.tell();
  }

  /** Nothing of a session is shown any more. */
  private leave() {
    this.state = undefined;
    this.variables = [];
    this.watched = [];
    this.whole.clear();
    this.stale = false;
    this.unsent = false;
    showHere(this.editor.view, undefined);
  }

  async focus(subgroup: number) {
    const { session } = this;
    try {
      await this.arrive(await this.client.focus(subgroup));
    } catch (error) {
      this.fail(error, session);
    }
  }

  async select(frame: number) {
    this.frame = frame;
    await this.look();
    this.point(true);
  }

  watch(expression: string) {
    const trimmed = expression.trim();
    if (!trimmed || this.watches.includes(trimmed)) return;
    this.watches.push(trimmed);
    void this.look();
  }

  unwatch(expression: string) {
    this.watches = this.watches.filter((one) => one !== expression);
    void this.look();
  }

  /** A matrix is opened, or closed. */
  open(expression: string, on: boolean) {
    if (on === this.opened.has(expression)) return;
    if (on) this.opened.add(expression);
    else this.opened.delete(expression);
    void this.look();
  }

  changed(expression: string, value: Value) {
    this.values.set(expression, value.text);
    const before = this.before.get(expression);
    return before !== undefined && before !== value.text;
  }

  private async arrive(state: State) {
    this.state = state;
    this.moving = false;
    this.progress = undefined;
    this.problem = state.reason?.kind === "error" ? state.reason.message : undefined;
    this.frame = 0;
    this.before = this.values;
    this.values = new Map();
    this.point(true);
    await this.send();
    await this.look();
  }

  /** Fetches what the frame shows. */
  private async look() {
    const { asked, frame, session } = this;
    if (this.frames.length === 0) {
      this.variables = [];
      this.watched = this.watches.map(() => ({ error: "nothing runs at the end" }));
      this.whole.clear();
      this.tell();
      return;
    }
    const matrices = [...this.opened];
    this.looking++;
    try {
      const [variables, watched, whole] = await Promise.all([
        this.client.variables(frame),
        this.client.evaluate(frame, this.watches),
        this.client.evaluate(frame, matrices),
      ]);
      if (asked !== this.asked || frame !== this.frame || session !== this.session) return;
      this.variables = variables;
      this.watched = watched;
      this.whole.clear();
      for (const [index, value] of whole.entries()) {
        const expression = matrices[index];
        if (expression !== undefined && "type" in value) this.whole.set(expression, value);
      }
      for (const [index, value] of watched.entries()) {
        const expression = this.watches[index];
        if (expression !== undefined && "type" in value && value.matrix)
          this.whole.set(`watch ${expression}`, value);
      }
    } catch (error) {
      this.fail(error, session);
    } finally {
      this.looking--;
      this.tell();
    }
  }

  /** Marks where the selected frame stands; `open`: in its own tab. */
  private point(open: boolean) {
    const place = this.current?.place;
    const { editor } = this;
    if (!this.state || !place || this.stale) {
      showHere(editor.view, undefined);
      return;
    }
    if (open && editor.activeName !== place.file && editor.has(place.file)) editor.select(place.file);
    const here = { from: place.start, to: place.end, caller: this.frame > 0 };
    showHere(editor.view, editor.activeName === place.file ? here : undefined);
  }

  private fail(error: unknown, session: number) {
    if (session !== this.session) return;
    this.moving = false;
    this.progress = undefined;
    // What stood there belongs to a worker that is gone: nothing more can be asked of it.
    if (!this.client.alive) this.leave();
    this.problem = error instanceof NoAnswer ? error.problem.message : String(error);
    const place = error instanceof NoAnswer ? error.problem.place : undefined;
    if (place) this.editor.go(uriOf(place.file), place.start.line, place.start.character);
    this.tell();
  }
}
