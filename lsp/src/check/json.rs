//! For programs: one JSON object.
//!
//! ```json
//! {"version": 1, "files": 2,
//!  "findings": [{"id": "...", "severity": "error", "message": "...", "configuration": "default",
//!                "location": {"path": "a.comp", "start": {"line": 1, "column": 1, "offset": 0}, "end": {...}},
//!                "related": [{"message": "...", "location": {...}}]}],
//!  "summary": {"error": 1, "warning": 0, "information": 0, "hint": 0}}
//! ```
//!
//! Lines and columns count from 1, columns in characters, offsets in bytes; an end is the first place that is not part.

use serde_json::{Value, json};

use coopmat_analysis::diagnostics::Severity;

use super::{Location, Positions, Report};

pub fn render(report: &Report) -> String {
    let mut positions = Positions::default();
    let findings: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let related: Vec<Value> = finding
                .related
                .iter()
                .map(|(place, message)| json!({"message": message, "location": location(place, &mut positions)}))
                .collect();
            json!({
                "id": finding.code.id,
                "severity": finding.severity.name(),
                "message": finding.message,
                "configuration": finding.configuration.name,
                "location": location(&finding.location, &mut positions),
                "related": related,
            })
        })
        .collect();
    let severities = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];
    let summary: serde_json::Map<_, _> = severities
        .into_iter()
        .map(|severity| (severity.name().to_owned(), report.count(severity).into()))
        .collect();
    let report = json!({"version": 1, "files": report.files, "findings": findings, "summary": summary});
    format!("{report:#}\n")
}

fn location<'a>(location: &'a Location, positions: &mut Positions<'a>) -> Value {
    let (start, end) = positions.of(location);
    let point = |(line, column): (usize, usize), offset: u32| json!({"line": line, "column": column, "offset": offset});
    json!({
        "path": &*location.path,
        "start": point(start, location.range.start().into()),
        "end": point(end, location.range.end().into()),
    })
}
