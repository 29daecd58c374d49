// Running shaders: every example to its expectation, to the bit as the native program does, and what happens when a run goes wrong.

import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { encode } from "@coopmat/shared/project/share";
import AxeBuilder from "axe-core";
import { afterAll, describe, expect, test } from "vitest";
import { NATIVE, ROOT } from "./files";
import { close, optimised, Visitor } from "./page";

optimised();
afterAll(close);

const run = (visitor: Visitor) => visitor.page.locator('[data-key="run"]');
const verdict = (visitor: Visitor) => visitor.page.locator(".verdict");

/** In the page: whether the last run met what was expected, and a hash of each buffer. Taken once. */
async function hashes() {
  const holder = window as unknown as {
    ran?: { report: { met: boolean }; buffers: { info: { name: string }; bytes: Uint8Array<ArrayBuffer> }[] };
  };
  const { ran } = holder;
  delete holder.ran;
  const buffers: Record<string, string> = {};
  for (const { info, bytes } of ran?.buffers ?? []) {
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    buffers[info.name] = Array.from(digest, (byte) => byte.toString(16).padStart(2, "0")).join("");
  }
  return { met: ran?.report.met ?? false, buffers };
}

/** The same of the native program, which writes its buffers. */
function native(path: string, names: string[]): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), "coopmat-"));
  const files = names.map((name, index) => [name, join(folder, `${index}.bin`)] as const);
  const dumps = files.flatMap(([name, file]) => ["--dump", `${name}=${file}`]);
  execFileSync(NATIVE, ["run", join(ROOT, "examples", path), "--json", ...dumps], { stdio: "pipe" });
  const hash = (file: string) => createHash("sha256").update(readFileSync(file)).digest("hex");
  const made = Object.fromEntries(files.map(([name, file]) => [name, hash(file)]));
  rmSync(folder, { recursive: true });
  return made;
}

const RECIPE = `# small
dispatch = [1]

[[buffers]]
name = "values" # the only one
shape = [8, 4]
`;

/** A page with a shader of its own, and a recipe perhaps. */
function arrive(text: string, recipe?: string): Promise<Visitor> {
  const files = [{ name: "own.comp", text }];
  if (recipe !== undefined) files.push({ name: "own.run.toml", text: recipe });
  return Visitor.arrive(encode({ files, active: "own.comp", options: {} }));
}

const ENDLESS = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint values[]; };
void main() {
    while (values[1] == 0u) values[0] += 1u;
}
`;

const BEYOND = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { uint values[]; };
void main() {
    uint at = gl_GlobalInvocationID.x + 1u;
    values[at] = at;
}
`;

const PRODUCT = `#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_EXT_shader_explicit_arithmetic_types : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) readonly buffer A { float16_t inputA[]; };
layout(set = 0, binding = 1) readonly buffer B { float16_t inputB[]; };
layout(set = 0, binding = 2) buffer D { float sums[]; };
void main() {
    uint row = gl_WorkGroupID.x * 16;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA> a;
    coopmat<float16_t, gl_ScopeSubgroup, 16, 16, gl_MatrixUseB> b;
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> sum =
        coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator>(0);
    for (uint k = 0; k < 32; k += 16) {
        coopMatLoad(a, inputA, row * 32 + k, 32, gl_CooperativeMatrixLayoutRowMajor);
        coopMatLoad(b, inputB, k * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
        sum = coopMatMulAdd(a, b, sum);
    }
    coopMatStore(sum, sums, row * 16, 16, gl_CooperativeMatrixLayoutRowMajor);
}
`;

/** Writes the row that each element has under `plain`, whoever owns it. */
const ROWS = `#version 460
#extension GL_KHR_cooperative_matrix : require
#extension GL_KHR_memory_scope_semantics : require
#extension GL_KHR_shader_subgroup_basic : require
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Rows { float rows[]; };
void main() {
    coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseAccumulator> m;
    coopMatLoad(m, rows, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
    for (int i = 0; i < m.length(); ++i) {
        uint row = (uint(i) * gl_SubgroupSize + gl_SubgroupInvocationID) / 16;
        // ENDLESS
        m[i] = float(row);
    }
    coopMatStore(m, rows, 0, 16, gl_CooperativeMatrixLayoutRowMajor);
}
`;
const ROWS_RECIPE = `dispatch = [1]
[[buffers]]
name = "rows"
shape = [16, 16]
fill = { formula = "row" }
`;

