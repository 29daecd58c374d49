//! The text as lines of tokens with the blanks between them.

use super::spacing::Role;
use coopmat_analysis::lex::{LexemeKind, TokenKind, lexemes};
use coopmat_analysis::preprocess::DirectiveLine;
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{TextRange, TextSize};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Token(TokenKind),
    LineComment,
    BlockComment,
}

#[derive(Clone, Copy, Debug)]
pub struct Token {
    pub start: usize,
    pub end: usize,
    pub kind: Kind,
    /// Columns between it and the token before it on the line, as they are and as they shall be.
    pub old_gap: usize,
    pub gap: usize,
    /// Where it starts in the text as it is.
    pub old_column: usize,
    /// What is before it is to be written anew.
    pub respaced: bool,
}

impl Token {
    pub fn text<'a>(&self, text: &'a str) -> &'a str {
        text.get(self.start..self.end).unwrap_or_default()
    }

    pub fn is_comment(&self) -> bool {
        matches!(self.kind, Kind::LineComment | Kind::BlockComment)
    }

    /// Columns that it takes on its line.
    pub fn width(&self, text: &str) -> usize {
        self.text(text).chars().count()
    }
}

#[derive(Clone, Debug)]
pub struct Line {
    pub start: usize,
    /// Before the line end.
    pub end: usize,
    pub tokens: Vec<Token>,
    pub old_indent: usize,
    pub new_indent: usize,
    /// The directive that begins here.
    pub directive: Option<DirectiveLine>,
    /// A directive, or it begins inside a comment or a token.
    pub keeps_indent: bool,
    /// Damaged, or parts of it are joined with other lines.
    pub untouched: bool,
    /// What is at its end is the text of a comment over several lines.
    pub ends_in_block_comment: bool,
    /// What each token is to its neighbours.
    pub roles: Vec<Role>,
}

impl Line {
    fn new(start: usize) -> Line {
        Line {
            start,
            end: start,
            tokens: Vec::new(),
            old_indent: 0,
            new_indent: 0,
            directive: None,
            keeps_indent: false,
            untouched: false,
            ends_in_block_comment: false,
            roles: Vec::new(),
        }
    }

    pub fn range(&self) -> TextRange {
        TextRange::new(TextSize::new(self.start as u32), TextSize::new(self.end as u32))
    }

    /// Its first token that is no comment.
    pub fn first_token(&self) -> Option<&Token> {
        self.tokens.iter().find(|token| !token.is_comment())
    }
}

pub fn cut(surface: &Surface, tab_size: usize) -> Vec<Line> {
    let text = surface.text();
    let mut cutter = Cutter { text, tab_size, lines: Vec::new(), line: Line::new(0), column: 0, gap: 0 };
    let mut directives = surface.directives().lines.iter().peekable();
    let mut in_directive: Option<usize> = None;
    for lexeme in lexemes(text) {
        if let Some(directive) =
            directives.next_if(|directive| usize::from(directive.range.start()) <= lexeme.start)
        {
            cutter.line.directive = Some(*directive);
            in_directive = Some(directive.range.end().into());
        }
        if in_directive.is_some_and(|end| lexeme.start >= end) {
            in_directive = None;
        }
        cutter.line.keeps_indent |= in_directive.is_some();
        match lexeme.kind {
            LexemeKind::Space => cutter.space(lexeme.start, lexeme.end),
            LexemeKind::Newline => cutter.finish(lexeme.start, lexeme.end),
            LexemeKind::Splice => {
                // Both sides of a joined line stay as they are.
                cutter.line.untouched = true;
                cutter.finish(lexeme.start, lexeme.end);
                cutter.line.untouched = true;
                cutter.line.keeps_indent = true;
            }
            LexemeKind::LineComment => {
                cutter.token(lexeme.start, lexeme.end, Kind::LineComment, lexeme.spliced)
            }
            LexemeKind::BlockComment | LexemeKind::UnterminatedComment => {
                cutter.token(lexeme.start, lexeme.end, Kind::BlockComment, lexeme.spliced);
            }
            LexemeKind::Token(kind) => {
                cutter.token(lexeme.start, lexeme.end, Kind::Token(kind), lexeme.spliced);
            }
        }
    }
    cutter.finish(text.len(), text.len());
    cutter.lines
}

