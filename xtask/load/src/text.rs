//! Positions in a text as the protocol counts them: lines end in `\n`, `\r\n` or a lone `\r`, columns are UTF-16 units.
//!
//! Written from the protocol's words alone: what the server makes of positions is held against this.

use std::ops::Range;

use serde_json::{Value, json};

/// A line and a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub line: usize,
    pub character: usize,
}

impl Position {
    pub fn read(value: &Value) -> Option<Position> {
        let number = |name: &str| Some(value.get(name)?.as_u64()? as usize);
        Some(Position { line: number("line")?, character: number("character")? })
    }

    pub fn json(self) -> Value {
        json!({"line": self.line, "character": self.character})
    }
}

/// The lines of a text: where each starts, and where it ends without its line end.
pub struct Lines<'t> {
    text: &'t str,
    lines: Vec<Range<usize>>,
}

impl<'t> Lines<'t> {
    pub fn of(text: &'t str) -> Lines<'t> {
        let bytes = text.as_bytes();
        let (mut lines, mut start, mut at) = (Vec::new(), 0, 0);
        while at < bytes.len() {
            let length = match bytes[at] {
                b'\r' if bytes.get(at + 1) == Some(&b'\n') => 2,
                b'\r' | b'\n' => 1,
                _ => 0,
            };
            if length > 0 {
                lines.push(start..at);
                start = at + length;
            }
            at += length.max(1);
        }
        lines.push(start..bytes.len());
        Lines { text, lines }
    }

    /// The position of a byte; of one inside a line end, or inside a character, there is none.
    pub fn position(&self, at: usize) -> Option<Position> {
        let line = self.lines.partition_point(|line| line.start <= at).checked_sub(1)?;
        let range = &self.lines[line];
        let before = self.text.get(range.start..at).filter(|_| at <= range.end)?;
        Some(Position { line, character: before.encode_utf16().count() })
    }

    /// The byte of a position, when it lies in the text and between two characters.
    pub fn offset(&self, position: Position) -> Option<usize> {
        let range = self.lines.get(position.line)?.clone();
        let line = &self.text[range.clone()];
        if line.is_ascii() {
            return (position.character <= line.len()).then_some(range.start + position.character);
        }
        let mut units = 0;
        for (at, char) in line.char_indices() {
            if units >= position.character {
                return (units == position.character).then_some(range.start + at);
            }
            units += char.len_utf16();
        }
        (units == position.character).then_some(range.end)
    }

    /// The bytes of a line, without its end.
    pub fn line(&self, line: usize) -> Option<Range<usize>> {
        self.lines.get(line).cloned()
    }
}

/// What the server calls a text in `coopmat-analyzer/documentState`: 64-bit FNV-1a.
pub fn hash(text: &str) -> String {
    let hash = text.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    format!("{hash:016x}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(line: usize, character: usize) -> Position {
        Position { line, character }
    }

    #[test]
    fn every_kind_of_line_end_ends_a_line() {
        let lines = Lines::of("a\r\nb\rc\n");
        assert!(lines.line(3).is_some() && lines.line(4).is_none());
        assert_eq!(lines.position(2), None, "between \\r and \\n");
        assert_eq!(lines.position(3), Some(at(1, 0)));
        assert_eq!(lines.position(7), Some(at(3, 0)));
        assert_eq!(lines.offset(at(0, 2)), None, "past the end of the line");
        assert_eq!(lines.offset(at(4, 0)), None, "past the last line");
    }

    #[test]
    fn columns_are_utf16_units() {
        let lines = Lines::of("é\u{1F600}x");
        assert_eq!(lines.position(6), Some(at(0, 3)));
        assert_eq!(lines.offset(at(0, 3)), Some(6));
        assert_eq!(lines.offset(at(0, 2)), None, "inside a surrogate pair");
        assert_eq!(lines.offset(at(0, 4)), Some(7));
    }
}
