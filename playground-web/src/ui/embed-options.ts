// What an embedded page is asked for in its address, and the HTML that embeds one.

/** The words of the dialog for each mode. */
export const MODES = {
  edit: "can edit and run",
  run: "can run, not edit",
  read: "can read",
} as const;

export type Mode = keyof typeof MODES;

export interface EmbedOptions {
  mode: Mode;
  pane: "none" | "spirv" | "run";
  theme: "auto" | "light" | "dark";
  height: number;
}

export const DEFAULTS: EmbedOptions = { mode: "run", pane: "none", theme: "auto", height: 420 };

const isMode = (text: string | null): text is Mode => text !== null && Object.hasOwn(MODES, text);

/** `undefined`: the page is not embedded. What is not known is left at its default. */
export function readEmbed(search: string): Omit<EmbedOptions, "height"> | undefined {
  const asked = new URLSearchParams(search);
  const value = asked.get("embed");
  if (value === null || value === "0") return undefined;
  const mode = asked.get("mode");
  const pane = asked.get("pane");
  const theme = asked.get("theme");
  return {
    mode: isMode(mode) ? mode : DEFAULTS.mode,
    pane: pane === "spirv" || pane === "run" ? pane : "none",
    theme: theme === "light" || theme === "dark" ? theme : "auto",
  };
}

const escaped = (text: string) =>
  text.replaceAll("&", "&amp;").replaceAll('"', "&quot;").replaceAll("<", "&lt;");

/** `page`: the address of the page with the files behind its `#`. */
export function snippet(
  page: string,
  name: string,
  options: EmbedOptions,
): { address: string; html: string } {
  const address = new URL(page);
  address.search = "";
  address.searchParams.set("embed", "1");
  address.searchParams.set("mode", options.mode);
  if (options.pane !== "none") address.searchParams.set("pane", options.pane);
  if (options.theme !== "auto") address.searchParams.set("theme", options.theme);
  const html =
    `<iframe src="${escaped(address.href)}" title="${escaped(`${name} in the playground of coopmat-analyzer`)}" ` +
    `width="100%" height="${options.height}" style="border: 1px solid #cfd6de; border-radius: 6px" loading="lazy" ` +
    `allow="clipboard-write"></iframe>`;
  return { address: address.href, html };
}

/** The whole playground with the same files. */
export function unembedded(page: string): string {
  const address = new URL(page);
  address.search = "";
  return address.href;
}

/** What this page is asked for. */
export const embed = typeof location === "undefined" ? undefined : readEmbed(location.search);

/** Before anything is drawn: what the style sheet goes by. */
export function prepareEmbed() {
  if (!embed) return;
  const { dataset } = document.documentElement;
  dataset.embed = embed.mode;
  dataset.pane = embed.pane;
  if (embed.theme !== "auto") dataset.theme = embed.theme;
}
