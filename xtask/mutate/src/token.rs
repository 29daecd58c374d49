//! One edit of one token: what a slip of the fingers, or of the mind, makes of a shader. The result is told beside what it was, so that a
//! disagreement about it can be read.

use std::ops::Range;

use coopmat_analysis::lex::{LexemeKind, TokenKind, is_identifier_byte, lexemes};

use crate::random::Random;

/// A shader with one edit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Edit {
    /// The whole text, after the edit.
    pub text: String,
    /// What was done: `delete`, `double`, `swap`, `literal`, `keyword`, `qualifier`, `operator`, `name`.
    pub what: &'static str,
    /// The line of the edit, counted from 1.
    pub line: usize,
    /// What was replaced, and by what.
    pub from: String,
    pub to: String,
}

/// Words that are exchanged for one another where a type is written.
const TYPES: [&str; 33] = [
    "void",
    "bool",
    "int",
    "uint",
    "float",
    "double",
    "float16_t",
    "bfloat16_t",
    "floate4m3_t",
    "int8_t",
    "uint8_t",
    "int16_t",
    "uint16_t",
    "int32_t",
    "uint32_t",
    "int64_t",
    "uint64_t",
    "float32_t",
    "float64_t",
    "vec2",
    "vec3",
    "vec4",
    "ivec2",
    "ivec4",
    "uvec2",
    "uvec3",
    "uvec4",
    "bvec2",
    "f16vec2",
    "f16vec4",
    "mat2",
    "mat4",
    "coopmat",
];

const STATEMENTS: [&str; 13] = [
    "if", "else", "for", "while", "do", "return", "break", "continue", "discard", "switch", "case",
    "default", "struct",
];

const QUALIFIERS: [&str; 24] = [
    "const",
    "in",
    "out",
    "inout",
    "uniform",
    "buffer",
    "shared",
    "readonly",
    "writeonly",
    "restrict",
    "coherent",
    "volatile",
    "precise",
    "highp",
    "mediump",
    "lowp",
    "flat",
    "layout",
    "invariant",
    "attribute",
    "std430",
    "std140",
    "scalar",
    "push_constant",
];

/// Names in `layout(…)` that take a number.
const LAYOUT_NUMBERS: [&str; 9] = [
    "binding",
    "set",
    "offset",
    "align",
    "constant_id",
    "local_size_x",
    "local_size_y",
    "location",
    "buffer_reference_align",
];

