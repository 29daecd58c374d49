//! Where the cursor stands, read from the file's own tokens: the word being typed, the brackets that are open around it, the directive
//! that holds it. Tokens are there however broken the text is, in inactive regions and in macros too.

use tree_sitter_glsl_coopmat::TYPES_WITH_ARGUMENTS;

use coopmat_analysis::Analysis;
use coopmat_analysis::lex::{LexemeKind, TokenKind, lexeme_at};
use coopmat_analysis::preprocess::{Directive, Item};
use coopmat_analysis::text::{FileId, FilePosition, TextRange, TextSize};

/// A token outside comments.
#[derive(Clone, Copy, Debug)]
pub struct Tok<'a> {
    pub kind: TokenKind,
    pub text: &'a str,
    pub start: u32,
}

impl Tok<'_> {
    pub fn end(&self) -> u32 {
        self.start + self.text.len() as u32
    }

    pub fn is(&self, text: &str) -> bool {
        self.text == text
    }

    pub fn is_name(&self) -> bool {
        self.kind == TokenKind::Identifier
    }
}

/// What a cursor stands in apart from code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Region {
    Code,
    Comment,
    String,
    Number,
}

/// A bracket that is open at the cursor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// `(`, `[`, `{` or the `<` of type arguments.
    pub bracket: char,
    /// Its index in `Site::tokens`.
    pub index: usize,
    /// How many commas stand between it and the cursor, outside inner brackets.
    pub commas: usize,
}

/// A place in a file and what stands around it.
pub struct Site<'a> {
    pub analysis: &'a Analysis,
    pub file: FileId,
    pub text: &'a str,
    pub offset: u32,
    pub region: Region,
    /// The part of the word before the cursor; empty when there is none.
    pub prefix: &'a str,
    /// Where the word ends.
    pub word_end: u32,
    /// Code before the word: of the directive that holds the cursor, or of the file without directives and without the
    /// branches that are left out elsewhere.
    pub tokens: Vec<Tok<'a>>,
    /// Code after the word, a few tokens of it.
    pub after: Vec<Tok<'a>>,
    pub directive: Option<&'a Directive>,
    /// Left out by the preprocessor.
    pub inactive: bool,
    /// The innermost first.
    pub frames: Vec<Frame>,
}

/// How many brackets outwards are asked what they want.
pub const OUTWARDS: usize = 16;

/// How many tokens after the cursor are looked at.
const AHEAD: usize = 64;

impl<'a> Site<'a> {
    pub fn new(analysis: &'a Analysis, position: FilePosition) -> Option<Site<'a>> {
        let file = position.file;
        let lexed = analysis.preprocessed.lexed(file)?;
        let text: &str = &analysis.files()[file].text;
        let offset = u32::from(position.offset).min(text.len() as u32);
        let directive = lexed.items.iter().find_map(|item| match item {
            Item::Directive(directive) if holds(directive, text, offset) => Some(directive),
            _ => None,
        });
        let all = &lexed.tokens;
        let before = all.partition_point(|token| token.start < offset);
        let (region, word) = region(text, &all[..before], offset);
        let (prefix_start, word_end) = match word {
            Some(word) => word,
            None => (offset, offset),
        };
        let inactive_regions: Vec<TextRange> = analysis
            .preprocessed
            .inactive
            .iter()
            .filter(|region| region.file == file)
            .map(|region| region.range)
            .collect();
        let at = TextSize::new(offset);
        let own = inactive_regions.iter().find(|region| region.contains(at)).copied();
        let tok = |token: &coopmat_analysis::preprocess::Token| {
            Some(Tok {
                kind: token.kind,
                text: text.get(token.start as usize..token.end as usize)?,
                start: token.start,
            })
        };
        let mut site = Site {
            analysis,
            file,
            text,
            offset,
            region,
            prefix: text.get(prefix_start as usize..offset as usize).unwrap_or_default(),
            word_end,
            tokens: Vec::new(),
            after: Vec::new(),
            directive,
            inactive: own.is_some(),
            frames: Vec::new(),
        };
        match directive {
            Some(directive) => {
                let tokens = lexed.slice(&directive.tokens);
                site.tokens =
                    tokens.iter().filter(|token| token.end <= prefix_start).filter_map(tok).collect();
                site.after = tokens
                    .iter()
                    .filter(|token| token.start >= word_end)
                    .take(AHEAD)
                    .filter_map(tok)
                    .collect();
            }
            None => {
                let mut skip = inactive_regions.iter().peekable();
                for item in &lexed.items {
                    let Item::Text(range) = item else { continue };
                    let tokens = lexed.slice(range);
                    // A conditional's branch is a whole item or several of them.
                    let Some(first) = tokens.first() else { continue };
                    let start = TextSize::new(first.start);
                    while skip.next_if(|region| region.end() <= start).is_some() {}
                    if skip.peek().is_some_and(|region| region.contains(start) && Some(**region) != own) {
                        continue;
                    }
                    if first.start < prefix_start {
                        let upto = tokens.partition_point(|token| token.end <= prefix_start);
                        site.tokens.extend(tokens[..upto].iter().filter_map(tok));
                    }
                    if site.after.len() < AHEAD && tokens.last().is_some_and(|last| last.start >= word_end) {
                        let from = tokens.partition_point(|token| token.start < word_end);
                        let room = AHEAD - site.after.len();
                        site.after.extend(tokens[from..].iter().take(room).filter_map(tok));
                    }
                    if site.after.len() >= AHEAD {
                        break;
                    }
                }
            }
        }
        site.frames = frames(&site.tokens);
        Some(site)
    }

    /// The range of the word that is being typed.
    pub fn word(&self) -> TextRange {
        TextRange::new(
            TextSize::new(self.offset - self.prefix.len() as u32),
            TextSize::new(self.word_end.max(self.offset)),
        )
    }

    /// The place before the token at `index`.
    pub fn before(&self, index: usize) -> Site<'a> {
        let tokens = self.tokens[..index.min(self.tokens.len())].to_vec();
        let frames = self.frames.iter().filter(|frame| frame.index < index).copied().collect();
        Site { tokens, frames, after: Vec::new(), ..*self }
    }

