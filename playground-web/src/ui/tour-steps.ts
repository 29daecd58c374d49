// What the tour tells at each step, how it sees that it was done, and how it brings back what the step needs.

import { EditorView } from "@codemirror/view";
import { element } from "@coopmat/shared/element";
import type { File } from "@coopmat/shared/project/project";
import type { Findings } from "../language/diagnostics";
import { position } from "../language/positions";
import type { Editor } from "../panes/editor";
import type { MatricesPane } from "../panes/matrices";
import type { Panes } from "../panes/panes";
import type { RunPane } from "../panes/run/pane";

/** Pixels of a page on which code and results take turns; layout.css has the same. */
const NARROW = 560;

const RIGHT = "TILE_K, TILE_N, gl_MatrixUseB> matB";
const WRONG = "(TILE_K + 8), TILE_N, gl_MatrixUseB> matB";
/** What is to be changed by hand. */
const MISTAKE = "(TILE_K + 8)";
/** Where the mistake is told. */
const PRODUCT = "coopMatMulAdd(matA, matB";

/** The example with B too tall; undefined when the example is no longer the one that the tour tells of. */
export function broken(text: string): string | undefined {
  return text.split(RIGHT).length === 2 && text.includes(PRODUCT)
    ? text.replace(RIGHT, () => WRONG)
    : undefined;
}

/** What a step needs and does not find, and the way back to it. */
export interface Missing {
  words: string;
  label: string;
  mend(): void;
}

export interface Step {
  title: string;
  words: (string | Node)[];
  /** What it speaks of is in the panes: the box stands over the editor. */
  beside?: boolean;
  /** Brings into view what the step speaks of, with the focus where its keys are pressed. */
  enter(): void;
  /** What the person has done, in words, once it is done. */
  done(): string | undefined;
  missing(): Missing | undefined;
}

export interface Place {
  editor: Editor;
  panes: Panes;
  findings: Findings;
  matrices: MatricesPane;
  run: RunPane;
}

const code = (text: string) => element("code", {}, text);
const key = (text: string) => element("kbd", {}, text);
const strong = (text: string) => element("b", {}, text);
const link = (text: string, act: () => void) =>
  element("button", { type: "button", className: "link", onclick: act }, text);

/** Blanks, and brackets around a single name, change nothing. */
const bare = (text: string) => text.replace(/\((\w+)\)(?=,)/g, "$1").replace(/\s+/g, "");

