//! Declarations and statements, on the shaders in `tests/fixtures`: each line that is marked gets exactly what it marks, every other
//! line gets nothing.

use std::fs;
use std::path::Path;

use coopmat_analysis::analyze;
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::fixture::{Reported, compare};

const FOLDERS: [&str; 2] = ["declarations", "statements"];

fn difference(source: &str) -> Option<String> {
    let result = compare(source, |path, text, config, loader| {
        let analysis = analyze(path, text, config, loader, None);
        // Fixtures declare more than they use.
        let mut diagnostics = coopmat_analysis::told(&analysis).diagnostics;
        diagnostics.retain(|diagnostic| diagnostic.severity != Severity::Hint);
        Reported::new(analysis.files(), diagnostics)
    });
    result.err()
}

#[test]
fn fixtures_get_what_they_mark() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/fixtures");
    let mut failures = String::new();
    for folder in FOLDERS {
        let mut paths: Vec<_> =
            fs::read_dir(root.join(folder)).unwrap().map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        assert!(!paths.is_empty(), "{folder}");
        for path in paths {
            if let Some(difference) = difference(&fs::read_to_string(&path).unwrap()) {
                failures.push_str(&format!("\n{}: {difference}", path.display()));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
