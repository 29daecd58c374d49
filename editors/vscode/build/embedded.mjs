// The TextMate grammar that is put into those of C++ and Rust: raw strings that are marked as GLSL have its colours (docs/strings.md has the marks). Other
// strings keep theirs: a comment of GLSL would go on behind the end of the line's string.

/** `glsl`, perhaps with a stage behind what may part the two. */
const mark = (parted) => `[gG][lL][sS][lL](?:[^A-Za-z0-9${parted}]+[A-Za-z0-9]\\w*)?`;
const MARK = mark("\\r\\n");
/** How raw strings of C++ and of Rust begin; the second group is what their end repeats. */
const CPP = '((?:u8|[uUL])?R)"([^()\\\\\\s"]{0,16})\\(';
const RUST = '([bc]?r)(#*)"';

const CONTENTS = [
  // The line of the quote.
  { match: "\\G\\s*#\\s*\\w*", name: "keyword.control.directive.glsl" },
  { include: "source.glsl" },
];

function raw(begin, end) {
  const punctuation = { 0: { name: "punctuation.definition.string.begin.glsl" } };
  return {
    begin,
    end,
    beginCaptures: punctuation,
    endCaptures: { 0: { name: "punctuation.definition.string.end.glsl" } },
    name: "meta.string.quoted.double.raw.glsl",
    contentName: "meta.embedded.block.glsl",
    patterns: CONTENTS,
  };
}

const IN_CPP = raw(CPP, '\\)\\2"');
const IN_RUST = raw(RUST, '"\\2');
const COMMENTS = [
  { match: "/\\*[^*]*\\*/", name: "comment.block" },
  { match: "//.*$", name: "comment.line.double-slash" },
];

/** Strings behind a comment that says what they are, until something comes that is none. */
const marked = (begin, name) => ({
  begin,
  end: '(?=[^\\s"])(?!(?:u8|[uUL])?R"|[bc]?r#*"|/[*/])',
  beginCaptures: { 0: { name } },
  patterns: [...COMMENTS, IN_CPP, IN_RUST, PLAIN],
});

const PLAIN = {
  begin: '"',
  end: '"|$',
  name: "string.quoted.double",
  patterns: [{ match: "\\\\.", name: "constant.character.escape" }],
};

/** The tokens of a macro of Rust between its brackets. */
const tokens = (open, close, patterns) => ({
  begin: `\\${open}`,
  end: `\\${close}`,
  patterns,
});

export function embedded() {
  const languages = ["c", "cpp", "cuda-cpp", "objc", "objcpp", "rust"];
  const outside = "-comment -string -meta.embedded";
  return {
    name: "GLSL in strings",
    scopeName: "source.glsl.embedded",
    injectionSelector: languages.map((name) => `L:source.${name} ${outside}`).join(", "),
    patterns: [
      raw(`((?:u8|[uUL])?R)"(${mark('()\\\\\\s"')})\\(`, '\\)\\2"'),
      // With the blanks before it, which the languages' grammars take for their comments.
      marked(`\\s*/\\*\\s*${MARK}\\s*\\*/`, "comment.block"),
      marked(`\\s*//\\s*${MARK}\\s*$`, "comment.line.double-slash"),
      {
        begin: "\\b(glsl!)\\s*(?=[({\\[])",
        end: "(?<=[)}\\]])",
        beginCaptures: { 1: { name: "entity.name.function.macro.rust" } },
        patterns: [
          tokens("{", "}", [{ include: "#tokens" }]),
          tokens("(", ")", [{ include: "#tokens" }]),
          tokens("[", "]", [{ include: "#tokens" }]),
        ],
      },
      {
        begin: "\\b(\\w*shader!)\\s*(?=\\{)",
        end: "(?<=\\})",
        beginCaptures: { 1: { name: "entity.name.function.macro.rust" } },
        patterns: [{ include: "#fields" }],
      },
    ],
    repository: {
      tokens: {
        patterns: [
          IN_RUST,
          tokens("{", "}", [{ include: "#tokens" }]),
          tokens("(", ")", [{ include: "#tokens" }]),
          tokens("[", "]", [{ include: "#tokens" }]),
          { include: "source.glsl" },
        ],
      },
      fields: {
        begin: "\\{",
        end: "\\}",
        patterns: [
          { include: "#fields" },
          {
            begin: "\\bsrc\\s*:",
            end: "(?=[,}])",
            patterns: [...COMMENTS, IN_RUST, { include: "source.rust" }],
          },
          { include: "source.rust" },
        ],
      },
    },
  };
}
