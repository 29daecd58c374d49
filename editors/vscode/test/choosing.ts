// Configuration, device and values of specialization constants are chosen in a workspace that nobody has trusted yet, and kept over a reload, a restart of the server, and trust that is given.
// The picker of configurations has favourites, says first what differs, and finds by macro; two configurations are compared, their SPIR-V and their statistics.

import { until } from "./editor.ts";
import { type Projects, untrusted } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const SHADER = `#version 460
layout(local_size_x = 32) in;
layout(constant_id = 0) const uint TM = 4;
layout(constant_id = 1) const uint TN = 2;
layout(binding = 0) buffer Values { TYPE values[]; };
shared TYPE tile[TM * TN];
void main() {
    tile[gl_LocalInvocationIndex % (TM * TN)] = TYPE(SIZE);
    barrier();
#ifdef CHECKED
    if (gl_GlobalInvocationID.x >= uint(values.length())) return;
#endif
    values[gl_GlobalInvocationID.x] = tile[0];
}
`;
/** Every configuration has the type, so that no configuration differs in it. */
const CONFIGURATIONS = {
  small: "SIZE = 8",
  large: "SIZE = 64",
  careful: 'SIZE = 8, CHECKED = "1"',
};
const PROJECT = [
  '[[shaders]]\nfiles = ["kernel.comp"]\nin-view = "small"\ndefines = { TYPE = "float" }\n',
  "[shaders.specializations]\nwide = { TM = 64, TN = 32 }\n",
  ...Object.entries(CONFIGURATIONS).map(
    ([name, defines]) => `[[shaders.configurations]]\nname = "${name}"\ndefines = { ${defines} }\n`,
  ),
].join("\n");

/** VS Code in a browser writes down what extensions keep every five seconds, and cannot when a page is left. */
const isKept = () => new Promise((resolve) => setTimeout(resolve, 7_000));

