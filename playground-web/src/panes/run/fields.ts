// The controls of the form: each has a key, so that drawing anew keeps what somebody is in.

import { element } from "@coopmat/shared/element";

/** A number as recipes have it: whole, real, or a formula. */
export type NumberLike = number | string;

export function parse(text: string): NumberLike | undefined {
  const trimmed = text.trim();
  if (trimmed === "") return undefined;
  return /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(trimmed) ? Number(trimmed) : trimmed;
}

export const show = (value: unknown): string => (value === undefined || value === null ? "" : String(value));

interface Text {
  key: string;
  label: string;
  value: unknown;
  placeholder?: string;
  title?: string;
  wide?: boolean;
  change(text: string): void;
}

export function text({ key, label, value, placeholder, title, wide, change }: Text): HTMLElement {
  const shown = show(value);
  const field = element("input", {
    type: "text",
    value: shown,
    defaultValue: shown,
    spellcheck: false,
    attributes: { autocomplete: "off" },
    placeholder: placeholder ?? "",
    size: Math.max(5, Math.min(wide ? 40 : 14, Math.max(shown.length, (placeholder ?? "").length) + 1)),
    onchange: () => change(field.value),
  });
  field.dataset.key = key;
  return element(
    "label",
    { className: wide ? "field wide" : "field", title: title ?? "" },
    element("span", {}, label),
    field,
  );
}

interface Choice {
  key: string;
  label: string;
  value: string;
  /** Values and what they are called. */
  options: readonly (readonly [value: string, label: string])[];
  title?: string;
  change(value: string): void;
}

export function choice({ key, label, value, options, title, change }: Choice): HTMLElement {
  const field = element(
    "select",
    { onchange: () => change(field.value) },
    ...options.map(([value, label]) => element("option", { value }, label)),
  );
  if (!options.some(([one]) => one === value)) field.append(element("option", { value }, value));
  field.value = value;
  field.dataset.key = key;
  return element("label", { className: "field", title: title ?? "" }, element("span", {}, label), field);
}

export function tick(key: string, label: string, value: boolean, change: (on: boolean) => void): HTMLElement {
  const field = element("input", { type: "checkbox", checked: value, onchange: () => change(field.checked) });
  field.dataset.key = key;
  return element("label", { className: "tick" }, field, ` ${label}`);
}

export function button(key: string, label: string, act: () => void, title = ""): HTMLButtonElement {
  const made = element("button", { type: "button", onclick: act, title }, label);
  made.dataset.key = key;
  return made;
}

/** A part of the pane that opens and closes. */
export function part(key: string, title: string, open: boolean, ...children: (Node | string)[]): HTMLElement {
  const made = element("details", { className: "part", open }, element("summary", {}, title), ...children);
  made.dataset.key = key;
  return made;
}
