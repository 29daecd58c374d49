//! The rules of the matrix extensions on the shaders in `tests/fixtures`: each line that is marked gets exactly what it marks, every other
//! line gets nothing. `docs/rules.md` tells which rule has which diagnostic and fixture; the catalogue's pages are tried by
//! `diagnostic_pages`.

use std::fs;
use std::path::Path;

use coopmat_analysis::analyze;
use coopmat_analysis::diagnostics::{Diagnostic, Severity, codes};
use coopmat_analysis::fixture::{Reported, compare};

use crate::fixtures;

const PREFIXES: [&str; 5] = ["coopmat-", "coopvec-", "qcom-", "nv-", "device-"];

fn is_matrix_rule(id: &str) -> bool {
    // Features are judged by the module, in codegen.
    let prefixed = PREFIXES.iter().any(|prefix| id.starts_with(prefix));
    (prefixed && id != codes::DEVICE_FEATURE.id) || id == "saturated-convert"
}

fn difference(source: &str) -> Option<String> {
    let result = compare(source, |path, text, config, loader| {
        let analysis = analyze(path, text, config, loader, None);
        // Most examples declare more than they use, and use what they do not fill.
        let judged = |diagnostic: &&Diagnostic| {
            let told = diagnostic.severity != Severity::Hint || is_matrix_rule(diagnostic.code.id);
            told && (diagnostic.code != &codes::COOPMAT_UNWRITTEN
                || source.contains(codes::COOPMAT_UNWRITTEN.id))
        };
        Reported::new(analysis.files(), analysis.all_diagnostics().filter(judged).cloned().collect())
    });
    result.err()
}

/// The folders of the matrix extensions, and of devices.
const FOLDERS: [&str; 8] =
    ["khr", "qcom", "nv2", "maintenance1", "decode-vector", "nv1", "coopvec", "device"];

#[test]
fn fixtures_get_what_they_mark() {
    fixtures::check(&FOLDERS, difference);
}

/// Diagnostic and fixture of each row of the tables in `docs/rules.md`.
fn rule_table() -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let text = fs::read_to_string(path).unwrap();
    let mut rows = Vec::new();
    for line in text.lines().filter(|line| line.starts_with("| ")) {
        let cells: Vec<&str> = line.trim_matches('|').split(" | ").map(str::trim).collect();
        let &[_, _, diagnostic, fixture] = cells.as_slice() else {
            panic!("a row of docs/rules.md has four cells: {line}");
        };
        if diagnostic != "Diagnostic" {
            rows.push((diagnostic.trim_matches('`').to_owned(), fixture.to_owned()));
        }
    }
    rows
}

#[test]
fn every_rule_has_a_diagnostic_and_a_fixture_that_fires() {
    let rows = rule_table();
    assert!(!rows.is_empty());
    let fixtures: Vec<(String, String)> = FOLDERS.iter().flat_map(|folder| fixtures::of(folder)).collect();
    for (diagnostic, fixture) in &rows {
        assert!(
            coopmat_analysis::diagnostics::find(diagnostic).is_some(),
            "docs/rules.md: no diagnostic is called {diagnostic}"
        );
        // What codegen judges has its fixture there.
        let above = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(fixture);
        let own = fixtures.iter().find(|(name, _)| name == fixture).map(|(_, source)| source.clone());
        let Some(source) = own.or_else(|| fs::read_to_string(above).ok()) else {
            panic!("docs/rules.md: there is no fixture {fixture}");
        };
        let marks = |line: &str| {
            line.trim_start().starts_with("//")
                && (line.contains(&format!("^ {diagnostic}")) || line.contains(&format!("<- {diagnostic}")))
        };
        assert!(source.lines().any(marks), "docs/rules.md: {fixture} does not show {diagnostic}");
    }
    let table: Vec<&str> = rows.iter().map(|(diagnostic, _)| diagnostic.as_str()).collect();
    for code in codes::ALL.iter().filter(|code| is_matrix_rule(code.id)) {
        assert!(table.contains(&code.id), "docs/rules.md: {} is missing", code.id);
    }
    for (name, _) in &fixtures {
        // `NAME.fits.comp` shows where the rule of `NAME.comp` does not fire.
        let rule = name.replace(".fits.comp", ".comp");
        assert!(rows.iter().any(|(_, fixture)| *fixture == rule), "docs/rules.md: no rule names {name}");
    }
}

/// The statements of the Vulkan specification about cooperative matrices in shaders, and those about workgroups that such shaders meet.
const VUIDS: [&str; 28] = [
    "06324", "06429", "06430", "06431", "06432", "06530", "08740", "08973", "08985", "08986", "08987",
    "10060", "10163", "10164", "10165", "10166", "10167", "10168", "10169", "10770", "10771", "12243",
    "12352", "12353", "12354", "12379", "12429", "13382",
];

#[test]
fn every_rule_of_the_vulkan_environment_has_a_row_or_a_reason() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/rules.md");
    let text = fs::read_to_string(path).unwrap();
    let (_, section) = text.split_once("## Rules of the Vulkan environment").unwrap();
    let (section, _) = section.split_once("\n## ").unwrap();
    for vuid in VUIDS {
        let said = section
            .lines()
            .any(|line| (line.starts_with("| ") || line.starts_with("- ")) && line.contains(vuid));
        assert!(said, "docs/rules.md: VUID {vuid} has neither a fixture nor a reason");
    }
}
