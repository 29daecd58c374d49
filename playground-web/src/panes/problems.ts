// All findings of all tabs, file by file, as lists that lead to their places; their number stands on the pane's tab.

import { element } from "@coopmat/shared/element";
import { many } from "@coopmat/shared/views/numbers";
import type { Diagnostic } from "vscode-languageserver-types";
import { type Findings, words } from "../language/diagnostics";
import { uriOf } from "../language/workspace";
import { type IconName, icon } from "../ui/icons";
import type { Editor } from "./editor";
import type { Pane, Panes } from "./panes";

const WORDS = ["", "error", "warning", "information", "hint"] as const;
const ICONS: Record<string, IconName> = { error: "error", warning: "warning" };

interface Listed {
  name: string;
  found: Diagnostic;
  word: string;
}

export function problems(editor: Editor, findings: Findings, panes: Panes): Pane {
  const id = "problems";
  const body = element("div");
  const draw = () => {
    const names = editor.textNames();
    const found: Listed[] = names.flatMap((name) =>
      findings
        .of(uriOf(name))
        .filter((found) => !found.tags?.includes(1))
        .map((found) => ({ name, found, word: WORDS[found.severity ?? 1] || "error" })),
    );
    const row = ({ name, found, word }: Listed) => {
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
            element("span", { className: "faint" }, ` ${line + 1}:${character + 1} `),
            words(found),
          ),
        ),
      );
    };
    const groups = names.flatMap((name) => {
      const rows = found
        .filter((one) => one.name === name)
        .sort((a, b) => a.found.range.start.line - b.found.range.start.line)
        .map(row);
      if (rows.length === 0) return [];
      const title = element(
        "h3",
        {},
        name,
        element("span", { className: "faint" }, ` ${many(rows.length, "problem")}`),
      );
      return [element("section", {}, title, element("ul", { className: "problems" }, ...rows))];
    });
    const where = names.length === 1 ? "this file" : many(names.length, "file");
    body.replaceChildren(
      ...(groups.length > 0
        ? groups
        : [
            element(
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
          ]),
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