/// Takes what was decided about the lines for what they are, as if the text had been written and cut again; whether that changes anything.
pub fn settle(text: &str, lines: &mut [Line], tab_size: usize) -> bool {
    let mut changed = false;
    for line in lines.iter_mut().filter(|line| !line.untouched && line.directive.is_none()) {
        if !line.keeps_indent {
            changed |= line.old_indent != line.new_indent;
            line.old_indent = line.new_indent;
        }
        let mut column = line.old_indent;
        let mut end_before = line.start;
        for (at, token) in line.tokens.iter_mut().enumerate() {
            if at == 0 {
                column = if line.keeps_indent { token.old_column } else { column };
            } else {
                let (before, gap) = (column, token.gap);
                let respaced = gap != token.old_gap;
                token.respaced |= respaced;
                changed |= respaced;
                column = match token.respaced {
                    true => column + gap,
                    // The tabs of a gap that stays are as wide as the columns around them say.
                    false => behind_blanks(text, end_before, token.start, column, tab_size),
                };
                let width = column - before;
                changed |= token.old_gap != width;
                (token.old_gap, token.gap) = (width, width);
            }
            token.old_column = column;
            column += token.width(text);
            end_before = token.end;
        }
    }
    changed
}

/// The column behind blanks that begin at a column.
fn behind_blanks(text: &str, start: usize, end: usize, mut column: usize, tab_size: usize) -> usize {
    for byte in text.as_bytes().get(start..end).unwrap_or_default() {
        column += match byte {
            b'\t' if tab_size > 0 => tab_size - column % tab_size,
            _ => 1,
        };
    }
    column
}

struct Cutter<'a> {
    text: &'a str,
    tab_size: usize,
    lines: Vec<Line>,
    line: Line,
    column: usize,
    gap: usize,
}

impl Cutter<'_> {
    fn space(&mut self, start: usize, end: usize) {
        let before = self.column;
        self.column = behind_blanks(self.text, start, end, before, self.tab_size);
        self.gap = self.column - before;
        if self.line.tokens.is_empty() {
            self.line.old_indent = self.column;
        }
    }

    fn token(&mut self, start: usize, end: usize, kind: Kind, spliced: bool) {
        let text = self.text.get(start..end).unwrap_or_default();
        let gap = std::mem::take(&mut self.gap);
        self.line.tokens.push(Token {
            start,
            end,
            kind,
            old_gap: gap,
            gap,
            old_column: self.column,
            respaced: false,
        });
        let Some(last) = text.rfind(['\n', '\r']) else {
            self.column += text.chars().count();
            return;
        };
        // Over several lines: the lines in between are the token's own.
        let mut at = start;
        for line in text.split_inclusive('\n') {
            let next = at + line.len();
            if next < end {
                self.line.ends_in_block_comment = true;
                self.line.untouched |= spliced;
                self.finish(next - line.len() + line.trim_end_matches(['\n', '\r']).len(), next);
                self.line.keeps_indent = true;
                self.line.untouched = spliced;
            }
            at = next;
        }
        self.column = text.get(last + 1..).unwrap_or_default().chars().count();
        // What follows on the last line is spaced from the comment's end.
        self.line.tokens.push(Token {
            start: end,
            end,
            kind: Kind::BlockComment,
            old_gap: 0,
            gap: 0,
            old_column: self.column,
            respaced: false,
        });
    }

    fn finish(&mut self, end: usize, next: usize) {
        self.line.end = end;
        let line = std::mem::replace(&mut self.line, Line::new(next));
        self.lines.push(line);
        self.column = 0;
        self.gap = 0;
    }
}
