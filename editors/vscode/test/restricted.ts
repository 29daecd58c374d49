// A workspace that nobody has trusted: shaders are checked as ever, and the program that the workspace's settings name is not started before
// the workspace is trusted.

import { existsSync } from "node:fs";
import { chmod } from "node:fs/promises";
import { none, until } from "./editor.ts";
import { type Projects, untrusted } from "./projects.ts";
import { type Report, sees } from "./report.ts";

const SHADER = `#version 460
layout(local_size_x = 32) in;
layout(binding = 0) buffer Values { float values[]; };
void main() { values[0] = nowhere; }
`;

export async function restricted(projects: Projects, report: Report) {
  const { editor } = projects;
  const { page } = editor;
  await projects.part("restricted", { "wrong.comp": SHADER }, async (check, project) => {
    const started = project.path("started");
    const program = project.path("program.sh");
    await project.write("program.sh", `#!/bin/sh\ntouch '${started}'\nexit 1\n`);
    await chmod(program, 0o755);
    const own = { "coopmat-analyzer.server.path": program, "coopmat-analyzer.server.kind": "native" };
    await project.write(".vscode/settings.json", JSON.stringify(own));
    await project.settings((users) => {
      untrusted(users);
      delete users["coopmat-analyzer.trace.server"];
      delete users["coopmat-analyzer.server.kind"];
    });
    await project.open();

    const mode = editor.status("Restricted Mode");
    check("the window is restricted", await until(async () => (await mode.count()) > 0));
    await editor.open("wrong.comp");
    check(
      "mistakes are shown there, too",
      await until(async () => !none(await editor.problems())),
      await editor.problems(),
    );
    check("the workspace's program was not started", !existsSync(started));
    await editor.command("Coopmat: Set Up This Project");
    const refused = page.locator(".notification-toast", { hasText: "Trust the workspace first" });
    check("no build is run there", await until(() => refused.isVisible(), 30_000));
    await report.picture("restricted");
    await editor.command("Workspaces: Manage Workspace Trust");
    const trust = page.locator(".workspace-trust-editor").getByRole("button", { name: "Trust", exact: true });
    check("trust can be given", await until(() => trust.isVisible(), 30_000));
    await trust.click();
    check("then it is", await until(async () => existsSync(started), 60_000));
    await sees(check, "and its failure is told", () => editor.statusBar(), "Coopmat: no server");
    await editor.quiet();
    // The question of trust lies over the window.
    const closed = async () => {
      await page.keyboard.press("Escape");
      return until(async () => !(await trust.isVisible()) && !(await editor.isCovered()), 2000);
    };
    check("the question of trust can be closed", await until(closed, 30_000));
    const told = page.locator(".notification-toast", { hasText: program });
    const asked = async () => {
      await editor.status("Coopmat: no server").first().click({ timeout: 3000 });
      return until(() => told.isVisible(), 5000);
    };
    check("the status bar says more when it is asked, later, too", await until(asked, 60_000));
    await report.picture("no-server");
    await told.getByRole("button", { name: "Open Settings" }).click();
    const setting = page.locator(".settings-editor", { hasText: "coopmat-analyzer.server" });
    check("and leads to the settings", await until(() => setting.isVisible(), 30_000));
    await project.write(".vscode/settings.json", JSON.stringify({}));
    const gone = async () => !(await editor.statusBar()).includes("no server");
    check("without the setting the server of the package runs", await until(gone), await editor.statusBar());
    await editor.quiet();
  });
}
