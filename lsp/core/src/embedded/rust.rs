//! The tokens of Rust, as far as they say where literals begin and end (The Rust Reference, "Lexical structure").

use super::tokens::{Kind, Literal, Token, line_end, quoted, starts_word, word_end};

pub fn tokens(text: &str) -> Vec<Token> {
    let bytes = text.as_bytes();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        let start = at;
        let next = bytes.get(at + 1).copied();
        let kind = match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0x0b | 0x0c => {
                at += 1;
                continue;
            }
            b'/' if next == Some(b'/') => {
                at = line_end(bytes, at);
                Kind::Comment
            }
            b'/' if next == Some(b'*') => {
                at = block_comment(bytes, at + 2);
                Kind::Comment
            }
            b'"' => {
                let literal = ordinary(bytes, at + 1);
                at = behind(bytes, &literal);
                Kind::Literal(literal)
            }
            b'\'' => {
                at = quote(text, at);
                Kind::Mark(b'\'')
            }
            _ if byte.is_ascii_digit() => {
                at = word_end(bytes, at);
                continue;
            }
            _ if starts_word(byte) => {
                at = word_end(bytes, at);
                let literal = match text.get(start..at) {
                    Some("r" | "br" | "cr") => raw(text, at),
                    Some("b" | "c") if bytes.get(at) == Some(&b'"') => Some(ordinary(bytes, at + 1)),
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
        tokens.push(Token { kind, range: start..at });
    }
    tokens
}

/// Comments nest.
fn block_comment(bytes: &[u8], mut at: usize) -> usize {
    let mut depth = 1_usize;
    while let Some(found) = memchr::memchr2(b'/', b'*', bytes.get(at..).unwrap_or_default()) {
        at += found;
        match (bytes.get(at), bytes.get(at + 1)) {
            (Some(b'/'), Some(b'*')) => {
                depth += 1;
                at += 2;
            }
            (Some(b'*'), Some(b'/')) => {
                depth -= 1;
                at += 2;
                if depth == 0 {
                    return at;
                }
            }
            _ => at += 1,
        }
    }
    bytes.len()
}

/// The end of a character, or of a lifetime, which has no closing quote.
fn quote(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    let Some(letter) = text.get(at + 1..).and_then(|rest| rest.chars().next()) else { return bytes.len() };
    if letter == '\\' {
        let (end, closed) = quoted(bytes, at + 1, b'\'', false);
        return end + usize::from(closed);
    }
    let behind = at + 1 + letter.len_utf8();
    if bytes.get(behind) == Some(&b'\'') {
        return behind + 1;
    }
    word_end(bytes, at + 1).max(at + 1)
}

fn ordinary(bytes: &[u8], start: usize) -> Literal {
    let (end, ended) = quoted(bytes, start, b'"', true);
    Literal { content: start..end, raw: None, ended }
}

/// `at` is behind the `r`. `None`: a raw identifier, or the word `r`.
fn raw(text: &str, at: usize) -> Option<Literal> {
    let bytes = text.as_bytes();
    let hashes = bytes.get(at..)?.iter().take_while(|byte| **byte == b'#').count();
    if bytes.get(at + hashes) != Some(&b'"') {
        return None;
    }
    let content = at + hashes + 1;
    let end = format!("\"{}", "#".repeat(hashes));
    let found = memchr::memmem::find(bytes.get(content..)?, end.as_bytes());
    let content = content..found.map_or(bytes.len(), |at| content + at);
    Some(Literal { content, raw: Some(end), ended: found.is_some() })
}

fn behind(bytes: &[u8], literal: &Literal) -> usize {
    if !literal.ended {
        return literal.content.end;
    }
    let quote = literal.content.end + literal.raw.as_ref().map_or(1, String::len);
    // A suffix is none that a string may have, but one token with it.
    word_end(bytes, quote).max(quote)
}
