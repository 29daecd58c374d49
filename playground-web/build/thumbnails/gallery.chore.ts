// Makes the gallery's pictures: runs every example in the built page, takes what the run left, and paints it. ONLY=khr/gemm.comp makes some.

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { readRecording } from "@coopmat/shared/views/recording";
import { afterAll, expect, test } from "vitest";
import { close, Visitor } from "../../tests/page";
import { HEIGHT, type Painting, WIDTH } from "./draw";
import { PICTURES, type Run, type Seen, type Taken, usual, WATCHED } from "./pictures";

const FOLDER = fileURLToPath(new URL("../../src/ui/thumbnails/", import.meta.url));
const EXAMPLES = fileURLToPath(new URL("../../../examples/", import.meta.url));
/** What a picture may take, in bytes. */
const MOST = 4096;

interface Ended {
  buffers: Taken[];
  results: string[];
  recorded: { index: string; base64: string } | undefined;
}

/** In the page: what the last run left, cut down to what a picture can show. Taken once. */
function take(): Ended {
  interface Held {
    report: { expectations: { buffer: string }[] };
    buffers: { info: { name: string; shape: number[] }; values: Float64Array }[];
    recorded?: { index: string; data: Uint8Array };
  }
  const holder = window as unknown as { ran: Held };
  const { report, buffers, recorded } = holder.ran;
  Reflect.deleteProperty(window, "ran");
  const most = 128;
  return {
    results: report.expectations.map(({ buffer }) => buffer),
    buffers: buffers.map(({ info: { name, shape }, values }) => {
      const columns = shape.at(-1) ?? 1;
      const rows = shape.at(-2) ?? 1;
      const matrices = shape.slice(0, -2).reduce((product, size) => product * size, 1);
      // A buffer without rows is one long row.
      const across = shape.length === 1 ? columns : Math.min(columns, most);
      const down = Math.min(rows, most);
      const deep = Math.min(matrices, 16);
      const kept: number[] = [];
      for (let matrix = 0; matrix < deep; matrix++)
        for (let row = 0; row < down; row++)
          for (let column = 0; column < across; column++)
            kept.push(values[(matrix * rows + row) * columns + column] ?? Number.NaN);
      return { name, shape: [matrices, rows, columns], kept: [deep, down, across], values: kept };
    }),
    recorded: recorded && {
      index: recorded.index,
      base64: btoa(Array.from(recorded.data, (byte) => String.fromCharCode(byte)).join("")),
    },
  };
}

function seen({ recorded }: Ended, lines: string[], subgroup: number): Seen[] {
  if (!recorded) return [];
  const { events } = readRecording(recorded.index, new Uint8Array(Buffer.from(recorded.base64, "base64")));
  return events.flatMap(({ matrix, line }): Seen[] => {
    if (!matrix) return [];
    const count = matrix.rows * matrix.columns;
    return [
      {
        subgroup,
        line: lines[line ?? -1] ?? "",
        rows: matrix.rows,
        columns: matrix.columns,
        values: Array.from(matrix.values),
        undefined: Array.from({ length: count }, (_, at) => at).filter((at) => matrix.undefined?.(at)),
      },
    ];
  });
}

async function run(visitor: Visitor, path: string): Promise<Run> {
  await visitor.example(path);
  await visitor.opened(path);
  const lines = readFileSync(EXAMPLES + path, "utf8").split("\n");
  const recorded: Seen[] = [];
  let ended: Ended | undefined;
  for (let subgroup = 0; subgroup < (WATCHED[path] ?? 1); subgroup++) {
    await visitor.pane("Matrices");
    await visitor.page.getByLabel("Subgroup", { exact: true }).fill(String(subgroup));
    await visitor.page.keyboard.press("Tab");
    await visitor.page.getByRole("button", { name: "Run and record" }).click();
    await visitor.page.waitForFunction(() => "ran" in window);
    ended = await visitor.page.evaluate(take);
    recorded.push(...seen(ended, lines, subgroup));
  }
  await visitor.page.getByLabel("Subgroup", { exact: true }).fill("0");
  await visitor.page.keyboard.press("Tab");
  return { buffers: ended?.buffers ?? [], results: ended?.results ?? [], recorded };
}

/** As WebP without loss, which flat colours make small. */
function encoded(visitor: Visitor, { pixels }: Painting): Promise<string> {
  return visitor.page.evaluate(
    async ({ base64, width, height }) => {
      const bytes = Uint8ClampedArray.from(atob(base64), (sign) => sign.charCodeAt(0));
      const canvas = new OffscreenCanvas(width, height);
      canvas.getContext("2d")?.putImageData(new ImageData(bytes, width, height), 0, 0);
      const blob = await canvas.convertToBlob({ type: "image/webp", quality: 1 });
      const made = new Uint8Array(await blob.arrayBuffer());
      return btoa(Array.from(made, (byte) => String.fromCharCode(byte)).join(""));
    },
    { base64: Buffer.from(pixels.buffer).toString("base64"), width: WIDTH, height: HEIGHT },
  );
}

afterAll(close);

test("pictures of all examples", async () => {
  const visitor = await Visitor.arrive();
  await visitor.page.evaluate(() => {
    addEventListener("coopmat-ran", (event) => {
      Object.assign(window, { ran: (event as CustomEvent).detail });
    });
  });
  const all = await visitor.examples();
  const only = process.env.ONLY?.split(",");
  if (!only) rmSync(FOLDER, { recursive: true, force: true });
  const large: string[] = [];
  for (const path of all.filter((path) => !only || only.includes(path))) {
    // The one that does not run is drawn without a run.
    const runs = path !== "mistakes/indexed-shape-mismatch.comp";
    const made = runs ? await run(visitor, path) : { buffers: [], results: [], recorded: [] };
    const bytes = Buffer.from(await encoded(visitor, (PICTURES[path] ?? usual)(made)), "base64");
    const file = FOLDER + path.replace(/\.comp$/, ".webp");
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, bytes);
    if (bytes.length > MOST) large.push(`${path}: ${bytes.length} bytes`);
  }
  expect(large).toEqual([]);
  await visitor.leave();
});
