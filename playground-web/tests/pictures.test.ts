// The page's main views look as they did: in both themes, on a desk and on a phone. What is compared is coarse - the mean colours of squares of pixels, each of
// which may have moved by one square, and few of which may differ at all - so that another machine with other fonts agrees, and a pane that is gone, colours of
// the other theme or a bar that covers the page do not. After a change that is meant: UPDATE_PICTURES=1 npx vitest run -c vitest.browser.config.ts tests/pictures.test.ts

import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { afterAll, describe, expect, test } from "vitest";
import { close, launch, Visitor } from "./page";

afterAll(close);

const REFERENCES = new URL("./pictures/", import.meta.url).pathname;
const UPDATE = process.env.UPDATE_PICTURES !== undefined;

/** How far apart two colours may be, in each of red, green and blue, of 255. */
const APART = 36;
/** The part of all squares that may differ. */
const FEW = 0.04;

interface Size {
  name: string;
  width: number;
  height: number;
  /** Pixels of a square's side. */
  square: number;
}

const SIZES: Size[] = [
  { name: "desk", width: 1440, height: 896, square: 16 },
  { name: "phone", width: 400, height: 800, square: 8 },
];

interface Squares {
  columns: number;
  rows: number;
  /** Red, green and blue of each. */
  colours: number[];
}

/** The mean colours of a picture's squares; `small` is the picture with a pixel for each. The browser itself reads and writes PNG. */
async function squaresOf(png: Buffer, square: number): Promise<Squares & { small: Buffer }> {
  const page = await (await launch()).newPage();
  try {
    const answer = await page.evaluate(
      async ([base64, square]) => {
        const image = new Image();
        image.src = `data:image/png;base64,${base64}`;
        await image.decode();
        const canvas = document.createElement("canvas");
        [canvas.width, canvas.height] = [image.width, image.height];
        const context = canvas.getContext("2d", { willReadFrequently: true });
        if (!context) throw new Error("there is no canvas");
        context.drawImage(image, 0, 0);
        const columns = Math.floor(image.width / square);
        const rows = Math.floor(image.height / square);
        const small = context.createImageData(columns, rows);
        for (let row = 0; row < rows; row++)
          for (let column = 0; column < columns; column++) {
            const { data } = context.getImageData(column * square, row * square, square, square);
            const sums = [0, 0, 0];
            for (let at = 0; at < data.length; at++) if (at % 4 < 3) sums[at % 4] += data[at] ?? 0;
            const pixel = (row * columns + column) * 4;
            for (const [channel, sum] of sums.entries())
              small.data[pixel + channel] = Math.round(sum / (square * square));
            small.data[pixel + 3] = 255;
          }
        [canvas.width, canvas.height] = [columns, rows];
        context.putImageData(small, 0, 0);
        const colours = Array.from(small.data).filter((_, at) => at % 4 < 3);
        return { columns, rows, colours, url: canvas.toDataURL("image/png") };
      },
      [png.toString("base64"), square] as const,
    );
    const { url, ...squares } = answer;
    return { ...squares, small: Buffer.from(url.replace(/^.*,/, ""), "base64") };
  } finally {
    await page.close();
  }
}

const at = ({ columns, colours }: Squares, row: number, column: number) =>
  colours.slice((row * columns + column) * 3, (row * columns + column) * 3 + 3);

const apart = (a: number[], b: number[]) =>
  Math.max(...a.map((value, channel) => Math.abs(value - (b[channel] ?? 0))));

