// The examples of the repository, which the page offers to open. Their texts and pictures are loaded when they are asked for.

import type { File } from "@coopmat/shared/project/project";
import readme from "../../../examples/README.md?raw";

const texts = import.meta.glob<string>(
  [
    "../../../examples/**/*.comp",
    "../../../examples/**/*.glsl",
    "../../../examples/**/*.run.toml",
    // What their recipes differ in is told by profiles, which the page does not show.
    "!../../../examples/performance/**",
  ],
  { query: "?raw", import: "default" },
);
// Addresses alone: as data they would be loaded by everybody.
const pictures = import.meta.glob<string>("../ui/thumbnails/**/*.webp", {
  query: "?url&no-inline",
  import: "default",
  eager: true,
});

export interface Example {
  /** `khr/gemm.comp`. */
  path: string;
  /** In words, from the table in examples/README.md. */
  name: string;
  /** A sentence, from the same table. */
  summary: string;
  /** One of `GROUPS`. */
  group: string;
  /** Whether a recipe lies beside it. */
  runs: boolean;
  /** The address of its picture. */
  picture: string | undefined;
}

/** What the folders hold, behind what a newcomer looks at first. */
export const GROUPS: Record<string, string> = {
  start: "Start here",
  khr: "Cooperative matrices (KHR)",
  nv2: "Tensor loads, reductions, workgroup matrices (NV)",
  qcom: "Conversions between arrays and matrices (QCOM)",
  coopvec: "Cooperative vectors: small neural networks (NV)",
  mistakes: "Mistakes, each found by checked mode",
};

/** The group "Start here": kernels as they are built for real work, and the five uses of the conversions. */
const START = [
  "khr/gemm.comp",
  "khr/gemm_staged.comp",
  "khr/flash_attention.comp",
  "khr/gemm_q4.comp",
  "nv2/gemm_q4.comp",
  "qcom/convolution.comp",
  "qcom/texture_decompression.comp",
  "qcom/layer_merging.comp",
  "qcom/flash_attention.comp",
  "qcom/q4_dequantize.comp",
];

const FOLDER = "../../../examples/";
const relative = (path: string) => path.replace(FOLDER, "");

/** The rows `| [path](path) | name | what it shows |` of the tables. */
export function described(markdown: string): Map<string, { name: string; summary: string }> {
  const rows = markdown.matchAll(/^\| \[([^\]]+)\]\([^)]*\) \| ([^|]*) \| (.*) \|$/gm);
  return new Map(
    Array.from(rows, ([, path = "", name = "", text = ""]) => [path, { name, summary: sentence(text) }]),
  );
}

const sentence = (text: string) => {
  const plain = text.replaceAll("**", "");
  return `${plain.charAt(0).toUpperCase()}${plain.slice(1)}.`;
};

const recipeOf = (path: string) => path.replace(/\.comp$/, ".run.toml");
export const pictureOf = (path: string) => `../ui/thumbnails/${path.replace(/\.comp$/, ".webp")}`;

/** In the order in which the gallery shows them. */
export function examples(): Example[] {
  const known = described(readme);
  const places = [...START, ...known.keys()];
  const rank = (path: string) => (places.includes(path) ? places.indexOf(path) : places.length);
  return Object.keys(texts)
    .map(relative)
    .filter((path) => path.endsWith(".comp"))
    .sort((a, b) => rank(a) - rank(b))
    .map((path) => ({
      path,
      ...(known.get(path) ?? { name: path, summary: "" }),
      group: START.includes(path) ? "start" : path.replace(/\/.*$/, ""),
      runs: FOLDER + recipeOf(path) in texts,
      picture: pictures[pictureOf(path)],
    }));
}

/** The shader, its recipe behind it, and the shaders of the recipe's other dispatches. */
export async function load(path: string): Promise<File[]> {
  const read = async (path: string): Promise<File[]> => {
    const text = await texts[FOLDER + path]?.();
    return text === undefined ? [] : [{ name: path.replace(/^.*\//, ""), text }];
  };
  const files = (await Promise.all([path, recipeOf(path)].map(read))).flat();
  if (files.length === 0) throw new Error(`there is no example ${path}`);
  const folder = path.replace(/[^/]*$/, "");
  const named = files.slice(1).flatMap(({ text }) => Array.from(text.matchAll(/^shader = "([^"]+)"$/gm)));
  const others = new Set(named.map(([, name = ""]) => folder + name).filter((other) => other !== path));
  return [...files, ...(await Promise.all([...others].map(read))).flat()];
}
