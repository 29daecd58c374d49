// A scripted user of a real VS Code (code-server) with the package installed, in Chromium: opens a folder with llama.cpp's shaders, makes
// mistakes, sees squiggles, hovers, quick fixes, the SPIR-V beside the source, runs an example and sees the heat map.
//
//   node test/drive.ts --url URL --workspace FOLDER --llama FOLDER --ncnn FOLDER --settings FILE --kinds KIND,... --pictures FOLDER
//     [--sharp] [--slow N] [--only PART,...]
//
// The second FOLDER is llama.cpp's, the third one has ncnn's shaders: both are copied. KIND is the server that is tried, `native`, `wasm` or `web`: several are tried one
// after the other, by the setting that chooses the server. `web` is a package without an entry for desktops: VS Code runs it in the browser, as VS
// Code for the Web does. FILE are the user's settings. With `--slow 4`, what the window does takes four times as long: parts that
// look too early fail then. Ends with 0 when every check passes; pictures of failures and the window's console are left among the pictures.

import { readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { serveBelow } from "@coopmat/shared/testing/static";
import { chromium } from "playwright-core";
import { choosing } from "./choosing.ts";
import { colours } from "./colours.ts";
import { debugging } from "./debugging.ts";
import { Editor, KEYS, PATIENCE } from "./editor.ts";
import { features } from "./features.ts";
import { llama } from "./llama.ts";
import { modules } from "./modules.ts";
import { moves } from "./moves.ts";
import { ncnn } from "./ncnn.ts";
import { Projects } from "./projects.ts";
import { KINDS, type Kind, Report, sees } from "./report.ts";
import { restricted } from "./restricted.ts";
import { roots } from "./roots.ts";
import { setup } from "./setup.ts";
import { strings } from "./strings.ts";

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
  const kinds = option("kinds")
    .split(",")
    .map((name) => {
      const kind = KINDS.find((one) => one === name);
      if (!kind) throw new Error(`there is no server ${name}: expected one of ${KINDS.join(", ")}`);
      return kind;
    });
  const [workspace, settings] = [option("workspace"), option("settings")];
  // The built page, beside the one that comes with the extension: a setting leads there.
  const playground = await serveBelow("/coopmat/", new URL("../../../playground-web/dist/", import.meta.url));
  // One that is not there any more: the extension's own takes its place.
  const gone = await serveBelow("/gone/", new URL("../../../playground-web/dist/", import.meta.url));
  gone.stop();
  const configure = async (kind: Kind) => {
    const users = JSON.parse(await readFile(settings, "utf8"));
    users["coopmat-analyzer.server.kind"] = kind === "web" ? "auto" : kind;
    users["coopmat-analyzer.playground.url"] = kind === "native" ? gone.address : playground.address;
    await writeFile(settings, JSON.stringify(users));
  };
  await writeFile(join(dirname(settings), "keybindings.json"), JSON.stringify(KEYS));
  await configure(kinds[0] ?? "native");

  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    // Without the background services, which look for hosts of their own.
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
      "--no-first-run",
    ],
  });
  // Pictures that others see have two dots for one.
  const deviceScaleFactor = process.argv.includes("--sharp") ? 2 : 1;
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, deviceScaleFactor });
  const slow = Number(given("slow") ?? 1);
  if (slow > 1) {
    const session = await page.context().newCDPSession(page);
    await session.send("Emulation.setCPUThrottlingRate", { rate: slow });
  }
  // What does not answer at once is asked again.
  page.setDefaultTimeout(20_000);
  const editor = new Editor(page);
  const report = new Report(kinds.join("-"), option("pictures"), editor, given("only")?.split(","));
  const start = async (folder: string) => {
    const what = folder.endsWith(".code-workspace") ? "workspace" : "folder";
    await page.goto(`${option("url")}/?${what}=${encodeURIComponent(folder)}`, { timeout: PATIENCE });
    // Which view stands at the side is remembered.
    await page.locator(".monaco-workbench #status\\.problems").first().waitFor({ timeout: PATIENCE });
  };
  const begin = Date.now();
  await start(workspace).catch(async (error) => {
    console.log(`again   start: ${error}: see ${await report.picture("failure-start")}`);
    await start(workspace);
  });
  console.log(`ok      the window is there after ${((Date.now() - begin) / 1000).toFixed(1)} s`);
  for (const [at, kind] of kinds.entries()) {
    report.kind = kind;
    if (at > 0) {
      await configure(kind);
      await start(workspace);
    }
    await report.part("server", [kind], async (check) => {
      await editor.open("gemm.comp");
      await editor.command("Show the Server's Output");
      const name = kind === "web" ? "server in the browser" : `the ${kind} server runs`;
      await sees(check, "the server is the one that is wanted", () => editor.output(), name);
    });
    await moves(editor, report, workspace);
    await features(editor, report, workspace, playground.address);
    await debugging(editor, report);
  }
  await colours(editor, report, settings, workspace, start);
  const projects = new Projects(editor, report, workspace, settings, start);
  await strings(projects, report);
  await modules(projects);
  await roots(projects, report);
  await setup(projects, report);
  await llama(projects, report, option("llama"));
  await ncnn(projects, report, option("ncnn"));
  await choosing(projects, report);
  await restricted(projects, report);
  await browser.close();
  playground.stop();
  report.end();
}

await main();
