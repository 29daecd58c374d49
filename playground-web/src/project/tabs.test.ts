import type { Project } from "@coopmat/shared/project/project";
import { expect, test } from "vitest";
import { keptTabs, tabsOf } from "./tabs";

const project = (names: string[], options: Project["options"] = {}): Project => ({
  files: names.map((name) => ({ name, text: "" })),
  active: names[0] ?? "",
  options,
});
const many = [
  "a.comp",
  "a.run.toml",
  "coopmat-analyzer.toml",
  ...Array.from({ length: 20 }, (_, at) => `${at}.glsl`),
];

test("of a few files all have tabs", () => {
  expect(tabsOf(project(["b.comp", "a.glsl"]))).toEqual(["b.comp", "a.glsl"]);
});

test("of many the one in view, its recipe, the project file, and those with breakpoints", () => {
  expect(tabsOf(project(many))).toEqual(many.slice(0, 3));
  const breakpoints = [{ file: "7.glsl", line: 0 }];
  expect(tabsOf(project(many, { breakpoints }))).toEqual([...many.slice(0, 3), "7.glsl"]);
});

test("others are kept, and come back in their order", () => {
  const open = ["3.glsl", "a.comp"];
  const kept = keptTabs(project(many), open);
  expect(tabsOf(project(many, kept))).toEqual(open);
  expect(keptTabs(project(many), many.slice(0, 3))).toEqual({});
  // Files that are gone have none.
  expect(tabsOf(project(["a.comp"], { tabs: ["gone.glsl"] }))).toEqual(["a.comp"]);
});
