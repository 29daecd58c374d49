// All findings of all tabs, as a list that leads to their places; their number stands on the pane's tab.

import { element } from "@coopmat/shared/element";
import { many } from "@coopmat/shared/views/numbers";
import { type Findings, words } from "../language/diagnostics";
import { uriOf } from "../language/workspace";
import { type IconName, icon } from "../ui/icons";
import type { Editor } from "./editor";
import type { Pane, Panes } from "./panes";

const WORDS = ["", "error", "warning", "information", "hint"] as const;
const ICONS: Record<string, IconName> = { error: "error", warning: "warning" };

export function problems(editor: Editor, findings: Findings, panes: Panes): Pane {
  const id = "problems";
  const body = element("div");
  const draw = () => {
    const names = editor.names();
    const found = names.flatMap((name) =>
      findings
        .of(uriOf(name))
        .filter((found) => !found.tags?.includes(1))
        .map((found) => ({ name, found, word: WORDS[found.severity ?? 1] || "error" })),
    );
    const rows = found.map(({ name, found, word }) => {
      const { line, character } = found.range.start;
      const go = () => editor.go(uriOf(name), line, character);
      return element(
        "li",
        {},
        element(
          "button",
          { type: "button", className: word, onclick: go },
          icon(ICONS[word] ?? "information"),
          element(
            "span",
            {},
            element("b", { className: word }, word),
            element("span", { className: "faint" }, ` ${name}:${line + 1}:${character + 1} `),
            words(found),
          ),
        ),
      );
    });
    const where = names.length === 1 ? "this file" : many(names.length, "file");
    body.replaceChildren(
      rows.length > 0
        ? element("ul", { className: "problems" }, ...rows)
        : element(
            "div",
            { className: "empty" },
            icon("good"),
            element("p", {}, `No problems in ${where}.`),
            element(
              "p",
              { className: "faint" },
              "Mistakes are listed here while you type; undefined behaviour, once you run the shader with Checked.",
            ),
          ),
    );
    const count = (wanted: string) => found.filter(({ word }) => word === wanted).length;
    const [errors, warnings] = [count("error"), count("warning")];
    panes.badge(
      id,
      errors > 0
        ? { count: errors, kind: "error" }
        : warnings > 0
          ? { count: warnings, kind: "warning" }
          : undefined,
    );
  };
  findings.onChange(draw);
  editor.onChange(draw);
  draw();
  return { id, title: "Problems", body };
}
