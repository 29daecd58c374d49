//! The findings of `check` as SARIF.

use serde_json::{Value, json};

use coopmat_analysis::diagnostics::{Code, Severity, codes};

use super::json;
use super::positions::Positions;
use super::report::{Finding, Location, Report};
use crate::sarif::{Fingerprints, log, uri_reference};

pub fn render(report: &Report) -> String {
    let mut positions = Positions::default();
    let mut fingerprints = Fingerprints::default();
    let rules: Vec<Value> = codes::ALL.iter().map(|code| rule(code)).collect();
    let results: Vec<Value> = report
        .findings
        .iter()
        .map(|finding| {
            let related: Vec<Value> = finding
                .related
                .iter()
                .enumerate()
                .map(|(id, (place, message))| {
                    json!({
                        "id": id,
                        "message": {"text": message},
                        "physicalLocation": physical_location(place, &mut positions),
                    })
                })
                .collect();
            let share = report.share(finding);
            let message = match share.words().filter(|_| share.count < share.of) {
                Some(words) => format!("{} ({words})", finding.message),
                None => finding.message.clone(),
            };
            json!({
                "ruleId": finding.code.id,
                "ruleIndex": codes::ALL.iter().position(|code| code.id == finding.code.id),
                "level": level(finding.severity),
                "message": {"text": message},
                "locations": [{"physicalLocation": physical_location(&finding.location, &mut positions)}],
                "relatedLocations": related,
                "partialFingerprints": fingerprint(finding, &mut fingerprints),
                "properties": {
                    "configuration": report.runs[finding.runs[0]].configuration,
                    "configurations": {"count": share.count, "of": share.of, "names": share.names},
                    "notAnalysed": finding.unanalysed.as_deref(),
                },
            })
        })
        .collect();
    let properties = json!({
        "configurations": json::by_configuration(report),
        "notAnalysed": json::not_analysed(report),
    });
    log(&rules, &results, &properties)
}

/// The rule, the file, the text of the line.
fn fingerprint(finding: &Finding, fingerprints: &mut Fingerprints) -> Value {
    let Location { path, text, range } = &finding.location;
    let start = usize::from(range.start());
    let from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[from..].lines().next().unwrap_or_default();
    fingerprints.of(&[finding.code.id, path, line.trim()])
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Information | Severity::Hint => "note",
    }
}

fn rule(code: &Code) -> Value {
    json!({
        "id": code.id,
        "shortDescription": {"text": code.summary},
        "fullDescription": {"text": format!("{} Source: {}.", code.summary, code.source.trim_end_matches('.'))},
        "help": {"text": code.page, "markdown": code.page},
        "helpUri": format!("{}/blob/main/analysis/diagnostics/{}.md", env!("CARGO_PKG_REPOSITORY"), code.id),
        "defaultConfiguration": {"level": level(code.severity)},
    })
}

fn physical_location<'a>(location: &'a Location, positions: &mut Positions<'a>) -> Value {
    let (start, end) = positions.of(location);
    json!({
        "artifactLocation": {"uri": uri_reference(&location.path)},
        "region": {
            "startLine": start.0,
            "startColumn": start.1,
            "endLine": end.0,
            "endColumn": end.1,
        },
    })
}
