//! The `#include` lines of a file as links, those of other configurations too.

use std::sync::Arc;

use coopmat_analysis::Analysis;
use coopmat_analysis::preprocess::{DirectiveKind, join_path};
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{FileId, TextRange, TextSize};

/// The path of an `#include` line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IncludeLink {
    /// The path without its quotes.
    pub range: TextRange,
    /// The file, as the analysis found it.
    pub target: Option<Arc<str>>,
    /// Where to look for it otherwise, in this order.
    pub candidates: Vec<String>,
    /// Whether the preprocessor obeys the line.
    pub active: bool,
}

/// The links of a file in the order of its text; lines whose path is made by a macro have none.
pub fn includes(analysis: &Analysis, file: FileId, surface: &Surface) -> Vec<IncludeLink> {
    let mut links = Vec::new();
    for line in surface.directives().lines.iter().filter(|line| line.kind == DirectiveKind::Include) {
        let Some((range, path)) = path_in(surface.text(), TextRange::new(line.name.end(), line.range.end()))
        else {
            continue;
        };
        let include =
            analysis.preprocessed.includes.iter().find(|include| {
                include.directive.file == file && include.directive.range.contains_range(range)
            });
        let target =
            include.and_then(|include| include.file).map(|target| analysis.files()[target].path.clone());
        let here = analysis.files()[file].path.rsplit_once('/').map_or("", |(folder, _)| folder);
        let folders = std::iter::once(here).chain(analysis.config.include_dirs.iter().map(String::as_str));
        links.push(IncludeLink {
            range,
            target,
            candidates: folders.map(|folder| join_path(folder, path)).collect(),
            active: include.is_some(),
        });
    }
    links
}

/// What stands between quotes or angle brackets.
fn path_in(text: &str, range: TextRange) -> Option<(TextRange, &str)> {
    let rest = text.get(std::ops::Range::from(range))?;
    let open = rest.find(['"', '<'])?;
    if !rest[..open].trim().is_empty() {
        return None;
    }
    let close = if rest[open..].starts_with('"') { '"' } else { '>' };
    let path = &rest[open + 1..];
    let path = &path[..path.find(close)?];
    let start = range.start() + TextSize::new(open as u32 + 1);
    Some((TextRange::at(start, TextSize::new(path.len() as u32)), path))
}
