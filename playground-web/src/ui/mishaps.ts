// What nobody caught is told in words: without them a page that went wrong looks like one that is busy.

import { STOPPED } from "../language/stopped";
import { notify } from "./notice";

/** The protocol's codes of requests that were cancelled, or whose text has changed meanwhile: each is asked again. */
const CANCELLED = [-32802, -32801, -32800];

/** What browsers say of a script that is not where it was: a newer page has taken its place, or the network is gone. */
const GONE = /dynamically imported module|importing a module script failed|unable to preload css/i;

export const isGone = (error: unknown) => GONE.test(String(Object(error).message ?? error));

/** Undefined: nobody needs to hear of it. */
export function mishap(error: unknown): string | undefined {
  const { code, message, name } = Object(error) as { code?: unknown; message?: unknown; name?: unknown };
  if (typeof code === "number" && CANCELLED.includes(code)) return undefined;
  const words = typeof message === "string" && message !== "" ? message : String(error);
  // The message about it offers to start it again.
  if (words.startsWith(STOPPED)) return undefined;
  // A browser says so when a part has changed its size while sizes were looked at; it looks again in the next frame.
  if (words.includes("ResizeObserver loop") || name === "AbortError") return undefined;
  if (isGone(error))
    return "A part of this page could not be loaded: there is a newer version of the page, or no network. Reload it; your files are kept.";
  return `Something in this page went wrong: ${words}. Your files are untouched; if something does not answer, reload the page.`;
}

/** For the whole page, from now on. */
export function tellMishaps() {
  const tell = (event: Event, error: unknown) => {
    const words = mishap(error);
    // Nor is it an error in the browser's console.
    if (words === undefined) event.preventDefault();
    else if (isGone(error)) notify(words, { label: "Reload", act: () => location.reload() });
    else notify(words);
  };
  addEventListener("error", (event) => tell(event, event.error ?? event.message));
  addEventListener("unhandledrejection", (event) => tell(event, event.reason));
}
