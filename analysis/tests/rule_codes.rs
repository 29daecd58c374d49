//! What the rules of built-ins are said to report, which hovers list, against what they do report: over all fixtures and pages.

use std::collections::BTreeSet;

use coopmat_analysis::analyze;
use coopmat_analysis::diagnostics::codes;
use coopmat_analysis::extensions::{self, Rule};
use coopmat_analysis::fixture::{Fixture, page_examples};
use coopmat_analysis::hir::{Callee, ExprKind};
use coopmat_analysis::lower::rule_codes;
use coopmat_analysis::text::FileRange;

use crate::fixtures;

/// What is said of the arguments as of any expression, of all matrix operations alike, or of a device: no rule of one built-in.
const OF_ALL: &[&str] = &[
    "argument-order",
    "misplaced-constant",
    "coopmat-divergence",
    "coopmat-unwritten",
    "device-matrix-muladd",
    "device-vector",
    "missing-barrier",
    "missing-extension",
    "target-version",
    "wrong-stage",
    "not-assignable",
    "undeclared-name",
];

/// Every shader of the tests and of the pages.
fn sources() -> Vec<String> {
    let mut sources: Vec<String> = fixtures::of("").into_iter().map(|(_, source)| source).collect();
    for code in codes::ALL {
        sources.extend(page_examples(code.page).0.into_iter().map(str::to_owned));
    }
    sources
}

/// Rules and the ids of what was reported within a call of theirs; of calls in calls, the innermost counts.
fn reported(source: &str, found: &mut BTreeSet<(String, &'static str)>) {
    let fixture = Fixture::parse(source);
    let root = fixture.root();
    let analysis = analyze(&root.path, root.text.clone(), &fixture.config, &fixture, None);
    let mut calls: Vec<(FileRange, Rule)> = Vec::new();
    for (body, base, _) in analysis.module.bodies() {
        for (_, expr) in body.exprs.iter() {
            if let ExprKind::Call { callee: Callee::Builtin(id), .. } = &expr.kind
                && let Some(rule) = extensions::function(*id).rule
            {
                calls.push((analysis.file_range(expr.range + base), rule));
            }
        }
    }
    for diagnostic in analysis.all_diagnostics() {
        let at = diagnostic.location;
        let within =
            calls.iter().filter(|(call, _)| call.file == at.file && call.range.contains_range(at.range));
        if let Some((_, rule)) = within.min_by_key(|(call, _)| call.range.len())
            && !OF_ALL.contains(&diagnostic.code.id)
        {
            found.insert((format!("{rule:?}"), diagnostic.code.id));
        }
    }
}

#[test]
fn rules_report_what_they_say_and_nothing_else() {
    let mut found = BTreeSet::new();
    for source in sources() {
        reported(&source, &mut found);
    }
    let declared: BTreeSet<(String, &str)> = extensions::all_functions()
        .filter_map(|(_, function)| function.rule)
        .flat_map(|rule| rule_codes(rule).into_iter().map(move |code| (format!("{rule:?}"), code.id)))
        .collect();
    let undeclared: Vec<_> = found.difference(&declared).collect();
    let unreported: Vec<_> = declared.difference(&found).collect();
    assert!(
        undeclared.is_empty() && unreported.is_empty(),
        "reported, but not declared in analysis/src/lower/builtins/codes.rs: {undeclared:#?}\ndeclared there, but reported by no fixture and no page: {unreported:#?}"
    );
}
