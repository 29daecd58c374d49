//! Semantic tokens: what each word of a file is, through macros and in headers, and of matrices the use.
//!
//! Words are taken from the text; what a word means is asked at the place of the expanded text that it became, so that a
//! name in a macro's body or argument has the colour of what it resolves to. Where the preprocessor left text out there are no
//! tokens. What has no meaning of its own, such as keywords, is read from the surface tree.

mod meaning;
mod syntax;
#[cfg(test)]
mod tests;

use crate::cursor::MOST_MEANINGS;
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions;
use coopmat_analysis::lex::{LexemeKind, TokenKind as LexicalKind, lexemes, without_splices};
use coopmat_analysis::preprocess::{DirectiveKind, DirectiveLine, MacroOrigin, MacroUse};
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use meaning::Meanings;
use syntax::Syntax;

/// The protocol's types; what has no type of its own there takes the nearest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TokenKind {
    /// The name of an extension.
    Namespace,
    /// A type of the language or of an extension.
    Type,
    /// A structure of the program.
    Struct,
    /// An interface block.
    Interface,
    /// Constants of the language and its extensions.
    EnumMember,
    /// Of a function, or of a macro in its definition.
    Parameter,
    /// Local, global, or the language's own.
    Variable,
    /// Members and components.
    Property,
    /// Of the program, or built in.
    Function,
    /// What is called behind a `.`: `length()`.
    Method,
    /// A macro's name, where it is defined, asked for or used.
    Macro,
    /// A reserved word, a directive.
    Keyword,
    /// Names in `layout(...)` and `[[...]]`.
    Decorator,
    /// Of either form.
    Comment,
    /// Between quotes or, in `#include`, between `<` and `>`.
    String,
    /// With its suffix.
    Number,
    /// Punctuation, but for parentheses and commas.
    Operator,
}

impl TokenKind {
    /// In the order of their numbers in the legend.
    pub const ALL: [TokenKind; 17] = [
        TokenKind::Namespace,
        TokenKind::Type,
        TokenKind::Struct,
        TokenKind::Interface,
        TokenKind::EnumMember,
        TokenKind::Parameter,
        TokenKind::Variable,
        TokenKind::Property,
        TokenKind::Function,
        TokenKind::Method,
        TokenKind::Macro,
        TokenKind::Keyword,
        TokenKind::Decorator,
        TokenKind::Comment,
        TokenKind::String,
        TokenKind::Number,
        TokenKind::Operator,
    ];

    /// The protocol's name (LSP 3.17, SemanticTokenTypes).
    pub fn name(self) -> &'static str {
        match self {
            TokenKind::Namespace => "namespace",
            TokenKind::Type => "type",
            TokenKind::Struct => "struct",
            TokenKind::Interface => "interface",
            TokenKind::EnumMember => "enumMember",
            TokenKind::Parameter => "parameter",
            TokenKind::Variable => "variable",
            TokenKind::Property => "property",
            TokenKind::Function => "function",
            TokenKind::Method => "method",
            TokenKind::Macro => "macro",
            TokenKind::Keyword => "keyword",
            TokenKind::Decorator => "decorator",
            TokenKind::Comment => "comment",
            TokenKind::String => "string",
            TokenKind::Number => "number",
            TokenKind::Operator => "operator",
        }
    }

    /// Whether an editor's own grammar tells these apart just as well.
    pub fn is_lexical(self) -> bool {
        matches!(self, TokenKind::Comment | TokenKind::String | TokenKind::Number | TokenKind::Operator)
    }
}

/// A set of modifiers, as the protocol's bits.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Modifiers(pub u32);

