//! `textDocument/foldingRange`.

use coopmat_ide::folding::{Fold, FoldKind, folds};
use tower_lsp::ls_types::{FoldingRange, FoldingRangeKind, FoldingRangeParams};

use crate::snapshot::TextSnapshot;

pub fn folding(snapshot: &TextSnapshot, _: &FoldingRangeParams) -> Option<Vec<FoldingRange>> {
    let mut ranges: Vec<_> =
        folds(snapshot.document.surface()).iter().filter_map(|fold| convert(snapshot, fold)).collect();
    if snapshot.client.line_folding_only {
        // Such a client shows one fold per line: the outermost.
        ranges.dedup_by_key(|range| range.start_line);
    }
    if let Some(limit) = snapshot.client.fold_limit {
        // The longest are what a reader misses most.
        let mut lengths: Vec<_> = ranges.iter().map(|range| range.end_line - range.start_line).collect();
        lengths.sort_unstable_by(|a, b| b.cmp(a));
        if let Some(&shortest) = lengths.get(limit as usize) {
            ranges.retain(|range| range.end_line - range.start_line > shortest);
        }
    }
    Some(ranges)
}

fn convert(snapshot: &TextSnapshot, fold: &Fold) -> Option<FoldingRange> {
    let range = snapshot.range(fold.range);
    let (start_line, mut end_line) = (range.start.line, range.end.line);
    let lines_only = snapshot.client.line_folding_only;
    if lines_only && fold.kind == FoldKind::Brackets {
        // The closing bracket's line would disappear as a whole, with an `else` behind it.
        end_line = end_line.saturating_sub(1);
    }
    (start_line < end_line).then(|| FoldingRange {
        start_line,
        start_character: (!lines_only).then_some(range.start.character),
        end_line,
        end_character: (!lines_only).then_some(range.end.character),
        kind: match fold.kind {
            FoldKind::Comment => Some(FoldingRangeKind::Comment),
            FoldKind::Imports => Some(FoldingRangeKind::Imports),
            FoldKind::Region => Some(FoldingRangeKind::Region),
            FoldKind::Brackets | FoldKind::Section => None,
        },
        collapsed_text: None,
    })
}
