// The debugger pane: steps forwards and backwards, the timeline, the call stack, variables of every lane, watches, breakpoints.

import { element } from "@coopmat/shared/element";
import { grouped } from "@coopmat/shared/views/numbers";
import { uriOf } from "../../language/workspace";
import { type IconName, icon } from "../../ui/icons";
import { redraw } from "../../ui/redraw";
import type { Evaluated, Motion, State } from "../../workers/debugger-protocol";
import { DispatchChoice } from "../dispatch-choice";
import type { Pane } from "../panes";
import type { DebuggerModel } from "./model";
import { Matrices, type Shown, valueNode } from "./values";
import "./debugger.css";
import "@coopmat/shared/views/views.css";

interface Action {
  id: string;
  icon: IconName;
  title: string;
  key: string;
  motion?: Motion;
  back?: boolean;
}

/** The keys of Visual Studio Code; with Alt the same backwards. */
const ACTIONS: Action[] = [
  {
    id: "back-continue",
    icon: "step-back-continue",
    title: "Back to the breakpoint before",
    key: "Alt+F5",
    motion: "continue",
    back: true,
  },
  {
    id: "back-out",
    icon: "step-back-out",
    title: "Back to the call",
    key: "Alt+Shift+F11",
    motion: "out",
    back: true,
  },
  {
    id: "back-into",
    icon: "step-back-into",
    title: "Step back, into calls",
    key: "Alt+F11",
    motion: "into",
    back: true,
  },
  { id: "back-over", icon: "step-back", title: "Step back", key: "Alt+F10", motion: "over", back: true },
  { id: "over", icon: "step-over", title: "Step over", key: "F10", motion: "over" },
  { id: "into", icon: "step-into", title: "Step into", key: "F11", motion: "into" },
  { id: "out", icon: "step-out", title: "Step out", key: "Shift+F11", motion: "out" },
  { id: "continue", icon: "step-continue", title: "Continue", key: "F5", motion: "continue" },
];

const GROUPS: [title: string, kinds: string[]][] = [
  ["Locals", ["parameter", "local"]],
  ["Values", ["value"]],
  ["Globals", ["global", "shared"]],
  ["Buffers", ["buffer", "uniform", "push constants", "resource"]],
  ["Built-ins and constants", ["built-in", "constant"]],
];

const keyOf = (event: KeyboardEvent) =>
  [event.ctrlKey && "Ctrl", event.altKey && "Alt", event.shiftKey && "Shift", event.key]
    .filter(Boolean)
    .join("+");

export class DebuggerPane implements Pane {
  readonly id = "debugger";
  readonly title = "Debugger";
  readonly body = element("div", { className: "debugger" });
  /** What brings this pane into view. */
  onStart: () => void = () => {};
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private readonly start = element("button", {
    type: "button",
    className: "primary",
    title: "Begin at the first line (F5)",
    onclick: () => this.begin(),
  });
  private readonly halt = element(
    "button",
    { type: "button", title: "Stop where the run is by now (F6)", onclick: () => this.model.pause() },
    icon("pause"),
    "Pause",
  );
  private readonly finish = element(
    "button",
    { type: "button", title: "End the session (Shift+F5)", onclick: () => this.model.end() },
    icon("stop"),
    "End",
  );
  private readonly dispatch = new DispatchChoice(() => {
    this.model.dispatch = this.dispatch.value;
    if (this.model.state) this.begin();
  });
  private readonly checked = element("input", { type: "checkbox" });
  private readonly findings = element("input", { type: "checkbox", checked: true });
  private readonly words = element("output", { className: "debugger-words", ariaLive: "polite" });
  private readonly timeline = element("input", {
    type: "range",
    min: "0",
    step: "1",
    ariaLabel: "Time, in instructions",
  });
  private readonly times = element("span", { className: "faint" });
  private readonly scrubber = element("div", { className: "timeline" }, this.timeline, this.times);
  private readonly content = element("div", { className: "debugger-content" });
  private readonly matrices = new Matrices();
  private readonly expanded = new Set<string>();
  private scheduled = false;

