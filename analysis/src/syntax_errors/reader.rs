//! Reads the tokens of a text with a mistake, as a compiler of C does, to say what is missing and where.
//!
//! The parser's tree says only *that* there is a mistake: its recovery keeps as much of the tree as it can, and blames whatever token makes that cheap.
//! This reader goes from left to right and stops at the first token that cannot follow, so that it knows what it was reading. It reports a mistake in
//! the words of clang, once, and goes on behind the statement.
//!
//! It accepts more than the grammar does, and is asked only about texts of which the tree or the lowering says that they have a mistake.

use rustc_hash::FxHashSet;

use super::SyntaxError;
use super::tokens::{Kind, Token, range, tokens};
use crate::extensions;
use crate::text::TextRange;

/// The rest of the statement was given up, after a report.
pub struct Stop;

pub type Read = Result<(), Stop>;

/// Brackets, blocks and operators inside each other: more are not looked at.
const MOST_LEVELS: usize = 200;

/// What a text with a mistake has.
#[derive(Debug, Default)]
pub struct Mistakes {
    pub errors: Vec<SyntaxError>,
    /// The statements that they are in.
    pub zones: Vec<TextRange>,
    /// What they declare, as far as it was read.
    pub names: Vec<String>,
    /// What comes after these: the parser may have read it as a part of them.
    pub followers: Vec<TextRange>,
    /// Whether a brace is missing or superfluous, so that statements and functions seem to be in the wrong place.
    pub braces: bool,
}

/// What is known about the statement or member that is being read.
#[derive(Clone, Copy, Default)]
struct Frame {
    /// Its first token.
    start: usize,
    /// Where its own text starts: behind the last statement that it contains.
    own: usize,
    /// Where the last statement that belongs to it begins.
    body: usize,
    /// The token where its mistake was noticed.
    error: Option<usize>,
}

impl Frame {
    fn at(start: usize) -> Frame {
        Frame { start, own: start, body: 0, error: None }
    }
}

pub struct Reader<'a> {
    text: &'a str,
    tokens: Vec<Token>,
    pub(super) at: usize,
    /// The token that stands for the end of the text.
    limit: usize,
    found: Mistakes,
    /// Token of each error.
    places: Vec<usize>,
    frame: Frame,
    /// Structures and blocks that were declared.
    pub(super) types: FxHashSet<&'a str>,
    /// Variables and functions that were declared, in whatever scope.
    pub(super) values: FxHashSet<&'a str>,
    /// What the statements that are being read declare.
    names: Vec<&'a str>,
    pub(super) levels: usize,
    /// Braces of initializer lists that are open.
    pub(super) lists: usize,
    /// A block whose end is indented less than its beginning: the brace that belongs before this token, and the brace that it would close.
    unclosed: Option<(usize, usize)>,
    /// An end of a block that is indented more than its beginning.
    overclosed: Option<usize>,
    /// The rest of the line belongs to a mistake that was reported.
    pub(super) quiet: bool,
    /// Where the last statement with a mistake ended.
    failed: Option<usize>,
    gave_up: bool,
}

/// The mistakes of a text, if it can be read.
pub fn mistakes(text: &str) -> Mistakes {
    let tokens = tokens(text);
    let mut reader = Reader {
        text,
        limit: tokens.len(),
        tokens,
        at: 0,
        found: Mistakes::default(),
        places: Vec::new(),
        frame: Frame::default(),
        types: FxHashSet::default(),
        values: FxHashSet::default(),
        names: Vec::new(),
        levels: 0,
        lists: 0,
        unclosed: None,
        overclosed: None,
        quiet: false,
        failed: None,
        gave_up: false,
    };
    reader.translation_unit();
    if reader.gave_up { Mistakes::default() } else { reader.found }
}

impl<'a> Reader<'a> {
    // Tokens -----------------------------------------------------------------------------------------------------------------

    pub(super) fn token(&self, ahead: usize) -> Option<&Token> {
        let at = self.at + ahead;
        self.tokens.get(at).filter(|_| at < self.limit)
    }

