// Takes what is dropped or picked: folders, archives, build logs, single files. Those that come as a whole take the place of what is open, with a way
// back; single ones are added. Logs become imports of the project file.

import type { TomlEdit } from "@coopmat/shared/messages";
import { checked, type Project, type File as ProjectFile } from "@coopmat/shared/project/project";
import { beside, isRecipe, isShader, isWords, shaderOf } from "../recipe/names";
import { set } from "../recipe/toml";
import { hasManifest, unpack } from "../state/archive";
import type { Shown } from "../state/arrival";
import { replace } from "../ui/exchange";
import { notify } from "../ui/notice";
import { type Entry, isArchive, ofArchive, ofDrop, ofFiles } from "./entries";
import { type Gathered, gather, leftInWords, mayMatter } from "./gather";
import { readProjectFile } from "./options";
import { missing, projectFileFor, settle } from "./places";

export interface Parts {
  page: Shown;
  /** The text of a TOML file, changed. */
  edit(text: string, edit: TomlEdit): Promise<string>;
}

export class Taking {
  constructor(private readonly parts: Parts) {
    const { documentElement } = document;
    // Whatever is dropped outside of a field that takes files itself.
    const files = (event: DragEvent) =>
      event.dataTransfer?.types.includes("Files") === true && !event.defaultPrevented;
    const over = (event: DragEvent) => {
      if (!files(event)) return;
      event.preventDefault();
      documentElement.classList.add("dropping");
    };
    const take = (event: DragEvent) => {
      documentElement.classList.remove("dropping");
      if (!files(event) || !event.dataTransfer) return;
      event.preventDefault();
      void this.guarded("What was dropped", ofDrop(event.dataTransfer));
    };
    document.addEventListener("dragover", over);
    document.addEventListener("drop", take);
    // The editor would put the text of a dropped file at the place where it falls.
    const inEditor = (act: (event: DragEvent) => void) => (event: DragEvent) => {
      if (!files(event) || !(event.target as Element | null)?.closest?.(".cm-editor")) return;
      event.stopPropagation();
      act(event);
    };
    document.addEventListener("dragover", inEditor(over), { capture: true });
    document.addEventListener("drop", inEditor(take), { capture: true });
    document.addEventListener("dragleave", ({ relatedTarget }) => {
      if (relatedTarget === null) documentElement.classList.remove("dropping");
    });
  }

  /** Files or a folder that were picked. */
  async take(files: readonly File[]) {
    const [first] = files;
    if (!first) return;
    const folder = first.webkitRelativePath.replace(/\/.*$/, "");
    await this.guarded(
      folder || first.name,
      Promise.resolve().then(() => ofFiles(files)),
    );
  }

  /** Asks for files, or for a folder. */
  ask(folder: boolean) {
    const input = document.createElement("input");
    input.type = "file";
    input.multiple = true;
    input.webkitdirectory = folder;
    input.onchange = () => void this.take(Array.from(input.files ?? []));
    input.click();
  }

  private async guarded(what: string, entries: Promise<Entry[]>) {
    let name = what;
    try {
      const all = await entries;
      const roots = new Set(all.map(({ path }) => path.replace(/\/.*$/, "")));
      if (roots.size === 1) [name = what] = roots;
      await this.open(name, all);
    } catch (error) {
      const why = error instanceof Error ? error.message : error;
      notify(`${name} cannot be opened: ${why}. Your own files are untouched.`);
    }
  }

  private async open(name: string, entries: readonly Entry[]) {
    const [only] = entries;
    if (!only) throw new Error("it holds no files");
    if (entries.length === 1 && isArchive(only.path)) {
      const bytes = await only.bytes();
      // One that this page made holds a whole project.
      if (/\.zip$/i.test(only.path) && hasManifest(bytes)) {
        const { project, left } = unpack(bytes);
        const lacks = left.length > 0 ? ` Left out: ${left.slice(0, 5).join(", ")}.` : "";
        replace(this.parts.page, project, `${only.path} is open.${lacks}`);
        return;
      }
      await this.put(only.path, await gather(ofArchive(only.path, bytes, mayMatter), false), true);
      return;
    }
    const folders = entries.some(({ path }) => path.includes("/"));
    // What stands beside a dropped folder was picked by itself.
    await this.put(name, await gather(entries, !folders), folders);
  }

