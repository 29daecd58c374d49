//! Assembly text to a module: the syntax of `spirv-as`, which [`crate::text`] and `spirv-dis` write.
//!
//! The text is read token by token along the grammar, as words are ([`crate::load`]), and becomes words, which the reader of modules then
//! reads: what it refuses is an error at the token that its word came from. Everything in the text is found again by its place,
//! in a text with mistakes too, so that an editor can colour and link it.
//!
//! - `%12` is the id 12, and `%name` gets a number that the text does not use.
//! - The comments above the first instruction, as `spirv-dis` writes them, tell version, generator and bound; without them, it is
//!   version 1.6.
//! - `!number` is a word as it is, in the place of an operand or at the start of a line; what follows it in its instruction is taken as it looks.
//! - Instructions have the order of SPIR-V 2.4, and every id that is used is defined.

mod header;
mod lexer;
mod literals;
mod operands;

use std::ops::Range;

use rspirv::dr::Module;
use rspirv::grammar::{ExtInstOp, InstructionTable, OperandKind};
use rspirv::spirv::MAGIC_NUMBER;
use rustc_hash::{FxHashMap, FxHashSet};

use crate::scalar::Scalar;
use crate::text::{Class, Span};
use header::Header;
use lexer::{Kind, Token};

/// As many mistakes are told; a text that is no assembly at all has one in each line.
const MOST_ERRORS: usize = 100;

/// A mistake in assembly text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Error {
    /// Where, in bytes.
    pub range: Range<usize>,
    /// What was expected, what was found, and what to do where that is not obvious.
    pub message: String,
}

impl Error {
    /// Line and column, both from 1; columns count characters.
    pub fn position(&self, source: &str) -> (usize, usize) {
        let before = source.get(..self.range.start).unwrap_or(source);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }
}

/// An instruction in the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Written {
    /// From its first token to the end of its last one, in bytes.
    pub range: Range<usize>,
    /// Its spans in [`Parsed::spans`].
    pub spans: Range<usize>,
    /// Its number; nothing where its name is unknown.
    pub opcode: Option<u16>,
}

/// What a text consists of.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// The module; nothing where there are mistakes.
    pub module: Option<Module>,
    /// In the order of the text.
    pub errors: Vec<Error>,
    /// In the order of the text, which is that of the module's instructions.
    pub instructions: Vec<Written>,
    /// In the order of the text; a string of several lines has one for each.
    pub spans: Vec<Span>,
}

/// A module from its text.
///
/// # Errors
/// Every mistake, at least one.
pub fn read(source: &str) -> Result<Module, Vec<Error>> {
    let parsed = parse(source);
    parsed.module.ok_or(parsed.errors)
}

/// A text with everything that is in it.
pub fn parse(source: &str) -> Parsed {
    let (tokens, comments, errors) = lexer::tokens(source);
    let mut parser = Parser::new(source, &tokens);
    parser.errors = errors;
    while parser.at < tokens.len() {
        parser.instruction();
    }
    parser.check_ids();
    let first = tokens.first().map_or(source.len(), |token| token.range.start);
    let header = Header::of(source, &comments, first);
    let module = parser.finish(&header);
    let Parser { mut errors, instructions, mut spans, .. } = parser;
    let spans_of_comments = comments.into_iter().map(|range| Span {
        range: range.start as u32..range.end as u32,
        class: Class::Comment,
        id: 0,
    });
    let before = merged(&mut spans, spans_of_comments.collect());
    let moved = |place: usize| before.get(place).copied().unwrap_or(spans.len());
    let instructions = instructions
        .into_iter()
        .map(|one| Written { spans: moved(one.spans.start)..moved(one.spans.end), ..one })
        .collect();
    errors.sort_by_key(|error| error.range.start);
    errors.truncate(MOST_ERRORS);
    Parsed { module, errors, instructions, spans }
}

/// Puts more spans between those that there are, and says where each of those is then.
fn merged(spans: &mut Vec<Span>, more: Vec<Span>) -> Vec<usize> {
    let mut places = Vec::with_capacity(spans.len());
    let mut all = Vec::with_capacity(spans.len() + more.len());
    let mut more = more.into_iter().peekable();
    for span in spans.drain(..) {
        while let Some(earlier) = more.next_if(|one| one.range.start < span.range.start) {
            all.push(earlier);
        }
        places.push(all.len());
        all.push(span);
    }
    all.extend(more);
    *spans = all;
    places
}

