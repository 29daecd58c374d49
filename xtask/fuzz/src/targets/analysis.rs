//! The analysis and every answer for editors, at places all over a text, and after edits.

mod edited;
mod requests;

use coopmat_analysis::display::display_type;
use coopmat_analysis::surface::Surface;
use coopmat_analysis::{Analysis, Analyzer, analyze};

use super::inputs::{edited_shader, mutate_edited};
use crate::check;
use crate::input::Input;
use crate::random::Random;
use crate::target::{Effort, Target, Unit};

pub const TARGET: Target = Target {
    name: "analysis",
    about: "diagnostics and every request of an editor at random places; after an edit the same as from nothing",
    unit: Unit::Text,
    run,
    generate: edited_shader,
    mutate: mutate_edited,
};

fn run(bytes: &[u8], effort: Effort) {
    let input = Input::read(bytes);
    let mut random = Random::of(bytes);
    let analyzer = Analyzer::default();
    let mut before: Option<(Analysis, Surface)> = None;
    for text in &input.versions {
        let (previous, surface) =
            (before.as_ref().map(|(analysis, _)| analysis), before.as_ref().map(|(_, s)| s));
        let surface = Surface::new(text.clone(), surface);
        let analysis = analyzer.analyze("/main.comp", text.clone(), &input.config, &input, previous);
        check::diagnostics(&analysis, &analysis.diagnostics);
        check::diagnostics(&analysis, analysis.late_diagnostics());
        check::diagnostics(&analysis, &analysis.inactive_regions());
        if previous.is_some() {
            let fresh = analyze("/main.comp", text.clone(), &input.config, &input, None);
            same(&analysis, &fresh);
        }
        requests::all(&analysis, &surface, &input, effort, &mut random);
        before = Some((analysis, surface));
    }
}

/// The words of a text in the order of the alphabet: the factors of a symbolic size stand in the order in which they were first met, which
/// may have been in an earlier text.
fn words(text: &str) -> String {
    let mut words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric() && c != '_').collect();
    words.sort_unstable();
    words.join(" ")
}

/// An analysis that took over what an edit left alone says the same as one from nothing.
fn same(edited: &Analysis, fresh: &Analysis) {
    let told = |analysis: &Analysis| -> Vec<String> {
        analysis.all_diagnostics().map(|diagnostic| words(&format!("{diagnostic:?}"))).collect()
    };
    let (edited_told, fresh_told) = (told(edited), told(fresh));
    for index in 0..edited_told.len().max(fresh_told.len()) {
        let (one, other) = (edited_told.get(index), fresh_told.get(index));
        assert_eq!(one, other, "diagnostics after an edit (left) and from nothing (right)");
    }
    let expressions = |analysis: &Analysis| -> Vec<String> {
        let module = &analysis.module;
        let mut found = Vec::new();
        for (body, base, _) in module.bodies() {
            for (_, expr) in body.exprs.iter() {
                let ty = display_type(&module.types, &module.structs, expr.ty);
                found.push(words(&format!("{:?} {ty}", expr.range + base)));
            }
            for name in &body.names {
                found.push(format!(
                    "{:?} {:?}",
                    name.range + base,
                    module.definition_range(&name.definition, None)
                ));
            }
        }
        found
    };
    for (one, other) in expressions(edited).iter().zip(&expressions(fresh)) {
        assert_eq!(one, other, "an expression after an edit (left) and from nothing (right)");
    }
}
