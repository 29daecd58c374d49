// The run pane: Run and Stop, what came of it, the buffers, and the recipe as a form.

import { element } from "@coopmat/shared/element";
import type { BufferView } from "@coopmat/shared/project/view";
import { grouped } from "@coopmat/shared/views/numbers";
import { uriOf } from "../../language/workspace";
import { icon } from "../../ui/icons";
import { redraw } from "../../ui/redraw";
import type { OwnershipVerdict } from "../../workers/simulator-protocol";
import type { Pane } from "../panes";
import { Buffers } from "./buffers";
import { button, part } from "./fields";
import { form } from "./form";
import type { Heat } from "./heat";
import type { RunModel } from "./model";
import { report } from "./report";
import { shown, verdicts } from "./verdicts";

/** Lines that are listed. */
const HOTTEST = 8;

export class RunPane implements Pane {
  readonly id = "run";
  readonly title = "Run";
  readonly body = element("div", { className: "run" });
  readonly buffers: Buffers;
  private readonly start = button("run", "Run", () => void this.run(), "Ctrl+Enter");
  private readonly halt = button("stop", "Stop", () => this.model.stop(), "Escape");
  private readonly judge = button(
    "verdicts",
    "All ownerships",
    () => void this.judgeAll(),
    "Run the recipe under every ownership, at each subgroup size of the device profile: whether results depend on who holds which element",
  );
  private readonly checked = element("input", {
    type: "checkbox",
    onchange: () => this.model.choose({ checked: this.checked.checked }),
  });
  private readonly strict = element("input", {
    type: "checkbox",
    onchange: () => this.model.choose({ strict: this.strict.checked }),
  });
  private readonly headroom = element("input", {
    type: "checkbox",
    onchange: () => this.model.choose({ headroom: this.headroom.checked }),
  });
  private readonly lines = element(
    "select",
    {
      ariaLabel: "Costs of lines",
      title: "Show beside each line what it did in the last run. Every run counts it: it is not slower.",
      onchange: () => {
        const { value } = this.lines;
        this.heat.choose(value === "instructions" || value === "bytes" ? value : undefined);
        this.draw(true);
      },
    },
    element("option", { value: "" }, "No costs of lines"),
    element("option", { value: "instructions" }, "Instructions of lines"),
    element("option", { value: "bytes" }, "Bytes of lines"),
  );
  private readonly bar = element("progress", { max: 1 });
  private readonly words = element("output", { className: "faint", ariaLive: "polite" });
  private readonly recipe = button(
    "recipe",
    "Recipe as text",
    () => this.openRecipe(),
    "The recipe's file, in the editor",
  );
  private readonly content = element("div", { className: "run-content" });
  private scheduled = false;
  private shader = "";
  private plan: unknown;
  private ran: unknown;
  /** What the content was drawn from. */
  private drawn: unknown[] = [];

