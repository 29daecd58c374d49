//! `textDocument/documentLink` and its resolving: the `#include` lines.

use coopmat_analysis::text::FileRange;
use coopmat_ide::links::includes;
use serde::{Deserialize, Serialize};
use serde_json::json;
use tower_lsp::ls_types::{DocumentLink, DocumentLinkParams};

use crate::documents::{Documents, Links};
use crate::host::Host;
use crate::paths;
use crate::reach::Reach;
use crate::snapshot::Snapshot;

/// What it takes to look for a file later.
#[derive(Default, Serialize, Deserialize)]
struct Unresolved {
    candidates: Vec<String>,
    /// Of the configuration.
    readable: Option<Vec<String>>,
}

pub fn links(snapshot: &Snapshot, _: &DocumentLinkParams) -> Option<Vec<DocumentLink>> {
    let found = includes(&snapshot.analysis, snapshot.file, snapshot.document.surface());
    let readable = snapshot.analysis.config.readable.as_deref().map(<[String]>::to_vec);
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
            data: target
                .is_none()
                .then(|| json!(Unresolved { candidates: link.candidates, readable: readable.clone() })),
            target,
            tooltip: Some(tooltip),
        }
    });
    Some(links.collect())
}

/// Looks for the file of a line that the preprocessor did not obey.
pub fn resolve(mut link: DocumentLink, documents: &Documents, host: &dyn Host) -> DocumentLink {
    let Some(Ok(unresolved)) = link.data.take().map(serde_json::from_value::<Unresolved>) else {
        return link;
    };
    let reach = Reach::new(unresolved.readable.as_deref());
    let exists = |path: &&String| match reach.admit(path, &Links(host)) {
        Ok(Some(real)) => documents.get(path).is_some() || host.stamp(&real).is_some(),
        Ok(None) | Err(_) => false,
    };
    if let Some(path) = unresolved.candidates.iter().find(exists) {
        link.target = documents.uri(path).or_else(|| paths::to_uri(path));
    }
    link
}
