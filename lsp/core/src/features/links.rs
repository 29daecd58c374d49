//! `textDocument/documentLink` and its resolving: the `#include` lines.

use coopmat_analysis::ide::links::includes;
use coopmat_analysis::text::FileRange;
use tower_lsp::ls_types::{DocumentLink, DocumentLinkParams};

use crate::documents::Documents;
use crate::host::Host;
use crate::paths;
use crate::snapshot::Snapshot;

pub fn links(snapshot: &Snapshot, _: &DocumentLinkParams) -> Option<Vec<DocumentLink>> {
    let found = includes(&snapshot.analysis, snapshot.file, snapshot.document.surface());
    let links = found.into_iter().map(|link| {
        let target = link.target.as_deref().and_then(|path| snapshot.documents.uri(path));
        let tooltip = match (&link.target, link.active) {
            (Some(path), _) => path.to_string(),
            (None, true) => "this file was not found".to_owned(),
            (None, false) => {
                format!("not included in the configuration `{}`", snapshot.analysis.config.name)
            }
        };
        DocumentLink {
            range: snapshot.range(FileRange { file: snapshot.file, range: link.range }),
            data: target.is_none().then(|| link.candidates.into()),
            target,
            tooltip: Some(tooltip),
        }
    });
    Some(links.collect())
}

/// Looks for the file of a line that the preprocessor did not obey.
pub fn resolve(mut link: DocumentLink, documents: &Documents, host: &dyn Host) -> DocumentLink {
    let candidates: Vec<String> =
        link.data.take().and_then(|data| serde_json::from_value(data).ok()).unwrap_or_default();
    let exists = |path: &&String| documents.get(path).is_some() || host.stamp(path).is_some();
    if let Some(path) = candidates.iter().find(exists) {
        link.target = documents.uri(path).or_else(|| paths::to_uri(path));
    }
    link
}