  constructor(
    readonly model: RunModel,
    private readonly heat: Heat,
  ) {
    this.start.classList.add("primary");
    this.start.prepend(icon("run"));
    this.halt.prepend(icon("stop"));
    this.checked.dataset.key = "mode-checked";
    const checked = element(
      "label",
      {
        className: "tick",
        title: "Report undefined behaviour: races, accesses out of bounds, values that nobody wrote. Slower.",
      },
      this.checked,
      " Checked",
    );
    this.strict.dataset.key = "mode-strict";
    const strict = element(
      "label",
      {
        className: "tick",
        title:
          "Checked mode also reports two invocations that write the same value to one place, and values that they pass through memory which is not coherent.",
      },
      this.strict,
      " Strict",
    );
    this.headroom.dataset.key = "mode-headroom";
    const headroom = element(
      "label",
      {
        className: "tick",
        title: "Measure how far sums in float16_t accumulators are from overflowing. Slower.",
      },
      this.headroom,
      " Headroom",
    );
    this.buffers = new Buffers(model, () => this.draw(true));
    this.body.append(
      element(
        "div",
        { className: "bar run-bar" },
        this.start,
        this.halt,
        checked,
        strict,
        headroom,
        this.judge,
        this.lines,
        this.recipe,
        this.bar,
        this.words,
      ),
      this.content,
    );
    model.onChange(() => this.soon());
    window.addEventListener(
      "keydown",
      (event: KeyboardEvent) => {
        if (this.locked) return;
        if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey) {
          event.preventDefault();
          event.stopPropagation();
          void this.run();
        }
      },
      { capture: true },
    );
  }

  shown() {
    this.draw(true);
  }

  /** What brings this pane into view. */
  onRun: () => void = () => {};

  /** Nothing is run here: the page is there to be read. */
  locked = false;

  async run() {
    if (this.locked) return;
    this.onRun();
    await this.model.run();
  }

  private async judgeAll() {
    if (this.locked) return;
    this.onRun();
    await this.model.judge();
  }

  /** The run behind a verdict: its result is at the top. */
  private async show(verdict: OwnershipVerdict) {
    if (await this.model.run(verdict)) this.content.scrollTop = 0;
  }

  /** Unfolds what a link showed, in place of what a run unfolds. */
  restore(views: readonly BufferView[]) {
    this.shader = this.model.editor.shaderName;
    this.ran = this.model.ran;
    this.buffers.restore(views);
  }

  /** The same as beside the lines, as a list: those that did most. */
  private hottest(): Node[] {
    const lines = this.heat.hottest.slice(0, HOTTEST);
    const item = ({ path, line, title }: (typeof lines)[number]) =>
      element(
        "li",
        {},
        element(
          "button",
          {
            type: "button",
            className: "link",
            onclick: () => this.model.editor.go(uriOf(path), line - 1, 0),
          },
          `${path}:${line}`,
        ),
        ` ${title}`,
      );
    return lines.length > 0 ? [part("part-lines", "Lines", true, element("ol", {}, ...lines.map(item)))] : [];
  }

  private openRecipe() {
    const { editor, recipeName: name } = this.model;
    if (name && editor.activeName === name) editor.select(editor.shaderName);
    else if (name) editor.select(name);
    else void this.model.makeRecipe();
  }

  private soon() {
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => {
      this.scheduled = false;
      this.draw();
    });
  }

  private draw(anew = false) {
    const { model } = this;
    const { description, running, progress } = model;
    this.start.disabled = running;
    this.judge.disabled = running;
    // A recipe that expects findings is always run checked.
    const forced = Array.isArray(model.recipe.findings) && model.recipe.findings.length > 0;
    this.checked.checked = forced || (model.choices.checked ?? false);
    this.checked.disabled = forced;
    const strict = model.recipe.strict === true;
    this.strict.checked = strict || (model.choices.strict ?? false);
    this.strict.disabled = strict || !this.checked.checked;
    this.headroom.checked = model.choices.headroom ?? false;
    this.halt.disabled = !running;
    this.bar.hidden = !running;
    this.bar.ariaLabel = model.judging ? "Ownerships that are judged" : "Workgroups that have ended";
    if (progress && progress.all > 0) this.bar.value = progress.done / progress.all;
    else this.bar.removeAttribute("value");
    this.words.textContent = !running
      ? ""
      : progress
        ? model.judging
          ? `${progress.done} of ${progress.all} verdicts`
          : `${grouped(progress.done)} of ${grouped(progress.all)} workgroups, ${(progress.steps / 1e6).toFixed(1)} million steps`
        : "Preparing …";
    const recipe = model.recipeName;
    this.recipe.textContent =
      recipe === undefined
        ? "Make a recipe"
        : model.editor.activeName === recipe
          ? "Back to the shader"
          : "Recipe as text";
    if (this.body.hidden) return;
    // A cell that somebody is typing into stays until that is done.
    const typing = this.content.querySelector(".grid-field");
    if (typing) {
      this.drawn = [];
      typing.addEventListener("blur", () => this.soon(), { once: true });
      return;
    }
    // Progress changes the bar alone.
    const drawn = [
      description,
      model.ran,
      model.problem,
      model.stale,
      model.editor.shaderName,
      recipe,
      model.verdicts,
      model.verdictsStale,
      model.judging,
    ];
    if (!anew && drawn.every((one, index) => one === this.drawn[index])) return;
    this.drawn = drawn;

    if (this.shader !== model.editor.shaderName) {
      this.shader = model.editor.shaderName;
      this.buffers.clear();
    }
    if (this.plan !== description.plan) {
      this.plan = description.plan;
      this.buffers.forget();
    }
    if (this.ran !== model.ran) {
      this.ran = model.ran;
      if (model.ran) this.buffers.show(model.ran);
    }
    const problems = [...(model.problem ? [model.problem] : []), ...description.problems];
    const told = new Set<string>();
    const list = problems
      .filter(({ message }) => !told.has(message) && told.add(message))
      .map((problem) =>
        element(
          "p",
          { className: "problem" },
          problem.place
            ? element(
                "button",
                { type: "button", className: "link", onclick: () => model.go(problem) },
                `${problem.place.file}:${problem.place.start.line + 1}`,
              )
            : "",
          ` ${problem.message}`,
        ),
      );
    const result = model.ran
      ? [
          element(
            "section",
            { className: model.stale ? "result old" : "result", ariaLabel: "Result" },
            ...(model.stale
              ? [element("p", { className: "faint" }, "Something changed since this run.")]
              : []),
            ...shown(model.ran),
            ...report(model, model.ran, (buffer, index) => this.buffers.open(buffer, index)),
            ...this.hottest(),
          ),
        ]
      : [];
    const description_ = model.recipe.description;
    const sentence =
      typeof description_ === "string" && description_ !== ""
        ? [element("p", { className: "sentence" }, description_)]
        : [];
    const none =
      model.recipeName || !model.editor.shaderName
        ? []
        : [
            element(
              "p",
              { className: "faint" },
              "This shader has no recipe: one workgroup runs on random numbers, and nothing is expected. ",
              "A recipe says how many workgroups there are, what the buffers hold, and what should come out.",
            ),
          ];
    redraw(this.content, [
      ...sentence,
      ...list,
      ...none,
      ...result,
      ...verdicts(model, (verdict) => void this.show(verdict)),
      part("part-buffers", "Buffers", true, ...this.buffers.cards()),
      ...form(model),
    ]);
  }
}
