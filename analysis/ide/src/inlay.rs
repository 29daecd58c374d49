//! Inlay hints: what a reader would look up, beside the text. `arguments` tells of calls and conversions, `values` of constants
//! and symbolic sizes, `members` of places in memory.
//!
//! A hint stands where its expression is spelled. What a macro's body brings has no place of its own and gets none; a macro's
//! argument does, and so does a whole macro call that is a size.

mod arguments;
mod members;
#[cfg(test)]
mod tests;
mod values;

use coopmat_analysis::Analysis;
use coopmat_analysis::text::{FileId, FileRange, TextRange, TextSize};

/// Which hints are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HintOptions {
    /// Rows and columns of matrices in calls.
    pub shapes: bool,
    /// Names of parameters before arguments.
    pub parameter_names: bool,
    /// Conversions that are not written, as if they were: `float(` and `)`.
    pub implicit_conversions: bool,
    /// Of constants, and of symbolic sizes under the configuration's values.
    pub values: bool,
    /// Offsets and array strides of block members.
    pub layout: bool,
}

/// What a hint tells. Where several stand at one place, the later variant stands further right.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum HintKind {
    /// Offset and stride of a member, in bytes.
    Layout,
    /// The value of a constant or of a symbolic size.
    Value,
    /// Rows and columns of a matrix that is an argument.
    Shape,
    /// The end of a conversion, behind what is converted.
    ConversionEnd,
    /// The parameter that an argument is for.
    ParameterName,
    /// The beginning of a conversion.
    ConversionStart,
}

/// A hint at a place of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hint {
    /// In the file.
    pub offset: TextSize,
    /// What it tells.
    pub kind: HintKind,
    /// With the `:`, `=` or bracket that belongs to it.
    pub label: String,
    /// What the label names.
    pub target: Option<FileRange>,
    /// Markdown.
    pub tooltip: Option<String>,
    /// What would write the hint into the text: insertions at offsets.
    pub insertions: Vec<(TextSize, String)>,
}

/// The hints in a part of a file, in the order of the text.
pub fn hints(analysis: &Analysis, file: FileId, within: TextRange, options: &HintOptions) -> Vec<Hint> {
    let expanded = analysis.preprocessed.map.to_expanded_ranges(FileRange { file, range: within });
    let mut hints = Hints { analysis, file, within, expanded, found: Vec::new() };
    if options.shapes || options.parameter_names || options.implicit_conversions {
        arguments::collect(&mut hints, options);
    }
    if options.values {
        values::collect(&mut hints);
    }
    if options.layout {
        members::collect(&mut hints);
    }
    let mut found = hints.found;
    found.sort_by_key(|hint| (hint.offset, hint.kind));
    // An argument that a macro uses twice, a header that is read twice: the first meaning is shown.
    found.dedup_by(|a, b| a.offset == b.offset && a.kind == b.kind);
    found
}

struct Hints<'a> {
    analysis: &'a Analysis,
    file: FileId,
    within: TextRange,
    /// What the wanted part became, sorted.
    expanded: Vec<TextRange>,
    found: Vec<Hint>,
}

impl Hints<'_> {
    /// Whether a place of the expanded text may belong to the wanted part: a quick look before it is mapped.
    fn wanted(&self, range: TextRange) -> bool {
        let next = self.expanded.partition_point(|part| part.end() < range.start());
        self.expanded.get(next).is_some_and(|part| part.start() <= range.end())
    }

    /// Where a range of the expanded text is spelled, if it is spelled in the wanted part.
    fn spelled(&self, range: TextRange) -> Option<TextRange> {
        if range.is_empty() || !self.wanted(range) {
            return None;
        }
        let mapped = self.analysis.preprocessed.map.to_file(range);
        let place = mapped.primary;
        (mapped.in_macro.is_none()
            && place.file == self.file
            && !place.range.is_empty()
            && self.within.contains_range(place.range))
        .then_some(place.range)
    }

    fn add(&mut self, offset: TextSize, kind: HintKind, label: String) {
        self.found.push(Hint { offset, kind, label, target: None, tooltip: None, insertions: Vec::new() });
    }
}
