// The matrices of a run: which views there are for each operation, and what pointing at an element tells.

import { encode } from "@coopmat/shared/project/share";
import axe from "axe-core";
import type { Locator } from "playwright-core";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

/** An example, run, with the pane of its matrices in view. */
async function recorded(example: string, size?: { width: number; height: number }): Promise<Visitor> {
  // By a link: in the gallery, an example of the name that is in view looks open before it is.
  const visitor = await Visitor.arrive(
    encode({ example, active: example.replace(/^.*\//, ""), options: {} }),
    size,
  );
  await visitor.opened(example);
  await visitor.pane("Matrices");
  await visitor.page.getByRole("button", { name: "Run and record" }).click();
  await visitor.page.locator(".matrices-row").first().waitFor();
  return visitor;
}

const operation = (visitor: Visitor, name: RegExp) =>
  visitor.page.locator(".matrices-list").getByRole("button", { name }).first();

const view = (visitor: Visitor, name: string) =>
  visitor.page.getByRole("group", { name: "View" }).getByRole("button", { name });

const words = (visitor: Visitor) => visitor.page.locator(".matrices-view .view-words").first();

/** Points at an element of a grid that shows the whole of a matrix with so many rows, until the words are there. */
async function point(
  visitor: Visitor,
  grid: Locator,
  [rows, row, column]: [number, number, number],
  told: string | RegExp,
) {
  // What is told moves what is below it: then the pointer comes again.
  const move = async () => {
    await visitor.page.mouse.move(0, 0);
    await grid.scrollIntoViewIfNeeded();
    const box = await grid.boundingBox();
    if (!box) throw new Error("the grid is not there");
    const cell = (box.height - 19) / rows;
    const [left, top] = [10 + 7 * String(rows - 1).length, 18];
    await grid.hover({ position: { x: left + (column + 0.5) * cell, y: top + (row + 0.5) * cell } });
    return words(visitor).textContent();
  };
  await (typeof told === "string" ? expect.poll(move).toContain(told) : expect.poll(move).toMatch(told));
}

/** What a screen reader's user would stumble over. */
async function serious(visitor: Visitor): Promise<string[]> {
  await visitor.page.evaluate(axe.source);
  return visitor.page.evaluate(async () => {
    const { axe } = window as unknown as { axe: typeof import("axe-core") };
    const { violations } = await axe.run();
    return violations
      .filter(({ impact }) => impact === "serious" || impact === "critical")
      .map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ""}`);
  });
}

describe("the default example", () => {
  test("shows its product, with the terms of the element that is pointed at", async () => {
    const visitor = await recorded("khr/gemm.comp");
    const result = visitor.page.locator(".place-result .view-grid");
    await point(visitor, result, [16, 3, 5], /Row 3, column 5:.*16 products/);
    await expect.poll(() => visitor.page.locator(".view-term").count()).toBe(17);
    await visitor.picture("matrices-product");
    await point(
      visitor,
      visitor.page.locator(".place-a .view-grid"),
      [16, 2, 1],
      "counts in row 2 of the result",
    );
    await visitor.leave();
  });

  test("has a time for each turn of the loop", async () => {
    const visitor = await recorded("khr/gemm.comp");
    await expect.poll(() => visitor.page.locator(".matrices-time output").textContent()).toContain("1 of 4");
    const result = visitor.page.locator(".place-result .view-grid");
    await result.focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect.poll(() => words(visitor).textContent()).toContain("Row 0, column 0:");
    const first = await words(visitor).textContent();
    await visitor.page.getByRole("slider", { name: "Time" }).fill("3");
    await expect.poll(() => visitor.page.locator(".matrices-time output").textContent()).toContain("4 of 4");
    // The same element, later.
    await expect.poll(() => words(visitor).textContent()).not.toBe(first);
    await expect.poll(() => words(visitor).textContent()).toContain("Row 0, column 0:");
    await visitor.leave();
  });

  test("shows values with their bits in a heat map, and as a table", async () => {
    const visitor = await recorded("khr/gemm.comp");
    await operation(visitor, /coopMatLoad/).click();
    await view(visitor, "Values").click();
    const grid = visitor.page.locator(".heat-map .view-grid");
    await point(visitor, grid, [16, 0, 2], /^Row 0, column 2: .*, bits 0x[0-9a-f]{8}/);
    await visitor.picture("matrices-heat-map");
    await visitor.page.getByText("Values as a table").click();
    await expect.poll(() => visitor.page.locator(".view-table td").count()).toBe(256);
    await visitor.leave();
  });

  test("tells owners of elements, and elements of owners", async () => {
    const visitor = await recorded("khr/gemm.comp");
    await view(visitor, "Ownership").click();
    await visitor.page.getByRole("combobox", { name: "Ownership" }).selectOption("nvidia-h200");
    await expect
      .poll(() => visitor.page.locator(".ownership .view-note").textContent())
      .toContain("NVIDIA H200");
    const [elements, invocations] = [0, 1].map((n) => visitor.page.locator(".ownership .view-grid").nth(n));
    if (!elements || !invocations) throw new Error("two grids");
    await point(visitor, elements, [16, 0, 0], /^Row 0, column 0 is m\[0\] of invocation 0\.$/);
    await visitor.picture("matrices-ownership");
    await invocations.focus();
    await visitor.page.keyboard.press("ArrowRight");
    await visitor.page.keyboard.press("ArrowRight");
    await expect
      .poll(() => words(visitor).textContent())
      .toMatch(/^Invocation 1 has 8 elements: m\[0\] = \(\d+, \d+\)/);
    await visitor.leave();
  });

  test("tells owners of any type, without a run", async () => {
    const visitor = await Visitor.arrive();
    await visitor.pane("Matrices");
    await visitor.page.locator(".ownership-form > summary").click();
    const form = visitor.page.locator(".ownership-form");
    await form.getByLabel("Map of elements").selectOption("nvidia-h200");
    await form.getByLabel("Component type").selectOption("int8_t");
    await form.getByLabel("Columns").fill("32");
    await form.getByLabel("Columns").press("Tab");
    await expect
      .poll(() => form.locator(".matrices-words").textContent())
      .toBe("coopmat<int8_t, subgroup, 16, 32, A> of 32 invocations");
    await form.locator(".view-grid").first().focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect
      .poll(() => form.locator(".view-words").textContent())
      .toMatch(/^Row 0, column 0 is m\[\d+\] of invocation \d+\.$/);
    await visitor.picture("ownership-form");
    await form.getByLabel("Columns").fill("33");
    await form.getByLabel("Columns").press("Tab");
    await expect
      .poll(() => form.locator(".view-note").textContent())
      .toContain("distributed as in the plain ownership");
    await visitor.leave();
  });

  test("follows the cursor in the editor", async () => {
    const visitor = await recorded("khr/gemm.comp");
    await visitor.put("coopMatStore(matC");
    await expect
      .poll(() => visitor.page.locator(".matrices-row[aria-pressed=true]").textContent())
      .toContain("coopMatStore");
    await visitor.leave();
  });
});

describe("what is recorded", () => {
  test("is the cursor's line alone, on request", async () => {
    const visitor = await recorded("khr/gemm.comp");
    await expect.poll(() => visitor.page.locator(".matrices-row").count()).toBe(5);
    await visitor.put("matC = coopMatMulAdd");
    await visitor.page.getByText("The cursor's line alone").click();
    await visitor.page.getByRole("button", { name: "Run and record" }).click();
    await expect.poll(() => visitor.page.locator(".matrices-row").allTextContents()).toHaveLength(1);
    await expect.poll(() => visitor.page.locator(".matrices-row").textContent()).toContain("coopMatMulAdd");
    await visitor.leave();
  });

  test("is another subgroup's, or nobody's, as is told", async () => {
    const visitor = await recorded("khr/gemm.comp");
    const notice = visitor.page.locator(".matrices-notice");
    await visitor.page.getByRole("spinbutton", { name: "Subgroup" }).fill("1");
    await visitor.page.getByRole("button", { name: "Run and record" }).click();
    await expect
      .poll(() => notice.textContent())
      .toBe("14 matrix operations of workgroup 0, 0, 0, subgroup 1.");
    await visitor.page.getByRole("spinbutton", { name: "Workgroup, y" }).fill("7");
    await visitor.page.getByRole("button", { name: "Run and record" }).click();
    await expect
      .poll(() => notice.textContent())
      .toContain("No matrix operation was executed by workgroup 0, 7, 0");
    await visitor.leave();
  });
});

test("a recording is marked when the text changes, and goes with the shader", async () => {
  const visitor = await recorded("khr/gemm.comp");
  const notice = visitor.page.locator(".matrices-notice");
  await visitor.put("coopMatStore(matC");
  await visitor.page.keyboard.type(" ");
  await expect.poll(() => notice.textContent()).toContain("The text has changed since");
  await visitor.example("nv2/activation.comp");
  await expect.poll(() => visitor.page.locator(".matrices-row").count()).toBe(0);
  await expect.poll(() => notice.textContent()).toContain("Run the shader to see");
  await visitor.leave();
});

test("why there is no run is told", async () => {
  const visitor = await recorded("khr/gemm.comp");
  await visitor.put("coopMatStore(matC");
  await visitor.page.keyboard.type("!");
  await visitor.page.getByRole("button", { name: "Run and record" }).click();
  await expect
    .poll(() => visitor.page.locator(".matrices-notice").textContent())
    .toContain("There was no run: ");
  await visitor.leave();
});

describe("buffers of a run", () => {
  test("are heat maps, and the worst difference is a click away", async () => {
    const visitor = await Visitor.arrive();
    await visitor.pane("Run");
    await visitor.page.keyboard.press("Control+Enter");
    const output = visitor.page.locator("#buffer-outputD");
    await output.locator(".heat-map canvas").first().waitFor();
    await visitor.picture("matrices-buffer");
    await output.getByRole("button", { name: "Difference" }).click();
    await output.getByRole("button", { name: "Go to the worst element" }).click();
    await expect
      .poll(() => output.locator(".view-words").textContent())
      .toMatch(/It is .*expected .* ulp|expected .* ulp.*It is /);
    await visitor.picture("matrices-difference");
    await visitor.leave();
  });

  test("have the worst element of the report in view and selected, also where they are folded", async () => {
    const visitor = await Visitor.arrive();
    await visitor.pane("Run");
    await visitor.page.keyboard.press("Control+Enter");
    const worst = visitor.page.getByTitle("Show the worst element in its buffer");
    const here = visitor.page.locator("#buffer-outputD .grid-here");
    const part = visitor.page.locator('[data-key="part-buffers"]');
    const shown = async () => {
      await worst.click();
      const place = await worst.textContent();
      await expect.poll(() => here.getAttribute("title")).toContain(`${place} `);
      await expect
        .poll(() => here.evaluate((cell) => cell.getBoundingClientRect().bottom <= innerHeight))
        .toBe(true);
    };
    await shown();
    await visitor.picture("worst-element");
    await part.locator("> summary").click();
    await expect.poll(() => here.isVisible()).toBe(false);
    await shown();
    await visitor.leave();
  });

  test("are as far off as the report says", async () => {
    const visitor = await Visitor.arrive();
    await visitor.pane("Run");
    await visitor.page.keyboard.press("Control+Enter");
    const outcome = visitor.page.locator(".outcome").first();
    const [, most] = /, ([\d.e+]+) ulp/.exec((await outcome.textContent()) ?? "") ?? [];
    const output = visitor.page.locator("#buffer-outputD");
    await output.getByRole("button", { name: "Difference" }).click();
    await output.getByRole("combobox", { name: "Measure of the difference" }).selectOption("ulp");
    await expect
      .poll(async () => (await output.locator(".view-summary").textContent())?.replaceAll(",", ""))
      .toContain(`(${most} ulp)`);
    await expect.poll(() => output.locator(".view-summary").textContent()).toContain("within the tolerance");
    await visitor.leave();
  });
});

describe("loads through tensor layouts", () => {
  test("say what lies outside, and where the rest is in memory", async () => {
    const visitor = await recorded("nv2/clamp_modes.comp");
    await operation(visitor, /coopMatLoadTensorNV/).click();
    const [memory, matrix] = [0, 1].map((n) => visitor.page.locator(".tensor .view-grid").nth(n));
    if (!memory || !matrix) throw new Error("two grids");
    await point(
      visitor,
      matrix,
      [16, 1, 2],
      "Row 1, column 2: asks for [-3, -2], outside of the tensor: the clamp value, −1.",
    );
    await point(
      visitor,
      matrix,
      [16, 5, 6],
      "Row 5, column 6: 14 from [1, 2]: element 14, byte 56 of buffer Input.",
    );
    await visitor.picture("matrices-tensor");
    await memory.focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect.poll(() => words(visitor).textContent()).toContain("[-4, -4], outside of the tensor,");
    await visitor.leave();
  });

  test("of blocks and through views have their pictures", async () => {
    for (const example of [
      "nv2/transpose_view.comp",
      "nv2/q8_0_decode_vector.comp",
      "nv2/tensor_loads.comp",
    ]) {
      const visitor = await recorded(example);
      await operation(visitor, /coopMatLoadTensorNV/).click();
      await visitor.page.locator(".tensor canvas").first().waitFor();
      await visitor.picture(`matrices-${example.replace(/^.*\/|\.comp$/g, "")}`);
      await visitor.leave();
    }
  });
});

test("QCOM's conversions show which invocation has which row", async () => {
  const visitor = await recorded("qcom/rows_and_columns.comp");
  await operation(visitor, /vectorToCoopmatQCOM/).click();
  const right = visitor.page.locator(".conversion .view-grid").nth(1);
  await right.focus();
  await visitor.page.keyboard.press("ArrowRight");
  await visitor.page.keyboard.press("ArrowDown");
  await expect
    .poll(() => words(visitor).textContent())
    .toMatch(/Row 1, column 0: .* element 0 of invocation 1's array/);
  // The other side tells the numbers, and their bits.
  await visitor.page.locator(".conversion .view-grid").first().focus();
  await visitor.page.keyboard.press("ArrowRight");
  await expect
    .poll(() => words(visitor).textContent())
    .toMatch(/element 0: .+ \(bits 0x[0-9a-f]+\), row and column/);
  await visitor.picture("matrices-conversion");
  await visitor.leave();
});

test("everything has its place on a narrow, dark page, and nothing stands in the way of assistive technology", async () => {
  const visitor = await recorded("khr/gemm.comp", { width: 400, height: 800 });
  await visitor.press("#theme");
  for (const name of ["Product", "Values", "Ownership"]) {
    await view(visitor, name).click();
    await visitor.page.locator(".matrices-view canvas").first().waitFor();
    await visitor.picture(`matrices-narrow-${name.toLowerCase()}`);
    const wide = await visitor.page.evaluate(() => document.documentElement.scrollWidth);
    expect(wide).toBeLessThanOrEqual(400);
    expect(await serious(visitor)).toEqual([]);
  }
  await visitor.leave();
});

describe("operations on cooperative vectors", () => {
  const grid = (visitor: Visitor, title: RegExp) =>
    visitor.page.locator(".vectors .view-columns > div").filter({ hasText: title }).locator(".view-grid");

  test("show the vectors of all invocations beside the matrix, and what each number is made of", async () => {
    const visitor = await recorded("coopvec/mlp.comp");
    await operation(visitor, /coopVecMatMulAddNV\(hidden, features/).click();
    await expect
      .poll(() => visitor.page.locator(".vectors h3").allTextContents())
      .toEqual([
        "Input: 32 invocations, 16 components, float16_t",
        "Matrix: 32×16, float16_t",
        "Bias: 32 invocations, 32 components, float16_t",
        "Result: 32 invocations, 32 components, float16_t",
      ]);
    await expect
      .poll(() => visitor.page.locator(".vectors .view-facts").textContent())
      .toContain("buffer Layer0 from byte 0, inferencing-optimal");
    await expect
      .poll(() => visitor.page.locator(".vectors .view-facts").textContent())
      .toContain("input gl_ComponentTypeFloat16NV, matrix gl_ComponentTypeFloat16NV");
    const result = grid(visitor, /^Result/);
    await result.focus();
    await visitor.page.keyboard.press("ArrowRight");
    await visitor.page.keyboard.press("ArrowDown");
    await expect
      .poll(() => words(visitor).textContent())
      .toMatch(
        /^Invocation 1, component 0: .* = Bias .* \+ 16 products of row 0 of the matrix and the input/,
      );
    await expect.poll(() => visitor.page.locator(".view-term").count()).toBe(16);
    await visitor.picture("matrices-vectors-product");
    expect(await serious(visitor)).toEqual([]);
    await visitor.leave();
  });

  test("are loads, stores and functions of each component too, without owners of elements", async () => {
    const visitor = await recorded("coopvec/mlp.comp");
    for (const [line, said] of [
      [/coopVecLoadNV/, /^Invocation 0, component 0: .*\. Byte 0 of buffer Inputs$/],
      [/hidden = max/, /^Invocation 0, component 0: .*\. Operand 1: .*\. Operand 2: 0$/],
    ] as const) {
      await operation(visitor, line).click();
      await visitor.page.locator(".vectors .view-grid").last().focus();
      await visitor.page.keyboard.press("ArrowRight");
      await expect.poll(() => words(visitor).textContent()).toMatch(said);
    }
    await expect.poll(() => view(visitor, "Ownership").count()).toBe(0);
    await view(visitor, "Values").click();
    await visitor.page.getByRole("combobox", { name: "Matrix" }).selectOption("Operand 1");
    await visitor.page.locator(".heat-map .view-grid").focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect
      .poll(() => words(visitor).textContent())
      .toMatch(/^Invocation 0, component 0: .*, bits 0x[0-9a-f]{4}$/);
    await visitor.leave();
  });

  test("mark invocations that take no part", async () => {
    const visitor = await Visitor.arrive();
    await visitor.example("coopvec/mlp.comp");
    await visitor.opened("coopvec/mlp.comp");
    await visitor.pane("Matrices");
    await visitor.page.getByRole("spinbutton", { name: "Workgroup, x" }).fill("3");
    await visitor.page.getByRole("button", { name: "Run and record" }).click();
    await operation(visitor, /coopVecMatMulAddNV\(colours/).click();
    const result = grid(visitor, /^Result/);
    await result.focus();
    await visitor.page.keyboard.press("ArrowRight");
    for (let row = 0; row < 8; row++) await visitor.page.keyboard.press("ArrowDown");
    await expect.poll(() => words(visitor).textContent()).toBe("Invocation 8 takes no part.");
    await visitor.picture("matrices-vectors-inactive");
    await view(visitor, "Values").click();
    await expect
      .poll(() => visitor.page.locator(".view-mark.inactive").textContent())
      .toContain("192 inactive elements");
    await visitor.leave();
  });

  test("transpose matrices, and add sums to memory", async () => {
    const visitor = await recorded("coopvec/mlp_training.comp");
    await operation(visitor, /coopVecMatMulNV\(delta0/).click();
    await expect
      .poll(() => visitor.page.locator(".vectors .view-facts").textContent())
      .toContain("training-optimal, transposed before it is multiplied");
    await grid(visitor, /^Result/).focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect.poll(() => words(visitor).textContent()).toMatch(/8 products of column 0 of the matrix/);
    await visitor.picture("matrices-vectors-transposed");
    await operation(visitor, /coopVecOuterProductAccumulateNV\(delta1/).click();
    await grid(visitor, /^Matrix after/).focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect
      .poll(() => words(visitor).textContent())
      .toMatch(/^Row 0, column 0: .* = Matrix before 0 \+ 32 products/);
    await visitor.picture("matrices-vectors-outer-product");
    await operation(visitor, /coopVecReduceSumAccumulateNV\(delta0/).click();
    await grid(visitor, /^Sums after/).focus();
    await visitor.page.keyboard.press("ArrowRight");
    await expect.poll(() => words(visitor).textContent()).toMatch(/= Sums before 0 \+ 32 numbers/);
    await visitor.leave();
  });
});