  /** `whole`: in the place of what is open. */
  private async put(name: string, gathered: Gathered, whole: boolean) {
    const { page } = this.parts;
    const now = page.current();
    const { files: settled, moved } = whole ? settle(gathered.files) : { files: gathered.files };
    if (settled.length === 0 && gathered.data.length === 0)
      throw new Error(
        `it holds no shaders, project files or build logs.${leftInWords(gathered.left)}`.replace(/\.$/, ""),
      );
    const names = new Set(settled.map((file) => file.name));
    const kept = whole ? [] : now.files.filter((file) => !names.has(file.name));
    const own = (log: string) =>
      settled.find((file) => file.name === log || file.name.endsWith(`/${log}`))?.name ?? log;
    const logs = gathered.logs.map(own);
    const files = await this.withImports([...kept, ...settled], logs);
    const modules = gathered.data.map(({ name }) => name).filter(isWords);
    const active = whole
      ? first(files, modules)
      : first(
          settled.filter((file) => !logs.includes(file.name)),
          modules,
        ) || now.active;
    const options = whole ? {} : now.options;
    const others = (options.data ?? []).filter((one) => !gathered.data.some(({ name }) => name === one.name));
    const data = [...others, ...gathered.data];
    const project: Project = checked({
      files,
      active,
      options: { ...options, ...(data.length > 0 && { data }) },
    });
    // Tabs that were open stay so, and what came is opened beside them.
    if (project.options.tabs && !whole)
      project.options.tabs = [...project.options.tabs, ...settled.map((file) => file.name), ...modules].slice(
        0,
        32,
      );
    const count = settled.length + gathered.data.length;
    const words = [
      whole
        ? `${name} is open: ${count === 1 ? "1 file" : `${count.toLocaleString("en")} files`}.`
        : count === 1
          ? `${settled[0]?.name ?? gathered.data[0]?.name} is added.`
          : `${count} files are added.`,
      moved ? ` They lie in ${moved}, where the project file has them.` : "",
      logs.length > 0 ? ` Configurations come from ${logs.join(", ")}.` : "",
      this.unmatched(files, logs),
      leftInWords(gathered.left),
    ];
    replace(page, project, words.join(""));
  }

  /** Project files that import the logs, and what they import already. */
  private async withImports(files: readonly ProjectFile[], logs: readonly string[]): Promise<ProjectFile[]> {
    const all = new Map(files.map(({ name, text }) => [name, text]));
    for (const log of logs) {
      const name = projectFileFor(log, [...all.keys()]);
      const text = all.get(name) ?? "";
      const table = readProjectFile(text)?.table;
      if (!table) throw new Error(`${name} has a mistake: mend it before it is to import ${log}`);
      const path = log.slice(name.lastIndexOf("/") + 1);
      const before = typeof table.import === "string" ? [table.import] : table.import;
      const imported = Array.isArray(before) ? before.map(String) : [];
      if (imported.includes(path)) continue;
      // Behind those that are there, so that comments between them stay.
      const edit =
        Array.isArray(table.import) && imported.length > 0
          ? set(["import", imported.length], path)
          : set(["import"], [...imported, path]);
      all.set(name, await this.parts.edit(text, edit));
    }
    return Array.from(all, ([name, text]) => ({ name, text }));
  }

  private unmatched(files: readonly ProjectFile[], logs: readonly string[]): string {
    const names = files.map(({ name }) => name);
    const lacking = new Set(
      logs.flatMap((log) => missing(files.find(({ name }) => name === log)?.text ?? "", names)),
    );
    if (lacking.size === 0) return "";
    const some = [...lacking].slice(0, 4).join(", ");
    return ` ${lacking.size} of the shaders that are compiled there ${lacking.size === 1 ? "is" : "are"} not among these files: ${some}${lacking.size > 4 ? " …" : ""}. Drop their folder.`;
  }
}

/** What is shown first of many files: a shader that has a recipe, one with cooperative matrices, any. */
function first(files: readonly ProjectFile[], modules: readonly string[]): string {
  const shaders = files.filter(({ name }) => name.endsWith(".comp"));
  const all = [...files.map(({ name }) => name), ...modules];
  const names = new Set(all);
  const found =
    shaders.find(({ name }) => names.has(beside(name))) ??
    shaders.find(({ text }) => /\bcoopmat\b|coopMat/.test(text)) ??
    shaders[0];
  const ofRecipes = files.flatMap(({ name, text }) =>
    isRecipe(name) ? (shaderOf(name, text, all) ?? []) : [],
  );
  return found?.name ?? ofRecipes[0] ?? all.find(isShader) ?? all[0] ?? "";
}
