//! Which kinds of names and words can stand at a place, by the tokens before it.

use super::scope::Scope;
use super::value::opener;
use crate::site::{Frame, Site, Tok, takes_type_arguments};
use coopmat_analysis::extensions;
use tree_sitter_glsl_coopmat::QUALIFIERS;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Position {
    /// A declaration begins at top level.
    TopLevel,
    /// A statement begins.
    Statement,
    Expression,
    /// A type, or a further qualifier: after qualifiers, in structures and blocks.
    Type,
    /// In the parentheses of a function's declaration.
    Parameter,
    /// A new name is being chosen.
    Name,
    /// After a complete `if` body: `else` may follow; else like a statement.
    AfterIf,
    /// In the body of a macro: anything.
    Anything,
}

/// Words that stand before a type. `layout(...)` and attributes are looked through. `nonuniformEXT` is called, too, so that the grammar has it apart.
pub fn qualifiers() -> impl Iterator<Item = &'static str> {
    QUALIFIERS.into_iter().chain(["nonuniformEXT"])
}

fn is_qualifier(word: &str) -> bool {
    qualifiers().any(|qualifier| qualifier == word)
}

pub fn position(site: &Site<'_>, scope: &Scope<'_>) -> Position {
    if let Some(directive) = site.directive {
        return match directive.kind {
            coopmat_analysis::preprocess::DirectiveKind::Define => Position::Anything,
            _ => Position::Expression,
        };
    }
    let start = || match block(site) {
        Block::None => Position::TopLevel,
        Block::Code => Position::Statement,
        Block::Members => Position::Type,
        Block::Values => Position::Expression,
    };
    let Some(last) = site.last() else { return start() };
    let count = site.tokens.len();
    match last.text {
        ";" => match site.frame() {
            // The clauses of a `for`.
            Some(frame) if frame.bracket == '(' => Position::Expression,
            _ => start(),
        },
        "{" => start(),
        "}" => {
            if matches!(block(site), Block::Code) && ends_if(&site.tokens) {
                Position::AfterIf
            } else if block(site) == Block::None && ends_block(&site.tokens) {
                // `} NAME;`
                Position::Name
            } else {
                start()
            }
        }
        ")" => {
            let before = opener(&site.tokens, count - 1)
                .and_then(|open| open.checked_sub(1))
                .map(|index| site.tokens[index].text);
            match before {
                Some("if" | "for" | "while" | "switch") => Position::Statement,
                Some("layout") => Position::Type,
                Some(name) if name.starts_with("spirv_") => Position::Type,
                // A macro in front of a declaration or statement.
                _ => start(),
            }
        }
        "]" if count > 1 && site.tokens[count - 2].is("]") => Position::Statement,
        // `float[2] name`
        "]" if opener(&site.tokens, count - 1)
            .and_then(|open| open.checked_sub(1))
            .is_some_and(|index| names_type(scope, &site.tokens, index)) =>
        {
            Position::Name
        }
        ":" if is_label(site) => Position::Statement,
        "else" | "do" => Position::Statement,
        ">" if super::value::generic_start(&site.tokens, count - 1).is_some()
            && site.frame().is_none_or(|f| f.bracket != '<') =>
        {
            Position::Name
        }
        "struct" => Position::Name,
        "return" | "case" => Position::Expression,
        _ if last.is_name() => {
            if is_qualifier(last.text) {
                return Position::Type;
            }
            if names_type(scope, &site.tokens, count - 1) {
                return Position::Name;
            }
            // `uniform NAME`: a block's name, or a type.
            start()
        }
        "(" | "," => match site.frame() {
            Some(frame) if frame.bracket == '(' && declares_function(site, frame, scope) => {
                Position::Parameter
            }
            Some(frame) if frame.bracket == '{' && block(site) != Block::Values => Position::Name,
            None if last.is(",") => Position::Name,
            _ => Position::Expression,
        },
        _ => Position::Expression,
    }
}

