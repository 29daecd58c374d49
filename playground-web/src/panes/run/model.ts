// What the run pane knows: the shader and recipe in view, what the worker says about them, the run. The recipe's text is the truth; the form
// edits it.

import { fromBase64, toBase64 } from "@coopmat/shared/data";
import type { TomlEdit } from "@coopmat/shared/messages";
import { dataFits, type Options } from "@coopmat/shared/project/project";
import { grouped, type Tolerance } from "@coopmat/shared/views/numbers";
import type { Diagnostic } from "vscode-languageserver-types";
import { debounced } from "../../language/debounce";
import type { Findings } from "../../language/diagnostics";
import { uriOf } from "../../language/workspace";
import { beside, isToml, recipeOf } from "../../recipe/names";
import { append, Edits, type Path, set, type Value } from "../../recipe/toml";
import { NoAnswer, type SimulatorClient } from "../../simulator/client";
import type {
  Choices,
  Contents,
  Description,
  OwnershipVerdict,
  Problem,
  Progress,
  Ran,
  Source,
  Verdicts,
} from "../../workers/simulator-protocol";
import type { Editor } from "../editor";

const SOURCE = "simulator";

/** What an expectation says of a buffer's elements. */
export interface Judged {
  tolerance: Tolerance;
  /** The elements that it compares. */
  where?: string;
}

export class RunModel {
  description: Description = { problems: [], interface: null, recipe: null, plan: null, sources: [] };
  ran: Ran | undefined;
  /** Why the last run did not begin. */
  problem: Problem | undefined;
  progress: Progress | undefined;
  running = false;
  /** What runs are verdicts. */
  judging = false;
  /** Of each ownership at each size of subgroups, once that was asked for. */
  verdicts: Verdicts | undefined;
  /** Whether something changed since they were asked for. */
  verdictsStale = false;
  /** Whether something changed since the last run. */
  stale = false;
  private readonly edits: Edits;
  /** Counts projects. */
  private project = 0;
  private described = 0;
  private readonly listeners = new Set<() => void>();
  private readonly runListeners = new Set<(ran: Ran, source: Source) => void>();
  private key = "";
  /** Whether somebody ended what runs. */
  private stopped = false;
  /** Counts the files that recipes read. */
  private dataAge = 0;
  /** What the last run came from, and the verdicts. */
  private ranFrom = "";
  private verdictsFrom = "";
  /** The texts at whose places findings stand. */
  private marked: string | undefined;
  /** Counts shaders and projects: a run of one that is gone has nothing to show. */
  private generation = 0;
  /** A run that nobody asked for. */
  private unasked: Promise<unknown> | undefined;
  /** Makes modules of the texts that the simulator does not compile; nothing where there are none to wait for. */
  compile: () => Promise<void> | undefined = () => undefined;
  /** Those modules. */
  compiled: () => { name: string; bytes: Uint8Array }[] = () => [];
  private readonly later = debounced(150, () => void this.describe());

  constructor(
    readonly editor: Editor,
    readonly client: SimulatorClient,
    private readonly findings: Findings,
    readonly options: Options,
    private readonly changed: () => void,
  ) {
    this.edits = new Edits(
      {
        read: (name) => (editor.has(name) ? editor.text(name) : undefined),
        write: (name, text) => editor.setText(name, text),
      },
      (text, edit) => client.edit(text, edit),
    );
    this.putData();
    this.key = this.about();
    editor.onChange(() => this.look());
    client.onReady(() => void this.describe());
  }

  onChange(listener: () => void) {
    this.listeners.add(listener);
  }

  /** Hears of every run that has ended, for the views. */
  onRun(listener: (ran: Ran, source: Source) => void) {
    this.runListeners.add(listener);
  }

  get recipeName(): string | undefined {
    return recipeOf(this.editor.shaderName, this.editor.names(), (name) => this.editor.text(name));
  }

  get recipe(): Record<string, unknown> {
    return this.description.recipe ?? {};
  }

  /** The names of the recipe's dispatches, where it lists them. */
  get dispatches(): string[] {
    return (this.description.plan?.dispatches ?? []).map(({ name }) => name);
  }

