// Keeps the project on this machine between visits. A browser that refuses storage costs the person nothing but this.

import { checked, type Project } from "./project";

const KEY = "coopmat-analyzer.project";
const THEME = "coopmat-analyzer.theme";

export function save(project: Project) {
  try {
    localStorage.setItem(KEY, JSON.stringify(project));
  } catch {
    // Private windows and full disks refuse; the link and the download still work.
  }
}

export function restore(): Project | undefined {
  try {
    const text = localStorage.getItem(KEY);
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
