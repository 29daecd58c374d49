// A page in a real Firefox, driven over WebDriver BiDi, and the few moves that the smoke tests make there. `page.ts` has those of Chromium.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import puppeteer, { type Browser, type BrowserContext, type KeyInput, type Page } from "puppeteer-core";
import { expect, inject, onTestFailed } from "vitest";

const PATIENCE = 60_000;

const PICTURES = new URL("../../target/playground/", import.meta.url).pathname;

/** Where Firefox keeps its profile, and what it writes into its user's home. */
const folder = mkdtempSync(join(tmpdir(), "firefox-"));

let browser: Browser | undefined;

async function launch(): Promise<Browser> {
  browser ??= await puppeteer.launch({
    browser: "firefox",
    executablePath: process.env.FIREFOX ?? "/usr/bin/firefox-esr",
    userDataDir: join(folder, "profile"),
    // Firefox does not start for root in a home that is somebody else's, as those of containers may be.
    env: { ...process.env, HOME: folder },
    defaultViewport: null,
    protocolTimeout: 120_000,
    timeout: 120_000,
    extraPrefsFirefox: {
      // What looks for hosts of its own.
      "network.captive-portal-service.enabled": false,
      "network.connectivity-service.enabled": false,
      "dom.push.connection.enabled": false,
      "browser.region.network.url": "",
    },
  });
  return browser;
}

export async function close() {
  await browser?.close();
  browser = undefined;
  rmSync(folder, { recursive: true, force: true });
}

/** What a page says of a rejection that nobody needs to hear of (`mishaps.ts`): Firefox tells its debugger of it all the same. */
const PREVENTED = "a rejection was prevented";

export class FirefoxVisitor {
  private readonly complaints: string[] = [];
  private prevented = 0;
  private readonly foreign: string[] = [];

  private constructor(
    readonly context: BrowserContext,
    readonly page: Page,
    home: string,
  ) {
    page.on("console", (message) => {
      if (message.text() === PREVENTED) this.prevented += 1;
    });
    page.on("pageerror", (error) => this.complaints.push(String(error)));
    page.on("console", (message) => message.type() === "error" && this.complaints.push(message.text()));
    page.on("request", (request) => {
      if (/^https?:/.test(request.url()) && !request.url().startsWith(home)) this.foreign.push(request.url());
    });
  }

  /** With nothing kept from other visits. */
  static async arrive(address = "", { width = 1280, height = 800, home = "" } = {}): Promise<FirefoxVisitor> {
    const context = await (await launch()).createBrowserContext();
    const page = await context.newPage();
    page.setDefaultTimeout(PATIENCE);
    // The size is set all the same where Firefox is too old to be told how its screen is turned, as ESR 140 is.
    await page.setViewport({ width, height }).catch((error: Error) => {
      if (!error.message.includes("setScreenOrientationOverride")) throw error;
    });
    await page.waitForFunction((wanted) => innerWidth === wanted, {}, width);
    // As in `page.ts`.
    if (process.env.PLAIN_MODULE)
      await page.evaluateOnNewDocument(() => {
        WebAssembly.validate = () => false;
      });
    const visitor = new FirefoxVisitor(context, page, new URL(home || inject("address")).origin);
    onTestFailed(async ({ task }) => {
      await visitor.picture(`failed-${task.name.replace(/\W+/g, "-").slice(0, 60)}`).catch(() => {});
      await context.close();
    });
    await page.evaluateOnNewDocument((words) => {
      addEventListener("unhandledrejection", (event) => {
        // The page's own listener comes later.
        setTimeout(() => event.defaultPrevented && console.info(words));
      });
    }, PREVENTED);
    await page.goto(new URL(address, inject("address")).href);
    await page.waitForSelector("#editor .cm-content");
    return visitor;
  }

  /** A test that passed while the page complained, or asked a stranger for something, did not pass. */
  async leave() {
    await this.context.close();
    let prevented = this.prevented;
    const complaints = this.complaints.filter(
      (words) => !words.includes("uncaught exception: Object") || prevented-- <= 0,
    );
    expect(complaints).toEqual([]);
    expect(this.foreign).toEqual([]);
  }

  /** What stands in the first element that matches. */
  text(selector: string): Promise<string> {
    return this.page.evaluate((wanted) => document.querySelector(wanted)?.textContent ?? "", selector);
  }

  count(selector: string): Promise<number> {
    return this.page.evaluate((wanted) => document.querySelectorAll(wanted).length, selector);
  }

  /** Waits for words in an element. */
  async sees(selector: string, words: string | RegExp) {
    const text = expect.poll(() => this.text(selector), { message: selector });
    await (typeof words === "string" ? text.toContain(words) : text.toMatch(words));
  }

  /** What can be seen; Puppeteer's locators, which wait for more, find nothing in Firefox ESR 140. */
  async seen(selector: string) {
    const found = await this.page.waitForSelector(selector, { visible: true });
    if (!found) throw new Error(`not seen: ${selector}`);
    return found;
  }

  async click(selector: string) {
    await (await this.seen(selector)).click();
  }

  /** Rests the pointer on something until words are shown: what comes meanwhile may move the lines. */
  async hover(selector: string, words: string) {
    const shown = async () => {
      await this.page.mouse.move(0, 0);
      await (await this.seen(selector)).hover();
      // As long as the editor takes to be sure that the pointer rests, and the server to answer.
      await this.page.waitForSelector(".cm-tooltip-hover", { timeout: 5000 }).catch(() => {});
      return this.text(".cm-tooltip-hover");
    };
    await expect.poll(shown, { message: selector, timeout: PATIENCE }).toContain(words);
  }

  /** Brings a pane into view. */
  async pane(name: string) {
    await this.click(`::-p-xpath(//*[@id="pane-tabs"]//*[@role="tab"][normalize-space()="${name}"])`);
  }

  /** Holds modifiers, presses the last key. */
  async press(...keys: KeyInput[]) {
    const last = keys.pop();
    for (const key of keys) await this.page.keyboard.down(key);
    if (last) await this.page.keyboard.press(last);
    for (const key of keys.reverse()) await this.page.keyboard.up(key);
  }

  /** Puts the cursor behind the first `words` of the file in view. */
  async put(words: string) {
    await this.click("#editor .cm-content");
    await this.press("Control", "Home");
    await this.press("Control", "f");
    await this.seen(".cm-search input[name=search]");
    await this.page.keyboard.type(words);
    await this.press("Enter");
    await this.press("Escape");
    await this.press("ArrowRight");
  }

  async picture(name: string) {
    mkdirSync(PICTURES, { recursive: true });
    await this.page.screenshot({ path: `${PICTURES}firefox-${name}.png` });
  }
}
