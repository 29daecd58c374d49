// The page's side of the debugger's worker, which is started when somebody debugs.

import { NoAnswer } from "../simulator/client";
import { listen, Questions } from "../workers/asked";
import type {
  Begun,
  Breakpoint,
  Evaluated,
  FromDebugger,
  Motion,
  State,
  ToDebugger,
  Variable,
  Verified,
} from "../workers/debugger-protocol";
import type { Choices, Source } from "../workers/simulator-protocol";

type Question = ToDebugger extends infer Message
  ? Message extends { id: number }
    ? Omit<Message, "id">
    : never
  : never;

export class DebuggerClient {
  onProgress: (time: number, furthest: number) => void = () => {};
  private worker: Worker | undefined;
  private readonly questions = new Questions<undefined>();
  /** Why there is no worker. */
  private ended = "The debugger is not running: start it.";

  constructor(private readonly module: WebAssembly.Module) {}

  begin(
    source: Source,
    choices: Choices,
    data: { name: string; bytes: Uint8Array }[],
    breakpoints: Breakpoint[],
    findings: boolean,
  ): Promise<Begun> {
    this.start();
    for (const { name, bytes } of data) this.post({ kind: "data", name, bytes });
    return this.ask({ kind: "begin", source, choices, breakpoints, findings });
  }

  breakpoints(breakpoints: Breakpoint[]): Promise<Verified> {
    return this.ask({ kind: "breakpoints", breakpoints });
  }

  stopAtFindings(stops: boolean) {
    this.post({ kind: "findings", stops });
  }

  go(motion: Motion, backwards: boolean, time = 0): Promise<State> {
    return this.ask({ kind: "go", motion, backwards, time });
  }

  focus(subgroup: number): Promise<State> {
    return this.ask({ kind: "focus", subgroup });
  }

  variables(frame: number): Promise<Variable[]> {
    return this.ask({ kind: "variables", frame });
  }

  evaluate(frame: number, expressions: string[]): Promise<Evaluated[]> {
    return this.ask({ kind: "evaluate", frame, expressions });
  }

  /** Ends the motion where the run is by now. */
  stop() {
    this.post({ kind: "stop" });
  }

  /** Whether there is a session to ask. */
  get alive() {
    return this.worker !== undefined;
  }

  /** Ends the session, and gives its memory back. */
  end() {
    this.fail("The debugger was ended.");
  }

  private start() {
    if (this.worker) return;
    const worker = new Worker(new URL("../workers/debugger.ts", import.meta.url), {
      type: "module",
      name: "debugger",
    });
    this.worker = worker;
    listen<FromDebugger>(
      worker,
      (message) => this.receive(message),
      (reason) => this.broken(reason),
    );
    this.post({ kind: "start", module: this.module });
  }

  private ask<T>(question: Question): Promise<T> {
    if (!this.alive) return Promise.reject(new NoAnswer({ message: this.ended }));
    return this.questions.ask<T>(undefined, (id) => this.post({ ...question, id } as ToDebugger));
  }

  private post(message: ToDebugger) {
    this.worker?.postMessage(message);
  }

  private receive(message: Exclude<FromDebugger, { kind: "broken" }>) {
    switch (message.kind) {
      case "ready":
        break;
      case "progress":
        this.onProgress(message.time, message.furthest);
        break;
      case "answer":
        this.questions.answer(message.id, message.answer);
        break;
      case "problem":
        this.questions.refuse(message.id, new NoAnswer(message.problem));
        break;
    }
  }

  private broken(reason: string) {
    this.fail(`The debugger broke off (${reason}). Start it again; your files are untouched.`);
  }

  private fail(words: string) {
    this.worker?.terminate();
    this.worker = undefined;
    this.ended = words;
    this.questions.drop()(() => new NoAnswer({ message: words }));
  }
}
