// What somebody sees who has nothing of their own here yet: an example that has run already.

import type { File } from "@coopmat/shared/project/project";
import type { RunModel } from "../panes/run/model";
import type { SimulatorClient } from "../simulator/client";
import type { Shown } from "../state/arrival";
import { exampleOf } from "../state/reference";

/** When the simulator's worker, which starts behind the first diagnostics, is up, and the page has nothing else to do for a moment. */
export const whenReady = (client: SimulatorClient): Promise<void> =>
  new Promise((resolve) => {
    const idle = () => {
      // Not every browser tells when it is idle.
      if ("requestIdleCallback" in window) requestIdleCallback(() => resolve(), { timeout: 1000 });
      else setTimeout(resolve);
    };
    if (client.lists.ownerships.length > 0) idle();
    else client.onReady(idle);
  });

/** Runs an example that nobody has changed. */
export async function welcome(model: RunModel, page: Shown, files: readonly File[], ready: Promise<void>) {
  const untouched = JSON.stringify(files);
  const [example] = await Promise.all([exampleOf(files), ready]);
  // Who typed, or ran it, was quicker.
  if (!example || model.running || model.ran) return;
  if (JSON.stringify(page.current().files) === untouched) await model.runUnasked();
}
