// The page's side of the debugger's worker, which is started when somebody debugs.

import { NoAnswer } from "../simulator/client";
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

interface Waiting {
  resolve(answer: unknown): void;
  reject(reason: NoAnswer): void;
}

type Question = ToDebugger extends infer Message
  ? Message extends { id: number }
    ? Omit<Message, "id">
    : never
  : never;

export class DebuggerClient {
  onProgress: (time: number, furthest: number) => void = () => {};
  private worker: Worker | undefined;
  private readonly waiting = new Map<number, Waiting>();
  private next = 1;
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
    worker.onerror = (event) => {
      // It is told here, and not by the page once more.
      event.preventDefault();
      this.broken(event.message || "it did not start");
    };
    worker.onmessageerror = () => this.broken("its answer could not be read");
    worker.onmessage = ({ data }: MessageEvent<FromDebugger>) => this.receive(data);
    this.post({ kind: "start", module: this.module });
  }

  private ask<T>(question: Question): Promise<T> {
    if (!this.alive) return Promise.reject(new NoAnswer({ message: this.ended }));
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject });
      this.post({ ...question, id } as ToDebugger);
    });
  }

  private post(message: ToDebugger) {
    this.worker?.postMessage(message);
  }

  private receive(message: FromDebugger) {
    switch (message.kind) {
      case "ready":
        break;
      case "progress":
        this.onProgress(message.time, message.furthest);
        break;
      case "answer":
        this.waiting.get(message.id)?.resolve(message.answer);
        this.waiting.delete(message.id);
        break;
      case "problem":
        this.waiting.get(message.id)?.reject(new NoAnswer(message.problem));
        this.waiting.delete(message.id);
        break;
      case "broken":
        this.broken(message.reason);
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
    const waiting = [...this.waiting.values()];
    this.waiting.clear();
    for (const one of waiting) one.reject(new NoAnswer({ message: words }));
  }
}
