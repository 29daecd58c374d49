// Keeps the project on this machine between visits. A browser that refuses storage costs the person nothing but this.
//
// Several tabs may hold several projects. The last one that changed is what a new tab begins with; those of other tabs are put beside it before it is
// overwritten, so that each tab finds its own again when it is reloaded, and none is lost when its tab is closed.

import { checked, type Project } from "@coopmat/shared/project/project";

const KEY = "coopmat-analyzer.project";
/** Which tab wrote it. */
const WRITER = "coopmat-analyzer.project.writer";
const BEFORE = "coopmat-analyzer.project.before";
const OTHERS = "coopmat-analyzer.project.tab.";
const TAB = "coopmat-analyzer.tab";

/** Projects of tabs that are kept beside the last one. */
const KEPT = 6;

/** The name of this tab, which it keeps when it is reloaded; one that was opened from another tab has a name of its own. */
const tab = (() => {
  try {
    const [navigation] = performance.getEntriesByType("navigation") as PerformanceNavigationTiming[];
    const kept = sessionStorage.getItem(TAB);
    if (kept && navigation?.type === "reload") return kept;
    const made = `${Date.now().toString(36)}-${Math.random().toString(36).slice(2, 8)}`;
    sessionStorage.setItem(TAB, made);
    return made;
  } catch {
    return "";
  }
})();

/** Whether it is kept: private windows and full disks refuse; the link and the download still work. */
export function save(project: Project): boolean {
  try {
    keepOther();
    localStorage.setItem(KEY, JSON.stringify(project));
    localStorage.setItem(WRITER, tab);
    localStorage.removeItem(OTHERS + tab);
    return true;
  } catch {
    return false;
  }
}

/** Puts aside what another tab has written. */
function keepOther() {
  const [writer, theirs] = [localStorage.getItem(WRITER), localStorage.getItem(KEY)];
  if (!writer || writer === tab || !theirs) return;
  try {
    // The names begin with the time at which their tabs were opened.
    const older = others().sort();
    for (const name of older.slice(0, Math.max(0, older.length + 1 - KEPT))) localStorage.removeItem(name);
    localStorage.setItem(OTHERS + writer, theirs);
  } catch {
    // No room for both: the one in view counts.
  }
}

const others = () => Object.keys(localStorage).filter((name) => name.startsWith(OTHERS));

/** What this tab had; a new one begins with what changed last. */
export function restore(): Project | undefined {
  return read(OTHERS + tab) ?? read(KEY);
}

/** What other tabs had that wrote something since, or that are closed. */
export function ofOtherTabs(): Project[] {
  try {
    const names = others().filter((name) => name !== OTHERS + tab);
    const foreign = localStorage.getItem(WRITER) !== tab && localStorage.getItem(WRITER) !== null;
    const all = [...names.sort().reverse(), ...(foreign ? [KEY] : [])];
    return all.flatMap((name) => read(name) ?? []);
  } catch {
    return [];
  }
}

/** Hears when another tab keeps its project. */
export function onOtherTab(listener: (theirs: Project | undefined) => void) {
  window.addEventListener(
    "storage",
    ({ key, newValue }) => key === KEY && newValue !== null && listener(read(KEY)),
  );
}

/** Makes room for files that came by a link: what is kept now stays, as what was before. */
export function setAside() {
  try {
    const own = localStorage.getItem(OTHERS + tab) ?? localStorage.getItem(KEY);
    if (own) localStorage.setItem(BEFORE, own);
  } catch {
    // As above.
  }
}

export const before = () => read(BEFORE);

function read(key: string): Project | undefined {
  try {
    const text = localStorage.getItem(key);
    return text ? checked(JSON.parse(text)) : undefined;
  } catch {
    return undefined;
  }
}
