// Examples as links name them: the path of the one that the files are, and the files of a path. A link to an example says which one, and holds no text.

import type { File, Project, Reference } from "@coopmat/shared/project/project";
import { examples, load } from "./gallery";

/** Undefined: the files are none of the examples, or no longer. */
export async function exampleOf(files: readonly File[]): Promise<string | undefined> {
  const names = new Set(files.map(({ name }) => name));
  const text = JSON.stringify(files);
  for (const { path } of examples()) {
    if (!names.has(path.replace(/^.*\//, ""))) continue;
    // One that cannot be loaded now is carried like any other file.
    const own = await load(path).catch(() => []);
    if (JSON.stringify(own) === text) return path;
  }
  return undefined;
}

/** The project that a link stands for. */
export async function resolved(linked: Project | Reference): Promise<Project> {
  if (!("example" in linked)) return linked;
  const { example, active, options } = linked;
  if (!examples().some(({ path }) => path === example))
    throw new Error(`this page has no example ${example}`);
  const files = await load(example).catch(() => {
    throw new Error(`the example ${example} could not be loaded`);
  });
  const first = files[0]?.name ?? "";
  // Modules in words are data, and are in view as files are.
  const known = [...files, ...(options.data ?? [])].some(({ name }) => name === active);
  return { files, active: known && active ? active : first, options };
}
