//! `textDocument/hover`.

#[cfg(not(target_arch = "wasm32"))]
use coopmat_analysis::text::FilePosition;
use coopmat_ide as ide;
use tower_lsp::ls_types::{Hover, HoverContents, HoverParams, MarkupContent, MarkupKind, Position};

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
    let parts = [speed(snapshot, place), spirv].into_iter().flatten().collect::<Vec<_>>();
    let more = (!parts.is_empty()).then(|| parts.join("\n\n---\n\n"));
    let Some(hover) = ide::hover::hover(&snapshot.analysis, position) else {
        let value = more?;
        let contents = HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value });
        return Some(Hover { contents, range: None });
    };
    let value = match more {
        Some(more) => format!("{}\n\n---\n\n{more}", hover.markdown),
        None => hover.markdown,
    };
    // A range in another file would be taken for one in this.
    let range = (hover.range.file == snapshot.file).then(|| snapshot.range(hover.range));
    Some(Hover {
        contents: HoverContents::Markup(MarkupContent { kind: MarkupKind::Markdown, value }),
        range,
    })
}

/// What is known of the speed of a load or store, if the setting asks for it: of the last run, or else before one.
#[cfg(not(target_arch = "wasm32"))]
fn speed(snapshot: &Snapshot, place: Position) -> Option<String> {
    let found = snapshot.checked.speed.found(&snapshot.analysis, &snapshot.settings)?;
    let path = &snapshot.document.path;
    let shown = snapshot.checked.speed.shown();
    if let Some(told) = shown.and_then(|shown| shown.of_line(path, place.line + 1)) {
        return Some(told);
    }
    let FilePosition { file, offset } = snapshot.position(place);
    let here = found
        .accesses
        .iter()
        .filter(|access| access.location.file == file && access.location.range.contains_inclusive(offset));
    let mut told: Vec<&str> = here.map(|access| access.told.as_str()).collect();
    told.dedup();
    (!told.is_empty()).then(|| format!("**Before a run**, by a model: {}", told.join("; ")))
}

/// Not in browsers: see [`crate::performance::kept::Kept::found`].
#[cfg(target_arch = "wasm32")]
fn speed(_: &Snapshot, _: Position) -> Option<String> {
    None
}
