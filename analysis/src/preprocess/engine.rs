//! Walks the files of a run and writes the expanded text.

use std::ops::Range;
use std::sync::Arc;

use rustc_hash::FxHashSet;

use crate::config::Configuration;
use crate::diagnostics::Diagnostic;
use crate::lex::{TokenKind, is_identifier_byte, without_splices};
use crate::sources::{FileLoader, SourceFiles};
use crate::text::{FileId, FileRange, TextRange, TextSize};

use super::cache::PreprocessCache;
use super::expand::{Bottom, Context, Tok};
use super::source_map::{Expansion, FIRST_VIRTUAL, Inclusion, NONE, Piece, SourceMap};
use super::tokens::{DirectiveKind, Item, LexedFile, MacroSyntax, Symbol, Token, flags, range};
use super::{
    ExtensionEvent, Include, LineDirective, MacroDefinition, MacroId, MacroOrigin, MacroUse, MacroUseKind,
    Pragma, Preprocessed, Profile, Special, Version,
};

/// Buffers that are no files.
pub(super) const COMMAND_LINE: u32 = FIRST_VIRTUAL;
pub(super) const SCRATCH: u32 = FIRST_VIRTUAL + 1;
pub(super) const BUILTIN: u32 = FIRST_VIRTUAL + 2;

/// The bounds of a run. Real shaders stay far below: the largest known ones expand to about 100 KB.
pub(super) mod limits {
    /// Bytes of the expanded text.
    pub const OUTPUT: usize = 8 << 20;
    /// Bytes of one file.
    pub const FILE: usize = 16 << 20;
    /// Bytes of all included files together.
    pub const INCLUDED: usize = 32 << 20;
    /// Tokens that macro expansion may touch.
    pub const EXPANSION_STEPS: u64 = 2 << 20;
    /// Tokens and directives of files, each time that a file is read.
    pub const STEPS: u64 = 64 << 20;
    /// Files inside files.
    pub const INCLUDE_DEPTH: u32 = 100;
    /// Inclusions in all.
    pub const INCLUSIONS: usize = 10_000;
    /// Macro calls inside macro arguments.
    pub const CALL_DEPTH: u32 = 100;
    /// Macros inside macro bodies.
    pub const CONTEXTS: usize = 1_000;
    /// Diagnostics of one run.
    pub const DIAGNOSTICS: usize = 1_000;
}

/// In the table of macros: defined, but its entry in the list is made when it is used.
const EXTENSION_MACRO: u32 = u32::MAX;

pub(super) struct Engine<'a> {
    pub cache: &'a PreprocessCache,
    pub config: &'a Configuration,
    pub loader: &'a dyn FileLoader,

    pub files: SourceFiles,
    pub lexed: Vec<Arc<LexedFile>>,
    pub once: FxHashSet<FileId>,
    command_line: String,
    pub scratch: String,

    /// For each symbol the index of its macro plus one, or 0.
    table: Vec<u32>,
    pub macros: Vec<MacroDefinition>,
    /// For each macro, how often it is being expanded.
    pub busy: Vec<u32>,

    pub out: String,
    pub pieces: Vec<Piece>,
    pub expansions: Vec<Expansion>,
    pub inclusions: Vec<Inclusion>,
    frames: Vec<Frame>,
    /// What is to be read before the root's own text, the first last, until it is.
    preamble: Vec<FileId>,
    /// Where the preamble is read, once that is known.
    preamble_place: Option<FileRange>,
    /// Of the file that is being read.
    pub file: FileId,
    pub inclusion: u32,

    pub contexts: Vec<Context>,
    pub pool: Vec<Vec<Tok>>,
    pub call_depth: u32,
    pub in_condition: bool,
    pub expansion_steps: u64,
    pub steps: u64,
    pub stopped: bool,
    pub includes_stopped: bool,
    pub included_bytes: usize,
    pub expansion_depth_reported: bool,

    /// Whether anything but white space and comments came before.
    pub begun: bool,
    pub version: Option<Version>,
    pub include_enabled: bool,
    pub spirv_intrinsics: bool,
    /// `#line`: what is added to a physical line, and the source's number.
    pub line_shift: i64,
    pub source_number: i32,

    pub macro_uses: Vec<MacroUse>,
    pub includes: Vec<Include>,
    inactive: Vec<(u32, TextRange)>,
    pub extensions: Vec<ExtensionEvent>,
    pub pragmas: Vec<Pragma>,
    pub lines: Vec<LineDirective>,
    pub diagnostics: Vec<Diagnostic>,
}

