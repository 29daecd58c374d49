// A scripted user of a real VS Code (code-server) with the package installed, in Chromium: opens a folder with llama.cpp's shaders, makes
// mistakes, sees squiggles, hovers, quick fixes, the SPIR-V beside the source, runs an example and sees the heat map.
//
//   node test/drive.ts --url URL --workspace FOLDER --settings FILE --kind native|wasm|web --pictures FOLDER [--only PART,...]
//
// `web` is a package without an entry for desktops: VS Code runs it in the browser, as VS Code for the Web does. FILE are the user's
// settings. Ends with 0 when every check passes; pictures of failures and the window's console are left among the pictures.

import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Editor, none, PATIENCE, until } from "./editor.ts";
import { features } from "./features.ts";
import { Report } from "./report.ts";
import { restricted } from "./restricted.ts";

const given = (name: string): string | undefined => {
  const at = process.argv.indexOf(`--${name}`);
  return at < 0 ? undefined : process.argv[at + 1];
};
const option = (name: string): string => {
  const value = given(name);
  if (value === undefined) throw new Error(`--${name} is missing`);
  return value;
};

async function main() {
  const kind = option("kind");
  const workspace = option("workspace");
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox"],
  });
  const page = await browser.newPage({ viewport: { width: 1500, height: 860 } });
  // What does not answer at once is asked again.
  page.setDefaultTimeout(20_000);
  const editor = new Editor(page);
  const report = new Report(kind, option("pictures"), editor, given("only")?.split(","));
  const part = report.part.bind(report);
  const start = async (folder: string) => {
    await page.goto(`${option("url")}/?folder=${encodeURIComponent(folder)}`, { timeout: PATIENCE });
    await page.locator(".monaco-workbench .explorer-folders-view").first().waitFor({ timeout: PATIENCE });
  };
  await start(workspace).catch(async (error) => {
    console.log(`again   start: ${error}: see ${await report.picture("failure-start")}`);
    await start(workspace);
  });
  // No false errors in llama.cpp's shaders.
  await part("shaders", async (check) => {
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
  });

  // A shape error.
  await part("mistake", async (check) => {
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
    await report.picture("error");
    await page.keyboard.press("Escape");

    // Its quick fix.
    await editor.goTo(41, mistake.indexOf("(la, lb") + 6);
    await page.keyboard.press("Control+.");
    const fix = page.locator(".action-widget .monaco-list-row", { hasText: /16x16|16 rows|Declare/ }).first();
    const offered = await until(async () => (await fix.count()) > 0, 30_000);
    check("a quick fix is offered", offered, (await page.locator(".action-widget").allInnerTexts()).join());
    await report.picture("fix");
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
  });

  // The SPIR-V beside the source.
  await part("spirv", async (check) => {
    await editor.open("gemm.comp");
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
    await report.picture("spirv");
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
  });

  // Run, and the heat map.
  await part("run", async (check) => {
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
    await report.picture("run");
  });

  // Configurations in the status bar.
  await part("configurations", async (check) => {
    await editor.open("gemm.comp");
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
  });

  // Devices.
  await part("devices", async (check) => {
    await editor.open("gemm.comp");
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
    await report.picture("devices");
  });

  // Recipes as tests.
  await part("tests", async (check) => {
    await editor.command("Testing: Focus on Test Explorer View");
    const recipe = page.locator(".test-explorer .monaco-list-row", { hasText: "gemm" });
    check("the Test Explorer lists the recipe", await until(async () => (await recipe.count()) > 0, 60_000));
    await editor.command("Test: Run All Tests");
    const green = page.locator(".test-explorer .codicon-testing-passed-icon");
    check("and runs it", await until(async () => (await green.count()) > 0, 60_000));
    await report.picture("tests");
  });

  await features(editor, report, kind, workspace);
  await restricted(editor, report, kind, option("settings"), workspace, start);
  await browser.close();
  report.end();
}

/** Where a text first stands in a file; both count from 1. */
async function lineOf(folder: string, name: string, text: string) {
  const lines = (await readFile(join(folder, name), "utf8")).split("\n");
  const at = lines.findIndex((line) => line.includes(text));
  return { line: at + 1, column: (lines[at]?.indexOf(text) ?? 0) + 1 };
}

await main();
