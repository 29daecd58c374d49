//! Assembly text to tokens, as `spirv-as` cuts it: white space, ends of lines too, separates them, `;` begins a comment.

use std::ops::Range;

use super::Error;

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    /// Names and numbers.
    Word,
    /// `%name`.
    Id,
    /// A string with its quotes.
    String,
    /// `=`.
    Equals,
    /// `!number`.
    Raw,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    /// Bytes of the text.
    pub range: Range<usize>,
    /// Whether it is the first of its line.
    pub first: bool,
}

/// The tokens, the comments, and what is neither.
pub(super) fn tokens(source: &str) -> (Vec<Token>, Vec<Range<usize>>, Vec<Error>) {
    let bytes = source.as_bytes();
    let (mut tokens, mut comments, mut errors) = (Vec::new(), Vec::new(), Vec::new());
    let (mut at, mut first) = (0, true);
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let kind = match byte {
            b'\n' => {
                (at, first) = (at + 1, true);
                continue;
            }
            b' ' | b'\t' | b'\r' => {
                at += 1;
                continue;
            }
            b';' => {
                at += length_until(&bytes[at..], |byte| byte == b'\n');
                let end = source[start..at].trim_end().len();
                comments.push(start..start + end);
                continue;
            }
            b'"' => {
                at = end_of_string(bytes, at);
                if at > bytes.len() {
                    at = bytes.len();
                    let message = "expected `\"` at the end of the string, found the end of the file";
                    errors.push(Error { range: start..start + 1, message: message.to_owned() });
                }
                Kind::String
            }
            b'=' => {
                at += 1;
                Kind::Equals
            }
            _ => {
                at += length_until(&bytes[at..], |byte| b" \t\r\n;\"=".contains(&byte));
                match byte {
                    b'%' => Kind::Id,
                    b'!' => Kind::Raw,
                    _ => Kind::Word,
                }
            }
        };
        tokens.push(Token { kind, range: start..at, first });
        first = false;
    }
    (tokens, comments, errors)
}

fn length_until(bytes: &[u8], ends: impl Fn(u8) -> bool) -> usize {
    bytes.iter().position(|&byte| ends(byte)).unwrap_or(bytes.len())
}

/// The place behind the quote that ends a string; beyond the text where none does.
fn end_of_string(bytes: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(&byte) = bytes.get(at) {
        at += match byte {
            b'\\' => 2,
            b'"' => return at + 1,
            _ => 1,
        };
    }
    bytes.len() + 1
}

/// What a string token stands for: a backslash keeps the character after it as it is.
pub(super) fn string(token: &str) -> String {
    let inside = token.strip_prefix('"').unwrap_or(token);
    let mut out = String::with_capacity(inside.len());
    let mut characters = inside.chars();
    while let Some(character) = characters.next() {
        match character {
            '\\' => out.extend(characters.next()),
            '"' => break,
            _ => out.push(character),
        }
    }
    out
}
