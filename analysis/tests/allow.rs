//! What comments in the source allow, on the shaders in `tests/fixtures/allow`: all that is told, hints included, is marked.

use coopmat_analysis::fixture::{Fixture, Reported, compare};
use coopmat_analysis::{analyze, told};

use crate::fixtures;

#[test]
fn comments_take_back_what_they_name_where_they_stand() {
    fixtures::check(&["allow"], |source| {
        let result = compare(source, |path, text, config, loader| {
            let analysis = analyze(path, text, config, loader, None);
            Reported::new(analysis.files(), told(&analysis).diagnostics)
        });
        result.err()
    });
}

/// Whether a shader is valid is not for comments to say: what decides about modules reads what was found.
#[test]
fn what_was_found_stays_as_it_is() {
    let source = "#version 450\nlayout(local_size_x = 1) in;\nvoid main() {\n    int x; // coopmat-analyzer: allow(unused-variable)\n}\n";
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let ids = |list: &[coopmat_analysis::diagnostics::Diagnostic]| {
        list.iter().map(|one| one.code.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(&analysis.diagnostics), ["unused-variable"]);
    assert_eq!(ids(&told(&analysis).diagnostics), [""; 0]);
}

/// Regions that a configuration leaves out are told to editors, and can be allowed for a file as anything else.
#[test]
fn regions_that_are_left_out_are_told_unless_they_are_allowed() {
    let inactive = |first: &str| {
        let source = format!(
            "#version 450\n{first}\n#ifdef NONE\nint x;\n#endif\nlayout(local_size_x = 1) in;\nvoid main() {{}}\n"
        );
        let fixture = Fixture::parse(&source);
        let root = fixture.root();
        let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
        let told = told(&analysis);
        assert_eq!(told.diagnostics, []);
        told.inactive.len()
    };
    assert_eq!(inactive(""), 1);
    assert_eq!(inactive("// coopmat-analyzer: allow(inactive-code)"), 0);
}
