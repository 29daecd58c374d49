// The configuration in view, the values of specialization constants and the target device: in the status bar, and lists to choose from. What was chosen is kept with
// the workspace, and given to every server that starts.

import * as vscode from "vscode";
import type { BaseLanguageClient } from "vscode-languageclient";
import { claims } from "./experimental";
import { type Session, shaderInView } from "./extension";
import { toServer } from "./uris";

interface Configurations {
  inView: string;
  configurations: {
    name: string;
    inView: boolean;
    favourite: boolean;
    differs: string;
    summary: string;
    device: string | null;
    errors: number | null;
    warnings: number | null;
  }[];
}

interface Specializations {
  chosen: string | null;
  constants: { id: number; name: string; type: string; default: string | null; value: string | null }[];
  sets: { name: string; values: string }[];
  recipe: { values: string | null; error: string | null } | null;
}

interface Devices {
  chosen: string | null;
  devices: { name: string; title: string }[];
}

/** `coopmat-analyzer/inView`: told whenever it is something else, whatever led to it. */
interface InView {
  documents: {
    uri: string;
    configuration: string;
    device: string | null;
    specialization: string | null;
    values: string;
  }[];
  /** For the server alone. */
  choices: unknown;
}

/** Where the workspace keeps what was chosen. */
const KEPT = "choices";

/** What a list begins with: the way back. */
type Choice<Value> = vscode.QuickPickItem & { value?: Value };

export class Choices implements vscode.Disposable {
  private readonly configurationItem = item(
    "configuration",
    101,
    "The configuration that the shader is checked under",
  );
  private readonly specializationItem = item(
    "specialization",
    100,
    "The values of the shader's specialization constants",
  );
  private readonly deviceItem = item("device", 99, "The device that shaders are checked against");
  private readonly watching: vscode.Disposable;
  private inView: InView["documents"] = [];

  constructor(
    private readonly session: Session,
    /** Another configuration or device has been chosen. */
    private readonly changed: () => void,
  ) {
    this.watching = vscode.Disposable.from(
      vscode.window.onDidChangeActiveTextEditor(() => this.refresh()),
      vscode.window.onDidChangeVisibleTextEditors(() => this.refresh()),
    );
  }

  dispose() {
    this.watching.dispose();
    for (const shown of [this.configurationItem, this.specializationItem, this.deviceItem]) shown.dispose();
  }

  /** What a server is to begin with. */
  options() {
    return { choices: this.session.context.workspaceState.get(KEPT, {}) };
  }

  /** Before the client starts. */
  follow(client: BaseLanguageClient) {
    this.inView = [];
    claims(client, { inView: true });
    client.onNotification("coopmat-analyzer/inView", (told: InView) => {
      this.inView = told.documents;
      void this.session.context.workspaceState.update(KEPT, told.choices);
      this.refresh();
      this.changed();
    });
  }

  refresh() {
    // Beside a view of ours the shader has no keys, and is in view none the less.
    const editor = shaderInView();
    const uri = editor && toServer(editor.document.uri);
    const known = this.session.client?.isRunning() ? this.inView.find((one) => one.uri === uri) : undefined;
    if (!known) {
      for (const shown of [this.configurationItem, this.specializationItem, this.deviceItem]) shown.hide();
      return;
    }
    this.configurationItem.text = `$(settings) ${known.configuration || "default"}`;
    this.configurationItem.show();
    this.deviceItem.text = `$(circuit-board) ${known.device ?? "no device"}`;
    this.deviceItem.show();
    this.specializationItem.text = `$(symbol-numeric) ${known.specialization ?? known.values}`;
    this.specializationItem.tooltip = `Specialization constants: ${known.values}`;
    if (known.specialization || known.values) this.specializationItem.show();
    else this.specializationItem.hide();
  }

  async configuration(shader = shaderInView()?.document.uri, name?: unknown) {
    if (!shader) return;
    const uri = toServer(shader);
    let chosen = typeof name === "string" ? name : undefined;
    if (chosen === undefined && name !== null) {
      const list = await this.session.ask<Configurations>("coopmat-analyzer/configurations", { uri });
      if (!list) return;
      chosen = await this.pickConfiguration(uri, list);
      if (chosen === undefined) return;
    }
    await this.session.ask("coopmat-analyzer/setConfiguration", { uri, name: chosen ?? null });
  }

  /** One that is not in view, picked by the user. */
  async anotherConfiguration(uri: string): Promise<string | undefined> {
    const list = await this.session.ask<Configurations>("coopmat-analyzer/configurations", { uri });
    if (!list) return undefined;
    const configurations = list.configurations.filter((one) => !one.inView);
    if (configurations.length) return this.pickConfiguration(uri, { ...list, configurations });
    void vscode.window.showInformationMessage(
      `The shader has only one configuration, ${list.inView}, so there is none to compare it with.`,
    );
    return undefined;
  }

