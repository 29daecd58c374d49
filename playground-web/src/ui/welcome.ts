// What somebody sees who comes for the first time: an example that has run already. It waits for the simulator's worker, which starts behind the first
// diagnostics, and for a moment in which the page has nothing else to do.

import type { File } from "@coopmat/shared/project/project";
import type { RunModel } from "../panes/run/model";
import type { Shown } from "../state/arrival";

export function welcome(model: RunModel, page: Shown, files: readonly File[]) {
  const untouched = JSON.stringify(files);
  let done = false;
  const run = () => {
    if (done) return;
    done = true;
    const go = () => {
      // Who typed, or ran it, was quicker.
      if (model.running || model.ran || JSON.stringify(page.current().files) !== untouched) return;
      void model.runUnasked();
    };
    // Not every browser tells when it is idle.
    if ("requestIdleCallback" in window) requestIdleCallback(go, { timeout: 1000 });
    else setTimeout(go);
  };
  if (model.client.lists.ownerships.length > 0) run();
  else model.client.onReady(run);
}
