// The smaller features, which are the same whatever the server runs in: choosing configuration and device, the table of devices, code that is
// not compiled, SPIR-V of one function, a run that is stopped, the link to the playground, walkthrough, snippets, trace. Restarting is tried
// where the server starts differently.

import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { type Editor, none, until } from "./editor.ts";
import { type Report, sees } from "./report.ts";

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

/** Something for each of the options to change. */
const OPTIONS = `#version 460
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint TIMES = 3;
layout(binding = 0) buffer Values { float values[]; };
void main() {
    float sum = 0.0;
    if (gl_LocalInvocationIndex < 8) sum = 3.25;
    if (false) sum *= 2.0;
    values[gl_GlobalInvocationID.x] += sum * float(TIMES);
}
`;

const ENDLESS = `#version 460
layout(local_size_x = 1) in;
layout(binding = 0) buffer Values { uint values[]; };
void main() { for (uint i = 0; i < 4000000000u; i++) values[0] += i; }
`;
const ENDLESS_RECIPE = `dispatch = [1]

[[buffers]]
name = "values"
shape = [4]
`;

/** `playground`: the address of a page beside the extension's own. */
export async function features(editor: Editor, report: Report, workspace: string, playground: string) {
  const { page } = editor;
  const native = ["native"] as const;
  /** What is opened in another tab by the command: what `act` sees there. */
  const inPlayground = async (file: string, act: (tab: Page) => Promise<void>) => {
    await editor.open(file);
    const opened = page.context().waitForEvent("page", { timeout: 60_000 });
    opened.catch(() => {});
    await editor.command("Open in the Playground");
    // Of this machine: the editor opens it without asking.
    const tab = await opened;
    try {
      await act(tab);
    } finally {
      await tab.close();
    }
  };
  // code-server leads links to its machine through itself.
  const { pathname } = new URL(playground);

  // The settings of this server name another page than the extension's own.
  await report.part("address", ["wasm"], async (check) => {
    await inPlayground("gemm.comp", async (tab) => {
      const there = async () => tab.url().includes(`${pathname}#p=`);
      check("the link leads to the page of the settings", await until(there, 30_000), tab.url());
      const names = async () => (await tab.locator("#tabs [role=tab]").allInnerTexts()).join(" ");
      await sees(check, "which has the shader", names, "gemm.comp");
    });
  });
  // Nothing else is for it; and what these files lack is not to be counted among the mistakes of the moves that follow.
  if (report.kind === "wasm") return;
  await writeFile(join(workspace, "features_values.glsl"), HEADER);
  await writeFile(join(workspace, "features.comp"), SHADER);
  await writeFile(join(workspace, "options.comp"), OPTIONS);
  await writeFile(join(workspace, "snippets.comp"), "");
  await writeFile(join(workspace, "endless.comp"), ENDLESS);

  await report.part("configurations", native, async (check) => {
    await editor.open("gemm.comp");
    await sees(check, "the status bar names the configuration", () => editor.statusBar(), "plain");
    await editor.status("plain").first().click();
    await sees(check, "it offers the others", () => editor.rows(), "tiles");
    await editor.row("tiles").click();
    await sees(check, "another one can be chosen", () => editor.statusBar(), "tiles");
    await editor.command("Coopmat: Choose the Configuration");
    await editor.row("plain").click();
    await sees(check, "and the first one again, by the command", () => editor.statusBar(), "plain");
  });

  await report.part("devices", native, async (check) => {
    await editor.open("gemm.comp");
    const project = async () => {
      await editor.command("Coopmat: Choose the Target Device");
      await editor.row("As in the project file").click();
    };
    await sees(
      check,
      "the status bar names the device",
      () => editor.statusBar(),
      / no device | nvidia| intel/,
    );
    // Of a first try.
    if (!(await editor.statusBar()).includes("no device")) await project();
    await sees(check, "the status bar says that there is no device", () => editor.statusBar(), "no device");
    await editor.command("Show Which Devices Can Run This Shader");
    const table = () => editor.inFrames("main");
    await sees(check, "the table of devices opens", table, "NVIDIA H200");
    await sees(check, "with what stops the shader", table, /16x16 matrix of float16_t[\s\S]*Nearest/);
    await report.picture("devices");
    const chooses = async () =>
      (await editor.clickInFrames("main td a", "NVIDIA H200")) &&
      until(async () => (await editor.statusBar()).includes("nvidia-h200"), 5000);
    await editor.focus(0);
    check(
      "a device of the table can be checked against",
      await until(chooses, 60_000),
      await editor.statusBar(),
    );
    const reveals = async () =>
      (await editor.clickInFrames("main p a", /gemm\.comp:\d+/)) &&
      until(async () => !(await editor.statusBar()).includes("Ln 1, Col 1 "), 5000);
    check("a reason leads to its line", await until(reveals, 60_000), await editor.statusBar());
    await editor.focus(0);
    await editor.goTo(12, 1);
    await editor.type("layout(constant_id = 9) const uint NINTH = 9; shared float odd[200000]; ");
    await sees(check, "the table follows an edit", table, /odd|shared memory|bytes/);
    await editor.command("Revert File");

    await editor.status("nvidia-h200").first().click();
    await editor.row("intel-xe2").click();
    await sees(check, "the status bar chooses a device", () => editor.statusBar(), "intel-xe2");
    await sees(check, "which the shader is then checked against", () => editor.problems(), /info/i);
    await report.picture("device");
    await project();
    await sees(check, "and gives it back to the project", () => editor.statusBar(), "no device");
  });

  await report.part("inactive", native, async (check) => {
    await editor.open("features.comp");
    const dimmed = page.locator("[class*='unnecessary']");
    check("code that is not compiled is dimmed", await until(async () => (await dimmed.count()) > 0));
    await report.picture("inactive");
  });

  await report.part("function", native, async (check) => {
    await editor.open("features.comp", 9);
    await editor.command("Show SPIR-V of This Function");
    const whole = (text: string) =>
      text.includes("OpFMul") && text.includes("OpFunctionEnd") && !text.includes("OpEntryPoint");
    await sees(check, "the SPIR-V of one function opens", () => editor.text(1), whole);
  });

  await report.part("options", native, async (check) => {
    await editor.open("options.comp", 9);
    await editor.command("Show SPIR-V to the Side");
    const module = () => editor.text(1);
    await sees(check, "the module opens", module, "OpCapability");
    const button = (title: string) =>
      page.locator(".editor-group-container").nth(1).locator(`.editor-actions a[aria-label="${title}"]`);
    const press = async (title: string, other: string) => {
      const pressed = async () => {
        if (await button(other).isVisible()) return true;
        await editor.focus(1);
        await button(title).click({ timeout: 3000 });
        return until(() => button(other).isVisible(), 5000);
      };
      check(`the button "${title}" is there, and becomes "${other}"`, await until(pressed, 60_000));
    };
    // Of a first try.
    for (const other of ["SPIR-V: Do Not Optimise", "SPIR-V: Hide Source Lines", "SPIR-V: Do Not Specialize"])
      if (await button(other).isVisible()) await button(other).click();
    const length = () => editor.length(1, "OpFunctionEnd");
    const plain = await length();
    check("it has an end", plain > 0, await module());
    await press("SPIR-V: Optimise", "SPIR-V: Do Not Optimise");
    let now = 0;
    const shorter = async () => {
      now = await length();
      return now > 0 && now < plain;
    };
    check("the optimised module is shorter", await until(shorter, 30_000), `${now} lines of ${plain}`);
    await press("SPIR-V: Show Source Lines", "SPIR-V: Hide Source Lines");
    const end = async () => {
      await editor.focus(1);
      await page.keyboard.press("Control+End");
      return module();
    };
    await sees(check, "the source's lines stand in it", end, "+= sum * float(TIMES)");
    await report.picture("options");
    await press("SPIR-V: Hide Source Lines", "SPIR-V: Show Source Lines");
    await press("SPIR-V: Do Not Optimise", "SPIR-V: Optimise");
    const top = async () => {
      await editor.focus(1);
      await page.keyboard.press("Control+Home");
      return module();
    };
    await sees(check, "specialization constants are what they are", top, "SpecId 0");
    await press("SPIR-V: Specialize with the Default Values", "SPIR-V: Do Not Specialize");
    const specialized = (text: string) => text.includes("OpCapability") && !text.includes("SpecId");
    await sees(check, "specialized, there is none", top, specialized);
    await press("SPIR-V: Do Not Specialize", "SPIR-V: Specialize with the Default Values");
    await editor.focus(1);
    await button("SPIR-V: Choose the Target Environment").click();
    await editor.row("vulkan1.1").click();
    await sees(check, "the environment is chosen", top, "Version: 1.3");
    await button("SPIR-V: Choose the Target Environment").click();
    await editor.row("As in the configuration").click();
    check("one column shows it all the time", (await page.locator(".editor-group-container").count()) === 2);
  });

  await report.part("sideways", native, async (check) => {
    const shader = SHADER.replace(
      "values[gl_GlobalInvocationID.x] =",
      `${" ".repeat(240)} values[gl_GlobalInvocationID.x] =`,
    );
    await writeFile(join(workspace, "sideways.comp"), shader + "\n".repeat(80));
    await editor.open("sideways.comp", 90);
    await editor.command("View: Toggle Word Wrap");
    await editor.command("Show SPIR-V to the Side");
    const store = editor.group(1).locator(".view-line", { hasText: "OpStore" }).first();
    const marks = async () => {
      await editor.focus(1);
      await page.keyboard.press("Control+End");
      await store.click({ timeout: 3000 });
      return until(async () => (await editor.marked(0)).includes("void main"), 5000);
    };
    check("the instruction's line comes into view", await until(marks, 60_000), await editor.marked(0));
    const lines = editor.group(0).locator(".lines-content").first();
    let left = -1;
    const starts = async () => {
      left = await lines.evaluate((element) => (element as HTMLElement).offsetLeft);
      return left === 0;
    };
    check("which starts at its first column", await until(starts, 10_000), left);
  });

  await report.part("signature", native, async (check) => {
    await editor.open("gemm.comp");
    const lines = (await readFile(join(workspace, "gemm.comp"), "utf8")).split("\n");
    const line = lines.findIndex((one) => one.includes("coopMatMulAdd("));
    const widget = page.locator(".parameter-hints-widget");
    const shown = async () => {
      await editor.goTo(line + 1, (lines[line]?.indexOf("(") ?? 0) + 2);
      await editor.command("Trigger Parameter Hints");
      return until(async () => (await widget.innerText()).includes("coopmat<float16_t"), 5000);
    };
    check(
      "signature help has the types of the call",
      await until(shown, 60_000),
      await widget.allInnerTexts(),
    );
    await report.picture("signature");
  });

  await report.part("costs", native, async (check) => {
    await editor.open("gemm.comp");
    const show = async () => {
      await editor.command("Coopmat: Show Where the Run Spent Its Instructions");
      await editor.focus(0);
      await editor.goTo(48);
    };
    // What stands behind a line is no text of the page.
    const shares = () =>
      page.evaluate(() => {
        const spans = Array.from(document.querySelectorAll(".view-line span"));
        const behind = spans.map((span) => getComputedStyle(span, "::after").content);
        return behind.filter((text) => /\d.%/.test(text)).length;
      });
    await show();
    check(
      "lines show their share of the instructions",
      await until(async () => (await shares()) > 3, 60_000),
    );
    await report.picture("costs");
    await editor.command("Coopmat: Hide Where the Run Spent Its Instructions");
    check("which goes when it is hidden", await until(async () => (await shares()) === 0));
    await show();
    check("and comes back", await until(async () => (await shares()) > 3));
    await page.keyboard.press("End");
    await page.keyboard.type(" ");
    check("an edit takes it away", await until(async () => (await shares()) === 0));
    await page.keyboard.press("Control+z");
  });

  await report.part("stop", native, async (check) => {
    await writeFile(join(workspace, "endless.run.toml"), ENDLESS_RECIPE);
    await editor.open("endless.comp", 4);
    await editor.command("Coopmat: Run in the Simulator");
    const told = page.locator(".notification-toast", { hasText: "Running endless.comp" });
    check("a long run says that it runs", await until(() => told.isVisible()));
    await told.getByRole("button", { name: "Cancel" }).click();
    check("and is stopped", await until(async () => (await told.count()) === 0));
    const idle = async () => !(await editor.statusBar()).includes("Running");
    check("the status bar says so, too", await until(idle));
  });

  await report.part("playground", native, async (check) => {
    await inPlayground("features.comp", async (tab) => {
      // The page of the settings is gone.
      const told = page.locator(".notification-toast", { hasText: "does not answer" });
      check(
        "the editor says that the page does not answer",
        await until(() => told.first().isVisible(), 30_000),
      );
      const there = async () => tab.url().includes("/#p=") && !tab.url().includes(pathname);
      check("the link leads to the extension's own page", await until(there, 30_000), tab.url());
      const names = async () => (await tab.locator("#tabs [role=tab]").allInnerTexts()).join(" ");
      await sees(
        check,
        "which has the shader and its header",
        names,
        /features\.comp.*features_values\.glsl/,
      );
      const text = async () =>
        (await tab.locator("#editor .cm-content").innerText()).replaceAll("\u00a0", " ");
      await sees(check, "and shows the shader", text, "float scaled(float x) { return x * FACTOR; }");
      await tab.locator("#tabs [role=tab]", { hasText: "features_values.glsl" }).click();
      await sees(check, "and the header", text, HEADER.trim());
    });
  });

  await report.part("restart", ["native", "web"], async (check) => {
    await editor.open("features.comp");
    await editor.command("Show the Server's Output");
    check("the output is shown", await until(() => page.locator(".output-view").isVisible(), 30_000));
    await editor.command("Clear Output");
    await editor.command("Coopmat: Restart the Server");
    const server = report.kind === "native" ? "the native server runs" : "the wasm server runs";
    await sees(check, "the server starts again, and the output names it", () => editor.output(), server);
    if (report.kind === "web")
      await sees(check, "which is in the browser", () => editor.output(), "server in the browser");
    const hover = page.locator(".monaco-hover:visible");
    const answers = async () => {
      await editor.focus(0);
      await editor.goTo(9, 36);
      await editor.command("Show or Focus Hover");
      return until(async () => (await hover.allInnerTexts()).join().includes("3.25"), 5000);
    };
    check("and answers", await until(answers, 60_000), await hover.allInnerTexts());
  });

  await report.part("walkthrough", native, async (check) => {
    await editor.command("Welcome: Open Walkthrough...");
    await editor.row("Cooperative matrices in GLSL").click();
    const steps = async () => (await page.locator(".gettingStartedContainer").allInnerTexts()).join();
    const all = ["Open a shader", "Say how the shaders are compiled", "See the SPIR-V", "Run it"];
    await sees(check, "the walkthrough has its steps", steps, (text) =>
      all.every((one) => text.includes(one)),
    );
    // Each step has a picture, of which the chosen one's is shown: whose text has 28 dots in a line, two for one of the window.
    const texts = () =>
      page.locator(".gettingStartedContainer img").evaluateAll((all) =>
        all.flatMap((image) => {
          const { naturalWidth, clientWidth } = image as HTMLImageElement;
          return naturalWidth > 600 && clientWidth > 0 ? [(14 * clientWidth) / (naturalWidth / 2)] : [];
        }),
      );
    let sizes: number[] = [];
    for (const title of all) {
      const shown = async () => {
        await page.locator(".getting-started-step", { hasText: title }).first().click({ timeout: 3000 });
        return until(async () => {
          sizes = await texts();
          return sizes.length > 0 && Math.min(...sizes) >= 8;
        }, 5000);
      };
      const readable = await until(shown, 60_000);
      const pixels = sizes.map((size) => size.toFixed(1)).join(" and ");
      check(`"${title}" has a picture, whose text can be read`, readable, `${pixels || "no"} pixels`);
      await report.picture(`walkthrough-${all.indexOf(title)}`);
    }
  });

  await report.part("snippets", native, async (check) => {
    await editor.open("snippets.comp");
    await editor.command("Snippets: Insert Snippet");
    await sees(
      check,
      "the snippets are listed",
      () => editor.rows(),
      (text) =>
        ["coopmat-shader", "coopmat-load", "coopmat-store", "coopmat-for"].every((name) =>
          text.includes(name),
        ),
    );
    await editor.row("coopmat-shader").click();
    // Out of the snippet's fields, and to the end, which may be out of view.
    const inserted = async () => {
      await page.keyboard.press("Escape");
      await editor.goTo(21, 1);
      // Between the arguments stand the server's hints by now.
      return until(async () => /c = coopMatMulAdd\(a/.test(await editor.text(0)), 3000);
    };
    check("a shader is inserted", await until(inserted, 30_000), await editor.text(0));
    // Not before the server has seen it: its lens stands above `main`.
    const seen = async () => (await page.locator(".codelens-decoration").count()) > 0;
    check("the server sees it", await until(seen, 60_000));
    await sees(check, "and finds no mistake in it", () => editor.problems(), none);
  });

  // The last one: the trace stays on.
  await report.part("trace", native, async (check) => {
    await editor.open("features.comp", 9);
    await editor.command("Show the Protocol Trace");
    await editor.focus(0);
    await editor.goTo(9);
    await editor.type("/* traced */ ");
    await sees(
      check,
      "the trace shows messages",
      () => editor.output(),
      /textDocument\/|"uri"|"resultId"|"range"/,
      60_000,
    );
  });
}
