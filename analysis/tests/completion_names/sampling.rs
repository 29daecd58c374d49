//! Does completion offer what a person wrote? Names of a shader lose their tails, and must be listed where they stood.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::hir::Definition;
use coopmat_analysis::ide::completion::completions;
use coopmat_analysis::sources::FileLoader;
use coopmat_analysis::text::{FileId, FilePosition, TextRange, TextSize};
use coopmat_analysis::{Analysis, Analyzer};

/// How much of the text after the cursor is taken away beside the rest of the name.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cut {
    Name,
    /// As if the line was being written.
    Line,
}

#[derive(Debug, Default)]
pub struct Outcome {
    pub asked: usize,
    /// Line, name, and what it was.
    pub missed: Vec<(usize, String, String)>,
    pub microseconds: Vec<u128>,
}

/// The uses of names in the file itself, as ranges of its text.
fn uses(analysis: &Analysis) -> Vec<(TextRange, String)> {
    let mut found = Vec::new();
    for (body, base, function) in analysis.module.bodies() {
        for name in &body.names {
            // A declaration chooses its name freely.
            let declared = analysis.module.definition_range(&name.definition, function);
            if matches!(name.definition, Definition::Swizzle) || declared == Some(name.range + base) {
                continue;
            }
            let mapped = analysis.preprocessed.map.to_file(name.range + base);
            if mapped.in_macro.is_none() && mapped.primary.file == FileId::ROOT {
                found.push((mapped.primary.range, format!("{:?}", name.definition)));
            }
        }
    }
    for usage in &analysis.preprocessed.macro_uses {
        if usage.name.file == FileId::ROOT {
            found.push((usage.name.range, "Macro".to_owned()));
        }
    }
    found.sort_by_key(|(range, _)| range.start());
    found.dedup_by_key(|(range, _)| range.start());
    found
}

/// Asks at every `step`-th use of a name in a file.
pub fn sample(
    path: &str,
    text: &Arc<str>,
    config: &Configuration,
    loader: &dyn FileLoader,
    step: usize,
    cut: Cut,
) -> Outcome {
    let analyzer = Analyzer::default();
    let whole = analyzer.analyze(path, text.clone(), config, loader, None);
    let mut outcome = Outcome::default();
    for (index, (range, what)) in uses(&whole).into_iter().step_by(step.max(1)).enumerate() {
        let Some(name) = text.get(std::ops::Range::<usize>::from(range)) else { continue };
        let keep = (1 + index % 2).min(name.len().saturating_sub(1));
        if keep == 0 || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            continue;
        }
        let at = usize::from(range.start()) + keep;
        let end = match cut {
            Cut::Name => usize::from(range.end()),
            Cut::Line => text[at..].find('\n').map_or(text.len(), |line| at + line),
        };
        let edited: Arc<str> = format!("{}{}", &text[..at], &text[end..]).into();
        let analysis = analyzer.analyze(path, edited, config, loader, Some(&whole));
        let position = FilePosition { file: FileId::ROOT, offset: TextSize::new(at as u32) };
        let start = std::time::Instant::now();
        let offered = completions(&analysis, position);
        outcome.microseconds.push(start.elapsed().as_micros());
        outcome.asked += 1;
        let listed =
            offered.items.iter().any(|item| item.label == name || item.label == "length" && name == "length");
        if !listed {
            let line = text[..at].matches('\n').count() + 1;
            outcome.missed.push((line, name.to_owned(), what));
        }
    }
    outcome
}
