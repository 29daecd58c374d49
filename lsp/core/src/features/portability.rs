//! `coopmat-analyzer/portability`: which device profiles accept the shader, what stops the others, and the nearest that would pass.

use coopmat_ide::portability;
use coopmat_ide::portability::Stop;
use serde::Deserialize;
use serde_json::{Value, json};
use tower_lsp::ls_types::{Range, TextDocumentIdentifier};

use crate::snapshot::Snapshot;

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Params {
    pub text_document: TextDocumentIdentifier,
}

/// `{summary, markdown, rows: [{device, title, verdict, stops, conditions, unknown, defaults}]}`; a stop has `code`, `message`, `nearest`,
/// `defaults`, `path`, `range` and `place`.
pub fn table(snapshot: &Snapshot, _: &Params) -> Value {
    let analysis = &snapshot.analysis;
    let table = portability::table(analysis);
    let stop = |stop: &Stop| {
        let range: Range = snapshot.range(stop.location);
        json!({
            "code": stop.code,
            "message": stop.message,
            "nearest": stop.nearest,
            "defaults": stop.defaults.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
            "path": &*analysis.files()[stop.location.file].path,
            "place": portability::place(analysis, stop.location),
            "range": range,
        })
    };
    let rows: Vec<Value> = table
        .rows
        .iter()
        .map(|row| {
            json!({
                "device": row.name,
                "title": row.title,
                "verdict": row.verdict,
                "stops": row.stops.iter().map(stop).collect::<Vec<_>>(),
                "conditions": row.conditions,
                "unknown": row.unknown,
                "defaults": row.defaults.iter().map(|name| name.as_str()).collect::<Vec<_>>(),
            })
        })
        .collect();
    json!({"summary": table.summary(), "markdown": portability::markdown(analysis, &table), "rows": rows})
}
