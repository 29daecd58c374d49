// Joins the run pane to the page: the simulator's worker, the recipes that the server is told of, the lens, the panes.

import type { Options } from "@coopmat/shared/project/project";
import type { Language } from "../../language/client";
import { codeLenses } from "../../language/code-lens";
import type { Connection } from "../../language/connection";
import type { Findings } from "../../language/diagnostics";
import { isToml } from "../../recipe/names";
import { SimulatorClient } from "../../simulator/client";
import { notify } from "../../ui/notice";
import type { Editor } from "../editor";
import { MatricesPane } from "../matrices";
import type { Panes } from "../panes";
import { PortabilityPane } from "../portability";
import { RunModel } from "./model";
import { RunPane } from "./pane";
import { pictures } from "./pictures";

export interface Parts {
  module: WebAssembly.Module;
  editor: Editor;
  language: Language;
  connection: Connection;
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
  const { editor, panes, connection, language } = parts;
  const client = new SimulatorClient(parts.module, (words) => notify(words));
  const model = new RunModel(editor, client, parts.findings, parts.options, parts.keep);
  const pane = new RunPane(model);
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

  // The server reads recipes as files: whether there is one decides about its lens.
  const told = new Map<string, string>();
  const tell = () => {
    const files = editor
      .names()
      .filter(isToml)
      .map((name) => ({ name, text: editor.text(name) }));
    let news = false;
    for (const { name, text } of files) {
      if (told.get(name) === text) continue;
      news ||= !told.has(name);
      told.set(name, text);
      connection.put(`/playground/${name}`, text);
    }
    for (const name of told.keys()) {
      if (files.some((file) => file.name === name)) continue;
      told.delete(name);
      connection.remove(`/playground/${name}`);
      news = true;
    }
    if (news) lens.ask();
  };
  editor.onChange(tell);
  tell();
  return { run: pane, matrices };
}
