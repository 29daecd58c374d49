//! The examples of the catalogue's pages: what is wrong gets exactly the diagnostics that it marks, what is right gets none.
//!
//! Hints that something is unused need no mark where the page is about something else, nor do matrices without a value: examples
//! are short.

use coopmat_analysis::diagnostics::{Code, Tag, codes};
use coopmat_analysis::fixture::{Reported, compare, page_examples};
use coopmat_analysis::{Analyzer, diagnostics};

/// Pages whose diagnostics crates above find: their tests are there, in `codegen/tests/device/mod.rs`, `codegen/tests/refusals.rs` and
/// `lsp/core/tests/performance.rs`.
const JUDGED_ABOVE: &[&str] = &["bank-conflicts", "device-feature", "matrix-registers", "not-compiled"];

/// Pages that no source text by itself can show.
const WITHOUT_EXAMPLES: &[&str] = &[
    "divergence-limit",
    "embedded-fragment",
    "embedded-part",
    "inactive-code",
    "module-syntax",
    "nesting-too-deep",
    "preprocessor-include-limit",
    "qcom-subgroup-size",
    "search-limit",
    "spirv-val",
    "wgsl",
];

#[test]
fn every_page_has_examples_of_its_own_diagnostic() {
    for code in codes::ALL.iter().filter(|code| !WITHOUT_EXAMPLES.contains(&code.id)) {
        let (wrong, right) = page_examples(code.page);
        assert!(
            !wrong.is_empty() && !right.is_empty(),
            "{}: a page has a wrong and a right example",
            code.id
        );
        for example in wrong {
            assert!(example.contains(code.id), "{}: the wrong example does not mark the diagnostic", code.id);
        }
    }
}

#[test]
fn lists_of_pages_name_pages() {
    for id in JUDGED_ABOVE.iter().chain(WITHOUT_EXAMPLES) {
        assert!(diagnostics::find(id).is_some(), "{id}");
    }
}

#[test]
fn examples_get_what_they_mark() {
    let analyzer = Analyzer::default();
    let mut failures = String::new();
    for code in codes::ALL.iter().filter(|code| !JUDGED_ABOVE.contains(&code.id)) {
        let (wrong, right) = page_examples(code.page);
        let examples =
            wrong.iter().map(|text| ("wrong", text)).chain(right.iter().map(|text| ("right", text)));
        for (kind, example) in examples {
            if let Err(difference) = judge(&analyzer, code, example) {
                failures.push_str(&format!("\n{}, {kind} example: {difference}", code.id));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}

fn judge(analyzer: &Analyzer, page: &Code, example: &str) -> Result<(), String> {
    compare(example, |path, text, config, loader| {
        let analysis = analyzer.analyze(path, text, config, loader, None);
        let mut diagnostics = coopmat_analysis::told(&analysis).diagnostics;
        diagnostics.retain(|diagnostic| {
            (diagnostic.code.tag != Some(Tag::Unnecessary) && diagnostic.code != &codes::COOPMAT_UNWRITTEN)
                || diagnostic.code == page
                || example.contains(diagnostic.code.id)
        });
        Reported::new(analysis.files(), diagnostics)
    })
}