const BINARY: [&str; 19] =
    ["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "^^", "==", "!=", "<", ">", "<=", ">="];

const ASSIGNMENTS: [&str; 11] = ["=", "+=", "-=", "*=", "/=", "%=", "<<=", ">>=", "&=", "|=", "^="];

const OTHERS: [&str; 12] = ["++", "--", "!", "~", "?", ":", ",", ";", ".", "(", ")", "["];

/// Numbers that mean something else than the one that stood there, or nothing.
const LITERALS: [&str; 34] = [
    "0",
    "1",
    "2",
    "3",
    "16",
    "32",
    "0u",
    "1u",
    "4u",
    "08",
    "0x10",
    "0xFFFFFFFF",
    "0x",
    "2147483647",
    "2147483648",
    "4294967295",
    "4294967295u",
    "4294967296",
    "1.0",
    "0.5f",
    "1e3",
    "1.0e",
    "1.0h",
    "1.0hf",
    "1.0lf",
    "2.0u",
    "1.0x",
    "5l",
    "5ul",
    "5us",
    "1.5L",
    "true",
    "false",
    "-1",
];

/// Suffixes that are put behind a number.
const SUFFIXES: [&str; 10] = ["u", "U", "f", "hf", "lf", "l", "s", "us", "x", "e"];

#[derive(Clone, Copy)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

/// Edits one token that lies outside of `inactive`; `None` where there is no such token.
pub fn edit(text: &str, inactive: &[Range<usize>], random: &mut Random) -> Option<Edit> {
    let tokens: Vec<Token> = lexemes(text)
        .filter_map(|lexeme| match lexeme.kind {
            LexemeKind::Token(kind) => Some(Token { kind, start: lexeme.start, end: lexeme.end }),
            _ => None,
        })
        .filter(|token| !inactive.iter().any(|range| range.contains(&token.start)))
        .collect();
    // A kind of edit may find nothing to work on; the others do.
    (0..50).find_map(|_| {
        let (what, range, to) = once(text, &tokens, random)?;
        let from = text.get(range.clone())?;
        (from != to).then(|| Edit {
            text: spliced(text, &range, &to),
            what,
            line: text.get(..range.start).unwrap_or_default().matches('\n').count() + 1,
            from: from.to_owned(),
            to,
        })
    })
}

type Change = (&'static str, Range<usize>, String);

fn once(text: &str, tokens: &[Token], random: &mut Random) -> Option<Change> {
    let written = |token: &Token| text.get(token.start..token.end).unwrap_or_default();
    // The next token of a kind, from some place on.
    let from = random.below(tokens.len());
    let next =
        |wanted: &dyn Fn(&Token) -> bool| tokens.iter().skip(from).find(|token| wanted(token)).copied();
    let one_of = |list: &'static [&'static str]| next(&|token| list.contains(&written(token)));
    let replace = |what, token: Token, to: &str| Some((what, token.start..token.end, to.to_owned()));
    match random.below(16) {
        0 | 1 => replace("delete", *tokens.get(from)?, ""),
        2 | 3 => {
            let token = *tokens.get(from)?;
            replace("double", token, &format!("{0} {0}", written(&token)))
        }
        4 | 5 => {
            let (first, second) = (tokens.get(from)?, tokens.get(from + 1)?);
            let between = text.get(first.end..second.start)?;
            let swapped = format!("{}{between}{}", written(second), written(first));
            Some(("swap", first.start..second.end, swapped))
        }
        6..9 => {
            let token = next(&|token| token.kind == TokenKind::Number)?;
            let to = if random.one_in(4) {
                format!("{}{}", written(&token), random.pick(SUFFIXES))
            } else {
                random.pick(LITERALS).to_owned()
            };
            replace("literal", token, &to)
        }
        9 | 10 => {
            if random.one_in(3) {
                replace("keyword", one_of(&STATEMENTS)?, random.pick(STATEMENTS))
            } else {
                replace("keyword", one_of(&TYPES)?, random.pick(TYPES))
            }
        }
        11 | 12 => {
            if random.one_in(3) {
                replace("qualifier", one_of(&LAYOUT_NUMBERS)?, random.pick(LAYOUT_NUMBERS))
            } else {
                replace("qualifier", one_of(&QUALIFIERS)?, random.pick(QUALIFIERS))
            }
        }
        13 | 14 => match random.below(6) {
            0..3 => replace("operator", one_of(&BINARY)?, random.pick(BINARY)),
            3 | 4 => replace("operator", one_of(&ASSIGNMENTS)?, random.pick(ASSIGNMENTS)),
            _ => replace("operator", one_of(&OTHERS)?, random.pick(OTHERS)),
        },
        _ => {
            let token = next(&|token| token.kind == TokenKind::Identifier)?;
            let other = random.choose(tokens).filter(|other| other.kind == TokenKind::Identifier)?;
            replace("name", token, written(other))
        }
    }
}

/// Puts `by` in a range's place; words that would grow together are kept apart.
fn spliced(text: &str, range: &Range<usize>, by: &str) -> String {
    let (before, after) =
        (text.get(..range.start).unwrap_or_default(), text.get(range.end..).unwrap_or_default());
    let touches = |left: Option<&u8>, right: Option<&u8>| matches!((left, right), (Some(&left), Some(&right)) if is_identifier_byte(left) && is_identifier_byte(right));
    let mut out = String::with_capacity(text.len() + by.len() + 2);
    out.push_str(before);
    if touches(before.as_bytes().last(), by.as_bytes().first()) {
        out.push(' ');
    }
    out.push_str(by);
    if touches(out.as_bytes().last(), after.as_bytes().first()) {
        out.push(' ');
    }
    out.push_str(after);
    out
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Edit, edit, spliced};
    use crate::random::Random;

    const SHADER: &str = "#version 450\nlayout(local_size_x = 32) in;\n#if 0\nint never = 7;\n#endif\nvoid main() { for (int i = 0; i < 4; ++i) { float x = 1.0 + i; } }\n";

    fn edits(count: u64) -> Vec<Edit> {
        let start = SHADER.find("int never").unwrap();
        let inactive = start..SHADER.find("#endif").unwrap();
        let ranges = [inactive];
        (0..count).filter_map(|seed| edit(SHADER, &ranges, &mut Random::new(seed))).collect()
    }

    #[test]
    fn an_edit_is_the_seed_s_and_changes_one_line() {
        assert_eq!(edits(100), edits(100));
        for edit in edits(300) {
            let changed: Vec<usize> = SHADER
                .lines()
                .zip(edit.text.lines())
                .enumerate()
                .filter(|(_, (before, after))| before != after)
                .map(|(at, _)| at + 1)
                .collect();
            // Two tokens that are exchanged may stand on two lines.
            assert_eq!(changed.first(), Some(&edit.line), "{edit:?}");
            assert!(changed.len() == 1 || edit.what == "swap", "{edit:?}");
            assert!(edit.text.contains("int never = 7;"), "what is not active stays: {edit:?}");
        }
    }

    #[test]
    fn every_kind_of_edit_comes_up() {
        let kinds: BTreeSet<&str> = edits(500).iter().map(|edit| edit.what).collect();
        let all = ["delete", "double", "keyword", "literal", "name", "operator", "qualifier", "swap"];
        assert_eq!(kinds, BTreeSet::from(all));
    }

    #[test]
    fn words_do_not_grow_together() {
        assert_eq!(spliced("a=b", &(1..2), "c"), "a c b");
        assert_eq!(spliced("a=b", &(1..2), "+"), "a+b");
    }
}
