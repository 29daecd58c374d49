//! The preprocessor (GLSL 4.60, chapter 3, with `#include` of the extensions): text in, expanded text and a map back out.
//!
//! `tokens` cuts a file once for all configurations, `engine` walks files and copies text, `directives` obeys directives,
//! `expand` replaces macros, `expression` evaluates `#if`, `source_map` answers where everything came from.

mod cache;
mod directives;
mod engine;
mod expand;
mod expression;
mod include_path;
mod known_extensions;
mod names;
mod report;
mod source_map;
#[cfg(test)]
mod tests;
mod tokens;

use std::sync::Arc;

use smol_str::SmolStr;

use crate::config::Configuration;
use crate::diagnostics::Diagnostic;
use crate::sources::{FileLoader, SourceFiles};
use crate::text::{FileId, FilePosition, FileRange, TextRange, TextSize};

pub use crate::version::Profile;
pub use cache::PreprocessCache;
/// Bytes of one file: larger ones are not read.
pub const LARGEST_FILE: usize = engine::limits::FILE;

pub use include_path::{join as join_path, normalize as normalize_path};
pub use names::{NameContext, NameToken};
pub use source_map::{InMacro, MacroCall, MappedRange, SourceMap};
pub use tokens::{Directive, DirectiveKind, Item, LexedFile, Token};
use tokens::{Interner, MacroSyntax};

/// Preprocesses the file `root_path` with the text `text`.
///
/// A caller that preprocesses more than once keeps a [`PreprocessCache`] and calls its `preprocess`.
pub fn preprocess(
    root_path: &str,
    text: Arc<str>,
    config: &Configuration,
    loader: &dyn FileLoader,
) -> Preprocessed {
    PreprocessCache::new().preprocess(root_path, text, config, loader)
}

/// What preprocessing a file under one configuration gives.
#[derive(Debug, Default)]
pub struct Preprocessed {
    /// The root and what it includes, those in inactive regions left out.
    pub files: SourceFiles,
    /// The program without directives, comments and inactive regions, its macros replaced and its includes put in.
    pub text: String,
    /// Between [`Preprocessed::text`] and the files.
    pub map: SourceMap,
    /// Every macro that was defined, in the order of definition; one that was defined twice is here twice.
    pub macros: Vec<MacroDefinition>,
    /// Uses of macros in the text of files and in active directives, sorted by place. Not those inside macro bodies.
    pub macro_uses: Vec<MacroUse>,
    /// Active `#include` directives, in the order in which they were met.
    pub includes: Vec<Include>,
    /// What conditionals left out: regions that no inclusion of their file kept, sorted by place.
    pub inactive: Vec<FileRange>,
    /// `#extension` directives in the order in which they take effect.
    pub extensions: Vec<ExtensionEvent>,
    /// The first `#version` directive; `None` means 110 (GLSL 4.60, section 3.3).
    pub version: Option<Version>,
    /// Active ones, in the order in which they were met.
    pub pragmas: Vec<Pragma>,
    /// Active `#line` directives, in the order in which they were met.
    pub lines: Vec<LineDirective>,
    /// Sorted by place.
    pub diagnostics: Vec<Diagnostic>,
    /// Set when a limit ended the work early: `text` is empty then, and nothing can be said about the program.
    pub incomplete: bool,
    lexed: Vec<Arc<LexedFile>>,
}

/// Index in `Preprocessed::macros`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct MacroId(pub u32);

/// Who defined a macro.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacroOrigin {
    /// A `#define` in this file.
    File(FileId),
    /// `-D`, or the project file.
    CommandLine,
    /// The language, or an extension that is supported.
    Builtin,
}

/// A macro as one `#define`, or what is like one, defines it.
#[derive(Clone, Debug)]
pub struct MacroDefinition {
    syntax: Arc<MacroSyntax>,
    /// Who defined it.
    pub origin: MacroOrigin,
    special: Special,
    buffer: u32,
}

/// Macros whose value depends on the place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Special {
    No,
    Line,
    File,
    Version,
}

impl MacroDefinition {
    /// Without its parameters.
    pub fn name(&self) -> &SmolStr {
        &self.syntax.name
    }

    /// The parameters' names; `None` for an object-like macro.
    pub fn parameters(&self) -> Option<impl ExactSizeIterator<Item = &SmolStr>> {
        self.syntax.parameters.as_ref().map(|parameters| parameters.iter().map(|parameter| &parameter.name))
    }

