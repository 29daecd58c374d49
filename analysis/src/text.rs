//! Files, byte ranges and positions.

pub use line_index::{LineCol, LineIndex, WideEncoding, WideLineCol};
pub use text_size::{TextRange, TextSize};

/// A file of one analysis: 0 is the file that was asked for, the others are its includes in the order of first use.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct FileId(pub u32);

impl FileId {
    /// The file that was asked for.
    pub const ROOT: FileId = FileId(0);
}

/// A byte range in the original text of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FileRange {
    /// The file whose bytes are counted.
    pub file: FileId,
    /// Half open, from the start of the file.
    pub range: TextRange,
}

/// A byte offset in the original text of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FilePosition {
    /// The file whose bytes are counted.
    pub file: FileId,
    /// From the start of the file.
    pub offset: TextSize,
}
