// What the page's sides of its workers have in common: they hear answers and mishaps, and each question has an answer in the end.

/** Hears what a worker says, and the three ways in which it breaks off. */
export function listen<Message extends { kind: string }>(
  worker: Worker,
  receive: (message: Exclude<Message, { kind: "broken" }>) => void,
  broken: (reason: string) => void,
) {
  worker.onerror = (event) => {
    // It is told here, and not by the page once more.
    event.preventDefault();
    broken(event.message || "it did not start");
  };
  worker.onmessageerror = () => broken("its answer could not be read");
  worker.onmessage = ({ data }: MessageEvent<Message>) => {
    if (data.kind === "broken") broken(String(Object(data).reason));
    else receive(data as Exclude<Message, { kind: "broken" }>);
  };
}

interface Waiting<About> {
  resolve(answer: unknown): void;
  reject(reason: unknown): void;
  about: About;
}

/** Questions that wait for an answer, by number; `About`: what else is known of one. */
export class Questions<About> {
  private readonly waiting = new Map<number, Waiting<About>>();
  private next = 1;

  /** `send` takes the question to the worker under its number. */
  ask<T>(about: About, send: (id: number) => void): Promise<T> {
    const id = this.next++;
    return new Promise<T>((resolve, reject) => {
      this.waiting.set(id, { resolve: resolve as (answer: unknown) => void, reject, about });
      send(id);
    });
  }

  about(id: number): About | undefined {
    return this.waiting.get(id)?.about;
  }

  /** The numbers of those that are still without an answer and of which this is true. */
  which(fits: (about: About) => boolean): number[] {
    return [...this.waiting].filter(([, { about }]) => fits(about)).map(([id]) => id);
  }

  answer(id: number, answer: unknown) {
    this.waiting.get(id)?.resolve(answer);
    this.waiting.delete(id);
  }

  refuse(id: number, reason: unknown) {
    this.waiting.get(id)?.reject(reason);
    this.waiting.delete(id);
  }

  /** Takes away all that wait; the answer is a function that tells them why there will be none. */
  drop(): (reason: () => unknown) => void {
    const all = [...this.waiting.values()];
    this.waiting.clear();
    return (reason) => {
      for (const one of all) one.reject(reason());
    };
  }
}