  constructor(private readonly model: DebuggerModel) {
    const steps = element("div", { className: "debugger-steps", role: "toolbar", ariaLabel: "Steps" });
    for (const action of ACTIONS) {
      const words = `${action.title} (${action.key})`;
      const button = element(
        "button",
        { type: "button", title: words, ariaLabel: words, onclick: () => this.act(action) },
        icon(action.icon),
      );
      button.dataset.action = action.id;
      this.buttons.set(action.id, button);
      steps.append(button);
    }
    this.checked.onchange = () => {
      model.checked = this.checked.checked;
      if (model.state) this.begin();
    };
    this.findings.onchange = () => {
      model.stopAtFindings = this.findings.checked;
      model.client.stopAtFindings(this.findings.checked);
    };
    this.timeline.oninput = () => void model.go("time", false, Number(this.timeline.value));
    this.body.append(
      element(
        "div",
        { className: "bar" },
        this.start,
        steps,
        this.halt,
        this.finish,
        this.dispatch.body,
        element(
          "label",
          { title: "Report undefined behaviour, and mark what is undefined" },
          this.checked,
          " Checked",
        ),
        element(
          "label",
          { title: "In checked mode, stop at what it finds" },
          this.findings,
          " Stop at findings",
        ),
      ),
      this.words,
      this.scrubber,
      this.content,
    );
    model.onChange(() => this.soon());
    window.addEventListener("keydown", (event) => this.press(event), { capture: true });
    this.draw();
  }

  shown() {
    this.draw();
  }

  begin() {
    this.onStart();
    void this.model.begin();
  }

  private act({ motion, back }: Action) {
    if (motion) void this.model.go(motion, back);
  }

  /** Keys count while a session runs, and F5 where the pane is in view. */
  private press(event: KeyboardEvent) {
    const { model } = this;
    const key = keyOf(event);
    const act = () => {
      if (key === "F5" && !model.state) {
        if (this.body.hidden || model.moving) return false;
        this.begin();
        return true;
      }
      if (!model.state) return false;
      if (key === "Ctrl+Shift+F5") this.begin();
      else if (key === "Shift+F5") model.end();
      else if (key === "F6") model.pause();
      else {
        const action = ACTIONS.find((one) => one.key === key);
        if (!action) return false;
        this.act(action);
      }
      return true;
    };
    if (act()) {
      event.preventDefault();
      event.stopPropagation();
    }
  }

