// How the module beside the shader is made and shown: what the buttons above it change.

import * as vscode from "vscode";

/** What the buttons switch on and off, by the server's names for it. */
const SWITCHES = ["optimise", "specializeDefaults", "sourceComments"] as const;
type Switch = (typeof SWITCHES)[number];

const ENVIRONMENTS = ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4"];

export class Options {
  private readonly on = new Set<Switch>();
  private environment: string | undefined;

  /** As requests have them. */
  get wanted(): Record<string, unknown> {
    const switches = Object.fromEntries([...this.on].map((name) => [name, true]));
    return { ...switches, ...(this.environment && { targetEnv: this.environment }) };
  }

  /** The commands of the buttons. `changed` answers whether there is such a module; the options are as before where there is none. */
  register(
    command: (name: string, act: (...args: never[]) => unknown) => void,
    changed: () => Promise<boolean>,
  ) {
    const attempt = async (change: () => void) => {
      const before = { on: [...this.on], environment: this.environment };
      change();
      if (!(await changed())) {
        this.on.clear();
        for (const name of before.on) this.on.add(name);
        this.environment = before.environment;
      }
      await this.tell();
    };
    for (const name of SWITCHES) {
      command(`spirv.${name}`, () => attempt(() => this.on.add(name)));
      command(`spirv.${name}Off`, () => attempt(() => this.on.delete(name)));
    }
    command("spirv.environment", async () => {
      const chosen = await this.choose();
      if (!chosen) return;
      await attempt(() => {
        this.environment = chosen.value;
      });
    });
    void this.tell();
  }

  private choose() {
    const items = [undefined, ...ENVIRONMENTS].map((value) => ({
      label: value ?? "As in the configuration",
      ...(value === this.environment && { description: "shown" }),
      value,
    }));
    return vscode.window.showQuickPick(items, { title: "The target environment of the module" });
  }

  /** Which of two buttons is there hangs on these. */
  private async tell() {
    for (const name of SWITCHES)
      await vscode.commands.executeCommand("setContext", `coopmat-analyzer.spirv.${name}`, this.on.has(name));
  }
}