impl Modifiers {
    /// No modifier.
    pub const NONE: Modifiers = Modifiers(0);
    const DECLARATION: Modifiers = Modifiers(1);
    const READONLY: Modifiers = Modifiers(1 << 1);
    const DEFAULT_LIBRARY: Modifiers = Modifiers(1 << 2);
    const MATRIX_A: Modifiers = Modifiers(1 << 3);
    const MATRIX_B: Modifiers = Modifiers(1 << 4);
    const MATRIX_ACCUMULATOR: Modifiers = Modifiers(1 << 5);
    const SHARED: Modifiers = Modifiers(1 << 6);
    const BUFFER: Modifiers = Modifiers(1 << 7);
    const UNIFORM: Modifiers = Modifiers(1 << 8);
    const SPECIALIZATION_CONSTANT: Modifiers = Modifiers(1 << 9);

    /// By bit.
    pub const NAMES: [&'static str; 10] = [
        "declaration",
        "readonly",
        "defaultLibrary",
        "matrixA",
        "matrixB",
        "matrixAccumulator",
        "shared",
        "buffer",
        "uniform",
        "specializationConstant",
    ];

    /// The names of those in the set, in the order of the legend.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        Modifiers::NAMES
            .into_iter()
            .enumerate()
            .filter(move |(bit, _)| self.0 & (1 << bit) != 0)
            .map(|(_, name)| name)
    }

    #[must_use]
    fn with(self, other: Modifiers) -> Modifiers {
        Modifiers(self.0 | other.0)
    }

    #[must_use]
    fn with_if(self, condition: bool, other: Modifiers) -> Modifiers {
        if condition { self.with(other) } else { self }
    }
}

/// A word with its class.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Token {
    /// In the file; over several lines for some comments.
    pub range: TextRange,
    /// What it is.
    pub kind: TokenKind,
    /// What else is true of it.
    pub modifiers: Modifiers,
}

/// What a word is.
type Class = (TokenKind, Modifiers);

/// The tokens of a file, or of a part of it, in the order of the text. They do not overlap.
pub fn tokens(analysis: &Analysis, file: FileId, surface: &Surface, within: Option<TextRange>) -> Vec<Token> {
    let inactive: Vec<TextRange> = analysis
        .preprocessed
        .inactive
        .iter()
        .filter(|place| place.file == file)
        .map(|place| place.range)
        .collect();
    let uses = &analysis.preprocessed.macro_uses;
    let first = uses.partition_point(|usage| usage.name.file < file);
    let after = uses.partition_point(|usage| usage.name.file <= file);
    Tokens {
        analysis,
        file,
        text: surface.text(),
        syntax: Syntax::of(surface),
        meanings: Meanings::of(analysis),
        macro_uses: &uses[first..after],
        tokens: Vec::new(),
    }
    .collect(surface, &inactive, within)
}

struct Tokens<'a> {
    analysis: &'a Analysis,
    file: FileId,
    text: &'a str,
    syntax: Syntax,
    meanings: Meanings,
    /// In this file, sorted.
    macro_uses: &'a [MacroUse],
    tokens: Vec<Token>,
}

/// Where in a directive the words are.
struct InDirective<'a> {
    line: &'a DirectiveLine,
    /// Of a `#define`: the place of its name, and the parameters' names.
    defined: Option<(TextRange, Vec<&'a str>)>,
    /// Where the path of an `#include` stands.
    path: Option<TextRange>,
}