struct Frame {
    file: FileId,
    inclusion: u32,
    lexed: Arc<LexedFile>,
    item: usize,
    line_shift: i64,
    source_number: i32,
}

impl<'a> Engine<'a> {
    pub fn new(
        cache: &'a PreprocessCache,
        config: &'a Configuration,
        loader: &'a dyn FileLoader,
    ) -> Engine<'a> {
        Engine {
            cache,
            config,
            loader,
            files: SourceFiles::default(),
            lexed: Vec::new(),
            once: FxHashSet::default(),
            command_line: String::new(),
            scratch: String::new(),
            table: Vec::new(),
            macros: Vec::new(),
            busy: Vec::new(),
            out: String::new(),
            pieces: Vec::new(),
            expansions: Vec::new(),
            inclusions: Vec::new(),
            frames: Vec::new(),
            preamble: Vec::new(),
            preamble_place: None,
            file: FileId::ROOT,
            inclusion: 0,
            contexts: Vec::new(),
            pool: Vec::new(),
            call_depth: 0,
            in_condition: false,
            expansion_steps: 0,
            steps: 0,
            stopped: false,
            includes_stopped: false,
            included_bytes: 0,
            expansion_depth_reported: false,
            begun: false,
            version: None,
            include_enabled: config.google_include,
            spirv_intrinsics: false,
            line_shift: 0,
            source_number: 0,
            macro_uses: Vec::new(),
            includes: Vec::new(),
            inactive: Vec::new(),
            extensions: Vec::new(),
            pragmas: Vec::new(),
            lines: Vec::new(),
            diagnostics: Vec::new(),
        }
    }

    pub fn run(mut self, root_path: &str, text: Arc<str>) -> Preprocessed {
        let too_large = text.len() > limits::FILE;
        let text = if too_large { Arc::from("") } else { text };
        self.out.reserve(text.len() * 2);
        let root = self.add_file(root_path, text);
        if too_large {
            self.file_too_large(FileRange { file: root, range: range(0, 0) });
        }
        self.predefine();
        let nowhere = FileRange { file: root, range: range(0, 0) };
        self.inclusions.push(Inclusion { file: root, parent: NONE, depth: 0, directive: nowhere });
        self.enter(root, 0);
        self.prepare_preamble(root);
        while !self.stopped && self.step_file() {}
        self.finish()
    }

    pub fn add_file(&mut self, path: &str, text: Arc<str>) -> FileId {
        let id = self.files.add(path, text.clone());
        if id.0 as usize == self.lexed.len() {
            self.lexed.push(self.cache.lex(&text));
        }
        id
    }

    /// Macros that exist before the first line.
    fn predefine(&mut self) {
        let cache = self.cache;
        self.table = vec![0; cache.symbol_count() + 64];
        for syntax in &cache.extension_macros.desktop {
            self.table[syntax.symbol.0 as usize] = EXTENSION_MACRO;
        }
        let builtins = &cache.builtins;
        for (syntax, special) in [
            (&builtins.line, Special::Line),
            (&builtins.file, Special::File),
            (&builtins.version, Special::Version),
            (&builtins.vulkan, Special::No),
            (&builtins.core, Special::No),
        ] {
            self.define(syntax.clone(), MacroOrigin::Builtin, BUILTIN, special);
        }
        for (name, value) in &self.config.defines {
            self.command_line.push_str("#define ");
            self.command_line.push_str(name);
            self.command_line.push(' ');
            let value = value.as_deref().unwrap_or_default();
            self.command_line.extend(value.chars().map(|c| if matches!(c, '\n' | '\r') { ' ' } else { c }));
            self.command_line.push('\n');
        }
        if !self.command_line.is_empty() {
            let lexed = self.cache.lex_once(&self.command_line);
            for syntax in lexed.macros {
                if syntax.symbol != Symbol::NONE {
                    self.define(syntax, MacroOrigin::CommandLine, COMMAND_LINE, Special::No);
                }
            }
        }
    }

    pub fn define(&mut self, syntax: Arc<MacroSyntax>, origin: MacroOrigin, buffer: u32, special: Special) {
        let symbol = syntax.symbol;
        self.macros.push(MacroDefinition { syntax, origin, special, buffer });
        self.busy.push(0);
        let entry = self.macros.len() as u32;
        self.set_entry(symbol, entry);
    }

    pub fn undefine(&mut self, symbol: Symbol) {
        self.set_entry(symbol, 0);
    }

    fn set_entry(&mut self, symbol: Symbol, entry: u32) {
        let index = symbol.0 as usize;
        if index >= self.table.len() {
            self.table.resize(index + 64, 0);
        }
        self.table[index] = entry;
    }

    pub fn lookup(&mut self, symbol: Symbol) -> Option<MacroId> {
        match self.table.get(symbol.0 as usize).copied().unwrap_or(0) {
            0 => None,
            EXTENSION_MACRO => {
                let macros = &self.cache.extension_macros;
                let list = if self.is_es() { &macros.es } else { &macros.desktop };
                let syntax = list.iter().find(|syntax| syntax.symbol == symbol)?;
                self.define(syntax.clone(), MacroOrigin::Builtin, BUILTIN, Special::No);
                Some(MacroId(self.macros.len() as u32 - 1))
            }
            entry => Some(MacroId(entry - 1)),
        }
    }

    pub fn is_es(&self) -> bool {
        self.version.is_some_and(|version| version.profile == Profile::Es)
    }

    /// Replaces the macros of extensions by those that GLSL ES has.
    pub fn use_es_extensions(&mut self) {
        let cache = self.cache;
        for syntax in &cache.extension_macros.desktop {
            let symbol = syntax.symbol;
            if self.table.get(symbol.0 as usize) == Some(&EXTENSION_MACRO) {
                self.set_entry(symbol, 0);
            }
        }
        for syntax in &cache.extension_macros.es {
            if !self.is_defined(syntax.symbol) {
                self.set_entry(syntax.symbol, EXTENSION_MACRO);
            }
        }
    }

    pub fn is_defined(&self, symbol: Symbol) -> bool {
        self.table.get(symbol.0 as usize).copied().unwrap_or(0) != 0
    }

    /// Starts to read a file.
    pub fn enter(&mut self, file: FileId, inclusion: u32) {
        if let Some(top) = self.frames.last_mut() {
            top.line_shift = self.line_shift;
            top.source_number = self.source_number;
        }
        let lexed = self.lexed[file.0 as usize].clone();
        self.frames.push(Frame { file, inclusion, lexed, item: 0, line_shift: 0, source_number: 0 });
        self.file = file;
        self.inclusion = inclusion;
        self.line_shift = 0;
        self.lexical_problems();
    }

    /// Loads what is read before the root's own text, and reads it where no `#version` comes before it.
    fn prepare_preamble(&mut self, root: FileId) {
        let nowhere = FileRange { file: root, range: range(0, 0) };
        let preamble = &self.config.preamble;
        if let Some(excerpts) = &preamble.text
            && self.files.find(&excerpts.path).is_none()
        {
            let file = self.add_file(&excerpts.path, excerpts.text().clone());
            self.preamble.push(file);
        }
        let mut missing = Vec::new();
        for path in &preamble.files {
            match self.find_include(std::slice::from_ref(path), nowhere) {
                // A file of the preamble that is looked at by itself.
                Some(file) if file == root => {}
                Some(file) => self.preamble.push(file),
                None if self.includes_stopped => {}
                None => missing.push(path.as_str()),
            }
        }
        self.preambles_not_found(nowhere, &missing);
        self.preamble.reverse();
        let kind = |item: &Item| match item {
            Item::Directive(directive) => Some(directive.kind),
            Item::Text(_) => None,
        };
        let items = |file: FileId| self.lexed[file.0 as usize].items.iter();
        let has_version = |file: &FileId| items(*file).any(|item| kind(item) == Some(DirectiveKind::Version));
        // Where anything else comes first, the version is not where it has to be, and may not be reached.
        let begins_with_version = items(root).find_map(kind) == Some(DirectiveKind::Version);
        let given = has_version(&root) || self.preamble.iter().any(has_version);
        if let Some(version) = self.config.version.filter(|_| !given) {
            self.set_version(version, nowhere);
        }
        if !begins_with_version || preamble.at_start {
            self.read_preamble(nowhere);
        }
    }

    /// Reads the preamble next, unless it is being read or was.
    pub fn read_preamble(&mut self, place: FileRange) {
        self.preamble_place.get_or_insert(place);
    }

    /// Starts with the next file of the preamble, once it is to be read and the one before it has ended.
    fn next_of_preamble(&mut self) {
        while let (Some(directive), 1) = (self.preamble_place, self.frames.len()) {
            let Some(file) = self.preamble.pop() else { return };
            if !self.once.contains(&file) {
                self.inclusions.push(Inclusion { file, parent: 0, depth: 1, directive });
                self.enter(file, self.inclusions.len() as u32 - 1);
            }
        }
    }

    pub fn is_being_read(&self, file: FileId) -> bool {
        self.frames.iter().any(|frame| frame.file == file)
    }

    /// Handles the next item of the current file; false when all files are done.
    fn step_file(&mut self) -> bool {
        self.next_of_preamble();
        let Some(frame) = self.frames.last_mut() else { return false };
        let lexed = frame.lexed.clone();
        let Some(item) = lexed.items.get(frame.item) else {
            self.frames.pop();
            if let Some(frame) = self.frames.last() {
                self.file = frame.file;
                self.inclusion = frame.inclusion;
                self.line_shift = frame.line_shift;
                self.source_number = frame.source_number;
            }
            return true;
        };
        let index = frame.item;
        frame.item += 1;
        match item {
            Item::Text(tokens) => {
                self.begun = true;
                self.count_steps(u64::from(tokens.end - tokens.start));
                self.copy_text(&lexed, tokens);
            }
            Item::Directive(directive) => {
                // A directive leaves more behind than a token.
                self.count_steps(16);
                match directive.kind {
                    DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                        self.begun = true;
                        self.choose_branch(&lexed, index);
                    }
                    // The branch that was taken ends here.
                    DirectiveKind::Elif | DirectiveKind::Else => self.skip_branches(&lexed, index),
                    DirectiveKind::Endif => self.no_more_tokens(&lexed, directive),
                    _ => self.directive(&lexed, directive),
                }
            }
        }
        true
    }

    /// Continues at the first branch whose condition holds, or behind the `#endif`.
    fn choose_branch(&mut self, lexed: &LexedFile, first: usize) {
        let mut at = first;
        while let Some(directive) = lexed.directive(at) {
            self.count_steps(1);
            let taken = match directive.kind {
                DirectiveKind::Endif => {
                    self.no_more_tokens(lexed, directive);
                    true
                }
                DirectiveKind::Else => {
                    self.no_more_tokens(lexed, directive);
                    true
                }
                _ => self.condition(lexed, directive),
            };
            if taken || self.stopped {
                self.go_to(at + 1);
                return;
            }
            at = self.skip_branch(lexed, at);
        }
        self.go_to(lexed.items.len());
    }

    /// Skips all branches from `at` on: one before them was taken.
    fn skip_branches(&mut self, lexed: &LexedFile, first: usize) {
        let mut at = first;
        // A stray branch belongs to no conditional and is passed over.
        if lexed.directive(at).is_some_and(|directive| directive.next == u32::MAX) {
            return;
        }
        while let Some(directive) = lexed.directive(at) {
            self.count_steps(1);
            if directive.kind == DirectiveKind::Endif {
                self.no_more_tokens(lexed, directive);
                self.go_to(at + 1);
                return;
            }
            if directive.kind == DirectiveKind::Else {
                self.no_more_tokens(lexed, directive);
            }
            at = self.skip_branch(lexed, at);
        }
        self.go_to(lexed.items.len());
    }

    /// Records the body of the branch at `at` as inactive; gives the next branch.
    fn skip_branch(&mut self, lexed: &LexedFile, at: usize) -> usize {
        let Some(directive) = lexed.directive(at) else { return usize::MAX };
        let next = lexed.directive(directive.next as usize);
        let end = match next {
            Some(next) => u32::from(next.range.start()),
            None => self.files[self.file].text.len() as u32,
        };
        if directive.line_end < end {
            self.inactive.push((self.inclusion, range(directive.line_end, end)));
        }
        next.map_or(usize::MAX, |_| directive.next as usize)
    }

    fn go_to(&mut self, item: usize) {
        if let Some(frame) = self.frames.last_mut() {
            frame.item = item;
        }
    }

    fn count_steps(&mut self, steps: u64) {
        self.steps += steps;
        if self.steps > limits::STEPS && !self.stopped {
            self.output_limit();
        }
    }

    /// Copies tokens outside directives, replacing macros.
    fn copy_text(&mut self, lexed: &LexedFile, tokens: &Range<u32>) {
        const SEAM: u8 = flags::GAP | flags::SPLICED;
        let tokens = lexed.slice(tokens);
        let Some(first) = tokens.first() else { return };
        let text = self.files[self.file].text.clone();
        let bytes = text.as_bytes();
        let mut bottom = Bottom::new(tokens, self.file.0);
        self.new_line();
        // Where the run that is to be copied starts.
        let mut run = before_blanks(bytes, first.start);
        let mut at = 0;
        while let Some(token) = tokens.get(at) {
            let plain = token.flags & SEAM == 0;
            if plain && token.kind != TokenKind::Identifier && !means_nothing(token.kind) {
                at += 1;
                continue;
            }
            if token.has(flags::GAP) && at > 0 {
                self.copy(&text, run, tokens[at - 1].end);
                if token.has(flags::FIRST) {
                    self.new_line();
                    run = before_blanks(bytes, token.start);
                } else {
                    self.out.push(' ');
                    run = token.start;
                }
            }
            let call = token.kind == TokenKind::Identifier
                && self.is_defined(token.symbol)
                && self.is_call(token, tokens.get(at + 1));
            if call {
                self.copy(&text, run, token.start);
                bottom.at = at;
                self.expand_text(&mut bottom);
                if self.stopped {
                    return;
                }
                at = bottom.at.max(at + 1);
                run = tokens[at - 1].end;
                if bytes.get(run as usize).is_some_and(|&next| self.would_join(next)) {
                    self.out.push(' ');
                }
                continue;
            }
            if means_nothing(token.kind) {
                self.copy(&text, run, token.start);
                let character = text.get(token.start as usize..).and_then(|rest| rest.chars().next());
                self.invalid_character(FileRange { file: self.file, range: token.range() }, character);
                self.out.push(' ');
                run = token.end;
                // The rest of a line that was to be a directive is none of the program's.
                while token.kind != TokenKind::Unknown
                    && let Some(next) = tokens.get(at + 1)
                    && !next.has(flags::FIRST)
                {
                    run = next.end;
                    at += 1;
                }
            } else if token.has(flags::SPLICED) {
                self.copy(&text, run, token.start);
                self.copy_spliced(&text, token);
                run = token.end;
            }
            at += 1;
        }
        if let Some(last) = tokens.last() {
            self.copy(&text, run, last.end);
        }
    }

    /// Whether a macro's name starts a call; a function-like macro needs arguments.
    fn is_call(&mut self, name: &Token, next: Option<&Token>) -> bool {
        let Some(id) = self.lookup(name.symbol) else { return false };
        self.macros[id.0 as usize].syntax.parameters.is_none()
            || next.is_some_and(|next| next.kind == TokenKind::LeftParen)
    }

    /// Expands the macro call at `bottom.at` into the output.
    fn expand_text(&mut self, bottom: &mut Bottom<'_>) {
        let before = self.out.len();
        let first_use = self.macro_uses.len();
        let first_expansion = self.expansions.len() as u32;
        let mut result = self.pool.pop().unwrap_or_default();
        self.expand_call(bottom, &mut result);
        for token in &result {
            self.emit(token);
            if self.stopped {
                break;
            }
        }
        result.clear();
        self.pool.push(result);
        // The call in the text is the first that was expanded; its place in the output is known only now.
        let end = self.out.len() as u32;
        let start =
            before as u32 + u32::from(end > before as u32 && self.out.as_bytes().get(before) == Some(&b' '));
        for usage in self.macro_uses.get_mut(first_use..).unwrap_or_default() {
            if usage.expansion == first_expansion {
                usage.expanded = Some(range(start.min(end), end));
            }
            let expansion = &self.expansions[usage.expansion as usize];
            if expansion.root == usage.expansion && expansion.buffer == usage.name.file.0 {
                usage.range.range = range(expansion.start, expansion.end);
            }
        }
    }

    fn copy(&mut self, text: &str, from: u32, to: u32) {
        if from >= to {
            return;
        }
        let start = self.out.len() as u32;
        self.out.push_str(text.get(from as usize..to as usize).unwrap_or_default());
        self.push_piece(Piece::copied(start, to - from, self.file, from, self.inclusion));
    }

    fn copy_spliced(&mut self, text: &str, token: &Token) {
        let start = self.out.len() as u32;
        let raw = text.get(token.start as usize..token.end as usize).unwrap_or_default();
        self.out.push_str(&without_splices(raw));
        let len = self.out.len() as u32 - start;
        self.push_piece(Piece::copied(start, len, self.file, token.start, self.inclusion));
    }

    fn push_piece(&mut self, piece: Piece) {
        match self.pieces.last_mut() {
            Some(last) if last.continued_by(&piece) => last.len = piece.start + piece.len - last.start,
            _ => self.pieces.push(piece),
        }
        if self.out.len() > limits::OUTPUT && !self.stopped {
            self.output_limit();
        }
    }

    /// Writes a token of an expansion.
    fn emit(&mut self, token: &Tok) {
        if means_nothing(token.kind) {
            self.invalid_character(self.blame(token), self.text_of(token).chars().next());
            return;
        }
        let spelled = text_of(&self.files, self.cache, &self.command_line, &self.scratch, token);
        let clean;
        let text = if token.has(flags::SPLICED) {
            clean = without_splices(spelled);
            clean.as_str()
        } else {
            spelled
        };
        let Some(&first) = text.as_bytes().first() else { return };
        let last = self.out.as_bytes().last().copied().unwrap_or(b'\n');
        if !last.is_ascii_whitespace() && (token.has(flags::SPACE) || joins(last, first)) {
            self.out.push(' ');
        }
        let start = self.out.len() as u32;
        self.out.push_str(text);
        let len = text.len() as u32;
        let piece = if token.expansion == NONE {
            Piece::copied(start, len, FileId(token.buffer), token.start, self.inclusion)
        } else {
            Piece::expanded(start, len, token.buffer, token.start, token.expansion, token.has(flags::IN_BODY))
        };
        self.push_piece(piece);
    }

    pub fn text_of(&self, token: &Tok) -> &str {
        text_of(&self.files, self.cache, &self.command_line, &self.scratch, token)
    }

    fn new_line(&mut self) {
        if !self.out.is_empty() && !self.out.ends_with('\n') {
            self.out.push('\n');
        }
    }

    fn would_join(&self, next: u8) -> bool {
        self.out.as_bytes().last().is_some_and(|&last| joins(last, next))
    }

    /// The line of an offset of the current file, as `__LINE__` has it.
    pub fn line_of(&self, offset: u32) -> i64 {
        let line = self.files[self.file].line_index().line_col(TextSize::new(offset)).line;
        i64::from(line) + 1 + self.line_shift
    }

    pub fn record_use(&mut self, kind: MacroUseKind, definition: MacroId, name: FileRange, expansion: u32) {
        self.macro_uses.push(MacroUse { kind, definition, name, range: name, expanded: None, expansion });
    }

    fn finish(mut self) -> Preprocessed {
        if self.stopped {
            self.out = String::new();
            self.pieces.clear();
            for usage in &mut self.macro_uses {
                usage.expanded = None;
            }
        } else {
            self.new_line();
        }
        self.macro_uses.sort_by_key(|usage| (usage.name.file, usage.name.range.start()));
        self.macro_uses.dedup_by_key(|usage| usage.name);
        let inactive = self.inactive_everywhere();
        let mut diagnostics = self.diagnostics;
        diagnostics.sort_by_key(|diagnostic| {
            (diagnostic.location.file, diagnostic.location.range.start(), diagnostic.code.id)
        });
        // A header that is read twice is wrong once.
        diagnostics.dedup_by(|b, a| a.code == b.code && a.location == b.location);
        Preprocessed {
            files: self.files,
            text: self.out,
            map: SourceMap {
                pieces: self.pieces,
                expansions: self.expansions,
                inclusions: self.inclusions,
                by_file: Default::default(),
            },
            macros: self.macros,
            macro_uses: self.macro_uses,
            includes: self.includes,
            inactive,
            extensions: self.extensions,
            version: self.version,
            pragmas: self.pragmas,
            lines: self.lines,
            diagnostics,
            incomplete: self.stopped,
            lexed: self.lexed,
        }
    }

    /// What no inclusion of a file kept.
    fn inactive_everywhere(&mut self) -> Vec<FileRange> {
        let mut inclusions_of = vec![0_u32; self.files.len()];
        for inclusion in &self.inclusions {
            inclusions_of[inclusion.file.0 as usize] += 1;
        }
        // For each file the boundaries of its regions: +1 where one begins, -1 where it ends.
        let mut edges: Vec<(FileId, TextSize, i32)> = Vec::with_capacity(self.inactive.len() * 2);
        for &(inclusion, range) in &self.inactive {
            let file = self.inclusions[inclusion as usize].file;
            edges.push((file, range.start(), 1));
            edges.push((file, range.end(), -1));
        }
        edges.sort_unstable();
        let mut result = Vec::new();
        let (mut depth, mut start, mut current) = (0_i32, TextSize::new(0), FileId::ROOT);
        for (file, at, change) in edges {
            if file != current {
                (depth, current) = (0, file);
            }
            let all = inclusions_of[file.0 as usize] as i32;
            let before = depth;
            depth += change;
            if before < all && depth == all {
                start = at;
            } else if before == all && depth < all && start < at {
                result.push(FileRange { file, range: TextRange::new(start, at) });
            }
        }
        result
    }
}

