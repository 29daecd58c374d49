//! For programs: one JSON object.
//!
//! ```json
//! {"version": 1, "files": 2,
//!  "findings": [{"id": "...", "severity": "error", "message": "...", "configuration": "default",
//!                "configurations": {"count": 3, "of": 47, "names": ["default", ...]},
//!                "location": {"path": "a.comp", "start": {"line": 1, "column": 1, "offset": 0}, "end": {...}},
//!                "related": [{"message": "...", "location": {...}}],
//!                "not-analysed": null}],
//!  "summary": {"error": 1, "warning": 0, "information": 0, "hint": 0, "not-compiled": 0, "not-analysed": 1},
//!  "not-analysed": [{"path": "a.comp", "names": [{"name": "GL_EXT_ray_query", "allowed": false}]}],
//!  "configurations": [{"path": "a.comp", "name": "default", "error": 1, "warning": 0, "information": 0, "hint": 0}, ...]}
//! ```
//!
//! Lines and columns count from 1, columns in characters, offsets in bytes; an end is the first place that is not part.

use serde_json::{Value, json};

use coopmat_analysis::NotLookedAt;
use coopmat_analysis::diagnostics::Severity;

use super::positions::Positions;
use super::report::{Location, Report, Run};

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
            let share = report.share(finding);
            json!({
                "id": finding.code.id,
                "severity": finding.severity.name(),
                "message": finding.message,
                "configuration": report.runs[finding.runs[0]].configuration,
                "configurations": {"count": share.count, "of": share.of, "names": share.names},
                "location": location(&finding.location, &mut positions),
                "related": related,
                "not-analysed": finding.unanalysed.as_deref(),
            })
        })
        .collect();
    let report = json!({
        "version": 1,
        "files": report.files(),
        "findings": findings,
        "summary": summary(report),
        "not-analysed": not_analysed(report),
        "configurations": by_configuration(report),
    });
    format!("{report:#}\n")
}

/// How much was found in all files, and how many of them are not compiled or not analysed.
fn summary(report: &Report) -> Value {
    let mut summary = counts(|severity| report.count(severity));
    summary.insert("not-compiled".to_owned(), report.not_compiled().len().into());
    summary.insert("not-analysed".to_owned(), report.unanalysed().len().into());
    summary.into()
}

fn counts(of: impl Fn(Severity) -> usize) -> serde_json::Map<String, Value> {
    let severities = [Severity::Error, Severity::Warning, Severity::Information, Severity::Hint];
    severities.into_iter().map(|severity| (severity.name().to_owned(), of(severity).into())).collect()
}

/// The files that were not looked at whole, and why.
pub fn not_analysed(report: &Report) -> Vec<Value> {
    let file = |(path, names): (&str, Vec<NotLookedAt>)| {
        let names: Vec<Value> =
            names.iter().map(|found| json!({"name": found.name, "allowed": found.allowed})).collect();
        json!({"path": path, "names": names})
    };
    report.unanalysed().into_iter().map(file).collect()
}

/// How much was found in each file under each configuration.
pub fn by_configuration(report: &Report) -> Vec<Value> {
    let run = |run: &Run| {
        let mut entry = counts(|severity| run.count(severity));
        entry.insert("path".to_owned(), run.path.as_str().into());
        entry.insert("name".to_owned(), run.configuration.as_str().into());
        entry.into()
    };
    report.runs.iter().map(run).collect()
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
