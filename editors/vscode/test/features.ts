// The smaller features, in a shader of their own: code that is not compiled, SPIR-V of one function, the link to the playground, restart, trace,
// walkthrough, snippets.

import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { type Editor, none, until } from "./editor.ts";
import type { Report } from "./report.ts";

const SHADER = `#version 460
#extension GL_GOOGLE_include_directive : require
#include "features_values.glsl"
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { float values[]; };
#ifdef NOBODY_DEFINES_THIS
float inactive(float x) { return x; }
#endif
float scaled(float x) { return x * FACTOR; }
void main() { values[gl_GlobalInvocationID.x] = scaled(values[gl_GlobalInvocationID.x]); }
`;
const HEADER = "const float FACTOR = 3.25;\n";

interface Project {
  files: { name: string; text: string }[];
  active: string;
}

export async function features(editor: Editor, report: Report, kind: string, workspace: string) {
  const { page } = editor;
  const part = report.part.bind(report);
  await writeFile(join(workspace, "features_values.glsl"), HEADER);
  await writeFile(join(workspace, "features.comp"), SHADER);
  await writeFile(join(workspace, "snippets.comp"), "");

  await part("inactive", async (check) => {
    await editor.open("features.comp");
    const dimmed = page.locator("[class*='unnecessary']");
    check("code that is not compiled is dimmed", await until(async () => (await dimmed.count()) > 0));
  });

  await part("function", async (check) => {
    await editor.open("features.comp", 9);
    await editor.command("Show SPIR-V of the Function");
    const shown = async () => {
      const text = await editor.text(1);
      return text.includes("OpFMul") && text.includes("OpFunctionEnd") && !text.includes("OpEntryPoint");
    };
    check("the SPIR-V of one function opens", await until(shown, 60_000), await editor.text(1));
  });

  await part("playground", async (check) => {
    await editor.open("features.comp");
    await page
      .context()
      .route("https://playground.invalid/**", (route) => route.fulfill({ body: "the page" }));
    const opened = page.context().waitForEvent("page", { timeout: 60_000 });
    opened.catch(() => {});
    await editor.command("Open in the Playground");
    const dialog = page.locator(".monaco-dialog-box");
    const asked = await until(() => dialog.isVisible(), 60_000);
    check("the editor asks before it opens a link", asked);
    await dialog.getByRole("button", { name: "Open", exact: true }).click();
    const tab = await opened;
    const there = async () => tab.url().startsWith("https://playground.invalid/#p=");
    check("the link leads to the playground", await until(there, 30_000), tab.url());
    const link = tab.url();
    const project = (await share()).decode(new URL(link).hash);
    const texts = Object.fromEntries(project?.files.map(({ name, text }) => [name, text]) ?? []);
    check(
      "it carries the shader and its header",
      project?.active === "features.comp" &&
        texts["features.comp"] === SHADER &&
        texts["features_values.glsl"] === HEADER,
      JSON.stringify(project),
    );
    await tab.close();
  });

  await part("restart", async (check) => {
    await editor.open("features.comp");
    await editor.command("Show the Server's Output");
    check("the output is shown", await until(() => page.locator(".output-view").isVisible(), 30_000));
    await editor.command("Clear Output");
    await editor.command("Coopmat: Restart the Server");
    const server = kind === "native" ? "the native server runs" : "the wasm server runs";
    check(
      "the server starts again, and the output names it",
      await until(async () => (await editor.output()).includes(server)),
      await editor.output(),
    );
    if (kind === "web")
      check("which is in the browser", (await editor.output()).includes("server in the browser"));
    await editor.group(0).locator(".view-lines").first().click();
    await editor.goTo(9, 36);
    const hover = page.locator(".monaco-hover:visible");
    const answers = async () => {
      await editor.command("Show or Focus Hover");
      return until(async () => (await hover.allInnerTexts()).join().includes("3.25"), 5000);
    };
    check("and answers", await until(answers, 60_000), await hover.allInnerTexts());
  });

  await part("walkthrough", async (check) => {
    await editor.command("Welcome: Open Walkthrough...");
    await editor.row("Cooperative matrices in GLSL").click();
    const steps = page.locator(".gettingStartedContainer");
    const listed = async () => {
      const text = (await steps.allInnerTexts()).join();
      return ["Open a shader", "Say how the shaders are compiled", "See what it becomes", "Run it"].every(
        (step) => text.includes(step),
      );
    };
    check("the walkthrough has its steps", await until(listed, 30_000), await steps.allInnerTexts());
    await report.picture("walkthrough");
  });

  await part("snippets", async (check) => {
    await editor.open("snippets.comp");
    await editor.command("Snippets: Insert Snippet");
    const shader = editor.row("coopmat-shader");
    check("the snippets are listed", await until(() => shader.isVisible(), 30_000));
    check("all of them", await until(() => editor.row("coopmat-for").isVisible(), 10_000));
    await shader.click();
    check(
      "a shader is inserted",
      await until(async () => (await editor.text(0)).includes("coopMatMulAdd(a, b, c)"), 30_000),
      await editor.text(0),
    );
    // Not before the server has seen it: its lens stands above `main`.
    await until(async () => (await page.locator(".codelens-decoration").count()) > 0, 15_000);
    check(
      "and is without mistakes",
      await until(async () => none(await editor.problems()), 60_000),
      await editor.problems(),
    );
  });

  // The last one: the trace stays on.
  await part("trace", async (check) => {
    await editor.open("features.comp");
    await editor.command("Show the Trace of the Protocol");
    await editor.group(0).locator(".view-lines").first().click();
    await editor.goTo(9);
    await page.keyboard.insertText("/* traced */ ");
    check(
      "the trace shows messages",
      await until(async () => /textDocument\/|"uri"|"resultId"|"range"/.test(await editor.output()), 60_000),
      await editor.output(),
    );
  });
}

/** The page's own reader of links. */
async function share(): Promise<{ decode(hash: string): Project | undefined }> {
  const here = import.meta.dirname;
  const outfile = join(await mkdtemp(join(tmpdir(), "coopmat-share-")), "share.mjs");
  await build({
    entryPoints: [resolve(here, "../../../playground-web/src/state/share.ts")],
    bundle: true,
    format: "esm",
    platform: "node",
    logLevel: "warning",
    alias: { fflate: resolve(here, "../node_modules/fflate/esm/browser.js") },
    outfile,
  });
  return import(pathToFileURL(outfile).href);
}
