//! Where a name is written in a file, whatever becomes of it: for references and renaming, which also look where the
//! preprocessor left text out.

use smol_str::SmolStr;

use super::tokens::{self, Directive, DirectiveKind, Item, LexedFile, MacroSyntax, Token};
use super::{MacroDefinition, Preprocessed};
use crate::lex::TokenKind;
use crate::sources::SourceFiles;
use crate::text::{FileId, FilePosition, TextRange};

/// What part of a file a name is written in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameContext {
    /// Outside directives.
    Text {
        /// Behind a `.`.
        member: bool,
    },
    /// The name of the macro in its `#define`.
    MacroName,
    /// A parameter of a macro: in its list, or in the body. The range is that of the `#define`.
    MacroParameter(TextRange),
    /// In the body of a macro, and no parameter of it.
    MacroBody {
        /// The whole `#define`.
        directive: TextRange,
        /// Behind a `.`.
        member: bool,
    },
    /// In `#if`, `#elif`, `#ifdef`, `#ifndef` or `#undef`, where only macros have names.
    Condition,
    /// In `#include`, which expands macros.
    Include,
    /// In `#extension`: its name or its behaviour.
    Extension,
    /// Elsewhere in a directive: `#pragma`, `#error`.
    OtherDirective,
}

/// A place where a word is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NameToken {
    /// In bytes of the file.
    pub range: TextRange,
    /// What part of the file that is.
    pub context: NameContext,
    /// A line continuation stands inside, so that the text is not simply the name.
    pub spliced: bool,
}

impl Preprocessed {
    /// The places of a file where `name` is written as a word outside comments and strings, in their order.
    pub fn name_tokens(&self, file: FileId, name: &str) -> Vec<NameToken> {
        let (Some(lexed), Some(source)) = (self.lexed.get(file.0 as usize), file_text(&self.files, file))
        else {
            return Vec::new();
        };
        let mut found = Vec::new();
        for item in &lexed.items {
            match item {
                Item::Text(range) => {
                    let run = lexed.slice(range);
                    for (at, token) in run.iter().enumerate() {
                        if is(source, token, name) {
                            found.push(name_token(
                                token,
                                NameContext::Text { member: after_dot(source, run, at) },
                            ));
                        }
                    }
                }
                Item::Directive(directive) => in_directive(source, lexed, directive, name, &mut found),
            }
        }
        found
    }

    /// The word at a place, outside comments and strings.
    pub fn word_at(&self, position: FilePosition) -> Option<(TextRange, SmolStr)> {
        let lexed = self.lexed.get(position.file.0 as usize)?;
        let source = file_text(&self.files, position.file)?;
        let offset = u32::from(position.offset);
        let after = lexed.tokens.partition_point(|token| token.start <= offset);
        // At the seam of two tokens the one that starts here comes first.
        let token = lexed.tokens[..after]
            .iter()
            .rev()
            .take(2)
            .find(|token| token.kind == TokenKind::Identifier && token.end >= offset)?;
        Some((token.range(), tokens::spelling(source, token)))
    }

    /// Whether the conditionals left a place out, in every inclusion of the file.
    pub fn is_inactive(&self, position: FilePosition) -> bool {
        let after = self.inactive.partition_point(|region| {
            (region.file, region.range.start()) <= (position.file, position.offset)
        });
        self.inactive[..after]
            .last()
            .is_some_and(|region| region.file == position.file && region.range.contains(position.offset))
    }
}

impl MacroDefinition {
    /// Whether the body pastes tokens or makes strings of its arguments.
    pub fn pastes_or_quotes(&self) -> bool {
        self.syntax.has_paste || self.syntax.body.iter().any(|body| body.token.has(tokens::flags::STRINGIFY))
    }
}

fn file_text(files: &SourceFiles, file: FileId) -> Option<&str> {
    ((file.0 as usize) < files.len()).then(|| &*files[file].text)
}

fn is(source: &str, token: &Token, name: &str) -> bool {
    if token.kind != TokenKind::Identifier {
        return false;
    }
    let raw = source.get(token.start as usize..token.end as usize).unwrap_or_default();
    if token.has(tokens::flags::SPLICED) { tokens::spelling(source, token) == name } else { raw == name }
}

fn after_dot(source: &str, run: &[Token], at: usize) -> bool {
    at.checked_sub(1).and_then(|before| run.get(before)).is_some_and(|before| {
        before.kind == TokenKind::Punctuation
            && source.get(before.start as usize..before.end as usize) == Some(".")
    })
}

fn name_token(token: &Token, context: NameContext) -> NameToken {
    NameToken { range: token.range(), context, spliced: token.has(tokens::flags::SPLICED) }
}

fn in_directive(
    source: &str,
    lexed: &LexedFile,
    directive: &Directive,
    name: &str,
    found: &mut Vec<NameToken>,
) {
    let run = lexed.slice(&directive.tokens);
    let definition: Option<&MacroSyntax> =
        lexed.macros.get(directive.definition as usize).map(std::sync::Arc::as_ref);
    for (at, token) in run.iter().enumerate() {
        if !is(source, token, name) {
            continue;
        }
        let context = match directive.kind {
            DirectiveKind::Define => match definition {
                Some(syntax) if syntax.name_range == token.range() => NameContext::MacroName,
                Some(syntax)
                    if syntax
                        .parameters
                        .as_ref()
                        .is_some_and(|all| all.iter().any(|parameter| parameter.name == name)) =>
                {
                    NameContext::MacroParameter(directive.range)
                }
                _ => {
                    NameContext::MacroBody { directive: directive.range, member: after_dot(source, run, at) }
                }
            },
            DirectiveKind::If
            | DirectiveKind::Ifdef
            | DirectiveKind::Ifndef
            | DirectiveKind::Elif
            | DirectiveKind::Undef => NameContext::Condition,
            DirectiveKind::Include => NameContext::Include,
            DirectiveKind::Extension => NameContext::Extension,
            DirectiveKind::Null
            | DirectiveKind::Else
            | DirectiveKind::Endif
            | DirectiveKind::Error
            | DirectiveKind::Pragma
            | DirectiveKind::Version
            | DirectiveKind::Line
            | DirectiveKind::Unknown => NameContext::OtherDirective,
        };
        // `defined` is an operator there, not a name.
        if context == NameContext::Condition && name == "defined" {
            continue;
        }
        found.push(name_token(token, context));
    }
}
