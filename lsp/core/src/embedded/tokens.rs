//! What the lexers give: enough of a program to find its literals and what stands around them.

use std::ops::Range;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A name or a keyword.
    Word,
    /// One character of everything else: an operator, a bracket.
    Mark(u8),
    Comment,
    Literal(Literal),
    /// Of C++.
    Directive(Directive),
}

/// A line of the preprocessor that has to do with the strings around it. What plainly chooses nothing (`#if 0`) is none, and what it leaves out has no tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Directive {
    /// `#if`, `#ifdef`, `#ifndef`.
    If,
    /// `#else`, `#elif` and its kin; which token its `#endif` is.
    Else {
        end: Option<usize>,
    },
    EndIf,
    Include,
}

/// A string.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Literal {
    /// Without prefix and quotes.
    pub content: Range<usize>,
    /// What ends it, where it has no escapes.
    pub raw: Option<String>,
    /// Whether it ends at all.
    pub ended: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Token {
    pub kind: Kind,
    pub range: Range<usize>,
}

impl Token {
    pub fn is(&self, mark: u8) -> bool {
        self.kind == Kind::Mark(mark)
    }

    pub fn text<'t>(&self, text: &'t str) -> &'t str {
        text.get(self.range.clone()).unwrap_or_default()
    }

    /// The word that it is.
    pub fn word<'t>(&self, text: &'t str) -> Option<&'t str> {
        (self.kind == Kind::Word).then(|| self.text(text))
    }

    pub fn literal(&self) -> Option<&Literal> {
        match &self.kind {
            Kind::Literal(literal) => Some(literal),
            _ => None,
        }
    }
}

/// Letters of names, and all that is not ASCII.
pub fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_' || byte >= 0x80
}

pub fn starts_word(byte: u8) -> bool {
    is_word(byte) && !byte.is_ascii_digit()
}

/// The end of the word that begins at an offset.
pub fn word_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + rest.iter().position(|byte| !is_word(*byte)).unwrap_or(rest.len())
}

/// The end of the line of an offset, before its newline.
pub fn line_end(bytes: &[u8], at: usize) -> usize {
    let rest = bytes.get(at..).unwrap_or_default();
    at + memchr::memchr2(b'\n', b'\r', rest).unwrap_or(rest.len())
}

/// The bytes of the newline at an offset: none, one, or two.
pub fn newline(bytes: &[u8], at: usize) -> usize {
    match (bytes.get(at), bytes.get(at + 1)) {
        (Some(b'\r'), Some(b'\n')) => 2,
        (Some(b'\r' | b'\n'), _) => 1,
        _ => 0,
    }
}

/// The end of a quoted text that begins behind its quote: that of its content, and whether there is a closing quote. A backslash takes the
/// character behind it.
pub fn quoted(bytes: &[u8], mut at: usize, quote: u8, over_lines: bool) -> (usize, bool) {
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'\\' => at += 1 + newline(bytes, at + 1).max(1),
            b'\n' | b'\r' if !over_lines => return (at, false),
            _ if byte == quote => return (at, true),
            _ => at += 1,
        }
    }
    (bytes.len(), false)
}
