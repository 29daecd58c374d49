//! Which brackets of a text belong together, as it is written.
//!
//! Read from tokens, so that macros and half-written statements do no harm. The branches of an `#if` are alternatives: each
//! begins with what was open before the `#if`, and what follows the `#endif` continues the first.

use crate::branches::Branches;
use coopmat_analysis::lex::{Lexeme, LexemeKind, lexemes};
use coopmat_analysis::preprocess::DirectiveLine;
use coopmat_analysis::surface::Surface;
use coopmat_analysis::text::{TextRange, TextSize};

/// A closing bracket looks past this many open ones that were never closed.
const PATIENCE: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pair {
    pub open: TextSize,
    /// The closing bracket, one byte long as is the opening one.
    pub close: TextSize,
}

impl Pair {
    /// With both brackets.
    pub fn outer(&self) -> TextRange {
        TextRange::new(self.open, self.close + TextSize::new(1))
    }

    pub fn inner(&self) -> TextRange {
        TextRange::new(self.open + TextSize::new(1), self.close)
    }
}

/// The pairs of a text in the order of their ends. Those in directives are matched within their line.
pub fn pairs(surface: &Surface) -> Vec<Pair> {
    let mut matcher =
        Matcher { open: Vec::new(), top: NOTHING, branches: Branches::default(), pairs: Vec::new() };
    let mut directives = surface.directives().lines.iter().peekable();
    let mut text_top = NOTHING;
    let mut inside: Option<&DirectiveLine> = None;
    for lexeme in lexemes(surface.text()) {
        let start = size(lexeme.start);
        if inside.is_some_and(|line| start >= line.range.end()) {
            inside = None;
            matcher.top = text_top;
        }
        if let Some(line) = directives.next_if(|line| line.range.start() <= start) {
            matcher.branches.pass(line.kind, &mut matcher.top);
            text_top = matcher.top;
            matcher.top = NOTHING;
            inside = Some(line);
        }
        matcher.lexeme(surface.text(), &lexeme);
    }
    matcher.pairs
}

fn size(offset: usize) -> TextSize {
    TextSize::new(offset as u32)
}

const NOTHING: usize = usize::MAX;

/// An opening bracket; those before it that are still open hang below, so that a branch can go back to them.
struct Open {
    at: TextSize,
    closes_with: u8,
    below: usize,
}

struct Matcher {
    open: Vec<Open>,
    top: usize,
    /// Of what is open.
    branches: Branches<usize>,
    pairs: Vec<Pair>,
}

impl Matcher {
    fn lexeme(&mut self, text: &str, lexeme: &Lexeme) {
        if !matches!(lexeme.kind, LexemeKind::Token(_)) || lexeme.end - lexeme.start != 1 {
            return;
        }
        let byte = text.as_bytes()[lexeme.start];
        let closes_with = match byte {
            b'(' => b')',
            b'[' => b']',
            b'{' => b'}',
            b')' | b']' | b'}' => return self.close(byte, size(lexeme.start)),
            _ => return,
        };
        self.open.push(Open { at: size(lexeme.start), closes_with, below: self.top });
        self.top = self.open.len() - 1;
    }

    fn close(&mut self, byte: u8, close: TextSize) {
        let mut at = self.top;
        for _ in 0..PATIENCE {
            let Some(open) = self.open.get(at) else { return };
            if open.closes_with == byte {
                self.top = open.below;
                return self.pairs.push(Pair { open: open.at, close });
            }
            at = open.below;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(text: &str) -> Vec<String> {
        let surface = Surface::new(text.into(), None);
        let shown = |pair: Pair| text[std::ops::Range::<usize>::from(pair.outer())].replace('\n', " ");
        pairs(&surface).into_iter().map(shown).collect()
    }

    #[test]
    fn brackets_pair_across_branches() {
        assert_eq!(
            shown("#if A\nvoid f(int a) {\n#else\nvoid g() {\n#endif\n x[1]; }\n"),
            ["(int a)", "()", "[1]", "{ #else void g() { #endif  x[1]; }"]
        );
    }

    #[test]
    fn a_missing_bracket_stays_where_it_is() {
        assert_eq!(shown("{ f(a; } { g(b) }"), ["{ f(a; }", "(b)", "{ g(b) }"]);
        assert_eq!(shown("a) { } } )"), ["{ }"]);
    }

    #[test]
    fn directives_have_their_own_brackets() {
        assert_eq!(shown("{\n#define OPEN if (x) {\n}\n"), ["(x)", "{ #define OPEN if (x) { }"]);
    }
}
