// The trace of the protocol. The language client writes one while its channel's level is Trace; ours has that level while the setting
// `trace.server` is on, so that the setting alone decides.

import * as vscode from "vscode";

export function traceChannel(section: string): vscode.LogOutputChannel {
  const channel = vscode.window.createOutputChannel("Coopmat Analyzer: trace");
  const changed = new vscode.EventEmitter<vscode.LogLevel>();
  const level = () =>
    vscode.workspace.getConfiguration(section).get<string>("trace.server", "off") === "off"
      ? vscode.LogLevel.Off
      : vscode.LogLevel.Trace;
  const watching = vscode.workspace.onDidChangeConfiguration((event) => {
    if (event.affectsConfiguration(`${section}.trace`)) changed.fire(level());
  });
  const write = (message: string | Error) => {
    const time = new Date().toISOString().slice(11, 23);
    channel.appendLine(`${time} ${message}`);
  };
  return {
    name: channel.name,
    get logLevel() {
      return level();
    },
    onDidChangeLogLevel: changed.event,
    trace: write,
    debug: write,
    info: write,
    warn: write,
    error: write,
    append: (text) => channel.append(text),
    appendLine: (text) => channel.appendLine(text),
    replace: (text) => channel.replace(text),
    clear: () => channel.clear(),
    show: (first?: vscode.ViewColumn | boolean, second?: boolean) =>
      channel.show(typeof first === "boolean" ? first : second),
    hide: () => channel.hide(),
    dispose: () => {
      watching.dispose();
      changed.dispose();
      channel.dispose();
    },
  };
}
