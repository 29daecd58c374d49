// That there is no server, told for as long as there is none: in the status bar, and in a message that says what to do. VS Code's own messages
// about a server that fails go by.

import * as vscode from "vscode";
import { type BaseLanguageClient, CloseAction, ErrorAction, type ErrorHandler } from "vscode-languageclient";

/** A server that has not introduced itself by then is told of; it may still come. */
const SLOW = 15_000;

export class Status implements vscode.Disposable {
  private readonly item = vscode.window.createStatusBarItem("server", vscode.StatusBarAlignment.Right, 102);
  private timer: ReturnType<typeof setTimeout> | undefined;
  private problem = "";

  constructor() {
    this.item.name = "Coopmat: server";
    this.item.command = "coopmat-analyzer.showProblem";
  }

  dispose() {
    clearTimeout(this.timer);
    this.item.dispose();
  }

  starting(server: string) {
    this.well();
    this.timer = setTimeout(() => {
      this.problem = `${server} is not responding. Shaders are not checked until it does.`;
      this.show("$(warning) Coopmat: not responding", "warning");
    }, SLOW);
  }

  /** There is a server, or nobody wants one. */
  well() {
    clearTimeout(this.timer);
    this.problem = "";
    this.item.hide();
  }

  failed(reason: string) {
    clearTimeout(this.timer);
    this.problem = `Shaders are not checked: ${reason}`;
    this.show("$(error) Coopmat: no server", "error");
    void this.tell();
  }

  /** What is wrong, and what to do. */
  async tell() {
    if (!this.problem) return;
    const choices: Record<string, [string, ...unknown[]]> = {
      "Open Settings": ["workbench.action.openSettings", "coopmat-analyzer.server"],
      "Show Log": ["coopmat-analyzer.showOutput"],
      "Try Again": ["coopmat-analyzer.restart"],
    };
    const chosen = await vscode.window.showErrorMessage(this.problem, ...Object.keys(choices));
    const command = chosen && choices[chosen];
    if (command) await vscode.commands.executeCommand(...command);
  }

  private show(text: string, colour: "error" | "warning") {
    this.item.text = text;
    this.item.tooltip = this.problem;
    this.item.backgroundColor = new vscode.ThemeColor(`statusBarItem.${colour}Background`);
    this.item.show();
  }
}

/** Leaves it to `Status` to tell of a server that does not start; the client's own messages about that lead nowhere. */
export function quiet<Client extends BaseLanguageClient>(client: Client): Client {
  const error = client.error.bind(client);
  client.error = (message, data, show) => error(message, data, show === "force" ? false : show);
  return client;
}

/** A server that has run and ends is started again, unless it keeps ending. Whatever is told of that, `Status` tells. */
export class Perseverance implements ErrorHandler {
  private static readonly MOST = 5;
  private static readonly WITHIN = 3 * 60_000;
  private ends: number[] = [];

  /** `ran`: it has introduced itself. Until then the one who starts it hears of its end. */
  constructor(
    private readonly ran: () => boolean,
    private readonly failed: (reason: string) => void,
  ) {}

  error(_error: Error, _message: unknown, count: number | undefined) {
    return { action: count && count <= 3 ? ErrorAction.Continue : ErrorAction.Shutdown, handled: true };
  }

  closed() {
    const now = Date.now();
    this.ends = [...this.ends.filter((end) => now - end < Perseverance.WITHIN), now];
    if (this.ran() && this.ends.length < Perseverance.MOST)
      return { action: CloseAction.Restart, handled: true };
    if (this.ran()) this.failed(`it ended ${Perseverance.MOST} times within three minutes`);
    return { action: CloseAction.DoNotRestart, handled: true };
  }
}
