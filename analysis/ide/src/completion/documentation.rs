//! What there is to read about one item, made when a client asks for it.

use std::fmt::Write as _;

use super::item::About;
use crate::{doc_comment, hover, signatures};
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions::{self, Extension, ExtensionId};
use coopmat_analysis::text::FilePosition;

/// No more signatures than these are listed.
const SIGNATURES: usize = 8;

/// Markdown about an item by what it is about. `analysis` is needed for declarations of the text.
pub fn documentation(analysis: Option<&Analysis>, label: &str, about: &About) -> Option<String> {
    match *about {
        About::Nothing => None,
        About::Text(text) => Some(text.to_owned()),
        About::Builtin => builtin(label),
        About::Declared(offset) => {
            let analysis = analysis?;
            let text = &analysis.preprocessed.text;
            // The text may have changed since the item was listed.
            if !text.get(usize::from(offset)..)?.starts_with(label) {
                return None;
            }
            let mut markdown = hover::at_expanded(analysis, offset)?.markdown;
            let end = offset + coopmat_analysis::text::TextSize::of(label);
            let place = analysis.file_range(coopmat_analysis::text::TextRange::new(offset, end));
            if let Some(comment) = doc_comment::above(analysis, place)
                && !markdown.contains(&comment)
            {
                let _ = write!(markdown, "\n\n{comment}");
            }
            Some(markdown)
        }
        About::Macro(file, offset) => {
            let analysis = analysis?;
            let hover = hover::hover(analysis, FilePosition { file, offset })?;
            Some(hover.markdown)
        }
    }
}

fn builtin(name: &str) -> Option<String> {
    let overloads = extensions::functions(name);
    if let Some((_, first)) = overloads.clone().next() {
        let signatures: Vec<&str> =
            overloads.clone().take(SIGNATURES).map(|(_, function)| function.signature).collect();
        let more = match overloads.len().saturating_sub(SIGNATURES) {
            0 => String::new(),
            more => format!("\n// and {more} more"),
        };
        let markdown = format!("```glsl\n{}{more}\n```\n\n{}", signatures.join("\n"), first.doc);
        return Some(with_source(markdown, first.providers, first.section));
    }
    if let Some((_, variable)) = extensions::variables(name).next() {
        let line = signatures::builtin_variable(variable);
        let markdown = format!("```glsl\n{line}\n```\n\n{}", variable.doc);
        return Some(with_source(markdown, variable.providers, variable.section));
    }
    if let Some(id) = extensions::constant(name) {
        let constant = extensions::constant_by_id(id);
        let value = if constant.components.is_empty() {
            constant.value.to_string()
        } else {
            let components: Vec<String> = constant.components.iter().map(i64::to_string).collect();
            format!("{{{}}}", components.join(", "))
        };
        let markdown = format!(
            "```glsl\nconst {} {} = {value}\n```\n\n{}",
            constant.scalar.name(),
            constant.name,
            constant.doc
        );
        return Some(with_source(markdown, constant.providers, constant.section));
    }
    if let Some(id) = extensions::type_(name) {
        let ty = extensions::type_by_id(id);
        return Some(with_source(
            format!("```glsl\n{}\n```\n\n{}", ty.name, ty.doc),
            ty.providers,
            ty.section,
        ));
    }
    Some(extension(extensions::extension_by_id(extensions::extension(name)?)))
}

/// What an extension brings.
fn extension(extension: &Extension) -> String {
    let mut markdown = format!("**{}**\n\n{}", extension.name, extension.summary);
    for part in [extension.doc, extension.url] {
        if !part.is_empty() {
            let _ = write!(markdown, "\n\n{part}");
        }
    }
    if !extension.analysed {
        markdown.push_str("\n\nNot analysed: what it adds is not checked.");
    }
    markdown
}

fn with_source(mut markdown: String, providers: &[ExtensionId], section: &str) -> String {
    let source = hover::source_line(providers, "", section);
    if !source.is_empty() {
        let _ = write!(markdown, "\n\n{source}");
    }
    markdown
}
