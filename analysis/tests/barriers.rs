//! Staged kernels with a mistake of synchronisation each, in `tests/barriers`: those in `wrong` mark what is told, those in `undecided` say why a
//! run alone can tell, and get nothing, as those in `right` do. `simulator/tests/barriers.rs` runs them.

use std::fs;
use std::path::Path;

use coopmat_analysis::analyze;
use coopmat_analysis::diagnostics::{Diagnostic, Severity};
use coopmat_analysis::fixture::{Reported, compare};

/// The kernels of a folder, by name.
fn kernels(folder: &str) -> Vec<(String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/barriers").join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths.into_iter().map(|path| (path.display().to_string(), fs::read_to_string(&path).unwrap())).collect()
}

#[test]
fn kernels_get_what_they_mark() {
    let mut failures = String::new();
    for folder in ["wrong", "undecided", "right"] {
        for (name, source) in kernels(folder) {
            assert_eq!(folder == "wrong", source.contains("^^ "), "{name}");
            let result = compare(&source, |path, text, config, loader| {
                let analysis = analyze(path, text, config, loader, None);
                let told = |diagnostic: &&Diagnostic| diagnostic.severity <= Severity::Warning;
                Reported::new(analysis.files(), analysis.all_diagnostics().filter(told).cloned().collect())
            });
            if let Err(difference) = result {
                failures.push_str(&format!("\n{name}: {difference}"));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

/// Of 27 mistakes, 20 are decided without a run.
#[test]
fn most_mistakes_are_decided() {
    assert_eq!((kernels("wrong").len(), kernels("undecided").len()), (20, 7));
}
