//! `textDocument/selectionRange`.

use coopmat_ide::selection::selections;
use tower_lsp::ls_types::{SelectionRange, SelectionRangeParams};

use crate::snapshot::TextSnapshot;

pub fn selection(snapshot: &TextSnapshot, params: &SelectionRangeParams) -> Option<Vec<SelectionRange>> {
    let offsets: Vec<_> = params.positions.iter().map(|&position| snapshot.offset(position)).collect();
    let chains = selections(snapshot.document.surface(), &offsets);
    let nest = |chain: Vec<_>| {
        let mut parent = None;
        for range in chain.into_iter().rev() {
            parent = Some(Box::new(SelectionRange { range: snapshot.range(range), parent }));
        }
        parent.map(|smallest| *smallest).unwrap_or_default()
    };
    Some(chains.into_iter().map(nest).collect())
}
