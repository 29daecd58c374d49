// Recipes and project files in the editor: colours, completion, hovers, and the problems that the server and the simulator's worker find in them.

import type { CompletionContext } from "@codemirror/autocomplete";
import { StreamLanguage } from "@codemirror/language";
import { setDiagnostics } from "@codemirror/lint";
import { EditorState, type Extension } from "@codemirror/state";
import { hoverTooltip, ViewPlugin } from "@codemirror/view";
import { type Findings, shown } from "./diagnostics";
import { lineColours } from "./line-colours";
import type { Lists } from "./toml-help";
import { nameOf } from "./workspace";

const WORDS =
  /"(?:[^"\\]|\\.)*"?|'[^']*'?|#.*|\[\[?[^\]=,]*\]\]?(?=\s*(?:#|$))|[A-Za-z0-9_-]+(?=\s*[.=])|[+-]?(?:\d[\d_.eE+-]*|inf|nan)|true|false/g;

/** Line by line: a text that goes over several lines in triple quotes is coloured as what it looks like, which is enough for recipes. */
const colouring = lineColours(WORDS, (word, before) => {
  if (word.startsWith("#")) return "tok-comment";
  if (word.startsWith('"') || word.startsWith("'")) return "tok-string";
  if (word.startsWith("[") && before.trim() === "") return "tok-keyword";
  if (/^[+-]?(\d|inf$|nan$)/.test(word)) return "tok-number";
  if (word === "true" || word === "false") return "tok-keyword";
  return word.startsWith("[") ? undefined : "tok-function";
});

/** The schemas and what reads them are loaded when somebody asks for the first time. */
const help = () => import("./toml-help");

/** What is wrong in a text that is no document of the server. */
export function problems(
  uri: string,
  findings: Findings,
  go: (uri: string, line: number, character: number) => void,
): Extension {
  const handlers = { page: () => {}, go };
  return ViewPlugin.define((view) => {
    let here = true;
    const show = () => {
      // Another tab may be in the editor by now.
      if (here) view.dispatch(setDiagnostics(view.state, shown(view.state.doc, findings.of(uri), handlers)));
    };
    queueMicrotask(show);
    const off = findings.onChange((changed) => {
      if (changed === uri) show();
    });
    return {
      destroy() {
        here = false;
        off();
      },
    };
  });
}

/** What a tab with a recipe or a project file has instead of the language client. `lists`: what may stand behind keys beside what schemas say. */
export function toml(
  uri: string,
  findings: Findings,
  lists: () => Lists,
  go: (uri: string, line: number, character: number) => void,
): Extension {
  const comments = StreamLanguage.define({
    token: (stream) => {
      stream.skipToEnd();
      return null;
    },
    languageData: { commentTokens: { line: "#" } },
  });
  const name = nameOf(uri) ?? "";
  // The same each time that it is asked for: what is shown belongs to its source.
  const data = [
    {
      autocomplete: (context: CompletionContext) =>
        help().then(({ complete }) => complete(name, lists(), context)),
    },
  ];
  const completion = EditorState.languageData.of(() => data);
  const hovers = hoverTooltip((view, pos) => help().then(({ hover }) => hover(name, view, pos)));
  return [comments, colouring, problems(uri, findings, go), completion, hovers];
}