  /** What differs between the configurations stands beside their names; a star makes one a favourite, and favourites come first. */
  private pickConfiguration(uri: string, list: Configurations): Promise<string | undefined> {
    const star = { iconPath: new vscode.ThemeIcon("star-empty"), tooltip: "Show first" };
    const unstar = { iconPath: new vscode.ThemeIcon("star-full"), tooltip: "Do not show first" };
    const itemsOf = ({ configurations }: Configurations): Choice<string>[] => {
      const item = (one: Configurations["configurations"][number]): Choice<string> => ({
        label: one.name,
        description: [one.inView ? "in view" : "", one.differs, one.errors ? `${one.errors} errors` : ""]
          .filter(Boolean)
          .join("  "),
        detail: one.summary,
        buttons: [one.favourite ? unstar : star],
        value: one.name,
      });
      const favourites = configurations.filter((one) => one.favourite).map(item);
      const others = configurations.filter((one) => !one.favourite).map(item);
      if (!favourites.length) return others;
      const separator = (label: string) => ({ label, kind: vscode.QuickPickItemKind.Separator });
      return [separator("favourites"), ...favourites, separator("others"), ...others];
    };
    const pick = vscode.window.createQuickPick<Choice<string>>();
    pick.title = "Configuration";
    pick.placeholder = "Search names and macros";
    pick.matchOnDescription = true;
    pick.matchOnDetail = true;
    pick.items = itemsOf(list);
    return new Promise((resolve) => {
      pick.onDidTriggerItemButton(async ({ button, item }) => {
        const params = { uri, name: item.label, favourite: button === star };
        const now = await this.session.ask<Configurations>("coopmat-analyzer/setFavourite", params);
        const offered = new Set(list.configurations.map((one) => one.name));
        if (now)
          pick.items = itemsOf({
            ...now,
            configurations: now.configurations.filter((one) => offered.has(one.name)),
          });
      });
      pick.onDidAccept(() => {
        resolve(pick.selectedItems[0]?.value);
        pick.hide();
      });
      pick.onDidHide(() => {
        resolve(undefined);
        pick.dispose();
      });
      pick.show();
    });
  }

  async specialization(shader = shaderInView()?.document.uri, name?: unknown) {
    if (!shader) return;
    const uri = toServer(shader);
    let chosen: string | null = typeof name === "string" ? name : null;
    if (typeof name !== "string" && name !== null) {
      const list = await this.session.ask<Specializations>("coopmat-analyzer/specializations", { uri });
      if (!list) return;
      const type = "\0";
      const items: Choice<string | null>[] = [
        { label: "Values of the configuration", value: null },
        ...(list.recipe
          ? [
              {
                label: "Values of the recipe",
                description: list.recipe.values ?? list.recipe.error ?? "",
                value: "recipe",
              },
            ]
          : []),
        ...list.sets.map((set) => ({ label: set.name, description: set.values, value: set.name })),
        { label: "$(edit) Other values...", alwaysShow: true, value: type },
      ];
      const picked = await vscode.window.showQuickPick(items, {
        title: "Specialization constants",
        placeHolder: `Now: ${list.chosen ?? "values of the configuration"}`,
        matchOnDescription: true,
      });
      if (picked?.value === undefined) return;
      chosen = picked.value;
      if (chosen === type) {
        const typed = await vscode.window.showInputBox({
          title: "Values of specialization constants",
          prompt: "By name or constant_id; constants that are left out keep the values of the configuration.",
          value: list.constants.map((one) => `${one.name}=${one.value ?? one.default ?? 0}`).join(", "),
          ignoreFocusOut: true,
        });
        if (typed === undefined) return;
        chosen = typed;
      }
    }
    await this.session.ask("coopmat-analyzer/setSpecialization", { uri, name: chosen });
  }

  async device(name?: unknown) {
    let chosen: string | null | undefined = typeof name === "string" ? name : undefined;
    if (chosen === undefined) {
      const list = await this.session.ask<Devices>("coopmat-analyzer/devices");
      if (!list) return;
      const items: Choice<string | null>[] = [
        { label: "As in the project file", value: null },
        { label: "No device", value: "none" },
        ...list.devices.map((one) => ({ label: one.name, description: one.title, value: one.name })),
      ];
      const picked = await vscode.window.showQuickPick(items, {
        title: "Target device",
        matchOnDescription: true,
      });
      if (picked?.value === undefined) return;
      chosen = picked.value;
    }
    await this.session.ask("coopmat-analyzer/setDevice", { name: chosen });
  }
}

/** An item of the status bar, whose command is `pick...`. */
function item(what: string, priority: number, tooltip: string): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem(what, vscode.StatusBarAlignment.Right, priority);
  item.name = `Coopmat: ${what}`;
  item.command = `coopmat-analyzer.pick${what[0]?.toUpperCase()}${what.slice(1)}`;
  item.tooltip = tooltip;
  return item;
}
