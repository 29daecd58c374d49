// Modules in words among the project's files: the server makes their text, and what is renamed or deleted of them changes the project's data.

import type { Language } from "../language/client";
import { uriOf } from "../language/workspace";
import type { Editor } from "../panes/editor";
import { isSource } from "../recipe/names";
import { notify } from "../ui/notice";

/** To be called before the first project is opened. */
export function attachModules(
  editor: Editor,
  language: Language,
  moved: (name: string, next: string | undefined) => void,
) {
  editor.textOfWords = async (name) => {
    const params = { textDocument: { uri: uriOf(name) } };
    const answer = await language.client.request<typeof params, { text: string }>(
      "coopmat-analyzer/disassembly",
      params,
    );
    return answer.text;
  };
  editor.onWords = moved;
  editor.onReadOnly = (name) =>
    notify(
      isSource(name)
        ? "This text is in a module: it is shown, and not edited."
        : `${name} is a module in words, which is not edited: make a .spvasm file of it (SPIR-V).`,
    );
}