describe("a run", () => {
  test("of the example meets its expectation, and shows the result", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.keyboard.press("Control+Enter");
    await expect.poll(() => verdict(visitor).textContent()).toContain("met");
    await visitor.page.locator("#buffer-outputD .contents button").first().waitFor();
    await visitor.picture("run");
    await visitor.leave();
  });

  test("of every example meets its expectations, and gives the native program's bits", async () => {
    // With a shader of one's own in view: an example would be run unasked, and its result taken for that of the first one asked for.
    const visitor = await arrive(PRODUCT);
    await visitor.page.evaluate(() => {
      addEventListener("coopmat-ran", (event) => {
        Object.assign(window, { ran: (event as CustomEvent).detail });
      });
    });
    const failed: string[] = [];
    const paths = await visitor.examples();
    expect(paths.length).toBeGreaterThan(35);
    for (const path of paths) {
      // Wrong for the compiler, not for the simulator.
      if (path === "mistakes/indexed-shape-mismatch.comp") continue;
      await visitor.example(path);
      await visitor.opened(path);
      await visitor.pane("Run");
      await run(visitor).click();
      await visitor.page.waitForFunction(() => "ran" in window, undefined, { timeout: 120_000 });
      const { met, buffers } = await visitor.page.evaluate(hashes);
      if (!met) failed.push(`${path}: not met`);
      const there = native(path, Object.keys(buffers));
      for (const [name, hash] of Object.entries(buffers))
        if (there[name] !== hash) failed.push(`${path}: ${name} differs from the native program's`);
    }
    expect(failed).toEqual([]);
    await visitor.leave();
  }, 900_000);

  test("without an end is ended by the budget, in words", async () => {
    const visitor = await arrive(ENDLESS, RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="step-limit"]').fill("2000000");
    await visitor.page.keyboard.press("Tab");
    await run(visitor).click();
    await expect
      .poll(() => visitor.page.locator(".result .problem").textContent())
      .toMatch(/more than 2000000 steps.*step-limit/);
    await visitor.leave();
  });

  test("is stopped by its button, and editing goes on meanwhile", async () => {
    // No machine is so fast that its budget ends it meanwhile.
    const visitor = await arrive(ENDLESS, `step-limit = ${Number.MAX_SAFE_INTEGER}\n${RECIPE}`);
    await visitor.pane("Run");
    await run(visitor).click();
    const stop = visitor.page.locator('[data-key="stop"]');
    await expect.poll(() => stop.isEnabled()).toBe(true);
    await visitor.put("values[0] += 1u;");
    await visitor.page.keyboard.type(" undefined_name;");
    await expect.poll(() => visitor.status.textContent()).toMatch(/[1-9]\d* errors?/);
    // It still runs.
    expect(await stop.isEnabled()).toBe(true);
    await stop.click();
    await expect.poll(() => visitor.page.locator(".result .problem").textContent()).toContain("stopped");
    await expect.poll(() => run(visitor).isEnabled()).toBe(true);
    await visitor.leave();
  });

  test("is stopped by Escape in the editor, once nothing there needs it", async () => {
    const visitor = await arrive(ENDLESS, `step-limit = ${Number.MAX_SAFE_INTEGER}\n${RECIPE}`);
    await visitor.pane("Run");
    await run(visitor).click();
    const stop = visitor.page.locator('[data-key="stop"]');
    await expect.poll(() => stop.isEnabled()).toBe(true);
    await visitor.editor.click();
    await visitor.page.keyboard.press("ControlOrMeta+f");
    await visitor.page.keyboard.press("Escape");
    // That closed the search.
    expect(await visitor.page.locator(".cm-search").count()).toBe(0);
    expect(await stop.isEnabled()).toBe(true);
    await visitor.editor.click();
    await visitor.page.keyboard.press("Escape");
    await expect.poll(() => visitor.page.locator(".result .problem").textContent()).toContain("stopped");
    await visitor.leave();
  });

  test("in checked mode finds what is wrong, at its line", async () => {
    const visitor = await arrive(BEYOND, RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="mode-checked"]').check();
    await run(visitor).click();
    const finding = visitor.page.locator(".run-findings li").first();
    await finding.waitFor();
    await expect.poll(() => finding.textContent()).toContain("out-of-bounds");
    await visitor.picture("finding");
    await finding.locator("button").first().click();
    await expect
      .poll(() => visitor.page.locator("#editor .cm-activeLine").textContent())
      .toContain("values[at] = at");
    await expect.poll(() => visitor.page.locator("#editor .cm-lintRange-warning").count()).toBeGreaterThan(0);
    await visitor.leave();
  });
});

