// Shaders in WGSL in the editor: colours. What is wrong in them is found by the compiler; see `wgsl/files.ts`.

import { EditorState, type Extension } from "@codemirror/state";
import { lineColours } from "./line-colours";

const WORDS =
  /\/\/.*|@\s*[a-z_]+|(?:0x[\da-fA-F.p+-]+|\d[\d.]*(?:e[+-]?\d+)?)[iufh]?\b|[A-Za-z_]\w*(?=\s*\()?/g;
const KEYWORDS =
  /^(alias|break|case|const|const_assert|continue|continuing|default|diagnostic|discard|else|enable|false|fn|for|if|let|loop|override|requires|return|struct|switch|true|var|while)$/;
const TYPES =
  /^(array|atomic|bool|f16|f32|f64|i32|i64|u32|u64|ptr|sampler|sampler_comparison|vec[234][iufh]?|mat[234]x[234][fh]?|texture_\w+|coop_mat\w+)$/;

const colours = lineColours(WORDS, (word) => {
  if (word.startsWith("//")) return "tok-comment";
  if (word.startsWith("@")) return "tok-macro";
  if (/^\d/.test(word)) return "tok-number";
  if (KEYWORDS.test(word)) return "tok-keyword";
  return TYPES.test(word) ? "tok-type" : undefined;
});

const comments = EditorState.languageData.of(() => [{ commentTokens: { line: "//" } }]);

export const wgsl = (): Extension => [colours, comments];
