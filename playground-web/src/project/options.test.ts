import { describe, expect, test } from "vitest";
import { editsFor, parseOptions, readProjectFile, split, writeOptions } from "./options";

describe("options", () => {
  test("are read as compilers write them, in one word and in two", () => {
    const { settings, errors } = parseOptions(
      "-DA_TYPE=float16_t -D B -I include -Ilib --target-env=vulkan1.3 -fshader-stage=compute -std=460core --device nvidia-h200",
    );
    expect(errors).toEqual([]);
    expect(settings).toEqual({
      defines: [["A_TYPE", "float16_t"], ["B"]],
      include: ["include", "lib"],
      targetEnv: "vulkan1.3",
      stage: "comp",
      version: "460 core",
      device: "nvidia-h200",
    });
  });

  test("with blanks are quoted", () => {
    expect(split(`-D'A=1 + 2' -D"B=x y" -DC=\\ z ''`)).toEqual(["-DA=1 + 2", "-DB=x y", "-DC= z", ""]);
    const text = "'-DA=1 + 2' -DB=2 -I lib";
    expect(writeOptions(parseOptions(text).settings)).toBe(text);
  });

  test.each([
    ["-fauto-bind-uniforms", "-fauto-bind-uniforms is not known"],
    ["-O", "-O makes no difference"],
    ["-UA", "-UA: a macro"],
    ["shader.comp", "shader.comp is no option"],
    ["-D", "-D lacks its value"],
    ["-D1A=2", "“1A” cannot be the name of a macro"],
    ["-DA=1 -DA=2", "A is defined twice"],
    ["--target-env=vulkan2", "--target-env=vulkan2: expected one of"],
    ["-fshader-stage=pixel", "-fshader-stage pixel is no stage"],
    ["--subgroup-size=48", "--subgroup-size=48: expected a power of two"],
  ])("that cannot be taken are named: %s", (text, words) => {
    expect(parseOptions(text).errors.join()).toContain(words);
  });
});

describe("a project file", () => {
  const read = (text: string) => {
    const file = readProjectFile(text);
    if (!file) throw new Error("not read");
    return file;
  };

  test("is shown as the options that say the same", () => {
    const { settings } = read(`
      target-env = "vulkan1.3"
      include = ["lib"]
      defines = { A = "float", N = 32, ON = true }
      [[shaders]]
      files = ["*.comp"]
      defines = ["OTHER"]
    `);
    expect(writeOptions(settings)).toBe("-DA=float -DN=32 -DON=1 -I lib --target-env=vulkan1.3");
    expect(readProjectFile("x = [")).toBeUndefined();
  });

  test("changes where it says something else, and nowhere else", () => {
    const file = read('defines = ["A=1", "B=2"]\ninclude = ["lib"]\n');
    expect(editsFor(file, file.settings)).toEqual([]);
    const next = parseOptions("-DB=2 -DC -I lib --target-env=vulkan1.2").settings;
    expect(editsFor(file, next)).toEqual([
      { kind: "remove", path: ["defines", 0] },
      { kind: "set", path: ["defines", 1], value: "C" },
      { kind: "set", path: ["target-env"], value: "vulkan1.2" },
    ]);
  });

  test("keeps the table that its macros are", () => {
    const file = read("defines = { A = 1, B = 2 }\n");
    expect(editsFor(file, parseOptions("-DB=3 -DC=x").settings)).toEqual([
      { kind: "remove", path: ["defines", "A"] },
      { kind: "set", path: ["defines", "B"], value: 3 },
      { kind: "set", path: ["defines", "C"], value: "x" },
    ]);
  });

  test("lets shaders include, as the compilers do, when it gets its first folder", () => {
    const edits = editsFor(read(""), parseOptions("-I include").settings);
    expect(edits).toEqual([
      { kind: "set", path: ["include"], value: ["include"] },
      { kind: "set", path: ["google-include"], value: true },
    ]);
  });
});
