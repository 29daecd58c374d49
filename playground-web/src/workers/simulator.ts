// The simulator's worker. A run goes in slices of some milliseconds, with a look at the messages between them: that is how Stop arrives
// without shared memory, which static hosts do not allow.

import { editToml, type Contents as Held, ownership, Simulator } from "@coopmat/shared/pkg/coopmat.js";
import { instantiate } from "@coopmat/shared/workers/instantiate";
import { unreadable } from "@coopmat/shared/workers/unreadable";
import type {
  Asked,
  Choices,
  Contents,
  Description,
  FirstRecipe,
  FromSimulator,
  JudgedAnswer,
  Question,
  Ran,
  Request,
  ToSimulator,
  Verdicts,
} from "./simulator-protocol";

/** Milliseconds of a slice, and between two words about progress. */
const SLICE = 12;
const PROGRESS = 80;

let simulator: Simulator | undefined;
/** The number of the question that the run answers. */
let running: number | undefined;
/** The verdicts that there are so far, where it asks for those of all ownerships. */
let judged: Verdicts | undefined;
let began = 0;
let told = 0;
/** Steps of the next slice: as many as the last ones did in the time. */
let steps = 1 << 14;

const post = (message: FromSimulator, transfer: Transferable[] = []) =>
  self.postMessage(message, { transfer });

// A message to ourselves comes after those that already wait, and without the delay of a timer.
const turn = new MessageChannel();
turn.port1.onmessage = () => guarded(slice);

function slice() {
  if (!simulator || running === undefined) return;
  const before = performance.now();
  const { ended, news, ...progress } = judged ? judge(simulator, judged) : step(simulator);
  const now = performance.now();
  if (now - before < SLICE / 2) steps = Math.min(steps * 2, 1 << 28);
  else if (now - before > SLICE * 2) steps = Math.max(steps >> 1, 1 << 10);
  if (ended) {
    finish();
    return;
  }
  if (news || now - told > PROGRESS) {
    told = now;
    post({ kind: "progress", id: running, progress });
  }
  turn.port2.postMessage(null);
}

function step(to: Simulator) {
  const [ended = 1, done = 0, all = 0, total = 0] = to.step(steps);
  return { ended: ended === 1, news: false, done, all, steps: total };
}

/** The page is told each verdict as soon as there is one: it has them, whatever becomes of this worker. */
function judge(to: Simulator, verdicts: Verdicts) {
  const { rows, all, notes }: JudgedAnswer = JSON.parse(to.stepVerdicts(steps));
  judged = { rows: [...verdicts.rows, ...rows], all, notes: notes ?? [] };
  const news = rows.length > 0;
  const done = judged.rows.length;
  return { ended: notes !== null, news, done, all, steps: 0, ...(news && { verdicts: judged }) };
}

function finish() {
  const id = running;
  running = undefined;
  if (judged) {
    const answer = judged;
    judged = undefined;
    if (id !== undefined) post({ kind: "answer", id, answer });
    return;
  }
  const ran = simulator?.finish((performance.now() - began) / 1000);
  if (id === undefined) return;
  // Each question has an answer: without one the page would wait for ever.
  if (!ran) throw new Error("the run has ended without a result");
  const answer: Ran = { ...JSON.parse(ran.answer()), buffers: [] };
  for (let index = 0; index < ran.buffers(); index++) {
    const held = ran.takeBuffer(index);
    if (held) answer.buffers.push(contents(held));
  }
  const index = ran.recordingIndex();
  if (index !== undefined) answer.recorded = { index, data: ran.takeRecordingData() };
  ran.free();
  const transfer = answer.buffers.flatMap(({ values, expected, bytes }) => [
    values.buffer,
    bytes.buffer,
    ...(expected ? [expected.buffer] : []),
  ]);
  if (answer.recorded) transfer.push(answer.recorded.data.buffer);
  post({ kind: "answer", id, answer }, transfer as ArrayBuffer[]);
}

function contents(held: Held): Contents {
  const made = {
    info: JSON.parse(held.info()),
    values: held.takeValues(),
    expected: held.takeExpected(),
    bytes: held.takeBytes(),
  };
  held.free();
  return made;
}

const request = (source: Asked, choices: Choices = {}): string =>
  JSON.stringify({ ...source, choices } satisfies Request);

const describe = (to: Simulator, source: Asked, choices: Choices): Description =>
  JSON.parse(to.describe(request(source, choices)));

function ask(to: Simulator, id: number, question: Question) {
  switch (question.kind) {
    case "describe":
      post({ kind: "answer", id, answer: describe(to, question.source, question.choices) });
      break;
    case "contents": {
      const held = to.contents(request(question.source), question.buffer);
      if (!held) {
        post({ kind: "problem", id, problem: { message: `there is no buffer ${question.buffer}` } });
        break;
      }
      post({ kind: "answer", id, answer: contents(held) });
      break;
    }
    case "ownership": {
      const { name, component, rows, columns, use, scope, invocations } = question.of;
      try {
        const map = ownership(name, component, rows, columns, use, scope, invocations);
        const { length, elements, note, source } = map;
        post({ kind: "answer", id, answer: { length, invocations, elements, note, source } });
        map.free();
      } catch (error) {
        // Said in words by the module, which goes on.
        post({ kind: "problem", id, problem: { message: String(error) } });
      }
      break;
    }
    case "init": {
      const made: FirstRecipe = JSON.parse(to.init(request(question.source)));
      if ("problem" in made) post({ kind: "problem", id, problem: made.problem });
      else post({ kind: "answer", id, answer: made });
      break;
    }
    case "edit": {
      try {
        post({ kind: "answer", id, answer: editToml(question.text, JSON.stringify(question.edit)) });
      } catch (error) {
        // Said in words by the module, which goes on.
        post({ kind: "problem", id, problem: { message: String(error) } });
      }
      break;
    }
    case "run":
    case "verdicts": {
      const judges = question.kind === "verdicts";
      const asked = request(question.source, question.choices);
      const problem = judges ? to.beginVerdicts(asked) : to.begin(asked);
      if (problem !== undefined) {
        post({ kind: "problem", id, problem: JSON.parse(problem) });
        break;
      }
      running = id;
      judged = judges ? { rows: [], all: 0, notes: [] } : undefined;
      began = performance.now();
      told = began;
      turn.port2.postMessage(null);
      break;
    }
  }
}

/** What fails here has left the module in no state to go on: the page starts another worker. */
function guarded(act: () => void) {
  try {
    act();
  } catch (error) {
    simulator = undefined;
    running = undefined;
    post({ kind: "broken", reason: String(error) });
  }
}

self.onmessageerror = () => guarded(unreadable);

self.onmessage = ({ data }: MessageEvent<ToSimulator>) =>
  guarded(() => {
    switch (data.kind) {
      case "start":
        instantiate(data.module);
        simulator = new Simulator();
        post({ kind: "ready", lists: JSON.parse(Simulator.lists()) });
        break;
      case "data":
        if (data.bytes) simulator?.putData(data.name, data.bytes);
        else simulator?.removeData(data.name);
        break;
      case "files":
        for (const name of data.removed) simulator?.removeFile(name);
        for (const { name, text } of data.put) simulator?.putFile(name, text);
        break;
      case "stop":
        if (running !== undefined) {
          simulator?.stop();
          finish();
        }
        break;
      case "ask":
        if (!simulator) throw new Error("the simulator has not been started");
        ask(simulator, data.id, data.question);
        break;
    }
  });
