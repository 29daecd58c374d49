//! A file's tokens and directives, as they stand before any macro is known: the part of preprocessing that does not
//! depend on a configuration and is therefore kept between runs.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::lex::{LexemeKind, TokenKind, lexeme_at, without_splices};
use crate::text::{TextRange, TextSize};

/// An identifier's number in the interner.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol(pub u32);

impl Symbol {
    /// Stands where a token is no identifier.
    pub const NONE: Symbol = Symbol(u32::MAX);
    pub const DEFINED: Symbol = Symbol(0);
    pub const LINE: Symbol = Symbol(1);
    pub const FILE: Symbol = Symbol(2);
    pub const VERSION: Symbol = Symbol(3);
    const WELL_KNOWN: [&str; 4] = ["defined", "__LINE__", "__FILE__", "__VERSION__"];
}

/// Gives equal identifiers equal numbers.
pub struct Interner {
    numbers: FxHashMap<SmolStr, u32>,
    names: Vec<SmolStr>,
}

impl Interner {
    pub fn new() -> Interner {
        let mut interner = Interner { numbers: FxHashMap::default(), names: Vec::new() };
        for name in Symbol::WELL_KNOWN {
            interner.intern(name);
        }
        interner
    }

    pub fn intern(&mut self, name: &str) -> Symbol {
        if let Some(&number) = self.numbers.get(name) {
            return Symbol(number);
        }
        let number = self.names.len() as u32;
        let name = SmolStr::new(name);
        self.numbers.insert(name.clone(), number);
        self.names.push(name);
        Symbol(number)
    }

    pub fn len(&self) -> usize {
        self.names.len()
    }
}

/// What is remarkable about a token.
pub mod flags {
    /// White space or a comment stands before it.
    pub const SPACE: u8 = 1;
    /// It is the first of its logical line.
    pub const FIRST: u8 = 2;
    /// A comment or a line continuation stands between it and the token before, so both are not copied in one run.
    pub const GAP: u8 = 4;
    /// A line continuation stands inside it.
    pub const SPLICED: u8 = 8;
    /// In a macro's body: `##` follows.
    pub const PASTE: u8 = 16;
    /// In a macro's body: a parameter with `#` before it.
    pub const STRINGIFY: u8 = 32;
    /// In an expansion: a macro's name that must not be expanded any more.
    pub const PAINTED: u8 = 64;
    /// In an expansion: spelled in a macro's body, not in an argument.
    pub const IN_BODY: u8 = 128;
}

/// A token of a file as it is written.
#[derive(Clone, Copy, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    pub(crate) flags: u8,
    /// Its first byte in the file.
    pub start: u32,
    /// Behind its last byte.
    pub end: u32,
    pub(crate) symbol: Symbol,
}

impl Token {
    /// In bytes of the file.
    pub fn range(&self) -> TextRange {
        range(self.start, self.end)
    }

    pub(crate) fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }
}

pub fn range(start: u32, end: u32) -> TextRange {
    TextRange::new(TextSize::new(start), TextSize::new(end.max(start)))
}

/// The word behind a `#` (GLSL 4.60, section 3.3; GL_GOOGLE_include_directive).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DirectiveKind {
    /// A `#` alone on its line.
    Null,
    /// `#define`.
    Define,
    /// `#undef`.
    Undef,
    /// `#if`.
    If,
    /// `#ifdef`.
    Ifdef,
    /// `#ifndef`.
    Ifndef,
    /// `#elif`.
    Elif,
    /// `#else`.
    Else,
    /// `#endif`.
    Endif,
    /// `#error`.
    Error,
    /// `#pragma`.
    Pragma,
    /// `#extension`.
    Extension,
    /// `#version`.
    Version,
    /// `#include`.
    Include,
    /// `#line`.
    Line,
    /// Any other word.
    Unknown,
}

