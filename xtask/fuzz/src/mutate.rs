//! Damage that keeps much of a shader's structure: tokens and lines are taken out, doubled, exchanged, or come from another shader.

pub mod json;
pub mod words;

use coopmat_analysis::lex::{LexemeKind, TokenKind, lexemes};

use crate::random::Random;
use crate::seeds::Seeds;

/// What people and their editors put in, one key at a time or all at once.
const TYPED: [&str; 56] = [
    "(",
    ")",
    "{",
    "}",
    "[",
    "]",
    "<",
    ">",
    ";",
    ",",
    ".",
    "=",
    "==",
    "+",
    "-",
    "*",
    "/",
    "%",
    "?",
    ":",
    "#",
    "##",
    "\"",
    "'",
    "\\",
    "\\\n",
    "\n",
    "\r\n",
    "\r",
    "\t",
    " ",
    "/*",
    "*/",
    "//",
    "é",
    "\u{1F600}",
    "\u{feff}",
    "\0",
    "a",
    "x1",
    "if (",
    "else",
    "for (int i = 0; i < 4; ++i) {",
    "while (",
    "return",
    "struct S { float x; } s;",
    "coopmat<",
    "coopmat<float, gl_ScopeSubgroup, 16, 16, gl_MatrixUseA>",
    "coopMatLoad(",
    "coopMatMulAdd(a, b, c)",
    "#define F(x) x\n",
    "#if 1\n",
    "#endif\n",
    "#include \"",
    "layout(",
    "a.",
];

/// Words that exchange for one another where types, scopes, uses and shapes are written.
const FAMILIES: [&[&str]; 9] = [
    &["gl_MatrixUseA", "gl_MatrixUseB", "gl_MatrixUseAccumulator"],
    &["gl_ScopeSubgroup", "gl_ScopeWorkgroup", "gl_ScopeDevice", "gl_ScopeQueueFamily", "gl_ScopeInvocation"],
    &["gl_CooperativeMatrixLayoutRowMajor", "gl_CooperativeMatrixLayoutColumnMajor"],
    &[
        "float",
        "float16_t",
        "bfloat16_t",
        "double",
        "int",
        "uint",
        "int8_t",
        "uint8_t",
        "int16_t",
        "uint16_t",
        "int64_t",
        "uint64_t",
        "bool",
        "floate4m3_t",
        "floate5m2_t",
    ],
    &[
        "vec2", "vec3", "vec4", "ivec2", "ivec3", "uvec4", "bvec2", "f16vec4", "mat2", "mat3", "mat4x3",
        "dvec2",
    ],
    &["+", "-", "*", "/", "%", "<<", ">>", "&", "|", "^", "&&", "||", "==", "<", ">="],
    &["=", "+=", "-=", "*=", "/=", "%=", "<<=", "&="],
    &["shared", "const", "in", "out", "inout", "buffer", "uniform", "coherent", "readonly", "precise"],
    &["coopMatLoad", "coopMatStore", "coopMatMulAdd", "coopMatLoadTensorNV", "coopMatReduceNV", "barrier"],
];

const NUMBERS: [&str; 20] = [
    "0",
    "1",
    "2",
    "3",
    "7",
    "8",
    "15",
    "16",
    "17",
    "32",
    "64",
    "0u",
    "1u",
    "16u",
    "2147483647",
    "4294967295u",
    "-1",
    "0x80000000",
    "1e38",
    "0.5f",
];

/// The most bytes that a text grows to.
const LONGEST: usize = 60_000;

/// Damages a shader in one to a few places.
pub fn shader(text: &str, random: &mut Random, seeds: &Seeds) -> String {
    let times = match random.below(10) {
        0..5 => 1,
        5..8 => 1 + random.below(3),
        _ => 2 + random.below(12),
    };
    let mut text = text.to_owned();
    for _ in 0..times {
        text = once(&text, random, seeds);
    }
    text
}

/// The same where the result shall often be as valid as the shader was.
pub fn gently(text: &str, random: &mut Random) -> String {
    let mut text = text.to_owned();
    for _ in 0..=random.below(3) {
        let tokens = tokens(&text);
        text = match random.below(10) {
            0..4 => exchange_relative(&text, &tokens, random),
            4..6 => exchange_number(&text, &tokens, random),
            6 => exchange_name(&text, &tokens, random),
            7 => double_line(&text, random),
            8 => delete_line(&text, random),
            _ => set_configuration(&text, random),
        };
    }
    text
}

