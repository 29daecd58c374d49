// Which files of a project are recipes, and whose.

export const EXTENSION = ".run.toml";

export const isRecipe = (name: string) => name.endsWith(EXTENSION);
export const isToml = (name: string) => name.endsWith(".toml");
const isGlsl = (name: string) => /\.(comp|glsl|vert|frag|geom|tesc|tese|mesh|task|h|hpp)$/.test(name);

/** A SPIR-V module as assembly text. */
export const isAssembly = (name: string) => name.endsWith(".spvasm");
/** A SPIR-V module in words: no text, so a project carries it as data. */
export const isWords = (name: string) => name.endsWith(".spv");
/** A SPIR-V module. */
export const isModule = (name: string) => isAssembly(name) || isWords(name);
/** Compiled by naga, in the page. */
export const isWgsl = (name: string) => name.endsWith(".wgsl");
/** What the server does not compile: options and profiles say nothing about it. */
export const isForeign = (name: string) => isModule(name) || isWgsl(name);
export const isShader = (name: string) => isGlsl(name) || isForeign(name);

/** A text that a module holds of its source is `kernel.spv › kernel.slang`: it is shown, and is no file of the project. */
export const isSource = (name: string) => name.includes(" › ");

/** What the protocol calls the language of a file. */
export const languageOf = (name: string) => (isModule(name) ? "spirv" : "glsl");

/** `gemm.run.toml` for `gemm.comp` and for `gemm.comp.glsl`. */
export function beside(shader: string): string {
  const folder = shader.slice(0, shader.lastIndexOf("/") + 1);
  const name = shader.slice(folder.length);
  const dot = name.indexOf(".");
  return `${folder}${dot > 0 ? name.slice(0, dot) : name}${EXTENSION}`;
}

/** The shader of a recipe: the one that it names for itself, the one of its name, or that of its first dispatch. */
export function shaderOf(recipe: string, text: string, names: readonly string[]): string | undefined {
  const folder = recipe.slice(0, recipe.lastIndexOf("/") + 1);
  const named = (text: string) => {
    const name = /^\s*shader\s*=\s*["']([^"'\n]+)["']/m.exec(text)?.[1];
    return name && names.includes(folder + name) ? folder + name : undefined;
  };
  const [top = ""] = text.split(/^\s*\[/m, 1);
  const ofName = (kind: (name: string) => boolean) =>
    names.find((name) => kind(name) && beside(name) === recipe);
  return named(top) ?? ofName(isGlsl) ?? ofName(isForeign) ?? named(text);
}

/** The recipe of a shader: the one of its name, or one that names it. Texts are looked at only where they can matter. */
export function recipeOf(
  shader: string,
  names: readonly string[],
  text: (name: string) => string,
): string | undefined {
  const own = beside(shader);
  if (names.includes(own)) return own;
  return names.find((name) => isRecipe(name) && shaderOf(name, text(name), names) === shader);
}
