// What a person has before them: files with their texts, which one is in view, and the options. This is what a link carries, what is saved,
// and what the panes are drawn from.

import type { Breakpoint } from "../messages";
import { readView, type View } from "./view";

export type { Breakpoint };

export interface File {
  name: string;
  text: string;
}

export interface Project {
  files: File[];
  /** The name of the file in view. */
  active: string;
  options: Options;
}

export interface Options {
  /** A device profile that shapes are checked against. */
  device?: string;
  optimise?: boolean;
  vim?: boolean;
  /** How the simulator runs, over what the recipe says first. */
  run?: Run;
  /** Files that recipes read and that hold no text. */
  data?: Data[];
  /** Where the debugger stops. */
  breakpoints?: Breakpoint[];
  /** The files that have tabs, in their order, where these are not the usual ones. */
  tabs?: string[];
  /** Which of their configurations shaders are shown and run under. */
  choices?: Choice[];
  /** What was in view when a link was made; it stands in links alone. */
  view?: View;
}

/** What a link names instead of carrying it: one of the page's examples, as it is. */
export interface Reference {
  /** `khr/gemm.comp`. */
  example: string;
  active?: string;
  options: Options;
}

/** What was chosen for a shader over what its project file says. */
export interface Choice {
  shader: string;
  /** By its name. */
  configuration?: string;
  /** Values of specialization constants: the name of a set, `recipe`, or `TM=64, TN=32`. */
  specialization?: string;
}

export interface Run {
  numerics?: string;
  ownership?: string;
  decode?: string;
  checked?: boolean;
  strict?: boolean;
  headroom?: boolean;
}

export interface Data {
  name: string;
  base64: string;
}

export const LIMITS = {
  files: 1000,
  name: 200,
  /** Characters of all texts. */
  text: 8 << 20,
  /** Characters of all data, as base64. */
  data: 4 << 20,
  breakpoints: 256,
  condition: 1000,
  choices: 1000,
  choice: 4000,
};

/** Checks what a link carries: a project, or the name of one. */
export function checkedLink(value: unknown): Project | Reference {
  const { example, active, options, files } = (value ?? {}) as Record<string, unknown>;
  if (files !== undefined || typeof example !== "string" || !isName(example)) return checked(value);
  return {
    example,
    ...(typeof active === "string" && isName(active) && { active }),
    options: readOptions(options),
  };
}

/** Checks what came from outside; the error says what is wrong with it. */
export function checked(value: unknown): Project {
  const fail = (what: string): never => {
    throw new Error(what);
  };
  if (typeof value !== "object" || value === null) return fail("it holds no project");
  const { files, active, options } = value as Record<string, unknown>;
  if (!Array.isArray(files)) return fail("it holds no files");
  if (files.length > LIMITS.files) fail(`it holds ${files.length} files, and ${LIMITS.files} are the most`);
  const names = new Set<string>();
  const good = files.map((file): File => {
    const { name, text } = (file ?? {}) as Record<string, unknown>;
    if (typeof name !== "string" || typeof text !== "string")
      return fail("a file lacks its name or its text");
    if (!isName(name)) fail(`${JSON.stringify(name)} cannot be the name of a file`);
    if (names.has(name)) fail(`two files are called ${name}`);
    names.add(name);
    return { name, text };
  });
  if (good.reduce((sum, file) => sum + file.text.length, 0) > LIMITS.text)
    fail(`its files are larger than ${LIMITS.text >> 20} MiB`);
  const read = readOptions(options);
  // Modules in words are data, and are in view as files are.
  const modules = (read.data ?? []).filter(({ name }) => name.endsWith(".spv")).map(({ name }) => name);
  const [first] = [...names, ...modules];
  if (first === undefined) return fail("it holds no files");
  const known = typeof active === "string" && (names.has(active) || modules.includes(active));
  return { files: good, active: known ? active : first, options: read };
}

/** Names are relative paths without `..`: files of a page lie nowhere else. Control characters and halves of surrogate pairs stand in no address. */
export function isName(name: string): boolean {
  const parts = name.split("/");
  return (
    name.length <= LIMITS.name &&
    !/[\p{Cc}\p{Cs}]/u.test(name) &&
    parts.every((part) => /^[^/\\:]+$/.test(part) && part !== "." && part !== "..")
  );
}

