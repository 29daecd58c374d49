// Opens the shader, its headers and its recipe in the browser playground: the link carries them, to the public page unless the settings name another one.

import type { Project } from "@coopmat/shared/project/project";
import { encode } from "@coopmat/shared/project/share";
import * as vscode from "vscode";
import { SECTION, type Session, shaderInView } from "./extension";
import { decode } from "./text";

/** Includes of includes of a shader are enough for anybody. */
const MOST = 60;

/** The shader and what it includes, as the server's links lead there. */
async function files(shader: vscode.Uri): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  const waiting = [shader];
  for (let uri = waiting.pop(); uri && texts.size < MOST; uri = waiting.pop()) {
    if (texts.has(uri.path)) continue;
    const document = await vscode.workspace.openTextDocument(uri);
    texts.set(uri.path, document.getText());
    const links = await vscode.commands.executeCommand<vscode.DocumentLink[]>(
      "vscode.executeLinkProvider",
      uri,
      100,
    );
    for (const { target } of links ?? []) if (target?.scheme === shader.scheme) waiting.push(target);
  }
  const recipe = shader.with({ path: shader.path.replace(/(\.comp)?(\.glsl)?$/, ".run.toml") });
  try {
    texts.set(recipe.path, decode(await vscode.workspace.fs.readFile(recipe)));
  } catch {
    // There is none.
  }
  return texts;
}

/** Names relative to the folder that holds them all. */
export function project(texts: Map<string, string>, active: string): Project {
  const folders = [...texts.keys()].map((path) => path.split("/").slice(0, -1));
  const common = folders.reduce((all, folder) => {
    const end = all.findIndex((part, at) => folder[at] !== part);
    return end < 0 ? all : all.slice(0, end);
  });
  const name = (path: string) => path.split("/").slice(common.length).join("/");
  return {
    files: [...texts].map(([path, text]) => ({ name: name(path), text })),
    active: name(active),
    options: {},
  } as Project;
}

/** The page to open: that of the settings, or the extension's own copy where the settings name none, or one that does not answer. */
async function pageToOpen({ host }: Session): Promise<string | undefined> {
  const setting = vscode.workspace.getConfiguration(SECTION).get<string>("playground.url");
  if (setting && (!host.answers || (await host.answers(setting)))) return setting;
  const own = await host.page?.();
  if (setting && own)
    void vscode.window.showInformationMessage(
      `${setting} does not answer. This is the extension's own copy of the playground, so the link works on this machine only.`,
    );
  return own;
}

export function registerPlayground(session: Session, command: (name: string, act: () => unknown) => void) {
  command("openInPlayground", async () => {
    const shader = shaderInView()?.document.uri;
    if (!shader) return;
    const page = await pageToOpen(session);
    if (!page) {
      void vscode.window.showErrorMessage(
        "In a browser the extension cannot serve the playground: set coopmat-analyzer.playground.url to its address.",
      );
      return;
    }
    const link = page.replace(/#.*$/, "") + encode(project(await files(shader), shader.path));
    // As text: a Uri would escape what stands behind the `#` once more.
    await vscode.env.openExternal(link as unknown as vscode.Uri);
    return link;
  });
}
