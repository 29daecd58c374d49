import { describe, expect, test } from "vitest";
import { fromInstruction, fromSource, links } from "./spirv-map";

// `x = a + f(b);` in line 3 of the shader: the call, the addition, the store.
const all = links(
  [
    [10, 0, 10, 20, 0, 3, 8, 3, 12],
    [11, 0, 11, 20, 0, 3, 4, 3, 12],
    [12, 0, 12, 20, 0, 3, 0, 3, 13],
    [13, 0, 13, 20, 1, 7, 0, 7, 5, 0, 4, 0, 4, 6],
    [14, 0, 14, 20, 2, 0, 0, 0, 1],
  ],
  ["file:///a.comp", "file:///h.glsl", null],
);
const lines = (found: ReturnType<typeof fromSource>) => found.map((link) => link.instruction.line);

describe("from the source", () => {
  test("the smallest expression is meant", () => {
    expect(lines(fromSource(all, "file:///a.comp", 3, 9))).toEqual([10]);
  });
  test("an operator is meant with its operands", () => {
    expect(lines(fromSource(all, "file:///a.comp", 3, 5))).toEqual([10, 11]);
  });
  test("a statement is meant whole", () => {
    expect(lines(fromSource(all, "file:///a.comp", 3, 1))).toEqual([10, 11, 12]);
  });
  test("a macro leads to its call and to its definition", () => {
    expect(lines(fromSource(all, "file:///h.glsl", 7, 1))).toEqual([13]);
    expect(lines(fromSource(all, "file:///a.comp", 4, 1))).toEqual([13]);
  });
  test("elsewhere nothing is meant", () => {
    expect(fromSource(all, "file:///a.comp", 9, 0)).toEqual([]);
  });
});

test("from an instruction, its source; nothing where that is in no file of the page", () => {
  expect(fromInstruction(all, 11)[0]?.source).toEqual({
    line: 3,
    character: 4,
    endLine: 3,
    endCharacter: 12,
  });
  expect(fromInstruction(all, 14)).toEqual([]);
});
