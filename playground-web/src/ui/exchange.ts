// Puts another project before the person, who can go back: nobody's files are lost by looking at others.

import type { File, Project } from "@coopmat/shared/project/project";
import type { Shown } from "../state/arrival";
import { setAside } from "../state/store";
import { notify } from "./notice";

/** The example that was opened last, as it came. */
let example = "";

/** Remembers an example that the page shows. */
export function remember(files: readonly File[]) {
  example = JSON.stringify(files);
}

/** Puts the message about the last exchange away: one way back is enough. */
let putAway = () => {};

export function replace(page: Shown, project: Project, words: string) {
  const now = page.current();
  setAside();
  page.open(project);
  putAway();
  putAway = notify(words, { label: "Go back", act: () => page.open(now) });
}

/** An example takes the place of another one without a word, but not of what somebody wrote. */
export function showExample(page: Shown, files: File[]) {
  const project: Project = { files, active: files[0]?.name ?? "", options: {} };
  const { files: shown } = page.current();
  const written = JSON.stringify(shown) !== example;
  remember(files);
  if (written) replace(page, project, `${project.active} is open in place of your files.`);
  else page.open(project);
}