    /// Where the name stands in the `#define`.
    pub fn name_range(&self) -> Option<FileRange> {
        self.in_file(self.syntax.name_range)
    }

    /// The whole `#define`.
    pub fn directive(&self) -> Option<FileRange> {
        self.in_file(self.syntax.directive)
    }

    /// From the first to the last token of the body; empty when there is none.
    pub fn body(&self) -> Option<FileRange> {
        self.in_file(self.syntax.body_range)
    }

    /// Whether it stands for anything.
    pub fn has_body(&self) -> bool {
        !self.syntax.body.is_empty()
    }

    /// The identifiers in the body with their places, parameters among them: for references and renaming.
    pub fn body_names(&self) -> impl Iterator<Item = (FileRange, &SmolStr)> {
        self.syntax.body_names.iter().filter_map(|(range, name)| Some((self.in_file(*range)?, name)))
    }

    fn in_file(&self, range: TextRange) -> Option<FileRange> {
        match self.origin {
            MacroOrigin::File(file) => Some(FileRange { file, range }),
            _ => None,
        }
    }
}

/// What a use of a macro's name does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MacroUseKind {
    /// Replaced in the text.
    Call,
    /// Replaced in `#if`, `#line` or `#include`.
    Directive,
    /// Asked for by `#ifdef`, `#ifndef`, `defined`, or ended by `#undef`.
    Name,
}

/// A place that names a macro.
#[derive(Clone, Copy, Debug)]
pub struct MacroUse {
    /// What the place does.
    pub kind: MacroUseKind,
    /// The definition that is in force there.
    pub definition: MacroId,
    /// The name alone.
    pub name: FileRange,
    /// The call with its arguments; the name alone when there are none.
    pub range: FileRange,
    /// Where the result stands in the expanded text, for a call that is not an argument of another.
    pub expanded: Option<TextRange>,
    expansion: u32,
}

/// An `#include` directive that was obeyed.
#[derive(Clone, Debug)]
pub struct Include {
    /// From the `#` to the end of the last token.
    pub directive: FileRange,
    /// The path with its quotes or angle brackets.
    pub path_range: FileRange,
    /// Without quotes and brackets, macros replaced.
    pub path: SmolStr,
    /// Written `<path>`.
    pub system: bool,
    /// The file; `None` when there is none.
    pub file: Option<FileId>,
    /// Whether it is not looked for, since the host does not let files be read there.
    pub refused: bool,
}

/// What an `#extension` directive asks for (GLSL 4.60, section 3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Behavior {
    /// An error where the extension is not supported.
    Require,
    /// A warning where the extension is not supported.
    Enable,
    /// Enabled, and each use is to be warned of.
    Warn,
    /// As if the extension were no part of the language.
    Disable,
}

/// An `#extension` directive.
#[derive(Clone, Debug)]
pub struct ExtensionEvent {
    /// Holds for the expanded text from here on.
    pub offset: TextSize,
    /// The extension, or `all`.
    pub name: SmolStr,
    /// What is asked for.
    pub behavior: Behavior,
    /// The directive, from the `#` to the end of the last token.
    pub range: FileRange,
    /// The extension's name in it.
    pub name_range: FileRange,
}

/// A `#version` directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Version {
    /// Such as 460.
    pub number: u32,
    /// The word behind the number.
    pub profile: Profile,
    /// The directive, from the `#` to the end of the last token.
    pub range: FileRange,
}

/// A `#pragma` directive.
#[derive(Clone, Debug)]
pub struct Pragma {
    /// Where it stands in the expanded text, which does not have it.
    pub offset: TextSize,
    /// What follows the word `pragma`.
    pub text: SmolStr,
    /// The directive, from the `#` to the end of the last token.
    pub range: FileRange,
}

/// A `#line` directive (GLSL 4.60, section 3.3).
#[derive(Clone, Copy, Debug)]
pub struct LineDirective {
    /// The number that the next line gets.
    pub line: i32,
    /// The source string's number, where one is given.
    pub source: Option<i32>,
    /// The directive, from the `#` to the end of the last token.
    pub range: FileRange,
}

/// An `#if` with its branches, for folding.
#[derive(Clone, Debug)]
pub struct Conditional {
    /// At least the one of the `#if`, in the order of the text.
    pub branches: Vec<Branch>,
    /// The `#endif`; `None` when it is missing.
    pub end: Option<TextRange>,
}

