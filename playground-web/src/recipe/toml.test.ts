import { describe, expect, test } from "vitest";
import { append, print, remove, set } from "./toml";

const RECIPE = `# how to run it
sizes = { M = 64, N = 32 } # small
dispatch = ["N / 16", 1]

[push-constants]
columns = "N" # of D

[[buffers]]
name = "a"
shape = ["M", "N"]
fill.uniform = { seed = 1 }

# the result
[[buffers]]
name = "d"
`;

const MODEL = {
  sizes: { M: 64, N: 32 },
  dispatch: ["N / 16", 1],
  "push-constants": { columns: "N" },
  buffers: [{ name: "a", shape: ["M", "N"], fill: { uniform: { seed: 1 } } }, { name: "d" }],
};

describe("an edit", () => {
  test("of a value leaves the line's comment", () => {
    expect(set(RECIPE, ["push-constants", "columns"], 4, MODEL)).toBe(
      RECIPE.replace('columns = "N"', "columns = 4"),
    );
  });
  test("inside of a value on one line writes that line anew", () => {
    expect(set(RECIPE, ["sizes", "M"], 128, MODEL)).toBe(RECIPE.replace("M = 64", "M = 128"));
    expect(set(RECIPE, ["sizes", "N"], undefined, MODEL)).toBe(RECIPE.replace(", N = 32", ""));
    expect(set(RECIPE, ["dispatch", 1], 2, MODEL)).toBe(RECIPE.replace('16", 1]', '16", 2]'));
  });
  test("of a key that is not there goes into its table", () => {
    expect(set(RECIPE, ["buffers", 1, "shape"], [2, 2], MODEL)).toBe(`${RECIPE}shape = [2, 2]\n`);
    expect(set(RECIPE, ["subgroup-size"], 8, MODEL)).toContain("1]\nsubgroup-size = 8\n\n[push");
    expect(set(RECIPE, ["push-constants", "a b"], 1, MODEL)).toContain('# of D\n"a b" = 1\n');
  });
  test("of a whole replaces its parts", () => {
    const text = set(RECIPE, ["buffers", 0, "fill"], { constant: 1 }, MODEL);
    expect(text).toBe(RECIPE.replace("fill.uniform = { seed = 1 }", "fill = { constant = 1 }"));
  });
  test("of a text without tables comes first", () => {
    expect(set("", ["dispatch"], [1], {})).toBe("dispatch = [1]\n");
    expect(set("[sizes]\nM = 1\n", ["dispatch"], [1], {})).toBe("dispatch = [1]\n\n[sizes]\nM = 1\n");
  });
});

test("a table of a list is appended behind the others, and taken out", () => {
  const more = append(`${RECIPE}\n[[expect]]\nbuffer = "d"\n`, "buffers", { name: "e", type: undefined });
  expect(more).toContain('name = "d"\n\n[[buffers]]\nname = "e"\n\n[[expect]]');
  expect(remove(RECIPE, ["buffers", 0])).not.toContain('"a"');
  expect(remove(RECIPE, ["buffers", 0])).toContain('name = "d"');
});

test("brackets, comments and quotes in values are not taken for ends", () => {
  const text = 'a = [\n  "]", # [\n  2,\n]\nb = \'#\' # x\nc = """\n[t]\n"""\nd = 1\n';
  expect(set(text, ["a"], 1, {})).toBe(`a = 1\n${text.slice(text.indexOf("b ="))}`);
  expect(set(text, ["b"], 1, {})).toContain("b = 1 # x");
  expect(set(text, ["d"], 2, {})).toContain('"""\nd = 2\n');
});

test("values are written as TOML has them", () => {
  expect(print({ low: Number.NEGATIVE_INFINITY, "a b": [1.5, 1e300, "x\n"], none: undefined })).toBe(
    '{ low = -inf, "a b" = [1.5, 1e300, "x\\n"] }',
  );
});
