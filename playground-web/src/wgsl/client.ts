// The page's side of the worker that compiles WGSL. It is started by the first question: most projects have none.

import { listen, Questions } from "../workers/asked";
import type { Compiled, FromWgsl, ToWgsl } from "../workers/wgsl-protocol";

export class WgslClient {
  private worker: Worker | undefined;
  private readonly questions = new Questions<undefined>();

  /** Fails if the compiler cannot be loaded, or breaks off. */
  compile(name: string, text: string): Promise<Compiled> {
    const worker = this.worker ?? this.start();
    return this.questions.ask<Compiled>(undefined, (id) =>
      worker.postMessage({ id, name, text } satisfies ToWgsl),
    );
  }

  private start(): Worker {
    const worker = new Worker(new URL("../workers/wgsl.ts", import.meta.url), {
      type: "module",
      name: "wgsl",
    });
    this.worker = worker;
    listen<FromWgsl>(
      worker,
      ({ id, answer }) => this.questions.answer(id, answer),
      (reason) => {
        if (this.worker !== worker) return;
        worker.terminate();
        this.worker = undefined;
        this.questions.drop()(() => new Error(inWords(reason)));
      },
    );
    return worker;
  }
}

/** naga calls itself for each operator of a chain. */
const inWords = (reason: string) =>
  /call stack|recursion|unreachable|out of bounds/i.test(reason)
    ? "naga fails on this shader"
    : `the compiler of WGSL cannot be loaded: ${reason}`;
