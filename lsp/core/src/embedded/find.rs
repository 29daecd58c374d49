//! Which literals are GLSL, and which of them make one shader: literals that follow each other, `+`, `<<`, `concat!`. What stands between them and is no literal
//! is not known.
//!
//! A literal is GLSL where a comment before it says so (`/* glsl */`, with a stage: `/* glsl comp */`), or the delimiter of a raw string of C++ (`R"glsl(...)glsl"`).

use std::ops::Range;

use coopmat_analysis::config::Stage;

use super::Language;
use super::macros;
use super::options::Options;
use super::tokens::{Kind, Literal, Token};

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

pub fn shaders(language: Language, text: &str, tokens: &[Token]) -> Vec<Found> {
    let cursor = Cursor { language, text, tokens };
    let mut found = Vec::new();
    let mut todo = vec![(0..tokens.len(), 0)];
    while let Some((range, depth)) = todo.pop() {
        let mut at = range.start;
        while at < range.end {
            if let Some(behind) = macros::shaders(&cursor, at, &mut found) {
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
    found.sort_by_key(|one: &Found| one.literals.first().map(|literal| literal.content.start));
    found
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

/// The stage that a mark names, in any of the words that are in use for it.
pub fn stage_of(word: &str) -> Option<Stage> {
    let word = word.to_ascii_lowercase();
    let by_name = Stage::ALL.into_iter().find(|stage| stage.extension() == word || stage.name() == word);
    by_name.or_else(|| {
        Some(match word.as_str() {
            "tess_ctrl" | "tesscontrol" => Stage::TessControl,
            "tess_eval" | "tesseval" => Stage::TessEvaluation,
            "raygen" => Stage::RayGeneration,
            "intersection" => Stage::Intersection,
            "anyhit" => Stage::AnyHit,
            "closesthit" => Stage::ClosestHit,
            _ => return None,
        })
    })
}

/// What a comment or a delimiter says: `glsl`, perhaps with a stage.
fn mark(words: &str) -> Option<Option<Stage>> {
    let mut words =
        words.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    if !words.next()?.eq_ignore_ascii_case("glsl") {
        return None;
    }
    match (words.next(), words.next()) {
        (None, _) => Some(None),
        (Some(word), None) => stage_of(word).map(Some),
        _ => None,
    }
}

/// Longer comments are prose.
const LONGEST_MARK: usize = 40;

fn comment_mark(comment: &str) -> Option<Option<Stage>> {
    if comment.len() > LONGEST_MARK {
        return None;
    }
    let inside = match comment.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/")?,
        None => comment.strip_prefix("//")?,
    };
    mark(inside.trim())
}

/// Words that stand before a literal and are not part of its text.
const KEYWORDS: &[&str] =
    &["return", "co_return", "co_yield", "throw", "else", "do", "case", "in", "and", "or", "not"];

/// So many tokens before a literal are looked at for its name.
const BACK: usize = 24;

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
        }
        let mut reader =
            Reader { literals: Vec::new(), unknown: self.unknown_before(at), mark: None, inside: Vec::new() };
        let behind = self.elements(first, end, is_concat, &mut reader);
        let behind = if is_concat { self.behind_calls(end + 1, &mut reader) } else { behind };
        if at > 0 && self.kind(at - 1) == Some(&Kind::Comment) {
            let said = comment_mark(self.tokens[at - 1].text(self.text));
            reader.mark = said.or(reader.mark);
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

    /// Reads literals and what stands between them; the token behind.
    fn elements(&self, first: usize, end: usize, commas: bool, reader: &mut Reader) -> usize {
        let mut at = first;
        // Whether another literal may follow without an operator.
        let mut open = true;
        while at < end {
            let here = self.skip(at);
            match self.kind(here) {
                _ if here >= end => break,
                Some(Kind::Literal(literal)) if open || self.language == Language::Cpp => {
                    let said =
                        here.checked_sub(1).filter(|before| self.kind(*before) == Some(&Kind::Comment));
                    let said = said.and_then(|before| comment_mark(self.tokens[before].text(self.text)));
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
                Some(Kind::Word) if !commas && !open && self.language == Language::Cpp => at = here,
                _ if commas && open => at = here,
                _ => break,
            }
            open = true;
            let next = self.skip(at);
            if next >= end || self.literal(next).is_some() {
                continue;
            }
            let behind = self.operand(next, end, commas);
            if behind == next {
                break;
            }
            reader.not_known(self.range(next).start..self.range(behind - 1).end);
            reader.inside.push(next..behind);
            at = behind;
            open = commas;
        }
        at
    }

    /// The token behind something that is put together with literals: a name, a call, an expression.
    fn operand(&self, first: usize, end: usize, commas: bool) -> usize {
        let mut at = first;
        while at < end {
            at = match self.kind(at) {
                Some(Kind::Mark(b'(' | b'[' | b'{')) => self.behind_brackets(at).min(end),
                Some(Kind::Mark(b')' | b']' | b'}' | b';' | b',')) | Some(Kind::Literal(_)) | None => break,
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
        let before = self.before(at)?;
        let range = match self.kind(before)? {
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
                Kind::Word | Kind::Comment | Kind::Literal(_) => continue,
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