impl<'a> Tokens<'a> {
    fn collect(
        mut self,
        surface: &'a Surface,
        inactive: &[TextRange],
        within: Option<TextRange>,
    ) -> Vec<Token> {
        let mut inactive = inactive.iter().peekable();
        let mut lines = surface.directives().lines.iter().peekable();
        let mut directive: Option<InDirective<'_>> = None;
        for lexeme in lexemes(self.text) {
            let range = TextRange::new(size(lexeme.start), size(lexeme.end));
            if within.is_some_and(|within| within.end() <= range.start()) {
                break;
            }
            while lines.peek().is_some_and(|line| line.range.end() <= range.start()) {
                lines.next();
            }
            directive = match (directive, lines.peek()) {
                (Some(here), Some(line)) if here.line.range == line.range => Some(here),
                (_, Some(line)) if line.range.contains(range.start()) => Some(self.directive(line)),
                _ => None,
            };
            while inactive.peek().is_some_and(|region| region.end() <= range.start()) {
                inactive.next();
            }
            let skipped = inactive.peek().is_some_and(|region| region.contains(range.start()))
                || within.is_some_and(|within| range.end() <= within.start());
            if skipped {
                continue;
            }
            let class = match lexeme.kind {
                LexemeKind::Space | LexemeKind::Newline | LexemeKind::Splice => None,
                LexemeKind::LineComment | LexemeKind::BlockComment | LexemeKind::UnterminatedComment => {
                    Some((TokenKind::Comment, Modifiers::NONE))
                }
                LexemeKind::Token(kind) => {
                    let raw = &self.text[lexeme.start..lexeme.end];
                    let word = if lexeme.spliced { &*without_splices(raw) } else { raw };
                    match &directive {
                        Some(directive) => self.in_directive(directive, kind, range, word),
                        None => self.token(kind, range, word, false),
                    }
                }
            };
            if let Some((kind, modifiers)) = class {
                self.push(Token { range, kind, modifiers });
            }
        }
        self.tokens
    }

    /// Adds a token; a path in angle brackets and a `#` with its word become one.
    fn push(&mut self, token: Token) {
        if let Some(last) = self.tokens.last_mut()
            && last.range.end() == token.range.start()
            && last.kind == token.kind
            && matches!(token.kind, TokenKind::String | TokenKind::Keyword)
        {
            last.range = last.range.cover(token.range);
            return;
        }
        self.tokens.push(token);
    }

