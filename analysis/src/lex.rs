//! A lexer for GLSL's preprocessing tokens: over bytes, without allocation, every byte of the text belongs to one lexeme.
//!
//! It knows line continuations (GLSL 4.60, section 3.1), so a lexeme may span several physical lines; `spliced` tells.

use memchr::{memchr, memchr2};

/// What a piece of text is, before anything is made of it (GLSL 4.60, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LexemeKind {
    /// Spaces, tabs, form feeds and vertical tabs.
    Space,
    /// One line end: `\n`, `\r\n` or `\r`.
    Newline,
    /// A backslash and the line end that it takes away, between tokens.
    Splice,
    /// From `//` up to the line end, which is no part of it.
    LineComment,
    /// From `/*` to `*/`.
    BlockComment,
    /// A block comment without its end: it reaches to the end of the text.
    UnterminatedComment,
    /// Anything else.
    Token(TokenKind),
}

/// The kind of a preprocessing token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TokenKind {
    /// A name or a keyword: letters, digits and `_`, no digit first.
    Identifier,
    /// Anything that starts like a number; the suffix and stray letters belong to it.
    Number,
    /// A string in double quotes, or what stands between an opening quote and the line's end.
    String,
    /// `(`.
    LeftParen,
    /// `)`.
    RightParen,
    /// `,`.
    Comma,
    /// `#`.
    Hash,
    /// `##`.
    HashHash,
    /// Any other operator or punctuation mark.
    Punctuation,
    /// A character that GLSL has no use for outside comments: one character, whatever its length in bytes.
    Unknown,
}

/// A piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lexeme {
    /// What it is.
    pub kind: LexemeKind,
    /// Its first byte.
    pub start: usize,
    /// Behind its last byte; never `start`.
    pub end: usize,
    /// Whether a line continuation stands inside.
    pub spliced: bool,
}

/// Length of the line end at `at`, or 0.
pub fn newline_len(bytes: &[u8], at: usize) -> usize {
    match bytes.get(at) {
        Some(b'\n') => 1,
        Some(b'\r') if bytes.get(at + 1) == Some(&b'\n') => 2,
        Some(b'\r') => 1,
        _ => 0,
    }
}

/// Length of the line continuation at `at`, or 0.
pub fn splice_len(bytes: &[u8], at: usize) -> usize {
    if bytes.get(at) != Some(&b'\\') {
        return 0;
    }
    match newline_len(bytes, at + 1) {
        0 => 0,
        newline => newline + 1,
    }
}

/// The text without its line continuations.
pub fn without_splices(text: &str) -> String {
    let bytes = text.as_bytes();
    let mut result = String::with_capacity(text.len());
    let (mut from, mut at) = (0, 0);
    while let Some(found) = memchr(b'\\', bytes.get(at..).unwrap_or_default()) {
        let splice = splice_len(bytes, at + found);
        if splice > 0 {
            result.push_str(text.get(from..at + found).unwrap_or_default());
            from = at + found + splice;
        }
        at += found + splice.max(1);
    }
    result.push_str(text.get(from..).unwrap_or_default());
    result
}

const IDENTIFIER: u8 = 1;
const DIGIT: u8 = 2;

const CLASS: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        if b.is_ascii_alphanumeric() || b == b'_' {
            table[byte] |= IDENTIFIER;
        }
        if b.is_ascii_digit() {
            table[byte] |= DIGIT;
        }
        byte += 1;
    }
    table
};

/// Whether `byte` may stand in an identifier after its first character.
pub fn is_identifier_byte(byte: u8) -> bool {
    CLASS[byte as usize] & IDENTIFIER != 0
}

