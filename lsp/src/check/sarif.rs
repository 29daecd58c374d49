//! SARIF 2.1.0, the format of the OASIS standard "Static Analysis Results Interchange Format".

use std::collections::HashMap;

use serde_json::{Value, json};

use coopmat_analysis::diagnostics::{Code, Severity, codes};

use super::json;
use super::positions::Positions;
use super::report::{Finding, Location, Report};

pub fn render(report: &Report) -> String {
    let mut positions = Positions::default();
    let mut seen = HashMap::new();
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
                "partialFingerprints": {"coopmatAnalyzer/v1": fingerprint(finding, &mut seen)},
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

/// What makes a finding the same one in the next version of the file, wherever its line is then: its rule, its file, the text of its line,
/// and how many like it stand before it.
fn fingerprint(finding: &Finding, seen: &mut HashMap<u64, u32>) -> String {
    let Location { path, text, range } = &finding.location;
    let start = usize::from(range.start());
    let from = text[..start].rfind('\n').map_or(0, |newline| newline + 1);
    let line = text[from..].lines().next().unwrap_or_default();
    // FNV-1a: the same on every machine and in every version.
    let bytes = [finding.code.id, path, line.trim()].into_iter().flat_map(|part| part.bytes().chain([0]));
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let number = seen.entry(hash).and_modify(|number| *number += 1).or_insert(1);
    format!("{hash:016x}:{number}")
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

/// A path as a URI: relative paths stay relative, to wherever the log is read from.
fn uri_reference(path: &str) -> String {
    coopmat_server::uri_of_path(path).unwrap_or_else(|| {
        let mut uri = String::new();
        // A colon in the first segment of a relative reference would be taken for a scheme's.
        coopmat_server::percent_encode(&mut uri, path);
        uri
    })
}
