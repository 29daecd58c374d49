//! Positions as the client counts them: lines, and columns in the code units that were negotiated.
//!
//! The protocol ends a line at `\n`, `\r\n` and at a lone `\r`.

use tower_lsp::ls_types::{Position, PositionEncodingKind, Range};

use coopmat_analysis::text::{TextRange, TextSize};

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Encoding {
    Utf8,
    #[default]
    Utf16,
    Utf32,
}

impl Encoding {
    /// The first of the client's encodings, in its order of preference, that is known here; UTF-16 where it names none.
    pub fn negotiate(offered: Option<&[PositionEncodingKind]>) -> Encoding {
        let known = |kind: &PositionEncodingKind| match kind.as_str() {
            "utf-8" => Some(Encoding::Utf8),
            "utf-16" => Some(Encoding::Utf16),
            "utf-32" => Some(Encoding::Utf32),
            _ => None,
        };
        offered.unwrap_or_default().iter().find_map(known).unwrap_or_default()
    }

    pub fn kind(self) -> PositionEncodingKind {
        match self {
            Encoding::Utf8 => PositionEncodingKind::UTF8,
            Encoding::Utf16 => PositionEncodingKind::UTF16,
            Encoding::Utf32 => PositionEncodingKind::UTF32,
        }
    }

    /// The units of a text.
    pub fn length(self, text: &str) -> usize {
        text.chars().map(|char| self.units(char)).sum()
    }

    fn units(self, char: char) -> usize {
        match self {
            Encoding::Utf8 => char.len_utf8(),
            Encoding::Utf16 => char.len_utf16(),
            Encoding::Utf32 => 1,
        }
    }
}

/// Where the lines of one text start.
#[derive(Debug, Default)]
pub struct LineTable {
    starts: Vec<u32>,
    /// Without other characters all encodings agree, and no line has to be walked.
    ascii: bool,
    /// Otherwise: the UTF-16 units and characters before every so many bytes, since a line may be very long.
    marks: Vec<[u32; 3]>,
}

/// Bytes from one mark to the next.
const STEP: usize = 1024;

impl LineTable {
    pub fn new(text: &str) -> LineTable {
        let bytes = text.as_bytes();
        let mut starts = vec![0];
        for at in memchr::memchr2_iter(b'\n', b'\r', bytes) {
            if bytes[at] == b'\n' || bytes.get(at + 1) != Some(&b'\n') {
                starts.push(at as u32 + 1);
            }
        }
        let ascii = text.is_ascii();
        let mut marks = vec![[0, 0, 0]];
        let (mut utf16, mut utf32) = (0, 0);
        if !ascii {
            for (at, char) in text.char_indices() {
                while at + char.len_utf8() > marks.len() * STEP {
                    marks.push([at as u32, utf16, utf32]);
                }
                utf16 += char.len_utf16() as u32;
                utf32 += 1;
            }
        }
        LineTable { starts, ascii, marks }
    }

    /// The units before a byte offset, which is a character's start.
    fn units_before(&self, text: &str, offset: usize, encoding: Encoding) -> usize {
        let mark = self.marks.get(offset / STEP).or(self.marks.last()).copied().unwrap_or_default();
        let [at, utf16, utf32] = mark.map(|number| number as usize);
        let before = match encoding {
            Encoding::Utf8 => return offset,
            Encoding::Utf16 => utf16,
            Encoding::Utf32 => utf32,
        };
        let rest = text.get(at..offset).unwrap_or_default();
        before + rest.chars().map(|char| encoding.units(char)).sum::<usize>()
    }

    /// The byte offset of a position: past the end of a line it is the line's end, past the last line the text's.
    pub fn offset(&self, text: &str, position: Position, encoding: Encoding) -> usize {
        let line = position.line as usize;
        let Some(&start) = self.starts.get(line) else { return text.len() };
        let end = self.starts.get(line + 1).map_or(text.len(), |&next| next as usize);
        let line = text.get(start as usize..end).unwrap_or_default();
        let line = line.strip_suffix('\n').unwrap_or(line);
        let line = line.strip_suffix('\r').unwrap_or(line);
        start as usize + self.units_to_bytes(line, position.character as usize, encoding)
    }

