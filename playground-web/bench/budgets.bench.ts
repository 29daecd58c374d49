// How fast the page is, in a real Chromium: visits with nothing kept, and the keystrokes of somebody who types in each example. Prints medians in
// milliseconds, one line `NAME VALUE` each; `cargo xtask bench --playground` compares them with the budgets.

import { mkdirSync, writeFileSync } from "node:fs";
import { afterAll, expect, test } from "vitest";
import { close, Visitor } from "../tests/page";

afterAll(close);

const VISITS = 7;
/** Where the time of a visit goes, from its address on. */
const MARKS = ["start", "script", "module", "interactive", "complete", "first-diagnostics"];
const KEYS = 12;
const RUNS = 7;

const median = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const results = new Map<string, number>();

const mark = (visitor: Visitor, name: string) =>
  visitor.page.evaluate((name) => performance.getEntriesByName(name, "mark").at(-1)?.startTime ?? 0, name);

async function settled(visitor: Visitor) {
  await expect.poll(() => visitor.status.textContent(), { timeout: 30_000 }).toMatch(/\d errors/);
}

test("a visit", async () => {
  const interactive: number[] = [];
  const diagnostics: number[] = [];
  const marks = new Map(MARKS.map((name) => [name, [] as number[]]));
  for (let visit = 0; visit < VISITS; visit++) {
    const visitor = await Visitor.arrive();
    await settled(visitor);
    const ready = await mark(visitor, "interactive");
    interactive.push(ready);
    diagnostics.push((await mark(visitor, "first-diagnostics")) - ready);
    for (const [name, times] of marks) times.push(await mark(visitor, name));
    await visitor.leave();
  }
  results.set("interactive", median(interactive));
  results.set("first-diagnostics", median(diagnostics));
  for (const [name, times] of marks) results.set(`mark-${name}`, median(times));
});

test("a keystroke", { timeout: 300_000 }, async () => {
  const visitor = await Visitor.arrive();
  const medians: number[] = [];
  for (const path of await visitor.examples()) {
    await visitor.example(path);
    await expect.poll(() => visitor.status.textContent()).toContain(path.replace(/^.*\//, ""));
    await visitor.editor.click();
    await visitor.page.keyboard.press("ControlOrMeta+End");
    const times: number[] = [];
    for (let key = 0; key < KEYS; key++) {
      const before = await mark(visitor, "diagnostics");
      await visitor.page.keyboard.type("/");
      await expect.poll(() => mark(visitor, "diagnostics"), { interval: 5 }).toBeGreaterThan(before);
      times.push((await mark(visitor, "diagnostics")) - (await mark(visitor, "typed")));
    }
    medians.push(median(times));
  }
  results.set("keystroke", median(medians));
  results.set("keystroke-slowest-example", Math.max(...medians));
  await visitor.leave();
});

test("a run of the default example", async () => {
  const visitor = await Visitor.arrive();
  await settled(visitor);
  await visitor.pane("Run");
  const times: number[] = [];
  for (let run = 0; run < RUNS; run++) {
    // Timed in the page: from the click to the verdict.
    const time = await visitor.page.evaluate(
      () =>
        new Promise<number>((resolve) => {
          const pane = document.querySelector("#pane-run");
          const button = document.querySelector<HTMLButtonElement>('[data-key="run"]');
          document.querySelector(".verdict")?.remove();
          const start = performance.now();
          const observer = new MutationObserver(() => {
            if (!document.querySelector(".verdict")) return;
            observer.disconnect();
            resolve(performance.now() - start);
          });
          if (pane) observer.observe(pane, { childList: true, subtree: true, characterData: true });
          button?.click();
        }),
    );
    times.push(time);
  }
  results.set("run", median(times));
  await visitor.leave();
});

afterAll(() => {
  const folder = new URL("../../target/playground/", import.meta.url).pathname;
  mkdirSync(folder, { recursive: true });
  const lines = Array.from(results, ([name, value]) => `${name} ${value.toFixed(1)}\n`);
  writeFileSync(`${folder}budgets.txt`, lines.join(""));
});
