// The tally of a scripted run. A run has parts; each starts from a window without editors, and one that fails is tried once more, since a
// busy machine can lose a click. What failed twice is a failure. The whole run has an end, and a failure leaves a picture and the window's console.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import type { Editor } from "./editor.ts";

const LONGEST = 12 * 60_000;

class Failed extends Error {}

/** Ends the part when it is not so: what follows would fail for the same reason. */
export type Check = (what: string, good: boolean, detail?: unknown) => void;

export class Report {
  private passed = 0;
  private failed = 0;
  private readonly timer: ReturnType<typeof setTimeout>;

  private readonly kind: string;
  private readonly folder: string;
  private readonly editor: Editor;
  private readonly only: string[] | undefined;

  /** `only`: the parts to try; nothing: all. */
  constructor(kind: string, folder: string, editor: Editor, only?: string[]) {
    this.kind = kind;
    this.folder = folder;
    this.editor = editor;
    this.only = only;
    mkdirSync(folder, { recursive: true });
    writeFileSync(this.log, "");
    const write = (text: string) => appendFileSync(this.log, `${text.slice(0, 4000)}\n`);
    this.page.on("console", (message) => write(`${message.type()}: ${message.text()}`));
    this.page.on("pageerror", (error) => write(`error: ${error.stack ?? error}`));
    this.timer = setTimeout(() => void this.late(), LONGEST);
  }

  private get page(): Page {
    return this.editor.page;
  }

  private get log(): string {
    return join(this.folder, `${this.kind}-console.log`);
  }

  async picture(name: string): Promise<string> {
    const path = join(this.folder, `${this.kind}-${name}.jpg`);
    await this.page.screenshot({ path, type: "jpeg", quality: 80, timeout: 20_000 }).catch(() => {});
    return path;
  }

  async part(name: string, act: (check: Check) => Promise<void>): Promise<void> {
    if (this.only && !this.only.includes(name)) return;
    for (const last of [false, true]) {
      let passed = 0;
      const check: Check = (what, good, detail) => {
        const more = good || detail === undefined ? "" : `: ${String(detail).slice(0, 600)}`;
        console.log(`${good ? "ok      " : last ? "FAILED  " : "again   "}${what}${more}`);
        if (!good) throw new Failed(what);
        passed++;
      };
      try {
        await this.editor.reset();
        await act(check);
        this.passed += passed;
        return;
      } catch (error) {
        if (!(error instanceof Failed))
          console.log(`${last ? "FAILED  " : "again   "}${name}: ${(error as Error).stack}`);
        const path = await this.picture(`failure-${name}${last ? "" : "-first"}`);
        console.log(`        see ${path} and ${this.log}`);
        if (last) {
          this.passed += passed;
          this.failed++;
        }
      }
    }
  }

  /** Says how it went, and ends the process. */
  end(): never {
    clearTimeout(this.timer);
    console.log(`vscode, ${this.kind} server: ${this.passed} passed, ${this.failed} failed`);
    process.exit(this.failed === 0 && this.passed > 0 ? 0 : 1);
  }

  private async late() {
    console.log(
      `FAILED  the run ends within ${LONGEST / 60_000} minutes: see ${await this.picture("failure-late")}`,
    );
    this.failed++;
    this.end();
  }
}
