// Puts the page together: the module, the language server's worker, the editor, the panes, and what is kept and shared.

import { byId } from "@coopmat/shared/element";
import type { Breakpoint, Options, Project } from "@coopmat/shared/project/project";
import { type Language, start } from "./language/client";
import type { Connection } from "./language/connection";
import { Findings, type Handlers } from "./language/diagnostics";
import { workOffline } from "./offline/register";
import { debugging } from "./panes/debugger";
import { DocumentationPane, wordAtCursor } from "./panes/documentation";
import { Editor } from "./panes/editor";
import { Panes } from "./panes/panes";
import { problems } from "./panes/problems";
import { attachRun, lenses } from "./panes/run";
import type { RunPane } from "./panes/run/pane";
import { SpirvPane } from "./panes/spirv";
import { unfolding } from "./panes/unfold";
import { attachProject } from "./project";
import { Choices } from "./project/choices";
import { keepDisk, pathOf } from "./project/disk";
import { attachModules } from "./project/modules";
import { keptTabs } from "./project/tabs";
import { keepPane, paneBefore } from "./state/appearance";
import { arrive, keeper, type Shown } from "./state/arrival";
import { load } from "./state/gallery";
import { finishEmbed, framed, lockEditor } from "./ui/embed";
import { embed } from "./ui/embed-options";
import { remember, showExample } from "./ui/exchange";
import { gallery } from "./ui/gallery";
import { controls, runButton } from "./ui/header";
import { tellMishaps } from "./ui/mishaps";
import { notify } from "./ui/notice";
import { share } from "./ui/share";
import { showSide, sides } from "./ui/sides";
import { splitter } from "./ui/splitter";
import { cursorPlace, status } from "./ui/status";
import { tabKeys } from "./ui/tabs";
import { tour } from "./ui/tour";
import { Views } from "./ui/view";
import { welcome, whenReady } from "./ui/welcome";
import { WgslFiles } from "./wgsl/files";

type Say = (words: string) => void;

