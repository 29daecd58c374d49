// The dialog behind "Share": the link, the snippet that embeds it, and the files as an archive, both ways.

import { byId, element } from "@coopmat/shared/element";
import { checked, LIMITS } from "@coopmat/shared/project/project";
import { grouped } from "@coopmat/shared/views/numbers";
import { pack, unpack } from "../state/archive";
import type { Shown } from "../state/arrival";
import { type Link, link } from "../state/arrival";
import { at, published, reach } from "../state/published";
import { before, ofOtherTabs } from "../state/store";
import { copyable, dialog } from "./dialog";
import { save } from "./download";
import { DEFAULTS, type EmbedOptions, MODES, snippet } from "./embed-options";
import { replace } from "./exchange";
import { notify } from "./notice";

const ARCHIVE = 16 << 20;

export function share(page: Shown) {
  byId("share", HTMLButtonElement).onclick = () => void open(page);
  acceptDrops(page);
}

async function open(page: Shown) {
  const project = page.current();
  const made = await link(project, page.view());
  const box = dialog(
    "Share",
    linkPart(made),
    ...(made.tooLong ? [] : [embedPart(made.address, project.active)]),
    filesPart(page, () => box.close()),
  );
  box.classList.add("share");
  box.querySelector<HTMLButtonElement>(".copyable button")?.focus();
}

function linkPart({ address, left, tooLong, example }: Link) {
  const count = grouped(address.length);
  if (tooLong)
    return element(
      "section",
      {},
      element("h3", {}, "Link"),
      element(
        "p",
        { className: "problem" },
        `These files are too large for a link: it would have ${count} characters, and browsers open at most 2,000,000. Send the archive instead.`,
      ),
    );
  const long =
    address.length > 8000
      ? " Some programs cut links of more than 8,000 characters: send the archive then."
      : "";
  const lacks =
    left.length > 0
      ? [
          element(
            "p",
            { className: "problem" },
            `Too large for a link, and left out of it: ${left.join(", ")}. The archive has everything.`,
          ),
        ]
      : [];
  return element(
    "section",
    {},
    element("h3", {}, "Link"),
    ...lacks,
    copyable(
      element("input", { type: "text", value: address, className: "share-link" }),
      "Link to these files",
    ),
    ...elsewhere(address),
    element(
      "p",
      { className: "faint" },
      example
        ? `${count} characters. Nobody has changed the example ${example}, so the link names it; once it is changed, the files are in the link itself.`
        : `${count} characters. The files are in the link itself: it works without a server that knows them.${long}`,
    ),
  );
}

const NOWHERE_ELSE = {
  machine: "This link works on this machine only, because the page is served from here.",
  network: "This link works in your network only, because the page is served from there.",
};

/** For a page that others cannot reach: says so, and has the same link to the page that is published. */
function elsewhere(address: string): Node[] {
  const where = reach(address);
  if (where === "everyone") return [];
  return [
    element(
      "p",
      { className: "share-reach" },
      `${NOWHERE_ELSE[where]} This one, for others, opens the same files on the public page:`,
    ),
    copyable(
      element("input", {
        type: "text",
        value: at(published(), address),
        className: "share-public-link",
      }),
      "Link to these files on the public page",
    ),
    element(
      "p",
      { className: "faint" },
      "The public page must be as new as this one: an older version ignores what it does not know.",
    ),
  ];
}

/** `link`: to these files on this page. */
function embedPart(link: string, name: string) {
  const options: EmbedOptions = { ...DEFAULTS };
  let page = link;
  const text = element("textarea", { rows: 4, spellcheck: false, className: "share-embed" });
  const preview = element("a", { target: "_blank", rel: "noopener" }, "See it");
  const draw = () => {
    const made = snippet(page, name, options);
    text.value = made.html;
    preview.href = made.address;
  };
  const pick = <K extends "mode" | "pane" | "theme">(
    label: string,
    key: K,
    choices: Record<string, string>,
  ) => {
    const select = element("select", { ariaLabel: label });
    for (const [value, words] of Object.entries(choices)) select.append(element("option", { value }, words));
    select.value = options[key];
    select.onchange = () => {
      options[key] = select.value as EmbedOptions[K];
      draw();
    };
    return element("label", {}, `${label} `, select);
  };
  const height = element("input", {
    type: "number",
    min: "160",
    max: "2000",
    step: "20",
    value: String(options.height),
    ariaLabel: "Height in pixels",
  });
  height.oninput = () => {
    options.height = height.valueAsNumber || DEFAULTS.height;
    draw();
  };
  const host: Node[] = [];
  if (reach(link) !== "everyone") {
    // Whoever embeds the files wants others to see them.
    const select = element("select", { ariaLabel: "Page" });
    select.append(
      element("option", { value: at(published(), link) }, "the public page"),
      element("option", { value: link }, "this page"),
    );
    page = select.value;
    select.onchange = () => {
      page = select.value;
      draw();
    };
    host.push(element("label", {}, "Page ", select));
  }
  draw();
  return element(
    "section",
    {},
    element("h3", {}, "Embed"),
    element(
      "div",
      { className: "bar" },
      ...host,
      pick("Readers", "mode", MODES),
      pick("Beside the code", "pane", { none: "nothing", spirv: "SPIR-V", run: "run" }),
      pick("Colours", "theme", { auto: "as the reader's", light: "light", dark: "dark" }),
      element("label", {}, "Height ", height),
      preview,
    ),
    copyable(text, "HTML that embeds these files"),
  );
}

