//! The tokens of C++ (and of C): [lex] of the standard, as far as it says where literals begin and end.

use super::directives::{Conditions, Line};
use super::tokens::{Kind, Literal, Token, line_end, newline, quoted, starts_word, word_end};

/// A delimiter of a raw string has no more characters ([lex.string]).
const LONGEST_DELIMITER: usize = 16;

/// The tokens of the program, and behind them those that each macro (`#define`) stands for: nothing is put together over the end of a directive.
pub fn tokens(text: &str) -> Vec<Vec<Token>> {
    let bytes = text.as_bytes();
    let (mut program, mut macros) = (Vec::new(), Vec::new());
    let mut conditions = Conditions::default();
    // Whether nothing but comments stands before in the line.
    let mut first = true;
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        if first && byte == b'#' {
            let line = Line::read(text, at);
            at = line.end;
            conditions.meet(&line, text, &mut program);
            macros.extend(line.replacement(text).filter(|_| !conditions.leave_out()));
            continue;
        }
        let (kind, behind) = next(text, at);
        first = match &kind {
            Some(Kind::Comment) => first,
            Some(_) => false,
            None => matches!(byte, b'\n' | b'\r') || first && !byte.is_ascii_digit(),
        };
        if let Some(kind) = kind.filter(|_| !conditions.leave_out()) {
            program.push(Token { kind, range: at..behind });
        }
        at = behind;
    }
    std::iter::once(program).chain(macros).collect()
}

/// The token that begins at an offset, and the offset behind it. Blanks, splices and numbers are none.
pub fn next(text: &str, start: usize) -> (Option<Kind>, usize) {
    let bytes = text.as_bytes();
    let mut at = start;
    let Some(&byte) = bytes.get(at) else { return (None, at + 1) };
    let next = bytes.get(at + 1).copied();
    let kind = match byte {
        b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => {
            return (None, at + 1);
        }
        // A splice joins two lines.
        b'\\' if newline(bytes, at + 1) > 0 => {
            return (None, at + 1 + newline(bytes, at + 1));
        }
        b'/' if next == Some(b'/') => {
            at = line_comment(bytes, at);
            Kind::Comment
        }
        b'/' if next == Some(b'*') => {
            let rest = bytes.get(at + 2..).unwrap_or_default();
            at = memchr::memmem::find(rest, b"*/").map_or(bytes.len(), |end| at + 2 + end + 2);
            Kind::Comment
        }
        b'"' => {
            let literal = ordinary(bytes, at + 1);
            at = behind(bytes, &literal);
            Kind::Literal(literal)
        }
        b'\'' => {
            let (end, closed) = quoted(bytes, at + 1, b'\'', false);
            at = end + usize::from(closed);
            Kind::Mark(b'\'')
        }
        _ if byte.is_ascii_digit() => {
            return (None, number(bytes, at));
        }
        _ if starts_word(byte) => {
            at = word_end(bytes, at);
            let literal = match (text.get(start..at), bytes.get(at)) {
                (Some("R" | "LR" | "uR" | "UR" | "u8R"), Some(b'"')) => {
                    Some(raw(text, at + 1).unwrap_or_else(|| ordinary(bytes, at + 1)))
                }
                (Some("L" | "u" | "U" | "u8"), Some(b'"')) => Some(ordinary(bytes, at + 1)),
                _ => None,
            };
            match literal {
                Some(literal) => {
                    at = behind(bytes, &literal);
                    Kind::Literal(literal)
                }
                None => Kind::Word,
            }
        }
        _ => {
            at += 1;
            Kind::Mark(byte)
        }
    };
    (Some(kind), at)
}

/// Over splices, too.
fn line_comment(bytes: &[u8], mut at: usize) -> usize {
    loop {
        at = line_end(bytes, at);
        let ending = newline(bytes, at);
        if ending == 0 || bytes.get(at.wrapping_sub(1)) != Some(&b'\\') {
            return at;
        }
        at += ending;
    }
}

/// With digit separators, exponents and suffixes ([lex.ppnumber]).
fn number(bytes: &[u8], mut at: usize) -> usize {
    while let Some(&byte) = bytes.get(at) {
        let follows = bytes.get(at + 1).copied().unwrap_or_default();
        match byte {
            b'\'' if follows.is_ascii_alphanumeric() || follows == b'_' => at += 2,
            b'e' | b'E' | b'p' | b'P' if matches!(follows, b'+' | b'-') => at += 2,
            b'.' => at += 1,
            _ if byte.is_ascii_alphanumeric() || byte == b'_' => at += 1,
            _ => break,
        }
    }
    at
}

fn ordinary(bytes: &[u8], start: usize) -> Literal {
    let (end, ended) = quoted(bytes, start, b'"', false);
    Literal { content: start..end, raw: None, ended }
}

/// `None`: no raw string begins behind the quote.
fn raw(text: &str, start: usize) -> Option<Literal> {
    let bytes = text.as_bytes();
    let shown = bytes.get(start..bytes.len().min(start + LONGEST_DELIMITER + 1))?;
    let length = shown.iter().position(|byte| *byte == b'(')?;
    let delimiter = text.get(start..start + length)?;
    let odd = |byte: u8| byte.is_ascii_whitespace() || byte == 0x0b || matches!(byte, b')' | b'\\' | b'"');
    if delimiter.bytes().any(odd) {
        return None;
    }
    let content = start + length + 1;
    let end = format!("){delimiter}\"");
    let found = memchr::memmem::find(bytes.get(content..)?, end.as_bytes());
    let content = content..found.map_or(bytes.len(), |at| content + at);
    Some(Literal { content, raw: Some(end), ended: found.is_some() })
}

/// The offset behind the literal: its closing quote and a suffix (`s`, `sv`, `_name`).
fn behind(bytes: &[u8], literal: &Literal) -> usize {
    if !literal.ended {
        return literal.content.end;
    }
    let quote = literal.content.end + literal.raw.as_ref().map_or(1, String::len);
    match bytes.get(quote) {
        Some(&byte) if starts_word(byte) => {
            let end = word_end(bytes, quote);
            // What is another literal's prefix is no suffix.
            if bytes.get(end) == Some(&b'"') { quote } else { end }
        }
        _ => quote,
    }
}