fn once(text: &str, random: &mut Random, seeds: &Seeds) -> String {
    if text.len() > LONGEST {
        return text.get(..floor(text, LONGEST / 2)).unwrap_or_default().to_owned();
    }
    let tokens = tokens(text);
    match random.below(20) {
        0 | 1 => delete_tokens(text, &tokens, random),
        2 => double_tokens(text, &tokens, random),
        3 => swap_tokens(text, &tokens, random),
        4 | 5 => splice(text, &tokens, random, seeds),
        6 | 7 => type_something(text, &tokens, random),
        8 => exchange_number(text, &tokens, random),
        9 | 10 => exchange_relative(text, &tokens, random),
        11 => exchange_name(text, &tokens, random),
        12 => double_line(text, random),
        13 => delete_line(text, random),
        14 => swap_lines(text, random),
        15 => text.get(..floor(text, random.below(text.len() + 1))).unwrap_or_default().to_owned(),
        16 => set_configuration(text, random),
        17 => through_macro(text, &tokens, random),
        18 => nest(text, &tokens, random),
        _ => damage_bytes(text, random),
    }
}

#[derive(Clone, Copy)]
struct Token {
    kind: TokenKind,
    start: usize,
    end: usize,
}

fn tokens(text: &str) -> Vec<Token> {
    lexemes(text)
        .filter_map(|lexeme| match lexeme.kind {
            LexemeKind::Token(kind) => Some(Token { kind, start: lexeme.start, end: lexeme.end }),
            _ => None,
        })
        .collect()
}

/// The largest offset up to `at` that lies between characters.
pub fn floor(text: &str, at: usize) -> usize {
    text.floor_char_boundary(at)
}

fn replaced(text: &str, range: std::ops::Range<usize>, by: &str) -> String {
    let mut out = String::with_capacity(text.len() + by.len());
    out.push_str(text.get(..range.start).unwrap_or_default());
    out.push_str(by);
    out.push_str(text.get(range.end..).unwrap_or_default());
    out
}

/// Some tokens in a row: often one, seldom many.
fn stretch(tokens: &[Token], random: &mut Random) -> Option<(Token, Token)> {
    let first = random.below(tokens.len());
    let longest = random.pick([1, 1, 1, 2, 4, 12, 60]);
    let last = (first + random.below(longest)).min(tokens.len().checked_sub(1)?);
    Some((tokens[first], tokens[last]))
}

fn delete_tokens(text: &str, tokens: &[Token], random: &mut Random) -> String {
    match stretch(tokens, random) {
        Some((first, last)) => replaced(text, first.start..last.end, ""),
        None => text.to_owned(),
    }
}

fn double_tokens(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let Some((first, last)) = stretch(tokens, random) else { return text.to_owned() };
    let copy = text.get(first.start..last.end).unwrap_or_default().to_owned();
    // Beside itself, or anywhere.
    let at = if random.one_in(2) { last.end } else { random.choose(tokens).map_or(0, |token| token.start) };
    replaced(text, at..at, &format!(" {copy} "))
}

fn swap_tokens(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let (Some(&one), Some(&other)) = (random.choose(tokens), random.choose(tokens)) else {
        return text.to_owned();
    };
    let (one, other) = if one.start <= other.start { (one, other) } else { (other, one) };
    if one.end > other.start {
        return text.to_owned();
    }
    let (left, right) = (text[one.start..one.end].to_owned(), text[other.start..other.end].to_owned());
    let text = replaced(text, other.start..other.end, &left);
    replaced(&text, one.start..one.end, &right)
}

/// Lines or tokens of another shader in the place of some of this one.
fn splice(text: &str, own: &[Token], random: &mut Random, seeds: &Seeds) -> String {
    let other = seeds.shader(random);
    let foreign = tokens(other);
    let Some((from, to)) = stretch(&foreign, random) else { return text.to_owned() };
    let piece = format!(" {} ", other.get(from.start..to.end).unwrap_or_default());
    match stretch(own, random) {
        Some((first, _)) if random.one_in(2) => replaced(text, first.start..first.start, &piece),
        Some((first, last)) => replaced(text, first.start..last.end, &piece),
        None => piece,
    }
}

fn type_something(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let typed = random.pick(TYPED);
    let at = match random.choose(tokens) {
        Some(token) if random.below(3) > 0 => random.pick([token.start, token.end]),
        _ => floor(text, random.below(text.len() + 1)),
    };
    // Some keys are pressed more than once.
    let times = if random.one_in(12) { 2 + random.below(6) } else { 1 };
    replaced(text, at..at, &typed.repeat(times))
}

fn exchange_number(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let numbers: Vec<&Token> = tokens.iter().filter(|token| token.kind == TokenKind::Number).collect();
    match random.choose(&numbers) {
        Some(token) => replaced(text, token.start..token.end, random.pick(NUMBERS)),
        None => text.to_owned(),
    }
}

