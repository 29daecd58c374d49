// Joins the project's parts to the page: its files, the bar of options, and what is dropped.

import { byId } from "@coopmat/shared/element";
import type { Language } from "../language/client";
import type { Findings } from "../language/diagnostics";
import type { Editor } from "../panes/editor";
import type { SimulatorClient } from "../simulator/client";
import type { Shown } from "../state/arrival";
import type { Choices } from "./choices";
import { attachFiles } from "./files";
import { OptionsBar } from "./options-bar";
import { Taking } from "./take";

interface Parts {
  page: Shown;
  editor: Editor;
  language: Language;
  findings: Findings;
  choices: Choices;
  /** Edits TOML, and knows the names of modes and devices. */
  client: SimulatorClient;
}

/** Answers with what takes files in. */
export function attachProject({ page, editor, language, findings, choices, client }: Parts): Taking {
  const edit = client.edit.bind(client);
  editor.lists = () => {
    const { devices, numerics, ownerships, decodes } = client.lists;
    return {
      device: devices.map(({ name }) => name),
      numerics,
      ownership: ownerships,
      decode: decodes,
      shader: editor.names().filter((name) => !name.endsWith(".toml")),
    };
  };
  const taking = new Taking({ page, edit });
  attachFiles(editor, findings, [
    { label: "Open files …", act: () => taking.ask(false) },
    { label: "Open a folder …", act: () => taking.ask(true) },
  ]);
  const devices = () =>
    language.client
      .request<object, { devices: { name: string; title: string }[] }>("coopmat-analyzer/devices", {})
      .then((answer) => answer.devices);
  const bar = new OptionsBar({ editor, choices, edit, devices });
  byId("editor", HTMLElement).before(bar.body);
  return taking;
}