async function open(loading: Promise<WebAssembly.Module>, connection: Connection, say: Say) {
  performance.mark("script");
  const [module, arrival] = await Promise.all([loading, arrive(!embed)]);
  performance.mark("module");
  const { project } = arrival;
  if (arrival.example) remember(project.files);
  const findings = new Findings();
  let editor: Editor | undefined;
  let documentation: DocumentationPane | undefined;
  const handlers: Handlers = {
    page: (uri) => void documentation?.open(uri),
    go: (uri, line, character) => editor?.go(uri, line, character),
  };
  const language: Language = await start(connection, findings, handlers);
  connection.onEnd = (reason) => offerRestart(language, reason);
  editor = new Editor(byId("editor", HTMLElement), byId("tabs", HTMLElement), language, findings);
  // With one of them in view, what leads to a place in the code shows the code.
  editor.onGo = () => showSide("code");
  const first = arrival.linked ? (project.options.view?.pane ?? "run") : (paneBefore() ?? "matrices");
  const panes = new Panes(byId("pane-tabs", HTMLElement), byId("panes", HTMLElement), first);
  let spirv: SpirvPane | undefined;
  let run: RunPane | undefined;
  lockEditor(editor);
  const lens = lenses(editor, panes, () => void run?.run());
  editor.extensions.push(
    unfolding((line) => {
      panes.select("spirv");
      spirv?.reveal(line);
    }),
  );
  const attachDebugger = debugging(editor);
  editor.extensions.push(cursorPlace());
  const choices = new Choices(editor, language, () => keep());
  keepDisk(editor, connection);
  attachModules(editor, language, (name, next) => run?.model.moveData(name, next));
  editor.open(project);
  void choices.opened(project.options.choices ?? []);
  performance.mark("interactive");
  const options: Options = { ...project.options };
  delete options.view;
  const made = editor;
  let breakpoints: Breakpoint[] = project.options.breakpoints ?? [];
  delete options.breakpoints;
  delete options.tabs;
  delete options.choices;
  const current = (): Project => {
    const project: Project = {
      files: made.files(),
      active: made.fileName,
      options: { ...options, ...choices.kept, ...(breakpoints.length > 0 && { breakpoints }) },
    };
    const names = new Set(made.names());
    const tabs = made.tabNames.filter((name) => names.has(name));
    return { ...project, options: { ...project.options, ...keptTabs(project, tabs) } };
  };

  sides();
  const bar = splitter();
  panes.add(problems(editor, findings, panes));
  spirv = new SpirvPane(editor, language);
  panes.add(spirv);
  const attached = attachRun(
    { module, editor, language, findings, panes, options, keep: () => keep() },
    lens,
  );
  run = attached.run;
  const { model: runs } = run;
  const wgsl = new WgslFiles(editor, findings, (name, words) => {
    runs.client.put(name, words);
    connection.putData(pathOf(name), words);
  });
  runs.compile = () => wgsl.compiled();
  runs.compiled = () => wgsl.modules;
  void wgsl.compiled();
  run.locked = embed?.mode === "read";
  const model = attachDebugger(module, run, panes, () => {
    breakpoints = model.wire;
    keep();
  });
  documentation = new DocumentationPane(editor, language, panes);
  panes.add(documentation);
  editor.onPage = (uri) => void documentation?.open(uri, wordAtCursor(made));

  runButton(run);
  const line = status(made, findings, run.model, say, () => panes.select("run"));
  const views = new Views({
    editor,
    panes,
    splitter: bar,
    run,
    matrices: attached.matrices,
    debugger: model,
  });
  const page: Shown = {
    current,
    open(project) {
      // What belongs to the project changes with it; what belongs to the person stays.
      delete options.run;
      delete options.data;
      delete options.device;
      const { breakpoints = [], tabs: _, choices: chosen = [], view, ...others } = project.options;
      Object.assign(options, others);
      made.open(project);
      void choices.opened(chosen);
      model.restore(breakpoints);
      run?.model.opened();
      line.opened();
      if (view) page.look(view);
    },
    view: () => views.take(),
    look: (view) => void views.restore(view, embed?.mode === "read"),
  };
  const keep: () => void = embed ? () => {} : keeper(page, arrival);
  model.restore(breakpoints);
  editor.onChange(keep);
  editor.onChange(() => remark("typed"));
  const { client } = attached.run.model;
  const taking = attachProject({ page, editor, language, findings, choices, client });
  const examples = gallery(async (path) => showExample(page, await load(path)), {
    openFolder: () => taking.ask(true),
  });
  document.body.append(examples);
  byId("gallery", HTMLButtonElement).onclick = () => examples.showModal();
  controls(made, options, keep);
  share(page, taking);
  tour({ page, editor, panes, findings, matrices: attached.matrices, run });
  finishEmbed(page, panes, project);
  tabKeys();
  if (!embed) void workOffline();
  findings.onChange((uri) => {
    if (uri !== made.uri) return;
    remark("diagnostics");
    if (performance.getEntriesByName("first-diagnostics").length === 0) {
      performance.mark("first-diagnostics");
      // Its start would only have delayed them.
      run?.model.client.start();
    }
  });
  if (!embed) panes.onSelect = keepPane;
  const { view } = project.options;
  const ready = whenReady(run.model.client);
  if (view) void views.restore(embed ? framed(view) : view, embed?.mode === "read", ready);
  else if (!embed && !arrival.linked) void welcome(run.model, page, project.files, ready);
  performance.mark("complete");
}

/** The rest of the page goes on without its server. */
function offerRestart(language: Language, reason: string) {
  const act = () => {
    language.restart().catch((error: unknown) => offerRestart(language, String(error)));
  };
  notify(`The language server stopped (${reason}). Your files are kept.`, { label: "Start it again", act });
}

/** When something happened last, for those who measure. */
function remark(name: string) {
  performance.clearMarks(name);
  performance.mark(name);
}

/** Called by the first script, which has begun to load the module and to start the server. */
export function begin(module: Promise<WebAssembly.Module>, connection: Connection, say: Say) {
  tellMishaps();
  open(module, connection, say).catch((error: unknown) => {
    say(`This page cannot start: ${error instanceof Error ? error.message : error}`);
  });
}
