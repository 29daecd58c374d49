// Options as compilers take them, and what a project file says at its top: read from one, written as the other.

import type { TomlEdit } from "@coopmat/shared/messages";
import { parse } from "smol-toml";
import { remove, set } from "../recipe/toml";

export interface Settings {
  /** Without a value: an empty macro. */
  defines: [name: string, value?: string][];
  include: string[];
  targetEnv?: string;
  stage?: string;
  version?: string;
  device?: string;
  subgroupSize?: number;
}

export const TARGETS = ["vulkan1.0", "vulkan1.1", "vulkan1.2", "vulkan1.3", "vulkan1.4"];

/** As glslc and glslang call the stages, and as project files do. */
const STAGES: Record<string, string> = {
  vertex: "vert",
  tesscontrol: "tesc",
  tesseval: "tese",
  geometry: "geom",
  fragment: "frag",
  compute: "comp",
  vert: "vert",
  tesc: "tesc",
  tese: "tese",
  geom: "geom",
  frag: "frag",
  comp: "comp",
};

/** What compilers know and what makes no difference here: told, rather than left out without a word. */
const WITHOUT_EFFECT = /^(-O.*|-g.*|-w|-c|-V|-Werror|-MD|-MF|-MT|-MQ|-o|--target-spv.*|-e|-x|-v)$/;

export interface Parsed {
  settings: Settings;
  /** Each names its option. */
  errors: string[];
}

/** Words as a shell has them: quotes hold blanks. */
export function split(text: string): string[] {
  const words: string[] = [];
  let word = "";
  let quote = "";
  let begun = false;
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? "";
    if (letter === "\\" && quote !== "'" && at + 1 < text.length) {
      word += text[++at];
      begun = true;
    } else if (quote) {
      if (letter === quote) quote = "";
      else word += letter;
    } else if (letter === "'" || letter === '"') {
      quote = letter;
      begun = true;
    } else if (/\s/.test(letter)) {
      if (begun) words.push(word);
      word = "";
      begun = false;
    } else {
      word += letter;
      begun = true;
    }
  }
  if (begun) words.push(word);
  return words;
}

const isName = (name: string) => /^[A-Za-z_]\w*$/.test(name);

export function parseOptions(text: string): Parsed {
  const settings: Settings = { defines: [], include: [] };
  const errors: string[] = [];
  const words = split(text);
  /** The value of an option that is written in one word with it, or behind it. */
  const value = (
    word: string,
    options: string[],
  ): { option: string; value: string | undefined } | undefined => {
    for (const option of options) {
      if (word === option) return { option, value: words.shift() };
      const glued = option.startsWith("--") || option.length > 2 ? `${option}=` : option;
      if (word.startsWith(glued)) return { option, value: word.slice(glued.length) };
    }
    return undefined;
  };
  for (let word = words.shift(); word !== undefined; word = words.shift()) {
    const define = value(word, ["-D", "--define-macro"]);
    const include = define ? undefined : value(word, ["-I"]);
    const target = value(word, ["--target-env"]);
    const stage = value(word, ["-fshader-stage", "-S"]);
    const version = value(word, ["-std", "--glsl-version"]);
    const device = value(word, ["--device"]);
    const size = value(word, ["--subgroup-size"]);
    const found = define ?? include ?? target ?? stage ?? version ?? device ?? size;
    const given = found?.value;
    if (!found) {
      errors.push(
        WITHOUT_EFFECT.test(word)
          ? `${word} makes no difference to what is shown here: leave it out.`
          : word.startsWith("-U")
            ? `${word}: a macro that is not defined needs no option; take its -D out.`
            : word.startsWith("-")
              ? `${word} is not known. Known are -D, -I, --target-env, -fshader-stage, -std, --device and --subgroup-size.`
              : `${word} is no option: options begin with a dash.`,
      );
    } else if (given === undefined || given === "") {
      errors.push(`${found.option} lacks its value.`);
    } else if (define) {
      const equals = given.indexOf("=");
      const name = equals < 0 ? given : given.slice(0, equals);
      const index = settings.defines.findIndex(([known]) => known === name);
      if (!isName(name)) errors.push(`-D${given}: “${name}” cannot be the name of a macro.`);
      else if (index >= 0) errors.push(`-D${given}: ${name} is defined twice.`);
      else settings.defines.push(equals < 0 ? [name] : [name, given.slice(equals + 1)]);
    } else if (include) {
      settings.include.push(given);
    } else if (target) {
      if (TARGETS.includes(given)) settings.targetEnv = given;
      else errors.push(`${found.option}=${given}: expected one of ${TARGETS.join(", ")}.`);
    } else if (stage) {
      const known = STAGES[given];
      if (known) settings.stage = known;
      else
        errors.push(
          `${found.option} ${given} is no stage: expected one of ${Object.keys(STAGES).join(", ")}.`,
        );
    } else if (version) {
      if (/^\d{3}( ?(core|es|compatibility))?$/.test(given))
        settings.version = given.replace(/(\d) ?([a-z])/, "$1 $2");
      else errors.push(`${found.option}=${given}: expected a version of GLSL, such as 460.`);
    } else if (device) {
      settings.device = given;
    } else {
      const invocations = Number(given);
      if (invocations >= 1 && invocations <= 128 && Number.isInteger(Math.log2(invocations)))
        settings.subgroupSize = invocations;
      else errors.push(`--subgroup-size=${given}: expected a power of two, up to 128.`);
    }
  }
  return { settings, errors };
}