/// A line of the preprocessor.
#[derive(Debug)]
pub struct Directive {
    /// Which one it is.
    pub kind: DirectiveKind,
    /// From the `#` to the end of the last token.
    pub range: TextRange,
    /// The word after the `#`.
    pub name: TextRange,
    /// The tokens after that word.
    pub tokens: Range<u32>,
    /// Where the line's text ends: the start of the next line, or the end of the file.
    pub line_end: u32,
    /// `#if` and `#elif`, `#else`: the item of the next branch or of the `#endif`, or the number of
    /// items when there is no `#endif`. `u32::MAX` for everything else.
    pub next: u32,
    /// `#define`: the index in `LexedFile::macros`.
    pub definition: u32,
}

/// What a file consists of, in its order.
#[derive(Debug)]
pub enum Item {
    /// Tokens outside directives.
    Text(Range<u32>),
    /// A line of its own.
    Directive(Directive),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProblemKind {
    UnterminatedComment,
    /// `#if` without `#endif`.
    UnterminatedConditional,
    /// `#else`, `#elif` or `#endif` without `#if`.
    StrayBranch,
    /// `#else` or `#elif` after `#else`.
    BranchAfterElse,
}

/// Wrong whatever the configuration. Those inside an inactive region are reported too: they decide where it ends.
#[derive(Debug)]
pub struct Problem {
    pub kind: ProblemKind,
    pub range: TextRange,
    /// The `#if` or `#else` that it disagrees with.
    pub other: Option<TextRange>,
}

/// Why a `#define` is malformed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DefineProblem {
    NoName,
    BadParameter,
    DuplicateParameter,
    MissingParen,
    MissingSpace,
    StringifyNoParameter,
    PasteAtEdge,
}

#[derive(Debug)]
pub struct Parameter {
    pub symbol: Symbol,
    pub name: SmolStr,
}

#[derive(Clone, Copy, Debug)]
pub struct BodyToken {
    pub token: Token,
    /// Index of the parameter, or `NO_PARAMETER`.
    pub parameter: u32,
}

pub const NO_PARAMETER: u32 = u32::MAX;

/// A `#define` as it is written.
#[derive(Debug)]
pub struct MacroSyntax {
    pub symbol: Symbol,
    pub name: SmolStr,
    pub name_range: TextRange,
    pub directive: TextRange,
    /// `None` for an object-like macro.
    pub parameters: Option<Box<[Parameter]>>,
    pub body: Box<[BodyToken]>,
    /// From the first to the last token of the body; empty at the end of the directive when there is none.
    pub body_range: TextRange,
    /// The identifiers of the body.
    pub body_names: Box<[(TextRange, SmolStr)]>,
    pub has_paste: bool,
    pub problem: Option<(DefineProblem, TextRange)>,
}

/// A file cut into tokens, its directives found, its conditionals matched.
#[derive(Debug, Default)]
pub struct LexedFile {
    /// Of the whole file, in the order of the text.
    pub tokens: Vec<Token>,
    /// Runs of [`LexedFile::tokens`], in the order of the text.
    pub items: Vec<Item>,
    pub(crate) macros: Vec<Arc<MacroSyntax>>,
    pub(crate) problems: Vec<Problem>,
}

/// The spelling of a token: its text, without line continuations.
pub fn spelling(text: &str, token: &Token) -> SmolStr {
    let raw = text.get(token.start as usize..token.end as usize).unwrap_or_default();
    if token.has(flags::SPLICED) { SmolStr::new(without_splices(raw)) } else { SmolStr::new(raw) }
}

impl LexedFile {
    pub(crate) fn new(text: &str, interner: &mut Interner) -> LexedFile {
        let mut file = LexedFile::default();
        file.tokens.reserve(text.len() / 4);
        let mut builder = Builder { file, text, interner };
        builder.lex();
        builder.directives();
        builder.match_conditionals();
        builder.file
    }

    pub(crate) fn directive(&self, item: usize) -> Option<&Directive> {
        match self.items.get(item) {
            Some(Item::Directive(directive)) => Some(directive),
            _ => None,
        }
    }

