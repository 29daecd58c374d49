//! `coopmat-analyzer/compare`: what a shader becomes in the configuration in view, and in another one.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::text::FileId;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::TextDocumentIdentifier;

use crate::engine::{self, Analyzer, Inputs};
use crate::snapshot::Snapshot;
use crate::spirv::view::{OptionsInput, Scope, View};

#[derive(Clone, Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    pub text_document: TextDocumentIdentifier,
    /// The name of a configuration.
    pub with: String,
    #[serde(default)]
    pub options: OptionsInput,
    /// The one of that name.
    #[serde(skip)]
    pub other: Arc<Configuration>,
}

/// `{left, right}`, each `{configuration, spirv, statistics}`, texts; the one in view is on the left.
pub fn compare(snapshot: &Snapshot, params: &Params) -> Result<Value, String> {
    let view = View::new(&params.options, Scope::Module)?;
    let root = snapshot.analysis.files()[FileId::ROOT].path.clone();
    let inputs = Inputs {
        analyzer: Arc::new(Analyzer::default()),
        documents: snapshot.documents.clone(),
        given: Default::default(),
        configuration: params.other.clone(),
        settings: snapshot.settings.clone(),
        encoding: snapshot.encoding,
        dims_by_hints: snapshot.client.dims_by_hints,
    };
    let checked = engine::check(&root, &inputs, &*snapshot.host, None)
        .map(Arc::new)
        .ok_or_else(|| format!("cannot read {root}"))?;
    let other = Snapshot {
        analysis: checked.analysis.clone(),
        checked,
        good: None,
        summaries: None,
        file: FileId::ROOT,
        ..snapshot.clone()
    };
    Ok(json!({"left": side(snapshot, &view)?, "right": side(&other, &view)?}))
}

fn side(snapshot: &Snapshot, view: &View) -> Result<Value, String> {
    let name = &snapshot.analysis.config.name;
    let listing = snapshot.listing(view)?;
    // What was compiled before is another text.
    if let Some(stale) = &listing.stale {
        return Err(format!("the configuration `{name}` has no module: {}", stale.reason()));
    }
    let module =
        listing.module.as_ref().ok_or_else(|| format!("the configuration `{name}` has no module"))?;
    let statistics = snapshot.statistics(module).text();
    Ok(json!({"configuration": name, "spirv": listing.text, "statistics": statistics}))
}