/** Undefined: they agree. Otherwise which square differs most, and how many do. */
function difference(is: Squares, was: Squares, square: number): string | undefined {
  if (is.columns !== was.columns || is.rows !== was.rows)
    return `it has ${is.columns} by ${is.rows} squares, the reference ${was.columns} by ${was.rows}`;
  let count = 0;
  let worst = { apart: 0, row: 0, column: 0 };
  for (let row = 0; row < is.rows; row++)
    for (let column = 0; column < is.columns; column++) {
      const own = at(is, row, column);
      let least = Number.POSITIVE_INFINITY;
      for (const down of [-1, 0, 1])
        for (const right of [-1, 0, 1]) {
          const [r, c] = [row + down, column + right];
          if (r < 0 || c < 0 || r >= was.rows || c >= was.columns) continue;
          least = Math.min(least, apart(own, at(was, r, c)));
        }
      if (least <= APART) continue;
      count++;
      if (least > worst.apart) worst = { apart: least, row, column };
    }
  const all = is.rows * is.columns;
  if (count <= all * FEW) return undefined;
  const { row, column } = worst;
  return (
    `${count} of ${all} squares differ (${((count / all) * 100).toFixed(1)} %, at most ${FEW * 100} may); most of all the one in row ${row}, column ${column}, ` +
    `at ${column * square}, ${row * square}: rgb ${at(is, row, column).join(", ")} where the reference has ${at(was, row, column).join(", ")}`
  );
}

/** Brings one view after the other onto the page. */
async function views(visitor: Visitor, size: Size, look: (view: string) => Promise<void>) {
  const { page } = visitor;
  await visitor.opened("gemm.comp", "0 errors");
  await page.locator("#outcome", { hasText: "met" }).waitFor();
  await page.locator(".view-textbook canvas").first().waitFor();
  await look("first-visit");
  await page.locator("#introduced").click();
  if (size.name === "phone") {
    await page.getByRole("button", { name: "Code" }).click();
    await look("code");
    await page.getByRole("button", { name: "Results" }).click();
  }
  await visitor.pane("Run");
  await page.locator("#pane-run canvas").first().waitFor();
  await look("run");
  await visitor.pane("SPIR-V");
  await page.locator(".spirv .cm-line").first().waitFor();
  await look("spirv");
  await visitor.pane("Problems");
  await page.locator("#pane-problems .empty").waitFor();
  await look("problems");
  await page.locator("#share").click();
  await page.locator(".share-link").waitFor();
  await look("share");
}

describe.each(["light", "dark"] as const)("in the %s theme", (theme) => {
  test.each(SIZES)("the main views look as they did on a $name", async (size) => {
    const visitor = await Visitor.arrive("", size);
    const now = () => visitor.page.evaluate(() => document.documentElement.dataset.theme);
    if ((await now()) !== theme) await visitor.press("#theme");
    const wrong: string[] = [];
    await views(visitor, size, async (view) => {
      const name = `${view}-${size.name}-${theme}`;
      // A caret blinks, and what the pointer is on is lit.
      await visitor.page.mouse.move(0, 0);
      await visitor.page.evaluate(() => (document.activeElement as HTMLElement | null)?.blur());
      // Twice: what is drawn in the next frame is there by then.
      await visitor.page.evaluate(
        () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))),
      );
      const picture = await visitor.page.screenshot({ caret: "hide", animations: "disabled" });
      const is = await squaresOf(picture, size.square);
      const file = `${REFERENCES}${name}.png`;
      if (UPDATE) {
        mkdirSync(REFERENCES, { recursive: true });
        writeFileSync(file, is.small);
        return;
      }
      await visitor.picture(`picture-${name}`);
      if (!existsSync(file)) {
        wrong.push(`${name}: there is no reference; UPDATE_PICTURES=1 makes it`);
        return;
      }
      const words = difference(is, await squaresOf(readFileSync(file), 1), size.square);
      if (words) wrong.push(`${name}: ${words}`);
    });
    expect(wrong).toEqual([]);
    await visitor.leave();
  });
});

test("another theme, a missing pane and a shifted page are told apart from a picture", async () => {
  const visitor = await Visitor.arrive("", SIZES[0]);
  await visitor.page.locator(".view-textbook canvas").first().waitFor();
  const take = async () => squaresOf(await visitor.page.screenshot({ animations: "disabled" }), 16);
  const before = await take();
  expect(difference(await take(), before, 16)).toBeUndefined();
  await visitor.press("#theme");
  expect(difference(await take(), before, 16)).toMatch(/squares differ.*row \d+, column \d+/);
  await visitor.press("#theme");
  await visitor.page.evaluate(() => {
    document.body.style.paddingTop = "300px";
  });
  expect(difference(await take(), before, 16)).toMatch(/squares differ/);
  await visitor.leave();
});