/// The lexeme that starts at `start`, or `None` at the end.
#[inline]
pub fn lexeme_at(text: &str, start: usize) -> Option<Lexeme> {
    let bytes = text.as_bytes();
    let &first = bytes.get(start)?;
    let mut spliced = false;
    let (kind, end) = match first {
        b' ' | b'\t' | 0x0b | 0x0c => {
            let mut end = start + 1;
            while matches!(bytes.get(end), Some(b' ' | b'\t' | 0x0b | 0x0c)) {
                end += 1;
            }
            (LexemeKind::Space, end)
        }
        b'\n' => (LexemeKind::Newline, start + 1),
        b'\r' => (LexemeKind::Newline, start + newline_len(bytes, start)),
        b'a'..=b'z' | b'A'..=b'Z' | b'_' => {
            let end = identifier_end(bytes, start + 1, &mut spliced);
            (LexemeKind::Token(TokenKind::Identifier), end)
        }
        b'0'..=b'9' => (LexemeKind::Token(TokenKind::Number), number_end(bytes, start, &mut spliced)),
        b'.' if bytes.get(start + 1).is_some_and(u8::is_ascii_digit) => {
            (LexemeKind::Token(TokenKind::Number), number_end(bytes, start, &mut spliced))
        }
        b'/' if bytes.get(start + 1) == Some(&b'/') => {
            (LexemeKind::LineComment, line_comment_end(bytes, start + 2, &mut spliced))
        }
        b'/' if bytes.get(start + 1) == Some(&b'*') => match block_comment_end(bytes, start + 2) {
            Some(end) => (LexemeKind::BlockComment, end),
            None => (LexemeKind::UnterminatedComment, bytes.len()),
        },
        b'"' => (LexemeKind::Token(TokenKind::String), string_end(bytes, start + 1, &mut spliced)),
        b'\\' => match splice_len(bytes, start) {
            0 => (LexemeKind::Token(TokenKind::Unknown), start + 1),
            splice => (LexemeKind::Splice, start + splice),
        },
        b'(' => (LexemeKind::Token(TokenKind::LeftParen), start + 1),
        b')' => (LexemeKind::Token(TokenKind::RightParen), start + 1),
        b',' => (LexemeKind::Token(TokenKind::Comma), start + 1),
        b'#' if bytes.get(start + 1) == Some(&b'#') => (LexemeKind::Token(TokenKind::HashHash), start + 2),
        b'#' => (LexemeKind::Token(TokenKind::Hash), start + 1),
        b';' | b'{' | b'}' | b'[' | b']' | b'.' | b':' | b'?' | b'~' => {
            (LexemeKind::Token(TokenKind::Punctuation), start + 1)
        }
        b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'&' | b'|' | b'^' => {
            (LexemeKind::Token(TokenKind::Punctuation), start + operator_len(bytes, start))
        }
        _ => {
            let length = text.get(start..).and_then(|rest| rest.chars().next()).map_or(1, char::len_utf8);
            (LexemeKind::Token(TokenKind::Unknown), start + length)
        }
    };
    Some(Lexeme { kind, start, end, spliced })
}

/// All lexemes of a text, without gaps.
pub fn lexemes(text: &str) -> impl Iterator<Item = Lexeme> + '_ {
    let mut at = 0;
    std::iter::from_fn(move || {
        let lexeme = lexeme_at(text, at)?;
        at = lexeme.end;
        Some(lexeme)
    })
}

fn identifier_end(bytes: &[u8], mut at: usize, spliced: &mut bool) -> usize {
    loop {
        while bytes.get(at).is_some_and(|&byte| is_identifier_byte(byte)) {
            at += 1;
        }
        let after = after_splices(bytes, at);
        if after == at || !bytes.get(after).is_some_and(|&byte| is_identifier_byte(byte)) {
            return at;
        }
        *spliced = true;
        at = after;
    }
}

fn after_splices(bytes: &[u8], mut at: usize) -> usize {
    loop {
        match splice_len(bytes, at) {
            0 => return at,
            splice => at += splice,
        }
    }
}

/// One dot at most, and a sign only in a decimal exponent: `0xE+1` is three tokens, as compilers have it.
fn number_end(bytes: &[u8], start: usize, spliced: &mut bool) -> usize {
    let hex = bytes[start] == b'0' && matches!(bytes.get(start + 1), Some(b'x' | b'X'));
    let mut dot = hex;
    let mut at = start;
    let mut last = 0;
    loop {
        match bytes.get(at) {
            Some(&byte) if is_identifier_byte(byte) => last = byte,
            Some(b'.') if !dot => {
                dot = true;
                last = b'.';
            }
            Some(b'+' | b'-')
                if !hex
                    && matches!(last, b'e' | b'E')
                    && bytes.get(at + 1).is_some_and(u8::is_ascii_digit) =>
            {
                dot = true;
                last = b'+';
            }
            Some(b'\\') => {
                let after = after_splices(bytes, at);
                if after == at || !bytes.get(after).is_some_and(|&byte| is_identifier_byte(byte)) {
                    return at;
                }
                *spliced = true;
                at = after;
                continue;
            }
            _ => return at,
        }
        at += 1;
    }
}