    /// The tokens of an item; none for a range that is not of this file.
    pub fn slice(&self, range: &Range<u32>) -> &[Token] {
        self.tokens.get(range.start as usize..range.end as usize).unwrap_or_default()
    }
}

struct Builder<'a> {
    file: LexedFile,
    text: &'a str,
    interner: &'a mut Interner,
}

impl Builder<'_> {
    fn lex(&mut self) {
        let text = self.text;
        // A byte order mark is no character of the program.
        let mut at = if text.starts_with('\u{feff}') { 3 } else { 0 };
        let mut pending = flags::FIRST;
        while let Some(lexeme) = lexeme_at(text, at) {
            at = lexeme.end;
            match lexeme.kind {
                LexemeKind::Space => pending |= flags::SPACE,
                LexemeKind::Newline => pending |= flags::SPACE | flags::FIRST,
                LexemeKind::Splice => pending |= flags::GAP,
                LexemeKind::LineComment | LexemeKind::BlockComment => pending |= flags::SPACE | flags::GAP,
                LexemeKind::UnterminatedComment => {
                    pending |= flags::SPACE | flags::GAP;
                    self.file.problems.push(Problem {
                        kind: ProblemKind::UnterminatedComment,
                        range: range(lexeme.start as u32, lexeme.start as u32 + 2),
                        other: None,
                    });
                }
                LexemeKind::Token(kind) => {
                    if lexeme.spliced {
                        pending |= flags::SPLICED;
                    }
                    let mut token = Token {
                        kind,
                        flags: pending,
                        start: lexeme.start as u32,
                        end: lexeme.end as u32,
                        symbol: Symbol::NONE,
                    };
                    if kind == TokenKind::Identifier {
                        token.symbol = if lexeme.spliced {
                            self.interner.intern(&spelling(text, &token))
                        } else {
                            self.interner.intern(&text[lexeme.start..lexeme.end])
                        };
                    }
                    self.file.tokens.push(token);
                    pending = 0;
                }
            }
        }
    }

    /// Cuts the token list into text and directives.
    fn directives(&mut self) {
        let count = self.file.tokens.len();
        let mut text_start = 0;
        let mut at = 0;
        while at < count {
            let token = self.file.tokens[at];
            if !matches!(token.kind, TokenKind::Hash | TokenKind::HashHash) || !token.has(flags::FIRST) {
                at += 1;
                continue;
            }
            if text_start < at {
                self.file.items.push(Item::Text(text_start as u32..at as u32));
            }
            let mut end = at + 1;
            while end < count && !self.file.tokens[end].has(flags::FIRST) {
                end += 1;
            }
            let directive = self.directive(at, end);
            self.file.items.push(Item::Directive(directive));
            at = end;
            text_start = end;
        }
        if text_start < count {
            self.file.items.push(Item::Text(text_start as u32..count as u32));
        }
    }

    fn directive(&mut self, hash: usize, end: usize) -> Directive {
        let first = self.file.tokens[hash];
        let last = self.file.tokens[end - 1];
        let line_end = memchr::memchr2(b'\n', b'\r', &self.text.as_bytes()[last.end as usize..]).map_or(
            self.text.len(),
            |found| {
                let at = last.end as usize + found;
                at + crate::lex::newline_len(self.text.as_bytes(), at)
            },
        );
        let mut directive = Directive {
            kind: DirectiveKind::Null,
            range: range(first.start, last.end),
            name: first.range(),
            tokens: end as u32..end as u32,
            line_end: line_end as u32,
            next: u32::MAX,
            definition: u32::MAX,
        };
        if first.kind == TokenKind::HashHash {
            directive.kind = DirectiveKind::Unknown;
            return directive;
        }
        if hash + 1 == end {
            return directive;
        }
        let name = self.file.tokens[hash + 1];
        directive.name = name.range();
        directive.tokens = hash as u32 + 2..end as u32;
        directive.kind = match spelling(self.text, &name).as_str() {
            "define" => DirectiveKind::Define,
            "undef" => DirectiveKind::Undef,
            "if" => DirectiveKind::If,
            "ifdef" => DirectiveKind::Ifdef,
            "ifndef" => DirectiveKind::Ifndef,
            "elif" => DirectiveKind::Elif,
            "else" => DirectiveKind::Else,
            "endif" => DirectiveKind::Endif,
            "error" => DirectiveKind::Error,
            "pragma" => DirectiveKind::Pragma,
            "extension" => DirectiveKind::Extension,
            "version" => DirectiveKind::Version,
            "include" => DirectiveKind::Include,
            "line" => DirectiveKind::Line,
            _ => DirectiveKind::Unknown,
        };
        if directive.kind == DirectiveKind::Define {
            directive.definition = self.file.macros.len() as u32;
            let syntax = define(self.text, &self.file.tokens[hash + 2..end], directive.range);
            self.file.macros.push(Arc::new(syntax));
        }
        directive
    }

    /// Links each branch of a conditional to the next one.
    fn match_conditionals(&mut self) {
        struct Open {
            first: TextRange,
            /// Item of the branch that waits for its successor.
            branch: usize,
            seen_else: Option<TextRange>,
        }
        let mut open: Vec<Open> = Vec::new();
        let mut links: Vec<(usize, u32)> = Vec::new();
        for (index, item) in self.file.items.iter().enumerate() {
            let Item::Directive(directive) = item else { continue };
            match directive.kind {
                DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                    open.push(Open { first: directive.range, branch: index, seen_else: None });
                }
                DirectiveKind::Elif | DirectiveKind::Else => {
                    let Some(top) = open.last_mut() else {
                        self.file.problems.push(Problem {
                            kind: ProblemKind::StrayBranch,
                            range: directive.range,
                            other: None,
                        });
                        continue;
                    };
                    if let Some(seen) = top.seen_else {
                        self.file.problems.push(Problem {
                            kind: ProblemKind::BranchAfterElse,
                            range: directive.range,
                            other: Some(seen),
                        });
                    }
                    if directive.kind == DirectiveKind::Else {
                        top.seen_else = Some(directive.range);
                    }
                    links.push((top.branch, index as u32));
                    top.branch = index;
                }
                DirectiveKind::Endif => match open.pop() {
                    Some(top) => links.push((top.branch, index as u32)),
                    None => self.file.problems.push(Problem {
                        kind: ProblemKind::StrayBranch,
                        range: directive.range,
                        other: None,
                    }),
                },
                _ => {}
            }
        }
        for top in open {
            // Without an `#endif` the last branch reaches to the end of the file.
            links.push((top.branch, self.file.items.len() as u32));
            self.file.problems.push(Problem {
                kind: ProblemKind::UnterminatedConditional,
                range: top.first,
                other: None,
            });
        }
        for (from, to) in links {
            if let Some(Item::Directive(directive)) = self.file.items.get_mut(from) {
                directive.next = to;
            }
        }
    }
}

