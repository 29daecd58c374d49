// Keeps the server's disk as the project is: files that no tab has open, project files and recipes, and what they import. What a tab has open the
// server knows by the protocol; it lies on the disk as it was when it was opened.

import { fromBase64 } from "@coopmat/shared/data";
import type { Connection } from "../language/connection";
import type { Editor } from "../panes/editor";
import { isToml } from "../recipe/names";

/** Where the server has a file. */
export const pathOf = (name: string) => `/playground/${name}`;

/** To be called before the first project is opened. */
export function keepDisk(editor: Editor, connection: Connection) {
  const told = new Map<string, string>();
  const toldWords = new Map<string, string>();
  const tell = () => {
    for (const name of Array.from(toldWords.keys()))
      if (!editor.modules.has(name)) {
        toldWords.delete(name);
        connection.putData(pathOf(name), undefined);
      }
    for (const [name, base64] of editor.modules)
      if (toldWords.get(name) !== base64) {
        toldWords.set(name, base64);
        connection.putData(pathOf(name), fromBase64(base64));
      }
    const open = new Set(editor.tabNames.filter((name) => !isToml(name)));
    const put: [path: string, text: string][] = [];
    const names = new Set(editor.names().filter((name) => !editor.modules.has(name)));
    for (const name of names) {
      if (open.has(name) && told.has(name)) continue;
      const text = editor.text(name);
      if (told.get(name) === text) continue;
      told.set(name, text);
      put.push([pathOf(name), text]);
    }
    const gone = Array.from(told.keys()).filter((name) => !names.has(name));
    for (const name of gone) told.delete(name);
    connection.change(put, gone.map(pathOf));
  };
  editor.onFiles = tell;
  editor.onChange(tell);
}
