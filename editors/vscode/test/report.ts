// The tally of a scripted run. A run has parts; each starts from a window without editors, and one that fails is tried twice more, since a
// busy machine can lose a click. What failed three times is a failure. The whole run has an end, and a failure leaves a picture and the window's console.

import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Editor, PATIENCE, until } from "./editor.ts";

const LONGEST = 20 * 60_000;

/** The server that runs: the native program, WebAssembly in a thread of Node's, or WebAssembly in the browser. */
export const KINDS = ["native", "wasm", "web"] as const;
export type Kind = (typeof KINDS)[number];

class Failed extends Error {}

/** Ends the part when it is not so: what follows would fail for the same reason. */
export type Check = (what: string, good: boolean, detail?: unknown) => void;

export class Report {
  /** What the parts run with from now on. */
  kind: Kind = "native";
  private passed = 0;
  private failed = 0;
  private retried = 0;
  private readonly timer: ReturnType<typeof setTimeout>;
  private readonly folder: string;
  private readonly editor: Editor;
  private readonly only: string[] | undefined;
  private readonly log: string;

  /** `only`: the parts to try; nothing: all. */
  constructor(name: string, folder: string, editor: Editor, only?: string[]) {
    this.folder = folder;
    this.editor = editor;
    this.only = only;
    this.log = join(folder, `${name}-console.log`);
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

  async picture(name: string): Promise<string> {
    const path = join(this.folder, `${this.kind}-${name}.jpg`);
    await this.page
      .screenshot({ path, type: "jpeg", quality: 80, scale: "css", timeout: 20_000 })
      .catch(() => {});
    return path;
  }

  /**
   * A picture of the native server for the page of the marketplace and the walkthrough: of a small window, so that its text can be read where it is shown
   * smaller. `prepare` brings into view what another size of the window has moved.
   */
  async shot(
    name: string,
    size: { width: number; height: number },
    prepare: () => Promise<unknown> = async () => {},
  ): Promise<void> {
    if (this.kind !== "native") return;
    const before = this.page.viewportSize();
    try {
      await this.page.setViewportSize(size);
      if (await this.page.locator(".part.sidebar").isVisible()) await this.page.keyboard.press("Control+b");
      await prepare();
      // Everything has to be laid out anew, and the views draw theirs.
      await new Promise((resolve) => setTimeout(resolve, 1500));
      const path = join(this.folder, `${this.kind}-${name}.jpg`);
      await this.page.screenshot({ path, type: "jpeg", quality: 80, scale: "device", timeout: 60_000 });
    } finally {
      // What comes next needs room, whatever became of this.
      if (before) await this.page.setViewportSize(before);
    }
  }

  /** `kinds`: the servers with which it is worth trying. */
  async part(name: string, kinds: readonly Kind[], act: (check: Check) => Promise<void>): Promise<void> {
    if (!kinds.includes(this.kind) || (this.only && !this.only.includes(name))) return;
    for (const tries of [1, 2, 3]) {
      const last = tries === 3;
      let passed = 0;
      const begin = Date.now();
      const check: Check = (what, good, detail) => {
        const more = good || detail === undefined ? "" : `: ${String(detail).slice(0, 600)}`;
        if (!good) console.log(`${last ? "FAILED  " : "again   "}${what}${more}`);
        if (!good) throw new Failed(what);
        passed++;
      };
      try {
        await this.editor.reset();
        await act(check);
        // Where a server that fails is what is tried, they come late.
        const complaints = name === "restricted" ? [] : await this.editor.complaints();
        check("the window complains of nothing", complaints.length === 0, complaints.join("\n"));
        const seconds = ((Date.now() - begin) / 1000).toFixed(1);
        console.log(`ok      ${this.kind} ${name}: ${passed} checks, ${seconds} s`);
        this.passed += passed;
        return;
      } catch (error) {
        if (!(error instanceof Failed))
          console.log(`${last ? "FAILED  " : "again   "}${(error as Error).stack}`);
        const path = await this.picture(`failure-${name}${last ? "" : `-${tries}`}`);
        const verdict = last ? "FAILED  " : "again   ";
        console.log(`${verdict}${this.kind} ${name}: see ${path} and ${this.log}`);
        if (last) {
          this.passed += passed;
          this.failed++;
        } else if (tries === 1) this.retried++;
      }
    }
  }

  /** Says how it went, and ends the process. */
  end(): never {
    clearTimeout(this.timer);
    const again = this.retried > 0 ? `, ${this.retried} parts tried again` : "";
    console.log(`vscode: ${this.passed} checks passed, ${this.failed} parts failed${again}`);
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

/** Holds what is asked for again and again, with what was seen last where it never comes. */
export async function sees(
  check: Check,
  what: string,
  look: () => Promise<string>,
  wanted: RegExp | string | ((text: string) => boolean),
  patience = PATIENCE,
) {
  let seen = "";
  const good = (text: string) =>
    typeof wanted === "function"
      ? wanted(text)
      : typeof wanted === "string"
        ? text.includes(wanted)
        : wanted.test(text);
  const looks = async () => {
    seen = await look();
    return good(seen);
  };
  const came = await until(looks, patience);
  check(what, came, seen);
}
