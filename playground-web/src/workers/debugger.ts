// The debugger's worker: a run of its own, stepped through in slices of some milliseconds with a look at the messages in between.

import { Debugger } from "@coopmat/shared/pkg/coopmat.js";
import { instantiate } from "@coopmat/shared/workers/instantiate";
import { unreadable } from "@coopmat/shared/workers/unreadable";
import type { Breakpoint, FromDebugger, State, ToDebugger, Value, Verified } from "./debugger-protocol";
import type { Request } from "./simulator-protocol";

/** Milliseconds of a slice, between two words about progress, and of the look ahead that finds the end of the run. */
const SLICE = 12;
const PROGRESS = 80;
const LOOK_AHEAD = 1500;

let held: Debugger | undefined;
/** What is answered when the motion has ended. */
let moving: { id: number; answer: () => unknown; deadline?: number } | undefined;
let told = 0;
let steps = 1 << 12;

const post = (message: FromDebugger, transfer: Transferable[] = []) =>
  self.postMessage(message, { transfer });

// A message to ourselves comes after those that already wait, and without the delay of a timer.
const turn = new MessageChannel();
turn.port1.onmessage = () => guarded(slice);

const state = (): State => JSON.parse(held?.state() ?? "null");

function slice() {
  if (!held || !moving) return;
  const before = performance.now();
  const ended = held.advance(steps);
  const now = performance.now();
  if (now - before < SLICE / 2) steps = Math.min(steps * 2, 1 << 24);
  else if (now - before > SLICE * 2) steps = Math.max(steps >> 1, 1 << 8);
  if (ended || (moving.deadline !== undefined && now > moving.deadline)) {
    if (!ended) held.cancel();
    arrive();
    return;
  }
  if (now - told > PROGRESS) {
    told = now;
    const [time = 0, furthest = 0] = held.times();
    post({ kind: "progress", time, furthest });
  }
  turn.port2.postMessage(null);
}

function arrive() {
  const arrived = moving;
  moving = undefined;
  if (!arrived) return;
  const answer = arrived.answer();
  // Whoever goes on from here answers later.
  if (answer !== undefined) post({ kind: "answer", id: arrived.id, answer });
}

function move(next: NonNullable<typeof moving>, motion: string, backwards: boolean, time: number) {
  if (!held) return;
  // What was on its way ends where it is, and says so.
  if (moving) {
    held.cancel();
    arrive();
  }
  held.go(motion, backwards, time);
  moving = next;
  told = performance.now();
  turn.port2.postMessage(null);
}

const verify = (to: Debugger, breakpoints: Breakpoint[]): Verified =>
  JSON.parse(to.setBreakpoints(JSON.stringify(breakpoints)));

function begin(to: Debugger, message: Extract<ToDebugger, { kind: "begin" }>) {
  const { id, source, choices } = message;
  moving = undefined;
  to.clearFiles();
  for (const { name, text } of source.files) to.putFile(name, text);
  const { files: _, ...asked } = source;
  const problem = to.begin(JSON.stringify({ ...asked, choices } satisfies Request));
  if (problem !== undefined) {
    post({ kind: "problem", id, problem: JSON.parse(problem) });
    return;
  }
  const verified = verify(to, message.breakpoints);
  to.stopAtFindings(message.findings);
  // To the end and back: how long the run is, and moments to return to.
  const back = () => {
    move({ id, answer: () => ({ state: state(), verified }) }, "end", true, 0);
    return undefined;
  };
  move({ id, answer: back, deadline: performance.now() + LOOK_AHEAD }, "end", false, 0);
}

function evaluate(to: Debugger, frame: number, expression: string): [Value, Transferable[]] {
  const value: Value = JSON.parse(to.evaluate(frame, expression));
  if (!value.matrix) return [value, []];
  const values = to.matrixValues(frame, expression);
  if (!values) return [value, []];
  value.matrix.values = values;
  return [value, [values.buffer as ArrayBuffer]];
}

function receive(to: Debugger, message: Exclude<ToDebugger, { kind: "start" }>) {
  switch (message.kind) {
    case "data":
      to.putData(message.name, message.bytes);
      break;
    case "begin":
      begin(to, message);
      break;
    case "breakpoints":
      post({ kind: "answer", id: message.id, answer: verify(to, message.breakpoints) });
      break;
    case "findings":
      to.stopAtFindings(message.stops);
      break;
    case "go":
      move({ id: message.id, answer: state }, message.motion, message.backwards, message.time ?? 0);
      break;
    case "stop":
      if (moving) {
        to.cancel();
        arrive();
      }
      break;
    case "focus":
      if (!moving) to.focus(message.subgroup);
      post({ kind: "answer", id: message.id, answer: state() });
      break;
    case "variables":
      // Between two moments there is nothing to show.
      post({ kind: "answer", id: message.id, answer: moving ? [] : JSON.parse(to.variables(message.frame)) });
      break;
    case "evaluate": {
      const made = moving ? [] : message.expressions.map((one) => evaluate(to, message.frame, one));
      post(
        { kind: "answer", id: message.id, answer: made.map(([value]) => value) },
        made.flatMap(([, transfer]) => transfer),
      );
      break;
    }
  }
}

/** What fails here has left the module in no state to go on: the page starts another worker. */
function guarded(act: () => void) {
  try {
    act();
  } catch (error) {
    held = undefined;
    moving = undefined;
    post({ kind: "broken", reason: String(error) });
  }
}

self.onmessageerror = () => guarded(unreadable);

self.onmessage = ({ data }: MessageEvent<ToDebugger>) =>
  guarded(() => {
    if (data.kind === "start") {
      instantiate(data.module);
      held = new Debugger();
      post({ kind: "ready" });
    } else {
      if (!held) throw new Error("the debugger has not been started");
      receive(held, data);
    }
  });
