// The page's side of the simulator's worker: questions and answers, and another worker when one breaks.

import type { TomlEdit } from "@coopmat/shared/messages";
import { listen, Questions } from "../workers/asked";
import type {
  Asked,
  Choices,
  Contents,
  Description,
  FromSimulator,
  Lists,
  MadeRecipe,
  OwnershipAnswer,
  OwnershipQuestion,
  Problem,
  Progress,
  Question,
  Ran,
  Recorder,
  Source,
  ToSimulator,
  Verdicts,
} from "../workers/simulator-protocol";

/** Why there is no answer, and where that is. */
export class NoAnswer extends Error {
  constructor(readonly problem: Problem) {
    super(problem.message);
  }
}

interface About {
  progress?: ((progress: Progress) => void) | undefined;
  run: boolean;
}

/** After so many milliseconds without an answer to Stop, the worker is in something that has no end in sight. */
const PATIENCE = 1500;

export class SimulatorClient {
  lists: Lists = {
    numerics: [],
    ownerships: [],
    decodes: [],
    devices: [],
    components: [],
    blocks: [],
    layouts: [],
  };
  /** Whose matrices the next runs keep for the views. */
  record: Recorder | undefined;
  private worker: Worker | undefined;
  private readonly questions = new Questions<About>();
  private readonly data = new Map<string, Uint8Array>();
  /** The texts that the worker has, or will have when it starts. */
  private sent = new Map<string, string>();
  /** Said before the worker was started. */
  private early: ToSimulator[] = [];
  /** The worker has its module. */
  private ready = false;
  /** Why there is no worker: the last one never got so far that it could answer. Who runs tries again. */
  private failed: string | undefined;
  /** The worker took the place of one that broke. */
  private afterBreak = false;
  private readonly listeners = new Set<() => void>();

  /** `broken` hears, in words for the person, that a worker had to be replaced. */
  constructor(
    private readonly module: WebAssembly.Module,
    private readonly broken: (words: string) => void,
  ) {}

  /** Hears when the lists are there, and again when a run was stopped for good: what was asked beside it is to be asked again. */
  onReady(listener: () => void) {
    this.listeners.add(listener);
  }

  start() {
    if (this.worker) return;
    const worker = new Worker(new URL("../workers/simulator.ts", import.meta.url), {
      type: "module",
      name: "simulator",
    });
    this.worker = worker;
    this.ready = false;
    this.failed = undefined;
    listen<FromSimulator>(
      worker,
      (message) => this.receive(message),
      (reason) => this.replace(reason),
    );
    this.post({ kind: "start", module: this.module });
    for (const [name, bytes] of this.data) this.post({ kind: "data", name, bytes });
    for (const message of this.early.splice(0)) this.post(message);
  }

  /** A file that recipes read. */
  put(name: string, bytes: Uint8Array | undefined) {
    if (bytes) this.data.set(name, bytes);
    else this.data.delete(name);
    // One that is not there yet is told all of them when it starts.
    if (this.worker) this.post(bytes ? { kind: "data", name, bytes } : { kind: "data", name });
  }

  /** The files that recipes read, and no others. */
  putAll(files: ReadonlyMap<string, Uint8Array>) {
    for (const name of Array.from(this.data.keys())) if (!files.has(name)) this.put(name, undefined);
    for (const [name, bytes] of files) this.put(name, bytes);
  }

  describe(source: Source, choices: Choices): Promise<Description> {
    return this.ask<Description>({ kind: "describe", source: this.held(source), choices });
  }

  contents(source: Source, buffer: string): Promise<Contents> {
    return this.ask<Contents>({ kind: "contents", source: this.held(source), buffer });
  }

  /** A first recipe. */
  init(source: Source): Promise<MadeRecipe> {
    return this.ask<MadeRecipe>({ kind: "init", source: this.held(source) });
  }

  /** The text of a recipe, changed. */
  edit(text: string, edit: TomlEdit): Promise<string> {
    return this.ask<string>({ kind: "edit", text, edit });
  }

