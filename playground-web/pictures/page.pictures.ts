// Takes the page's picture for the README, into docs/pictures: the default example, which has run, with its matrices and their owners beside it.

import { mkdirSync, writeFileSync } from "node:fs";
import type { BrowserContext, Page } from "playwright-core";
import { afterAll, expect, inject, test } from "vitest";
import { close, launch } from "../tests/page";

afterAll(close);

const FOLDER = new URL("../../docs/pictures/", import.meta.url);
/** In bytes; a test of the chores holds it as well. */
const MOST = 200_000;
/** Of WebP, the best first. */
const QUALITIES = [0.85, 0.75, 0.65, 0.5];

async function open(): Promise<{ context: BrowserContext; page: Page }> {
  const context = await (await launch()).newContext({
    viewport: { width: 1440, height: 900 },
    // Where the README is shown, the picture is smaller, and often with more than one dot for a pixel.
    deviceScaleFactor: 1.5,
    colorScheme: "light",
    serviceWorkers: "block",
  });
  context.setDefaultTimeout(60_000);
  const page = await context.newPage();
  await page.goto(inject("address"));
  await expect.poll(() => page.locator("#status").textContent()).toContain("0 errors");
  return { context, page };
}

/** As WebP, which Playwright does not write: the browser makes it of the PNG, as good as it may be. */
async function take(page: Page, name: string) {
  const png = await page.screenshot({ type: "png", scale: "device" });
  const drawing = await page.context().newPage();
  const draw = async ([png, qualities]: readonly [string, readonly number[]]) => {
    const image = await createImageBitmap(await (await fetch(`data:image/png;base64,${png}`)).blob());
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    canvas.getContext("2d")?.drawImage(image, 0, 0);
    return qualities.map((quality) => canvas.toDataURL("image/webp", quality));
  };
  const made = await drawing.evaluate(draw, [png.toString("base64"), QUALITIES] as const);
  const pictures = made.map((address) => Buffer.from(address.replace(/^.*,/, ""), "base64"));
  const best = pictures.find(({ length }) => length < MOST);
  if (!best) throw new Error(`${name} is larger than ${MOST} bytes`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(new URL(name, FOLDER), best);
}

test("the page", async () => {
  const { context, page } = await open();
  await page.keyboard.press("Control+Enter");
  await expect.poll(() => page.locator(".verdict").first().textContent()).toContain("met");
  await page.getByRole("tab", { name: "Matrices", exact: true }).click();
  const rows = page.locator(".matrices-row");
  if ((await rows.count()) === 0) await page.getByRole("button", { name: "Run and record" }).click();
  await rows.filter({ hasText: "coopMatMulAdd" }).first().click();
  await page.getByRole("slider", { name: "Time" }).fill("3");
  await page.getByRole("group", { name: "View" }).getByRole("button", { name: "Ownership" }).click();
  await page.getByRole("combobox", { name: "Ownership" }).selectOption("nvidia-h200");
  const elements = page.locator(".ownership .view-grid").first();
  await elements.focus();
  for (const key of ["ArrowRight", "ArrowRight", "ArrowDown", "ArrowDown"]) await page.keyboard.press(key);
  await expect
    .poll(() => page.locator(".matrices-view .view-words").first().textContent())
    .toContain("of invocation");
  await take(page, "page.webp");
  await context.close();
});
