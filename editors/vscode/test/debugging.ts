// Debugging as a user does it: F5 without a launch.json, steps forwards and back, variables; the lens next to "Run".

import { type Editor, until } from "./editor.ts";
import { type Report, sees } from "./report.ts";

export async function debugging(editor: Editor, report: Report) {
  const { page } = editor;
  await report.part("debug", ["native"], async (check) => {
    const toolbar = page.locator(".debug-toolbar");
    // Of a try before this one.
    if (await toolbar.isVisible()) await editor.command("Debug: Stop");
    check("nothing is debugged yet", await until(async () => !(await toolbar.isVisible())));
    await editor.open("gemm.comp", 33);
    const lens = page.locator(".codelens-decoration a", { hasText: /^Debug$/ });
    check("the lens Debug is there", await until(async () => (await lens.count()) > 0));
    await page.keyboard.press("F5");
    check("F5 begins a session", await until(() => toolbar.isVisible()));
    await editor.command("View: Show Run and Debug");
    const stack = async () => (await page.locator(".debug-call-stack").first().textContent()) ?? "";
    await sees(check, "threads are subgroups", stack, "workgroup 0,0,0 subgroup 0");
    await sees(check, "it stops in main", stack, "main");
    const here = page.locator(".debug-top-stack-frame-line");
    const stands = async () => (await here.count()) > 0;
    check("the line is marked", await until(stands));
    const variables = async () => (await page.locator(".debug-variables").first().textContent()) ?? "";
    await sees(check, "there are scopes", variables, "Locals");
    const focused = async () =>
      (await page.locator(".debug-call-stack .monaco-list-row.selected").allTextContents()).join();
    check("a frame is in view", await until(async () => (await focused()) !== ""));
    const first = await focused();
    await editor.command("Debug: Step Over");
    check("a step leads on", await until(async () => (await stands()) && (await focused()) !== first), first);
    await page.locator(".debug-toolbar .codicon-debug-step-back").click();
    check("a step back leads back", await until(async () => (await focused()) === first), await focused());
    await report.picture("debug");

    await editor.command("Coopmat: Show the Matrices of the Debugged Frame");
    // None are declared before the first line.
    const panel = () => editor.inFrames("main");
    await sees(
      check,
      "the panel of matrices asks for the frame's",
      panel,
      "This frame has no cooperative matrices.",
    );
    // The multiply-add.
    await editor.open("gemm.comp", 48);
    await editor.command("Debug: Run to Cursor");
    const listed = () => editor.inFrames("main select option");
    await sees(check, "at the multiply-add it lists its operands", listed, "matA: float16_t 16x16 A");
    await sees(check, "and its accumulator", listed, "matC: float");
    check("none of them is empty", !(await listed()).includes("nothing stored yet"), await listed());
    await sees(check, "and shows the elements of one", () => editor.inFrames("main p"), "use ");
    await report.picture("matrices");
    await editor.command("Debug: Stop");
    check("the session ends", await until(async () => !(await toolbar.isVisible())));
  });
}
