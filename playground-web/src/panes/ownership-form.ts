// The ownership of any type, without a run: component, scope, shape and use as they are declared, and whose map of elements it is.

import { element } from "@coopmat/shared/element";
import { OwnershipView } from "@coopmat/shared/views";
import { NoAnswer, type SimulatorClient } from "../simulator/client";

/** What cooperative matrices have; the simulator's words. */
const COMPONENTS = [
  "float16_t",
  "float32_t",
  "bfloat16_t",
  "floate4m3_t",
  "floate5m2_t",
  "float64_t",
  "int8_t",
  "uint8_t",
  "int16_t",
  "uint16_t",
  "int32_t",
  "uint32_t",
];
const USES = ["A", "B", "Accumulator"];
const SCOPES = ["subgroup", "workgroup"];

export class OwnershipForm {
  readonly body: HTMLDetailsElement;
  private readonly component = picker("Component type", COMPONENTS);
  private readonly scope = picker("Scope", SCOPES);
  private readonly rows = counter("Rows", 16, 4096);
  private readonly columns = counter("Columns", 16, 4096);
  private readonly use = picker("Use", USES);
  private readonly invocations = counter("Invocations", 32, 1024);
  private readonly ownership = picker("Map of elements", []);
  private readonly words = element("p", { className: "matrices-words", attributes: { role: "status" } });
  private readonly holder = element("div");
  private view: OwnershipView | undefined;
  private asked = 0;

  constructor(private readonly client: SimulatorClient) {
    const fields = [
      this.component,
      this.scope,
      this.rows,
      this.columns,
      this.use,
      this.invocations,
      this.ownership,
    ];
    for (const { field } of fields) field.onchange = () => void this.draw();
    this.body = element(
      "details",
      { className: "part ownership-form" },
      element("summary", {}, "Ownership of any type"),
      element("div", { className: "bar" }, ...fields.map(({ label }) => label)),
      this.words,
      this.holder,
    );
    this.body.ontoggle = () => void this.draw();
    client.onReady(() => void this.draw());
  }

  /** Shows it, whatever has been run. */
  open() {
    this.body.open = true;
    this.body.scrollIntoView({ block: "nearest" });
  }

  private async draw() {
    if (!this.body.open) return;
    const { field: ownership } = this.ownership;
    if (ownership.options.length === 0) {
      const names = this.client.lists.ownerships;
      ownership.append(...names.map((value) => element("option", { value }, value)));
      // Not there yet: the simulator says when.
      if (names.length === 0) {
        this.client.start();
        return;
      }
      ownership.value = names.includes("nvidia-h200") ? "nvidia-h200" : (names[0] ?? "");
    }
    const [rows, columns, invocations] = [this.rows, this.columns, this.invocations].map(({ field }) =>
      field.reportValidity() ? field.valueAsNumber : undefined,
    );
    if (!rows || !columns || !invocations) return;
    const [name, component, scope, use] = [this.ownership, this.component, this.scope, this.use].map(
      ({ field }) => field.value,
    );
    if (!name || !component || !scope || !use) return;
    const number = ++this.asked;
    try {
      const answer = await this.client.ownership({ name, component, rows, columns, use, scope, invocations });
      if (number !== this.asked) return;
      this.words.textContent = `coopmat<${component}, ${scope}, ${rows}, ${columns}, ${use}> of ${answer.invocations} invocations`;
      this.view ??= new OwnershipView();
      if (!this.view.body.isConnected) this.holder.replaceChildren(this.view.body);
      this.view.show({ name, rows, columns, ...answer });
    } catch (error) {
      if (number !== this.asked) return;
      this.words.textContent = error instanceof NoAnswer ? error.problem.message : String(error);
      this.holder.replaceChildren();
    }
  }
}

function picker(words: string, names: readonly string[]) {
  const field = element("select", {}, ...names.map((value) => element("option", { value }, value)));
  return { field, label: element("label", { className: "matrices-place" }, `${words} `, field) };
}

function counter(words: string, value: number, max: number) {
  const field = element("input", {
    type: "number",
    min: "1",
    max: String(max),
    step: "1",
    required: true,
    value: String(value),
  });
  return { field, label: element("label", { className: "matrices-place" }, `${words} `, field) };
}
