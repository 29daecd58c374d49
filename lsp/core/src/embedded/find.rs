//! Which literals make one shader: literals that follow each other, `+`, `<<`, `concat!`. What stands between them and is no literal is not known, nor is what a condition
//! of the preprocessor chooses among them.

use std::ops::Range;

use coopmat_analysis::config::Stage;

use super::Language;
use super::macros;
use super::marks::{comment_mark, mark};
use super::options::Options;
use super::tokens::{Directive, Kind, Literal, Token};

/// What one shader is put together of.
#[derive(Debug)]
pub struct Found {
    /// In the order of the text; at least one.
    pub literals: Vec<Literal>,
    /// Of a mark.
    pub stage: Option<Stage>,
    pub name: Option<String>,
    pub unknown: Option<Unknown>,
    pub options: Options,
}

/// Something that belongs to a shader and is not written down here.
#[derive(Clone, Debug)]
pub struct Unknown {
    pub range: Range<usize>,
    /// Whether it stands before all that is known.
    pub before: bool,
}

/// Reads tokens in their order.
pub struct Cursor<'t> {
    pub language: Language,
    pub text: &'t str,
    pub tokens: &'t [Token],
}

/// The shaders of lists of tokens, none of which goes over from one to another.
pub fn shaders(language: Language, text: &str, lists: &[Vec<Token>]) -> Vec<Found> {
    let mut found = Vec::new();
    for tokens in lists {
        shaders_of(&Cursor { language, text, tokens }, &mut found);
    }
    found.sort_by_key(|one: &Found| one.literals.first().map(|literal| literal.content.start));
    found
}

fn shaders_of(cursor: &Cursor<'_>, found: &mut Vec<Found>) {
    let tokens = cursor.tokens;
    let mut todo = vec![(0..tokens.len(), 0)];
    while let Some((range, depth)) = todo.pop() {
        let mut at = range.start;
        while at < range.end {
            if let Some(behind) = macros::shaders(cursor, at, found) {
                at = behind;
                continue;
            }
            at = match cursor.group(at) {
                Some((group, behind)) => {
                    found.extend(group.found.filter(|_| group.marked));
                    if depth < DEEPEST {
                        todo.extend(group.inside.into_iter().map(|inside| (inside, depth + 1)));
                    }
                    behind.max(at + 1)
                }
                None => at + 1,
            };
        }
    }
}

/// What is put together with literals is looked at as well, in brackets so deep.
const DEEPEST: usize = 16;

/// Literals that are put together.
pub struct Group {
    /// Whether they are said to be GLSL.
    pub marked: bool,
    /// `None` where a literal does not end.
    pub found: Option<Found>,
    /// Tokens among them that may hold other shaders.
    inside: Vec<Range<usize>>,
}

/// Words that stand before a literal and are not part of its text.
const KEYWORDS: &[&str] =
    &["return", "co_return", "co_yield", "throw", "else", "do", "case", "in", "and", "or", "not"];

/// So many tokens before a literal are looked at for its name and its mark.
pub const BACK: usize = 24;

/// Whether a function is called so that makes a string of what it is given: `std::string`, `String::from`.
pub fn is_string(callee: &str) -> bool {
    callee == "from" || callee.to_ascii_lowercase().contains("string")
}

/// Comments and directives between two pieces.
struct Gap {
    /// The token behind.
    behind: usize,
    /// A directive that chooses among pieces, or puts text in.
    directive: Option<Range<usize>>,
    /// Whether that belongs to the text, whatever follows.
    is_text: bool,
}

