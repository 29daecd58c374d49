import { describe, expect, test } from "vitest";
import { beside, recipeOf, shaderOf } from "./names";

describe("a recipe", () => {
  test("lies beside its shader", () => {
    expect(beside("khr/gemm.comp")).toBe("khr/gemm.run.toml");
    expect(beside("gemm.comp.glsl")).toBe("gemm.run.toml");
  });
  test("may name its shader", () => {
    const names = ["gemm.comp", "other.run.toml", "x.glsl"];
    const text = 'description = ""\nshader = "gemm.comp"\n';
    expect(shaderOf("other.run.toml", text, names)).toBe("gemm.comp");
    expect(recipeOf("gemm.comp", names, () => text)).toBe("other.run.toml");
    expect(recipeOf("x.glsl", names, () => text)).toBeUndefined();
  });
  test("of several dispatches is for the shader of its name, or that of the first", () => {
    const text = '[[dispatches]]\nname = "a"\n[[dispatches]]\nshader = "sum.comp"\n';
    const names = ["sum.comp", "slices.comp", "slices.run.toml"];
    expect(shaderOf("slices.run.toml", text, names)).toBe("slices.comp");
    expect(recipeOf("sum.comp", names, () => text)).toBeUndefined();
    expect(shaderOf("slices.run.toml", text, ["sum.comp", "slices.run.toml"])).toBe("sum.comp");
    expect(shaderOf("slices.run.toml", `shader = "sum.comp"\n${text}`, names)).toBe("sum.comp");
  });
  test("of a shader's own name comes before others", () => {
    const names = ["a.comp", "b.run.toml", "a.run.toml"];
    expect(recipeOf("a.comp", names, () => 'shader = "a.comp"')).toBe("a.run.toml");
  });
});
