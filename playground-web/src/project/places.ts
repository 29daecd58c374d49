// Paths of another machine: a project file that was made in a folder above the one that was dropped, and logs that name shaders where they lay then.

import type { File } from "@coopmat/shared/project/project";
import { readProjectFile } from "./options";
import { PROJECT_FILE } from "./tabs";

const base = (path: string) => path.slice(path.lastIndexOf("/") + 1);
const folderOf = (path: string) => path.slice(0, path.lastIndexOf("/") + 1);

/** Parts that two paths end with alike. */
function alike(a: string, b: string): number {
  const [one, other] = [a.split("/").reverse(), b.split("/").reverse()];
  let count = 0;
  while (count < one.length && one[count] === other[count]) count++;
  return count;
}

/**
 * Puts shaders where the project file at the top says that they are, where it names none of them where they lie: it was made in a folder above
 * theirs. Answers with the files, and with what was put where.
 */
export function settle(files: readonly File[]): { files: File[]; moved?: string } {
  const own = files.find(({ name }) => name === PROJECT_FILE);
  const table = own && readProjectFile(own.text)?.table;
  const entries = (Array.isArray(table?.shaders) ? table.shaders : []) as Record<string, unknown>[];
  const named = entries
    .flatMap(({ files }) => (Array.isArray(files) ? files.map(String) : [String(files ?? "")]))
    .filter((glob) => glob.includes("/") && !/[*?{!]/.test(glob))
    .map((glob) => glob.replace(/^\//, ""));
  const names = new Set(files.map(({ name }) => name));
  if (named.length === 0 || named.some((name) => names.has(name))) return { files: [...files] };
  // Each that is named says how far the folders differ; most of them agree.
  const votes = new Map<string, number>();
  for (const wanted of named)
    for (const { name } of files) {
      if (base(name) !== base(wanted)) continue;
      const same = alike(name, wanted);
      const cut = (path: string) => path.split("/").slice(0, -same).join("/");
      const key = JSON.stringify([cut(name), cut(wanted)]);
      votes.set(key, (votes.get(key) ?? 0) + 1);
    }
  const [best] = [...votes].sort(([, a], [, b]) => b - a);
  if (!best) return { files: [...files] };
  const [from, to] = JSON.parse(best[0]) as [string, string];
  // Only what lies deeper in the project file's world can be put there.
  if (to === "") return { files: [...files] };
  const inside = (name: string) => name !== PROJECT_FILE && (from === "" || name.startsWith(`${from}/`));
  const moved = files.map(({ name, text }) => ({
    name: inside(name) ? `${to}/${from === "" ? name : name.slice(from.length + 1)}` : name,
    text,
  }));
  if (new Set(moved.map(({ name }) => name)).size < moved.length) return { files: [...files] };
  return { files: moved, moved: to };
}

const SHADER = /[^\s"'`=:;,()[\]]+\.(?:comp|vert|tesc|tese|geom|frag|task|mesh|glsl)\b/g;

/** The shaders that a log names and that are not among the files. */
export function missing(log: string, names: readonly string[]): string[] {
  const known = new Set(names.map(base));
  const all = new Set(Array.from(log.matchAll(SHADER), ([path]) => base(path.replaceAll("\\", "/"))));
  return [...all].filter((name) => !known.has(name)).sort();
}

/** The project file that holds for a log: the nearest one up from it. */
export function projectFileFor(log: string, names: readonly string[]): string {
  for (let folder = folderOf(log); ; folder = folderOf(folder.slice(0, -1))) {
    const name = `${folder}${PROJECT_FILE}`;
    if (names.includes(name) || folder === "") return name;
  }
}