    /// The text of a token; empty at the end.
    pub(super) fn peek(&self, ahead: usize) -> &'a str {
        self.token(ahead).and_then(|token| self.text.get(token.start..token.end)).unwrap_or_default()
    }

    pub(super) fn next(&self) -> &'a str {
        self.peek(0)
    }

    pub(super) fn kind(&self, ahead: usize) -> Option<Kind> {
        self.token(ahead).map(|token| token.kind)
    }

    pub(super) fn begins_line(&self, ahead: usize) -> bool {
        self.token(ahead).is_none_or(|token| token.first)
    }

    /// Goes on to the next token.
    pub(super) fn skip(&mut self) {
        if self.at < self.limit {
            self.at += 1;
        }
    }

    pub(super) fn eat(&mut self, text: &str) -> bool {
        let is = self.next() == text;
        if is {
            self.skip();
        }
        is
    }

    /// A declared name, which is the next token.
    pub(super) fn declare(&mut self) {
        self.names.push(self.next());
        self.skip();
    }

    /// The same for a variable or a function.
    pub(super) fn declare_value(&mut self) {
        self.values.insert(self.next());
        self.declare();
    }

    pub(super) fn peek_is_indented(&self, ahead: usize) -> bool {
        match (self.token(ahead), self.token(0)) {
            (Some(token), Some(next)) => token.indent > next.indent,
            _ => false,
        }
    }

    pub(super) fn is_name(&self, ahead: usize) -> bool {
        self.kind(ahead) == Some(Kind::Word) && !is_keyword(self.peek(ahead))
    }

    /// Whether a token is the name of a type and nothing else.
    pub(super) fn is_type(&self, ahead: usize) -> bool {
        let word = self.peek(ahead);
        self.kind(ahead) == Some(Kind::Word)
            && (extensions::type_(word).is_some() || self.types.contains(word))
    }

    /// Whether the next token is the name of a value rather than of a type before a name that is `after` tokens ahead. A variable before a name on
    /// the same line is more likely meant as a type.
    pub(super) fn is_value(&self, after: usize) -> bool {
        let word = self.next();
        !self.is_type(0)
            && (extensions::functions(word).len() > 0
                || (self.values.contains(word) && self.begins_line(after)))
    }

    /// Whether the next token is a brace at the start of a line that is indented less than the line of another brace: it closes something around
    /// that.
    pub(super) fn closes_outer(&self, open: usize) -> bool {
        match (self.token(0), self.tokens.get(open)) {
            (Some(close), Some(open)) => close.first && close.indent < open.indent && self.next() == "}",
            _ => false,
        }
    }

    /// Whether the next token's line is indented more than the line of another one.
    pub(super) fn is_indented(&self, than: usize) -> bool {
        match (self.token(0), self.tokens.get(than)) {
            (Some(next), Some(other)) => next.indent > other.indent,
            _ => false,
        }
    }

    pub(super) fn opens_attributes(&self, open: usize) -> bool {
        self.tokens.get(open).is_some_and(|token| self.text.get(token.start..token.end) == Some("["))
    }

    /// One more level, for as long as `read` takes.
    pub(super) fn deeper(&mut self, read: impl FnOnce(&mut Self) -> Read) -> Read {
        if self.levels >= MOST_LEVELS {
            self.gave_up = true;
            self.at = self.limit;
            return Err(Stop);
        }
        self.levels += 1;
        let result = read(self);
        self.levels -= 1;
        result
    }

    // Reports ----------------------------------------------------------------------------------------------------------------

    /// Reports what is missing after the last token.
    pub(super) fn missing(&mut self, message: &str) {
        self.report_at(self.at, true, message.to_owned(), None);
    }

    /// Reports what is missing where the next token is, or after the last one if that is on another line.
    pub(super) fn expected(&mut self, message: &str) {
        self.report_at(self.at, false, message.to_owned(), None);
    }

    /// Reports that an opening bracket is not closed after the last token.
    pub(super) fn missing_close(&mut self, message: &str, open: usize) {
        let mark = self.tokens.get(open).map(Token::range);
        self.report_at(self.at, true, message.to_owned(), mark);
    }

    fn report_at(&mut self, at: usize, after: bool, message: String, matches: Option<TextRange>) {
        // A statement is reported once, and what is missing at the end of the text once for all that it ends.
        if self.frame.error.is_some() || self.quiet || self.places.last() == Some(&at) {
            self.frame.error.get_or_insert(at);
            return;
        }
        self.frame.error = Some(at);
        let last = at.checked_sub(1).and_then(|last| self.tokens.get(last));
        let begins = at == self.frame.start;
        let next = self.tokens.get(at).filter(|token| at < self.limit && (!token.first || begins));
        let place = match (last, next.filter(|_| !after)) {
            (_, Some(next)) => next.range(),
            (Some(last), None) => self.end_of(last),
            (None, None) => self.tokens.get(at).map_or(range(0, 0), Token::range),
        };
        let related = matches.and_then(|open| {
            let bracket = self.text.get(usize::from(open.start())..usize::from(open.end()))?;
            Some((open, format!("to match this `{bracket}`")))
        });
        self.places.push(at);
        self.found.errors.push(SyntaxError { range: place, message, related });
    }

    /// The last character of a token.
    fn end_of(&self, token: &Token) -> TextRange {
        let text = self.text.get(token.start..token.end).unwrap_or_default();
        let last = text.char_indices().next_back().map_or(0, |(index, _)| index);
        range(token.start + last, token.end)
    }

    /// A token too many.
    pub(super) fn extraneous(&mut self, message: String) {
        self.report_at(self.at, false, message, None);
    }

    // Statements and members as units ----------------------------------------------------------------------------------------

    /// Reads one statement, declaration or member: one that has a mistake is reported once, and left behind.
    pub(super) fn unit(&mut self, read: impl Fn(&mut Self) -> Read) {
        let start = self.at;
        self.quiet &= !self.begins_line(0);
        let follows = self.failed.take() == Some(start);
        let outer = std::mem::replace(&mut self.frame, Frame::at(start));
        let names = self.names.len();
        let (errors, zones) = (self.found.errors.len(), self.found.zones.len());
        let mut result = read(self);
        if let Some(error) = self.frame.error
            && let Some(end) = self.end_by_lines(error)
        {
            // It ends where a line begins that belongs to the statements around it: read it again up to there.
            self.found.errors.truncate(errors);
            self.found.zones.truncate(zones);
            self.places.truncate(errors);
            let limit = std::mem::replace(&mut self.limit, end);
            self.at = start;
            (self.frame, self.lists) = (Frame::at(start), 0);
            result = read(self);
            if self.found.errors.len() == errors {
                self.missing("expected `;`");
            }
            self.limit = limit;
            if result.is_err() {
                (self.at, self.lists) = (end, 0);
                result = Ok(());
            }
        }
        if let Some(error) = self.frame.error {
            if result.is_err() {
                self.synchronise(error);
            }
            // The statements inside were read by themselves.
            let end = if self.frame.body > error { error + 1 } else { self.at };
            self.found.names.extend(self.names.iter().skip(names).map(|&name| name.to_owned()));
            let first = self.tokens.get(start).map(|token| token.start);
            let last = end.checked_sub(1).and_then(|last| self.tokens.get(last));
            if let (Some(first), Some(last)) = (first, last) {
                self.found.zones.push(range(first, last.end));
            }
        }
        self.lists = 0;
        let failed = self.frame.error.is_some();
        self.frame = outer;
        if self.at == start {
            self.skip();
        }
        if failed {
            self.failed = Some(self.at);
        }
        let last = self.at.checked_sub(1).and_then(|last| self.tokens.get(last));
        if let (true, Some(first), Some(last)) = (follows, self.tokens.get(start), last) {
            self.found.followers.push(range(first.start, last.end));
        }
    }

    /// A statement begins that belongs to this one.
    pub(super) fn before_body(&mut self) {
        self.frame.body = self.at;
    }

    /// The statement goes on after another one that it contains.
    pub(super) fn after_inner(&mut self) {
        self.frame.own = self.at;
    }

    /// Whether a line begins here that is indented no more than the statement, with what a statement can begin with.
    fn is_next_line(&self, at: usize) -> bool {
        let (Some(token), Some(start)) = (self.tokens.get(at), self.tokens.get(self.frame.start)) else {
            return false;
        };
        token.first && token.indent <= start.indent && token.kind == Kind::Word
    }

    fn end_by_lines(&self, error: usize) -> Option<usize> {
        let before = error.min(self.limit);
        (self.frame.own + 1..before).find(|&at| self.is_next_line(at))
    }

    /// Goes on to where the next statement seems to begin.
    fn synchronise(&mut self, error: usize) {
        loop {
            match self.next() {
                "" => return,
                ";" if self.lists == 0 => return self.skip(),
                "}" if self.lists == 0 => return,
                "}" => self.lists -= 1,
                "{" if self.lists == 0 => return,
                _ if self.at >= error.max(self.frame.start + 1) && self.is_next_line(self.at) => return,
                _ => {}
            }
            self.skip();
        }
    }

    // Blocks -----------------------------------------------------------------------------------------------------------------

    /// The brace that opens a block, which is the next token.
    pub(super) fn open_block(&mut self) -> usize {
        let at = self.at;
        self.skip();
        at
    }

    /// The brace that closes a block, which is the next token; and where a statement of the block was indented no more than the block is.
    pub(super) fn close_block(&mut self, open: usize, outdented: Option<usize>) {
        if let (Some(first), Some(last)) = (self.tokens.get(open), self.tokens.get(self.at))
            && last.first
        {
            if last.indent < first.indent {
                self.unclosed.get_or_insert((outdented.unwrap_or(self.at), open));
            } else if last.indent > first.indent && !first.first {
                self.overclosed.get_or_insert(self.at);
            }
        }
        self.skip();
    }

    /// Reports that a block has no end before the next token.
    pub(super) fn missing_brace(&mut self, open: usize) {
        self.found.braces = true;
        let (at, open) = match self.unclosed {
            // What was reported at this place is the cause of both.
            Some(known) if self.places.last() != Some(&self.at) => known,
            _ => (self.at, open),
        };
        let mark = self.tokens.get(open).map(Token::range);
        // Once for all blocks that end here.
        if self.places.last() != Some(&self.at) {
            self.frame.error = None;
            self.report_at(at, true, "expected `}`".to_owned(), mark);
            self.places.push(self.at);
        }
    }

    /// Reports a brace that closes nothing.
    pub(super) fn superfluous_brace(&mut self) {
        self.found.braces = true;
        let at = self.overclosed.take().unwrap_or(self.at);
        if let Some(token) = self.tokens.get(at) {
            let place = token.range();
            self.places.push(self.at);
            self.found.errors.push(SyntaxError {
                range: place,
                message: "extraneous closing brace (`}`)".to_owned(),
                related: None,
            });
        }
        self.skip();
    }

    /// A new function: what was noticed about earlier braces is theirs.
    pub(super) fn forget_braces(&mut self) {
        (self.unclosed, self.overclosed) = (None, None);
    }
}

/// Words that are never names, whatever the version.
fn is_keyword(word: &str) -> bool {
    matches!(
        word,
        "if" | "else"
            | "for"
            | "while"
            | "do"
            | "switch"
            | "case"
            | "default"
            | "return"
            | "break"
            | "continue"
    ) || matches!(word, "discard" | "struct" | "const" | "in" | "out" | "inout" | "uniform" | "shared")
        || matches!(word, "void" | "bool" | "int" | "uint" | "float" | "double" | "true" | "false")
}