fn line_comment_end(bytes: &[u8], mut at: usize, spliced: &mut bool) -> usize {
    while let Some(found) = memchr2(b'\n', b'\r', bytes.get(at..).unwrap_or_default()) {
        let end = at + found;
        if end == 0 || bytes[end - 1] != b'\\' {
            return end;
        }
        *spliced = true;
        at = end + newline_len(bytes, end);
    }
    bytes.len()
}

fn block_comment_end(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        at += memchr(b'*', bytes.get(at..)?)? + 1;
        let slash = after_splices(bytes, at);
        if bytes.get(slash) == Some(&b'/') {
            return Some(slash + 1);
        }
    }
}

fn string_end(bytes: &[u8], mut at: usize, spliced: &mut bool) -> usize {
    loop {
        match bytes.get(at) {
            None | Some(b'\n' | b'\r') => return at,
            Some(b'"') => return at + 1,
            Some(b'\\') => match splice_len(bytes, at) {
                0 if matches!(bytes.get(at + 1), Some(b'"' | b'\\')) => at += 2,
                0 => at += 1,
                splice => {
                    *spliced = true;
                    at += splice;
                }
            },
            Some(_) => at += 1,
        }
    }
}

fn operator_len(bytes: &[u8], at: usize) -> usize {
    let first = bytes[at];
    let second = bytes.get(at + 1).copied().unwrap_or(0);
    match (first, second) {
        (b'<', b'<') | (b'>', b'>') => 2 + usize::from(bytes.get(at + 2) == Some(&b'=')),
        (_, b'=') => match first {
            b'~' => 1,
            _ => 2,
        },
        (b'+', b'+') | (b'-', b'-') | (b'&', b'&') | (b'|', b'|') | (b'^', b'^') => 2,
        _ => 1,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<&str> {
        lexemes(text)
            .filter(|lexeme| matches!(lexeme.kind, LexemeKind::Token(_)))
            .map(|lexeme| &text[lexeme.start..lexeme.end])
            .collect()
    }

    #[test]
    fn every_byte_belongs_to_one_lexeme() {
        for text in
            ["a\\\nb // c\\\r\nd\r/* e", "\u{feff}ä \"str\\\"ing\" 1.5e-3f", "x\\", "\"", "/*", "\\\n"]
        {
            let mut at = 0;
            for lexeme in lexemes(text) {
                assert_eq!(lexeme.start, at);
                assert!(lexeme.end > lexeme.start && text.is_char_boundary(lexeme.end));
                at = lexeme.end;
            }
            assert_eq!(at, text.len());
        }
    }

    #[test]
    fn numbers_end_where_compilers_end_them() {
        assert_eq!(tokens("0xE+1"), ["0xE", "+", "1"]);
        assert_eq!(tokens("1.5e-3f+2"), ["1.5e-3f", "+", "2"]);
        assert_eq!(tokens("1e+x"), ["1e", "+", "x"]);
        assert_eq!(tokens("a[1].x .5hf 1.f16"), ["a", "[", "1", "]", ".", "x", ".5hf", "1.f16"]);
        assert_eq!(tokens("1.2.3"), ["1.2", ".3"]);
    }

    #[test]
    fn operators_are_as_long_as_possible() {
        assert_eq!(
            tokens("a<<=b>>c^^d++ +e##f#g"),
            ["a", "<<=", "b", ">>", "c", "^^", "d", "++", "+", "e", "##", "f", "#", "g"]
        );
    }

    #[test]
    fn a_line_continuation_joins_what_it_splits() {
        let text = "ab\\\ncd 1\\\r\n2 // e\\\nf\ng";
        let kinds: Vec<_> = lexemes(text).filter(|lexeme| lexeme.spliced).map(|lexeme| lexeme.kind).collect();
        assert_eq!(
            kinds,
            [
                LexemeKind::Token(TokenKind::Identifier),
                LexemeKind::Token(TokenKind::Number),
                LexemeKind::LineComment
            ]
        );
        assert_eq!(tokens(text), ["ab\\\ncd", "1\\\r\n2", "g"]);
        assert_eq!(without_splices("ab\\\ncd\\x"), "abcd\\x");
    }
}
