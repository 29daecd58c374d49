// The TextMate grammar of SPIR-V assembly. Instructions are known by how they are spelled, so that the names of all, and of those to come, are in one table, the
// server's; which of them exist, it says itself.

const word = (match, name) => ({ match, name: `${name}.spirv` });

/** Families that read like something else than an operation. */
const FAMILIES = [
  ["Type\\w+", "storage.type"],
  ["(?:Spec)?Constant\\w*|Undef", "keyword.other.constant"],
  ["Branch\\w*|Switch|Return\\w*|Kill|Unreachable|\\w+Merge|Label|Phi", "keyword.control"],
  ["Function\\w*|EntryPoint", "storage.type.function"],
  [
    "\\w*Decorate\\w*|\\w*Name|ExecutionMode\\w*|Capability|Extension|ExtInstImport|MemoryModel|Source\\w*|String|Line|NoLine",
    "keyword.other.declaration",
  ],
  ["[A-Z]\\w*", "keyword.operator.word"],
];

export function assembly() {
  return {
    name: "SPIR-V assembly",
    scopeName: "source.spirv",
    patterns: [
      word(";.*$", "comment.line.semicolon"),
      // A string may go over several lines.
      {
        name: "string.quoted.double.spirv",
        begin: '"',
        end: '"',
        patterns: [word("\\\\.", "constant.character.escape")],
      },
      {
        match: "(%\\w+)\\s*(=)",
        captures: {
          1: { name: "entity.name.variable.spirv" },
          2: { name: "keyword.operator.assignment.spirv" },
        },
      },
      ...FAMILIES.map(([names, scope]) => word(`\\bOp(?:${names})\\b`, scope)),
      word("%\\w+", "variable.other"),
      word(
        "[!+-]*(?:0[xX][\\da-fA-F.]+(?:[pP][+-]?\\d+)?|\\d[\\d.]*(?:[eE][+-]?\\d+)?)\\b",
        "constant.numeric",
      ),
      // Values and masks, and instructions of other sets.
      word("\\b[A-Za-z]\\w*(?:\\.[A-Za-z]\\w*)*", "support.constant"),
    ],
  };
}
