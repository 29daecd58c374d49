// The configuration in view and the target device: in the status bar, and lists to choose from.

import * as vscode from "vscode";
import { type Session, shaderInView } from "./extension";
import { toServer } from "./uris";

interface Configurations {
  inView: string;
  configurations: {
    name: string;
    inView: boolean;
    summary: string;
    device: string | null;
    errors: number | null;
    warnings: number | null;
  }[];
}

interface Devices {
  chosen: string | null;
  devices: { name: string; title: string }[];
}

export class Choices implements vscode.Disposable {
  private readonly configurationItem = vscode.window.createStatusBarItem(
    "configuration",
    vscode.StatusBarAlignment.Right,
    101,
  );
  private readonly deviceItem = vscode.window.createStatusBarItem(
    "device",
    vscode.StatusBarAlignment.Right,
    100,
  );
  private readonly watching: vscode.Disposable;

  constructor(
    private readonly session: Session,
    /** Another configuration or device has been chosen. */
    private readonly changed: () => void,
  ) {
    this.configurationItem.name = "Coopmat: configuration";
    this.configurationItem.command = "coopmat-analyzer.pickConfiguration";
    this.configurationItem.tooltip = "The configuration that the shader is looked at in";
    this.deviceItem.name = "Coopmat: device";
    this.deviceItem.command = "coopmat-analyzer.pickDevice";
    this.deviceItem.tooltip = "The device that shaders are checked against";
    this.watching = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => void this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => void this.refresh()),
      // The server may have read another project file meanwhile.
      vscode.workspace.onDidSaveTextDocument(() => void this.refresh()),
      // Whatever led to it, the shader has been looked at anew.
      vscode.languages.onDidChangeDiagnostics(({ uris }) => {
        const shader = shaderInView()?.document.uri.toString();
        if (uris.some((uri) => uri.toString() === shader)) void this.refresh();
      }),
    );
  }

  dispose() {
    this.watching.dispose();
    this.configurationItem.dispose();
    this.deviceItem.dispose();
  }

  async refresh() {
    // Beside a view of ours the shader has no keys, and is in view none the less.
    const editor = shaderInView();
    const { client } = this.session;
    if (!client?.isRunning() || !editor) {
      this.configurationItem.hide();
      this.deviceItem.hide();
      return;
    }
    try {
      const uri = toServer(editor.document.uri);
      const list = await client.sendRequest<Configurations>("coopmat-analyzer/configurations", { uri });
      this.configurationItem.text = `$(settings) ${list.inView || "default"}`;
      this.configurationItem.show();
      const device = list.configurations.find((one) => one.inView)?.device;
      this.deviceItem.text = `$(circuit-board) ${device ?? "no device"}`;
      this.deviceItem.show();
    } catch (error) {
      this.session.output.warn(`the configurations are not known: ${error}`);
      this.configurationItem.hide();
      this.deviceItem.hide();
    }
  }

  async configuration(shader = shaderInView()?.document.uri, name?: unknown) {
    if (!shader) return;
    const uri = toServer(shader);
    let chosen = typeof name === "string" ? name : undefined;
    if (chosen === undefined && name !== null) {
      const list = await this.session.ask<Configurations>("coopmat-analyzer/configurations", { uri });
      if (!list) return;
      const items = list.configurations.map((one) => ({
        label: one.name,
        description: `${one.inView ? "in view  " : ""}${one.errors ? `${one.errors} errors` : ""}`,
        detail: one.summary,
      }));
      const picked = await vscode.window.showQuickPick(items, {
        title: "Configuration",
        placeHolder: "The shader is shown as it is under this configuration",
        matchOnDetail: true,
      });
      if (!picked) return;
      chosen = picked.label;
    }
    await this.session.ask("coopmat-analyzer/setConfiguration", { uri, name: chosen ?? null });
    await this.refresh();
    this.changed();
  }

  async device(name?: unknown) {
    let chosen: string | null | undefined = typeof name === "string" ? name : undefined;
    if (chosen === undefined) {
      const list = await this.session.ask<Devices>("coopmat-analyzer/devices");
      if (!list) return;
      const items: (vscode.QuickPickItem & { value: string | null })[] = [
        { label: "What the project says", value: null },
        { label: "No device", value: "none" },
        ...list.devices.map((one) => ({ label: one.name, description: one.title, value: one.name })),
      ];
      const picked = await vscode.window.showQuickPick(items, {
        title: "Target device",
        matchOnDescription: true,
      });
      if (!picked) return;
      chosen = picked.value;
    }
    await this.session.ask("coopmat-analyzer/setDevice", { name: chosen });
    await this.refresh();
    this.changed();
  }
}
