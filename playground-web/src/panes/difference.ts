// What differs between the module in view and that of another file of the project, by what their instructions say; it follows edits until it is closed.

import { element } from "@coopmat/shared/element";
import type { Language } from "../language/client";
import { uriOf } from "../language/workspace";
import { isAssembly, isForeign, isShader, isSource } from "../recipe/names";
import { pick } from "../ui/pick";
import type { Editor } from "./editor";

/** A module as the server takes it. */
type Side = { name: string } & ({ text: string } | { words: number[] });

const KINDS: Record<string, string> = { "+": "added", "-": "removed", "@": "part" };

export class Difference {
  readonly button = element(
    "button",
    { type: "button", ariaHasPopup: "dialog", onclick: () => void this.choose() },
    "Compare with…",
  );
  readonly body = element("section", {
    className: "difference",
    hidden: true,
    ariaLabel: "Difference",
    tabIndex: 0,
  });
  /** The file that the one in view is compared with. */
  private other: string | undefined;
  private asked = 0;

  constructor(
    private readonly editor: Editor,
    private readonly language: Language,
    /** Hears whether the difference has the place of the listing. */
    private readonly onShown: (shown: boolean) => void,
  ) {}

  /** To be called when a module may be another one. */
  async refresh() {
    const { other, editor } = this;
    const number = ++this.asked;
    const one = editor.shaderName;
    if (other === undefined || other === one || !editor.has(other)) {
      this.close();
      return;
    }
    try {
      const [old, fresh] = [await this.side(other), await this.side(one)];
      const found = await this.language.client.request<
        { old: Side; new: Side },
        { same: boolean; text: string }
      >("coopmat-analyzer/compareModules", { old, new: fresh });
      if (number === this.asked) this.show(one, other, found.same ? undefined : found.text);
    } catch (error) {
      if (number !== this.asked) return;
      const reason = (error as { message?: string }).message ?? String(error);
      this.put(one, other, element("p", { className: "notice" }, `Not compared: ${reason}`));
    }
  }

  private close() {
    this.other = undefined;
    this.asked++;
    this.body.hidden = true;
    this.onShown(false);
  }

  private async choose() {
    const { editor } = this;
    const one = editor.shaderName;
    const others = editor.names().filter((name) => name !== one && isShader(name) && !isSource(name));
    const picked = await pick({
      title: `Compare ${one}`,
      placeholder: others.length > 0 ? "Compare with" : "There is no other shader or module",
      items: others.map((name) => ({ value: name, label: name })),
      current: this.other,
    });
    if (picked === undefined) return;
    this.other = picked;
    await this.refresh();
  }

  private show(one: string, other: string, text: string | undefined) {
    if (text === undefined) {
      this.put(one, other, element("p", { className: "remark" }, "No differences."));
      return;
    }
    // The first two lines name the files, as the heading does.
    const lines = text
      .trimEnd()
      .split("\n")
      .slice(2)
      .map((line) => element("span", { className: KINDS[line[0] ?? ""] ?? "" }, `${line}\n`));
    this.put(one, other, element("pre", {}, ...lines));
  }

  private put(one: string, other: string, content: HTMLElement) {
    const close = element("button", { type: "button", onclick: () => this.close() }, "Close");
    const title = element("h3", {}, `From ${other} to ${one}`);
    const { scrollTop } = this.body;
    this.body.replaceChildren(element("div", { className: "bar" }, title, close), content);
    this.body.hidden = false;
    this.body.scrollTop = scrollTop;
    this.onShown(true);
  }

  private async side(name: string): Promise<Side> {
    const { editor, language } = this;
    if (isAssembly(name)) return { name, text: editor.text(name) };
    if (isForeign(name)) return { name, text: await editor.textOfWords(name) };
    const uri = uriOf(name);
    const { client, workspace } = language;
    client.sync();
    // The server compiles what is open.
    const wasOpen = workspace.getFile(uri)?.open;
    workspace.open(uri);
    try {
      const params = { textDocument: { uri }, words: true };
      const { words, stale } = await client.request<
        typeof params,
        { words: number[] | null; stale: { reason: string } | null }
      >("coopmat-analyzer/spirv", params);
      if (stale) throw new Error(`${name} does not compile: ${stale.reason}`);
      if (!words) throw new Error(`${name} has no module`);
      return { name, words };
    } finally {
      if (!wasOpen) workspace.shut(uri);
    }
  }
}
