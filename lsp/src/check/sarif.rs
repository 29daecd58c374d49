//! SARIF 2.1.0, the format of the OASIS standard "Static Analysis Results Interchange Format".

use serde_json::{Value, json};

use coopmat_analysis::diagnostics::{Code, Severity, codes};

use super::json;
use super::positions::Positions;
use super::report::{Location, Report};

pub fn render(report: &Report) -> String {
    let mut positions = Positions::default();
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
                "properties": {
                    "configuration": report.runs[finding.runs[0]].configuration,
                    "configurations": {"count": share.count, "of": share.of, "names": share.names},
                    "notAnalysed": finding.unanalysed.as_deref(),
                },
            })
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "coopmat-analyzer",
                "semanticVersion": env!("CARGO_PKG_VERSION"),
                "rules": rules,
            }},
            "columnKind": "unicodeCodePoints",
            "results": results,
            "properties": {
                "configurations": json::by_configuration(report),
                "notAnalysed": json::not_analysed(report),
            },
        }],
    });
    format!("{log:#}\n")
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

/// A path as a URI: relative paths stay relative, to wherever the log is read from.
fn uri_reference(path: &str) -> String {
    coopmat_server::uri_of_path(path).unwrap_or_else(|| {
        let mut uri = String::new();
        // A colon in the first segment of a relative reference would be taken for a scheme's.
        coopmat_server::percent_encode(&mut uri, path);
        uri
    })
}