  private soon() {
    // Until what is true now is drawn.
    this.body.ariaBusy = "true";
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  private draw() {
    const { model } = this;
    const { state, moving } = model;
    this.body.ariaBusy = String(moving || model.looking > 0);
    const label = state ? "Restart" : "Debug";
    if (this.start.textContent !== label)
      this.start.replaceChildren(icon(state ? "restart" : "debug"), label);
    this.start.disabled = moving && !state;
    this.checked.checked = model.checked;
    this.dispatch.offer(model.dispatches);
    if (this.dispatch.value !== model.dispatch) this.dispatch.value = model.dispatch;
    for (const button of this.buttons.values()) button.disabled = !state || moving;
    this.halt.hidden = !moving;
    this.finish.hidden = !state && !moving;
    this.scrubber.hidden = !state;
    this.words.textContent = this.say();
    this.words.classList.toggle("problem", model.problem !== undefined);
    if (state) {
      const last = Math.max(state.furthest, model.progress?.furthest ?? 0);
      this.timeline.max = String(last);
      // Somebody who scrubs is ahead of the answers.
      if (document.activeElement !== this.timeline || !moving) this.timeline.value = String(state.time);
      const end = state.end === null ? `${grouped(last)} so far` : grouped(last);
      this.times.textContent = `${grouped(state.time)} of ${end}`;
      this.timeline.setAttribute("aria-valuetext", `instruction ${grouped(state.time)} of ${end}`);
    }
    redraw(this.content, state ? this.session(state) : this.invitation());
  }

  private say(): string {
    const { model } = this;
    const { state, current } = model;
    if (model.moving && model.progress) return `Running: ${grouped(model.progress.time)} instructions`;
    if (model.moving) return state ? "Running" : "Preparing the run";
    if (model.problem !== undefined) return model.problem;
    if (!state) return "";
    const line = current?.place ? `${current.place.file}, line ${current.place.start.line + 1}` : "the end";
    const why: Record<string, string> = {
      step: "At",
      time: "At",
      start: "At the start:",
      breakpoint: "Breakpoint:",
      finding: "A finding of checked mode:",
      cancelled: "Paused at",
      end: "The run has ended:",
    };
    const where = `${why[state.reason?.kind ?? "step"] ?? "At"} ${line}`;
    const found = state.reason?.kind === "finding" ? " It is told once the line is executed." : "";
    const stale = model.stale ? " The text has changed since: restart to debug what is there now." : "";
    return `${where}.${found}${stale}`;
  }

  private invitation(): HTMLElement[] {
    return [
      element(
        "p",
        { className: "faint" },
        "Press Debug (F5) to run the shader and its recipe line by line, forwards and backwards.",
      ),
      this.breakpoints(),
    ];
  }

  private session(state: State): HTMLElement[] {
    const { model } = this;
    const frame = model.current;
    const parts: HTMLElement[] = [this.stack(state)];
    if (frame) {
      const shown: Shown = {
        frame,
        matrices: this.matrices,
        whole: model.whole,
        expanded: this.expanded,
        open: (expression, on) => model.open(expression, on),
        changed: (expression, value) => model.changed(expression, value),
      };
      parts.push(this.watches(shown));
      for (const [title, kinds] of GROUPS) {
        const variables = model.variables.filter(({ kind }) => kinds.includes(kind));
        if (variables.length === 0) continue;
        const nodes = variables.map(({ name, value }) => valueNode(shown, name, name, value));
        parts.push(group(title, ["Locals", "Values", "Globals"].includes(title), nodes));
      }
    }
    if (state.findings.length > 0) {
      const items = state.findings.map(({ kind, message, place }) => {
        const go = () => place && model.editor.go(uriOf(place.file), place.start.line, place.start.character);
        return element(
          "button",
          { type: "button", className: "finding", onclick: go },
          `${kind}: ${message}`,
        );
      });
      parts.push(group(`Findings (${items.length})`, true, items));
    }
    if (state.log.length > 0)
      parts.push(group("Log", false, [element("pre", {}, state.log.slice(-200).join("\n"))]));
    parts.push(this.breakpoints());
    return parts;
  }

  private stack(state: State): HTMLElement {
    const { model } = this;
    const frames = state.stack.map((frame, index) => {
      const line = frame.place ? `line ${frame.place.start.line + 1}` : "";
      const lanes = [...frame.active].filter((lane) => lane === "1").length;
      const all = [...frame.live].length;
      const what = frame.elements ? "elements" : "lanes";
      const button = element(
        "button",
        {
          type: "button",
          className: "frame",
          onclick: () => void model.select(index),
          attributes: { "aria-current": String(index === model.frame) },
        },
        element("span", { className: "value-name" }, frame.function),
        element("span", {}, line),
        element("span", { className: "faint" }, `${lanes} of ${all} ${what} active`),
      );
      button.dataset.key = `frame-${index}`;
      return button;
    });
    const [x, y, z] = state.workgroup;
    const groups = element("select", { ariaLabel: "Subgroup in view" });
    for (const subgroup of state.subgroups) {
      const line = subgroup.place ? `, line ${subgroup.place.start.line + 1}` : "";
      groups.append(
        element(
          "option",
          { value: String(subgroup.index) },
          `subgroup ${subgroup.index}: ${subgroup.status}${subgroup.status === "ended" ? "" : line}`,
        ),
      );
    }
    groups.value = String(state.subgroup);
    groups.dataset.key = "subgroup";
    groups.onchange = () => void model.focus(Number(groups.value));
    const where = element(
      "div",
      { className: "debugger-where" },
      element("span", {}, `workgroup ${x}, ${y}, ${z}`),
      ...(state.subgroups.length > 0 ? [groups] : []),
    );
    return group("Call stack", true, [where, ...frames]);
  }

  private watches(shown: Shown): HTMLElement {
    const { model } = this;
    const field = element("input", {
      type: "text",
      placeholder: "acc, tile[3], b.data[i + 1], k < 16",
      ariaLabel: "Expression to watch",
      spellcheck: false,
    });
    field.dataset.key = "watch";
    const form = element(
      "form",
      {
        className: "watch-form",
        onsubmit: (event: Event) => {
          event.preventDefault();
          model.watch(field.value);
          field.value = "";
        },
      },
      field,
      element("button", { type: "submit" }, "Watch"),
    );
    const rows = model.watches.map((expression, index) => {
      const value: Evaluated | undefined = model.watched[index];
      const node =
        value === undefined
          ? element("div", { className: "value" }, expression)
          : "error" in value
            ? element(
                "div",
                { className: "value" },
                element("span", { className: "value-name" }, expression),
                element("span", { className: "problem" }, value.error),
              )
            : valueNode(shown, expression, expression, value, `watch ${expression}`);
      const words = `Stop watching ${expression}`;
      const remove = element(
        "button",
        {
          type: "button",
          className: "quiet",
          title: words,
          ariaLabel: words,
          onclick: () => model.unwatch(expression),
        },
        icon("close"),
      );
      return element("div", { className: "watch" }, node, remove);
    });
    return group("Watches", true, [...rows, form]);
  }

  private breakpoints(): HTMLElement {
    const { model } = this;
    const rows = model.breakpoints.map((breakpoint) => {
      const where = `${breakpoint.file}, line ${breakpoint.line + 1}`;
      const go = element(
        "button",
        {
          type: "button",
          className: "frame",
          onclick: () => model.editor.go(uriOf(breakpoint.file), breakpoint.line, 0),
        },
        where,
      );
      const condition = element("input", {
        type: "text",
        value: breakpoint.mark.condition,
        placeholder: "i == 3",
        ariaLabel: `Condition of the breakpoint at ${where}`,
        spellcheck: false,
        onchange: () => model.limit(breakpoint, { condition: condition.value.trim() }),
      });
      condition.dataset.key = `condition-${breakpoint.file}-${breakpoint.line}`;
      const workgroup = element("input", {
        type: "text",
        className: "place",
        value: breakpoint.workgroup?.join(", ") ?? "",
        placeholder: "any",
        title: "Stop in this workgroup alone: x, y, z",
        ariaLabel: `Workgroup of the breakpoint at ${where}`,
        onchange() {
          const wanted = coordinates(workgroup.value);
          workgroup.setCustomValidity(wanted === null ? "Up to three whole numbers: x, y, z" : "");
          if (workgroup.reportValidity()) model.limit(breakpoint, { workgroup: wanted ?? undefined });
        },
      });
      workgroup.dataset.key = `workgroup-${breakpoint.file}-${breakpoint.line}`;
      const subgroup = element("input", {
        type: "number",
        className: "place",
        min: "0",
        max: "65535",
        value: breakpoint.subgroup === undefined ? "" : String(breakpoint.subgroup),
        placeholder: "any",
        title: "Stop in this subgroup alone",
        ariaLabel: `Subgroup of the breakpoint at ${where}`,
        onchange() {
          const wanted = subgroup.value === "" ? undefined : subgroup.valueAsNumber;
          if (subgroup.reportValidity()) model.limit(breakpoint, { subgroup: wanted });
        },
      });
      subgroup.dataset.key = `subgroup-${breakpoint.file}-${breakpoint.line}`;
      const words = `Remove the breakpoint at ${where}`;
      const remove = element(
        "button",
        {
          type: "button",
          className: "quiet",
          title: words,
          ariaLabel: words,
          onclick: () => model.remove(breakpoint),
        },
        icon("close"),
      );
      const named = (words: string, field: HTMLElement) => element("label", {}, `${words} `, field);
      const limits = element(
        "div",
        { className: "limits" },
        named("where", condition),
        named("workgroup", workgroup),
        named("subgroup", subgroup),
      );
      return element("div", { className: "watch" }, go, limits, remove);
    });
    return group(
      "Breakpoints",
      true,
      rows.length > 0
        ? rows
        : [
            element(
              "p",
              { className: "faint" },
              "No breakpoints. Click beside a line, or press F9 at the cursor, to set one.",
            ),
          ],
    );
  }
}

/** `1`, `1, 2` or `1 2 3`; `undefined`: any; `null`: that is none. */
export function coordinates(text: string): [number, number, number] | undefined | null {
  const parts = text.split(/[\s,]+/).filter(Boolean);
  if (parts.length === 0) return undefined;
  const [x = 0, y = 0, z = 0] = parts.map(Number);
  const good =
    parts.length <= 3 && [x, y, z].every((one) => Number.isInteger(one) && one >= 0 && one < 2 ** 32);
  return good ? [x, y, z] : null;
}

function group(title: string, open: boolean, children: HTMLElement[]): HTMLElement {
  const details = element(
    "details",
    { className: "debugger-group", open },
    element("summary", {}, title),
    ...children,
  );
  details.dataset.key = `part-group ${title.replace(/ \(.*/, "")}`;
  return details;
}
