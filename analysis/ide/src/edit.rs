//! Changes to texts, as actions, completion and renaming propose them.

use coopmat_analysis::text::FileRange;

/// What replaces a range of a file; an empty range inserts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TextEdit {
    /// What goes, in bytes of the file as it was analysed.
    pub range: FileRange,
    /// What comes.
    pub text: String,
}