/** Whether a project can carry so much. */
export const dataFits = (data: readonly Data[]) =>
  data.length <= LIMITS.files && data.reduce((sum, { base64 }) => sum + base64.length, 0) <= LIMITS.data;

function isData(value: unknown): value is Data {
  const { name, base64 } = (value ?? {}) as Record<string, unknown>;
  return typeof name === "string" && isName(name) && typeof base64 === "string" && isBase64(base64);
}

/** What `atob` takes. */
function isBase64(text: string): boolean {
  const [whole, letters = ""] = /^([A-Za-z0-9+/]*)={0,2}$/.exec(text) ?? [];
  if (whole === undefined || letters.length % 4 === 1) return false;
  return letters === whole || whole.length % 4 === 0;
}

function readOptions(value: unknown): Options {
  const given = (typeof value === "object" && value !== null ? value : {}) as Record<string, unknown>;
  const options: Options = {};
  if (typeof given.device === "string") options.device = given.device;
  if (typeof given.optimise === "boolean") options.optimise = given.optimise;
  if (typeof given.vim === "boolean") options.vim = given.vim;
  if (typeof given.run === "object" && given.run !== null) {
    const { numerics, ownership, decode, checked, strict, headroom } = given.run as Record<string, unknown>;
    options.run = {
      ...(typeof numerics === "string" && { numerics }),
      ...(typeof ownership === "string" && { ownership }),
      ...(typeof decode === "string" && { decode }),
      ...(typeof checked === "boolean" && { checked }),
      ...(typeof strict === "boolean" && { strict }),
      ...(typeof headroom === "boolean" && { headroom }),
    };
  }
  if (Array.isArray(given.data)) {
    const data = given.data.slice(0, LIMITS.files).filter(isData);
    if (dataFits(data)) options.data = data;
  }
  if (Array.isArray(given.breakpoints)) {
    const breakpoints = given.breakpoints.slice(0, LIMITS.breakpoints).flatMap(readBreakpoint);
    if (breakpoints.length > 0) options.breakpoints = breakpoints;
  }
  const view = readView(given.view);
  if (view) options.view = view;
  if (Array.isArray(given.tabs)) {
    const tabs = given.tabs.filter((name) => typeof name === "string" && isName(name));
    if (tabs.length > 0) options.tabs = [...new Set(tabs)].slice(0, LIMITS.files);
  }
  if (Array.isArray(given.choices)) {
    const choices = given.choices.slice(0, LIMITS.choices).flatMap(readChoice);
    if (choices.length > 0) options.choices = choices;
  }
  return options;
}

const isCount = (value: unknown): value is number =>
  Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 0xffff_ffff;

/** What is no breakpoint is left out. */
function readBreakpoint(value: unknown): Breakpoint[] {
  const { file, line, condition, workgroup, subgroup } = (value ?? {}) as Record<string, unknown>;
  if (typeof file !== "string" || !isName(file) || !isCount(line)) return [];
  const made: Breakpoint = { file, line };
  if (typeof condition === "string" && condition.length <= LIMITS.condition) made.condition = condition;
  if (Array.isArray(workgroup) && workgroup.length === 3 && workgroup.every(isCount)) {
    const [x = 0, y = 0, z = 0] = workgroup;
    made.workgroup = [x, y, z];
  }
  if (isCount(subgroup)) made.subgroup = subgroup;
  return [made];
}

/** One of a shader that is not there, too: the server says so, and forgets it. */
function readChoice(value: unknown): Choice[] {
  const { shader, configuration, specialization } = (value ?? {}) as Record<string, unknown>;
  const fits = (text: unknown) => typeof text === "string" && text.length <= LIMITS.choice;
  if (typeof shader !== "string" || !isName(shader)) return [];
  const made: Choice = { shader };
  if (fits(configuration)) made.configuration = configuration as string;
  if (fits(specialization)) made.specialization = specialization as string;
  return made.configuration === undefined && made.specialization === undefined ? [] : [made];
}
