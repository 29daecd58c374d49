// The documentation pane: the pages of diagnostics, with wrong and right examples to open, and what each extension brings along. The texts are the
// server's; the list of what there is was made with the page.

import { LSPPlugin } from "@codemirror/lsp-client";
import { element } from "@coopmat/shared/element";
import type { Language } from "../language/client";
import { PAGE } from "../ui/clean";
import type { Editor } from "./editor";
import type { Pane, Panes } from "./panes";

const DIAGNOSTICS = `${PAGE}/diagnostics/`;
const BUILTINS = `${PAGE}/builtins/`;

const diagnosticPage = (id: string) => `${DIAGNOSTICS}${id}.md`;
const extensionPage = (name: string) => `${BUILTINS}${name}.glsl`;

export class DocumentationPane implements Pane {
  readonly id = "documentation";
  readonly title = "Docs";
  readonly body = element("div", { className: "documentation-pane" });
  private readonly article = element("article", { className: "documentation", tabIndex: -1 });
  private readonly search = element("input", {
    type: "search",
    placeholder: "Diagnostics and extensions",
    ariaLabel: "Search the documentation",
  });
  private readonly back = element("button", { type: "button", disabled: true }, "← Back");
  private readonly past: string[] = [];
  private current = "";
  private ids = new Set<string>();

  constructor(
    private readonly editor: Editor,
    private readonly language: Language,
    private readonly panes: Panes,
  ) {
    this.body.append(element("div", { className: "bar" }, this.back, this.search), this.article);
    this.search.oninput = () => void this.list();
    this.back.onclick = () => {
      const before = this.past.pop();
      this.current = "";
      if (before !== undefined) void this.open(before);
    };
    document.addEventListener("click", (event) => this.follow(event));
  }

  shown() {
    if (this.article.childElementCount === 0) void this.list();
  }

  /** Brings a page of the server's into view; `word`: what in it is asked for. The empty address is the list of all. */
  async open(uri: string, ...words: string[]) {
    if (this.current !== uri) {
      if (this.current || this.article.childElementCount > 0) this.past.push(this.current);
      this.current = uri;
    }
    this.back.disabled = this.past.length === 0;
    this.panes.select(this.id);
    if (uri === "") return this.list();
    const text = await this.language.client
      .request<{ uri: string }, string | null>("coopmat-analyzer/virtualDocument", { uri })
      .catch(() => null);
    if (this.current !== uri) return;
    if (text === null)
      this.article.replaceChildren(
        element("p", {}, `There is no page ${uri.replace(PAGE, "").replace(/^\//, "")}.`),
      );
    else if (uri.startsWith(BUILTINS)) this.showExtension(text, words);
    else await this.showDiagnostic(uri, text);
    this.article.focus({ preventScroll: true });
    if (!this.article.querySelector(".cm-linked")) this.body.scrollTop = 0;
  }

  private async list() {
    const { diagnostics, extensions } = await import("virtual:documentation");
    const wanted = this.search.value.trim().toLowerCase();
    if (this.current !== "" && wanted === "") return;
    if (this.current !== "") {
      this.past.push(this.current);
      this.current = "";
      this.back.disabled = false;
    }
    const part = (title: string, entries: typeof diagnostics, page: (name: string) => string) => {
      const found = entries.filter(({ name, summary }) =>
        `${name} ${summary}`.toLowerCase().includes(wanted),
      );
      if (found.length === 0) return [];
      const rows = found.map(({ name, summary }) =>
        element(
          "li",
          {},
          element("a", { href: page(name) }, name),
          " ",
          element("span", { className: "faint" }, summary),
        ),
      );
      return [element("h2", {}, title), element("ul", { className: "pages" }, ...rows)];
    };
    const parts = [
      ...part("Diagnostics", diagnostics, diagnosticPage),
      ...part("Extensions", extensions, extensionPage),
    ];
    if (parts.length > 0) return this.article.replaceChildren(...parts);
    const all = () => {
      this.search.value = "";
      void this.list();
    };
    this.article.replaceChildren(
      element("p", {}, `No results for “${this.search.value.trim()}”.`),
      element("button", { type: "button", onclick: all }, "Show all pages"),
    );
  }