/// One of the parts of an `#if`, of which at most one is kept.
#[derive(Clone, Copy, Debug)]
pub struct Branch {
    /// The `#if`, `#ifdef`, `#ifndef`, `#elif` or `#else`.
    pub directive: TextRange,
    /// From the line after the directive to the line of the next branch.
    pub body: TextRange,
}

impl Preprocessed {
    /// The macro of a use. Ids of another run have no meaning here.
    pub fn definition(&self, id: MacroId) -> &MacroDefinition {
        &self.macros[id.0 as usize]
    }

    /// The macro use whose name holds `position` (also directly behind the name's last character).
    pub fn macro_use_at(&self, position: FilePosition) -> Option<&MacroUse> {
        let after = self.macro_uses.partition_point(|usage| {
            (usage.name.file, usage.name.range.start()) <= (position.file, position.offset)
        });
        self.macro_uses[..after].last().filter(|usage| {
            usage.name.file == position.file && usage.name.range.contains_inclusive(position.offset)
        })
    }

    /// The macro that is named at `position` in the body of another one, as it is defined last.
    pub fn macro_in_body_at(&self, position: FilePosition) -> Option<(FileRange, MacroId)> {
        let holds =
            |place: FileRange| place.file == position.file && place.range.contains_inclusive(position.offset);
        let around = self.macros.iter().find(|definition| definition.body().is_some_and(holds))?;
        let (place, name) = around.body_names().find(|&(place, _)| holds(place))?;
        let parameter = around.parameters().is_some_and(|mut all| all.any(|parameter| parameter == name));
        if parameter {
            return None;
        }
        let named = self.macros.iter().rposition(|definition| definition.name() == name)?;
        Some((place, MacroId(named as u32)))
    }

    /// A file's tokens and directives as they are written, whether a configuration reads them or not.
    pub fn lexed(&self, file: FileId) -> Option<&LexedFile> {
        self.lexed.get(file.0 as usize).map(|lexed| &**lexed)
    }

    /// What a macro use became.
    pub fn expansion_text(&self, usage: &MacroUse) -> Option<&str> {
        let range = match usage.expanded {
            Some(range) => range,
            None => self.map.extent(usage.expansion)?,
        };
        self.text.get(std::ops::Range::from(range))
    }

    /// The conditionals of a file in the order of their `#if`, active or not.
    pub fn conditionals(&self, file: FileId) -> Vec<Conditional> {
        let Some(lexed) = self.lexed(file) else { return Vec::new() };
        conditionals(lexed)
    }
}

/// A directive as it is written, obeyed or not.
#[derive(Clone, Copy, Debug)]
pub struct DirectiveLine {
    /// Which directive it is.
    pub kind: DirectiveKind,
    /// From the `#` to the end of the last token.
    pub range: TextRange,
    /// The word after the `#`; the `#` where there is none.
    pub name: TextRange,
    /// Where the next line starts.
    pub line_end: TextSize,
}

/// The directives of a text.
#[derive(Debug, Default)]
pub struct Directives {
    /// In the order of the text.
    pub lines: Vec<DirectiveLine>,
    /// In the order of their `#if`.
    pub conditionals: Vec<Conditional>,
}

/// Finds the directives of a text, without obeying any.
pub fn directives(text: &str) -> Directives {
    let lexed = LexedFile::new(text, &mut Interner::new());
    let lines = lexed.items.iter().filter_map(|item| match item {
        Item::Text(_) => None,
        Item::Directive(directive) => Some(DirectiveLine {
            kind: directive.kind,
            range: directive.range,
            name: directive.name,
            line_end: TextSize::new(directive.line_end),
        }),
    });
    Directives { lines: lines.collect(), conditionals: conditionals(&lexed) }
}

fn conditionals(lexed: &LexedFile) -> Vec<Conditional> {
    let mut result = Vec::new();
    for item in &lexed.items {
        let Item::Directive(first) = item else { continue };
        if !matches!(first.kind, DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef) {
            continue;
        }
        let mut conditional = Conditional { branches: Vec::new(), end: None };
        let mut at = first;
        while let Some(next) = lexed.directive(at.next as usize) {
            conditional.branches.push(Branch {
                directive: at.range,
                body: tokens::range(at.line_end, next.range.start().into()),
            });
            at = next;
        }
        if at.kind == DirectiveKind::Endif {
            conditional.end = Some(at.range);
        }
        result.push(conditional);
    }
    result
}
