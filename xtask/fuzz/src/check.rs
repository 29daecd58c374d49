//! What must hold of every answer, as assertions whose message tells which answer it was.

use coopmat_analysis::Analysis;
use coopmat_analysis::diagnostics::Diagnostic;
use coopmat_analysis::text::{FileRange, TextRange, TextSize};
use coopmat_ide::TextEdit;

/// A range lies in a text, between characters.
#[track_caller]
pub fn range(text: &str, range: TextRange, what: &str) {
    for end in [range.start(), range.end()] {
        offset(text, end, what);
    }
}

/// An offset lies in a text, between characters.
#[track_caller]
pub fn offset(text: &str, offset: TextSize, what: &str) {
    let at = usize::from(offset);
    assert!(at <= text.len(), "{what}: {at} lies behind the end of the file, {}", text.len());
    assert!(text.is_char_boundary(at), "{what}: {at} lies inside a character");
}

/// A place lies in a file of the analysis.
#[track_caller]
pub fn place(analysis: &Analysis, place: FileRange, what: &str) {
    let files = analysis.files();
    assert!((place.file.0 as usize) < files.len(), "{what}: file {} of {}", place.file.0, files.len());
    range(&files[place.file].text, place.range, what);
}

#[track_caller]
pub fn diagnostics(analysis: &Analysis, diagnostics: &[Diagnostic]) {
    for diagnostic in diagnostics {
        place(analysis, diagnostic.location, diagnostic.code.id);
        assert!(!diagnostic.message.is_empty(), "{} says nothing", diagnostic.code.id);
        for related in &diagnostic.related {
            place(analysis, related.location, diagnostic.code.id);
        }
    }
}

/// Edits lie in their files and do not overlap; the texts that they make are returned by file.
#[track_caller]
pub fn edits(analysis: &Analysis, edits: &[TextEdit], what: &str) -> Vec<(u32, String)> {
    let mut sorted: Vec<&TextEdit> = edits.iter().collect();
    sorted.sort_by_key(|edit| (edit.range.file, edit.range.range.start(), edit.range.range.end()));
    for edit in &sorted {
        place(analysis, edit.range, what);
    }
    for pair in sorted.windows(2) {
        let (one, next) = (pair[0].range, pair[1].range);
        assert!(
            one.file != next.file || one.range.end() <= next.range.start(),
            "{what}: the edits {:?} and {:?} overlap",
            one.range,
            next.range
        );
    }
    let mut texts: Vec<(u32, String)> = Vec::new();
    for edit in sorted.iter().rev() {
        let file = edit.range.file;
        if texts.last().is_none_or(|(last, _)| *last != file.0) {
            texts.push((file.0, analysis.files()[file].text.to_string()));
        }
        if let Some((_, text)) = texts.last_mut() {
            text.replace_range(std::ops::Range::<usize>::from(edit.range.range), &edit.text);
        }
    }
    texts
}
