import { expect, test } from "vitest";
import { rank } from "./fuzzy";

const found = (typed: string, texts: string[]) => rank(texts, typed, (text) => [text]);

test("some of the letters find, and the closest comes first", () => {
  const files = ["mul_mat_vec.comp", "mul_mm_cm2.comp", "mul_mm.comp", "types.glsl"];
  expect(found("mul_mm.comp", files)[0]).toBe("mul_mm.comp");
  expect(found("mulmm", files)).toEqual(["mul_mm.comp", "mul_mm_cm2.comp", "mul_mat_vec.comp"]);
  expect(found("mm cm2", files)).toEqual(["mul_mm_cm2.comp"]);
  expect(found("TYPES", files)).toEqual(["types.glsl"]);
  expect(found("xyz", files)).toEqual([]);
});

test("nothing typed leaves all in their order", () => {
  expect(found(" ", ["b", "a"])).toEqual(["b", "a"]);
});

test("what stands beside a label is found as it is written", () => {
  const items = [
    { label: "f16", detail: "A_TYPE=float16_t" },
    { label: "f32", detail: "A_TYPE=float" },
  ];
  const texts = ({ label, detail }: (typeof items)[number]) => [label, detail];
  expect(rank(items, "float16", texts).map(({ label }) => label)).toEqual(["f16"]);
});
