// Files of this machine that a test drops on the page, and the native program.

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import type { Visitor } from "./page";

export const ROOT = fileURLToPath(new URL("../../", import.meta.url));
export const NATIVE = process.env.COOPMAT_ANALYZER ?? join(ROOT, "target/debug/coopmat-analyzer");

/** A folder on this machine. */
export function folder(files: Record<string, string>): string {
  const made = mkdtempSync(join(tmpdir(), "coopmat-"));
  onTestFinished(() => rmSync(made, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    const path = join(made, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return made;
}

/** Drops files and folders on the editor, as a person does from a window of files. */
export async function drop(visitor: Visitor, ...files: string[]) {
  const session = await visitor.context.newCDPSession(visitor.page);
  const data = { items: [], files, dragOperationsMask: 1 };
  for (const type of ["dragEnter", "dragOver", "drop"] as const)
    await session.send("Input.dispatchDragEvent", { type, x: 300, y: 400, data });
  await session.detach();
}