    pub fn last(&self) -> Option<&Tok<'a>> {
        self.tokens.last()
    }

    /// The token so many places before the word; 0 is the last one.
    pub fn back(&self, places: usize) -> Option<&Tok<'a>> {
        self.tokens.len().checked_sub(places + 1).and_then(|index| self.tokens.get(index))
    }

    pub fn next_is(&self, text: &str) -> bool {
        self.after.first().is_some_and(|token| token.is(text))
    }

    /// The innermost open bracket.
    pub fn frame(&self) -> Option<Frame> {
        self.frames.first().copied()
    }

    /// The tokens of the argument or clause that the cursor stands in: from the innermost bracket, or the `,` or `;` after it.
    pub fn segment(&self) -> &[Tok<'a>] {
        let from = self.frame().map_or(0, |frame| frame.index + 1);
        let mut start = self.tokens.len();
        let mut depth = 0usize;
        while start > from {
            let token = &self.tokens[start - 1];
            match token.text {
                ")" | "]" | "}" => {
                    // A block that ends is the end of the statement before.
                    if depth == 0 && token.is("}") && self.frame().is_none_or(|frame| frame.bracket == '{') {
                        break;
                    }
                    depth += 1;
                }
                "(" | "[" | "{" => depth = depth.saturating_sub(1),
                "," if depth == 0 && self.frame().is_some_and(|frame| frame.bracket != '{') => break,
                ";" if depth == 0 => break,
                _ => {}
            }
            start -= 1;
        }
        &self.tokens[start..]
    }

    /// The body of the macro that is being defined: its index in the directive's tokens, and the parameters.
    pub fn macro_body(&self) -> Option<(usize, Vec<&'a str>)> {
        let name = self.tokens.first()?;
        let open = self.tokens.get(1);
        let Some(open) = open.filter(|open| open.is("(") && open.start == name.end()) else {
            return Some((1, Vec::new()));
        };
        let close = self.tokens.iter().position(|token| token.is(")") && token.start > open.start)?;
        let parameters =
            self.tokens[2..close].iter().filter(|token| token.is_name()).map(|token| token.text).collect();
        Some((close + 1, parameters))
    }
}

/// Whether an offset belongs to a directive's line.
fn holds(directive: &Directive, text: &str, offset: u32) -> bool {
    if offset < u32::from(directive.range.start()) + 1 {
        return false;
    }
    offset < directive.line_end
        || (offset == directive.line_end && !text[..offset as usize].ends_with(['\n', '\r']))
}

/// What stands at an offset, and the start and end of the word there. `before` are the tokens that start before it.
fn region(
    text: &str,
    before: &[coopmat_analysis::preprocess::Token],
    offset: u32,
) -> (Region, Option<(u32, u32)>) {
    let mut from = 0;
    if let Some(last) = before.last() {
        if offset <= last.end {
            let inside = offset < last.end;
            match last.kind {
                TokenKind::Identifier => return (Region::Code, Some((last.start, last.end))),
                TokenKind::Number => return (Region::Number, Some((last.start, last.end))),
                TokenKind::String => {
                    let raw = text.get(last.start as usize..last.end as usize).unwrap_or_default();
                    let closed = raw.len() > 1 && raw.ends_with('"');
                    if inside || !closed {
                        return (Region::String, None);
                    }
                }
                _ => {}
            }
        }
        from = last.end.min(offset);
    }
    // Between tokens there are blanks and comments alone.
    let mut at = from as usize;
    while at < offset as usize {
        let Some(lexeme) = lexeme_at(text, at) else { break };
        let end = lexeme.end as u32;
        match lexeme.kind {
            LexemeKind::LineComment if offset <= end => return (Region::Comment, None),
            LexemeKind::UnterminatedComment => return (Region::Comment, None),
            LexemeKind::BlockComment if offset < end => return (Region::Comment, None),
            _ => {}
        }
        at = lexeme.end;
    }
    (Region::Code, None)
}

