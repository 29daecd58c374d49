// What is expected of buffers afterwards: the operation that gives it, its operands, and how far an element may be off.

import { element } from "@coopmat/shared/element";
import { remove, type Value } from "../../recipe/toml";
import { button, choice, parse, part, text, tick } from "./fields";
import type { RunModel } from "./model";

type Kind = "value" | "optional value" | "number" | "flag" | readonly string[];

/** The operations that fields are enough for, and their keys; the others are written as text. */
const OPERATIONS: Record<string, Record<string, Kind>> = {
  matmul: {
    a: "value",
    b: "value",
    c: "optional value",
    alpha: "number",
    beta: "number",
    "transpose-a": "flag",
    "transpose-b": "flag",
    saturate: "flag",
  },
  attention: { q: "value", k: "value", v: "value", mask: "optional value", scale: "number", causal: "flag" },
  softmax: { input: "value", scale: "number" },
  reduce: {
    input: "value",
    by: ["sum", "product", "maximum", "minimum", "mean"],
    over: ["row", "column", "all", "2x2"],
  },
  conv2d: { input: "value", weights: "value", bias: "optional value" },
};
/** Operations with one text. */
const SINGLE = ["formula", "value", "transpose"];

interface Expectation {
  buffer?: string;
  equals?: Record<string, Value>;
  tolerance?: Record<string, Value>;
  where?: string;
}

const list = (value: unknown) => (Array.isArray(value) ? (value as Record<string, unknown>[]) : []);

export function expectations(model: RunModel): HTMLElement {
  const all = list(model.recipe.expect) as Expectation[];
  const values = [...list(model.recipe.buffers), ...list(model.recipe.references)].map(({ name }) =>
    String(name ?? ""),
  );
  const rows = all.map((one, index) => row(model, one, index, values));
  const last = list(model.recipe.buffers).at(-1)?.name;
  const add = button("add-expectation", "Add an expectation", () => {
    const [first = "A"] = values;
    const expectation = { buffer: String(last ?? first), equals: { formula: first } };
    void model.addExpectation(expectation);
  });
  // What is added depends on the recipe's buffers.
  add.disabled = model.description.recipe === null;
  return part("part-expect", "Expectations", true, ...rows, element("p", {}, add));
}

function row(model: RunModel, one: Expectation, index: number, values: string[]): HTMLElement {
  const path = ["expect", index] as const;
  const [operation = "", given = null] = Object.entries(one.equals ?? {})[0] ?? [];
  const pick = (
    key: string,
    label: string,
    value: string,
    optional: boolean,
    change: (value: string) => void,
  ) =>
    choice({
      key: `expect-${index}-${key}`,
      label,
      value,
      options: [...(optional ? [["", "none"] as const] : []), ...values.map((name) => [name, name] as const)],
      change,
    });
  const fields: Node[] = [
    pick("buffer", "Buffer", one.buffer ?? "", false, (value) => model.edit([...path, "buffer"], value)),
    choice({
      key: `expect-${index}-operation`,
      label: "is",
      value: operation,
      options: [...Object.keys(OPERATIONS), ...SINGLE].map((name) => [name, name] as const),
      change: (chosen) => model.edit([...path, "equals"], { [chosen]: first(chosen, values) }),
    }),
  ];
  const keys = OPERATIONS[operation];
  if (keys && typeof given === "object" && given !== null && !Array.isArray(given)) {
    for (const [key, kind] of Object.entries(keys)) {
      const set = (value: Value) => model.edit([...path, "equals", operation, key], value);
      const value = given[key];
      if (kind === "value" || kind === "optional value")
        fields.push(pick(key, key, String(value ?? ""), kind !== "value", (name) => set(name || undefined)));
      else if (kind === "number")
        fields.push(
          text({ key: `expect-${index}-${key}`, label: key, value, change: (value) => set(parse(value)) }),
        );
      else if (kind === "flag")
        fields.push(tick(`expect-${index}-${key}`, key, value === true, (on) => set(on || undefined)));
      else
        fields.push(
          choice({
            key: `expect-${index}-${key}`,
            label: key,
            value: String(value ?? kind[0]),
            options: kind.map((name) => [name, name] as const),
            change: set,
          }),
        );
    }
  } else if (operation === "formula") {
    fields.push(
      text({
        key: `expect-${index}-formula`,
        label: "formula",
        value: given,
        wide: true,
        title: "Element by element: names of buffers and references, row, column, index, the sizes",
        change: (value) => model.edit([...path, "equals", "formula"], value),
      }),
    );
  } else if (SINGLE.includes(operation)) {
    fields.push(
      pick("of", "of", String(given ?? ""), false, (value) =>
        model.edit([...path, "equals", operation], value),
      ),
    );
  } else {
    fields.push(element("span", { className: "faint" }, "its operands stand in the recipe's text"));
  }
  for (const key of ["absolute", "relative", "ulp"]) {
    fields.push(
      text({
        key: `expect-${index}-${key}`,
        label: `${key} tolerance`,
        value: one.tolerance?.[key],
        placeholder: "0",
        change: (value) => model.edit([...path, "tolerance", key], parse(value)),
      }),
    );
  }
  fields.push(button(`expect-${index}-remove`, "Remove", () => model.rewrite(remove(path))));
  return element("div", { className: "fields expectation" }, ...fields);
}

/** What stands behind an operation when it is chosen. */
function first(operation: string, values: string[]): Value {
  const [a = "", b = a] = values;
  switch (operation) {
    case "matmul":
      return { a, b };
    case "attention":
      return { q: a, k: b, v: values[2] ?? b };
    case "reduce":
      return { input: a, by: "sum", over: "row" };
    case "conv2d":
      return { input: a, weights: b };
    case "softmax":
      return { input: a };
    default:
      return a;
  }
}
