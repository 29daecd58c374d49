//! The preferred quick fixes, applied to every broken shader: each leaves fewer errors and none that was not there.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;

use coopmat_analysis::diagnostics::{Diagnostic, Severity, Tag};
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_ide::TextEdit;
use coopmat_ide::actions::{Action, ActionKind, actions};
use rayon::prelude::*;

use crate::judge::{analyze, said, show};
use crate::shader::Settings;

/// A shader with a mistake, and which kind of mistake it is.
#[derive(Clone, Copy)]
pub struct Mistaken<'a> {
    pub class: &'a str,
    /// The diagnostic of the mistake; of shaders that are wrong in whichever way, the first that is told.
    pub id: &'a str,
    pub text: &'a str,
    pub settings: Settings,
}

/// What became of the shaders of one class of mistakes.
#[derive(Clone, Debug, Default)]
pub struct Offered {
    pub shaders: usize,
    /// Those that get a preferred fix.
    pub preferred: usize,
    /// Those that get a fix, preferred or not.
    pub any: usize,
    /// Those of which no error is left once a preferred fix is applied.
    pub clean: usize,
}

#[derive(Default)]
pub struct Report {
    /// By class and by the id of its diagnostic.
    pub classes: BTreeMap<(String, String), Offered>,
    pub applied: usize,
    /// Each fix that does not do what it should, as a shader with what was said.
    pub wrong: Vec<String>,
    /// One shader of each class that is offered nothing.
    pub without: BTreeMap<(String, String), String>,
}

/// Applies every preferred fix of every shader, each to the shader as it was.
pub fn report<'a>(shaders: &[Mistaken<'a>]) -> Report {
    let analyzer = Analyzer::default();
    let outcomes: Vec<Outcome> = shaders.par_iter().map(|shader| Outcome::of(&analyzer, shader)).collect();
    let mut report = Report::default();
    for (shader, outcome) in shaders.iter().zip(outcomes) {
        let class = (shader.class.to_owned(), outcome.id);
        let offered = report.classes.entry(class.clone()).or_default();
        offered.shaders += 1;
        offered.preferred += usize::from(outcome.preferred > 0);
        offered.any += usize::from(outcome.any);
        offered.clean += usize::from(outcome.clean);
        if !outcome.any {
            report.without.entry(class).or_insert(outcome.shown);
        }
        report.applied += outcome.preferred;
        report.wrong.extend(outcome.wrong);
    }
    report
}

struct Outcome {
    id: String,
    preferred: usize,
    any: bool,
    clean: bool,
    wrong: Vec<String>,
    shown: String,
}

impl Outcome {
    fn of(analyzer: &Analyzer, shader: &Mistaken<'_>) -> Outcome {
        let analysis = analyze(analyzer, shader.text, shader.settings);
        let before = told(&analysis);
        let mut outcome = Outcome {
            id: if shader.id.is_empty() {
                before.first().map_or("nothing", |diagnostic| diagnostic.code.id).to_owned()
            } else {
                shader.id.to_owned()
            },
            preferred: 0,
            any: false,
            clean: false,
            wrong: Vec::new(),
            shown: String::new(),
        };
        let mut seen: BTreeSet<Vec<(u32, u32, String)>> = BTreeSet::new();
        for fix in fixes(&analysis, &before) {
            outcome.any = true;
            if !fix.preferred {
                continue;
            }
            let Some(fixed) = &fix.fixes else { continue };
            let key = key(&fix.edits);
            if !seen.insert(key) {
                continue;
            }
            outcome.preferred += 1;
            let text = match apply(shader.text, &fix.edits) {
                Ok(text) => text,
                Err(why) => {
                    outcome.wrong.push(format!("{}: {why}: `{}`\n{}", shader.class, fix.title, shader.text));
                    continue;
                }
            };
            let mended = analyze(analyzer, &text, shader.settings);
            let after = told(&mended);
            outcome.clean |= after.iter().all(|diagnostic| diagnostic.severity != Severity::Error);
            if let Some(why) = worse(&before, &after, fixed) {
                let title = format!(
                    "{}: `{}` for {}: {why}\n{}",
                    shader.class,
                    fix.title,
                    fixed.code.id,
                    show("before", shader.text, &[], &said(&analysis))
                );
                outcome.wrong.push(show(&title, &text, &[], &said(&mended)));
            }
        }
        if !outcome.any {
            outcome.shown = show(shader.class, shader.text, &[], &said(&analysis));
        }
        outcome
    }
}

/// What is told, without the hints that something is not used.
fn told(analysis: &Analysis) -> Vec<Diagnostic> {
    let mut told = coopmat_codegen::told(analysis).diagnostics;
    told.retain(|diagnostic| diagnostic.code.tag != Some(Tag::Unnecessary));
    told
}

/// What is offered for each diagnostic; to allow it mends nothing.
fn fixes(analysis: &Analysis, told: &[Diagnostic]) -> Vec<Action> {
    let mut fixes = Vec::new();
    for diagnostic in told {
        let mut offered = actions(analysis, diagnostic.location);
        offered.retain(|action| {
            action.kind == ActionKind::QuickFix
                && action.fixes.as_ref() == Some(diagnostic)
                && !action.title.starts_with("Allow `")
        });
        fixes.extend(offered);
    }
    fixes
}

fn key(edits: &[TextEdit]) -> Vec<(u32, u32, String)> {
    let place =
        |edit: &TextEdit| (edit.range.range.start().into(), edit.range.range.end().into(), edit.text.clone());
    let mut key: Vec<_> = edits.iter().map(place).collect();
    key.sort();
    key
}

/// The text after edits of it; an error when they overlap or are of another file.
fn apply(text: &str, edits: &[TextEdit]) -> Result<String, &'static str> {
    let mut edits: Vec<(Range<usize>, &str)> =
        edits.iter().map(|edit| (edit.range.range.into(), edit.text.as_str())).collect();
    edits.sort_by_key(|(range, _)| (range.start, range.end));
    if edits.windows(2).any(|pair| pair[0].0.end > pair[1].0.start) {
        return Err("the edits overlap");
    }
    let mut text = text.to_owned();
    for (range, with) in edits.into_iter().rev() {
        if text.get(range.clone()).is_none() {
            return Err("an edit is outside of the text");
        }
        text.replace_range(range, with);
    }
    Ok(text)
}

/// Why a fix did no good: its diagnostic stays, or there is an error that was not there. What an error hid may be warned of now; where a warning was
/// mended, no other one may come.
fn worse(before: &[Diagnostic], after: &[Diagnostic], fixed: &Diagnostic) -> Option<String> {
    let count = |told: &[Diagnostic], id: &str| told.iter().filter(|told| told.code.id == id).count();
    for diagnostic in after {
        let id = diagnostic.code.id;
        let grave = diagnostic.severity == Severity::Error || diagnostic.severity <= fixed.severity;
        if grave && count(after, id) > count(before, id) {
            return Some(format!("a new {}: {}", diagnostic.severity.name(), diagnostic.message));
        }
    }
    let errors = |told: &[Diagnostic]| told.iter().filter(|told| told.severity == Severity::Error).count();
    if fixed.severity == Severity::Error && errors(after) >= errors(before) {
        return Some("as many errors as before".to_owned());
    }
    (count(after, fixed.code.id) >= count(before, fixed.code.id))
        .then(|| "it is told as often as before".to_owned())
}
