// The dialog behind "Share": the link, the snippet that embeds it, and the files as an archive, both ways.

import { byId, element } from "@coopmat/shared/element";
import { grouped } from "@coopmat/shared/views/numbers";
import type { Taking } from "../project/take";
import { pack } from "../state/archive";
import type { Shown } from "../state/arrival";
import { type Link, link } from "../state/arrival";
import { at, published, reach } from "../state/published";
import { before, ofOtherTabs } from "../state/store";
import { copyable, dialog } from "./dialog";
import { save } from "./download";
import { DEFAULTS, type EmbedOptions, MODES, snippet } from "./embed-options";
import { replace } from "./exchange";

export function share(page: Shown, taking: Taking) {
  byId("share", HTMLButtonElement).onclick = () => void open(page, taking);
}

async function open(page: Shown, taking: Taking) {
  const project = page.current();
  const made = await link(project, page.view());
  const box = dialog(
    "Share",
    linkPart(made),
    ...(made.tooLong ? [] : [embedPart(made.address, project.active)]),
    filesPart(page, taking, () => box.close()),
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

function filesPart(page: Shown, taking: Taking, done: () => void) {
  const project = page.current();
  const name = `${project.active.replace(/^.*\//, "").replace(/\.[^.]*$/, "") || "shaders"}.zip`;
  const file = element("input", { type: "file", multiple: true, hidden: true });
  file.onchange = () => {
    done();
    void taking.take(Array.from(file.files ?? []));
  };
  const folder = () => {
    done();
    taking.ask(true);
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
      element("button", { type: "button", onclick: () => file.click() }, "Open files or an archive …"),
      file,
      element("button", { type: "button", onclick: folder }, "Open a folder …"),
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
      "Files, folders, archives and build logs can be dropped on the page, too. The browser keeps them here between visits.",
    ),
  );
  return part;
}
