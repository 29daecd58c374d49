// Compiles WGSL by naga, in a module of its own that is loaded by the first question.

import { fetchModule } from "@coopmat/shared/module/fetch";
import { compile, initSync } from "@coopmat/shared/pkg/wgsl/wgsl.js";
import address from "@coopmat/shared/pkg/wgsl/wgsl_bg.wasm?url";
import type { Compiled, FromWgsl, ToWgsl } from "./wgsl-protocol";

const post = (message: FromWgsl, transfer: Transferable[] = []) => self.postMessage(message, { transfer });

const ready = fetchModule(address).then((module) => initSync({ module }));

function compiled(name: string, text: string): Compiled {
  const made = compile(name, text);
  const mistake = made.mistake();
  const words = made.takeWords();
  made.free();
  return mistake === undefined ? { words: new Uint8Array(words.buffer) } : { mistake: JSON.parse(mistake) };
}

/** What fails here has left the module in no state to go on: the page starts another worker. */
self.onmessage = async ({ data: { id, name, text } }: MessageEvent<ToWgsl>) => {
  try {
    await ready;
    const answer = compiled(name, text);
    post({ kind: "answer", id, answer }, "words" in answer ? [answer.words.buffer] : []);
  } catch (error) {
    post({ kind: "broken", reason: String(error) });
  }
};