/// Reads a `#define` from the tokens after that word.
fn define(text: &str, tokens: &[Token], directive: TextRange) -> MacroSyntax {
    let end = u32::from(directive.end());
    let mut syntax = MacroSyntax {
        symbol: Symbol::NONE,
        name: SmolStr::default(),
        name_range: range(end, end),
        directive,
        parameters: None,
        body: Box::default(),
        body_names: Box::default(),
        body_range: range(end, end),
        has_paste: false,
        problem: None,
    };
    let Some((name, rest)) = tokens.split_first().filter(|(name, _)| name.kind == TokenKind::Identifier)
    else {
        syntax.problem = Some((DefineProblem::NoName, tokens.first().map_or(directive, Token::range)));
        return syntax;
    };
    syntax.symbol = name.symbol;
    syntax.name = spelling(text, name);
    syntax.name_range = name.range();

    let mut rest = rest;
    if let Some(paren) =
        rest.first().filter(|token| token.kind == TokenKind::LeftParen && !token.has(flags::SPACE))
    {
        let mut parameters: Vec<Parameter> = Vec::new();
        let mut seen = FxHashSet::default();
        let mut at = 1;
        if rest.get(1).is_some_and(|token| token.kind == TokenKind::RightParen) {
            at = 2;
        } else {
            loop {
                match rest.get(at) {
                    Some(token) if token.kind == TokenKind::Identifier => {
                        if !seen.insert(token.symbol) {
                            syntax.problem.get_or_insert((DefineProblem::DuplicateParameter, token.range()));
                        }
                        parameters.push(Parameter { symbol: token.symbol, name: spelling(text, token) });
                    }
                    Some(token) => {
                        syntax.problem = Some((DefineProblem::BadParameter, token.range()));
                        return syntax;
                    }
                    None => {
                        syntax.problem = Some((DefineProblem::MissingParen, paren.range()));
                        return syntax;
                    }
                }
                at += 2;
                match rest.get(at - 1).map(|token| token.kind) {
                    Some(TokenKind::Comma) => {}
                    Some(TokenKind::RightParen) => break,
                    _ => {
                        syntax.problem = Some((DefineProblem::MissingParen, paren.range()));
                        return syntax;
                    }
                }
            }
        }
        syntax.parameters = Some(parameters.into());
        rest = rest.get(at..).unwrap_or_default();
    } else if let Some(first) = rest.first().filter(|token| !token.has(flags::SPACE)) {
        syntax.problem = Some((DefineProblem::MissingSpace, first.range()));
    }

    if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
        syntax.body_range = range(first.start, last.end);
    }
    syntax.body_names = rest
        .iter()
        .filter(|token| token.kind == TokenKind::Identifier)
        .map(|token| (token.range(), spelling(text, token)))
        .collect();
    body(&mut syntax, rest);
    syntax
}

