// Registers the service worker, and says when a newer page waits.

import { hasSimd } from "../module";
import { notify } from "../ui/notice";

export async function workOffline() {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  try {
    const registration = await navigator.serviceWorker.register(hasSimd() ? "./sw.js" : "./sw.js?plain");
    const offer = (worker: ServiceWorker) => {
      // The first one: there is nothing older that it would replace.
      if (!navigator.serviceWorker.controller) return;
      notify("A new version of this page is ready. Your files stay as they are.", {
        label: "Reload",
        act() {
          navigator.serviceWorker.addEventListener("controllerchange", () => location.reload());
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
