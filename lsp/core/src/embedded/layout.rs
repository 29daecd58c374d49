//! The text of a shader, at its lines and columns of the file: newlines for the lines before it, blanks for what stands around its literals, and
//! of an escape its character among blanks.
//!
//! An escaped newline is the file's newline behind the literal. Where the shader goes on in the same line of the file instead, a blank does, unless a
//! directive is near: such a text cannot be laid out. The other way round, a line of the file that ends between two literals of one line of the shader ends in a
//! backslash, which joins lines of GLSL, too.

use std::ops::Range;
use std::sync::Arc;

use super::find::{Found, Unknown};
use super::tokens::{Literal, is_word, newline};
use super::{Language, Part, Piece, Region, judge};

pub fn regions(language: Language, text: &str, found: Vec<Found>) -> Vec<Region> {
    let mut names: Vec<String> = Vec::new();
    let mut lines = Lines { text, at: 0, count: 0, start: 0 };
    found
        .into_iter()
        .enumerate()
        .map(|(index, found)| {
            let name = name(&found, index, &names);
            names.push(name.clone());
            region(language, text, found, name, &mut lines)
        })
        .collect()
}

/// No two are called the same.
fn name(found: &Found, index: usize, taken: &[String]) -> String {
    let wanted = found.name.clone().unwrap_or_else(|| (index + 1).to_string());
    let numbered = (2..).map(|number| format!("{wanted}-{number}"));
    std::iter::once(wanted.clone()).chain(numbered).find(|name| !taken.contains(name)).unwrap_or(wanted)
}

fn region(language: Language, text: &str, found: Found, name: String, lines: &mut Lines<'_>) -> Region {
    let pieces: Vec<Piece> = found
        .literals
        .iter()
        .map(|literal| Piece { range: literal.content.clone(), end: literal.raw.clone() })
        .collect();
    let range =
        pieces.first().map_or(0, |piece| piece.range.start)..pieces.last().map_or(0, |piece| piece.range.end);
    let (line, start) = lines.of(range.start);
    let mut writer = Writer {
        language,
        out: "\n".repeat(line),
        current: String::new(),
        comment: None,
        awaited: None,
        odd: None,
    };
    blank(text.get(start..range.start).unwrap_or_default(), &mut writer.out);
    let mut behind = range.start;
    for literal in &found.literals {
        if literal.content.start > behind {
            writer.between(text, behind..literal.content.start);
        }
        writer.literal(text, literal);
        behind = literal.content.end;
    }
    let shader = writer.out;
    let judged = judge::judge(&shader, found.stage, &name);
    // Of a letter that is not ASCII all of it.
    let whole = |odd: Range<usize>| odd.start..text.ceil_char_boundary(odd.end);
    let odd = writer.odd.map(|odd| judge::cannot_be_laid_out(whole(odd)));
    let unknown = found.unknown.filter(|unknown| !(unknown.before && judged.begins_with_version));
    let part = unknown.map(|Unknown { range, .. }| judge::unknown(text, range)).or(odd).or_else(|| {
        let here = range.start..range.start;
        judged.part.map(|(code, message)| Part { code, message, range: here })
    });
    Region {
        name,
        stage: judged.stage,
        shift: start - line,
        text: Arc::from(shader),
        range,
        pieces,
        part,
        has_version: judged.has_version,
        options: found.options,
    }
}

/// Counts lines as editors do.
struct Lines<'t> {
    text: &'t str,
    at: usize,
    count: usize,
    start: usize,
}

impl Lines<'_> {
    /// The number of the line of an offset, and its start. Offsets come in their order.
    fn of(&mut self, offset: usize) -> (usize, usize) {
        let bytes = self.text.as_bytes();
        while let Some(found) = memchr::memchr2(b'\n', b'\r', bytes.get(self.at..offset).unwrap_or_default())
        {
            self.at += found;
            self.at += newline(bytes, self.at);
            self.count += 1;
            self.start = self.at;
        }
        (self.count, self.start)
    }
}