  run(source: Source, choices: Choices, progress: (progress: Progress) => void): Promise<Ran> {
    const { record } = this;
    const all = record ? { ...choices, record } : choices;
    return this.ask<Ran>({ kind: "run", source: this.held(source), choices: all }, progress);
  }

  /** A run under each ownership at each size of subgroups; progress tells the verdicts so far, which are the answer where this is stopped. */
  verdicts(source: Source, choices: Choices, progress: (progress: Progress) => void): Promise<Verdicts> {
    return this.ask<Verdicts>({ kind: "verdicts", source: this.held(source), choices }, progress);
  }

  /** Which invocation owns which element. */
  ownership(of: OwnershipQuestion): Promise<OwnershipAnswer> {
    return this.ask<OwnershipAnswer>({ kind: "ownership", of });
  }

  /** Ends the run; one that does not listen loses its worker. */
  stop() {
    const runs = this.questions.which(({ run }) => run);
    if (runs.length === 0) return;
    this.post({ kind: "stop" });
    setTimeout(() => {
      if (runs.some((id) => this.questions.about(id))) this.replace(undefined);
    }, PATIENCE);
  }

  private ask<T>(question: Question, progress?: (progress: Progress) => void): Promise<T> {
    const run = question.kind === "run" || question.kind === "verdicts";
    if (this.failed !== undefined && !run) return Promise.reject(new NoAnswer({ message: this.failed }));
    return this.questions.ask<T>({ progress, run }, (id) => {
      this.post({ kind: "ask", id, question });
      // Who wants to run does not wait for a better moment.
      if (run) this.start();
    });
  }

  /** Sends what differs of the texts from what the worker has: a project may hold megabytes. */
  private held({ files, ...asked }: Source): Asked {
    const now = new Map(files.map(({ name, text }) => [name, text]));
    const removed = Array.from(this.sent.keys()).filter((name) => !now.has(name));
    const put = files.filter(({ name, text }) => this.sent.get(name) !== text);
    this.sent = now;
    if (put.length > 0 || removed.length > 0) this.post({ kind: "files", put, removed });
    return asked;
  }

  private post(message: ToSimulator) {
    if (this.worker) this.worker.postMessage(message);
    else this.early.push(message);
  }

  private receive(message: Exclude<FromSimulator, { kind: "broken" }>) {
    switch (message.kind) {
      case "ready":
        this.ready = true;
        this.lists = message.lists;
        // Who broke the last worker by a question is not asked for the same one again.
        if (this.afterBreak) break;
        for (const listener of this.listeners) listener();
        break;
      case "progress":
        this.questions.about(message.id)?.progress?.(message.progress);
        break;
      case "answer":
        this.questions.answer(message.id, message.answer);
        break;
      case "problem":
        this.questions.refuse(message.id, new NoAnswer(message.problem));
        break;
    }
  }

  /**
   * Starts another worker; `undefined`: because the person stopped this one. One that broke before it could answer would do so again, and
   * again: there is no other one until somebody runs.
   */
  private replace(reason: string | undefined) {
    const again = this.ready || reason === undefined;
    this.worker?.terminate();
    this.worker = undefined;
    this.early = [];
    this.sent.clear();
    this.afterBreak = reason !== undefined && again;
    const words =
      reason === undefined
        ? "The run was stopped."
        : again
          ? `The simulator broke off (${inWords(reason)}) and was started again. Your files are untouched.`
          : `The simulator does not start (${inWords(reason)}). Reload the page; your files are untouched.`;
    const refuse = this.questions.drop();
    if (reason !== undefined) this.broken(words);
    if (again) this.start();
    else this.failed = words;
    refuse(() => new NoAnswer({ message: words }));
  }
}

function inWords(reason: string): string {
  if (/memory|allocation/i.test(reason)) return "it ran out of memory";
  if (/call stack|recursion/i.test(reason)) return "something is nested too deeply";
  if (/unreachable/i.test(reason)) return "it ran out of memory, or met a bug of its own";
  return reason;
}