function filesPart(page: Shown, done: () => void) {
  const project = page.current();
  const name = `${project.active.replace(/^.*\//, "").replace(/\.[^.]*$/, "") || "shaders"}.zip`;
  const file = element("input", {
    type: "file",
    accept: ".zip,.comp,.glsl,.h,.toml",
    multiple: true,
    hidden: true,
  });
  file.onchange = () => {
    done();
    void take(page, Array.from(file.files ?? []));
  };
  const part = element(
    "section",
    {},
    element("h3", {}, "Files"),
    element(
      "div",
      { className: "bar" },
      element(
        "button",
        { type: "button", onclick: () => save(name, pack(project), "application/zip") },
        `Download ${name}`,
      ),
      element("button", { type: "button", onclick: () => file.click() }, "Open files or a .zip …"),
      file,
    ),
  );
  const kept = before();
  if (kept) {
    const back = () => {
      done();
      replace(page, kept, "These are the files from before the last link or archive.");
    };
    part
      .querySelector(".bar")
      ?.append(element("button", { type: "button", onclick: back }, "Back to the files before"));
  }
  for (const other of ofOtherTabs()) {
    const back = () => {
      done();
      replace(page, other, "These are the files of another tab.");
    };
    part
      .querySelector(".bar")
      ?.append(element("button", { type: "button", onclick: back }, `${other.active} of another tab`));
  }
  part.append(
    element(
      "p",
      { className: "faint" },
      "Files can be dropped on the page, too. The browser keeps them here between visits.",
    ),
  );
  return part;
}

/** Opens an archive, or adds files to those that are open. */
async function take(page: Shown, files: readonly File[]) {
  try {
    const [first] = files;
    if (!first) return;
    if (files.length === 1 && /\.zip$/i.test(first.name)) {
      if (first.size > ARCHIVE) throw new Error("it is larger than 16 MiB");
      const { project, left } = unpack(new Uint8Array(await first.arrayBuffer()));
      const lacks = left.length > 0 ? ` Left out: ${left.slice(0, 5).join(", ")}.` : "";
      replace(page, project, `${first.name} is open.${lacks}`);
      return;
    }
    const large = files.find(({ size }) => size > LIMITS.text);
    if (large) throw new Error(`${large.name} is larger than 4 MiB`);
    const read = await Promise.all(files.map(async (one) => ({ name: one.name, text: await one.text() })));
    const binary = read.find(({ text }) => text.includes("\0"));
    if (binary) throw new Error(`${binary.name} holds no text`);
    const now = page.current();
    const names = new Set(read.map(({ name }) => name));
    const kept = now.files.filter(({ name }) => !names.has(name));
    const active = read[0]?.name ?? now.active;
    replace(page, checked({ ...now, files: [...kept, ...read], active }), "The files are added.");
  } catch (error) {
    const why = error instanceof Error ? error.message : error;
    notify(`${files[0]?.name ?? "The file"} cannot be opened: ${why}. Your own files are untouched.`);
  }
}

/** Whatever is dropped outside of a field that takes files itself. */
function acceptDrops(page: Shown) {
  const files = (event: DragEvent) => event.dataTransfer?.types.includes("Files") && !event.defaultPrevented;
  document.addEventListener("dragover", (event) => files(event) && event.preventDefault());
  document.addEventListener("drop", (event) => {
    if (!files(event)) return;
    event.preventDefault();
    void take(page, Array.from(event.dataTransfer?.files ?? []));
  });
}
