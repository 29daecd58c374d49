//! Does completion offer what a person wrote? Names of a shader lose their tails, and must be listed where they stood.

use std::sync::Arc;

use coopmat_analysis::config::Configuration;
use coopmat_analysis::hir::Definition;
use coopmat_analysis::sources::{FileLoader, Overlay};
use coopmat_analysis::text::{FileId, FilePosition, TextRange, TextSize};
use coopmat_analysis::{Analysis, Analyzer};
use coopmat_ide::completion::completions;

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

/// The uses of names in a file, as ranges of its text.
fn uses(analysis: &Analysis, file: FileId) -> Vec<(TextRange, String)> {
    let mut found = Vec::new();
    for (body, base, function) in analysis.module.bodies() {
        for name in &body.names {
            // A declaration chooses its name freely.
            let declared = analysis.module.definition_range(&name.definition, function);
            if matches!(name.definition, Definition::Swizzle) || declared == Some(name.range + base) {
                continue;
            }
            let mapped = analysis.preprocessed.map.to_file(name.range + base);
            if mapped.in_macro.is_none() && mapped.primary.file == file {
                found.push((mapped.primary.range, format!("{:?}", name.definition)));
            }
        }
    }
    for usage in &analysis.preprocessed.macro_uses {
        if usage.name.file == file {
            found.push((usage.name.range, "Macro".to_owned()));
        }
    }
    found.sort_by_key(|(range, _)| range.start());
    found.dedup_by_key(|(range, _)| range.start());
    found
}

/// Asks at every `step`-th use of a name in a shader, and with `headers` in what it includes.
pub fn sample(
    root: &str,
    text: &Arc<str>,
    config: &Configuration,
    loader: &dyn FileLoader,
    (step, cut, headers): (usize, Cut, bool),
) -> Outcome {
    let analyzer = Analyzer::default();
    let whole = analyzer.analyze(root, text.clone(), config, loader, None);
    let mut outcome = Outcome::default();
    for (file, source) in whole.files().iter() {
        if (file != FileId::ROOT) != headers {
            continue;
        }
        let text = &source.text;
        for (index, (range, what)) in uses(&whole, file).into_iter().step_by(step.max(1)).enumerate() {
            let Some(name) = text.get(std::ops::Range::<usize>::from(range)) else { continue };
            // After a `.` the list is there before a character is typed.
            let member = text[..usize::from(range.start())].ends_with('.');
            let keep = if member { index % 3 } else { 1 + index % 2 }.min(name.len().saturating_sub(1));
            if (keep == 0 && !member)
                || !name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
            {
                continue;
            }
            let at = usize::from(range.start()) + keep;
            let end = match cut {
                Cut::Name => usize::from(range.end()),
                Cut::Line => text[at..].find('\n').map_or(text.len(), |line| at + line),
            };
            let edited: Arc<str> = format!("{}{}", &text[..at], &text[end..]).into();
            let files = Overlay::new(loader, [(source.path.to_string(), edited)]);
            let root_text = files.load(root).unwrap_or_else(|| whole.files()[FileId::ROOT].text.clone());
            let analysis = analyzer.analyze(root, root_text, config, &files, Some(&whole));
            let Some(file) = analysis.files().find(&source.path) else { continue };
            let position = FilePosition { file, offset: TextSize::new(at as u32) };
            let start = cpu_time::ThreadTime::now();
            let offered = completions(&analysis, position);
            outcome.microseconds.push(start.elapsed().as_micros());
            outcome.asked += 1;
            if !offered.items.iter().any(|item| item.label == name) {
                let line = text[..at].matches('\n').count() + 1;
                outcome.missed.push((line, name.to_owned(), format!("{what} in {}", source.path)));
            }
        }
    }
    outcome
}