  /**
   * How the recipe compares a buffer's elements; undefined where it expects nothing of them, or where they are compared with those of another
   * ownership.
   */
  judged(buffer: string): Judged | undefined {
    if (this.ran?.buffers.some(({ info, against }) => info.name === buffer && against !== undefined))
      return undefined;
    const { expect } = this.recipe;
    const all = Array.isArray(expect)
      ? (expect as (Partial<Judged> & { buffer?: unknown; after?: unknown })[])
      : [];
    const last = this.description.plan?.dispatches.at(-1)?.name;
    const found = all.find((one) => one.buffer === buffer && (one.after ?? last) === last);
    return found && { tolerance: found.tolerance ?? {}, ...(found.where && { where: found.where }) };
  }

  get source(): Source {
    return {
      files: this.editor.files(),
      shader: this.editor.shaderName,
      recipe: this.recipeName,
      device: this.options.device,
      ...this.editor.chosen(this.editor.shaderName),
    };
  }

  get choices(): Choices {
    return this.options.run ?? {};
  }

  /** Another project: its data, and nothing of the last run. */
  opened() {
    this.project++;
    this.putData();
    this.forget();
    void this.describe();
  }

  private putData() {
    const data = this.options.data ?? [];
    this.client.putAll(new Map(data.map(({ name, base64 }) => [name, fromBase64(base64)])));
  }

  choose(choices: Choices) {
    const all = { ...this.options.run, ...choices };
    this.options.run = Object.fromEntries(
      Object.entries(all).filter(([, value]) => value !== undefined && value !== "" && value !== false),
    );
    this.changed();
    this.outdate();
    void this.describe();
  }

  chooseDevice(device: string | undefined) {
    if (device) this.options.device = device;
    else delete this.options.device;
    this.changed();
    this.outdate();
    void this.describe();
  }

  /** Writes a value of the recipe into its text. */
  edit(path: Path, value: Value) {
    this.rewrite(set(path, value));
  }

  rewrite(edit: TomlEdit) {
    const name = this.recipeName;
    if (!name) return;
    const { project } = this;
    // The files of another project may have the same names.
    const wanted = () => project === this.project;
    this.edits.apply(name, edit, wanted).catch((error) => this.fail(error));
  }

  /** Keeps a file that the recipe names; false, and a problem that says so, where the project cannot carry it. */
  keepData(name: string, bytes: Uint8Array): boolean {
    const others = (this.options.data ?? []).filter((one) => one.name !== name);
    const data = [...others, { name, base64: toBase64(bytes) }];
    if (!dataFits(data)) {
      const message = `${name} is not kept: with it the files that recipes read are larger than 3 MiB, the most that a project in this page carries`;
      this.problem = { message };
      this.tell();
      return false;
    }
    this.options.data = data;
    this.client.put(name, bytes);
    this.dataAge++;
    this.changed();
    this.outdate();
    return true;
  }

  /** A module in words has another name, or is gone. */
  moveData(name: string, next: string | undefined) {
    const data = (this.options.data ?? []).flatMap((one) =>
      one.name !== name ? [one] : next === undefined ? [] : [{ ...one, name: next }],
    );
    if (data.length > 0) this.options.data = data;
    else delete this.options.data;
    this.putData();
    this.dataAge++;
    this.changed();
    this.outdate();
  }

  /** A first recipe, beside the shader. */
  async makeRecipe() {
    const { source } = this;
    try {
      await this.compile();
      const { text } = await this.client.init({ ...source, recipe: undefined });
      // Another shader may be in view by now, or this one may be gone.
      if (this.editor.has(source.shader)) this.editor.put(beside(source.shader), text);
    } catch (error) {
      this.fail(error);
    }
  }

  /** The expectation of a first recipe, where the recipe has its buffers; else another one. */
  async addExpectation(other: Record<string, Value>) {
    const { source } = this;
    const { buffers } = this.recipe;
    const named = new Set<unknown>(Array.isArray(buffers) ? buffers.map(({ name }) => name) : []);
    let expectation = other;
    try {
      await this.compile();
      const { expect } = await this.client.init({ ...source, recipe: undefined });
      const fits = expect.find((one) => {
        const matmul = (one.equals as Record<string, Record<string, unknown>> | undefined)?.matmul ?? {};
        return [one.buffer, matmul.a, matmul.b, matmul.c ?? matmul.a].every((name) => named.has(name));
      });
      if (fits) expectation = fits as Record<string, Value>;
    } catch {
      // Why the shader does not compile is told anyway.
    }
    if (this.source.shader === source.shader) this.rewrite(append("expect", expectation));
  }

