//! Places in files, as editors count them: lines and UTF-16 columns, both from 0.

use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FileRange, LineIndex, TextSize, WideEncoding};
use coopmat_codegen::Compiled;
use serde::Serialize;

/// Counted from 0; columns in UTF-16.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Position {
    pub line: u32,
    pub character: u32,
}

/// A range of a file.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Place {
    /// The name of the page's file.
    pub file: String,
    pub start: Position,
    pub end: Position,
}

fn position(index: &LineIndex, offset: TextSize) -> Position {
    let Some(at) = index.try_line_col(offset) else { return Position::default() };
    let character = index.to_wide(WideEncoding::Utf16, at).map_or(at.col, |wide| wide.col);
    Position { line: at.line, character }
}

/// A range of a text that the page holds under this name.
pub fn of_text(file: &str, text: &str, range: std::ops::Range<usize>) -> Place {
    of_indexed(file, &LineIndex::new(text), text.len(), range)
}

/// The same of a text of which the lines are known.
pub fn of_indexed(file: &str, index: &LineIndex, length: usize, range: std::ops::Range<usize>) -> Place {
    let offset = |at: usize| TextSize::try_from(at.min(length)).unwrap_or_default();
    Place {
        file: file.to_owned(),
        start: position(index, offset(range.start)),
        end: position(index, offset(range.end)),
    }
}

pub fn of_range(analysis: &Analysis, location: FileRange) -> Place {
    let file = &analysis.files()[location.file];
    let index = file.line_index();
    Place {
        file: super::files::name_of(&file.path).to_owned(),
        start: position(index, location.range.start()),
        end: position(index, location.range.end()),
    }
}

/// The source of an instruction of the module.
pub fn of_instruction(analysis: &Analysis, compiled: &Compiled, instruction: u32) -> Option<Place> {
    let place = compiled.map.place(analysis, instruction as usize)?;
    Some(of_range(analysis, place.location))
}
