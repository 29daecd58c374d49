// What a user does in VS Code, for the scripts: opening files, commands, reading what stands where. Everything waits for what it needs to
// see, and does again what went lost: keys that nobody listened to yet, a list that was drawn anew under the click.

import type { Locator, Page } from "playwright-core";

export const PATIENCE = 120_000;

/** Asks until the answer is yes; nothing comes near the end of patience but a real mistake. */
export async function until(wanted: () => Promise<boolean>, patience = PATIENCE): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    if (await wanted().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

/** Warnings there may be: llama.cpp has one assignment that reads what is declared `writeonly`. */
export const none = (label: string) => /no problems/i.test(label) || !/error/i.test(label);

export class Editor {
  readonly page: Page;

  constructor(page: Page) {
    this.page = page;
  }

  /** The editor of a group, counted from the left. */
  group(at: number): Locator {
    return this.page.locator(".editor-group-container").nth(at);
  }

  async open(name: string, line?: number) {
    const tab = this.page.locator(`.tab.active[data-resource-name="${name}"]`).first();
    // The list is drawn again while it is searched: a click may meet another row.
    for (let tries = 0; tries < 5; tries++) {
      await this.page.keyboard.press("Control+p");
      const input = this.page.locator(".quick-input-widget input[type=text]");
      // Right behind the start nobody listens to the keys yet.
      if (!(await until(() => input.isVisible(), 5000))) continue;
      await input.fill(name);
      const row = this.page.locator(`.quick-input-list .monaco-list-row[aria-label^="${name}"]`).first();
      await row.click({ timeout: 10_000 }).catch(() => {});
      if (await until(() => tab.isVisible(), 5000)) break;
      await this.page.keyboard.press("Escape");
    }
    if (line) await this.goTo(line);
  }

  async goTo(line: number, column = 1) {
    await this.quick("Control+g", async (input) => {
      await input.fill(`:${line}:${column}`);
      await input.press("Enter");
    });
  }

  async command(title: string) {
    await this.quick("F1", async (input) => {
      await input.fill(`>${title}`);
      await this.row(title).click({ timeout: 10_000 });
    });
  }

  /** A row of the list that asks. */
  row(text: string | RegExp): Locator {
    return this.page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
  }

  /** Opens the field that asks, answers, and starts over where a key or a click went lost. */
  private async quick(key: string, answer: (input: Locator) => Promise<void>) {
    const input = this.page.locator(".quick-input-widget input[type=text]");
    let problem: unknown;
    for (let tries = 0; tries < 5; tries++) {
      await this.page.keyboard.press(key);
      if (!(await until(() => input.isVisible(), 5000))) continue;
      try {
        return await answer(input);
      } catch (error) {
        problem = error;
        await this.page.keyboard.press("Escape");
      }
    }
    throw problem ?? new Error(`nothing asks after ${key}`);
  }

  /** Back to a window without editors, whatever has changed in them. */
  async reset() {
    const tabs = this.page.locator(".editor-group-container .tab");
    for (let most = 0; most < 20 && (await tabs.count()) > 0; most++) {
      for (let times = 0; times < 3; times++) await this.page.keyboard.press("Escape");
      await this.command("View: Revert and Close Editor");
    }
  }

  /** The text of the panel's output channel, as far as it is in view. */
  async output(): Promise<string> {
    const lines = await this.page.locator(".output-view .view-lines .view-line").allTextContents();
    return lines.join("\n").replaceAll("\u00a0", " ");
  }

  /** Texts that match in any frame: views of extensions lie in frames within frames. */
  async inFrames(selector: string): Promise<string[]> {
    for (const frame of this.page.frames()) {
      const found = await frame
        .locator(selector)
        .allInnerTexts()
        .catch(() => []);
      if (found.some((text) => text.trim() !== "")) return found;
    }
    return [];
  }

  /** Errors and warnings as the status bar counts them. */
  async problems(): Promise<string> {
    const item = this.page.locator("#status\\.problems");
    return (await item.getAttribute("aria-label")) ?? (await item.innerText());
  }

  status(text: string | RegExp): Locator {
    return this.page.locator(".statusbar-item", { hasText: text });
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
}
