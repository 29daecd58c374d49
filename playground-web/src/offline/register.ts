// Registers the service worker, and says when a newer page waits.

import { hasSimd } from "@coopmat/shared/module/vectors";
import { notify } from "../ui/notice";

export async function workOffline() {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  // A page that is open in another tab took over a newer build: what this one has not loaded yet is gone.
  let asked = false;
  const { controller } = navigator.serviceWorker;
  navigator.serviceWorker.addEventListener("controllerchange", () => {
    if (asked) location.reload();
    else if (controller)
      notify("A newer version of this page was opened in another tab. Your files are kept.", {
        label: "Reload",
        act: () => location.reload(),
      });
  });
  try {
    const registration = await navigator.serviceWorker.register(hasSimd() ? "./sw.js" : "./sw.js?plain");
    const offer = (worker: ServiceWorker) => {
      // The first one: there is nothing older that it would replace.
      if (!navigator.serviceWorker.controller) return;
      notify("A new version of this page is ready. Your files stay as they are.", {
        label: "Reload",
        act() {
          asked = true;
          worker.postMessage("take over");
        },
      });
    };
    if (registration.waiting) offer(registration.waiting);
    registration.addEventListener("updatefound", () => {
      const worker = registration.installing;
      worker?.addEventListener("statechange", () => worker.state === "installed" && offer(worker));
    });
  } catch (error) {
    // A browser that refuses costs the person nothing but this.
    console.info(`This page will not work offline: ${error}`);
  }
}
