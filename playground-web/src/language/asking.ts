// What is asked of the server about the text in view, and asked again after each change: the answer counts as long as the text is the same.

import { LSPPlugin } from "@codemirror/lsp-client";
import { type EditorView, ViewPlugin, type ViewUpdate } from "@codemirror/view";
import { debounced } from "./debounce";

export interface Asked<Parameters, Answer> {
  method: string;
  /** Milliseconds of quiet before it is asked. */
  delay: number;
  parameters(plugin: LSPPlugin, view: EditorView): Parameters;
  /** Shows what is right for the text as it is now. */
  show(view: EditorView, answer: Answer): void;
  /** Also when other lines come into view. */
  scrolls?: boolean;
  /** Calls the function that it is given when something beside the text has changed; answers with what ends that. */
  again?(ask: () => void): () => void;
}

export function asking<Parameters, Answer>(asked: Asked<Parameters, Answer>) {
  class Asking {
    private readonly ask = debounced(asked.delay, () => void this.request());
    private readonly off = asked.again?.(() => this.ask());
    constructor(private readonly view: EditorView) {
      this.ask();
    }
    update(update: ViewUpdate) {
      if (update.docChanged || (asked.scrolls && update.viewportChanged)) this.ask();
    }
    destroy() {
      this.off?.();
      this.ask.cancel();
    }
    private async request() {
      const { view } = this;
      const plugin = LSPPlugin.get(view);
      if (!plugin) return;
      plugin.client.sync();
      const { doc } = view.state;
      try {
        const parameters = asked.parameters(plugin, view);
        const answer = await plugin.client.request<Parameters, Answer>(asked.method, parameters);
        if (view.state.doc === doc) asked.show(view, answer);
      } catch {
        // Cancelled by an edit, which asks again; or there is nothing to tell, and what was known stays.
      }
    }
  }
  return ViewPlugin.fromClass(Asking);
}
