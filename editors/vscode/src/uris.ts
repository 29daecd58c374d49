// URIs on their way to the server and back. The server knows files and its own documents: folders of other schemes (a remote, a virtual
// workspace) look like files to it.

import * as vscode from "vscode";

const OWN = ["coopmat-analyzer", "coopmat-spirv"];

/** Schemes whose documents are shaders of the workspace. */
export const SCHEMES = ["file", "untitled", "vscode-remote", "vscode-vfs", "vscode-test-web", "memfs", "tmp"];

function base(): vscode.Uri | undefined {
  const folder = vscode.workspace.workspaceFolders?.find(({ uri }) => uri.scheme !== "file");
  return folder?.uri;
}

export function toServer(uri: vscode.Uri): string {
  // Queries as the server writes them: VS Code would escape `=` and `&`.
  if (OWN.includes(uri.scheme)) {
    const query = uri.query ? `?${uri.query}` : "";
    return `${uri.scheme}:${encodeURI(uri.path)}${query}`;
  }
  const other = base();
  if (other && uri.scheme === other.scheme && uri.authority === other.authority)
    return vscode.Uri.from({ scheme: "file", path: uri.path }).toString();
  return uri.toString();
}

export function fromServer(text: string): vscode.Uri {
  const uri = vscode.Uri.parse(text);
  const other = base();
  return uri.scheme === "file" && other ? other.with({ path: uri.path }) : uri;
}