type Step<T> = Result<T, Error>;

struct Parser<'a> {
    source: &'a str,
    tokens: &'a [Token],
    at: usize,
    /// Without the header.
    words: Vec<u32>,
    /// The token that each word comes from.
    origins: Vec<usize>,
    names: FxHashMap<&'a str, u32>,
    /// Numbers that the text gives itself.
    taken: FxHashSet<u32>,
    next: u32,
    highest: u32,
    /// The token that defines an id, and the first that names it.
    defined: FxHashMap<u32, usize>,
    used: FxHashMap<u32, usize>,
    /// Numeric types, the type of each result, and extended sets by id.
    scalars: FxHashMap<u32, Scalar>,
    type_of: FxHashMap<u32, u32>,
    sets: FxHashMap<u32, String>,
    literal_sets: FxHashMap<u32, &'static InstructionTable<ExtInstOp>>,
    errors: Vec<Error>,
    instructions: Vec<Written>,
    spans: Vec<Span>,
}

impl<'a> Parser<'a> {
    fn new(source: &'a str, tokens: &'a [Token]) -> Self {
        let numbers = tokens.iter().filter(|token| token.kind == Kind::Id);
        let taken = numbers.filter_map(|token| numeric(&source[token.range.start + 1..token.range.end]));
        Parser {
            source,
            tokens,
            at: 0,
            words: Vec::new(),
            origins: Vec::new(),
            names: FxHashMap::default(),
            taken: taken.collect(),
            next: 1,
            highest: 0,
            defined: FxHashMap::default(),
            used: FxHashMap::default(),
            scalars: FxHashMap::default(),
            type_of: FxHashMap::default(),
            sets: FxHashMap::default(),
            literal_sets: FxHashMap::default(),
            errors: Vec::new(),
            instructions: Vec::new(),
            spans: Vec::new(),
        }
    }

