// What the page shows when it is opened: what the address carries, what was here last time, or an example, in this order. And what is kept
// from then on: a link puts nobody's own files aside without giving them back.

import { dataFits, LIMITS, type Options, type Project } from "@coopmat/shared/project/project";
import { decode, encode, isLink } from "@coopmat/shared/project/share";
import type { View } from "@coopmat/shared/project/view";
import { notify } from "../ui/notice";
import { load } from "./gallery";
import { exampleOf, resolved } from "./reference";
import { onOtherTab, restore, save, setAside } from "./store";

const DEFAULT = "khr/gemm.comp";

const reason = (error: unknown) => (error instanceof Error ? error.message : String(error));

const broken = (error: unknown) =>
  `The link cannot be opened: ${reason(error)}. Your own files are untouched.`;

export interface Arrival {
  project: Project;
  /** It came by the address. */
  linked: boolean;
  /** Nobody's own: it is what the page shows who has nothing yet. */
  example: boolean;
  notice?: string;
}

/** `own`: whether what is kept on this machine counts; an embedded page shows what its address carries, or the example. */
export async function arrive(own: boolean): Promise<Arrival> {
  let notice: string | undefined;
  try {
    const shared = decode(location.hash);
    if (shared) {
      const project = personal(await resolved(shared), own ? restore() : undefined);
      addressed = { hash: location.hash, project };
      return { project, linked: true, example: false };
    }
  } catch (error) {
    notice = broken(error);
  }
  const kept = own ? restore() : undefined;
  const project = kept ?? (await example());
  return { project, linked: false, example: !kept, ...(notice && { notice }) };
}

async function example(): Promise<Project> {
  const files = await load(DEFAULT);
  return { files, active: files[0]?.name ?? "", options: {} };
}

/** What the link in the address bar stands for. */
let addressed: { hash: string; project: Project } | undefined;

const inAddress = () => (addressed?.hash === location.hash ? addressed.project : undefined);

/** The link in the address bar, as long as what is shown is what came by it. */
export function hashOf(project: Project): string | undefined {
  const known = inAddress();
  return known && same(project, known) ? location.hash : undefined;
}

/** Where the page shows projects. */
export interface Shown {
  /** With what was in view, where the project says so. */
  open(project: Project): void;
  current(): Project;
  /** What is in view now. */
  view(): View;
  /** Shows the same files as a link had them in view. */
  look(view: View): void;
}

/** What belongs to the project; the rest is the person's. */
const content = ({ files, options: { vim: _, view: __, tabs: ___, ...options } }: Project) =>
  JSON.stringify({ files, options });

const same = (a: Project, b: Project) => content(a) === content(b);

/** Another person's project, with this person's keys. */
function personal(shared: Project, own: Project | undefined): Project {
  const { vim: _, ...options } = shared.options;
  const vim = own?.options.vim;
  return { ...shared, options: { ...options, ...(vim !== undefined && { vim }) } };
}

/** Keeps what the person does from now on. Answers with what is to be called after each change. */
export function keeper(page: Shown, arrival: Arrival): () => void {
  /** What the link in the address carries; the address is no longer true once something else is shown. */
  let linked = arrival.linked ? arrival.project : undefined;
  if (linked) offerOwn(page, linked);
  if (arrival.notice) notify(arrival.notice);

  /** Answers whether there is something of the person's own. */
  const storeOwn = () => {
    const now = page.current();
    if (linked) {
      if (same(now, linked)) return false;
      setAside();
      linked = undefined;
    }
    if (!save(now)) unsaved(now);
    return true;
  };
  const store = () => {
    if (!storeOwn() || !isLink(location.hash)) return;
    const now = page.current();
    if (!same(now, inAddress() ?? now)) history.replaceState(null, "", location.pathname + location.search);
  };
  let timer: ReturnType<typeof setTimeout> | undefined;
  const keep = () => {
    clearTimeout(timer);
    timer = setTimeout(store, 400);
  };
  // Who closes the page at once loses nothing either.
  addEventListener("pagehide", store);
  // A link that is put into the address of an open page.
  addEventListener("hashchange", async () => {
    const { hash } = location;
    try {
      const found = decode(hash);
      const shared = found && (await resolved(found));
      // Another one may be in the address by now.
      if (!shared || hash !== location.hash) return;
      addressed = { hash, project: shared };
      if (same(shared, page.current())) {
        if (shared.options.view) page.look(shared.options.view);
        return;
      }
      const project = personal(shared, page.current());
      // The address stays: it is that of what is shown next.
      storeOwn();
      linked = project;
      page.open(project);
      offerOwn(page, shared);
    } catch (error) {
      notify(broken(error));
    }
  });
  // Nothing is lost, but somebody who reads one tab may look for what was written in the other.
  let told = false;
  onOtherTab((theirs) => {
    if (told || !theirs || same(theirs, page.current())) return;
    told = true;
    notify(
      "This page is open in another tab, too. Each tab keeps its own files; Share lists those of the others.",
    );
  });
  keep();
  return keep;
}

function offerOwn(page: Shown, shared: Project) {
  const own = restore();
  if (!own || same(own, shared)) return;
  const back = {
    label: "Back to my files",
    act: () => {
      history.replaceState(null, "", location.pathname + location.search);
      page.open(own);
    },
  };
  notify("These files came with the link. Your own are kept as they were.", back);
}

let told = false;

/** Browsers keep about five million characters for all pages of a host. */
const MUCH = 2_000_000;

function unsaved(project: Project) {
  if (told) return;
  told = true;
  notify(
    JSON.stringify(project).length > MUCH
      ? "These files are more than this browser keeps for a page, so what is changed now is lost when it is closed. Download them (Share)."
      : "This browser keeps nothing for this page, so the files are lost when it is closed. Share or download them.",
  );
}

export interface Link {
  address: string;
  /** What it does not carry, because no browser opens an address so long, or because it would not be read back. */
  left: string[];
  /** Even so it is longer than browsers open. */
  tooLong: boolean;
  /** The example that it names instead of carrying the files. */
  example?: string;
}

/** Characters of the longest address that Chromium opens; others take as many, or fewer. */
const LONGEST = 2_000_000;

/** The whole state as an address, which is put into the address bar, with what is in `view`. An example that nobody changed goes by its name. */
export async function link(project: Project, view: View = {}): Promise<Link> {
  const { files, active, options } = personal(project, undefined);
  const example = await exampleOf(files);
  const made = (options: Options) => {
    const all = { ...options, ...(Object.keys(view).length > 0 && { view }) };
    const what = example ? { example, active, options: all } : { files, active, options: all };
    return new URL(encode(what), location.href).href;
  };
  let address = made(options);
  const left: string[] = [];
  const { data = [], ...others } = options;
  if (data.length > 0 && (address.length > LONGEST || !dataFits(data))) {
    address = made(others);
    left.push(...data.map(({ name }) => name));
  }
  const size = files.reduce((sum, { text }) => sum + text.length, 0);
  const empty = files.length === 0 && left.length > 0;
  const tooLong = address.length > LONGEST || size > LIMITS.text || empty;
  try {
    if (!tooLong) {
      history.replaceState(null, "", address);
      addressed = { hash: location.hash, project };
    }
  } catch {
    // Too long for this browser's address bar; the link is told all the same.
  }
  return { address, left, tooLong, ...(example && { example }) };
}
