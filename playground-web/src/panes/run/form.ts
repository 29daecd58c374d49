// The recipe as a form: how many workgroups, sizes, constants, and the modes of a run. Each field writes into the recipe's text.

import { element } from "@coopmat/shared/element";
import { grouped } from "@coopmat/shared/views/numbers";
import type { Value } from "../../recipe/toml";
import { expectations } from "./expectations";
import { choice, parse, part, text } from "./fields";
import type { RunModel } from "./model";

type Table = Record<string, unknown>;
/** Of names that a shader chose, such as `constructor`: nothing is in it but what the recipe says. */
const table = (value: unknown): Table =>
  Object.assign(Object.create(null), typeof value === "object" ? value : undefined);
const row = (...children: Node[]) => element("div", { className: "fields" }, ...children);

export function form(model: RunModel): Node[] {
  const { recipe, description } = model;
  const { plan } = description;
  const parts: Node[] = [];
  if (!model.recipeName) return [modes(model)];

  const several = Array.isArray(recipe.dispatches) && recipe.dispatches.length > 0;
  const dispatch = Array.isArray(recipe.dispatch) ? recipe.dispatch : [];
  const groups = ["x", "y", "z"].map((axis, index) =>
    text({
      key: `dispatch-${axis}`,
      label: `Workgroups ${axis}`,
      value: dispatch[index] ?? 1,
      title: plan ? `${plan.dispatch[index]} workgroups` : "",
      change: (value) => {
        const all = [0, 1, 2].map((at) =>
          at === index ? (parse(value) ?? 1) : (dispatch[at] ?? 1),
        ) as Value[];
        while (all.length > 1 && all.at(-1) === 1) all.pop();
        model.edit(["dispatch"], all);
      },
    }),
  );
  const subgroup = choice({
    key: "subgroup-size",
    label: "Subgroup size",
    value: String(recipe["subgroup-size"] ?? ""),
    options: [
      ["", `as the shader has it${plan ? ` (${plan.modes["subgroup-size"]})` : ""}`],
      ...["4", "8", "16", "32", "64", "128"].map((size) => [size, size] as const),
    ],
    change: (value) => model.edit(["subgroup-size"], value === "" ? undefined : Number(value)),
  });
  const steps = text({
    key: "step-limit",
    label: "Step limit",
    value: recipe["step-limit"],
    placeholder: plan?.stepLimit ? grouped(plan.stepLimit) : "",
    title: "A step is one instruction of one subgroup. A run that takes more ends with an error.",
    change: (value) => model.edit(["step-limit"], parse(value)),
  });
  if (several) parts.push(dispatches(model));
  parts.push(part("part-dispatch", "Dispatch", true, row(...(several ? [] : groups), subgroup, steps)));

  const sizes = Object.entries(table(recipe.sizes));
  if (sizes.length > 0) {
    const fields = sizes.map(([name, value]) =>
      text({
        key: `size-${name}`,
        label: name,
        value,
        change: (value) => model.edit(["sizes", name], parse(value) ?? 0),
      }),
    );
    parts.push(part("part-sizes", "Sizes", true, row(...fields)));
  }

  const constants = description.interface?.specialization ?? [];
  if (constants.length > 0 && !several) {
    const given = table(recipe.specialization);
    const fields = constants.map(({ id, name, default: value, type }) => {
      const key =
        name !== null && name in given ? name : String(id) in given ? String(id) : (name ?? String(id));
      return text({
        key: `constant-${id}`,
        label: name ?? `constant ${id}`,
        value: given[key],
        placeholder: String(value),
        title: `constant_id = ${id}${type ? `, ${type}` : ""}; the shader's own value is ${value}`,
        change: (value) => model.edit(["specialization", key], parse(value)),
      });
    });
    parts.push(part("part-constants", "Specialization constants", true, row(...fields)));
  }

  const members = description.interface?.pushConstants?.members ?? [];
  if (members.length > 0 && !several && !Array.isArray(recipe["push-constants"])) {
    const given = table(recipe["push-constants"]);
    const fields = members.map(({ name, type, count }) => {
      const value = given[name];
      const address = table(value).address;
      return text({
        key: `push-${name}`,
        label: name,
        value: typeof address === "string" ? `&${address}` : Array.isArray(value) ? value.join(", ") : value,
        title:
          type === "address"
            ? "the address of a buffer: & and its name"
            : `${type}${count > 1 ? `, ${count} numbers` : ""}`,
        change: (value) => {
          const written: Value = value.trim().startsWith("&")
            ? { address: value.trim().slice(1) }
            : value.includes(",") && count > 1
              ? value.split(",").map((one) => parse(one) ?? 0)
              : (parse(value) ?? 0);
          model.edit(["push-constants", name], written);
        },
      });
    });
    parts.push(part("part-push", "Push constants", true, row(...fields)));
  }
  parts.push(expectations(model), modes(model));
  return parts;
}

/** The dispatches of a recipe that lists them: the text says what they are given. */
function dispatches({ description, recipeName }: RunModel): HTMLElement {
  const rows = (description.plan?.dispatches ?? []).map(({ name, shader, workgroups }) =>
    element("li", {}, element("b", {}, name), `: ${shader}, ${workgroups.join(" × ")} workgroups`),
  );
  const hint = `Constants and bindings of each are in ${recipeName}.`;
  return part(
    "part-dispatches",
    "Dispatches",
    true,
    element("ol", {}, ...rows),
    element("p", { className: "faint" }, hint),
  );
}

/** What a shader may not depend on. These are the page's choices: a recipe says under which its expectations hold. */
function modes(model: RunModel): HTMLElement {
  const { lists } = model.client;
  const { choices, options, description } = model;
  const first = description.plan?.modes;
  const names = (all: readonly string[], own: string | undefined) => [
    ["", own ? `${own} (as the recipe)` : "as the recipe"] as const,
    ...all.map((name) => [name, name] as const),
  ];
  const pick = (
    key: "numerics" | "ownership" | "decode",
    label: string,
    all: readonly string[],
    title: string,
  ) =>
    choice({
      key: `mode-${key}`,
      label,
      title,
      value: choices[key] ?? "",
      options: names(all, choices[key] ? undefined : first?.[key]),
      change: (value) => model.choose({ [key]: value || undefined }),
    });
  const device = choice({
    key: "mode-device",
    label: "Device profile",
    title: "Checked mode reports multiply-adds that the device does not offer",
    value: options.device ?? "",
    options: [
      ["", typeof model.recipe.device === "string" ? `${model.recipe.device} (as the recipe)` : "none"],
      ...lists.devices.map(({ name, title }) => [name, title] as const),
    ],
    change: (value) => model.chooseDevice(value || undefined),
  });
  return part(
    "part-modes",
    "Modes",
    true,
    row(
      pick(
        "numerics",
        "Numerics",
        lists.numerics,
        "How a multiply-add rounds and in which order it adds: implementations differ",
      ),
      pick(
        "ownership",
        "Ownership",
        lists.ownerships,
        "Which invocation holds which element: implementations differ",
      ),
      pick("decode", "Decode functions", lists.decodes, "Which one a tensor load calls when it has two"),
      device,
    ),
  );
}