impl Cursor<'_> {
    pub fn kind(&self, at: usize) -> Option<&Kind> {
        self.tokens.get(at).map(|token| &token.kind)
    }

    pub fn is(&self, at: usize, mark: u8) -> bool {
        self.tokens.get(at).is_some_and(|token| token.is(mark))
    }

    pub fn word(&self, at: usize) -> Option<&str> {
        self.tokens.get(at)?.word(self.text)
    }

    pub fn literal(&self, at: usize) -> Option<&Literal> {
        self.tokens.get(at)?.literal()
    }

    /// The first token from there on that is no comment.
    pub fn skip(&self, mut at: usize) -> usize {
        while self.kind(at) == Some(&Kind::Comment) {
            at += 1;
        }
        at
    }

    /// The last token before that is no comment.
    pub fn before(&self, at: usize) -> Option<usize> {
        (0..at).rev().take(BACK).find(|at| self.kind(*at) != Some(&Kind::Comment))
    }

    /// The last token before, over whole conditions and what they choose.
    fn before_conditions(&self, at: usize) -> Option<usize> {
        let mut depth = 0_usize;
        for at in (0..at).rev().take(BACK) {
            match self.kind(at)? {
                Kind::Comment => {}
                Kind::Directive(Directive::EndIf) => depth += 1,
                Kind::Directive(Directive::Else { .. }) => depth = depth.max(1),
                Kind::Directive(Directive::If) => depth = depth.saturating_sub(1),
                _ if depth > 0 => {}
                _ => return Some(at),
            }
        }
        None
    }

    /// The token behind the bracket that closes the one at `at`.
    pub fn behind_brackets(&self, at: usize) -> usize {
        let mut depth = 0_usize;
        for (index, token) in self.tokens.iter().enumerate().skip(at) {
            match token.kind {
                Kind::Mark(b'(' | b'[' | b'{') => depth += 1,
                Kind::Mark(b')' | b']' | b'}') => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                return index + 1;
            }
        }
        self.tokens.len()
    }

    fn range(&self, at: usize) -> Range<usize> {
        self.tokens.get(at).map_or(self.text.len()..self.text.len(), |token| token.range.clone())
    }

    /// The literals that begin with the one at `at`, or with a `concat!`; and the token behind them.
    pub fn group(&self, at: usize) -> Option<(Group, usize)> {
        let is_concat = self.word(at) == Some("concat") && self.is(at + 1, b'!');
        let (first, end) = match is_concat {
            true => (at + 3, self.behind_brackets(at + 2).saturating_sub(1)),
            false => (at, self.tokens.len()),
        };
        if !is_concat {
            self.literal(at)?;
            // No text: `extern "C"`, `operator""`.
            if at > 0 && matches!(self.word(at - 1), Some("extern" | "operator")) {
                return None;
            }
        }
        let mut reader =
            Reader { literals: Vec::new(), unknown: self.unknown_before(at), mark: None, inside: Vec::new() };
        let mut behind = self.elements(first, end, is_concat, true, &mut reader);
        if is_concat {
            behind = self.behind_calls(end + 1, &mut reader);
        } else if self.string_made_at(at).is_some() && self.is(self.skip(behind), b')') {
            let called = self.behind_calls(self.skip(behind) + 1, &mut reader);
            behind = self.elements(called, end, false, false, &mut reader);
        }
        if let Some(said) = self.mark_before(at) {
            reader.mark = Some(said.or(reader.mark.flatten()));
        }
        let whole = !reader.literals.is_empty() && reader.literals.iter().all(|literal| literal.ended);
        let found = whole.then(|| Found {
            name: self.name_before(at),
            literals: reader.literals,
            stage: reader.mark.flatten(),
            unknown: reader.unknown,
            options: Options::default(),
        });
        Some((Group { marked: reader.mark.is_some(), found, inside: reader.inside }, behind))
    }

    /// Reads literals and what stands between them; the token behind. `open`: another literal may follow without an operator.
    fn elements(&self, first: usize, end: usize, commas: bool, mut open: bool, reader: &mut Reader) -> usize {
        let mut at = first;
        // Of conditions that began behind the first literal.
        let mut depth = 0;
        let mut between = None;
        while at < end {
            let gap = self.gap(at, &mut depth);
            let here = gap.behind;
            let mut follows = false;
            match gap.directive {
                Some(directive) if gap.is_text => reader.not_known(directive),
                directive => between = between.or(directive),
            }
            match self.kind(here) {
                _ if here >= end => break,
                Some(Kind::Literal(literal)) if open || self.language == Language::Cpp => {
                    let said =
                        here.checked_sub(1).filter(|before| self.kind(*before) == Some(&Kind::Comment));
                    let said = said.and_then(|before| comment_mark(self.tokens[before].text(self.text)));
                    between.take().into_iter().for_each(|directive| reader.not_known(directive));
                    reader.take(literal, said, self.language);
                    at = self.behind_calls(here + 1, reader);
                    open = false;
                    continue;
                }
                Some(Kind::Mark(b',')) if commas => at = here + 1,
                Some(Kind::Mark(b'+')) if !commas && !self.is(here + 1, b'+') && !self.is(here + 1, b'=') => {
                    at = here + 1;
                }
                Some(Kind::Mark(b'<')) if !commas && self.is(here + 1, b'<') && !self.is(here + 2, b'=') => {
                    at = here + 2;
                }
                Some(Kind::Word | Kind::Mark(b'#')) if !commas && !open && self.language == Language::Cpp => {
                    at = here;
                    follows = true;
                }
                _ if commas && open => at = here,
                _ => break,
            }
            between.take().into_iter().for_each(|directive| reader.not_known(directive));
            open = true;
            let next = self.skip(at);
            if next >= end || self.literal(next).is_some() {
                continue;
            }
            let behind = if follows { self.names(next, end) } else { self.operand(next, end, commas) };
            if behind == next {
                if matches!(self.kind(next), Some(Kind::Directive(_))) {
                    continue;
                }
                break;
            }
            reader.not_known(self.range(next).start..self.range(behind - 1).end);
            reader.inside.push(next..behind);
            at = behind;
            open = commas;
        }
        at
    }

    /// What stands before the next piece. The other alternative of a condition around all pieces so far is none.
    fn gap(&self, mut at: usize, depth: &mut usize) -> Gap {
        let (mut directive, mut is_text) = (None, false);
        loop {
            match self.kind(at) {
                Some(Kind::Comment) => {}
                Some(Kind::Directive(Directive::Else { end })) if *depth == 0 => {
                    if end.is_some_and(|end| self.goes_on(end + 1)) {
                        directive.get_or_insert(self.range(at));
                        is_text = true;
                    }
                    return Gap { behind: at, directive, is_text };
                }
                Some(Kind::Directive(one)) => {
                    match one {
                        Directive::If => *depth += 1,
                        Directive::EndIf => *depth = depth.saturating_sub(1),
                        Directive::Else { .. } => {}
                        Directive::Include => is_text = true,
                    }
                    directive.get_or_insert(self.range(at));
                }
                _ => return Gap { behind: at, directive, is_text },
            }
            at += 1;
        }
    }

    /// Whether a piece stands behind a condition.
    fn goes_on(&self, mut at: usize) -> bool {
        for _ in 0..BACK {
            at = match self.kind(at) {
                Some(Kind::Comment | Kind::Directive(Directive::If | Directive::EndIf)) => at + 1,
                Some(Kind::Directive(Directive::Else { end: Some(end) })) => end + 1,
                Some(Kind::Literal(_) | Kind::Word | Kind::Mark(b'+') | Kind::Directive(_)) => return true,
                Some(Kind::Mark(b'<')) => return self.is(at + 1, b'<'),
                _ => return false,
            };
        }
        true
    }

    /// The token behind macros that follow a literal without an operator.
    fn names(&self, first: usize, end: usize) -> usize {
        let mut at = first;
        while at < end {
            at = match self.kind(at) {
                Some(Kind::Word | Kind::Comment | Kind::Mark(b'#')) => at + 1,
                Some(Kind::Mark(b'(')) => self.behind_brackets(at).min(end),
                _ => break,
            };
        }
        at
    }

    /// Where the call begins that makes a string of the literal at `at`.
    fn string_made_at(&self, at: usize) -> Option<usize> {
        let open = self.before(at).filter(|open| self.is(*open, b'('))?;
        let mut callee = open.checked_sub(1).filter(|callee| self.word(*callee).is_some_and(is_string))?;
        while callee >= 3
            && self.is(callee - 1, b':')
            && self.is(callee - 2, b':')
            && self.word(callee - 3).is_some()
        {
            callee -= 3;
        }
        Some(callee)
    }

    /// The token behind something that is put together with literals: a name, a call, an expression.
    fn operand(&self, first: usize, end: usize, commas: bool) -> usize {
        let mut at = first;
        while at < end {
            at = match self.kind(at) {
                Some(Kind::Mark(b'(' | b'[' | b'{')) => self.behind_brackets(at).min(end),
                Some(Kind::Mark(b')' | b']' | b'}' | b';' | b',')) | Some(Kind::Literal(_)) | None => break,
                Some(Kind::Directive(_)) => break,
                Some(Kind::Mark(b'+')) if !commas => break,
                Some(Kind::Mark(b'<')) if !commas && self.is(at + 1, b'<') => break,
                _ => at + 1,
            };
        }
        at
    }

    /// The token behind method calls: some of them put other text in.
    fn behind_calls(&self, mut at: usize, reader: &mut Reader) -> usize {
        while self.is(at, b'.')
            && let Some(name) = self.word(at + 1)
        {
            let name = name.to_ascii_lowercase();
            if name.contains("replace") || name.contains("format") || name == "arg" || name == "append" {
                reader.not_known(self.range(at + 1));
            }
            at += 2;
            if self.is(at, b'(') {
                let behind = self.behind_brackets(at);
                reader.inside.push(at..behind);
                at = behind;
            }
        }
        at
    }

    /// Something before the first literal that belongs to the text, or changes it.
    fn unknown_before(&self, at: usize) -> Option<Unknown> {
        let mut before = self.before_conditions(at)?;
        if let Some(callee) = self.string_made_at(at) {
            let joined = self
                .before(callee)
                .filter(|before| matches!(self.kind(*before), Some(Kind::Mark(b'+' | b'<'))));
            before = joined.unwrap_or(before);
        }
        let range = match self.kind(before)? {
            Kind::Directive(_) => {
                let outside = self.before(before)?;
                if matches!(self.kind(outside)?, Kind::Mark(b';' | b'{' | b'}')) {
                    return None;
                }
                self.range(before)
            }
            Kind::Mark(b'+') => self.range(before),
            Kind::Mark(b'<') if before > 0 && self.is(before - 1, b'<') => {
                self.range(before - 1).start..self.range(before).end
            }
            Kind::Word if self.language == Language::Cpp => {
                let word = self.word(before)?;
                if KEYWORDS.contains(&word) {
                    return None;
                }
                self.range(before)
            }
            Kind::Mark(b'(') => {
                let mut callee = before.checked_sub(1)?;
                if self.is(callee, b'!') {
                    callee = callee.checked_sub(1)?;
                }
                let word = self.word(callee)?.to_ascii_lowercase();
                if !word.contains("format") && !word.contains("printf") {
                    return None;
                }
                // What is put in may be anywhere.
                return Some(Unknown { range: self.range(callee), before: false });
            }
            _ => return None,
        };
        Some(Unknown { range, before: true })
    }

    /// What the literal at `at` is given to: `NAME = `, `NAME{`, `NAME: `.
    fn name_before(&self, at: usize) -> Option<String> {
        let first = at.saturating_sub(BACK);
        let mut index = at;
        while index > first {
            index -= 1;
            let name = match self.kind(index)? {
                Kind::Mark(b'=') if !self.is(index.wrapping_sub(1), b'=') => self.name_of_assignment(index),
                Kind::Mark(b'{')
                    if self.language == Language::Cpp && self.word(index.wrapping_sub(1)).is_some() =>
                {
                    self.word(index.wrapping_sub(1))
                }
                // A field of Rust; `::` is a path.
                Kind::Mark(b':')
                    if self.language == Language::Rust
                        && !self.is(index.wrapping_sub(1), b':')
                        && !self.is(index + 1, b':') =>
                {
                    self.word(index.wrapping_sub(1))
                }
                Kind::Word | Kind::Comment | Kind::Literal(_) | Kind::Directive(_) => continue,
                Kind::Mark(b'(' | b')' | b'{' | b'[' | b']' | b':' | b'&' | b'+' | b'!' | b'<' | b'>') => {
                    continue;
                }
                Kind::Mark(_) => return None,
            };
            return name.filter(|name| name.is_ascii()).map(str::to_owned);
        }
        None
    }

    /// The name that the value behind an `=` is given to.
    pub fn assigned(&self, equals: usize) -> Option<String> {
        self.name_of_assignment(equals).filter(|name| name.is_ascii()).map(str::to_owned)
    }

    fn name_of_assignment(&self, equals: usize) -> Option<&str> {
        let first = equals.saturating_sub(BACK);
        if self.language == Language::Rust {
            let declared = |at: &usize| matches!(self.word(*at), Some("const" | "static" | "let"));
            let bound = |at: &usize| self.is(*at, b';') || self.is(*at, b'}');
            let back = (first..equals).rev().take_while(|at| !bound(at));
            if let Some(keyword) = back.into_iter().find(declared) {
                let name = keyword + 1 + usize::from(self.word(keyword + 1) == Some("mut"));
                return self.word(name);
            }
        }
        let mut at = equals.checked_sub(1)?;
        while self.is(at, b']') {
            at = (first..at).rev().find(|at| self.is(*at, b'['))?.checked_sub(1)?;
        }
        self.word(at)
    }
}

struct Reader {
    literals: Vec<Literal>,
    unknown: Option<Unknown>,
    mark: Option<Option<Stage>>,
    inside: Vec<Range<usize>>,
}

impl Reader {
    fn take(&mut self, literal: &Literal, said: Option<Option<Stage>>, language: Language) {
        if let Some(said) = said {
            self.mark.get_or_insert(said);
        }
        if language == Language::Cpp
            && let Some(end) = &literal.raw
            && let Some(said) = mark(end.trim_matches([')', '"']))
        {
            self.mark.get_or_insert(said);
        }
        self.literals.push(literal.clone());
    }

    fn not_known(&mut self, range: Range<usize>) {
        let before = self.literals.is_empty();
        if self.unknown.as_ref().is_none_or(|known| known.before && !before) {
            self.unknown = Some(Unknown { range, before });
        }
    }
}