describe("all ownerships", () => {
  const judge = (visitor: Visitor) => visitor.page.locator('[data-key="verdicts"]').click();
  const title = (visitor: Visitor) =>
    visitor.page.locator('[data-key="part-verdicts"] summary').textContent();
  const row = (visitor: Visitor, name: string) =>
    visitor.page
      .locator("table.verdicts tbody tr")
      .filter({ has: visitor.page.getByText(name, { exact: true }) });
  const summary = (visitor: Visitor, buffer: string) =>
    visitor.page.locator(`#buffer-${buffer} .view-summary`).textContent();

  test("are judged, and the run of a verdict shows what is wrong under it", async () => {
    const visitor = await Visitor.arrive();
    await visitor.example("mistakes/ownership_dependence.comp");
    await visitor.opened("mistakes/ownership_dependence.comp");
    await visitor.pane("Run");
    await judge(visitor);
    await expect.poll(() => title(visitor)).toBe("Ownerships: met under 2 of 5");
    expect(await row(visitor, "plain").textContent()).toContain("met");
    expect(await row(visitor, "amd-cdna").textContent()).toMatch(/not known.*known for subgroups of 64/);
    const hopper = row(visitor, "nvidia-h200");
    expect(await hopper.textContent()).toMatch(/wrong.*224 of 256 elements of `values` are wrong/);
    await hopper.getByRole("button", { name: "Show nvidia-h200" }).click();
    await expect.poll(() => verdict(visitor).textContent()).toContain("1 of 1 expectation not met");
    const result = visitor.page.locator("section.result");
    expect(await result.textContent()).toContain("the ownership nvidia-h200 and subgroups of 32");
    await expect.poll(() => summary(visitor, "values")).toContain("224 of 256 elements differ");
    await visitor.picture("ownerships");
    // The next run is the recipe's again.
    await run(visitor).click();
    await expect.poll(() => verdict(visitor).textContent()).toContain("The expectation is met");
    expect(await result.textContent()).not.toContain("nvidia-h200 and");
    await visitor.page.setViewportSize({ width: 400, height: 800 });
    await visitor.page.locator("table.verdicts").scrollIntoViewIfNeeded();
    await visitor.picture("ownerships-narrow");
    expect(await visitor.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(400);
    await visitor.page.setViewportSize({ width: 1280, height: 800 });
    // They are of another text from now on: there is nothing to show of them.
    await visitor.put("void main");
    await visitor.page.keyboard.type(" ");
    const part = visitor.page.locator('[data-key="part-verdicts"]');
    await expect.poll(() => part.textContent()).toContain("Something changed since these verdicts.");
    expect(await part.getByRole("button").count()).toBe(0);
    await visitor.leave();
  });

  test("are compared where nothing is expected, and the run of a verdict shows what differs", async () => {
    const visitor = await arrive(ROWS, ROWS_RECIPE);
    await visitor.pane("Run");
    await judge(visitor);
    await expect.poll(() => title(visitor)).toBe("Ownerships: same under 2 of 5");
    const hopper = row(visitor, "nvidia-h200");
    expect(await hopper.textContent()).toMatch(/depends.*of `rows` are not those of the ownership plain/);
    await hopper.getByRole("button").click();
    await expect.poll(() => summary(visitor, "rows")).toMatch(/224 of 256 elements differ.*under plain/);
    await visitor.page.locator('[data-key="look-rows-expected"]', { hasText: "Under plain" }).click();
    await visitor.picture("ownerships-compared");
    // After a run of the recipe there is nothing to compare with.
    await run(visitor).click();
    const looks = visitor.page.locator("#buffer-rows .segments").first();
    await expect.poll(() => looks.textContent()).toBe("BeforeAfter");
    expect(await looks.locator("[aria-pressed=true]").textContent()).toBe("After");
    await visitor.leave();
  });

  test("are judged at each size of the device", async () => {
    const visitor = await arrive(ROWS, ROWS_RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="mode-device"]').selectOption("amd-rdna3");
    await judge(visitor);
    await expect.poll(() => row(visitor, "amd-rdna3").count()).toBe(2);
    await row(visitor, "amd-rdna3").getByRole("button", { name: "with subgroups of 64" }).click();
    await expect
      .poll(() => visitor.page.locator("section.result").textContent())
      .toContain("the ownership amd-rdna3 and subgroups of 64");
    await visitor.leave();
  });

  test("are judged in an embedded page, unless it is there to be read", async () => {
    const files = [
      { name: "own.comp", text: ROWS },
      { name: "own.run.toml", text: ROWS_RECIPE },
    ];
    const hash = encode({ files, active: "own.comp", options: {} });
    const visitor = await Visitor.arrive(`?embed=1&pane=run${hash}`);
    await judge(visitor);
    await row(visitor, "nvidia-h200").getByRole("button").click();
    await expect
      .poll(() => visitor.page.locator("section.result").textContent())
      .toContain("the ownership nvidia-h200");
    await visitor.leave();
    const reader = await Visitor.arrive(`?embed=1&mode=read&pane=run${hash}`);
    await reader.page.locator("#buffer-rows").waitFor();
    expect(await reader.page.locator('[data-key="verdicts"]').isVisible()).toBe(false);
    await reader.leave();
  });

  test("are stopped by the button, with the verdicts so far", async () => {
    // It ends under `plain` alone.
    const endless = ROWS.replace("// ENDLESS", "while (uint(m[i]) != row && rows[1] == 0.0) rows[0] += 1.0;");
    const visitor = await arrive(endless, `step-limit = ${Number.MAX_SAFE_INTEGER}\n${ROWS_RECIPE}`);
    await visitor.pane("Run");
    await judge(visitor);
    await expect.poll(() => title(visitor)).toBe("Ownerships: same under 1 of 1, so far");
    await visitor.page.locator('[data-key="stop"]').click();
    await expect.poll(() => title(visitor)).toBe("Ownerships: same under 1 of 1, stopped early");
    expect(await run(visitor).isEnabled()).toBe(true);
    expect(await visitor.page.locator(".run-content > .problem").count()).toBe(0);
    await visitor.leave();
  });
});

describe("a recipe", () => {
  const text = (visitor: Visitor, name: string) =>
    visitor.page.evaluate((name) => {
      const { files } = JSON.parse(localStorage.getItem("coopmat-analyzer.project") ?? "{}");
      return files?.find((file: { name: string }) => file.name === name)?.text ?? "";
    }, name);

  test("is edited by the form, which leaves its comments", async () => {
    const visitor = await arrive(BEYOND, RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="dispatch-x"]').fill("2 * 3");
    await visitor.page.keyboard.press("Enter");
    await visitor.page.locator("#buffer-values > summary").click();
    await visitor.page.locator('[data-key="fill-0"]').selectOption("iota");
    await expect.poll(() => text(visitor, "own.run.toml")).toContain("iota");
    expect(await text(visitor, "own.run.toml")).toBe(
      RECIPE.replace("[1]", '["2 * 3"]').replace(
        "[8, 4]\n",
        "[8, 4]\nfill = { iota = { start = 0, step = 1 } }\n",
      ),
    );
    await expect
      .poll(() => visitor.page.locator("#buffer-values .grid-cell[data-at='1,1']").textContent())
      .toBe("5");
    await visitor.leave();
  });

  test("is edited as text, with mistakes at their line", async () => {
    const visitor = await arrive(BEYOND, RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="recipe"]').click();
    await visitor.put("[8, 4");
    await visitor.page.keyboard.type("4");
    await expect.poll(() => visitor.page.locator("#buffer-values summary").textContent()).toContain("8 × 44");
    await visitor.put("[8, 44");
    await visitor.page.keyboard.type(" * x");
    await expect
      .poll(() => visitor.page.locator(".run-content > .problem").textContent())
      .toMatch(/own.run.toml:6/);
    await expect.poll(() => visitor.page.locator("#editor .cm-lintRange-error").count()).toBeGreaterThan(0);
    await visitor.picture("recipe-mistake");
    await visitor.leave();
  });

  test("takes numbers by hand", async () => {
    const visitor = await arrive(BEYOND, RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator("#buffer-values > summary").click();
    await visitor.page.locator("#buffer-values .grid-cell[data-at='0,0']").dblclick();
    await visitor.page.keyboard.type("7");
    await visitor.page.keyboard.press("Enter");
    await expect.poll(() => text(visitor, "own.run.toml")).toContain("fill = { values = [[7, 0, 0, 0], [0,");
    await expect
      .poll(() => visitor.page.locator("#buffer-values .grid-cell[data-at='0,0']").textContent())
      .toBe("7");
    await visitor.leave();
  });

  test("is filled by a file", async () => {
    const visitor = await arrive(BEYOND, RECIPE);
    await visitor.pane("Run");
    await visitor.page.locator("#buffer-values > summary").click();
    const numbers = Array.from({ length: 8 }, (_, row) =>
      [0, 1, 2, 3].map((column) => row * 10 + column).join(","),
    );
    await visitor.page
      .locator("#buffer-values input[type=file]")
      .setInputFiles({ name: "mine.csv", mimeType: "text/csv", buffer: Buffer.from(numbers.join("\n")) });
    await expect
      .poll(() => visitor.page.locator("#buffer-values .grid-cell[data-at='3,2']").textContent())
      .toBe("32");
    await expect.poll(() => text(visitor, "own.run.toml")).toContain('file = "mine.csv"');
    await visitor.leave();
  });

  test("is made for a shader that has none", async () => {
    const visitor = await arrive(BEYOND);
    await visitor.pane("Run");
    const make = visitor.page.locator('[data-key="recipe"]');
    await expect.poll(() => make.textContent()).toBe("Make a recipe");
    await make.click();
    await visitor.page.getByRole("tab", { name: "own.run.toml" }).waitFor();
    await run(visitor).click();
    await expect.poll(() => verdict(visitor).textContent()).toContain("nothing was expected");
    await visitor.leave();
  });

  test("is made for a product of matrices, and expects it", async () => {
    const visitor = await arrive(PRODUCT);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="recipe"]').click();
    await expect.poll(() => text(visitor, "own.run.toml")).toContain("sizes = { M = 32, N = 16, K = 32 }");
    await run(visitor).click();
    await expect.poll(() => verdict(visitor).textContent()).toContain("The expectation is met");
    await visitor.leave();
  });

  test("gets the expectation of a product that has its buffers", async () => {
    const names = ["A", "B", "D"];
    const buffers = names.map((name) => `\n[[buffers]]\nname = "${name}"\nshape = [16, 16]\n`);
    const visitor = await arrive(PRODUCT, `dispatch = [1]\n${buffers.join("")}`);
    await visitor.pane("Run");
    await visitor.page.locator('[data-key="add-expectation"]').click();
    await expect.poll(() => text(visitor, "own.run.toml")).toMatch(/matmul = \{ a = "A", b = "B"/);
    await visitor.leave();
  });

  test("that asks for too much memory is refused in words", async () => {
    const visitor = await arrive(BEYOND, RECIPE.replace("[8, 4]", "[20000, 9000]"));
    await visitor.pane("Run");
    await expect
      .poll(() => visitor.page.locator(".run-content > .problem").first().textContent())
      .toContain("are available");
    await visitor.leave();
  });
});

describe("the page", () => {
  test("starts another simulator when one breaks off", async () => {
    const visitor = await arrive(ENDLESS, `step-limit = ${Number.MAX_SAFE_INTEGER}\n${RECIPE}`);
    await visitor.pane("Run");
    await run(visitor).click();
    await expect.poll(() => visitor.page.locator('[data-key="stop"]').isEnabled()).toBe(true);
    const worker = visitor.page.workers().find((one) => one.url().includes("simulator"));
    await worker?.evaluate(() => {
      setTimeout(() => {
        throw new Error("out of memory");
      });
    });
    await expect
      .poll(() => visitor.page.locator("#notice").textContent())
      .toMatch(/ran out of memory.*untouched/);
    await visitor.write(BEYOND);
    await run(visitor).click();
    await expect.poll(() => verdict(visitor).textContent()).toContain("nothing was expected");
    // The browser says so as well.
    visitor.complaints.length = 0;
    await visitor.leave();
  });

  test("runs the shader by its lens", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.locator(".cm-lenses button", { hasText: "Run" }).click();
    await expect.poll(() => verdict(visitor).textContent()).toContain("met");
    await visitor.leave();
  });

  test("tells which devices accept the shader, and what stops the others", async () => {
    const visitor = await Visitor.arrive();
    await visitor.pane("Portability");
    const rows = visitor.page.locator(".devices tbody tr");
    await expect.poll(() => rows.count()).toBeGreaterThan(10);
    await visitor.picture("portability");
    await rows.filter({ hasText: "intel-xe2" }).locator("td button").first().click();
    await expect
      .poll(() => visitor.page.locator("#editor .cm-activeLine").textContent())
      .toMatch(/coopmat|matA/);
    await visitor.leave();
  });

  test("finds an example by words", async () => {
    const visitor = await Visitor.arrive();
    await visitor.page.locator("#gallery").click();
    await visitor.picture("gallery");
    await visitor.page.keyboard.type("softmax");
    await visitor.page.keyboard.press("Enter");
    await expect.poll(() => visitor.status.textContent()).toMatch(/softmax|layer_merging|flash/);
    await visitor.leave();
  });

  test("shows a run at 400 pixels", async () => {
    const visitor = await Visitor.arrive("", { width: 400, height: 800 });
    await visitor.page.keyboard.press("Control+Enter");
    await expect.poll(() => verdict(visitor).textContent()).toContain("met");
    const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(400);
    await visitor.picture("run-narrow");
    await visitor.leave();
  });

  test.each(["light", "dark"])("has no serious barrier around runs in the %s theme", async (theme) => {
    const visitor = await Visitor.arrive();
    await visitor.page.evaluate((theme) => {
      document.documentElement.dataset.theme = theme;
    }, theme);
    await visitor.page.evaluate(AxeBuilder.source);
    const barriers = () =>
      visitor.page.evaluate(async () => {
        const { axe } = window as unknown as { axe: typeof import("axe-core") };
        const { violations } = await axe.run();
        return violations
          .filter(({ impact }) => impact === "serious" || impact === "critical")
          .map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
      });
    await visitor.page.keyboard.press("Control+Enter");
    await expect.poll(() => verdict(visitor).textContent()).toContain("met");
    await visitor.page.locator("#buffer-inputA > summary").click();
    await visitor.page.locator("#buffer-inputA .contents button").first().waitFor();
    await visitor.picture(`run-${theme}`);
    expect(await barriers()).toEqual([]);
    await visitor.pane("Portability");
    await visitor.page.locator(".devices").waitFor();
    expect(await barriers()).toEqual([]);
    await visitor.page.locator("#gallery").click();
    expect(await barriers()).toEqual([]);
    await visitor.leave();
  });
});
