// What the shader becomes in the configuration in view beside what it becomes in another one: two texts, compared by the editor.

import * as vscode from "vscode";
import type { Choices } from "./choices";
import { type Session, shaderInView } from "./extension";
import { registerDifferences } from "./spirv/differences";
import { toServer } from "./uris";

const SCHEME = "coopmat-compare";

interface Side {
  configuration: string;
  spirv: string;
  statistics: string;
}

export function registerComparing(
  session: Session,
  choices: Choices,
  command: (name: string, act: (...args: never[]) => unknown) => void,
) {
  const texts = new Map<string, string>();
  session.context.subscriptions.push(
    vscode.workspace.registerTextDocumentContentProvider(SCHEME, {
      provideTextDocumentContent: (uri) => texts.get(uri.toString()) ?? "",
    }),
    vscode.workspace.onDidCloseTextDocument(({ uri }) => texts.delete(uri.toString())),
  );
  let count = 0;
  const show = (path: string, text: string) => {
    const of = vscode.Uri.from({ scheme: SCHEME, path: `/${count}/${path}` });
    texts.set(of.toString(), text);
    return of;
  };
  const compare = async (what: "spirv" | "statistics", extension: string) => {
    const shader = shaderInView()?.document.uri;
    if (!shader) return;
    const uri = toServer(shader);
    const other = await choices.anotherConfiguration(uri);
    if (!other) return;
    const params = { textDocument: { uri }, with: other };
    const found = await session.ask<{ left: Side; right: Side }>("coopmat-analyzer/compare", params);
    if (!found) return;
    count += 1;
    const document = (side: Side, where: string) =>
      show(`${where}/${side.configuration.replaceAll("/", "_")}${extension}`, side[what]);
    const { left, right } = found;
    const title = `${left.configuration} - ${right.configuration} (${what === "spirv" ? "SPIR-V" : "statistics"})`;
    await vscode.commands.executeCommand(
      "vscode.diff",
      document(left, "in view"),
      document(right, "other"),
      title,
    );
  };
  command("compareSpirv", () => compare("spirv", ".spvasm"));
  command("compareStatistics", () => compare("statistics", ".txt"));
  registerDifferences(
    session,
    (name, text) => {
      count += 1;
      return show(name, text);
    },
    command,
  );
}
