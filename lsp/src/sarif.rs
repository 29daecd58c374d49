//! SARIF 2.1.0, the format of the OASIS standard "Static Analysis Results Interchange Format": what all logs have in common.

use std::collections::HashMap;

use serde_json::{Value, json};

/// A log of one run of this program.
pub fn log(rules: &[Value], results: &[Value], properties: &Value) -> String {
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
            "properties": properties,
        }],
    });
    format!("{log:#}\n")
}

/// What makes a finding the same one in the next log, wherever its line is then: for instance its rule, its file and the text of its line; and
/// how many like it come before it.
#[derive(Default)]
pub struct Fingerprints(HashMap<u64, u32>);

impl Fingerprints {
    pub fn of(&mut self, parts: &[&str]) -> Value {
        // FNV-1a: the same on every machine and in every version.
        let bytes = parts.iter().flat_map(|part| part.bytes().chain([0]));
        let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
            (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
        });
        let number = self.0.entry(hash).and_modify(|number| *number += 1).or_insert(1);
        json!({"coopmatAnalyzer/v1": format!("{hash:016x}:{number}")})
    }
}

/// A path as a URI: relative paths stay relative, to wherever the log is read from.
pub fn uri_reference(path: &str) -> String {
    coopmat_server::uri_of_path(path).unwrap_or_else(|| {
        let mut uri = String::new();
        // A colon in the first segment of a relative reference would be taken for a scheme's.
        coopmat_server::percent_encode(&mut uri, path);
        uri
    })
}
