//! Hover over what the preprocessor replaces or obeys: macros, includes, `#extension` lines.

use super::Hover;
use crate::showing::code;
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions;
use coopmat_analysis::preprocess::{MacroDefinition, MacroOrigin, MacroUseKind};
use coopmat_analysis::text::{FilePosition, FileRange};

pub fn hover(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    macro_use(analysis, position)
        .or_else(|| macro_in_body(analysis, position))
        .or_else(|| macro_definition(analysis, position))
        .or_else(|| include(analysis, position))
        .or_else(|| extension(analysis, position))
}

fn holds(range: FileRange, position: FilePosition) -> bool {
    range.file == position.file && range.range.contains_inclusive(position.offset)
}

/// An expansion longer than this is cut: a hover is not a listing.
const SHOWN: usize = 1500;

fn macro_use(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    let preprocessed = &analysis.preprocessed;
    let usage = preprocessed.macro_use_at(position)?;
    let definition = preprocessed.definition(usage.definition);
    let mut markdown = describe(analysis, definition);
    if usage.kind == MacroUseKind::Call
        && let Some(expansion) = preprocessed.expansion_text(usage)
    {
        let expansion = expansion.trim();
        let cut = expansion.char_indices().nth(SHOWN).map_or(expansion.len(), |(index, _)| index);
        let dots = if cut < expansion.len() { " …" } else { "" };
        markdown.push_str("\n\nexpands here to\n\n");
        markdown.push_str(&code(&format!("{}{dots}", &expansion[..cut])));
    }
    Some(Hover { range: usage.name, markdown })
}

/// A macro that the body of another one names.
fn macro_in_body(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    let (range, id) = analysis.preprocessed.macro_in_body_at(position)?;
    Some(Hover { range, markdown: describe(analysis, analysis.preprocessed.definition(id)) })
}

fn macro_definition(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    let definition = analysis
        .preprocessed
        .macros
        .iter()
        .find(|definition| definition.name_range().is_some_and(|range| holds(range, position)))?;
    Some(Hover { range: definition.name_range()?, markdown: describe(analysis, definition) })
}

fn describe(analysis: &Analysis, definition: &MacroDefinition) -> String {
    let files = analysis.files();
    let text = definition.directive().and_then(|directive| {
        files[directive.file].text.get(std::ops::Range::<usize>::from(directive.range)).map(str::trim_end)
    });
    let line = match text {
        Some(text) => text.to_owned(),
        None => {
            let value = analysis
                .config
                .defines
                .iter()
                .find(|(name, _)| name == definition.name())
                .and_then(|(_, value)| value.clone())
                .unwrap_or_default();
            format!("#define {} {value}", definition.name()).trim_end().to_owned()
        }
    };
    let origin = match definition.origin {
        MacroOrigin::File(file) => {
            let line = definition
                .name_range()
                .map_or(0, |range| files[file].line_index().line_col(range.range.start()).line + 1);
            format!("{}:{line}", files[file].path)
        }
        MacroOrigin::CommandLine => format!("the configuration `{}`", analysis.config.name),
        MacroOrigin::Builtin => "the language".to_owned(),
    };
    format!("{}\n\nMacro, defined by {origin}", code(&line))
}

fn include(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    let include =
        analysis.preprocessed.includes.iter().find(|include| holds(include.path_range, position))?;
    let markdown = match include.file {
        Some(file) => {
            let file = &analysis.files()[file];
            format!("`{}`\n\n{} lines", file.path, file.text.lines().count())
        }
        None => format!("`{}` was not found", include.path),
    };
    Some(Hover { range: include.path_range, markdown })
}

fn extension(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    let event = analysis.preprocessed.extensions.iter().find(|event| holds(event.name_range, position))?;
    let extension = extensions::extension_by_id(extensions::extension(&event.name)?);
    let mut markdown = format!("**{}**\n\n{}", extension.name, extension.summary);
    for part in [extension.doc, extension.url] {
        if !part.is_empty() {
            markdown.push_str("\n\n");
            markdown.push_str(part);
        }
    }
    if !extension.analysed {
        markdown.push_str("\n\nNot analysed: what it adds is not checked.");
    }
    Some(Hover { range: event.name_range, markdown })
}
