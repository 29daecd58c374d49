//! `textDocument/documentHighlight`.

use coopmat_analysis::text::FileRange;
use coopmat_ide::highlight::{Access, highlight};
use tower_lsp::ls_types::{DocumentHighlight, DocumentHighlightKind, DocumentHighlightParams};

use crate::snapshot::Snapshot;

pub fn highlights(snapshot: &Snapshot, params: &DocumentHighlightParams) -> Option<Vec<DocumentHighlight>> {
    let position = snapshot.position(params.text_document_position_params.position);
    let found = highlight(&snapshot.analysis, position);
    let convert = |(range, access)| DocumentHighlight {
        range: snapshot.range(FileRange { file: snapshot.file, range }),
        kind: Some(match access {
            Access::Read => DocumentHighlightKind::READ,
            Access::Write => DocumentHighlightKind::WRITE,
            Access::Mention => DocumentHighlightKind::TEXT,
        }),
    };
    Some(found.into_iter().map(convert).collect())
}
