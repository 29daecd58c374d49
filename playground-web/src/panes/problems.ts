// All findings of all tabs, as a list that leads to their places.

import { element } from "@coopmat/shared/element";
import { type Findings, words } from "../language/diagnostics";
import { uriOf } from "../language/workspace";
import type { Editor } from "./editor";
import type { Pane } from "./panes";

const WORDS = ["", "error", "warning", "information", "hint"];

export function problems(editor: Editor, findings: Findings): Pane {
  const body = element("div");
  const draw = () => {
    const rows = editor.files().flatMap(({ name }) =>
      findings
        .of(uriOf(name))
        .filter((found) => !found.tags?.includes(1))
        .map((found) => {
          const { line, character } = found.range.start;
          const word = WORDS[found.severity ?? 1] ?? "error";
          const kind = element("b", { className: word }, word);
          const place = ` ${name}:${line + 1}:${character + 1} `;
          const go = () => editor.go(uriOf(name), line, character);
          return element("li", {}, element("button", { onclick: go }, kind, place, words(found)));
        }),
    );
    body.replaceChildren(
      rows.length > 0
        ? element("ul", { className: "problems" }, ...rows)
        : element("p", {}, "Nothing to report."),
    );
  };
  findings.onChange(draw);
  editor.onChange(draw);
  draw();
  return { id: "problems", title: "Problems", body };
}
