// The project's files in WGSL: what is wrong in them, and the modules that runs take.

import type { Diagnostic } from "vscode-languageserver-types";
import { debounced } from "../language/debounce";
import type { Findings } from "../language/diagnostics";
import { uriOf } from "../language/workspace";
import type { Editor } from "../panes/editor";
import { isWgsl } from "../recipe/names";
import type { Compiled } from "../workers/wgsl-protocol";
import { WgslClient } from "./client";

const NOWHERE = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

export class WgslFiles {
  private readonly client = new WgslClient();
  /** The texts of which the modules were made, or the mistakes. */
  private readonly texts = new Map<string, string>();
  private readonly words = new Map<string, Uint8Array>();
  private running: Promise<void> | undefined;
  private readonly later = debounced(150, () => void this.compiled());

  /** `put` hears of each module, and of each that there is no more. */
  constructor(
    private readonly editor: Editor,
    private readonly findings: Findings,
    private readonly put: (name: string, words: Uint8Array | undefined) => void,
  ) {
    editor.onChange(() => {
      if (this.changed().length > 0 || this.gone().length > 0) this.later();
    });
  }

  /** The modules that there are. */
  get modules(): { name: string; bytes: Uint8Array }[] {
    return Array.from(this.words, ([name, bytes]) => ({ name, bytes }));
  }

  /** Waits until there is a module, or a mistake, of each text as it is now. Nothing where that is so already. */
  compiled(): Promise<void> | undefined {
    for (const name of this.gone()) {
      this.texts.delete(name);
      this.keep(name, undefined, []);
    }
    if (this.changed().length === 0) return this.running;
    this.running ??= this.compile().finally(() => {
      this.running = undefined;
    });
    return this.running;
  }

  private changed(): string[] {
    return this.editor
      .names()
      .filter((name) => isWgsl(name) && this.texts.get(name) !== this.editor.text(name));
  }

  private gone(): string[] {
    return Array.from(this.texts.keys()).filter((name) => !this.editor.has(name));
  }

  private async compile() {
    for (let [name] = this.changed(); name !== undefined; [name] = this.changed()) {
      const text = this.editor.text(name);
      this.texts.set(name, text);
      const compiled = await this.client
        .compile(name, text)
        .catch(
          (error: Error): Compiled => ({ mistake: { message: error.message, range: NOWHERE, labels: [] } }),
        );
      if (this.texts.get(name) !== text) continue;
      if ("words" in compiled) this.keep(name, compiled.words, []);
      else this.keep(name, undefined, [told(name, compiled.mistake)]);
    }
  }

  private keep(name: string, words: Uint8Array | undefined, found: Diagnostic[]) {
    if (words) this.words.set(name, words);
    else this.words.delete(name);
    this.put(name, words);
    this.findings.set(uriOf(name), found);
  }
}

function told(name: string, mistake: Extract<Compiled, { mistake: unknown }>["mistake"]): Diagnostic {
  const { message, range, labels } = mistake;
  return {
    range,
    message,
    severity: 1,
    source: "naga",
    code: "wgsl",
    relatedInformation: labels.map((label) => ({
      message: label.message,
      location: { uri: uriOf(name), range: label.range },
    })),
  };
}
