//! What the preprocessor does, topic by topic.

mod conditionals;
mod hostile;
mod includes;
mod macros;
mod map;
mod preamble;
mod records;

use crate::fixture::{Fixture, Reported, check};

use super::{Preprocessed, preprocess};

/// Runs a fixture; its markers are not compared.
fn run(source: &str) -> (Fixture, Preprocessed) {
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let done = preprocess(&root.path, root.text.clone(), &fixture.config, &fixture);
    (fixture, done)
}

/// The expanded text of a fixture without mistakes, trimmed.
fn expand(source: &str) -> String {
    let (_, done) = run(source);
    assert!(done.diagnostics.is_empty(), "{:#?}", done.diagnostics);
    done.text.trim().to_owned()
}

/// Compares the diagnostics of a fixture with its markers.
fn check_diagnostics(source: &str) {
    check(source, |path, text, config, loader| {
        let done = preprocess(path, text, config, loader);
        Reported::new(&done.files, done.diagnostics)
    });
}
