//! `textDocument/hover`.

use coopmat_ide as ide;
use tower_lsp::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind};

use crate::settings::HoverSpirv;
use crate::snapshot::Snapshot;
use crate::spirv::request::hover_part;

pub fn hover(snapshot: &Snapshot, params: &HoverParams) -> Option<Hover> {
    let position = snapshot.position(params.text_document_position_params.position);
    let place = params.text_document_position_params.position;
    let spirv = match snapshot.settings.hover.spirv {
        HoverSpirv::Off => None,
        HoverSpirv::Expression => hover_part(snapshot, place, false),
        HoverSpirv::Line => hover_part(snapshot, place, true),
    };
    let Some(hover) = ide::hover::hover(&snapshot.analysis, position) else {
        let value = spirv?;
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        return Some(Hover { contents, range: None });
    };
    let value = match spirv {
        Some(spirv) => format!("{}\n\n---\n\n{spirv}", hover.markdown),
        None => hover.markdown,
    };
    // A range in another file would be taken for one in this.
    let range = (hover.range.file == snapshot.file).then(|| snapshot.range(hover.range));
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range,
    })
}