    fn units_to_bytes(&self, line: &str, column: usize, encoding: Encoding) -> usize {
        if self.ascii {
            return column.min(line.len());
        }
        let mut units = 0;
        for (at, char) in line.char_indices() {
            // A column inside a character means its start.
            units += encoding.units(char);
            if units > column {
                return at;
            }
        }
        line.len()
    }

    /// The position of a byte offset; one inside a character means its start, one between `\r` and `\n`, where there is no position,
    /// the end of the line.
    pub fn position(&self, text: &str, offset: usize, encoding: Encoding) -> Position {
        let mut offset = offset.min(text.len());
        while !text.is_char_boundary(offset) {
            offset -= 1;
        }
        let bytes = text.as_bytes();
        if offset > 0 && bytes[offset - 1] == b'\r' && bytes.get(offset) == Some(&b'\n') {
            offset -= 1;
        }
        let line = self.starts.partition_point(|&start| start as usize <= offset) - 1;
        let start = self.starts[line] as usize;
        let column = if self.ascii {
            offset - start
        } else {
            self.units_before(text, offset, encoding) - self.units_before(text, start, encoding)
        };
        Position::new(line as u32, column as u32)
    }

    pub fn range(&self, text: &str, range: TextRange, encoding: Encoding) -> Range {
        Range::new(
            self.position(text, range.start().into(), encoding),
            self.position(text, range.end().into(), encoding),
        )
    }

    pub fn text_size(&self, text: &str, position: Position, encoding: Encoding) -> TextSize {
        TextSize::new(self.offset(text, position, encoding) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every offset at a character's start goes to a position and back, whatever the encoding.
    #[test]
    fn positions_go_both_ways() {
        let text = "a\nbé\r\n\u{1F600}x\ry\n\nend";
        let table = LineTable::new(text);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let position = table.position(text, offset, encoding);
                // Between `\r` and `\n` there is no position: it is that of the end of the line.
                let inside = text[..offset].ends_with('\r') && text[offset..].starts_with('\n');
                let expected = offset - usize::from(inside);
                assert_eq!(table.offset(text, position, encoding), expected, "{encoding:?} {offset}");
            }
        }
    }

    #[test]
    fn columns_count_code_units() {
        let text = "é\u{1F600}x";
        let table = LineTable::new(text);
        let column = |encoding| table.position(text, text.len() - 1, encoding).character;
        assert_eq!(column(Encoding::Utf8), 6);
        assert_eq!(column(Encoding::Utf16), 3);
        assert_eq!(column(Encoding::Utf32), 2);
    }

    /// Long lines are not walked from their start for each position.
    #[test]
    fn long_lines_have_marks() {
        let text = format!("é\n{}", "x\u{1F600}é".repeat(1000));
        let table = LineTable::new(&text);
        for encoding in [Encoding::Utf8, Encoding::Utf16, Encoding::Utf32] {
            for (offset, _) in text.char_indices().filter(|(offset, _)| *offset >= 3) {
                let walked: usize = text[3..offset].chars().map(|char| encoding.units(char)).sum();
                let position = table.position(&text, offset, encoding);
                assert_eq!(position, Position::new(1, walked as u32), "{encoding:?} {offset}");
            }
        }
    }

    #[test]
    fn positions_outside_the_text_are_pulled_in() {
        let text = "ab\r\ncd";
        let table = LineTable::new(text);
        assert_eq!(table.offset(text, Position::new(0, 99), Encoding::Utf16), 2);
        assert_eq!(table.offset(text, Position::new(7, 0), Encoding::Utf16), 6);
        assert_eq!(table.position(text, 99, Encoding::Utf16), Position::new(1, 2));
    }

    #[test]
    fn the_clients_preference_decides() {
        let offer =
            [PositionEncodingKind::new("utf-7"), PositionEncodingKind::UTF32, PositionEncodingKind::UTF8];
        assert_eq!(Encoding::negotiate(Some(&offer)), Encoding::Utf32);
        assert_eq!(Encoding::negotiate(None), Encoding::Utf16);
    }
}
