//! Applies the rewrites that code actions offer at places all over llama.cpp's shaders: what was free of errors must stay so.

use std::collections::{BTreeMap, HashSet};

use coopmat_analysis::diagnostics::Severity;
use coopmat_analysis::hir::Definition;
use coopmat_analysis::sources::{FileLoader, Overlay};
use coopmat_analysis::text::{FileId, FileRange, TextRange};
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_corpus::files::Files;
use coopmat_corpus::llama::{Llama, Variant};
use coopmat_ide::actions::{Action, actions, coordinates};

use crate::common::Common;

#[derive(clap::Args)]
pub struct Options {
    #[command(flatten)]
    common: Common,
    /// Every how many-th expression of a shader is selected, and every how many-th name is under the cursor
    #[arg(long, default_value_t = 97)]
    step: usize,
}

pub fn run(options: &Options) -> anyhow::Result<bool> {
    let mut llama = Llama::read(&options.common.sources)?;
    llama.keep_one_of_each();
    let analyzer = Analyzer::default();
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    let mut shown = 0;
    for variant in llama.variants.iter().filter(|variant| options.common.chosen(&variant.name)) {
        let Some(text) = llama.files.load(&variant.source) else { continue };
        let config = variant.configuration();
        let analysis = analyzer.analyze(&variant.source, text, &config, &llama.files, None);
        for place in places(&analysis, options.step) {
            let rows_and_columns = coordinates(&analysis, place, &coopmat_server::element_tables);
            for action in actions(&analysis, place).into_iter().chain(rows_and_columns) {
                let (kind, _) = action.title.split_once('`').unwrap_or((&action.title, ""));
                let count = counts.entry(kind.trim().to_owned()).or_default();
                count.0 += 1;
                if let Some(message) = broken(&analyzer, &analysis, variant, &llama.files, &action) {
                    count.1 += 1;
                    shown += 1;
                    if shown <= options.common.limit {
                        println!("{} {:?}: {}: {message}", variant.name, place.range, action.title);
                    }
                }
            }
        }
    }
    let mut good = true;
    for (title, (offered, broken)) in &counts {
        println!("{title}: {offered} applied, {broken} broke the shader");
        good &= *broken == 0;
    }
    Ok(good && !counts.is_empty())
}

/// Expressions and names, every so many-th; and the first name of each built-in function, where rewrites of whole shaders are offered.
fn places(analysis: &Analysis, step: usize) -> Vec<FileRange> {
    let mut places = Vec::new();
    let mut functions = HashSet::new();
    for (body, base, _) in analysis.module.bodies() {
        for name in &body.names {
            if let Definition::BuiltinFunction(id) = name.definition
                && functions.insert(id)
            {
                places.push(analysis.file_range(TextRange::empty(name.range.start()) + base));
            }
        }
    }
    let mut count = 0;
    let mut take = |range: TextRange| {
        count += 1;
        if count % step == 0 {
            places.push(analysis.file_range(range));
        }
    };
    for (body, base, _) in analysis.module.bodies() {
        for (_, expr) in body.exprs.iter() {
            take(expr.range + base);
        }
        for name in &body.names {
            take(TextRange::empty(name.range.start()) + base);
        }
        for (_, local) in body.locals.iter() {
            take(TextRange::empty(local.name_range.start()) + base);
        }
    }
    let uses = analysis.preprocessed.macro_uses.iter().step_by(step.div_ceil(8));
    places.extend(
        uses.map(|usage| FileRange {
            file: usage.name.file,
            range: TextRange::empty(usage.name.range.start()),
        }),
    );
    places
}

/// The first error after an action.
fn broken(
    analyzer: &Analyzer,
    analysis: &Analysis,
    variant: &Variant,
    files: &Files,
    action: &Action,
) -> Option<String> {
    let mut changed = Vec::new();
    let mut edits = action.edits.clone();
    edits.sort_by_key(|edit| std::cmp::Reverse((edit.range.range.start(), edit.range.range.end())));
    for (id, file) in analysis.files().iter() {
        let mut text = file.text.to_string();
        let mut end = text.len();
        for edit in edits.iter().filter(|edit| edit.range.file == id) {
            let range = std::ops::Range::<usize>::from(edit.range.range);
            if range.end > end {
                return Some("the edits overlap".to_owned());
            }
            end = range.start;
            text.replace_range(range, &edit.text);
        }
        if *text != *file.text {
            changed.push((file.path.to_string(), text.into()));
        }
    }
    let overlay = Overlay::new(files, changed);
    let root = &analysis.files()[FileId::ROOT].path;
    let text = overlay.load(root)?;
    let after = analyzer.analyze(root, text, &variant.configuration(), &overlay, None);
    let error = after.diagnostics.iter().find(|diagnostic| diagnostic.severity == Severity::Error)?;
    Some(format!("{}: {}", error.code.id, error.message))
}