  private async showDiagnostic(uri: string, text: string) {
    await this.knowIds();
    const plugin = LSPPlugin.get(this.editor.view);
    if (!plugin) return;
    // Cleaned by the language client.
    this.article.innerHTML = plugin.docToHTML({ kind: "markdown", value: text });
    const id = uri.slice(DIAGNOSTICS.length).replace(/\.md$/, "");
    this.linkIds(this.article, id);
    for (const [index, block] of Array.from(this.article.querySelectorAll("pre")).entries()) {
      const code = block.textContent ?? "";
      if (!code.startsWith("#version")) continue;
      const heading = block.previousElementSibling?.textContent?.toLowerCase() ?? String(index + 1);
      const name = `${id}-${heading.replace(/\W+/g, "-").slice(0, 20)}.comp`;
      block.after(
        element("button", { type: "button", onclick: () => this.example(name, code) }, "Open this example"),
      );
    }
  }

  /** `words`: what is asked for in it, the likeliest first. */
  private showExtension(text: string, words: readonly string[]) {
    const listing = element("pre", { className: "reference" });
    const declared = text.split("\n").filter((line) => !line.startsWith("//"));
    const word = words.find((word) => declared.some((line) => new RegExp(`\\b${word}\\b`).test(line)));
    let found: HTMLElement | undefined;
    for (const line of text.split("\n")) {
      const link = /^(\/\/ )(https:\S+)$/.exec(line);
      if (link) {
        const href = link[2] ?? "";
        listing.append(
          "// ",
          element("a", { href, target: "_blank", rel: "noopener noreferrer" }, href),
          "\n",
        );
        continue;
      }
      const row = element("span", { className: line.startsWith("//") ? "tok-comment" : "" }, line);
      if (word && !found && !line.startsWith("//") && new RegExp(`\\b${word}\\b`).test(line)) {
        row.className = "cm-linked";
        found = row;
      }
      listing.append(row, "\n");
    }
    this.article.replaceChildren(listing);
    found?.scrollIntoView({ block: "center" });
  }

  private async knowIds() {
    const { diagnostics } = await import("virtual:documentation");
    this.ids = new Set(diagnostics.map(({ name }) => name));
  }

  /** Ids of other diagnostics lead to their pages. */
  private linkIds(within: HTMLElement, own: string) {
    for (const code of Array.from(within.querySelectorAll("code"))) {
      const id = code.textContent ?? "";
      if (id === own || !this.ids.has(id) || code.closest("a, pre")) continue;
      const link = element("a", { href: diagnosticPage(id) });
      code.replaceWith(link);
      link.append(code);
    }
  }

  private example(name: string, text: string) {
    if (this.editor.files().some((file) => file.name === name)) this.editor.select(name);
    else {
      this.editor.add(name, `${text.trimEnd()}\n`);
      this.editor.select(name);
    }
    this.editor.view.focus();
  }

  /** Links to pages, wherever they stand; and those to the text of an extension, of which there is a page. */
  private follow(event: MouseEvent) {
    if (event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const link = (event.target as Element | null)?.closest?.("a");
    if (!link) return;
    const href = link.getAttribute("href") ?? "";
    const extension = !this.article.contains(link) && /^GL_\w+$/.exec(link.textContent ?? "")?.[0];
    if (!href.startsWith(PAGE) && !extension) return;
    event.preventDefault();
    const tip = link.closest(".cm-tooltip")?.textContent ?? "";
    void this.open(extension ? extensionPage(extension) : href, ...(extension ? namesIn(tip) : []));
  }
}

/** The names of a hover's text: what is called, then all others. */
function namesIn(text: string): string[] {
  const called = Array.from(text.matchAll(/\b([A-Za-z_]\w*)\s*\(/g), ([, name = ""]) => name);
  return [...new Set([...called, ...(text.match(/\b[A-Za-z_]\w*/g) ?? []).slice(0, 40)])];
}

/** The name at the cursor of the editor, for a page that explains it. */
export function wordAtCursor(editor: Editor): string {
  const { state } = editor.view;
  const word = state.wordAt(state.selection.main.head);
  return word ? state.sliceDoc(word.from, word.to).replace(/\W/g, "") : "";
}