    fn directive(&self, line: &'a DirectiveLine) -> InDirective<'a> {
        let holds = |place: FileRange| place.file == self.file && line.range.contains_range(place.range);
        let preprocessed = &self.analysis.preprocessed;
        let defined = (line.kind == DirectiveKind::Define).then(|| {
            let mut all = preprocessed.macros.iter();
            let definition = all.find(|definition| definition.name_range().is_some_and(holds))?;
            let parameters = definition.parameters().into_iter().flatten().map(|name| name.as_str());
            Some((definition.name_range()?.range, parameters.collect()))
        });
        let mut includes = preprocessed.includes.iter();
        InDirective {
            line,
            defined: defined.flatten(),
            path: includes.find(|include| holds(include.directive)).map(|include| include.path_range.range),
        }
    }

    fn in_directive(
        &self,
        directive: &InDirective<'_>,
        kind: LexicalKind,
        range: TextRange,
        word: &str,
    ) -> Option<Class> {
        let line = directive.line;
        if range.end() <= line.name.end() {
            return Some((TokenKind::Keyword, Modifiers::NONE));
        }
        let is_word = kind == LexicalKind::Identifier;
        match line.kind {
            DirectiveKind::Define => match &directive.defined {
                Some((name, _)) if *name == range => Some((TokenKind::Macro, Modifiers::DECLARATION)),
                Some((name, parameters)) if is_word && parameters.contains(&word) => {
                    // In the list behind the name they are declared.
                    let list = self.text.get(usize::from(name.end())..usize::from(range.start()));
                    let declares = list.is_some_and(|list| list.starts_with('(') && !list.contains(')'));
                    Some((TokenKind::Parameter, Modifiers::NONE.with_if(declares, Modifiers::DECLARATION)))
                }
                _ => self.token(kind, range, word, true),
            },
            DirectiveKind::Include if directive.path.is_some_and(|path| path.contains_range(range)) => {
                Some((TokenKind::String, Modifiers::NONE))
            }
            DirectiveKind::Extension if is_word => {
                let behind_colon = self
                    .text
                    .get(usize::from(line.name.end())..usize::from(range.start()))
                    .is_some_and(|before| before.contains(':'));
                Some(if behind_colon {
                    (TokenKind::Keyword, Modifiers::NONE)
                } else {
                    let known = extensions::extension(word).is_some();
                    (TokenKind::Namespace, Modifiers::NONE.with_if(known, Modifiers::DEFAULT_LIBRARY))
                })
            }
            DirectiveKind::Version if is_word => Some((TokenKind::Keyword, Modifiers::NONE)),
            DirectiveKind::If
            | DirectiveKind::Elif
            | DirectiveKind::Ifdef
            | DirectiveKind::Ifndef
            | DirectiveKind::Undef
            | DirectiveKind::Line
            | DirectiveKind::Include
                if is_word =>
            {
                Some(match word {
                    "defined" => (TokenKind::Keyword, Modifiers::NONE),
                    _ => self.macro_name(range).unwrap_or((TokenKind::Macro, Modifiers::NONE)),
                })
            }
            DirectiveKind::Error | DirectiveKind::Pragma | DirectiveKind::Null | DirectiveKind::Unknown => {
                None
            }
            DirectiveKind::Include
            | DirectiveKind::Extension
            | DirectiveKind::Version
            | DirectiveKind::If
            | DirectiveKind::Elif
            | DirectiveKind::Ifdef
            | DirectiveKind::Ifndef
            | DirectiveKind::Undef
            | DirectiveKind::Line
            | DirectiveKind::Else
            | DirectiveKind::Endif => lexical(kind),
        }
    }

    /// `in_body`: of a `#define`.
    fn token(&self, kind: LexicalKind, range: TextRange, word: &str, in_body: bool) -> Option<Class> {
        if kind != LexicalKind::Identifier {
            return lexical(kind);
        }
        let position = FilePosition { file: self.file, offset: range.start() };
        let syntax = self.syntax.at(range);
        self.macro_name(range)
            .or_else(|| {
                let expanded = self.analysis.preprocessed.map.to_expanded(position);
                expanded.into_iter().take(MOST_MEANINGS).find_map(|offset| self.meanings.at(offset))
            })
            .or(syntax)
            .or_else(
                || if in_body { self.in_macro_body(position, word) } else { syntax::class_of_word(word) },
            )
    }

    fn macro_name(&self, range: TextRange) -> Option<Class> {
        let index =
            self.macro_uses.binary_search_by_key(&range.start(), |usage| usage.name.range.start()).ok()?;
        let usage = &self.macro_uses[index];
        let origin = self.analysis.preprocessed.definition(usage.definition).origin;
        let builtin = origin == MacroOrigin::Builtin;
        Some((TokenKind::Macro, Modifiers::NONE.with_if(builtin, Modifiers::DEFAULT_LIBRARY)))
    }

    /// A word in a macro's body that nothing came of: another macro, or what the language calls so.
    fn in_macro_body(&self, position: FilePosition, word: &str) -> Option<Class> {
        if self.analysis.preprocessed.macro_in_body_at(position).is_some() {
            return Some((TokenKind::Macro, Modifiers::NONE));
        }
        let expanded = self.analysis.preprocessed.map.to_expanded(position);
        let tree = self.analysis.tree.as_ref();
        let from_tree = expanded.into_iter().take(MOST_MEANINGS).find_map(|offset| {
            let end = usize::from(offset) + word.len();
            let leaf = tree?.root_node().descendant_for_byte_range(offset.into(), end)?;
            syntax::class_of_leaf(leaf, syntax::Place::default())
        });
        from_tree.or_else(|| syntax::class_of_word(word))
    }
}

fn lexical(kind: LexicalKind) -> Option<Class> {
    let kind = match kind {
        LexicalKind::Number => TokenKind::Number,
        LexicalKind::String => TokenKind::String,
        LexicalKind::Punctuation => TokenKind::Operator,
        LexicalKind::Identifier
        | LexicalKind::LeftParen
        | LexicalKind::RightParen
        | LexicalKind::Comma
        | LexicalKind::Hash
        | LexicalKind::HashHash
        | LexicalKind::Unknown => return None,
    };
    Some((kind, Modifiers::NONE))
}

fn size(offset: usize) -> TextSize {
    TextSize::new(offset as u32)
}
