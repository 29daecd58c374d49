//! `textDocument/hover`.

use coopmat_analysis::ide;
use tower_lsp::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::snapshot::Snapshot;

pub fn hover(snapshot: &Snapshot, params: &HoverParams) -> Option<Hover> {
    let position = snapshot.position(params.text_document_position_params.position);
    let hover = ide::hover::hover(&snapshot.analysis, position)?;
    // A range in another file would be taken for one in this.
    let range = (hover.range.file == snapshot.file).then(|| snapshot.range(hover.range));
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value: hover.markdown }),
        range,
    })
}
