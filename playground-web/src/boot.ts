// The first script: puts on the person's colours and layout, begins what takes longest - the module, the server's worker - and reads the
// page's own script meanwhile.

import { loadModule } from "@coopmat/shared/module/load";
import example from "../../examples/khr/gemm.comp?raw";
import { Connection } from "./language/connection";
import { putAppearance } from "./state/appearance";
import { prepareEmbed } from "./ui/embed-options";

putAppearance();
prepareEmbed();
performance.mark("start");
const module = loadModule();
const connection = new Connection(module, example);

const say = (words: string) => {
  const status = document.getElementById("status");
  if (status) status.textContent = words;
};

import("./main").then(
  ({ begin }) => begin(module, connection, say),
  (error: unknown) =>
    say(
      `This page cannot start: a part of it could not be loaded (${error instanceof Error ? error.message : error}). Reload it.`,
    ),
);