    fn text(&self, token: usize) -> &'a str {
        self.tokens.get(token).map_or("", |token| &self.source[token.range.clone()])
    }

    fn kind(&self, token: usize) -> Option<Kind> {
        self.tokens.get(token).map(|token| token.kind)
    }

    /// Whether an instruction starts here. A name of an instruction always does, as does `%id =`; a word that is copied as it is does
    /// at the start of a line.
    fn starts(&self, token: usize) -> bool {
        let Some(Token { kind, first, .. }) = self.tokens.get(token) else { return true };
        match kind {
            Kind::Word => is_name(self.text(token)),
            Kind::Id => self.kind(token + 1) == Some(Kind::Equals),
            Kind::Raw => *first,
            Kind::String | Kind::Equals => false,
        }
    }

    fn is_at_end(&self) -> bool {
        self.starts(self.at)
    }

    /// A mistake at the next token: what was expected there.
    fn expected(&self, expected: &str) -> Error {
        let message = match self.tokens.get(self.at) {
            Some(_) if !self.is_at_end() => format!("expected {expected}, found `{}`", self.shown(self.at)),
            Some(_) => format!("expected {expected}, found the end of the instruction"),
            None => format!("expected {expected}, found the end of the file"),
        };
        Error { range: self.range_here(), message }
    }

    /// The next token of the instruction, or the last one where it ends.
    fn range_here(&self) -> Range<usize> {
        let here = if self.is_at_end() { self.at.saturating_sub(1) } else { self.at };
        self.tokens.get(here).map_or(self.source.len()..self.source.len(), |token| token.range.clone())
    }

    /// A token for a message.
    fn shown(&self, token: usize) -> String {
        let text = self.text(token);
        let line = text.lines().next().unwrap_or_default();
        match line.char_indices().nth(40) {
            Some((cut, _)) => format!("{}…", &line[..cut]),
            None if line.len() < text.len() => format!("{line}…"),
            None => line.to_owned(),
        }
    }

    fn error_at(&self, token: usize, message: String) -> Error {
        let end = self.source.len();
        Error { range: self.tokens.get(token).map_or(end..end, |token| token.range.clone()), message }
    }

    /// Colours a token, and goes on to the next one.
    fn take(&mut self, class: Class, id: u32) {
        if let Some(Token { range, .. }) = self.tokens.get(self.at) {
            let mut start = range.start;
            for line in self.source[range.clone()].split_inclusive('\n') {
                let length = line.trim_end_matches(['\r', '\n']).len();
                if length > 0 {
                    self.spans.push(Span { range: start as u32..(start + length) as u32, class, id });
                }
                start += line.len();
            }
        }
        self.at += 1;
    }

    /// A word that comes from a token.
    fn push(&mut self, word: u32, token: usize) {
        self.words.push(word);
        self.origins.push(token);
    }

    /// The number of an id that is written `%name`; nothing where it cannot be one.
    fn id_of(&mut self, token: usize) -> Step<u32> {
        let name = self.text(token).strip_prefix('%').unwrap_or_default();
        let allowed = |character: char| character.is_ascii_alphanumeric() || character == '_';
        if name.is_empty() || !name.chars().all(allowed) {
            let message = format!(
                "`%{name}` is not a valid id: expected `%` and a name of letters, digits and underscores, or a number"
            );
            return Err(self.error_at(token, message));
        }
        let number = match (numeric(name), self.names.get(name)) {
            (Some(number), _) => number,
            (None, Some(&number)) => number,
            (None, None) => {
                while self.taken.contains(&self.next) {
                    self.next += 1;
                }
                self.next += 1;
                self.names.insert(name, self.next - 1);
                self.next - 1
            }
        };
        if number >= crate::MAXIMUM_BOUND {
            let most = crate::MAXIMUM_BOUND - 1;
            return Err(self.error_at(token, format!("ids go up to {most}, found %{name}")));
        }
        self.highest = self.highest.max(number);
        Ok(number)
    }

    /// Reads one instruction, or skips what is none up to the next one.
    fn instruction(&mut self) {
        let (first, spans, words) = (self.at, self.spans.len(), self.words.len());
        let mut opcode = None;
        if let Err(error) = self.one(&mut opcode) {
            if self.errors.len() <= MOST_ERRORS {
                self.errors.push(error);
            }
            self.words.truncate(words);
            self.origins.truncate(words);
            self.at = self.at.max(first);
            // What is left is coloured by what it looks like.
            while self.at < self.tokens.len() && (self.at == first || !self.is_at_end()) {
                self.leftover();
            }
        }
        let range = |token: usize| self.tokens.get(token).map(|token| token.range.clone());
        if let (Some(start), Some(end)) = (range(first), range(self.at.saturating_sub(1))) {
            self.instructions.push(Written {
                range: start.start..end.end,
                spans: spans..self.spans.len(),
                opcode,
            });
        }
    }

    fn leftover(&mut self) {
        match self.kind(self.at) {
            Some(Kind::Id) => {
                let defines = self.kind(self.at + 1) == Some(Kind::Equals);
                let id = self.id_of(self.at).unwrap_or(0);
                if defines {
                    self.defined.entry(id).or_insert(self.at);
                }
                self.take(if defines { Class::Result } else { Class::Id }, id);
            }
            Some(Kind::String) => self.take(Class::String, 0),
            Some(Kind::Raw) => self.take(Class::Number, 0),
            Some(Kind::Word) => match self.text(self.at) {
                text if is_name(text) => self.take(Class::Opcode, 0),
                text if literals::anything(text).is_some() => self.take(Class::Number, 0),
                _ => self.take(Class::Enumerant, 0),
            },
            Some(Kind::Equals) | None => self.at += 1,
        }
    }

    fn one(&mut self, opcode: &mut Option<u16>) -> Step<()> {
        let first = self.at;
        let result = match (self.kind(first), self.kind(first + 1)) {
            (Some(Kind::Id), Some(Kind::Equals)) => {
                let id = self.id_of(first)?;
                self.take(Class::Result, id);
                if let Some(&other) = self.defined.get(&id) {
                    let range = self.tokens.get(other).map_or(0..0, |token| token.range.clone());
                    let (line, _) = Error { range, message: String::new() }.position(self.source);
                    let name = self.text(first);
                    return Err(self.error_at(first, format!("{name} is already defined, in line {line}")));
                }
                self.defined.insert(id, first);
                self.at += 1;
                Some((id, first))
            }
            _ => None,
        };
        match self.kind(self.at) {
            Some(Kind::Raw) if result.is_none() => return self.raw_instruction(),
            Some(Kind::Word) if is_name(self.text(self.at)) => {}
            _ => {
                let expected = match result {
                    Some(_) => "the name of an instruction, such as OpTypeFloat",
                    None => "an instruction, such as `OpCapability Shader` or `%float = OpTypeFloat 32`",
                };
                let shown = self.shown(self.at);
                let found = if self.at < self.tokens.len() {
                    format!("`{shown}`")
                } else {
                    "the end of the file".into()
                };
                return Err(self.error_at(
                    self.at.min(self.tokens.len() - 1),
                    format!("expected {expected}, found {found}"),
                ));
            }
        }
        let name = self.text(self.at);
        let token = self.at;
        let Some(number) = crate::instruction::number(&name[2..]) else {
            self.take(Class::Opcode, 0);
            return Err(self.error_at(token, format!("there is no instruction {name}")));
        };
        *opcode = Some(number);
        self.take(Class::Opcode, 0);
        self.operands(number, token, result)
    }

    /// Words that are copied as they are, in place of an instruction.
    fn raw_instruction(&mut self) -> Step<()> {
        let word = self.raw_word()?;
        self.take(Class::Opcode, 0);
        let start = self.words.len();
        self.push(word, self.at - 1);
        self.anything()?;
        let (given, count) = ((word >> 16) as usize, self.words.len() - start);
        if given != count {
            let message = format!(
                "the first word of this instruction says that it has {given} words, but it has {count}: expected !{:#010x}",
                (count as u32) << 16 | word & 0xFFFF
            );
            return Err(self.error_at(self.at - 1, message));
        }
        Ok(())
    }

    /// Tells of ids that are used and not defined.
    fn check_ids(&mut self) {
        let mut missing: Vec<usize> =
            self.used.iter().filter(|(id, _)| !self.defined.contains_key(id)).map(|(_, &at)| at).collect();
        missing.sort_unstable();
        missing.truncate(MOST_ERRORS);
        for token in missing {
            let name = self.text(token);
            let message = format!("no instruction defines {name}: expected one with `{name} =`");
            self.errors.push(self.error_at(token, message));
        }
    }

    /// The module that the words are, where nothing was wrong so far.
    fn finish(&mut self, header: &Header) -> Option<Module> {
        if !self.errors.is_empty() {
            return None;
        }
        let bound = header.bound.max(self.highest + 1);
        let mut words = vec![MAGIC_NUMBER, header.version, header.generator, bound, header.schema];
        words.extend(&self.words);
        let at = |word: usize| {
            let origin = word.checked_sub(5).and_then(|word| self.origins.get(word)).or(self.origins.last());
            origin.copied().unwrap_or_default()
        };
        let module = match crate::load(&words) {
            Ok(module) => module,
            Err(error) => {
                let message = format!("expected {}, found {}", error.expected, error.found);
                self.errors.push(self.error_at(at(error.word), message));
                return None;
            }
        };
        // A module keeps its instructions by section; what stands in another order in the text is not where it belongs.
        let written = crate::assemble(&module).unwrap_or_default();
        if let Some(word) = (0..words.len()).find(|&word| words.get(word) != written.get(word)) {
            let message = "this instruction does not belong here: the order is capabilities, extensions, imports, the memory model, \
                           entry points, execution modes, sources, names, decorations, then types, constants and variables, then \
                           functions (SPIR-V, 2.4)";
            self.errors.push(self.error_at(at(word), message.to_owned()));
            return None;
        }
        Some(module)
    }
}

/// The number of an id that is written as one.
fn numeric(name: &str) -> Option<u32> {
    let is_plain = name.bytes().all(|byte| byte.is_ascii_digit()) && (name == "0" || !name.starts_with('0'));
    // What is too long is beyond every bound.
    is_plain.then(|| name.parse().unwrap_or(u32::MAX))
}

/// Whether a word is written as the name of an instruction is.
fn is_name(word: &str) -> bool {
    word.strip_prefix("Op").is_some_and(|rest| rest.starts_with(|first: char| first.is_ascii_uppercase()))
}

/// What a kind of operand is called in messages.
fn kind_name(kind: OperandKind) -> String {
    match kind {
        OperandKind::IdScope => "the id of a scope".to_owned(),
        OperandKind::IdMemorySemantics => "the id of memory semantics".to_owned(),
        OperandKind::LiteralString => "a string in quotes".to_owned(),
        _ => "an id, such as %1".to_owned(),
    }
}
