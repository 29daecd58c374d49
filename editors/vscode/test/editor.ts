// What a user does in VS Code, for the scripts: opening files, commands, reading what stands where. Everything waits for what it needs to
// see, and does again what went lost: keys that nobody listened to yet, a list that was drawn anew under the click.

import type { Locator, Page } from "playwright-core";

export const PATIENCE = 120_000;

/** Asks until the answer is yes; nothing comes near the end of patience but a real mistake. */
export async function until(wanted: () => Promise<boolean>, patience = PATIENCE): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    if (await wanted().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}

/** Warnings there may be: llama.cpp has one assignment that reads what is declared `writeonly`. */
export const none = (label: string) => /no problems/i.test(label) || !/error/i.test(label);

/** Keys that only the scripts have: between parts nobody is a user. */
export const KEYS = [
  { key: "ctrl+alt+shift+w", command: "workbench.action.revertAndCloseActiveEditor" },
  {
    key: "ctrl+alt+shift+n",
    command: "runCommands",
    args: {
      commands: ["notifications.clearAll", "workbench.action.closePanel", "workbench.action.closeSidebar"],
    },
  },
];

const ROW = ".quick-input-list .monaco-list-row";

export class Editor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The editor of a group, counted from the left. */
  group(at: number): Locator {
    return this.page.locator(".editor-group-container").nth(at);
  }

  async open(name: string, line = 1, column = 1) {
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`).first();
    await this.again(`${name} opens`, async () => {
      await this.asks("Control+p");
      await this.input.fill(name);
      await this.enter(`[aria-label^="${name}"]`);
      return until(() => tab.isVisible(), 10_000);
    });
    await this.goTo(line, column);
  }

  /** Puts the cursor there, and waits until it is there and the keys go to the editor. */
  async goTo(line: number, column = 1) {
    const place = this.status(new RegExp(`^\\s*Ln ${line}, Col ${column}\\b`));
    await this.again(`the cursor goes to ${line}:${column}`, async () => {
      await this.asks("Control+g");
      await this.input.fill(`:${line}:${column}`);
      await this.input.press("Enter");
      return until(async () => (await place.count()) > 0 && (await this.isListening()), 5000);
    });
  }

  /** Types at the cursor, as one edit. */
  async type(text: string) {
    await until(() => this.isListening(), 10_000);
    await this.page.keyboard.insertText(text);
  }

  async command(title: string) {
    await this.again(`the command ${title} is there`, async () => {
      await this.asks("F1");
      await this.input.fill(`>${title}`);
      await this.row(title).waitFor({ timeout: 10_000 });
      if (await this.page.locator(`${ROW}.focused`, { hasText: title }).first().isVisible())
        await this.page.keyboard.press("Enter");
      else await this.row(title).click({ timeout: 10_000 });
      return true;
    });
  }

  /** Takes the row that the list has chosen by itself: it is drawn again while it is searched, and a click may meet another one. */
  private async enter(which: string) {
    await this.page.locator(`${ROW}.focused${which}`).first().waitFor({ timeout: 10_000 });
    await this.page.keyboard.press("Enter");
  }

  /** A row of the list that asks. */
  row(text: string | RegExp): Locator {
    return this.page.locator(ROW, { hasText: text }).first();
  }

  /** Takes a row of the list that asks, by what it begins with: the list is drawn again while it is searched, and a click may meet another row. */
  async pick(name: string) {
    await until(() => this.input.isVisible(), 20_000);
    await this.input.fill(name);
    await this.enter(`[aria-label*="${name}"]`);
  }

  /** What the list that asks offers. */
  async rows(): Promise<string> {
    return (await this.page.locator(ROW).allInnerTexts()).join("\n");
  }

  /** Whether the keys go to the text of an editor. */
  private isListening(): Promise<boolean> {
    return this.page.locator(".editor-group-container .monaco-editor.focused").first().isVisible();
  }

  private get input(): Locator {
    return this.page.locator(".quick-input-widget input[type=text]");
  }

  /** Opens the field that asks. */
  private async asks(key: string) {
    await this.page.keyboard.press(key);
    // Right behind the start nobody listens to the keys yet.
    if (!(await until(() => this.input.isVisible(), 5000))) throw new Error(`nothing asks after ${key}`);
  }

  /** Does what a busy machine may lose: keys, a click. A window that has just started may be deaf for longer than a few tries take. */
  private async again(what: string, act: () => Promise<boolean>) {
    let problem: unknown;
    let asked = "";
    const end = Date.now() + PATIENCE;
    for (let tries = 0; tries < 5 || Date.now() < end; tries++) {
      try {
        if (await act()) return;
      } catch (error) {
        problem = error;
      }
      asked = await this.asking().catch(String);
      await this.page.keyboard.press("Escape");
    }
    throw new Error(`not seen: ${what}: ${problem ?? "nothing came of it"}; asked: ${asked}`);
  }

  /** What the list that asks says, for the words of a failure. */
  private async asking(): Promise<string> {
    const widget = this.page.locator(".quick-input-widget");
    if (!(await widget.isVisible())) return "nothing";
    return `${await this.input.inputValue()}: ${(await widget.innerText()).replaceAll(/\s+/g, " ").slice(0, 400)}`;
  }

  /** Back to a window without editors, whatever has changed in them; without panels and messages, too. */
  async reset() {
    const tabs = this.page.locator(".editor-group-container .tab");
    const panel = this.page.locator(".part.panel");
    const empty = async () => (await tabs.count()) === 0 && !(await panel.isVisible());
    for (let most = 0; most < 20 && !(await empty()); most++) {
      const before = await tabs.count();
      for (let times = 0; times < 2; times++) await this.page.keyboard.press("Escape");
      await this.page.keyboard.press("Control+Alt+Shift+w");
      await until(async () => (await tabs.count()) < before, 1000);
      if (await panel.isVisible()) await this.page.keyboard.press("Control+Alt+Shift+n");
    }
    await this.page.keyboard.press("Escape");
    await this.quiet();
  }

  /** Whether an editor of VS Code's own lies over all others. */
  isCovered(): Promise<boolean> {
    return this.page.locator(".workspace-trust-editor, .settings-editor").first().isVisible();
  }

  /** Without messages. */
  async quiet() {
    await this.page.keyboard.press("Control+Alt+Shift+n");
    await until(async () => (await this.page.locator(".notification-toast").count()) === 0, 2000);
  }

  /** Messages that something went wrong. */
  async complaints(): Promise<string[]> {
    const toasts = this.page.locator(".notification-toast", { has: this.page.locator(".codicon-error") });
    return toasts.allInnerTexts();
  }

  /** The text of the panel's output channel, as far as it is in view. */
  async output(): Promise<string> {
    const lines = await this.page.locator(".output-view .view-lines .view-line").allTextContents();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  /** Texts that match in any frame: views of extensions lie in frames within frames. */
  async inFrames(selector: string): Promise<string> {
    for (const frame of this.page.frames().slice(1)) {
      const found = await frame
        .locator(selector)
        .allInnerTexts()
        .catch(() => []);
      if (found.some((text) => text.trim() !== "")) return found.join("\n");
    }
    return "";
  }

  /** What matches in the frame of a view. */
  async clickInFrames(selector: string, text?: string | RegExp): Promise<boolean> {
    for (const frame of this.page.frames().slice(1)) {
      const found = frame.locator(selector, text === undefined ? {} : { hasText: text }).first();
      if ((await found.count().catch(() => 0)) === 0) continue;
      return found.click({ timeout: 3000 }).then(
        () => true,
        () => false,
      );
    }
    return false;
  }

  /** Errors and warnings as the status bar counts them. */
  async problems(): Promise<string> {
    const item = this.page.locator("#status\\.problems");
    return (await item.getAttribute("aria-label")) ?? (await item.innerText());
  }

  status(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item", { hasText: text });
  }

  async statusBar(): Promise<string> {
    return (await this.page.locator(".statusbar").innerText()).replaceAll(/\s+/g, " ");
  }

  /** The lines of a group that marks of an extension touch. */
  async marked(group: number): Promise<string> {
    return this.group(group).evaluate((element) => {
      const marks = [...element.querySelectorAll<HTMLElement>(".view-overlays .cdr[class*='ced-']")];
      const lines = [...element.querySelectorAll<HTMLElement>(".view-lines .view-line")];
      const tops = marks.map((mark) => mark.parentElement?.getBoundingClientRect().top ?? -1);
      const touched = lines.filter((line) =>
        tops.some((top) => Math.abs(top - line.getBoundingClientRect().top) < 4),
      );
      return touched.map((line) => (line.textContent ?? "").replaceAll("\u00a0", " ")).join("\n");
    });
  }

  async text(group: number): Promise<string> {
    const lines = await this.group(group).locator(".view-lines .view-line").allTextContents();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  /**
   * How many lines the text of a group has, whose last ones have `last` in them: what the cursor's own line is called at its end. The status bar says so later, and a text that is replaced
   * has two lengths for a moment: two answers in a row have to agree.
   */
  async length(group: number, last: string): Promise<number> {
    const active = this.group(group).locator(".margin .line-numbers.active-line-number");
    let before = 0;
    let now = 0;
    const agrees = async () => {
      await this.focus(group);
      await this.page.keyboard.press("Control+End");
      before = now;
      now = 0;
      const there = async () => {
        if (!(await this.text(group)).includes(last)) return false;
        const numbers = this.group(group).locator(".margin .line-numbers");
        const most = Math.max(...(await numbers.allInnerTexts()).map(Number));
        now = Number(await active.first().innerText({ timeout: 1000 }));
        return now === most;
      };
      return (await until(there, 5000)) && now === before;
    };
    return (await until(agrees, 60_000)) ? now : 0;
  }

  /** Gives a group the keys. */
  async focus(group: number) {
    await this.group(group).locator(".view-lines").first().click();
  }
}
