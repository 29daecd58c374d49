//! Declarations and statements, on the shaders in `tests/fixtures`: each line that is marked gets exactly what it marks, every other
//! line gets nothing.

use coopmat_analysis::analyze;
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::fixture::{Reported, compare};

use crate::fixtures;

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
    fixtures::check(&["declarations", "statements"], difference);
}