/// Writes blanks for a text, as many bytes as it has. What is not ASCII counts otherwise in other encodings, so that it stays, in a comment.
fn blank(text: &str, out: &mut String) {
    for line in text.split_inclusive(['\n', '\r']) {
        let first = line.find(|letter: char| !letter.is_ascii());
        let Some(first) = first else {
            out.extend(line.chars().map(|letter| if matches!(letter, '\n' | '\r') { letter } else { ' ' }));
            continue;
        };
        let end = line.rfind(|letter: char| !letter.is_ascii()).unwrap_or(first);
        let end = end + line.get(end..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
        let fits = first >= 2 && line.len() >= end + 2;
        let spaces = |count: usize, out: &mut String| out.extend(std::iter::repeat_n(' ', count));
        match line.get(first..end).filter(|_| fits) {
            Some(odd) => {
                spaces(first - 2, out);
                out.push_str("/*");
                out.push_str(&odd.replace('*', " "));
                out.push_str("*/");
                let rest = line.get(end + 2..).unwrap_or_default();
                blank(rest, out);
            }
            None => {
                let rest = line.trim_end_matches(['\n', '\r']);
                spaces(rest.len(), out);
                out.push_str(line.get(rest.len()..).unwrap_or_default());
            }
        }
    }
}

struct Writer {
    language: Language,
    out: String,
    /// The line of the shader so far.
    current: String,
    /// Where the comment of that line starts in `out`.
    comment: Option<usize>,
    /// Where in `out` an escaped newline is that no newline of the file has stood for yet.
    awaited: Option<usize>,
    /// Where the text cannot be laid out.
    odd: Option<Range<usize>>,
}

/// A line of GLSL that does not end where one likes.
fn is_bound(line: &str) -> bool {
    line.trim_start().starts_with('#') || line.contains("/*")
}

impl Writer {
    /// A character of the shader, at an offset of the file.
    fn write(&mut self, letter: char, at: usize) {
        if matches!(letter, '\n' | '\r') {
            self.end_line();
            self.out.push(letter);
            return;
        }
        if let Some(newline) = self.awaited.filter(|_| !letter.is_whitespace()) {
            // The line of the shader has ended, that of the file goes on.
            if letter == '#' || is_bound(&self.current) {
                self.odd.get_or_insert(at..at + 1);
            } else if let Some(comment) = self.comment {
                self.close_comment(comment, newline, at);
            }
            self.end_line();
        }
        self.current.push(letter);
        self.out.push(letter);
        if self.current.ends_with("//") && self.comment.is_none() {
            self.comment = Some(self.out.len() - 2);
        }
    }

    fn end_line(&mut self) {
        self.awaited = None;
        self.comment = None;
        self.current.clear();
    }

    /// Lets a comment end where an escaped newline stands, as the file's line goes on.
    fn close_comment(&mut self, start: usize, newline: usize, at: usize) {
        let inside = self.out.get(start + 2..newline).unwrap_or_default();
        if inside.contains("*/") || self.out.get(newline..newline + 2) != Some("  ") {
            self.odd.get_or_insert(at..at + 1);
            return;
        }
        self.out.replace_range(start..start + 2, "/*");
        self.out.replace_range(newline..newline + 2, "*/");
    }

    /// An escape of so many bytes, which stands for a character or for none.
    fn escape(&mut self, letter: Option<char>, at: usize, bytes: usize) {
        match letter {
            // It joins two lines of the shader.
            Some('\n') if self.current.ends_with('\\') => {
                self.current.pop();
                if self.out.pop().is_some() {
                    self.blanks(bytes + 1);
                }
            }
            Some('\n') => {
                self.awaited.get_or_insert(self.out.len());
                self.blanks(bytes);
            }
            Some(letter) => {
                // Inside of a word there is no room.
                if self.current.ends_with(|last: char| last.is_ascii() && is_word(last as u8))
                    && letter.is_ascii()
                    && is_word(letter as u8)
                {
                    self.odd.get_or_insert(at..at + bytes);
                }
                let letter = if letter.is_ascii() { letter } else { '?' };
                self.blanks(bytes - 1);
                self.write(letter, at);
            }
            None => self.blanks(bytes),
        }
    }

    fn blanks(&mut self, count: usize) {
        self.out.extend(std::iter::repeat_n(' ', count));
    }

    /// What stands between two literals.
    fn between(&mut self, text: &str, range: Range<usize>) {
        let gap = text.get(range.clone()).unwrap_or_default();
        let next = text.as_bytes().get(range.end).copied().unwrap_or_default();
        let last = self.current.bytes().last().unwrap_or_default();
        // A word that goes on in the next literal.
        if self.awaited.is_none() && is_word(last) && is_word(next) {
            self.odd.get_or_insert(range.end..range.end + 1);
        }
        for line in gap.split_inclusive('\n') {
            let words = line.trim_end_matches(['\n', '\r']);
            let ending = line.get(words.len()..).unwrap_or_default();
            blank(words, &mut self.out);
            if !ending.is_empty() {
                self.gap_newline(ending, range.start);
            }
        }
    }

    /// The file's line ends, which is that of the shader only where it has ended, too.
    fn gap_newline(&mut self, ending: &str, at: usize) {
        if self.awaited.is_some() || self.current.trim().is_empty() {
            self.end_line();
        } else if self.out.ends_with(' ') {
            self.out.pop();
            self.out.push('\\');
        } else if is_bound(&self.current) || self.comment.is_some() {
            self.odd.get_or_insert(at..at + 1);
        }
        self.out.push_str(ending);
    }

    fn literal(&mut self, text: &str, literal: &Literal) {
        let content = text.get(literal.content.clone()).unwrap_or_default();
        if literal.raw.is_some() {
            for (at, letter) in content.char_indices() {
                self.write(letter, literal.content.start + at);
            }
            return;
        }
        let bytes = content.as_bytes();
        let mut at = 0;
        while let Some(letter) = content.get(at..).and_then(|rest| rest.chars().next()) {
            let here = literal.content.start + at;
            if letter != '\\' {
                self.write(letter, here);
                at += letter.len_utf8();
                continue;
            }
            let ending = newline(bytes, at + 1);
            if ending > 0 {
                at += self.splice(bytes, at, ending, here);
                continue;
            }
            let (letter, length) = escape(content.get(at..).unwrap_or_default());
            self.escape(letter, here, length);
            at += length;
        }
    }

    /// A backslash at the end of a line: nothing of it is in the text, and of the spaces behind it in Rust.
    fn splice(&mut self, bytes: &[u8], at: usize, ending: usize, here: usize) -> usize {
        self.blanks(1);
        let newline = if ending == 2 {
            "\r\n"
        } else if bytes.get(at + 1) == Some(&b'\r') {
            "\r"
        } else {
            "\n"
        };
        self.gap_newline(newline, here);
        let mut length = 1 + ending;
        if self.language == Language::Rust {
            let rest = bytes.get(at + length..).unwrap_or_default();
            for byte in rest.iter().take_while(|byte| byte.is_ascii_whitespace()) {
                match byte {
                    b'\n' | b'\r' => self.out.push(char::from(*byte)),
                    _ => self.blanks(1),
                }
                length += 1;
            }
        }
        length
    }
}

/// The character that an escape stands for, and its bytes. What neither language has stands for nothing.
fn escape(text: &str) -> (Option<char>, usize) {
    let bytes = text.as_bytes();
    let digits = |from: usize, most: usize, radix: u32| {
        let rest = bytes.get(from..).unwrap_or_default();
        let count = rest.iter().take(most).take_while(|byte| char::from(**byte).is_digit(radix)).count();
        let value = text.get(from..from + count).and_then(|digits| u32::from_str_radix(digits, radix).ok());
        (value.and_then(char::from_u32), from + count)
    };
    let simple = |letter| (Some(letter), 2);
    match bytes.get(1) {
        Some(b'n') => simple('\n'),
        Some(b't' | b'v' | b'f') => simple(' '),
        Some(b'r' | b'a' | b'b' | b'e') => (None, 2),
        Some(b'\\') => simple('\\'),
        Some(b'"') => simple('"'),
        Some(b'\'') => simple('\''),
        Some(b'?') => simple('?'),
        Some(b'x') => digits(2, 2, 16),
        Some(b'0'..=b'7') => digits(1, 3, 8),
        Some(b'u') if bytes.get(2) == Some(&b'{') => {
            let (letter, end) = digits(3, 6, 16);
            (letter, end + usize::from(bytes.get(end) == Some(&b'}')))
        }
        Some(b'u') => digits(2, 4, 16),
        Some(b'U') => digits(2, 8, 16),
        _ => {
            let letter = text.get(1..).and_then(|rest| rest.chars().next()).map_or(0, char::len_utf8);
            (None, 1 + letter)
        }
    }
}
