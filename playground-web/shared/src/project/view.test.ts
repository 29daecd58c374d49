// What a link had in view is read as it was written, and what nobody knows is left out.

import { expect, test } from "vitest";
import { checked, checkedLink } from "./project";
import { decode, encode } from "./share";
import { readView, type View } from "./view";

const VIEW: View = {
  pane: "matrices",
  side: "result",
  columns: 30.5,
  rows: 60,
  cursor: [47, 12],
  ran: true,
  matrices: {
    workgroup: [1, 0, 0],
    subgroup: 2,
    onlyLine: ["gemm.comp", 47],
    path: "gemm.comp",
    line: 47,
    title: "coopMatMulAdd",
    time: 3,
    look: "ownership",
    matrix: "A",
    ownership: "blocked",
    selected: [["matrix", 17]],
  },
  buffers: [{ name: "outputD", look: "difference", matrix: 1, table: false, selected: 5 }],
  debugger: { time: 120, subgroup: 1, frame: 0, checked: true, watches: ["acc[0]"] },
};

const FILES = [{ name: "a.comp", text: "void main() {}" }];

test("a view comes back as it was", () => {
  expect(readView(JSON.parse(JSON.stringify(VIEW)))).toEqual(VIEW);
  const project = { files: FILES, active: "a.comp", options: { view: VIEW } };
  expect(decode(encode(project))).toEqual(project);
});

test("an example goes by its name, with what was in view", () => {
  const reference = { example: "khr/gemm.comp", active: "gemm.run.toml", options: { view: VIEW } };
  expect(decode(encode(reference))).toEqual(reference);
  expect(encode(reference).length).toBeLessThan(600);
});

test("what is unknown, wrong or too much is left out", () => {
  expect(readView({})).toBeUndefined();
  expect(readView([1])).toBeUndefined();
  expect(readView({ pane: "x".repeat(1000), columns: 400, cursor: [1], later: true })).toBeUndefined();
  expect(readView({ pane: "run", matrices: { title: "t" }, debugger: { time: -1 } })).toEqual({
    pane: "run",
  });
  const many = Array.from({ length: 1000 }, () => ({ name: "a", look: "after" }));
  expect(readView({ buffers: many })?.buffers).toHaveLength(64);
});

test("a name that leads out of the examples is none", () => {
  expect(() => checkedLink({ example: "../../secret" })).toThrow("it holds no files");
  expect(() => checkedLink({ example: 5 })).toThrow("it holds no files");
  // A project that names an example as well is that project.
  expect(checkedLink({ example: "khr/gemm.comp", files: FILES })).toEqual(checked({ files: FILES }));
});
