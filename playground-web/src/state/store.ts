// Keeps the project on this machine between visits. A browser that refuses storage costs the person nothing but this.

import { checked, type Project } from "./project";

const KEY = "coopmat-analyzer.project";
const BEFORE = "coopmat-analyzer.project.before";
const THEME = "coopmat-analyzer.theme";

/** Whether it is kept: private windows and full disks refuse; the link and the download still work. */
export function save(project: Project): boolean {
  try {
    localStorage.setItem(KEY, JSON.stringify(project));
    return true;
  } catch {
    return false;
  }
}

export const restore = () => read(KEY);

/** Makes room for files that came by a link: what is kept now stays, as what was before. */
export function setAside() {
  try {
    const own = localStorage.getItem(KEY);
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

export type Theme = "light" | "dark";

export function theme(): Theme {
  const kept = (() => {
    try {
      return localStorage.getItem(THEME);
    } catch {
      return null;
    }
  })();
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export function keepTheme(theme: Theme) {
  try {
    localStorage.setItem(THEME, theme);
  } catch {
    // As above.
  }
}
