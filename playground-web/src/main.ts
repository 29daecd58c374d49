// Puts the page together: the module, the language server's worker, the editor, the panes, and what is kept and shared.

import moduleAddress from "../pkg/coopmat_bg.wasm?url";
import { type Language, start } from "./language/client";
import { type Connection, connect } from "./language/connection";
import { Findings, type Handlers } from "./language/diagnostics";
import { Editor } from "./panes/editor";
import { Panes } from "./panes/panes";
import { problems } from "./panes/problems";
import { SpirvPane } from "./panes/spirv";
import { examples, load } from "./state/gallery";
import type { Options, Project } from "./state/project";
import { decode, encode } from "./state/share";
import { keepTheme, restore, save, theme } from "./state/store";
import { byId, element } from "./ui/element";

const status = byId("status", HTMLElement);
const say = (text: string) => {
  status.textContent = text;
};

const DEFAULT = "khr/gemm.comp";

/** What the address carries, what was here last time, or the first example: in this order. */
async function initial(): Promise<{ project: Project; notice?: string }> {
  let notice: string | undefined;
  try {
    const shared = decode(location.hash);
    if (shared) return { project: shared };
  } catch (error) {
    notice = `The link cannot be opened: ${error instanceof Error ? error.message : error}. Your own files are untouched.`;
  }
  const kept = restore();
  if (kept) return { project: kept, ...(notice && { notice }) };
  const files = await load(DEFAULT);
  return { project: { files, active: files[0]?.name ?? "", options: {} }, ...(notice && { notice }) };
}

async function open() {
  performance.mark("start");
  document.documentElement.dataset.theme = theme();
  const [module, { project, notice }] = await Promise.all([
    WebAssembly.compileStreaming(fetch(moduleAddress)),
    initial(),
  ]);
  const findings = new Findings();
  let editor: Editor | undefined;
  const handlers: Handlers = {
    page: (uri) => say(uri),
    go: (uri, line, character) => editor?.go(uri, line, character),
  };
  const connection: Connection = await connect(module, (reason) => {
    say(`The language server stopped (${reason}). Reload the page to start it again; your files are kept.`);
  });
  const language: Language = await start(connection, findings, handlers);
  editor = new Editor(byId("editor", HTMLElement), byId("tabs", HTMLElement), language, findings);
  editor.open(project);
  performance.mark("interactive");
  const options: Options = { ...project.options };
  const made = editor;
  const current = (): Project => ({ files: made.files(), active: made.activeName, options });

  const panes = new Panes(byId("pane-tabs", HTMLElement), byId("panes", HTMLElement));
  panes.add(problems(editor, findings));
  panes.add(new SpirvPane(editor, language));

  let saving: ReturnType<typeof setTimeout> | undefined;
  const keep = () => {
    clearTimeout(saving);
    saving = setTimeout(() => save(current()), 400);
  };
  editor.onChange(keep);
  keep();
  gallery(made, options);
  controls(made, options, current, keep);
  findings.onChange((uri) => {
    if (uri !== made.uri) return;
    if (performance.getEntriesByName("first-diagnostics").length === 0) performance.mark("first-diagnostics");
    const { errors, warnings } = findings.count(uri);
    say(`${made.activeName}: ${errors} errors, ${warnings} warnings`);
  });
  if (notice) byId("notice", HTMLElement).append(message(notice));
  say("Ready");
}

/** A message that stays until it is put away. */
function message(text: string) {
  const notice = element("p", { className: "notice" }, text, " ");
  notice.append(element("button", { type: "button", title: "Close", onclick: () => notice.remove() }, "×"));
  return notice;
}

function gallery(editor: Editor, options: Options) {
  const select = byId("gallery", HTMLSelectElement);
  select.append(element("option", { value: "" }, "Open …"));
  for (const { path, summary } of examples()) {
    select.append(
      element("option", { value: path, title: summary }, summary ? `${path} – ${summary}` : path),
    );
  }
  select.onchange = async () => {
    if (!select.value) return;
    const files = await load(select.value);
    editor.open({ files, active: files[0]?.name ?? "", options });
    select.value = "";
  };
}

function controls(editor: Editor, options: Options, current: () => Project, keep: () => void) {
  byId("share", HTMLButtonElement).onclick = async () => {
    history.replaceState(null, "", encode(current()));
    try {
      await navigator.clipboard.writeText(location.href);
      say(`Link copied: ${location.href.length} characters. The files are in the link itself.`);
    } catch {
      say("The link is in the address bar. The files are in the link itself.");
    }
  };
  byId("theme", HTMLButtonElement).onclick = () => {
    const next = document.documentElement.dataset.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = next;
    keepTheme(next);
  };
  const vim = byId("vim", HTMLButtonElement);
  const useVim = (on: boolean) => {
    options.vim = on;
    vim.setAttribute("aria-pressed", String(on));
    void editor.useVim(on);
  };
  useVim(options.vim ?? false);
  vim.onclick = () => {
    useVim(!options.vim);
    keep();
  };
}

open().catch((error: unknown) => {
  say(`This page cannot start: ${error instanceof Error ? error.message : error}`);
});
