//! Hover over words of the language: qualifiers, names in `layout(...)`, attributes, `#version` and other directives, behaviours of extensions.

use std::fmt::Write as _;

use super::{Hover, declaration};
use crate::showing::code;
use crate::site::{Region, Site};
use crate::vocabulary::attributes::attribute_about;
use crate::vocabulary::directives::{behavior_about, directive_about};
use crate::vocabulary::keywords::keyword;
use crate::vocabulary::layouts::layout_about;
use coopmat_analysis::Analysis;
use coopmat_analysis::hir::Profile;
use coopmat_analysis::preprocess::DirectiveKind;
use coopmat_analysis::text::{FilePosition, FileRange, TextRange};

/// What a word means where no name stands.
pub fn hover(analysis: &Analysis, position: FilePosition) -> Option<Hover> {
    let site = Site::new(analysis, position)?;
    let range = site.word();
    let word = site.text.get(std::ops::Range::<usize>::from(range))?;
    if let Some(directive) = site.directive
        && directive.range.start() <= range.start()
    {
        let whole = |range: TextRange| FileRange { file: site.file, range };
        if directive.kind == DirectiveKind::Version {
            return Some(Hover { range: whole(directive.range), markdown: version(analysis) });
        }
        let behavior =
            directive.kind == DirectiveKind::Extension && site.tokens.iter().any(|token| token.is(":"));
        let about = if directive.name.contains_inclusive(position.offset) {
            directive_about(word)
        } else if behavior {
            behavior_about(word)
        } else {
            None
        };
        let line = if behavior { format!(": {word}") } else { format!("#{word}") };
        return about
            .map(|about| Hover { range: whole(range), markdown: format!("{}\n\n{about}", code(&line)) });
    }
    if site.region != Region::Code || word.is_empty() {
        return None;
    }
    let markdown = if let Some((about, extension)) = layout_about(&site, word) {
        with_source(word, about, extension.as_slice(), "GLSL 4.60, 4.4 Layout Qualifiers")
    } else if let Some((about, extension)) = attribute_about(&site, word) {
        with_source(&format!("[[{word}]]"), about, &[extension], "")
    } else {
        let keyword = keyword(word)?;
        with_source(word, keyword.about, keyword.extension.as_slice(), keyword.section)
    };
    Some(Hover { range: FileRange { file: site.file, range }, markdown })
}

fn with_source(
    word: &str,
    about: &str,
    extensions: &[coopmat_analysis::extensions::ExtensionId],
    section: &str,
) -> String {
    let section = if extensions.is_empty() { section } else { "" };
    let mut markdown = format!("{}\n\n{about}", code(word));
    let source = declaration::source_line(extensions, "", section);
    if !source.is_empty() {
        let _ = write!(markdown, "\n\n{source}");
    }
    markdown
}

fn version(analysis: &Analysis) -> String {
    let module = &analysis.module;
    let (language, profile) = match module.profile {
        Profile::Es => ("GLSL ES", ""),
        Profile::Core => ("GLSL", ", core profile"),
        Profile::Compatibility => ("GLSL", ", compatibility profile"),
    };
    let number = format!("{}.{:02}", module.version / 100, module.version % 100);
    format!(
        "**{language} {number}**{profile}\n\nThe version that the shader is written in. Only comments may stand before it; without the line it would be 1.10, which has no compute shaders.\n\nSource: GLSL 4.60, 3.3 Preprocessor"
    )
}