export async function choosing(projects: Projects, report: Report) {
  const { editor } = projects;
  const { page } = editor;
  const files = { "kernel.comp": SHADER, "coopmat-analyzer.toml": PROJECT };
  /** Opens the list, and takes what has this name; once more where the list was drawn anew under the click. */
  const choose = (command: string, name: string, seen: string) =>
    until(async () => {
      if ((await editor.statusBar()).includes(seen)) return true;
      await editor.command(command);
      await editor.pick(name);
      return until(async () => (await editor.statusBar()).includes(seen), 10_000);
    }, 60_000);
  const all = (bar: string) => ["careful", "wide", "nvidia-h200"].every((one) => bar.includes(one));

  await projects.part("choices", files, async (check, project) => {
    await project.settings(untrusted);
    await project.open();
    const mode = editor.status("Restricted Mode");
    check("the window is restricted", await until(async () => (await mode.count()) > 0));
    await editor.open("kernel.comp");
    const first = (bar: string) => bar.includes("small") && bar.includes("no device");
    await sees(check, "what the project says is in the status bar", () => editor.statusBar(), first);

    check(
      "a configuration is chosen",
      await choose("Coopmat: Choose the Configuration", "careful", "careful"),
      await editor.statusBar(),
    );
    check(
      "a device",
      await choose("Coopmat: Choose the Target Device", "nvidia-h200", "nvidia-h200"),
      await editor.statusBar(),
    );
    const constants = "Coopmat: Choose Specialization Constants";
    check("a set of values", await choose(constants, "wide", "wide"), await editor.statusBar());
    // Typed, and back to the set.
    await editor.status("wide").first().click();
    await editor.pick("Other values...");
    const asked = page.locator(".quick-input-widget", { hasText: "By name or constant_id" });
    check("values can be typed", await until(() => asked.isVisible(), 20_000));
    const input = asked.locator("input[type=text]");
    await sees(check, "beginning with those of now", () => input.inputValue(), "TM=64, TN=32");
    await input.fill("TM=16");
    await input.press("Enter");
    await sees(check, "which stand in the status bar", () => editor.statusBar(), "TM=16");
    await report.picture("choices-typed");
    check("and the set again", await choose(constants, "wide", "wide"), await editor.statusBar());
    await sees(check, "all three are in the status bar", () => editor.statusBar(), all);
    await report.picture("choices");

    await isKept();
    await project.open();
    await editor.open("kernel.comp");
    await sees(check, "a reload keeps them", () => editor.statusBar(), all);

    await editor.command("Show the Server's Output");
    const runs = "the native server runs";
    const anew = async (what: string, act: () => Promise<void>) => {
      await sees(check, "the output tells of the server", () => editor.output(), runs);
      await editor.command("Clear Output");
      const cleared = async () => !(await editor.output()).includes(runs);
      check("and can be cleared", await until(cleared, 20_000), await editor.output());
      await act();
      await sees(check, `${what} starts the server anew`, () => editor.output(), runs);
      await sees(check, "and the choices are kept", () => editor.statusBar(), all);
    };
    await anew("the command", () => editor.command("Coopmat: Restart the Server"));
    await anew("trust", async () => {
      await editor.command("Workspaces: Manage Workspace Trust");
      const trust = page
        .locator(".workspace-trust-editor")
        .getByRole("button", { name: "Trust", exact: true });
      check("trust can be given", await until(() => trust.isVisible(), 30_000));
      await trust.click();
      // Before everything that lies over the shader is closed: the keys go to the output.
      await editor.command("View: Close All Editors");
      await editor.open("kernel.comp");
    });

    await editor.command("Coopmat: Choose the Target Device");
    await editor.pick("As in the project file");
    await sees(check, "the device is given back to the project", () => editor.statusBar(), "no device");
    await editor.command(constants);
    await editor.pick("Values of the configuration");
    await sees(
      check,
      "and so are the values",
      () => editor.statusBar(),
      (bar) => !bar.includes("wide"),
    );
  });

  await projects.part("picker", files, async (check, project) => {
    await project.open();
    await editor.open("kernel.comp");
    await sees(check, "a configuration is in view", () => editor.statusBar(), "small");
    const input = page.locator(".quick-input-widget input[type=text]");
    // The item is drawn anew while the configurations are read.
    const list = () =>
      until(async () => {
        await editor.status("small").first().click({ timeout: 3000 });
        return until(async () => (await names()) !== "", 5000);
      }, 60_000);
    /** Names and headings, from the top. */
    const names = async () => {
      const found = await page
        .locator(".quick-input-list .label-name, .quick-input-list .quick-input-list-separator")
        .evaluateAll((all) =>
          all
            .map((one) => ({ text: one.textContent?.trim() ?? "", top: one.getBoundingClientRect().top }))
            .sort((one, other) => one.top - other.top),
        );
      return found
        .map(({ text }) => text)
        .filter((text) => text in CONFIGURATIONS || text === "favourites" || text === "others")
        .join(" ");
    };
    await list();
    await sees(check, "the configurations are listed", names, "small large careful", 20_000);
    const row = (name: string) => editor.row(new RegExp(`^\\s*${name}`));
    const described = async () =>
      (await row("careful").locator(".label-description").allInnerTexts()).join(" ");
    await sees(check, "beside each stands what differs", described, "CHECKED");
    check("and nothing that all have", !(await described()).includes("TYPE"), await described());
    await sees(check, "the row below has all macros", () => editor.rows(), "TYPE=float");
    await report.picture("picker");

    await input.fill("CHECKED");
    await sees(check, "a macro finds its configuration", names, (text) => text === "careful");
    await input.fill("");
    const star = row("large").locator(".codicon-star-empty");
    const starred = async () => {
      if ((await names()).startsWith("favourites large")) return true;
      await row("large").hover({ timeout: 3000 });
      await star.click({ timeout: 3000 });
      return until(async () => (await names()).startsWith("favourites large"), 5000);
    };
    check("a star makes it the first one", await until(starred, 60_000), await names());
    await report.picture("picker-favourite");
    await page.keyboard.press("Escape");
    await isKept();
    await project.open();
    await editor.open("kernel.comp");
    await sees(check, "the configuration is in view again", () => editor.statusBar(), "small");
    await list();
    await sees(check, "a reload keeps the favourite", names, "favourites large others small careful");
    await editor.pick("large");
    await sees(check, "which can be chosen", () => editor.statusBar(), "large");
  });

  await projects.part("compare", files, async (check, project) => {
    await project.open();
    await editor.open("kernel.comp");
    await sees(check, "a configuration is in view", () => editor.statusBar(), "small");
    const sides = async () => {
      const [left, right] = [".original", ".modified"].map((side) =>
        page.locator(`.monaco-diff-editor .editor${side} .view-line`).allInnerTexts(),
      );
      return JSON.stringify([await left, await right]).replaceAll("\u00a0", " ");
    };
    const compared = async (command: string, title: string, wanted: RegExp) => {
      await editor.command(command);
      await sees(
        check,
        "the others are offered, not the one in view",
        () => editor.rows(),
        (text) => ["large", "careful"].every((name) => text.includes(name)) && !/^small/m.test(text),
      );
      await editor.pick("careful");
      const tab = page.locator(".tab.active", { hasText: title });
      check(`"${title}" opens`, await until(() => tab.isVisible(), 60_000));
      await sees(check, "with what differs", sides, wanted);
      const changed = page.locator(".monaco-diff-editor .line-insert");
      check("which is marked", await until(async () => (await changed.count()) > 0, 20_000));
    };
    await compared(
      "Compare the SPIR-V of Two Configurations",
      "small - careful (SPIR-V)",
      /OpEntryPoint[\s\S]*OpEntryPoint/,
    );
    await report.picture("compare-spirv");
    await editor.open("kernel.comp");
    await compared("Compare the Statistics of Two Configurations", "small - careful (statistics)", /\d/);
    await report.picture("compare-statistics");
  });
}
