//! What hangs on a guess, on the shaders in `tests/fixtures/guess`: what only a build could bring is one note, and every other mistake is told
//! as ever.

use coopmat_analysis::config::Configuration;
use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::fixture::{Fixture, Reported, compare};
use coopmat_analysis::{Analyzer, analyze};

use crate::fixtures;

#[test]
fn what_only_a_build_could_bring_is_one_note() {
    fixtures::check(&["guess"], |source| {
        let result = compare(source, |path, text, config, loader| {
            let analysis = analyze(path, text, config, loader, None);
            let mut diagnostics = coopmat_analysis::told(&analysis).diagnostics;
            diagnostics.retain(|diagnostic| diagnostic.severity != Severity::Hint);
            Reported::new(analysis.files(), diagnostics)
        });
        result.err()
    });
}

/// Whatever is a note under a guess is an error under a configuration, and nothing that is valid there becomes a note.
#[test]
fn a_configuration_makes_errors_of_it() {
    for (name, source) in fixtures::of("guess") {
        let fixture = Fixture::parse(&source);
        let root = fixture.root();
        let count = |guessed: bool| {
            let config = Configuration { guessed, ..fixture.config.clone() };
            let analysis = analyze(&root.path, root.text.clone(), &config, &fixture, None);
            let errors = analysis.diagnostics.iter().filter(|one| one.severity == Severity::Error).count();
            (errors, analysis.diagnostics.iter().any(|one| one.code.id == "missing-configuration"))
        };
        let ((errors, _), (less, note)) = (count(false), count(true));
        assert!(less <= errors && (!note || less < errors), "{name}: {less} of {errors}");
    }
}

/// A configuration that turns up takes the note away, also where the last analysis is handed back in.
#[test]
fn what_the_build_defines_ends_the_guess() {
    let source = "//! guessed\n#version 450\nlayout(local_size_x = 1) in;\nvoid main() { int x = SIZE; }\n";
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let analyzer = Analyzer::default();
    let guessed = analyzer.analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let ids = |analysis: &coopmat_analysis::Analysis| {
        let serious = analysis.diagnostics.iter().filter(|one| one.severity <= Severity::Warning);
        serious.map(|one| one.code.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&guessed), ["missing-configuration"]);
    let defines = vec![("SIZE".to_owned(), Some("4".to_owned()))];
    let known = Configuration { guessed: false, defines, ..fixture.config.clone() };
    let whole = analyzer.analyze(&root.path, root.text.clone(), &known, &fixture, Some(&guessed));
    assert_eq!(ids(&whole), [""; 0]);
}