fn exchange_relative(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let found: Vec<(&Token, &[&str])> = tokens
        .iter()
        .filter_map(|token| {
            let word = text.get(token.start..token.end)?;
            Some((token, *FAMILIES.iter().find(|family| family.contains(&word))?))
        })
        .collect();
    match random.choose(&found) {
        Some((token, family)) => {
            let by = random.choose(family).copied().unwrap_or_default();
            replaced(text, token.start..token.end, by)
        }
        None => text.to_owned(),
    }
}

/// A name in the place of another of the same text.
fn exchange_name(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let names: Vec<&Token> = tokens.iter().filter(|token| token.kind == TokenKind::Identifier).collect();
    let (Some(one), Some(other)) = (random.choose(&names), random.choose(&names)) else {
        return text.to_owned();
    };
    let by = text.get(other.start..other.end).unwrap_or_default().to_owned();
    replaced(text, one.start..one.end, &by)
}

fn line(text: &str, random: &mut Random) -> std::ops::Range<usize> {
    let at = floor(text, random.below(text.len() + 1));
    let start = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let end = text[at..].find('\n').map_or(text.len(), |newline| at + newline + 1);
    start..end
}

fn double_line(text: &str, random: &mut Random) -> String {
    let line = line(text, random);
    let copy = text[line.clone()].to_owned();
    replaced(text, line.end..line.end, &copy)
}

fn delete_line(text: &str, random: &mut Random) -> String {
    let line = line(text, random);
    replaced(text, line, "")
}

fn swap_lines(text: &str, random: &mut Random) -> String {
    let from = line(text, random);
    let moved = text[from.clone()].to_owned();
    let text = replaced(text, from, "");
    let to = line(&text, random).start;
    replaced(&text, to..to, &moved)
}

/// Another environment, device, definition or value.
fn set_configuration(text: &str, random: &mut Random) -> String {
    let line = match random.below(6) {
        0 => "target-env: vulkan1.0".to_owned(),
        1 => format!("target-env: vulkan1.{}", 1 + random.below(4)),
        2 => {
            let devices = coopmat_analysis::devices::builtin();
            format!("device: {}", random.choose(devices).map_or("", |device| &device.name))
        }
        3 => format!("subgroup-size: {}", random.pick([1, 8, 32, 64, 128])),
        4 => format!("spec: {}={}", random.below(8), random.number() as i64),
        _ => format!("define: {}={}", random.pick(["A", "TILE", "float", "main", "N"]), random.pick(NUMBERS)),
    };
    format!("//! {line}\n{text}")
}

/// Some tokens become the body, or an argument, of a macro.
fn through_macro(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let Some((first, last)) = stretch(tokens, random) else { return text.to_owned() };
    let piece = text.get(first.start..last.end).unwrap_or_default().replace('\n', " ");
    let (define, call) = match random.below(4) {
        0 => (format!("#define FZ {piece}\n"), "FZ".to_owned()),
        1 => ("#define FZ(x) x\n".to_owned(), format!("FZ({piece})")),
        2 => ("#define FZ(x, y) x##y #x\n".to_owned(), format!("FZ({piece}, 1)")),
        _ => (format!("#define FZ(x) x {piece} FZ\n"), "FZ(1)".to_owned()),
    };
    let text = replaced(text, first.start..last.end, &call);
    // Behind `#version` as a rule, and before the configuration never.
    let place = text.find("#version").and_then(|at| Some(at + text[at..].find('\n')? + 1)).unwrap_or(0);
    let at = if text.starts_with("//!") && place == 0 { text.len() } else { place };
    replaced(&text, at..at, &define)
}

/// A token many times inside itself.
fn nest(text: &str, tokens: &[Token], random: &mut Random) -> String {
    let Some(token) = random.choose(tokens) else { return text.to_owned() };
    let times = random.pick([2, 5, 40, 200]);
    let (open, close) = random.pick([
        ("(", ")"),
        ("{", "}"),
        ("[", "]"),
        ("-", ""),
        ("a[", "]"),
        ("f(", ")"),
        ("if (x) ", ""),
        ("coopmat<", ">"),
        ("x ? ", " : 1"),
        ("struct {", "} a;"),
        ("a.", ""),
        ("vec2(", ", 1)"),
        ("#if 1\n", "\n#endif\n"),
    ]);
    let inner = text.get(token.start..token.end).unwrap_or_default();
    let by = format!("{}{inner}{}", open.repeat(times), close.repeat(times));
    replaced(text, token.start..token.end, &by)
}

fn damage_bytes(text: &str, random: &mut Random) -> String {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=random.below(3) {
        let at = random.below(bytes.len());
        if let Some(byte) = bytes.get_mut(at) {
            *byte = random.pick([b' ', b'(', b'<', b'{', b';', b'0', b'#', b'\n', 0x80, 0xFF, b'a', b'.']);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
