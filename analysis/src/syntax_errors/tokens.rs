//! The tokens of expanded text, with the lines that they begin.

use crate::lex::{LexemeKind, TokenKind, lexemes};
use crate::text::{TextRange, TextSize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Word,
    Number,
    String,
    /// Operators, brackets, punctuation.
    Mark,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    /// Whether it is the first of its line.
    pub first: bool,
    /// How far its line is indented.
    pub indent: usize,
}

impl Token {
    pub fn range(&self) -> TextRange {
        range(self.start, self.end)
    }
}

pub fn range(start: usize, end: usize) -> TextRange {
    TextRange::new(TextSize::new(start as u32), TextSize::new(end.max(start) as u32))
}

/// Lines of directives and characters that GLSL has no use for are left out: others report them.
pub fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    let (mut first, mut indent, mut directive) = (true, 0, false);
    for lexeme in lexemes(text) {
        let kind = match lexeme.kind {
            LexemeKind::Newline => {
                (first, indent, directive) = (true, 0, false);
                continue;
            }
            LexemeKind::Space if first => {
                indent += lexeme.end - lexeme.start;
                continue;
            }
            LexemeKind::Token(TokenKind::Hash) if first => {
                directive = true;
                continue;
            }
            LexemeKind::Token(_) if directive => continue,
            LexemeKind::Token(kind) => kind,
            _ => continue,
        };
        let kind = match kind {
            TokenKind::Identifier => Kind::Word,
            TokenKind::Number => Kind::Number,
            TokenKind::String => Kind::String,
            TokenKind::Hash | TokenKind::HashHash | TokenKind::Unknown => continue,
            _ => Kind::Mark,
        };
        tokens.push(Token { start: lexeme.start, end: lexeme.end, kind, first, indent });
        first = false;
    }
    tokens
}
