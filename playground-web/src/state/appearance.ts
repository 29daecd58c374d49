// How the page looks for this person: colours, the division between code and results, whether the introduction was read. It is put on the root element
// by the first script, as soon as it runs, and depends on nothing.

const THEME = "coopmat-analyzer.theme";
const LAYOUT = "coopmat-analyzer.layout";
const PANE = "coopmat-analyzer.pane";
const INTRODUCED = "coopmat-analyzer.introduced";
const PROJECT = "coopmat-analyzer.project";

export type Theme = "light" | "dark";

/** How much of the page the code has, in percent: of its width, or of its height where the results lie below it. */
export interface Layout {
  columns: number;
  rows: number;
}

export const EVEN: Layout = { columns: 50, rows: 50 };
export const NARROWEST = 15;
export const WIDEST = 85;

/** A browser that keeps nothing for the page refuses even to be asked. */
function read(key: string): string | null {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function write(key: string, value: string) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // It costs the person nothing but this.
  }
}

export function theme(): Theme {
  const kept = read(THEME);
  if (kept === "light" || kept === "dark") return kept;
  return matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light";
}

export const keepTheme = (theme: Theme) => write(THEME, theme);

export const isShare = (value: unknown): value is number =>
  typeof value === "number" && value >= NARROWEST && value <= WIDEST;

export function layout(): Layout {
  try {
    const { columns, rows } = JSON.parse(read(LAYOUT) ?? "{}") as Partial<Record<keyof Layout, unknown>>;
    return { columns: isShare(columns) ? columns : EVEN.columns, rows: isShare(rows) ? rows : EVEN.rows };
  } catch {
    return { ...EVEN };
  }
}

export const keepLayout = (layout: Layout) => write(LAYOUT, JSON.stringify(layout));

/** The pane that was in view last. */
export const paneBefore = () => read(PANE) ?? undefined;

export const keepPane = (id: string) => write(PANE, id);

export const keepIntroduced = () => write(INTRODUCED, "yes");

export function putLayout({ columns, rows }: Layout) {
  const { style } = document.documentElement;
  style.setProperty("--columns", `${columns}%`);
  style.setProperty("--rows", `${rows}%`);
}

/** As early as can be: little jumps and nothing flashes afterwards. */
export function putAppearance() {
  const { dataset } = document.documentElement;
  dataset.theme = theme();
  putLayout(layout());
  if (read(INTRODUCED) === null) dataset.introduction = "";
  // Who has files here comes for them; who has none sees a finished run first.
  dataset.side = read(PROJECT) === null && !location.hash ? "result" : "code";
}
