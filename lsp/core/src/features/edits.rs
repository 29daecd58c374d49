//! Edits of files as a `WorkspaceEdit`: with the versions of open documents for clients that check them.

use std::collections::HashMap;

use coopmat_ide as ide;
use tower_lsp::ls_types::*;

use crate::snapshot::Snapshot;

/// `None` when a file has no place that the client could know.
pub fn workspace_edit(snapshot: &Snapshot, edits: &[ide::TextEdit]) -> Option<WorkspaceEdit> {
    let mut by_file: Vec<(Uri, Option<i32>, Vec<TextEdit>)> = Vec::new();
    for edit in edits {
        let path = &snapshot.analysis.files()[edit.range.file].path;
        let uri = snapshot.documents.uri(path)?;
        let new = TextEdit { range: snapshot.range(edit.range), new_text: edit.text.clone() };
        match by_file.iter_mut().find(|(other, ..)| *other == uri) {
            Some((.., edits)) => edits.push(new),
            None => {
                let version = snapshot.documents.get(path).map(|document| document.version);
                by_file.push((uri, version, vec![new]));
            }
        }
    }
    Some(of_documents(by_file, snapshot.client.document_changes))
}

/// From the edits of each document, and its version where it is open.
pub fn of_documents(edits: Vec<(Uri, Option<i32>, Vec<TextEdit>)>, document_changes: bool) -> WorkspaceEdit {
    if !document_changes {
        let changes: HashMap<Uri, Vec<TextEdit>> =
            edits.into_iter().map(|(uri, _, edits)| (uri, edits)).collect();
        return WorkspaceEdit { changes: Some(changes), ..WorkspaceEdit::default() };
    }
    let documents = edits.into_iter().map(|(uri, version, edits)| TextDocumentEdit {
        text_document: OptionalVersionedTextDocumentIdentifier { uri, version },
        edits: edits.into_iter().map(OneOf::Left).collect(),
    });
    WorkspaceEdit {
        document_changes: Some(DocumentChanges::Edits(documents.collect())),
        ..WorkspaceEdit::default()
    }
}