fn text_of<'t>(
    files: &'t SourceFiles,
    cache: &'t PreprocessCache,
    command_line: &'t str,
    scratch: &'t str,
    token: &Tok,
) -> &'t str {
    let text = match token.buffer {
        COMMAND_LINE => command_line,
        SCRATCH => scratch,
        BUILTIN => &cache.builtin_text,
        file => &files[FileId(file)].text,
    };
    text.get(token.start as usize..token.end as usize).unwrap_or_default()
}

/// Whether a token is no part of the language outside directives.
fn means_nothing(kind: TokenKind) -> bool {
    matches!(kind, TokenKind::Unknown | TokenKind::Hash | TokenKind::HashHash)
}

/// The start of the blanks before an offset.
fn before_blanks(bytes: &[u8], mut at: u32) -> u32 {
    while at > 0 && matches!(bytes.get(at as usize - 1), Some(b' ' | b'\t')) {
        at -= 1;
    }
    at
}

/// Whether two tokens would become another when nothing stands between them.
fn joins(last: u8, first: u8) -> bool {
    if is_identifier_byte(last) {
        return is_identifier_byte(first) || (first == b'.' && last.is_ascii_digit());
    }
    match last {
        b'.' => first.is_ascii_digit(),
        b'+' | b'-' | b'*' | b'/' | b'%' | b'<' | b'>' | b'=' | b'!' | b'&' | b'|' | b'^' | b'#' => {
            matches!(first, b'+' | b'-' | b'*' | b'/' | b'<' | b'>' | b'=' | b'&' | b'|' | b'^' | b'#')
        }
        _ => false,
    }
}
