// Which files of a project have tabs: those that were open when it was kept or shared; of one that comes from elsewhere a few.

import type { Project } from "@coopmat/shared/project/project";
import { beside, isWords } from "../recipe/names";

export const PROJECT_FILE = "coopmat-analyzer.toml";

/** So many files are all opened. */
const FEW = 8;

export function tabsOf({ files, active, options }: Project): string[] {
  const modules = (options.data ?? []).filter(({ name }) => isWords(name));
  const all = [...files, ...modules].map(({ name }) => name);
  const names = new Set(all);
  const wanted = options.tabs ?? usual(all, active);
  const withMarks = options.breakpoints?.map(({ file }) => file) ?? [];
  return [...new Set([...wanted, ...withMarks, active])].filter((name) => names.has(name));
}

function usual(names: string[], active: string): string[] {
  if (names.length <= FEW) return names;
  return [active, beside(active), PROJECT_FILE];
}

/** What is kept of the tabs: nothing where they are the usual ones. */
export function keptTabs(project: Project, tabs: readonly string[]): { tabs?: string[] } {
  const same = JSON.stringify(tabsOf(project)) === JSON.stringify(tabs);
  return same ? {} : { tabs: [...tabs] };
}
