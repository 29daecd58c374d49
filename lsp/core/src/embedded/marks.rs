//! What says that a literal is GLSL: a comment before it (`/* glsl */`, with a stage: `/* glsl comp */`), or before what it is put together with, or alone in the line before
//! what it is given to; or the delimiter of a raw string of C++ (`R"glsl(...)glsl"`).

use coopmat_analysis::config::Stage;

use super::find::{BACK, Cursor, is_string};
use super::tokens::{Directive, Kind};

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
pub fn mark(words: &str) -> Option<Option<Stage>> {
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

pub fn comment_mark(comment: &str) -> Option<Option<Stage>> {
    if comment.len() > LONGEST_MARK {
        return None;
    }
    let inside = match comment.strip_prefix("/*") {
        Some(block) => block.strip_suffix("*/")?,
        None => comment.strip_prefix("//")?,
    };
    mark(inside.trim())
}

impl Cursor<'_> {
    /// The mark in front of what the literal at `at` is the first of.
    pub fn mark_before(&self, at: usize) -> Option<Option<Stage>> {
        // Of brackets that close before.
        let mut depth = 0_usize;
        // Whether it is given to something behind the mark.
        let mut given = false;
        for index in (0..at).rev().take(BACK) {
            match self.kind(index)? {
                Kind::Mark(b')' | b']') => depth += 1,
                Kind::Mark(b'(' | b'[') if depth > 0 => depth -= 1,
                _ if depth > 0 => {}
                Kind::Comment => {
                    if let Some(mark) = comment_mark(self.tokens[index].text(self.text)) {
                        return (!given || self.is_line_before(index)).then_some(mark);
                    }
                }
                Kind::Mark(b'(') if self.opens_text(index) => {}
                Kind::Mark(b'=') if !self.compares(index) => given = true,
                Kind::Mark(b'>') if !self.is(index.wrapping_sub(1), b'=') => given = true,
                Kind::Mark(b'*' | b'\'' | b'#') => given = true,
                Kind::Word | Kind::Mark(b'+' | b':' | b'.' | b'&' | b'!' | b'<') => {}
                Kind::Directive(Directive::If | Directive::Else { .. } | Directive::EndIf) if !given => {}
                _ => return None,
            }
        }
        None
    }

    /// Whether the `=` at `at` is part of a comparison, or of a `=>`.
    fn compares(&self, at: usize) -> bool {
        let before = at.checked_sub(1).and_then(|before| self.kind(before));
        self.is(at + 1, b'=')
            || self.is(at + 1, b'>')
            || matches!(before, Some(Kind::Mark(b'=' | b'!' | b'<' | b'>')))
    }

    /// Whether the bracket at `at` is around text alone: it has no callee, or one that makes a string.
    fn opens_text(&self, at: usize) -> bool {
        let Some(mut callee) = at.checked_sub(1) else { return true };
        if self.is(callee, b'!') {
            callee = callee.saturating_sub(1);
        }
        self.word(callee).is_none_or(|word| {
            is_string(word)
                || word.to_ascii_lowercase().contains("format")
                || word == "concat"
                || word == "return"
        })
    }

    /// Whether nothing stands before a comment in its line, and something in the one behind it.
    fn is_line_before(&self, comment: usize) -> bool {
        let (Some(comment), Some(next)) = (self.tokens.get(comment), self.tokens.get(comment + 1)) else {
            return false;
        };
        let before = self.text.get(..comment.range.start).unwrap_or_default();
        let line = before.rsplit(['\n', '\r']).next().unwrap_or_default();
        let between = self.text.get(comment.range.end..next.range.start).unwrap_or_default();
        line.trim().is_empty() && between.matches('\n').count() <= 1
    }
}
