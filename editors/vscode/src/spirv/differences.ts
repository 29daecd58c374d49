// What differs between two modules, by what their instructions say: files of SPIR-V, and shaders as they compile now.

import * as vscode from "vscode";
import { programInView, type Session } from "../extension";
import { toServer } from "../uris";
import { fileOf } from "./module";

/** What can be compared, among the files of the workspace. */
const FILES = "**/*.{spv,spvasm,comp,glsl}";
const MOST = 2000;

/** A module as the server takes it. */
type Side = { name: string } & ({ text: string } | { words: number[] });

const nameOf = (uri: vscode.Uri) => vscode.workspace.asRelativePath(fileOf(uri));

/** `show` makes a document that is only read. */
export function registerDifferences(
  session: Session,
  show: (path: string, text: string) => vscode.Uri,
  command: (name: string, act: (...args: never[]) => unknown) => void,
) {
  command("compareModules", async (clicked?: vscode.Uri, chosen?: vscode.Uri[]) => {
    const one = clicked ?? programInView()?.document.uri;
    if (!one) return;
    const among = chosen?.find((uri) => uri.toString() !== one.toString());
    const other = among ?? (await another(one));
    if (!other) return;
    if (!session.client) await vscode.commands.executeCommand("coopmat-analyzer.restart");
    try {
      const [old, fresh] = [await sideOf(session, other), await sideOf(session, one)];
      const found = await session.ask<{ same: boolean; text: string }>("coopmat-analyzer/compareModules", {
        old,
        new: fresh,
      });
      if (!found) return;
      if (found.same) {
        void vscode.window.showInformationMessage(`No differences between ${old.name} and ${fresh.name}.`);
        return;
      }
      const title = `${base(old.name)} - ${base(fresh.name)}.diff`;
      await vscode.window.showTextDocument(show(title, found.text), { preview: true });
    } catch (error) {
      void vscode.window.showWarningMessage((error as Error).message);
    }
  });
}

const base = (name: string) => name.slice(name.lastIndexOf("/") + 1);

async function another(one: vscode.Uri): Promise<vscode.Uri | undefined> {
  const here = fileOf(one).toString();
  const files = await vscode.workspace.findFiles(FILES, undefined, MOST);
  const items = files
    .filter((file) => file.toString() !== here)
    .map((uri) => ({ label: nameOf(uri), uri }))
    .sort((a, b) => a.label.localeCompare(b.label));
  if (items.length === 0) {
    void vscode.window.showInformationMessage(
      "The workspace has no other shader and no other module (.spv, .spvasm) to compare with.",
    );
    return undefined;
  }
  const picked = await vscode.window.showQuickPick(items, {
    title: `Compare ${nameOf(one)}`,
    placeHolder: "Compare with: a module, or a shader as it compiles now",
  });
  return picked?.uri;
}

async function sideOf(session: Session, uri: vscode.Uri): Promise<Side> {
  const name = nameOf(uri);
  const file = fileOf(uri);
  if (file.path.endsWith(".spv")) {
    const bytes = await vscode.workspace.fs.readFile(file);
    if (bytes.length % 4 !== 0)
      throw new Error(`${name}: expected a whole number of words of four bytes, found ${bytes.length} bytes`);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return { name, words: Array.from({ length: bytes.length / 4 }, (_, at) => view.getUint32(at * 4, true)) };
  }
  const document = await vscode.workspace.openTextDocument(uri);
  if (document.languageId !== "glsl") return { name, text: document.getText() };
  if (!session.client) throw new Error("The server is not running: see 'Coopmat: Show the Server's Output'.");
  const compiled = await session.client.sendRequest<{
    words: number[] | null;
    stale: { reason: string } | null;
  }>("coopmat-analyzer/spirv", { textDocument: { uri: toServer(uri) }, words: true });
  if (compiled.stale) throw new Error(`${name} does not compile: ${compiled.stale.reason}`);
  if (!compiled.words) throw new Error(`${name} has no module`);
  return { name, words: compiled.words };
}