const quoted = (word: string) =>
  /^[\w./+=:,@%-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

/** The device is left out: it has a list of its own beside the options. */
export function writeOptions({
  defines,
  include,
  targetEnv,
  stage,
  version,
  subgroupSize,
}: Settings): string {
  return [
    ...defines.map(([name, value]) => quoted(value === undefined ? `-D${name}` : `-D${name}=${value}`)),
    ...include.flatMap((folder) => ["-I", quoted(folder)]),
    ...(targetEnv ? [`--target-env=${targetEnv}`] : []),
    ...(stage ? [`-fshader-stage=${stage}`] : []),
    ...(version ? [`-std=${version.replace(" ", "")}`] : []),
    ...(subgroupSize ? [`--subgroup-size=${subgroupSize}`] : []),
  ].join(" ");
}

type Table = Record<string, unknown>;

export interface ProjectFile {
  settings: Settings;
  /** The table as it was read. */
  table: Table;
}

/** What a project file says for all shaders; nothing where it cannot be read. */
export function readProjectFile(text: string): ProjectFile | undefined {
  let table: Table;
  try {
    table = parse(text);
  } catch {
    return undefined;
  }
  const string = (key: string) => (typeof table[key] === "string" ? (table[key] as string) : undefined);
  const { targetEnv, stage, device } = {
    targetEnv: string("target-env"),
    stage: string("stage"),
    device: string("device"),
  };
  const version = typeof table.version === "number" ? String(table.version) : string("version");
  const size = table["subgroup-size"];
  return {
    table,
    settings: {
      defines: definesOf(table.defines),
      include: listOf(table.include),
      ...(targetEnv && { targetEnv }),
      ...(stage && { stage }),
      ...(version && { version }),
      ...(device && { device }),
      ...(typeof size === "number" && { subgroupSize: size }),
    },
  };
}

const listOf = (value: unknown) => (Array.isArray(value) ? value.map(String) : []);

function definesOf(value: unknown): Settings["defines"] {
  if (Array.isArray(value))
    return value.map(String).map((define) => {
      const equals = define.indexOf("=");
      return equals < 0 ? [define] : [define.slice(0, equals), define.slice(equals + 1)];
    });
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).map(([name, one]) => [
    name,
    one === true ? "1" : one === false ? "0" : String(one),
  ]);
}

/** The edits of a project file's text that make it say `next`; what it says already stays as it is written. */
export function editsFor({ settings: now, table }: ProjectFile, next: Settings): TomlEdit[] {
  const edits: TomlEdit[] = [];
  const defined = ([name, value]: Settings["defines"][number]) =>
    value === undefined ? name : `${name}=${value}`;
  if (typeof table.defines === "object" && table.defines !== null && !Array.isArray(table.defines)) {
    for (const [name] of now.defines)
      if (!next.defines.some(([other]) => other === name)) edits.push(remove(["defines", name]));
    for (const [name, value = ""] of next.defines)
      if (now.defines.find(([other]) => other === name)?.[1] !== value)
        edits.push(set(["defines", name], /^(0|-?[1-9]\d{0,8})$/.test(value) ? Number(value) : value));
  } else edits.push(...listEdits("defines", now.defines.map(defined), next.defines.map(defined)));
  edits.push(...listEdits("include", now.include, next.include));
  // As the compilers have it whose option it is.
  if (next.include.length > 0 && now.include.length === 0 && table["google-include"] === undefined)
    edits.push(set(["google-include"], true));
  const scalar = (key: string, before: unknown, value: string | number | undefined) => {
    if (before !== value) edits.push(set([key], value));
  };
  scalar("target-env", now.targetEnv, next.targetEnv);
  scalar("stage", now.stage, next.stage);
  const version =
    next.version !== undefined && /^\d+$/.test(next.version) ? Number(next.version) : next.version;
  if (now.version !== next.version) edits.push(set(["version"], version));
  scalar("device", now.device, next.device);
  scalar("subgroup-size", now.subgroupSize, next.subgroupSize);
  return edits;
}

/** Takes out and adds single elements, so that comments between the others stay. */
function listEdits(key: string, now: readonly string[], next: readonly string[]): TomlEdit[] {
  if (JSON.stringify(now) === JSON.stringify(next)) return [];
  if (next.length === 0) return [remove([key])];
  const kept = now.filter((one) => next.includes(one));
  const begins = kept.every((one, index) => next[index] === one);
  if (now.length === 0 || !begins) return [set([key], [...next])];
  const gone = now.flatMap((one, index) => (next.includes(one) ? [] : [index]));
  return [
    ...gone.reverse().map((index) => remove([key, index])),
    ...next.slice(kept.length).map((one, index) => set([key, kept.length + index], one)),
  ];
}
