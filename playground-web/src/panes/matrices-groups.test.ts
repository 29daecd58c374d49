import type { RecordedEvent } from "@coopmat/shared/views";
import { expect, test } from "vitest";
import { groupEvents } from "./matrices-groups";

const event = (instruction: number, title: string, line?: number): RecordedEvent => ({
  title,
  instruction,
  workgroup: [0, 0, 0],
  subgroup: 0,
  path: line === undefined ? undefined : "a.comp",
  line,
  matrix: undefined,
  operands: [],
  where: undefined,
  multiply: undefined,
  tensor: undefined,
  conversion: undefined,
  vectors: undefined,
});

test("a loop's operations stand once, with every time", () => {
  const events = [
    event(5, "load", 10),
    event(7, "multiply", 12),
    event(5, "load", 10),
    event(7, "multiply", 12),
  ];
  const groups = groupEvents(events).map(({ title, events }) => `${title} ${events.length}`);
  expect(groups).toEqual(["load 2", "multiply 2"]);
});

test("they are in the order of the source, what has no place last", () => {
  const events = [event(1, "nowhere"), event(9, "second", 4), event(2, "third", 8), event(3, "first", 1)];
  expect(groupEvents(events).map(({ title }) => title)).toEqual(["first", "second", "third", "nowhere"]);
});
