// The files of the workspace for the WebAssembly server, which cannot read them by itself: shaders, headers, project files, recipes.

import * as vscode from "vscode";
import { decode } from "../text";
import type { Port } from "./transports";

export const PATTERN =
  "**/{*.comp,*.vert,*.frag,*.geom,*.tesc,*.tese,*.mesh,*.task,*.rgen,*.rint,*.rahit,*.rchit,*.rmiss,*.rcall,*.glsl,*.glslh,*.hglsl,*.h,*.inc,*.run.toml,*.csv,coopmat-analyzer.toml,compile_commands.json,glslc.log}";
const IGNORED = "**/{node_modules,target,.git}/**";
/** More are not read: a home folder opened by mistake must not fill the memory. */
const MOST = 5000;
const LARGEST = 4 << 20;

/** Hands over what is there, and then what changes. */
export async function feed(port: Port, log: (text: string) => void): Promise<vscode.Disposable> {
  const put = async (uri: vscode.Uri) => {
    try {
      const bytes = await vscode.workspace.fs.readFile(uri);
      if (bytes.length <= LARGEST) port.post({ kind: "put", path: uri.path, text: decode(bytes) });
    } catch {
      port.post({ kind: "remove", path: uri.path });
    }
  };
  const found = await vscode.workspace.findFiles(PATTERN, IGNORED, MOST);
  if (found.length === MOST)
    log(`the workspace has more than ${MOST} shaders and headers: the server only knows the first ${MOST}`);
  await Promise.all(found.map(put));
  const watcher = vscode.workspace.createFileSystemWatcher(PATTERN);
  watcher.onDidCreate(put);
  watcher.onDidChange(put);
  watcher.onDidDelete((uri) => port.post({ kind: "remove", path: uri.path }));
  return watcher;
}
