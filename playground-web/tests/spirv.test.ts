// The SPIR-V beside the source: live, and marked on both sides.

import { encode } from "@coopmat/shared/project/share";
import { afterAll, describe, expect, test } from "vitest";
import { close, Visitor } from "./page";

afterAll(close);

const SHADER = `#version 460
layout(local_size_x = 32) in;
layout(set = 0, binding = 0) buffer Data { float values[]; };
float twice(float x) { return x * 2.0; }
void main() {
    values[gl_GlobalInvocationID.x] = twice(values[0]) + 1.0;
}
`;

async function open(text: string): Promise<Visitor> {
  const visitor = await Visitor.arrive();
  await visitor.write(text);
  await visitor.page.getByRole("tab", { name: "SPIR-V" }).click();
  // The example's module before it has no such function.
  await expect.poll(() => listing(visitor).textContent()).toMatch(/twice.*OpFMul/);
  return visitor;
}

const listing = (visitor: Visitor) => visitor.page.locator(".spirv .cm-content");

describe("the module", () => {
  test("follows what is typed", async () => {
    const visitor = await open(SHADER);
    await visitor.put("x * 2.0");
    await visitor.page.keyboard.type(" / x");
    await expect.poll(() => listing(visitor).textContent()).toContain("OpFDiv");
    await visitor.picture("spirv");
    await visitor.leave();
  });

  test("stays, marked as old, while the source has an error", async () => {
    const visitor = await open(SHADER);
    await visitor.put("x * 2.0");
    await visitor.page.keyboard.type(" +");
    await visitor.page.locator(".spirv.stale").waitFor();
    await expect
      .poll(() => visitor.page.locator(".spirv .notice").textContent())
      .toMatch(/last module that compiled/);
    expect(await listing(visitor).textContent()).toContain("OpFMul");
    await visitor.leave();
  });

  test("is shown for one function", async () => {
    const visitor = await open(SHADER);
    await visitor.page.locator(".spirv select").selectOption({ label: "twice" });
    await expect.poll(() => listing(visitor).textContent()).not.toContain("OpAccessChain");
    expect(await listing(visitor).textContent()).toContain("OpFMul");
    await visitor.leave();
  });

  test("is counted", async () => {
    const visitor = await open(SHADER);
    await visitor.page.locator(".statistics summary").click();
    await visitor.page.locator(".statistics table").first().waitFor();
    await expect.poll(() => visitor.page.locator(".statistics").textContent()).toContain("Per workgroup");
    await visitor.picture("statistics");
    await visitor.leave();
  });
});

describe("two modules", () => {
  test("are compared, and the comparison follows edits", async () => {
    const other = SHADER.replace("x * 2.0", "x * 3.0");
    const project = {
      files: [
        { name: "a.comp", text: SHADER },
        { name: "b.comp", text: other },
      ],
    };
    const visitor = await Visitor.arrive(encode({ ...project, active: "a.comp", options: {} }));
    await visitor.pane("SPIR-V");
    await visitor.page.getByRole("button", { name: "Compare with…" }).click();
    await visitor.page.getByLabel("Compare with", { exact: true }).fill("b.comp");
    await visitor.page.keyboard.press("Enter");
    const shown = visitor.page.locator(".difference");
    await expect.poll(() => shown.textContent()).toContain("From b.comp to a.comp");
    const lines = (kind: string) => shown.locator(`pre .${kind}`).allTextContents();
    await expect.poll(() => lines("removed")).toContain("-%float_3 = OpConstant %float 3\n");
    expect(await lines("added")).toContain("+%float_2 = OpConstant %float 2\n");
    await visitor.picture("difference");
    // The same number as in the other file.
    await visitor.put("x * 2");
    await visitor.page.keyboard.press("Backspace");
    await visitor.page.keyboard.type("3");
    await expect.poll(() => shown.textContent()).toContain("No differences.");
    await shown.getByRole("button", { name: "Close" }).click();
    await expect.poll(() => listing(visitor).textContent()).toContain("OpFMul");
    await visitor.leave();
  });
});

describe("what belongs together", () => {
  test("is marked in the module when the cursor is in the source", async () => {
    const visitor = await open(SHADER);
    // Behind the operator: the multiplication and its operands are meant.
    await visitor.put("return x *");
    const marked = () => visitor.page.locator(".spirv .cm-line:has(.cm-linked)").allTextContents();
    await expect.poll(async () => (await marked()).join("\n")).toContain("OpFMul");
    expect((await marked()).join("\n")).not.toContain("OpReturnValue");
    await visitor.picture("linked");
    await visitor.leave();
  });

  test("is marked in the source when an instruction is clicked", async () => {
    const visitor = await open(SHADER);
    await visitor.page.locator(".spirv .cm-line", { hasText: "OpFMul" }).click();
    const marked = () => visitor.page.locator("#editor .cm-linked").allTextContents();
    await expect.poll(async () => (await marked()).join("")).toBe("x * 2.0");
    await visitor.leave();
  });

  test("an instruction explains itself", async () => {
    const visitor = await open(SHADER);
    await visitor.hover(visitor.page.locator(".spirv .cm-line span", { hasText: /^OpFMul$/ }), "OpFMul");
    await visitor.picture("instruction-hover");
    await visitor.leave();
  });
});
