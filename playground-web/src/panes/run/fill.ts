// What a buffer holds before the run: the generators of the recipes, a file, or numbers by hand.

import { element } from "@coopmat/shared/element";
import type { Value } from "../../recipe/toml";
import { choice, parse, text } from "./fields";
import type { RunModel } from "./model";

interface Kind {
  title: string;
  /** What stands behind the kind in the recipe when it is chosen. */
  first: Value;
  /** Names of its numbers. */
  numbers?: readonly string[];
}

const KINDS: Record<string, Kind> = {
  zeros: { title: "zeros", first: "zeros" },
  uninitialised: { title: "nothing written yet", first: "uninitialised" },
  constant: { title: "one number", first: 1 },
  iota: { title: "counted: 0, 1, 2 …", first: { start: 0, step: 1 }, numbers: ["start", "step"] },
  uniform: { title: "random, even", first: { seed: 1, low: -1, high: 1 }, numbers: ["seed", "low", "high"] },
  normal: {
    title: "random, normal",
    first: { seed: 1, mean: 0, deviation: 1 },
    numbers: ["seed", "mean", "deviation"],
  },
  integers: {
    title: "random whole numbers",
    first: { seed: 1, low: -8, high: 7 },
    numbers: ["seed", "low", "high"],
  },
  formula: { title: "a formula", first: "row == column" },
  values: { title: "by hand, in the table", first: [] },
  file: { title: "a file", first: "" },
};

const BARE = ["zeros", "uninitialised"];

export function fillFields(
  model: RunModel,
  index: number,
  fill: unknown,
  upload: (file: File) => void,
): HTMLElement {
  const path = ["buffers", index, "fill"] as const;
  const [kind, value] =
    typeof fill === "string"
      ? [fill, undefined]
      : typeof fill === "object" && fill !== null
        ? (Object.entries(fill)[0] ?? ["zeros", undefined])
        : ["zeros", undefined];
  const set = (kind: string, value: Value) => {
    if (kind === "zeros") model.edit(path, undefined);
    else model.edit(path, BARE.includes(kind) ? kind : { [kind]: value });
  };
  const file = element("input", {
    type: "file",
    hidden: true,
    accept: ".npy,.csv,.bin,.raw,*",
    onchange: () => file.files?.[0] && upload(file.files[0]),
  });
  const fields = element(
    "div",
    { className: "fields" },
    choice({
      key: `fill-${index}`,
      label: "Holds",
      value: kind,
      options: Object.entries(KINDS)
        // Values and files come by the table and by an upload.
        .filter(([name]) => (name !== "values" && name !== "file") || name === kind)
        .map(([name, { title }]) => [name, title] as const),
      change: (chosen) => set(chosen, KINDS[chosen]?.first),
    }),
  );
  const numbers = KINDS[kind]?.numbers ?? [];
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, Value>;
  for (const name of numbers) {
    fields.append(
      text({
        key: `fill-${index}-${name}`,
        label: name,
        value: given[name],
        change: (text) => set(kind, { ...given, [name]: parse(text) ?? 0 }),
      }),
    );
  }
  if (kind === "constant")
    fields.append(
      text({
        key: `fill-${index}-constant`,
        label: "number",
        value,
        change: (text) => set(kind, parse(text) ?? 0),
      }),
    );
  if (kind === "formula")
    fields.append(
      text({
        key: `fill-${index}-formula`,
        label: "formula",
        value,
        wide: true,
        title: "Knows row, column, matrix, index and the sizes",
        change: (text) => set(kind, text || "0"),
      }),
    );
  if (kind === "file")
    fields.append(element("span", { className: "field" }, element("span", {}, "file"), String(value)));
  const pick = element(
    "button",
    { type: "button", title: ".npy, .csv, or the buffer's bytes", onclick: () => file.click() },
    "Upload …",
  );
  pick.dataset.key = `upload-${index}`;
  fields.append(pick, file);
  return fields;
}