/** `files`: those of the tour, as they should be at the end: the shader, then its recipe. */
export function steps(place: Place, files: readonly File[]): Step[] {
  const { editor, panes, findings, matrices, run } = place;
  const [shader = { name: "", text: "" }, ...others] = files;
  const mistaken = broken(shader.text) ?? shader.text;
  const now = () => editor.text(shader.name);
  const same = (text: string) => editor.has(shader.name) && bare(now()) === bare(text);
  const errors = () => findings.count(editor.uri).errors;

  /** Puts the cursor behind the first `words` of the shader; `select`: marks them. */
  const go = (words: string, select = false) => {
    if (!editor.has(shader.name)) return;
    if (editor.activeName !== shader.name) editor.select(shader.name);
    const { doc } = editor.view.state;
    const at = doc.toString().indexOf(words);
    const { line, character } = position(doc, Math.max(at, 0));
    editor.go(editor.uri, line, character + (at < 0 ? 0 : words.length));
    // The box is over the lower half of a narrow page.
    if (innerWidth <= NARROW)
      editor.view.dispatch({
        effects: EditorView.scrollIntoView(editor.view.state.selection.main.head, {
          y: "start",
          yMargin: 80,
        }),
      });
    if (select && at >= 0) editor.view.dispatch({ selection: { anchor: at, head: at + words.length } });
  };
  const put = (text: string) => {
    editor.put(shader.name, text);
    for (const { name, text } of others) editor.put(name, text);
    // An earlier run may have been of other settings.
    const { choices } = run.model;
    if (Object.keys(choices).length > 0)
      run.model.choose(Object.fromEntries(Object.keys(choices).map((name) => [name, undefined])));
  };
  const mend = (words: string, text: string, after: () => void, label = "Put it right"): Missing => ({
    words,
    label,
    mend() {
      put(text);
      after();
    },
  });
  /** The steps after the mistake need the shader without it. */
  const needsRight = (after: () => void) =>
    same(shader.text)
      ? undefined
      : mend(
          same(mistaken)
            ? "The mistake is still in the shader."
            : "The shader is not the one that this step tells of.",
          shader.text,
          after,
        );
  const needsPane = (id: string, title: string, after: () => void): Missing | undefined =>
    panes.inView === id
      ? undefined
      : { words: "Another pane is in view.", label: `Show ${title}`, mend: after };

  /** At the operand that is underlined, once the server has told of it. */
  const toMistake = () => go(PRODUCT);
  let seen = false;
  const first: Step = {
    title: "A shape that does not fit",
    words: [
      "Matrix B has eight rows too many, so ",
      code("matB"),
      " is underlined in the multiply-add. Rest the pointer on it, press ",
      key("F8"),
      ", or read it in ",
      link("Problems", () => {
        panes.select("problems");
        seen = true;
      }),
      ": the message gives both sizes, as expressions of the constants that the pipeline will choose.",
    ],
    enter() {
      seen = false;
      panes.select("problems");
      go(PRODUCT);
    },
    done() {
      seen ||= document.querySelector(".cm-tooltip .finding") !== null;
      return seen ? "That is the mistake." : undefined;
    },
    missing: () =>
      same(mistaken)
        ? undefined
        : mend(
            same(shader.text)
              ? "The mistake is mended already."
              : "The shader is not the one that this step tells of.",
            mistaken,
            toMistake,
            "Bring the mistake back",
          ),
  };

  const choice = "Declare B (`matB`) with TILE_K rows";
  const second: Step = {
    title: "Fix it",
    words: [
      "Press ",
      key("Ctrl + ."),
      ", or click the light bulb beside the line, and choose ",
      strong(choice),
      ". Or do it by hand: ",
      link(`select ${MISTAKE}`, () => go(MISTAKE, true)),
      " where ",
      code("matB"),
      " is declared, and type ",
      code("TILE_K"),
      ". The error goes away as you type.",
    ],
    enter: toMistake,
    done: () => (same(shader.text) && errors() === 0 ? "No error is left." : undefined),
    missing() {
      if (same(shader.text) || same(mistaken)) return undefined;
      const words =
        errors() === 0
          ? "The error is gone, but now it is another shader than the one that its recipe runs."
          : "The text differs from both the mistake and its fix.";
      return mend(words, shader.text, () => go("matB;"));
    },
  };

  let cursor = -1;
  const toProduct = () => {
    panes.select("spirv");
    go("matC = coopMatMulAdd");
    cursor = editor.view.state.selection.main.head;
  };
  const third: Step = {
    title: "What it becomes",
    words: [
      "The SPIR-V of the shader, updated as you type. Move the cursor, or click an instruction: what belongs together is marked on both sides. ",
      key("Alt + Enter"),
      ", or the triangle beside the line, unfolds the instructions of the cursor's line.",
    ],
    enter: toProduct,
    done() {
      if (document.querySelector(".cm-unfolded")) return "These are the line's instructions.";
      const moved = document.querySelector("#pane-spirv .cm-editor.cm-focused") !== null;
      const elsewhere = editor.view.state.selection.main.head !== cursor;
      return moved || elsewhere ? "The other side follows." : undefined;
    },
    missing: () => needsRight(toProduct) ?? needsPane("spirv", "SPIR-V", toProduct),
  };

  let before: unknown;
  const toRun = () => {
    panes.select("run");
    before = run.model.ran;
    document.querySelector<HTMLElement>('#pane-run [data-key="run"]')?.focus();
  };
  const ran = () => (run.model.ran === before || run.model.stale ? undefined : run.model.ran);
  const fourth: Step = {
    title: "Run it",
    words: [
      "The simulator runs the shader in your browser, as the recipe beside it says: 64 × 64 × 64, random numbers, and a reference to compare with. Press ",
      strong("Run"),
      " (",
      key("Ctrl + Enter"),
      ").",
    ],
    beside: true,
    enter: toRun,
    done: () => (ran()?.report.met ? "The product is right." : undefined),
    missing() {
      const recipe = others.find(({ name, text }) => editor.text(name) !== text);
      if (!recipe && !(ran() && !ran()?.report.met))
        return needsRight(toRun) ?? needsPane("run", "Run", toRun);
      const words = recipe
        ? "The recipe is not the one that this step tells of."
        : "That run did not end as its recipe expects.";
      return mend(words, shader.text, toRun);
    },
  };

  let told = "";
  const owners = () => document.querySelector("#pane-matrices .ownership .view-words")?.textContent ?? "";
  const toOwners = () => {
    panes.select("matrices");
    matrices.showOwnership();
    told = owners();
    whenThere("#pane-matrices .ownership canvas, #pane-matrices .ownership .view-grid", (grid) => {
      grid.scrollIntoView({ block: "nearest" });
      grid.focus({ preventScroll: true });
    });
  };
  const fifth: Step = {
    title: "Who owns an element",
    words: [
      "A matrix is spread over the invocations of a subgroup, and each device does it in its own way. Point at an element, or press the arrow keys, to see whose it is. Then choose another ownership: ",
      code("m[i]"),
      " means something else on each.",
    ],
    beside: true,
    enter: toOwners,
    done: () =>
      owners() !== told && /^(Row \d|Invocation \d)/.test(owners())
        ? "That is all. The shader is yours to change."
        : undefined,
    missing: () => needsPane("matrices", "Matrices", toOwners),
  };
  return [first, second, third, fourth, fifth];
}

/** What is drawn once an answer has come; a person who does something else meanwhile is not interrupted. */
function whenThere(selector: string, act: (found: HTMLElement) => void) {
  const { activeElement } = document;
  let tries = 50;
  const look = () => {
    const moved = document.activeElement !== activeElement && document.activeElement !== document.body;
    const found = document.querySelector<HTMLElement>(selector);
    if (found?.offsetParent) act(found);
    else if (!moved && tries-- > 0) setTimeout(look, 60);
  };
  look();
}