  async contents(buffer: string): Promise<Contents> {
    await this.compile();
    return this.client.contents(this.source, buffer);
  }

  /** Runs what is there without being asked; who asks for a run meanwhile gets it afterwards, of what is there then. */
  async runUnasked() {
    this.unasked = this.run();
    await this.unasked;
    this.unasked = undefined;
  }

  private readonly progressing = (progress: Progress) => {
    this.progress = progress;
    this.tell();
  };

  /** A run under each ownership, at each size of subgroups that the device offers. */
  async judge() {
    if (this.unasked) await this.unasked;
    if (this.running) return;
    const { generation, source, choices } = this;
    this.verdictsFrom = this.asked();
    this.running = this.judging = true;
    this.stopped = false;
    this.problem = undefined;
    this.progress = undefined;
    this.verdicts = { rows: [], all: 0, notes: [] };
    this.verdictsStale = false;
    try {
      this.tell();
      await this.compile();
      const verdicts = await this.client.verdicts(source, choices, (progress) => {
        if (generation !== this.generation) return;
        if (progress.verdicts) this.verdicts = progress.verdicts;
        this.progressing(progress);
      });
      if (generation === this.generation) this.verdicts = verdicts;
    } catch (error) {
      if (generation === this.generation) {
        // The verdicts so far stay, even of a worker that had to be replaced.
        if (this.verdicts?.all === 0) this.verdicts = undefined;
        if (!this.stopped || !this.verdicts) this.fail(error);
      }
    } finally {
      this.running = this.judging = false;
      this.outdate();
      this.tell();
    }
  }

  /** The run behind a verdict, with what the other ownership left where the verdict is that they differ. */
  private async under(shows: OwnershipVerdict, source: Source, choices: Choices): Promise<Ran> {
    const { subgroupSize, ownership, verdict, comparedWith } = shows;
    const once: Choices = {
      ...choices,
      subgroupSize,
      checked: undefined,
      strict: undefined,
      headroom: undefined,
      unchecked: true,
    };
    const ran = await this.client.run(source, { ...once, ownership }, this.progressing);
    ran.shows = shows;
    if (verdict !== "depends" || comparedWith === undefined || this.stopped || ran.report.error) return ran;
    const other = await this.client.run(source, { ...once, ownership: comparedWith }, this.progressing);
    if (!other.report.error) compareWith(ran, other, comparedWith);
    return ran;
  }

  /** `shows`: a verdict whose run is to be seen, once: the choices of other runs stay. */
  async run(shows?: OwnershipVerdict): Promise<Ran | undefined> {
    if (this.unasked) await this.unasked;
    if (this.running) return undefined;
    const { generation } = this;
    this.running = true;
    this.stopped = false;
    this.problem = undefined;
    this.progress = undefined;
    try {
      this.tell();
      await this.compile();
      const { source, choices } = this;
      const asked = this.asked();
      performance.mark("run-start");
      const ran = shows
        ? await this.under(shows, source, choices)
        : await this.client.run(source, choices, this.progressing);
      performance.mark("run-end");
      if (generation !== this.generation) return undefined;
      this.ran = ran;
      this.ranFrom = asked;
      // Somebody may have gone on typing meanwhile: places of the text that was run would be wrong ones.
      this.outdate();
      if (!this.stale) this.mark(this.ran);
      for (const listener of this.runListeners) {
        try {
          listener(this.ran, source);
        } catch (error) {
          // A view that fails takes no result away: the page tells of it.
          reportError(error);
        }
      }
      // For pages around this one, and for tests.
      dispatchEvent(new CustomEvent("coopmat-ran", { detail: this.ran }));
      return this.ran;
    } catch (error) {
      // What became of the run of a shader that is gone is no problem of the one in view.
      if (generation !== this.generation) return undefined;
      this.ran = undefined;
      this.fail(error);
      return undefined;
    } finally {
      this.running = false;
      this.tell();
    }
  }

  /** Ends a run that is under way; false where there is none. */
  stop(): boolean {
    if (!this.running) return false;
    this.stopped = true;
    this.client.stop();
    return true;
  }

  go({ place }: Problem) {
    if (place) this.editor.go(uriOf(place.file), place.start.line, place.start.character);
  }

  private fail(error: unknown) {
    this.problem = error instanceof NoAnswer ? error.problem : { message: String(error) };
    this.tell();
  }

  private tell() {
    for (const listener of this.listeners) listener();
  }

