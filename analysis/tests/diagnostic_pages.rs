//! The examples of the catalogue's pages: what is wrong gets exactly the diagnostics that it marks, what is right gets none.

use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::fixture::{Reported, compare, page_examples};
use coopmat_analysis::preprocess::preprocess;

/// Pages whose examples the preprocessor alone can judge.
fn is_of_preprocessor(id: &str) -> bool {
    id.starts_with("preprocessor-")
        || id.starts_with("version-")
        || matches!(id, "unknown-extension" | "extension-behavior")
}

#[test]
fn every_page_has_examples_of_its_own_diagnostic() {
    for code in codes::ALL.iter().filter(|code| is_of_preprocessor(code.id)) {
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
fn examples_get_what_they_mark() {
    let mut failures = String::new();
    for code in codes::ALL.iter().filter(|code| is_of_preprocessor(code.id)) {
        let (wrong, right) = page_examples(code.page);
        for (kind, example) in
            wrong.iter().map(|text| ("wrong", text)).chain(right.iter().map(|text| ("right", text)))
        {
            let result = compare(example, |path, text, config, loader| {
                let done = preprocess(path, text, config, loader);
                Reported::new(&done.files, done.diagnostics)
            });
            if let Err(difference) = result {
                failures.push_str(&format!("\n{}, {kind} example: {difference}", code.id));
            }
        }
    }
    assert!(failures.is_empty(), "{failures}");
}
