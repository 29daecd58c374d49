//! Adds the `#extension` line that a diagnostic asks for, and brings the lines of a file into order.

use crate::{TextEdit, extension_lines};
use coopmat_analysis::diagnostics::{Diagnostic, codes};
use coopmat_analysis::extensions;
use coopmat_analysis::preprocess::DirectiveKind;
use coopmat_analysis::text::{FileRange, TextRange};

use super::action::{Action, ActionKind, quick_fix, rewrite};
use super::context::Context;

/// Every message about a missing extension says which line to add, or which extensions bring what is missing: those are proposed, the
/// one that the message names first as the preferred one.
pub fn enable(context: &Context<'_>, diagnostic: &Diagnostic, actions: &mut Vec<Action>) {
    let asks = [
        &codes::MISSING_EXTENSION,
        &codes::EXTENSION_DEPENDENCY,
        &codes::PREPROCESSOR_INCLUDE_EXTENSION,
        &codes::MISSING_VERSION,
    ];
    let named = named_extensions(&diagnostic.message);
    if !(asks.contains(&diagnostic.code) || diagnostic.message.contains("which needs GL_")) {
        return;
    }
    // The extension that has the dependency is already enabled.
    let enabled =
        |name: &str| context.analysis.preprocessed.extensions.iter().any(|event| event.name == name);
    for (index, name) in named.into_iter().filter(|name| !enabled(name)).enumerate() {
        let edit = extension_lines::enable(context.analysis, diagnostic.location.file, name);
        let preferred = index == 0 && diagnostic.code != &codes::MISSING_VERSION;
        actions.push(quick_fix(format!("Add `#extension {name} : require`"), preferred, vec![edit]));
    }
}

/// The extensions that a message names, each once, in its order.
fn named_extensions(message: &str) -> Vec<&'static str> {
    let words = message.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    let mut named = Vec::new();
    for word in words.filter(|word| word.starts_with("GL_")) {
        if let Some(id) = extensions::extension(word) {
            let name = extensions::extension_by_id(id).name;
            if !named.contains(&name) {
                named.push(name);
            }
        }
    }
    named
}

/// Sorts each run of neighbouring `#extension` lines by name and drops lines that say again what another one says.
pub fn organize(context: &Context<'_>) -> Option<Action> {
    let text = context.file_text();
    let mut runs: Vec<Vec<Line<'_>>> = Vec::new();
    let mut previous_end = None;
    for directive in coopmat_analysis::preprocess::directives(text).lines {
        if directive.kind != DirectiveKind::Extension {
            previous_end = None;
            continue;
        }
        let (start, end) = (usize::from(directive.range.start()), usize::from(directive.line_end));
        let line_start = text[..start].rfind(['\n', '\r']).map_or(0, |newline| newline + 1);
        let Some(line) = text.get(line_start..end) else { continue };
        // What stands between two lines keeps them apart.
        if previous_end != Some(line_start) {
            runs.push(Vec::new());
        }
        previous_end = Some(end);
        if let Some(run) = runs.last_mut() {
            run.push(Line { start: line_start, end, text: line });
        }
    }
    let edits: Vec<TextEdit> = runs.iter().filter_map(|run| sorted(context, run)).collect();
    let title = "Organise `#extension` lines".to_owned();
    (!edits.is_empty()).then(|| rewrite(title, ActionKind::Organize, edits))
}

struct Line<'a> {
    start: usize,
    end: usize,
    text: &'a str,
}

impl<'a> Line<'a> {
    /// Name and behaviour; `None` when the line is not a plain one.
    fn parts(&self) -> Option<(&'a str, &'a str)> {
        let code = self.text.split("//").next().unwrap_or_default();
        let code = code.trim().strip_prefix('#')?.trim_start().strip_prefix("extension")?;
        let (name, behavior) = code.split_once(':')?;
        Some((name.trim(), behavior.trim()))
    }
}

fn sorted(context: &Context<'_>, run: &[Line<'_>]) -> Option<TextEdit> {
    let (first, last) = (run.first()?, run.last()?);
    let mut lines = Vec::new();
    for line in run {
        let (name, behavior) = line.parts()?;
        // `all` speaks about the lines before it, and `disable` takes one of them back: their order matters.
        if name.is_empty() || name == "all" || behavior == "disable" || line.text.contains("/*") {
            return None;
        }
        lines.push((name, behavior, line.text.trim_end_matches(['\r', '\n'])));
    }
    lines.sort_by_key(|&(name, behavior, text)| (name, strength(behavior), std::cmp::Reverse(text.len())));
    lines.dedup_by(|later, earlier| later.0 == earlier.0);
    let line_end = |line: &Line<'_>| ["\r\n", "\n", "\r"].into_iter().find(|end| line.text.ends_with(end));
    let end = line_end(last).or_else(|| line_end(first)).unwrap_or("\n");
    let mut text = lines.iter().map(|&(_, _, text)| text).collect::<Vec<_>>().join(end);
    if line_end(last).is_some() {
        text.push_str(end);
    }
    let old = context.file_text().get(first.start..last.end)?;
    let range = TextRange::new((first.start as u32).into(), (last.end as u32).into());
    (text != old).then_some(TextEdit { range: FileRange { file: context.range.file, range }, text })
}

/// `require` says more than `enable`, which says more than `warn`.
fn strength(behavior: &str) -> u8 {
    match behavior {
        "require" => 0,
        "enable" => 1,
        _ => 2,
    }
}