/// Whether a `<` after this name opens type arguments.
pub fn takes_type_arguments(name: &str) -> bool {
    TYPES_WITH_ARGUMENTS.contains(&name)
}

/// The brackets that are open at the end of `tokens`, the innermost first. Brackets that nothing closed before the end of their
/// statement or block are mistakes, not places of the cursor.
pub fn frames(tokens: &[Tok<'_>]) -> Vec<Frame> {
    let closers = type_argument_ends(tokens);
    let mut open = Vec::new();
    // The brackets, as they open, that are closed again before the end.
    let mut closed: Vec<char> = Vec::new();
    let (mut commas, mut statement) = (0usize, false);
    for (index, token) in tokens.iter().enumerate().rev() {
        match token.text {
            ")" => closed.push('('),
            "]" => closed.push('['),
            "}" => {
                if closed.is_empty() {
                    statement = true;
                }
                closed.push('{');
            }
            "(" | "[" => {
                let bracket = if token.is("(") { '(' } else { '[' };
                if closed.last() == Some(&bracket) {
                    closed.pop();
                } else if closed.is_empty() {
                    let of_loop = index > 0 && tokens[index - 1].is("for");
                    if !statement || of_loop {
                        open.push(Frame { bracket, index, commas });
                        (commas, statement) = (0, false);
                    }
                }
            }
            "{" => match closed.iter().rposition(|&bracket| bracket == '{') {
                Some(at) => closed.truncate(at),
                None => {
                    closed.clear();
                    open.push(Frame { bracket: '{', index, commas });
                    (commas, statement) = (0, false);
                }
            },
            ">" | ">>" => {
                let from = closers.partition_point(|&end| end < index);
                let ends = closers[from..].iter().take_while(|&&end| end == index).count();
                closed.extend(std::iter::repeat_n('<', ends));
            }
            "<" if index > 0 && takes_type_arguments(tokens[index - 1].text) => {
                if closed.last() == Some(&'<') {
                    closed.pop();
                } else if closed.is_empty() && !statement {
                    open.push(Frame { bracket: '<', index, commas });
                    commas = 0;
                }
            }
            ";" if closed.is_empty() => (commas, statement) = (0, true),
            "," if closed.is_empty() && !statement => commas += 1,
            _ => {}
        }
    }
    open
}

/// The indices of the `>` that end type arguments, sorted; that of a `>>` is there twice when it ends two lists.
fn type_argument_ends(tokens: &[Tok<'_>]) -> Vec<usize> {
    let mut ends = Vec::new();
    // The depth of other brackets at each list that is open.
    let mut open: Vec<usize> = Vec::new();
    let mut depth = 0usize;
    for (index, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" => depth += 1,
            ")" | "]" => {
                depth = depth.saturating_sub(1);
                while open.pop_if(|list| *list > depth).is_some() {}
            }
            ";" | "{" | "}" => {
                open.clear();
                depth = 0;
            }
            "<" if index > 0 && takes_type_arguments(tokens[index - 1].text) => open.push(depth),
            ">" | ">>" => {
                for _ in 0..token.text.len() {
                    if open.pop_if(|list| *list == depth).is_some() {
                        ends.push(index);
                    }
                }
            }
            _ => {}
        }
    }
    ends
}

#[cfg(test)]
mod tests {
    use super::*;

    fn open(text: &str) -> String {
        let tokens: Vec<Tok<'_>> = coopmat_analysis::lex::lexemes(text)
            .filter_map(|lexeme| match lexeme.kind {
                LexemeKind::Token(kind) => {
                    Some(Tok { kind, text: &text[lexeme.start..lexeme.end], start: lexeme.start as u32 })
                }
                _ => None,
            })
            .collect();
        let shown = frames(&tokens);
        shown.iter().map(|frame| format!("{}{}", frame.bracket, frame.commas)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn open_brackets_are_found_from_the_inside() {
        assert_eq!(open("void f() { g(a, h(b), c[1], "), "(3 {0");
        assert_eq!(open("void f() { for (int i = 0; i < n; "), "(0 {0");
        assert_eq!(open("void f() { coopmat<float16_t, gl_ScopeSubgroup, "), "<2 {0");
    }

    #[test]
    fn comparisons_are_no_brackets() {
        assert_eq!(open("f(x, a > b, c < d, "), "(3");
        assert_eq!(open("f(coopmat<float, 3, 16, 16, 0>(1.0), coopmat<vector<float, 2>, 4>(x), "), "(2");
        assert_eq!(open("f(vector<vector<int, 2>>(0), "), "(1");
    }

    #[test]
    fn what_was_never_closed_does_not_reach_further_than_its_statement() {
        assert_eq!(open("void f() { g(a, ; x = 1; h("), "(0 {0");
        assert_eq!(open("void f() { g(a, } void h() { y = k[2, "), "[1 {0");
        assert_eq!(open("void f() { coopmat<float, ; x < "), "{0");
    }
}