fn body(syntax: &mut MacroSyntax, tokens: &[Token]) {
    // More parameters than a linear search is good for are found through a table.
    let table: Option<FxHashMap<Symbol, u32>> = syntax.parameters.as_ref().map(|parameters| {
        parameters
            .iter()
            .enumerate()
            .rev()
            .map(|(index, parameter)| (parameter.symbol, index as u32))
            .collect()
    });
    let parameter_of = |token: &Token| {
        let table = table.as_ref()?;
        if token.kind == TokenKind::Identifier { table.get(&token.symbol).copied() } else { None }
    };
    let mut body: Vec<BodyToken> = Vec::with_capacity(tokens.len());
    let mut stringify: Option<Token> = None;
    for token in tokens {
        match token.kind {
            TokenKind::HashHash => {
                match body.last_mut() {
                    Some(left) => left.token.flags |= flags::PASTE,
                    None => {
                        syntax.problem.get_or_insert((DefineProblem::PasteAtEdge, token.range()));
                    }
                }
                syntax.has_paste = true;
                continue;
            }
            // Only a function-like macro gives `#` a meaning.
            TokenKind::Hash if table.is_some() => {
                stringify = Some(*token);
                continue;
            }
            _ => {}
        }
        let parameter = parameter_of(token);
        let mut token = *token;
        if let Some(hash) = stringify.take() {
            if parameter.is_some() {
                token.flags = (token.flags & !flags::SPACE) | (hash.flags & flags::SPACE) | flags::STRINGIFY;
                token.start = hash.start;
            } else {
                syntax.problem.get_or_insert((DefineProblem::StringifyNoParameter, hash.range()));
            }
        }
        body.push(BodyToken { token, parameter: parameter.unwrap_or(NO_PARAMETER) });
    }
    if let Some(hash) = stringify {
        syntax.problem.get_or_insert((DefineProblem::StringifyNoParameter, hash.range()));
    }
    if let Some(left) = body.last_mut().filter(|left| left.token.has(flags::PASTE)) {
        left.token.flags &= !flags::PASTE;
        let edge = tokens.last().map_or(left.token.range(), Token::range);
        syntax.problem.get_or_insert((DefineProblem::PasteAtEdge, edge));
    }
    if let Some(first) = body.first_mut() {
        first.token.flags &= !flags::SPACE;
    }
    syntax.body = body.into();
}