/// Whether the token at `index` names a type, so that a new name follows.
fn names_type(scope: &Scope<'_>, tokens: &[Tok<'_>], index: usize) -> bool {
    let token = &tokens[index];
    if !token.is_name() || takes_type_arguments(token.text) {
        return false;
    }
    let in_expression = index > 0 && tokens[index - 1].is(".");
    let is_type = |name: &str| {
        extensions::type_(name).is_some()
            || scope
                .analysis
                .module
                .structs
                .iter()
                .any(|(_, structure)| structure.name == name && structure.is_type())
    };
    !in_expression && (is_type(token.text) || scope.alias(token.text).is_some_and(is_type))
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Block {
    /// Top level.
    None,
    Code,
    /// Of a structure or interface block.
    Members,
    /// `{1, 2}`
    Values,
}

/// What the innermost braces hold.
pub fn block(site: &Site<'_>) -> Block {
    let Some(position) = site.frames.iter().position(|frame| frame.bracket == '{') else {
        return Block::None;
    };
    let index = site.frames[position].index;
    let outermost = site.frames[position + 1..].iter().all(|frame| frame.bracket != '{');
    let Some(before) = index.checked_sub(1).map(|index| &site.tokens[index]) else { return Block::Code };
    match before.text {
        "=" | "," | "{" if !before.is("{") || is_value_list(site, index - 1) => Block::Values,
        ")" | "else" | "do" | ";" | "}" | ":" | "{" => Block::Code,
        _ if !before.is_name() => Block::Code,
        // `struct NAME {`, `buffer NAME {`, `struct {`
        _ if outermost || before.is("struct") => Block::Members,
        _ => {
            let two = index.checked_sub(2).map(|index| site.tokens[index].text);
            if two == Some("struct") { Block::Members } else { Block::Code }
        }
    }
}

fn is_value_list(site: &Site<'_>, brace: usize) -> bool {
    brace.checked_sub(1).is_some_and(|before| matches!(site.tokens[before].text, "=" | ","))
}

/// Whether the `}` at the end closes the body of an `if`.
fn ends_if(tokens: &[Tok<'_>]) -> bool {
    let Some(close) = opener(tokens, tokens.len() - 1)
        .and_then(|open| open.checked_sub(1))
        .filter(|&before| tokens[before].is(")"))
    else {
        return false;
    };
    opener(tokens, close).and_then(|open| open.checked_sub(1)).is_some_and(|before| tokens[before].is("if"))
}

/// Whether the `}` at the end closes an interface block or a structure, so that an instance's name may follow.
fn ends_block(tokens: &[Tok<'_>]) -> bool {
    opener(tokens, tokens.len() - 1)
        .and_then(|open| open.checked_sub(1))
        .is_some_and(|before| tokens[before].is_name() && !matches!(tokens[before].text, "else" | "do"))
}

/// `case N:` and `default:`, not the `:` of `? :`.
fn is_label(site: &Site<'_>) -> bool {
    site.tokens.iter().rev().skip(1).take(32).find_map(|token| match token.text {
        "case" | "default" => Some(true),
        "?" | ";" | "{" | "}" => Some(false),
        _ => None,
    }) == Some(true)
}

/// Whether the parenthesis is that of a function's declaration: `TYPE name(` at top level.
pub fn declares_function(site: &Site<'_>, frame: Frame, scope: &Scope<'_>) -> bool {
    if site.frames.last().is_none_or(|outermost| outermost.index != frame.index) {
        return false;
    }
    let Some(name) = frame.index.checked_sub(1) else { return false };
    let Some(ty) = name.checked_sub(1) else { return false };
    site.tokens[name].is_name()
        && (site.tokens[ty].is_name() || matches!(site.tokens[ty].text, ">" | "]"))
        && !(site.tokens[ty].is("return"))
        && (names_type(scope, &site.tokens, ty) || !is_qualifier(site.tokens[ty].text))
}
