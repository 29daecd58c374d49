// A page in a real Chromium, and the moves of a person in front of it.

import { mkdirSync } from "node:fs";
import { type Browser, type BrowserContext, chromium, type Locator, type Page } from "playwright-core";
import { expect, inject, onTestFailed } from "vitest";

/** How many times slower than it is the page shall find this machine: 4, say, to see whether the tests wait as they should. */
const SLOWER = Number(process.env.SLOWER ?? 1);

/** A try that fails soon, so that what it needs can be done again. */
const SOON = 5_000;

/** Where the screenshots of each run lie. */
const PICTURES = new URL("../../target/playground/", import.meta.url).pathname;

let browser: Browser | undefined;

/** Each visit compiles the module anew, and V8's second, optimising compilation of it takes a quarter of what a visit computes: the first one does where little is run. */
let optimising = false;

/** For the tests of a file that runs much, before its first visit: the browser compiles as it does for everyone. */
export function optimised() {
  optimising = true;
}

export async function launch(): Promise<Browser> {
  browser ??= await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Without the background services, which look for hosts of their own.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
      ...(optimising ? [] : ["--js-flags=--liftoff-only"]),
    ],
  });
  return browser;
}

export async function close() {
  await browser?.close();
  browser = undefined;
}

export class Visitor {
  readonly complaints: string[] = [];
  readonly foreign: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    home = new URL(inject("address")).origin,
  ) {
    page.on("pageerror", (error) => this.complaints.push(error.message));
    page.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
    page.on("request", (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(home)) this.foreign.push(request.url());
    });
  }

  /** `offline`: the page may keep itself for visits without a network, which most tests have no use for. */
  static async arrive(
    address = "",
    size = { width: 1280, height: 800 },
    { home, offline = false }: { home?: string; offline?: boolean } = {},
  ): Promise<Visitor> {
    const visitor = await Visitor.blank(size, { home, offline });
    await visitor.page.goto(new URL(address, inject("address")).href);
    // On a narrow page results may be in view, not the code.
    await visitor.page.locator("#editor .cm-content").waitFor({ state: "attached" });
    return visitor;
  }

  /** Before any page. */
  static async blank(
    size = { width: 1280, height: 800 },
    { home, offline = false }: { home?: string | undefined; offline?: boolean } = {},
  ): Promise<Visitor> {
    const context = await (await launch()).newContext({
      viewport: size,
      serviceWorkers: offline ? "allow" : "block",
    });
    // All tests once more, with the module for browsers without vector instructions.
    if (process.env.PLAIN_MODULE) {
      await context.addInitScript(() => {
        WebAssembly.validate = () => false;
      });
    }
    context.setDefaultTimeout(60_000);
    const page = await context.newPage();
    if (SLOWER > 1) {
      const session = await context.newCDPSession(page);
      await session.send("Emulation.setCPUThrottlingRate", { rate: SLOWER });
    }
    const visitor = new Visitor(context, page, home && new URL(home).origin);
    // What somebody would have seen.
    onTestFailed(async ({ task }) => {
      await visitor.picture(`failed-${task.name.replace(/\W+/g, "-").slice(0, 60)}`).catch(() => {});
      await context.close();
    });
    return visitor;
  }

  async leave() {
    await this.context.close();
    // A test that passed while the page complained, or asked a stranger for something, did not pass.
    expect(this.complaints).toEqual([]);
    expect(this.foreign).toEqual([]);
  }

  get editor() {
    return this.page.locator("#editor .cm-content");
  }

  get status() {
    return this.page.locator("#status");
  }

  /** The whole text of the file in view, as the page keeps it a moment after each change. */
  text(): Promise<string> {
    return this.page.evaluate(() => {
      const { files, active } = JSON.parse(localStorage.getItem("coopmat-analyzer.project") ?? "{}");
      return files?.find((file: { name: string }) => file.name === active)?.text ?? "";
    });
  }

  /** Replaces the whole text of the file in view. */
  async write(text: string) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+a");
    await this.page.keyboard.press("Delete");
    // As pasted: typed brackets would close themselves.
    await this.page.keyboard.insertText(text);
  }

  /** Puts the cursor behind the first `words`. */
  async put(words: string) {
    await this.editor.click();
    await this.page.keyboard.press("ControlOrMeta+Home");
    await this.page.keyboard.press("ControlOrMeta+f");
    await this.page.locator(".cm-search input[name=search]").pressSequentially(words);
    await this.page.keyboard.press("Enter");
    await this.page.keyboard.press("Escape");
    await this.page.keyboard.press("ArrowRight");
  }

  /** The paths of the gallery. */
  examples(): Promise<string[]> {
    return this.page
      .locator("dialog.gallery [data-path]")
      .evaluateAll((all) => all.map((one) => (one as HTMLElement).dataset.path ?? ""));
  }

  /** Opens an example by the gallery. */
  async example(path: string) {
    await this.page.locator("#gallery").click();
    await this.page.locator(`dialog.gallery [data-path="${path}"]`).click();
  }

  /** What hovering shows, once it says `words`. Lenses and answers that come meanwhile move the lines: then the pointer comes again. */
  async hover(target: Locator, words: string): Promise<Locator> {
    const tip = this.page.locator(".cm-tooltip-hover", { hasText: words });
    await this.until(async () => {
      await this.page.mouse.move(0, 0);
      await target.hover({ timeout: SOON });
      await tip.waitFor({ timeout: SOON });
    });
    return tip;
  }

  /** Clicks something in what hovering shows. */
  async hoverAndClick(target: Locator, words: string, inside: (tip: Locator) => Locator) {
    await this.until(async () => {
      const tip = await this.hover(target, words);
      await inside(tip).click({ timeout: SOON });
    });
  }

  /** Does it again until it works. */
  async until(act: () => Promise<void>) {
    await expect
      .poll(
        () =>
          act().then(
            () => "done",
            (error: Error) => error.message,
          ),
        { timeout: 90_000 },
      )
      .toBe("done");
  }

  /** The page knows the file in view by its name, and has looked at it. */
  async opened(path: string, errors = "\\d+ errors?") {
    const name = path.replace(/^.*\//, "");
    await expect
      .poll(() => this.status.textContent(), { message: path })
      .toMatch(new RegExp(`^${name}: ${errors}`));
  }

  /** Brings a pane into view. */
  async pane(name: string) {
    // Where one of code and results is in view, the code may be.
    const results = this.page.locator('.sides [data-side="result"]');
    if (await results.isVisible()) await results.click();
    await this.page.getByRole("tab", { name, exact: true }).click();
  }

  /** Presses a control of the header, which is in its menu where there is no room for it. */
  async press(control: string) {
    const button = this.page.locator(control);
    if (!(await button.isVisible())) await this.page.locator("#menu").click();
    await button.click();
  }

  async picture(name: string) {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: `${PICTURES}${name}.png` });
  }
}
