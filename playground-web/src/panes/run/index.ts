// Joins the run pane to the page: the simulator's worker, the recipes that the server is told of, the lens, the panes.

import type { Options } from "@coopmat/shared/project/project";
import type { Language } from "../../language/client";
import { codeLenses } from "../../language/code-lens";
import type { Findings } from "../../language/diagnostics";
import { isToml } from "../../recipe/names";
import { SimulatorClient } from "../../simulator/client";
import { notify } from "../../ui/notice";
import type { Editor } from "../editor";
import { MatricesPane } from "../matrices";
import type { Panes } from "../panes";
import { PortabilityPane } from "../portability";
import { Heat, heatGutter } from "./heat";
import { RunModel } from "./model";
import { RunPane } from "./pane";
import { pictures } from "./pictures";

export interface Parts {
  module: WebAssembly.Module;
  editor: Editor;
  language: Language;
  findings: Findings;
  panes: Panes;
  options: Options;
  /** Called when something that is kept changed. */
  keep(): void;
}

/** To be called before the first file is opened, as it adds to the editor. */
export function lenses(editor: Editor, panes: Panes, run: () => void): { ask(): void } {
  const asking = new Set<() => void>();
  const commands = {
    "coopmat-analyzer.run": run,
    "coopmat-analyzer.showPortability": () => panes.select("portability"),
    "coopmat-analyzer.showSpirv": () => panes.select("spirv"),
  };
  editor.extensions.push(
    heatGutter,
    codeLenses(commands, (ask) => {
      asking.add(ask);
      return () => asking.delete(ask);
    }),
  );
  return {
    ask() {
      for (const ask of asking) ask();
    },
  };
}

export function attachRun(parts: Parts, lens: { ask(): void }): { run: RunPane; matrices: MatricesPane } {
  const { editor, panes, language } = parts;
  const client = new SimulatorClient(parts.module, (words) => notify(words));
  const model = new RunModel(editor, client, parts.findings, parts.options, parts.keep);
  const pane = new RunPane(model, new Heat(editor, model));
  pane.onRun = () => panes.select("run");
  panes.add(pane);
  pane.buffers.picture = pictures((buffer) => model.judged(buffer));
  const matrices = new MatricesPane(editor, client, model);
  panes.add(matrices);
  const choose = (device: string) => {
    model.chooseDevice(device);
    notify(`Checked runs now compare with what ${device} offers.`);
  };
  panes.add(new PortabilityPane(editor, language, choose));

  // Whether there is a recipe decides about its lens.
  let recipes = "";
  editor.onChange(() => {
    const now = editor.names().filter(isToml).join("\n");
    if (now === recipes) return;
    recipes = now;
    lens.ask();
  });
  return { run: pane, matrices };
}