  private forget() {
    this.generation++;
    this.client.stop();
    this.ran = undefined;
    this.verdicts = undefined;
    this.problem = undefined;
    this.stale = false;
    this.unmark();
    this.tell();
  }

  private unmark() {
    this.marked = undefined;
    for (const name of this.editor.textNames()) if (!isToml(name)) this.findings.setRun(uriOf(name), []);
  }

  /** Compares what results came from with what is there now. */
  private outdate(texts = this.texts()) {
    const now = this.asked(texts);
    this.stale = this.ran !== undefined && this.ranFrom !== now;
    this.verdictsStale = this.verdicts !== undefined && this.verdictsFrom !== now;
  }

  /** The texts, and how they are compiled. */
  private texts(): string {
    return JSON.stringify(this.source);
  }

  /** All that a result comes from. */
  private asked(texts = this.texts()): string {
    return JSON.stringify([this.choices, this.dataAge]) + texts;
  }

  /** What a result is about. */
  private about() {
    return JSON.stringify([this.editor.shaderName, this.recipeName]);
  }

  /** After any change of the tabs. */
  private look() {
    const key = this.about();
    if (key !== this.key) {
      this.key = key;
      // Not while the editor is in the middle of an update.
      queueMicrotask(() => this.forget());
    } else if (this.marked || (this.ran && !this.stale) || (this.verdicts && !this.verdictsStale)) {
      // Another tab in view changes nothing.
      const texts = this.texts();
      this.outdate(texts);
      // Places of an older text would be wrong ones.
      if (this.marked && this.marked !== texts) queueMicrotask(() => this.unmark());
    }
    this.later();
  }

  private async describe() {
    const number = ++this.described;
    try {
      await this.compile();
      if (number !== this.described) return;
      const description = await this.client.describe(this.source, this.choices);
      if (number !== this.described) return;
      // The form stays usable while the text has a mistake.
      const recipe = description.recipe ?? (this.recipeName ? this.description.recipe : null) ?? null;
      const face = description.interface ?? this.description.interface ?? null;
      this.description = { ...description, recipe, interface: face };
      this.editor.putSources(description.sources);
      this.markRecipe();
      this.tell();
    } catch (error) {
      if (number === this.described) this.fail(error);
    }
  }

  /** Mistakes in the recipe, at their places; those of the shader are the server's. */
  private markRecipe() {
    const name = this.recipeName;
    if (!name) return;
    const found = this.description.problems
      .filter(({ place }) => place?.file === name)
      .map((problem) => diagnostic(problem, 1, "recipe"));
    this.findings.setRun(uriOf(name), found);
  }

  /** Findings and the end of a run stand at their places until the next run. */
  private mark({ report, findingPlaces }: Ran) {
    this.marked = this.texts();
    const byFile = new Map<string, Diagnostic[]>();
    const add = (place: Problem["place"], found: Diagnostic) => {
      if (place) byFile.set(place.file, [...(byFile.get(place.file) ?? []), found]);
    };
    for (const [index, finding] of report.findings.entries()) {
      const place = findingPlaces[index] ?? null;
      const times = finding.times > 1 ? ` (${grouped(finding.times)} times)` : "";
      add(place, diagnostic({ message: finding.message + times, place }, 2, finding.kind));
    }
    if (report.error?.place) {
      const { path, line, column } = report.error.place;
      const start = { line: line - 1, character: column - 1 };
      const place = { file: path, start, end: { line: line - 1, character: column } };
      add(place, diagnostic({ message: report.error.message, place }, 1, "run"));
    }
    for (const name of this.editor.textNames())
      if (!isToml(name)) this.findings.setRun(uriOf(name), byFile.get(name) ?? []);
  }
}

/** Puts what a run under another ownership left beside each buffer that differs from it. */
export function compareWith(ran: Ran, other: Ran, ownership: string) {
  for (const [index, contents] of ran.buffers.entries()) {
    const others = other.buffers[index];
    if (!others || contents.bytes.every((byte, at) => byte === others.bytes[at])) continue;
    contents.expected = others.values;
    contents.against = ownership;
  }
}

function diagnostic({ message, place }: Problem, severity: 1 | 2, code: string): Diagnostic {
  const nowhere = { line: 0, character: 0 };
  const range = { start: place?.start ?? nowhere, end: place?.end ?? nowhere };
  return { range, message, severity, source: SOURCE, code };
}
