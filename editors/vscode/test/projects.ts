// Parts that have a project of their own: a folder that is opened for them. Each try has another one, so that nothing is kept from the first;
// and the users' settings are what they were afterwards.

import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { Editor } from "./editor.ts";
import type { Check, Report } from "./report.ts";

type Settings = Record<string, unknown>;

export interface Project {
  folder: string;
  path(name: string): string;
  write(name: string, text: string): Promise<void>;
  read(name: string): Promise<string>;
  /** Opens it, or a file with folders of it. */
  open(name?: string): Promise<void>;
  /** Of the users, until the part ends. */
  settings(change: (settings: Settings) => void): Promise<void>;
}

/** Nobody has trusted what is opened, and nobody asks. */
export function untrusted(users: Settings) {
  users["security.workspace.trust.enabled"] = true;
  users["security.workspace.trust.startupPrompt"] = "never";
  users["security.workspace.trust.banner"] = "never";
}

export class Projects {
  readonly editor: Editor;
  private readonly report: Report;
  private readonly workspace: string;
  private readonly settings: string;
  private readonly start: (folder: string) => Promise<void>;

  /** `settings`: the file of the users' own. */
  constructor(
    editor: Editor,
    report: Report,
    workspace: string,
    settings: string,
    start: (folder: string) => Promise<void>,
  ) {
    this.editor = editor;
    this.report = report;
    this.workspace = workspace;
    this.settings = settings;
    this.start = start;
  }

  picture(name: string): Promise<string> {
    return this.report.picture(name);
  }

  /** With the native server. `files` are texts by their paths, or a folder that is copied. */
  part(
    name: string,
    files: Record<string, string> | string,
    act: (check: Check, project: Project) => Promise<void>,
  ): Promise<void> {
    let tries = 0;
    return this.report.part(name, ["native"], async (check) => {
      const folder = `${this.workspace}-${name}-${++tries}`;
      await rm(folder, { recursive: true, force: true });
      const before = await readFile(this.settings, "utf8");
      const path = (name: string) => join(folder, name);
      const project: Project = {
        folder,
        path,
        write: async (name, text) => {
          await mkdir(dirname(path(name)), { recursive: true });
          await writeFile(path(name), text);
        },
        read: (name) => readFile(path(name), "utf8"),
        open: (name) => this.start(name === undefined ? folder : path(name)),
        settings: async (change) => {
          const settings: Settings = JSON.parse(await readFile(this.settings, "utf8"));
          change(settings);
          await writeFile(this.settings, JSON.stringify(settings));
        },
      };
      if (typeof files === "string") await cp(files, folder, { recursive: true });
      else for (const [name, text] of Object.entries(files)) await project.write(name, text);
      try {
        await act(check, project);
      } finally {
        await writeFile(this.settings, before);
      }
    });
  }
}
