// The TextMate grammars: the whole language, and what cooperative matrices add to the grammar of whichever extension has the file type.
// The server's own tokens are laid over both; these are what is seen before it answers.

const any = (names) => names.join("|");

const keywords = {
  control:
    "break case continue default discard demote do else for if return switch terminateInvocation while",
  modifier:
    "attribute buffer centroid coherent const devicecoherent flat highp in inout invariant layout lowp mediump " +
    "noperspective nonprivate nontemporal out patch precise precision queuefamilycoherent readonly restrict sample " +
    "shared shadercallcoherent smooth subgroupcoherent subroutine taskPayloadSharedEXT uniform varying volatile " +
    "workgroupcoherent writeonly",
};
const list = (text) => any(text.split(" "));

/** What belongs to matrices and tensors. */
const isMatrix = (name) => /coop|tensor|QCOM|[Mm]atrix|^gl_Scope/.test(name);

export function grammar({ types, functions, constants }) {
  return {
    name: "GLSL",
    scopeName: "source.glsl",
    patterns: [
      { include: "#comments" },
      { include: "#directives" },
      { include: "#strings" },
      { include: "#numbers" },
      { include: "#words" },
      { include: "#calls" },
      { include: "#operators" },
    ],
    repository: {
      comments: {
        patterns: [
          { name: "comment.line.double-slash.glsl", begin: "//", end: "(?<!\\\\)$" },
          { name: "comment.block.glsl", begin: "/\\*", end: "\\*/" },
        ],
      },
      directives: {
        patterns: [
          {
            match: "^\\s*(#\\s*define)\\s+(\\w+)",
            captures: {
              1: { name: "keyword.control.directive.glsl" },
              2: { name: "entity.name.function.preprocessor.glsl" },
            },
          },
          {
            match: "^\\s*(#\\s*extension)\\s+(\\w+)\\s*:\\s*(\\w+)",
            captures: {
              1: { name: "keyword.control.directive.glsl" },
              2: { name: "entity.name.namespace.glsl" },
              3: { name: "keyword.other.glsl" },
            },
          },
          {
            match: '^\\s*(#\\s*include)\\s+(<[^>]*>|"[^"]*")',
            captures: {
              1: { name: "keyword.control.directive.glsl" },
              2: { name: "string.quoted.include.glsl" },
            },
          },
          { match: "^\\s*#\\s*\\w*", name: "keyword.control.directive.glsl" },
        ],
      },
      strings: {
        name: "string.quoted.double.glsl",
        begin: '"',
        end: '"|$',
        patterns: [{ match: "\\\\.", name: "constant.character.escape.glsl" }],
      },
      numbers: {
        patterns: [
          {
            name: "constant.numeric.hex.glsl",
            match: "\\b0[xX][0-9a-fA-F]+(?:[uU]?(?:[lLsS]|8|16|32|64)?)?\\b",
          },
          {
            name: "constant.numeric.glsl",
            match: "(?:\\b\\d+\\.?\\d*|\\.\\d+)(?:[eE][-+]?\\d+)?(?:[uU]?[lLsS]?|[fF]|hf|HF|bf|BF|lf|LF)\\b",
          },
          { name: "constant.language.glsl", match: "\\b(?:true|false)\\b" },
        ],
      },
      words: {
        patterns: [
          { name: "keyword.control.glsl", match: `\\b(?:${list(keywords.control)})\\b` },
          { name: "storage.modifier.glsl", match: `\\b(?:${list(keywords.modifier)})\\b` },
          {
            match: "\\b(struct)\\s+(\\w+)",
            captures: {
              1: { name: "storage.type.struct.glsl" },
              2: { name: "entity.name.type.struct.glsl" },
            },
          },
          { name: "storage.type.glsl", match: `\\b(?:${any(types)})\\b` },
          { name: "support.constant.glsl", match: `\\b(?:${any(constants)})\\b` },
          { name: "support.function.glsl", match: `\\b(?:${any(functions)})(?=\\s*\\()` },
          { name: "variable.language.glsl", match: "\\bgl_\\w+\\b" },
        ],
      },
      calls: { name: "entity.name.function.glsl", match: "\\b[A-Za-z_]\\w*(?=\\s*\\()" },
      operators: { name: "keyword.operator.glsl", match: "[-+*/%=<>!&|^~?:]+" },
    },
  };
}

export function injection({ types, functions, constants }) {
  return {
    name: "Cooperative matrices",
    scopeName: "source.glsl.coopmat",
    injectionSelector: "L:source.glsl -comment -string",
    patterns: [
      { name: "storage.type.matrix.glsl", match: `\\b(?:${any(types.filter(isMatrix))})\\b` },
      { name: "support.constant.matrix.glsl", match: `\\b(?:${any(constants.filter(isMatrix))})\\b` },
      { name: "support.function.matrix.glsl", match: `\\b(?:${any(functions.filter(isMatrix))})(?=\\s*\\()` },
    ],
  };
}
