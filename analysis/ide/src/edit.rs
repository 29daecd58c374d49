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

/// A text after edits, which are all of it and do not overlap.
pub fn apply<'e>(text: &str, edits: impl Iterator<Item = &'e TextEdit>) -> String {
    let mut edits: Vec<&TextEdit> = edits.collect();
    edits.sort_by_key(|edit| edit.range.range.start());
    let mut text = text.to_owned();
    for edit in edits.into_iter().rev() {
        let range = std::ops::Range::<usize>::from(edit.range.range);
        if text.is_char_boundary(range.start) && text.is_char_boundary(range.end) {
            text.replace_range(range, &edit.text);
        }
    }
    text
}

/// How the lines of a text end, by its first one; what is inserted ends like it.
pub fn line_end_of(text: &str) -> &'static str {
    match memchr::memchr2(b'\n', b'\r', text.as_bytes()).and_then(|at| text.as_bytes().get(at..)) {
        Some([b'\r', b'\n', ..]) => "\r\n",
        Some([b'\r', ..]) => "\r",
        _ => "\n",
    }
}
