//! Lines of C++'s preprocessor: which of them have to do with the strings around them, and what they plainly leave out (`#if 0`).

use std::ops::Range;

use super::cpp;
use super::tokens::{Directive, Kind, Token, newline};

/// A line that begins with `#`, over splices and comments.
pub struct Line {
    /// From its `#` to its last word.
    pub range: Range<usize>,
    /// Where the line ends, before its newline.
    pub end: usize,
    /// What stands behind the `#`.
    tokens: Vec<Token>,
}

impl Line {
    /// The line whose `#` is at an offset.
    pub fn read(text: &str, start: usize) -> Line {
        let bytes = text.as_bytes();
        let mut tokens = Vec::new();
        let (mut at, mut last) = (start + 1, start + 1);
        while at < bytes.len() && newline(bytes, at) == 0 {
            let (kind, behind) = cpp::next(text, at);
            let is_blank = kind.is_none() && !bytes[at].is_ascii_digit() || kind == Some(Kind::Comment);
            if !is_blank {
                last = behind;
            }
            tokens.extend(kind.map(|kind| Token { kind, range: at..behind }));
            at = behind;
        }
        Line { range: start..last, end: at.min(bytes.len()), tokens }
    }

    fn word<'t>(&self, text: &'t str) -> &'t str {
        self.tokens.first().and_then(|token| token.word(text)).unwrap_or_default()
    }

    /// What a condition plainly is: `#if 0`, `#if 1`.
    fn value(&self, text: &str) -> Option<bool> {
        let word = self.tokens.first()?;
        match text.get(word.range.end..self.range.end)?.trim() {
            "0" => Some(false),
            "1" => Some(true),
            _ => None,
        }
    }

    /// What a macro stands for.
    pub fn replacement(&self, text: &str) -> Option<Vec<Token>> {
        let [define, name, rest @ ..] = &self.tokens[..] else { return None };
        if define.word(text) != Some("define") {
            return None;
        }
        // Parameters follow the name without a blank.
        let has_parameters =
            rest.first().is_some_and(|token| token.is(b'(') && token.range.start == name.range.end);
        let close = rest.iter().position(|token| token.is(b')')).filter(|_| has_parameters);
        rest.get(close.map_or(0, |close| close + 1)..).map(<[Token]>::to_vec)
    }
}

/// An `#if` that has not ended.
struct Open {
    /// Whether an alternative was plainly taken.
    taken: bool,
    /// Whether what stands here is plainly left out.
    left_out: bool,
    /// Whether all of its conditions are plain so far.
    plain: bool,
    /// Which tokens its `#else` and `#elif` are.
    others: Vec<usize>,
}

/// What lines around an offset choose.
#[derive(Default)]
pub struct Conditions {
    open: Vec<Open>,
    /// How many of them leave out what stands here.
    left_out: usize,
}

impl Conditions {
    pub fn leave_out(&self) -> bool {
        self.left_out > 0
    }

    /// Takes the next directive, and gives it a token where it has to do with strings.
    pub fn meet(&mut self, line: &Line, text: &str, program: &mut Vec<Token>) {
        let word = line.word(text);
        let directive = match word {
            "if" | "ifdef" | "ifndef" => {
                let value = line.value(text).filter(|_| word == "if");
                let left_out = value == Some(false);
                self.left_out += usize::from(left_out);
                let plain = value.is_some();
                self.open.push(Open { taken: value == Some(true), left_out, plain, others: Vec::new() });
                (!plain).then_some(Directive::If)
            }
            "else" | "elif" | "elifdef" | "elifndef" => self.other(word, line.value(text), program.len()),
            "endif" => {
                let Some(open) = self.open.pop() else { return };
                self.left_out -= usize::from(open.left_out);
                let end = program.len();
                for index in open.others {
                    if let Some(token) = program.get_mut(index) {
                        token.kind = Kind::Directive(Directive::Else { end: Some(end) });
                    }
                }
                (!open.plain).then_some(Directive::EndIf)
            }
            "include" | "include_next" | "import" => Some(Directive::Include),
            _ => None,
        };
        if let Some(directive) = directive.filter(|_| !self.leave_out()) {
            program.push(Token { kind: Kind::Directive(directive), range: line.range.clone() });
        }
    }

    fn other(&mut self, word: &str, value: Option<bool>, index: usize) -> Option<Directive> {
        let open = self.open.last_mut()?;
        let value = match word {
            "else" => Some(true),
            "elif" => value,
            _ => None,
        };
        self.left_out -= usize::from(open.left_out);
        open.left_out = open.taken || value == Some(false);
        self.left_out += usize::from(open.left_out);
        open.taken |= value == Some(true);
        open.plain &= value.is_some();
        if open.plain {
            return None;
        }
        if self.left_out == 0 {
            open.others.push(index);
        }
        Some(Directive::Else { end: None })
    }
}
