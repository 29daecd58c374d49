// The guided tour: five steps through one shader, from a wrong shape to who owns which element. It stands beside what it speaks of, takes
// nothing away from the page, and can be left at any step.

import { byId, element } from "@coopmat/shared/element";
import type { Findings } from "../language/diagnostics";
import type { Editor } from "../panes/editor";
import type { MatricesPane } from "../panes/matrices";
import type { Panes } from "../panes/panes";
import type { Shown } from "../state/arrival";
import { load } from "../state/gallery";
import { setAside } from "../state/store";
import { notify } from "./notice";

const EXAMPLE = "khr/gemm.comp";
const RIGHT = "TILE_K, TILE_N, gl_MatrixUseB> matB";
const WRONG = "(TILE_K + 8), TILE_N, gl_MatrixUseB> matB";

/** The example with B too tall; undefined when the example is no longer the one that the tour tells of. */
export function broken(text: string): string | undefined {
  return text.split(RIGHT).length === 2 ? text.replace(RIGHT, () => WRONG) : undefined;
}

interface Step {
  title: string;
  words: (string | Node)[];
  /** What it speaks of is in the panes: the box stands over the editor. */
  beside?: boolean;
  /** Brings into view what the step speaks of. */
  enter(): void;
  /** Whether the person has done it; without it there is nothing to do. */
  done?(): boolean;
}

export interface Place {
  page: Shown;
  editor: Editor;
  panes: Panes;
  findings: Findings;
  matrices: MatricesPane;
}

const code = (text: string) => element("code", {}, text);
const key = (text: string) => element("kbd", {}, text);

function steps({ editor, panes, findings, matrices }: Place): Step[] {
  const line = (words: string) => {
    const text = editor.text(editor.activeName);
    return text.slice(0, text.indexOf(words)).split("\n").length - 1;
  };
  const errors = () => findings.count(editor.uri).errors;
  const go = (words: string) => editor.go(editor.uri, line(words), 8);
  return [
    {
      title: "A shape that does not fit",
      words: [
        "Matrix B has eight rows too many, so the multiply-add below it is underlined. Rest on it, or look into ",
        element("b", {}, "Problems"),
        ": both sizes are told, as expressions of the constants that the pipeline will choose.",
      ],
      enter() {
        panes.select("problems");
        go("coopMatMulAdd(");
      },
    },
    {
      title: "Put it right",
      words: [
        "Change ",
        code("(TILE_K + 8)"),
        " to ",
        code("TILE_K"),
        ", or press ",
        key("Ctrl + ."),
        " at the mistake for what the analyzer would do. The error goes while you type.",
      ],
      enter: () => go(errors() > 0 ? "(TILE_K + 8)" : "matB;"),
      done: () => errors() === 0,
    },
    {
      title: "What it becomes",
      words: [
        "The SPIR-V of the shader, live. Click an instruction or move the cursor: what belongs together is marked on both sides. ",
        key("Alt + Enter"),
        " unfolds the instructions of a line beneath it.",
      ],
      enter() {
        panes.select("spirv");
        go("coopMatMulAdd(");
      },
    },
    {
      title: "Run it",
      words: [
        "The simulator runs the shader here, in the browser, as the recipe beside it says: 64 x 64 x 64, random numbers, and a reference to compare with. Press ",
        element("b", {}, "Run"),
        ".",
      ],
      beside: true,
      enter: () => panes.select("run"),
    },
    {
      title: "Who owns an element",
      words: [
        "A matrix is spread over the invocations of a subgroup, each device in its own way. Point at an element to see whose it is, choose another ownership, and see why ",
        code("m[i]"),
        " means something else on each.",
      ],
      beside: true,
      enter() {
        panes.select("matrices");
        matrices.showOwnership();
      },
    },
  ];
}

/** Puts the button's action in place. */
export function tour(place: Place) {
  let under = false;
  const left = () => {
    under = false;
  };
  byId("tour", HTMLButtonElement).onclick = () => {
    // A second one would take the first one's shader for the person's own files.
    if (under) document.querySelector<HTMLElement>(".tour")?.focus();
    else
      begin(place, left).catch((error) => {
        left();
        throw error;
      });
    under = true;
  };
}

async function begin(place: Place, left: () => void) {
  const files = await load(EXAMPLE);
  const [shader, ...others] = files;
  const text = shader && broken(shader.text);
  if (!shader || text === undefined) throw new Error("the example of the tour is another one by now");
  const before = place.page.current();
  setAside();
  place.page.open({
    files: [{ ...shader, text }, ...others],
    active: shader.name,
    options: before.options,
  });
  const all = steps(place);
  let at = 0;
  const box = element("aside", { className: "tour", tabIndex: -1, ariaLabel: "Tour" });
  const leave = () => {
    box.remove();
    clearInterval(timer);
    left();
    place.editor.view.focus();
    notify("The shader of the tour is yours to change.", {
      label: "Back to my files",
      act: () => place.page.open(before),
    });
  };
  const show = (next: number, focus: boolean) => {
    const step = all[next];
    if (!step) return leave();
    at = next;
    step.enter();
    box.classList.toggle("beside", step.beside ?? false);
    const state = element("p", { className: "tour-state", role: "status" });
    const last = at === all.length - 1;
    const forth = element(
      "button",
      { type: "button", className: "primary", onclick: () => show(at + 1, true) },
      last ? "Done" : "Next",
    );
    const back = element(
      "button",
      { type: "button", disabled: at === 0, onclick: () => show(at - 1, true) },
      "Back",
    );
    const stop = element(
      "button",
      { type: "button", className: "quiet", onclick: leave, title: "Leave the tour (Escape)" },
      "Leave",
    );
    box.replaceChildren(
      element("p", { className: "faint" }, `Step ${at + 1} of ${all.length}`),
      element("h2", {}, step.title),
      element("p", {}, ...step.words),
      state,
      element("div", { className: "bar" }, back, forth, element("span", { className: "spacer" }), stop),
    );
    if (focus) forth.focus();
  };
  const timer = setInterval(() => {
    const state = box.querySelector(".tour-state");
    const done = all[at]?.done;
    if (!state || !done) return;
    const words = done() ? "✓ Right: no error is left." : "";
    if (state.textContent !== words) state.textContent = words;
  }, 200);
  box.onkeydown = (event) => {
    if (event.key === "Escape") leave();
  };
  document.body.append(box);
  // The analysis of the new files comes first, so that the mistake can be shown.
  place.editor.view.focus();
  setTimeout(() => show(0, true), 100);
}
