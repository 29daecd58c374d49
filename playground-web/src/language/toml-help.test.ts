import { expect, test } from "vitest";
import project from "../../../analysis/schema/coopmat-analyzer.schema.json?raw";
import recipe from "../../../recipe/run-recipe.schema.json?raw";
import type { Schema } from "./schema";
import { about, optionsFor } from "./toml-help";
import { scan } from "./toml-scan";

const PROJECT: Schema = JSON.parse(project);
const RECIPE: Schema = JSON.parse(recipe);

/** What is offered at the mark `|`. */
function offered(schema: Schema, marked: string, lists = {}): string[] {
  const at = marked.indexOf("|");
  const text = marked.replace("|", "");
  const place = scan(text, at);
  return place ? optionsFor(schema, place, lists, text.slice(at)).map(({ label }) => label) : [];
}

test.each([
  ["|", "target-env"],
  ["target-env = |", '"vulkan1.3"'],
  ['target-env = "vulkan|"', "vulkan1.3"],
  ["google-include = |", "true"],
  ["subgroup-size = |", "32"],
  ["[|]", "shaders"],
  ["[[shaders.|]]", "configurations"],
  ["[[shaders]]\n|", "files"],
  ["[[shaders]]\nfiles = [\n  'a', # |\n  \"b\",\n]\n|", "in-view"],
  ["[[shaders]]\nfiles = []\n[[shaders.configurations]]\n|", "name"],
  ["shaders = [{ files = ['*'], | }]", "configurations"],
  ['preamble-text = """\n[x]\n"""\n|', "device"],
])("a project file: %s offers %s", (text, wanted) => {
  // A mark in a comment is none.
  const marked = text.replace("# |", "#");
  expect(offered(PROJECT, marked)).toContain(wanted);
});

test.each([
  ["|", "dispatch"],
  ["[[buffers]]\n|", "shape"],
  ["[[buffers]]\nname = 'a'\nfill.|", "uniform"],
  ["[[buffers]]\nfill = |", '"zeros"'],
  ["[[buffers]]\nfill.uniform = { | }", "seed"],
  ["[[expect]]\nequals.matmul = { | }", "transpose-b"],
  ["[|]", "buffers"],
])("a recipe: %s offers %s", (text, wanted) => {
  expect(offered(RECIPE, text)).toContain(wanted);
});

test("devices and modes come from the module", () => {
  expect(offered(PROJECT, 'device = "|"', { device: ["nvidia-h200"] })).toEqual(["nvidia-h200"]);
  expect(offered(RECIPE, "numerics = ['|']", { numerics: ["exact"] })).toEqual(["exact"]);
});

test("nothing is offered in comments and behind values", () => {
  expect(offered(PROJECT, "# |")).toEqual([]);
  expect(offered(PROJECT, "google-include = true # |")).toEqual([]);
  expect(offered(PROJECT, 'include = ["a"] |')).toEqual([]);
});

test.each([
  ["target-env = 'vulkan1.3'", "target-env", "The version of Vulkan."],
  ["[[shaders]]\nin-view = 'a'", "in-view", "The configuration that editors show"],
  ["[[shaders.configurations]]", "configurations", "Configurations under which"],
  ["shaders = [{ files = 'x', stage = 'comp' }]", "stage", "The stage of files whose names do not say it"],
])("a hover of %s at %s says what it means", async (text, word, words) => {
  const from = text.indexOf(word);
  expect(await about(PROJECT, text, { from, to: from + word.length })).toContain(words);
});

test("a hover of a value says what the value means", async () => {
  const text = "[[buffers]]\ntype = 'q4_0'";
  const from = text.indexOf("q4_0");
  expect(await about(RECIPE, text, { from, to: from + 4 })).toContain("32 elements in 18 bytes");
});
