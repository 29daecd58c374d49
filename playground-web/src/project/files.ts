// The project's files, to be opened, made, renamed and deleted: the list behind "Files", and the questions that it takes.

import { byId, element } from "@coopmat/shared/element";
import { isName } from "@coopmat/shared/project/project";
import type { Findings } from "../language/diagnostics";
import { uriOf } from "../language/workspace";
import type { Editor } from "../panes/editor";
import { beside, isSource, isToml, isWords } from "../recipe/names";
import { ask, confirm } from "../ui/dialog";
import { icon } from "../ui/icons";
import { type Item, pick } from "../ui/pick";

/** Puts "Files" before the tabs. `drop`: the ways by which files of this machine come. */
export function attachFiles(editor: Editor, findings: Findings, drop: { label: string; act(): void }[]) {
  const naming = (before?: string) => (name: string) => {
    if (!isName(name)) return `“${name}” cannot be the name of a file.`;
    if (name !== before && editor.has(name)) return `There is a file ${name} already.`;
    if (isSource(name)) return "A name with › is that of a text in a module.";
    if (isWords(name) && !isWords(before ?? ""))
      return "A .spv file has a module's words: drop one on the page.";
    if (isWords(before ?? "") && !isWords(name)) return "The name of a module's words ends in .spv.";
    return undefined;
  };

  const create = async () => {
    if (editor.locked) return;
    const name = await ask("Name of the new file", "header.glsl", naming(), "Create");
    if (name === undefined) return;
    editor.add(name, "");
    editor.select(name);
    editor.view.focus();
  };

  const rename = async (before: string) => {
    if (editor.locked) return;
    const name = await ask(`New name of ${before}`, before, naming(before), "Rename");
    if (name === undefined || name === before || !editor.has(before)) return;
    // A shader takes its recipe along.
    const [recipe, next] = [beside(before), beside(name)];
    if (!isToml(before) && editor.has(recipe) && !editor.has(next)) editor.move(recipe, next);
    editor.move(before, name);
  };

  const remove = async (name: string) => {
    if (editor.locked || !editor.has(name)) return;
    if (editor.text(name) && !(await confirm(`Delete ${name}?`, "Delete", "Its text is lost."))) return;
    editor.remove(name);
  };

  const list = async () => {
    const names = editor.names();
    const open = new Set(editor.tabNames);
    const items = names.map((name): Item => {
      const slash = name.lastIndexOf("/");
      const { errors, warnings } = findings.count(uriOf(name));
      const badge = errors + warnings > 0 && {
        text: String(errors || warnings),
        kind: errors > 0 ? ("error" as const) : ("warning" as const),
      };
      const folder = slash < 0 ? "" : name.slice(0, slash);
      return {
        value: name,
        label: name.slice(slash + 1),
        description: [folder, open.has(name) ? "open" : ""].filter(Boolean).join(", "),
        ...(badge && { badge }),
        ...(!editor.locked && {
          actions: [
            { label: "Rename", title: `Rename ${name}`, act: () => void rename(name) },
            ...(names.length > 1
              ? [{ label: "Delete", title: `Delete ${name}`, act: () => void remove(name) }]
              : []),
          ],
        }),
      };
    });
    // Open ones first, then by folder and name.
    items.sort(
      (a, b) => Number(open.has(b.value)) - Number(open.has(a.value)) || a.value.localeCompare(b.value),
    );
    const more = editor.locked ? [] : [{ label: "New file", act: () => void create() }, ...drop];
    const name = await pick({
      title: "Files",
      placeholder: "Find a file",
      items,
      current: editor.activeName,
      more,
    });
    if (name === undefined) return;
    editor.select(name);
    editor.view.focus();
  };

  editor.onRename = (name) => {
    if (!isSource(name)) void rename(name);
  };
  const closing = byId("close-file", HTMLButtonElement);
  closing.title = closing.ariaLabel = "Close this tab; its file stays among Files";
  const made = byId("new-file", HTMLButtonElement);
  made.onclick = () => void create();
  const button = element("button", {
    type: "button",
    id: "files",
    className: "tab",
    title: "Find a file of this project (Ctrl+P)",
    ariaHasPopup: "dialog",
    onclick: () => void list(),
  });
  const draw = () => {
    const count = editor.names().length;
    button.hidden = editor.locked && count === editor.tabNames.length;
    const words = count > editor.tabNames.length ? `Files (${count})` : "Files";
    if (button.textContent !== words) button.replaceChildren(icon("folder"), element("span", {}, words));
  };
  editor.onChange(draw);
  made.before(button);
  draw();
  addEventListener("keydown", (event: KeyboardEvent) => {
    if (
      event.key.toLowerCase() !== "p" ||
      !(event.ctrlKey || event.metaKey) ||
      event.shiftKey ||
      event.altKey
    )
      return;
    if (document.querySelector("dialog[open]")) return;
    event.preventDefault();
    void list();
  });
}
