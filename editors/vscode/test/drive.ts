// A scripted user of a real VS Code (code-server) with the package installed, in Chromium: opens a folder with llama.cpp's shaders, makes
// mistakes, sees squiggles, hovers, quick fixes, the SPIR-V beside the source, runs an example and sees the heat map.
//
//   node test/drive.ts --url URL --workspace FOLDER --kind native|wasm --pictures FOLDER
//
// Ends with 0 when every check passes.

import { mkdirSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium, type Locator, type Page } from "playwright-core";

const option = (name: string): string => {
  const at = process.argv.indexOf(`--${name}`);
  const value = at < 0 ? undefined : process.argv[at + 1];
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
};

let passed = 0;
let failed = 0;
function check(what: string, good: boolean, detail?: unknown): boolean {
  if (good) passed++;
  else failed++;
  console.log(
    `${good ? "ok      " : "FAILED  "}${what}${good || detail === undefined ? "" : `: ${String(detail).slice(0, 600)}`}`,
  );
  return good;
}

const PATIENCE = 120_000;

/** Asks until the answer is yes; nothing comes near the end of patience but a real mistake. */
async function until(wanted: () => Promise<boolean>, patience = PATIENCE): Promise<boolean> {
  for (const end = Date.now() + patience; Date.now() < end; ) {
    if (await wanted().catch(() => false)) return true;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return false;
}

class Editor {
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
    await this.page.keyboard.press("Control+g");
    await this.page.locator(".quick-input-widget input[type=text]").fill(`:${line}:${column}`);
    await this.page.keyboard.press("Enter");
  }

  async command(title: string) {
    await this.page.keyboard.press("F1");
    await this.page.locator(".quick-input-widget input[type=text]").fill(`>${title}`);
    await this.page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
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

/** Warnings there may be: llama.cpp has one assignment that reads what is declared `writeonly`. */
const none = (label: string) => /no problems/i.test(label) || !/error/i.test(label);

async function main() {
  const kind = option("kind");
  const pictures = option("pictures");
  mkdirSync(pictures, { recursive: true });
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({ viewport: { width: 1500, height: 860 } });
  const editor = new Editor(page);
  const picture = (name: string) =>
    page.screenshot({ path: join(pictures, `${kind}-${name}.jpg`), type: "jpeg", quality: 80 });
  try {
    await page.goto(`${option("url")}/?folder=${encodeURIComponent(option("workspace"))}`);
    await page.locator(".monaco-workbench .explorer-folders-view").first().waitFor({ timeout: PATIENCE });

    // No false errors in llama.cpp's shaders.
    await editor.open("mul_mm.comp");
    check("the file is GLSL", await until(async () => (await editor.status("GLSL").count()) > 0));
    check(
      "the server runs and names the configuration",
      await until(async () => (await editor.status(/matmul_/).count()) > 0),
      await page.locator(".statusbar").innerText(),
    );
    check(
      "the colours are the grammar's and the server's",
      (await page.locator(".view-line span[class*=mtk]").count()) > 20,
    );
    for (const name of ["mul_mat_vec.comp", "flash_attn_cm1.comp", "soft_max.comp"]) await editor.open(name);
    await editor.open("mul_mm.comp");
    check(
      "there are no false errors",
      await until(async () => none(await editor.problems())),
      await editor.problems(),
    );

    // A shape error.
    await editor.open("gemm.comp", 41);
    await until(
      async () =>
        (await editor.text(0)).includes("coopMatMulAdd") || (await editor.text(0)).includes("void main"),
    );
    const mistake =
      "coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> la; coopmat<float16_t, gl_ScopeSubgroup, 32, 16, gl_MatrixUseB> lb; " +
      "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> lc; lc = coopMatMulAdd(la, lb, lc); ";
    await page.keyboard.insertText(mistake);
    check(
      "a shape error is counted",
      await until(async () => !none(await editor.problems())),
      await editor.problems(),
    );
    const squiggle = page.locator(".squiggly-error").first();
    check("and underlined", await until(async () => (await squiggle.count()) > 0));
    await squiggle.scrollIntoViewIfNeeded().catch(() => {});
    await editor.goTo(41, mistake.indexOf("(la, lb") + 6);
    await editor.command("Show or Focus Hover");
    const hover = page.locator(".monaco-hover:visible");
    const hovered = await until(async () => (await hover.allInnerTexts()).join("\n").includes("32"));
    const text = (await hover.allInnerTexts()).join("\n").replaceAll("\u00a0", " ");
    check("the hover tells the mistake", hovered && text.includes("must equal"), text);
    check("the hover shows the matrix", text.includes("float16_t"), text);
    await picture("error");
    await page.keyboard.press("Escape");

    // Its quick fix.
    await editor.goTo(41, mistake.indexOf("(la, lb") + 6);
    await page.keyboard.press("Control+.");
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: /16x16|16 rows|Declare/ }).first();
    const offered = await until(async () => (await fix.count()) > 0, 30_000);
    check("a quick fix is offered", offered, (await page.locator(".action-widget").allInnerTexts()).join());
    await picture("fix");
    if (offered) {
      await fix.click();
      check(
        "and sets it right",
        await until(async () => none(await editor.problems())),
        await editor.problems(),
      );
    }
    await page.keyboard.press("Escape");
    await editor.command("Revert File");
    check("the file is as it was", await until(async () => !(await editor.text(0)).includes("lc = ")));

    // The SPIR-V beside the source.
    await editor.command("Show SPIR-V to the Side");
    check(
      "the module opens to the side",
      await until(async () => /OpCapability|OpFunction|SPIR-V/.test(await editor.text(1))),
      await page.locator(".notification-toast").allInnerTexts(),
    );
    const source = await lineOf(option("workspace"), "gemm.comp", "coopMatMulAdd(");
    await editor.group(0).locator(".view-lines").first().click();
    await editor.goTo(source.line, source.column + 3);
    check(
      "the cursor in the source marks the instruction",
      await until(async () => (await editor.marked(1)).includes("OpCooperativeMatrixMulAddKHR"), 30_000),
      await editor.marked(1),
    );
    await picture("spirv");
    await editor.group(1).locator(".view-line", { hasText: "OpCooperativeMatrixLoadKHR" }).first().click();
    check(
      "the cursor in the module marks the source",
      await until(async () => (await editor.marked(0)).includes("coopMatLoad"), 30_000),
      await editor.marked(0),
    );
    await editor.group(0).locator(".view-lines").first().click();
    await editor.goTo(41);
    await page.keyboard.insertText("if (totalK == 77777) { return; } ");
    const follows = async () => {
      // Far down the module: through the mark, which brings the place into view.
      await editor.goTo(41, 8);
      return (await editor.text(1)).includes("77777");
    };
    check("the module follows an edit", await until(follows, 60_000), await editor.text(1));
    await editor.command("Revert File");
    await editor.group(1).locator(".view-lines").first().click();
    await page.keyboard.press("Control+w");

    // Run, and the heat map.
    await editor.open("gemm.comp", 36);
    const lens = page.locator(".codelens-decoration a", { hasText: /^Run$/ }).first();
    check(
      "above main stands the lens",
      await until(async () => (await lens.count()) > 0, 60_000),
      await page.locator(".codelens-decoration").allInnerTexts(),
    );
    // The lenses are drawn again when the module's comes: a click may meet none.
    const opened = async () => {
      await lens.click({ timeout: 2000 });
      return until(() => page.locator(".tab", { hasText: "Run of gemm.comp" }).first().isVisible(), 15_000);
    };
    check("the lens opens the results", await until(opened));
    const results = () =>
      page.frames().find((frame) => frame.url().includes("fake.html") || frame.name() === "active-frame");
    const inResults = async (selector: string): Promise<string[]> => {
      for (const frame of page.frames()) {
        const found = await frame
          .locator(selector)
          .allInnerTexts()
          .catch(() => []);
        if (found.length > 0) return found;
      }
      return [];
    };
    check(
      "the run meets its expectation",
      await until(async () => (await inResults("main .summary")).join().includes("met")),
      await inResults("main"),
    );
    const drawn = async () => {
      for (const frame of page.frames()) {
        const colours = await frame
          .locator(".heat-map canvas")
          .first()
          .evaluate(
            (canvas: HTMLCanvasElement) => {
              const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
                data: [],
              };
              const seen = new Set<number>();
              for (let at = 0; at < data.length; at += 4 * 97)
                seen.add(((data[at] ?? 0) << 16) | ((data[at + 1] ?? 0) << 8) | (data[at + 2] ?? 0));
              return seen.size;
            },
            undefined,
            { timeout: 500 },
          )
          .catch(() => 0);
        if (colours > 20) return true;
      }
      return false;
    };
    check("the heat map is drawn", await until(drawn, 30_000), results()?.url());
    await picture("run");

    // Configurations in the status bar.
    await editor.group(0).locator(".view-lines").first().click();
    await editor.status("plain").first().click();
    const rows = page.locator(".quick-input-list .monaco-list-row");
    const listed = await until(async () => (await rows.allInnerTexts()).join("\n").includes("tiles"), 30_000);
    check("the status bar offers the configurations", listed, await rows.allInnerTexts());
    await page.keyboard.type("tiles");
    await page.keyboard.press("Enter");
    check(
      "another one can be chosen",
      await until(async () => (await editor.status("tiles").count()) > 0, 30_000),
    );

    // Devices.
    await editor.command("Show on Which Devices the Shader Runs");
    const device = async () => {
      for (const frame of page.frames()) {
        const text = await frame
          .locator("body")
          .allInnerTexts()
          .catch(() => []);
        if (text.join().includes("NVIDIA H200")) return true;
      }
      return false;
    };
    check("the table of devices opens", await until(device, 60_000));
    await picture("devices");

    // Recipes as tests.
    await editor.command("Testing: Focus on Test Explorer View");
    const recipe = page.locator(".test-explorer .monaco-list-row", { hasText: "gemm" });
    check("the Test Explorer lists the recipe", await until(async () => (await recipe.count()) > 0, 60_000));
    await editor.command("Test: Run All Tests");
    const green = page.locator(".test-explorer .codicon-testing-passed-icon");
    check("and runs it", await until(async () => (await green.count()) > 0, 60_000));
    await picture("tests");
  } catch (error) {
    check("the script runs", false, (error as Error).stack);
    await picture("failure");
  } finally {
    await browser.close();
  }
  console.log(`vscode, ${kind} server: ${passed} passed, ${failed} failed`);
  process.exit(failed === 0 && passed > 0 ? 0 : 1);
}

/** Where a text first stands in a file; both count from 1. */
async function lineOf(folder: string, name: string, text: string) {
  const lines = (await readFile(join(folder, name), "utf8")).split("\n");
  const at = lines.findIndex((line) => line.includes(text));
  return { line: at + 1, column: (lines[at]?.indexOf(text) ?? 0) + 1 };
}

await main();
