//! What hangs on a guess. Where nobody has said how a shader is built, names that only a macro could bring, headers that are not found, and
//! what follows from them, are one note rather than errors: the build knows what is missing, and we do not.
//!
//! A name hangs on the guess where there is a reason to think that the build brings it:
//!
//! - it is declared in a branch that is left out because nothing defines a macro of its condition;
//! - it is written as macros are, in capitals;
//! - it is used as nothing can be that a shader declares ([`UnknownName::only_macro`]);
//! - any name may come from elsewhere: a header is missing, or the file is not a whole shader.
//!
//! A name that is close to a declared one, or to a macro that is defined, is a mistake all the same, unless a branch that is left out declares it.

use std::cell::{OnceCell, RefCell};
use std::cmp::Reverse;

use rustc_hash::{FxHashMap, FxHashSet};
use smol_str::SmolStr;

use crate::analysis::Analysis;
use crate::diagnostics::{Diagnostic, Related, Severity, Tag, codes};
use crate::hir::{Body, UnknownName};
use crate::lex::TokenKind;
use crate::near_macros::NearMacros;
use crate::preprocess::{Directive, DirectiveKind, Item, LexedFile, MacroOrigin, Token};
use crate::text::{FileId, FileRange, TextRange, TextSize};

/// Names in the note: enough to see what is meant.
const SHOWN: usize = 3;

/// A branch of a conditional that would be another if the build defined a macro.
#[derive(Clone)]
struct Open {
    file: FileId,
    range: TextRange,
    /// Whether it is left out.
    inactive: bool,
    /// A macro of the conditions that nothing defines.
    decided_by: SmolStr,
}

/// Those that lie in no other, in the order of files and text.
fn outermost(branches: impl Iterator<Item = Open>) -> Vec<Open> {
    let mut branches: Vec<Open> = branches.collect();
    branches.sort_by_key(|open| (open.file, open.range.start(), Reverse(open.range.end())));
    let mut apart: Vec<Open> = Vec::new();
    for open in branches {
        let inside = |last: &Open| last.file == open.file && open.range.start() < last.range.end();
        if !apart.last().is_some_and(inside) {
            apart.push(open);
        }
    }
    apart
}

/// What of an analysis hangs on the guess.
pub(crate) struct Guess<'a> {
    analysis: &'a Analysis,
    near: &'a NearMacros<'a>,
    /// Names of all macros.
    macros: FxHashSet<&'a str>,
    /// Branches that lie in no other, sorted.
    open: Vec<Open>,
    /// What branches that are left out declare or define, with the macro that decides about them.
    left_out: FxHashMap<SmolStr, SmolStr>,
    /// Extensions that they enable, alike.
    extensions_left_out: FxHashMap<SmolStr, SmolStr>,
    /// Macros that decide about headers: any name may be declared there.
    headers_left_out: Vec<SmolStr>,
    missing_header: bool,
    /// Whether any name may come from elsewhere.
    any_name: bool,
    /// Names that are declared somewhere in the shader, for words that the parser could not place.
    declared: FxHashSet<SmolStr>,
    needs: RefCell<Needs>,
    /// Of the expanded text.
    misread: RefCell<Vec<TextRange>>,
}

/// What the note names.
#[derive(Default)]
struct Needs {
    /// By path.
    headers: Vec<(SmolStr, FileRange)>,
    macros: Vec<(SmolStr, FileRange)>,
    known: FxHashSet<SmolStr>,
    /// Errors that are told no more.
    taken: bool,
}

impl Needs {
    fn macro_(&mut self, name: &str, place: FileRange) {
        self.taken = true;
        if self.known.insert(name.into()) {
            self.macros.push((name.into(), place));
        }
    }
}

impl<'a> Guess<'a> {
    /// What is missing in an analysis whose configuration is a guess.
    pub fn of(analysis: &'a Analysis, near: &'a NearMacros<'a>) -> Guess<'a> {
        let preprocessed = &analysis.preprocessed;
        let mut includes = preprocessed.includes.iter();
        let mut guess = Guess {
            analysis,
            near,
            macros: preprocessed.macros.iter().map(|known| known.name().as_str()).collect(),
            open: Vec::new(),
            left_out: FxHashMap::default(),
            extensions_left_out: FxHashMap::default(),
            headers_left_out: Vec::new(),
            missing_header: includes.any(|include| include.file.is_none() && !include.refused),
            any_name: false,
            declared: FxHashSet::default(),
            needs: RefCell::default(),
            misread: RefCell::default(),
        };
        let branches = guess.branches();
        guess.find_left_out(&outermost(branches.iter().filter(|open| open.inactive).cloned()));
        guess.open = outermost(branches.into_iter());
        guess.find_declared();
        let mut unknown = analysis.module.bodies().flat_map(|(body, _, _)| &body.unknown_names);
        guess.any_name = guess.missing_header
            || guess.is_part()
            || !guess.headers_left_out.is_empty()
            || unknown.any(|name| name.only_macro)
            || guess.passes_open_array()
            || guess.chooses_by_name()
            || guess.compares_unknown();
        guess
    }

    fn has_main(&self) -> bool {
        self.analysis.module.functions.iter().any(|(_, function)| function.name == "main")
    }

    /// Whether others take the file in: no shader of Vulkan is without a version.
    fn is_part(&self) -> bool {
        self.analysis.preprocessed.version.is_none() && !self.has_main()
    }

    /// Whether the file itself offers something to others.
    fn offers(&self) -> bool {
        let mut defined = self.analysis.preprocessed.macros.iter();
        let module = &self.analysis.module;
        !self.declared.is_empty()
            || module.structs.iter().next().is_some()
            || defined.any(|known| known.origin == MacroOrigin::File(FileId::ROOT))
    }

    fn text(&self, file: FileId) -> &'a str {
        &self.analysis.files()[file].text
    }

    fn expanded(&self, range: TextRange) -> &'a str {
        self.analysis.preprocessed.text.get(std::ops::Range::<usize>::from(range)).unwrap_or_default()
    }

    fn word(&self, file: FileId, token: &Token) -> &'a str {
        self.text(file).get(std::ops::Range::<usize>::from(token.range())).unwrap_or_default()
    }

    /// The first macro of a condition that nothing in the shader defines. What implementations define is no matter of the build.
    fn undefined_macro(&self, file: FileId, lexed: &LexedFile, directive: &Directive) -> Option<SmolStr> {
        let tokens = lexed.slice(&directive.tokens).iter();
        let mut names = tokens.filter(|token| token.kind == TokenKind::Identifier);
        let found = names.find(|token| {
            let name = self.word(file, token);
            name != "defined"
                && !name.starts_with("GL_")
                && !name.contains("__")
                && !self.macros.contains(name)
        });
        found.map(|token| SmolStr::new(self.word(file, token)))
    }

    fn files(&self) -> impl Iterator<Item = (FileId, &'a LexedFile)> + use<'a> {
        let preprocessed = &self.analysis.preprocessed;
        preprocessed.files.iter().filter_map(|(file, _)| Some((file, preprocessed.lexed(file)?)))
    }

    fn is_inactive(&self, file: FileId, at: TextSize) -> bool {
        let inactive = &self.analysis.preprocessed.inactive;
        let last = inactive.partition_point(|region| (region.file, region.range.start()) <= (file, at));
        last.checked_sub(1)
            .and_then(|last| inactive.get(last))
            .is_some_and(|region| region.file == file && region.range.contains_inclusive(at))
    }

    fn branches(&self) -> Vec<Open> {
        let mut open = Vec::new();
        for (file, lexed) in self.files() {
            for item in &lexed.items {
                let Item::Directive(first) = item else { continue };
                if !matches!(first.kind, DirectiveKind::If | DirectiveKind::Ifdef | DirectiveKind::Ifndef) {
                    continue;
                }
                let (mut at, mut decided_by) = (first, None);
                while let Some(next) = lexed.directive(at.next as usize) {
                    if decided_by.is_none() {
                        decided_by = self.undefined_macro(file, lexed, at);
                    }
                    let start = TextSize::new(at.line_end);
                    if let Some(name) = &decided_by
                        && start < next.range.start()
                    {
                        let inactive = self.is_inactive(file, start);
                        let range = TextRange::new(start, next.range.start());
                        open.push(Open { file, range, inactive, decided_by: name.clone() });
                    }
                    at = next;
                }
            }
        }
        open
    }

    fn find_left_out(&mut self, branches: &[Open]) {
        for open in branches {
            let Some(lexed) = self.analysis.preprocessed.lexed(open.file) else { continue };
            let start = |item: &Item| match item {
                Item::Text(tokens) => {
                    lexed.slice(tokens).first().map_or(open.range.start(), |one| one.range().start())
                }
                Item::Directive(directive) => directive.range.start(),
            };
            let first = lexed.items.partition_point(|item| start(item) < open.range.start());
            let inside = lexed.items.iter().skip(first).take_while(|item| start(item) < open.range.end());
            for item in inside {
                match item {
                    Item::Text(tokens) => self.declared_in(lexed.slice(tokens), open),
                    Item::Directive(directive) => self.brought_by(lexed, directive, open),
                }
            }
        }
    }

    /// What a directive of a branch that is left out would bring.
    fn brought_by(&mut self, lexed: &LexedFile, directive: &Directive, open: &Open) {
        let first = lexed.slice(&directive.tokens).first();
        let name = first.map_or("", |token| self.word(open.file, token));
        match directive.kind {
            DirectiveKind::Include => self.headers_left_out.push(open.decided_by.clone()),
            DirectiveKind::Define => {
                self.left_out.entry(name.into()).or_insert_with(|| open.decided_by.clone());
            }
            DirectiveKind::Extension => {
                self.extensions_left_out.entry(name.into()).or_insert_with(|| open.decided_by.clone());
            }
            _ => {}
        }
    }

    /// What the text of a branch that is left out declares.
    fn declared_in(&mut self, tokens: &[Token], open: &Open) {
        for (index, token) in tokens.iter().enumerate() {
            if token.kind != TokenKind::Identifier {
                continue;
            }
            let word = |index: usize| tokens.get(index).map_or("", |token| self.word(open.file, token));
            let before = index.checked_sub(1).map_or("", word);
            if is_declared_between(before, word(index + 1)) {
                let name = SmolStr::new(word(index));
                self.left_out.entry(name).or_insert_with(|| open.decided_by.clone());
            }
        }
    }

    fn find_declared(&mut self) {
        let module = &self.analysis.module;
        let mut declared = FxHashSet::default();
        declared.extend(module.globals.iter().map(|(_, global)| global.name.clone()));
        declared.extend(module.functions.iter().map(|(_, function)| function.name.clone()));
        for (_, structure) in module.structs.iter() {
            declared.insert(structure.name.clone());
            declared.extend(structure.members.iter().map(|member| member.name.clone()));
        }
        for (body, _, _) in module.bodies() {
            declared.extend(body.locals.iter().map(|(_, local)| local.name.clone()));
        }
        self.declared = declared;
    }

    /// Whether what nothing declares is called with an array without a length, whose elements have a type that nothing declares either.
    fn passes_open_array(&self) -> bool {
        let mut open: Option<FxHashSet<&str>> = None;
        self.analysis.module.bodies().any(|(body, base, _)| {
            let mut calls = body.unknown_names.iter().filter_map(|unknown| unknown.call);
            calls.any(|call| {
                let open = open.get_or_insert_with(|| open_arrays(&self.analysis.preprocessed.text));
                let arguments = self.expanded(call + base).split(['(', ',', ')']).map(str::trim);
                !open.is_empty() && arguments.skip(1).any(|argument| open.contains(argument))
            })
        })
    }

    /// Whether what nothing declares is called with a name that a specialization constant and a member share, as in
    /// `#define size(x) (x == 0 ? parameters.x : x)`: what chooses between them by their name is no function.
    fn chooses_by_name(&self) -> bool {
        let module = &self.analysis.module;
        let specialized = module.globals.iter().filter(|(_, global)| global.constant_id.is_some());
        let mut shared: FxHashSet<&str> = specialized.map(|(_, global)| global.name.as_str()).collect();
        if shared.is_empty() {
            return false;
        }
        let members = module.structs.iter().flat_map(|(_, structure)| &structure.members);
        let members: FxHashSet<&str> = members.map(|member| member.name.as_str()).collect();
        shared.retain(|name| members.contains(name));
        module.bodies().any(|(body, base, _)| {
            let mut calls = body.unknown_names.iter().filter_map(|unknown| {
                let call = unknown.call?;
                Some(TextRange::new(unknown.range.end(), call.end()))
            });
            calls.any(|arguments| {
                let only = self.expanded(arguments + base).trim();
                let only = only.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
                only.is_some_and(|name| shared.contains(name.trim()))
            })
        })
    }

    /// Whether a condition compares a macro with a value, which only the build gives it.
    fn compares_unknown(&self) -> bool {
        self.files().any(|(file, lexed)| {
            lexed.items.iter().any(|item| {
                let Item::Directive(directive) = item else { return false };
                let tokens = lexed.slice(&directive.tokens);
                let compares = tokens
                    .iter()
                    .any(|token| matches!(self.word(file, token), "==" | "!=" | "<" | ">" | "<=" | ">="));
                matches!(directive.kind, DirectiveKind::If | DirectiveKind::Elif)
                    && compares
                    && self.undefined_macro(file, lexed, directive).is_some()
            })
        })
    }

    /// The macro that decides about what is told at a place of the text.
    fn decided_by(&self, place: FileRange) -> Option<&SmolStr> {
        let starts = |open: &Open| (open.file, open.range.start()) <= (place.file, place.range.start());
        let last = self.open.partition_point(starts).checked_sub(1)?;
        let open = self.open.get(last)?;
        (open.file == place.file && open.range.contains_range(place.range)).then_some(&open.decided_by)
    }

    /// Whether the build may bring a name; notes what it has to define then.
    fn takes_name(&self, name: &str, unknown: &UnknownName, place: FileRange) -> bool {
        let mut needs = self.needs.borrow_mut();
        if let Some(decided_by) = self.left_out.get(name) {
            needs.macro_(decided_by, place);
            return true;
        }
        if unknown.close.as_ref().is_some_and(|close| is_meant(name, close)) {
            return false;
        }
        let near = || self.near.closest(name, unknown.call.is_some());
        if unknown.close.is_none() && near().is_some_and(|close| is_meant(name, close)) {
            return false;
        }
        let takes = self.any_name || unknown.only_macro || is_macro_style(name);
        if takes && (is_macro_style(name) || unknown.only_macro) {
            needs.macro_(name, place);
        } else if let (true, Some(header)) = (takes, self.headers_left_out.first()) {
            needs.macro_(header, place);
        } else if takes && needs.headers.is_empty() {
            needs.macro_(name, place);
        }
        needs.taken |= takes;
        takes
    }

    /// Whether what the preprocessor has found hangs on the guess.
    pub fn takes_of_text(&self, told: &Diagnostic) -> bool {
        let place = told.location;
        if *told.code == codes::PREPROCESSOR_INCLUDE_NOT_FOUND {
            let mut includes = self.analysis.preprocessed.includes.iter();
            let missing = includes.find(|include| include.path_range == place && !include.refused);
            let Some(include) = missing else { return false };
            let mut needs = self.needs.borrow_mut();
            needs.taken = true;
            if !needs.headers.iter().any(|(path, _)| *path == include.path) {
                needs.headers.push((include.path.clone(), place));
            }
            return true;
        }
        if *told.code == codes::PREPROCESSOR_UNDEFINED_IDENTIFIER {
            let range: std::ops::Range<usize> = place.range.into();
            let name = self.text(place.file).get(range).unwrap_or_default();
            self.needs.borrow_mut().macro_(name, place);
            return true;
        }
        *told.code == codes::PREPROCESSOR_ERROR_DIRECTIVE && self.takes_of_branch(told)
    }

    /// Whether the place, or what it disagrees with, would be left out if a macro were defined.
    fn takes_of_branch(&self, told: &Diagnostic) -> bool {
        let mut places = std::iter::once(told.location).chain(told.related.iter().map(|one| one.location));
        let decided_by = places.find_map(|place| self.decided_by(place));
        if let Some(name) = decided_by {
            self.needs.borrow_mut().macro_(name, told.location);
        }
        decided_by.is_some()
    }

    /// What of a body hangs on the guess.
    pub fn of_body(&self, body: &'a Body, base: TextSize) -> BodyGuess<'_, 'a> {
        let by_range = body.unknown_names.iter().map(|unknown| (unknown.range, unknown)).collect();
        for told in body.diagnostics.iter().filter(|told| *told.code == codes::SYNTAX_ERROR) {
            self.takes_syntax(told.range + base);
        }
        BodyGuess { guess: self, base, by_range, calls: OnceCell::new() }
    }

    /// Whether a place that the parser could not read stands at a word that the build may define to be anything.
    pub fn takes_syntax(&self, range: TextRange) -> bool {
        let text = self.analysis.preprocessed.text.as_str();
        let (start, end) = (usize::from(range.start()), usize::from(range.end()));
        let at = word_around(text, start);
        let before = word_before(text, start);
        let after_call = word_before(text, end);
        for (word, offset) in [at, before, after_call].into_iter().flatten() {
            let decided_by = self.left_out.get(word);
            let unknown = is_macro_style(word) && !self.declared.contains(word);
            if decided_by.is_some() || unknown {
                let name = decided_by.map_or(word, SmolStr::as_str);
                let range = TextRange::at(TextSize::new(offset as u32), TextSize::of(word));
                self.needs.borrow_mut().macro_(name, self.analysis.file_range(range));
                self.misread(start);
                return true;
            }
        }
        false
    }

    /// The rest of a statement that begins with what a macro stands for is read wrong.
    fn misread(&self, start: usize) {
        /// More of these in one shader are not looked at.
        const MOST: usize = 256;
        let rest = self.analysis.preprocessed.text.get(start..).unwrap_or_default();
        let end = start + rest.find([';', '{']).unwrap_or(rest.len());
        let mut misread = self.misread.borrow_mut();
        if misread.len() < MOST {
            misread.push(TextRange::new(TextSize::new(start as u32), TextSize::new(end as u32)));
        }
    }

    fn is_misread(&self, range: TextRange) -> bool {
        self.misread.borrow().iter().any(|misread| misread.contains(range.start()))
    }

    /// Whether what a name stands for may be declared, or enabled, in a branch that is left out.
    fn takes_left_out(&self, told: &Diagnostic, text: &str) -> bool {
        if *told.code == codes::MISSING_LAYOUT || *told.code == codes::PAYLOAD_LOCATION {
            let left_out = self.open.iter().find(|open| open.inactive);
            if let Some(open) = left_out {
                self.needs.borrow_mut().macro_(&open.decided_by, told.location);
            }
            return left_out.is_some() || self.any_name;
        }
        let decided_by = if *told.code == codes::NO_SUCH_MEMBER || *told.code == codes::NO_MATCHING_OVERLOAD {
            self.left_out.get(first_word(text))
        } else if *told.code == codes::MISSING_EXTENSION {
            let mut enabled = self.extensions_left_out.iter();
            enabled.find(|(name, _)| told.message.contains(name.as_str())).map(|(_, decided_by)| decided_by)
        } else if *told.code == codes::UNKNOWN_QUALIFIER && is_macro_style(text) {
            self.needs.borrow_mut().macro_(text, told.location);
            return true;
        } else {
            // Each of the two may be left out.
            let of_two = [&codes::REDEFINITION, &codes::LOCATION_OVERLAP, &codes::LAYOUT_VALUE];
            return of_two.iter().any(|code| *told.code == **code) && self.takes_of_branch(told);
        };
        if let Some(name) = decided_by {
            self.needs.borrow_mut().macro_(name, told.location);
        }
        decided_by.is_some() || (*told.code == codes::MISSING_EXTENSION && self.missing_header)
    }

    /// The note, where there is something to note, in place of all that hangs on it.
    pub fn finish(self, place: FileRange, diagnostics: &mut Vec<Diagnostic>) {
        let has_main = self.has_main();
        let is_part = self.is_part() && self.offers();
        let Guess { needs, any_name, .. } = self;
        let needs = needs.into_inner();
        if !needs.taken {
            let lacks_main = |told: &Diagnostic| *told.code == codes::MISSING_MAIN;
            if is_part && diagnostics.iter().any(lacks_main) {
                diagnostics.retain(|told| !lacks_main(told) && told.code.tag != Some(Tag::Unnecessary));
                let message = "this file has no `#version` and no `main`, so other shaders probably include it: set up this project, or describe them in coopmat-analyzer.toml, to have it checked with them";
                diagnostics.push(note(place, message.to_owned(), Vec::new()));
            }
            return;
        }
        // Which compiler it is says the build as well, and code that is left out may use what this leaves unused.
        diagnostics.retain(|told| {
            *told.code != codes::PREPROCESSOR_INCLUDE_EXTENSION
                && *told.code != codes::MISSING_VERSION
                && !(*told.code == codes::MISSING_MAIN && any_name)
                && told.code.tag != Some(Tag::Unnecessary)
        });
        let Needs { headers, mut macros, .. } = needs;
        macros.sort_by_key(|(_, place)| (place.file, place.range.start()));
        let kinds = match (headers.len(), macros.len()) {
            (0, 1) => "a macro that its build defines",
            (0, _) => "macros that its build defines",
            (1, 0) => "a header that is not found",
            (_, 0) => "headers that are not found",
            _ => "headers and macros of its build",
        };
        let count = headers.len() + macros.len();
        let shown: Vec<_> = headers.into_iter().chain(macros).take(SHOWN).collect();
        let mut names = shown.iter().map(|(name, _)| format!("`{name}`")).collect::<Vec<_>>().join(", ");
        if count > shown.len() {
            names += &format!(" and {} more", count - shown.len());
        }
        let what = if has_main { "shader" } else { "file" };
        let related = shown
            .into_iter()
            .map(|(name, location)| Related { location, message: format!("this needs `{name}`") });
        let message = format!(
            "this {what} needs {kinds} ({names}): set up this project, or describe its build in coopmat-analyzer.toml, to have all of it checked"
        );
        diagnostics.push(note(place, message, related.collect()));
    }
}

fn note(location: FileRange, message: String, related: Vec<Related>) -> Diagnostic {
    let code = &codes::MISSING_CONFIGURATION;
    Diagnostic { code, severity: code.severity, message, location, related }
}

/// What of one body hangs on the guess.
pub(crate) struct BodyGuess<'g, 'a> {
    guess: &'g Guess<'a>,
    /// Where the body starts in the expanded text.
    base: TextSize,
    by_range: FxHashMap<TextRange, &'a UnknownName>,
    /// Calls of what may be macros, which make anything of their arguments; sorted and apart.
    calls: OnceCell<Vec<TextRange>>,
}

impl BodyGuess<'_, '_> {
    /// Whether what was found at a range of the body hangs on the guess. `told` is the same, placed.
    pub fn takes(&self, told: &Diagnostic, range: TextRange) -> bool {
        if told.severity != Severity::Error {
            return false;
        }
        let here = range + self.base;
        if *told.code == codes::SYNTAX_ERROR {
            return self.guess.takes_syntax(here);
        }
        let text = self.guess.expanded(here);
        // What may be anything is not named in the note, unless it is a macro itself.
        if self.guess.is_misread(here) || (self.is_argument(range) && !is_macro_style(text)) {
            return true;
        }
        let takes = match self.by_range.get(&range) {
            Some(unknown) => self.guess.takes_name(text, unknown, told.location),
            None => self.guess.takes_left_out(told, text),
        };
        takes || self.is_argument(range)
    }

    fn is_argument(&self, range: TextRange) -> bool {
        let calls = self.calls.get_or_init(|| self.calls());
        let last = calls.partition_point(|call| call.start() <= range.start()).checked_sub(1);
        let call = last.and_then(|last| calls.get(last));
        // Its own name is no argument.
        call.is_some_and(|call| call.contains_range(range) && call.start() < range.start())
    }

    fn calls(&self) -> Vec<TextRange> {
        let called = self.by_range.values().filter_map(|unknown| Some((unknown.call?, *unknown)));
        let mut called: Vec<_> = called.collect();
        called.sort_by_key(|(call, _)| (call.start(), Reverse(call.end())));
        let mut calls: Vec<TextRange> = Vec::new();
        for (call, unknown) in called {
            if calls.last().is_some_and(|last| call.start() < last.end()) {
                continue;
            }
            let range = unknown.range + self.base;
            let place = self.guess.analysis.file_range(range);
            if self.guess.takes_name(self.guess.expanded(range), unknown, place) {
                calls.push(call);
            }
        }
        calls
    }
}

/// Whether a name is written as macros are: in capitals.
fn is_macro_style(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_';
    name.starts_with(|first: char| first.is_ascii_uppercase() || first == '_')
        && name.bytes().all(plain)
        && name.bytes().any(|byte| byte.is_ascii_uppercase())
        && !name.starts_with("GL_")
}

/// Whether a close name was probably meant. What differs in a number alone is spelled right, as `packInt4x8` and `packInt4x16` are, and so is a
/// macro that is called as a variable.
fn is_meant(name: &str, close: &str) -> bool {
    let letters = |name: &str| name.chars().filter(|c| !c.is_ascii_digit()).collect::<String>();
    letters(name) != letters(close) && is_macro_style(name) <= is_macro_style(close)
}

/// Whether a name between two tokens is declared, defined or enabled there.
fn is_declared_between(before: &str, after: &str) -> bool {
    const NO_TYPES: [&str; 20] = [
        "return",
        "else",
        "case",
        "do",
        "const",
        "uniform",
        "shared",
        "in",
        "out",
        "inout",
        "readonly",
        "writeonly",
        "restrict",
        "coherent",
        "volatile",
        "precise",
        "flat",
        "lowp",
        "mediump",
        "highp",
    ];
    match before {
        "," => matches!(after, ";" | "="),
        "}" => matches!(after, ";" | "["),
        ">" | "]" => true,
        _ => before.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_') && !NO_TYPES.contains(&before),
    }
}

/// Names that are declared as arrays without a length.
fn open_arrays(text: &str) -> FxHashSet<&str> {
    let declared = text.match_indices('[').filter_map(|(at, _)| {
        let behind = text.get(at + 1..)?.trim_start().strip_prefix(']')?;
        behind.trim_start().starts_with(';').then_some(())?;
        let head = text.get(..at)?.trim_end();
        let word = head.len() - head.chars().rev().take_while(|&c| is_word(c)).count();
        head.get(word..).filter(|word| !word.is_empty())
    });
    declared.collect()
}

fn first_word(text: &str) -> &str {
    let end = text.find(|c: char| !is_word(c)).unwrap_or(text.len());
    text.get(..end).unwrap_or_default()
}

fn is_word(c: char) -> bool {
    c.is_ascii_alphanumeric() || c == '_'
}

/// The word that an offset is in, or at the start of.
fn word_around(text: &str, offset: usize) -> Option<(&str, usize)> {
    let head = text.get(..offset)?;
    let start = head.len() - head.chars().rev().take_while(|&c| is_word(c)).count();
    let word = first_word(text.get(start..)?);
    (!word.is_empty()).then_some((word, start))
}

/// The word before an offset, over the arguments of a call.
fn word_before(text: &str, offset: usize) -> Option<(&str, usize)> {
    /// Longer arguments are those of no macro.
    const REACH: usize = 1000;
    let mut head = text.get(..offset)?.trim_end();
    if head.ends_with(')') {
        let mut depth = 0_usize;
        let from = head.len().saturating_sub(REACH);
        let open = head.bytes().enumerate().skip(from).rev().find_map(|(index, byte)| {
            match byte {
                b')' => depth += 1,
                b'(' => depth = depth.saturating_sub(1),
                b';' | b'{' | b'}' => depth = usize::MAX / 2,
                _ => {}
            }
            (depth == 0).then_some(index)
        })?;
        head = head.get(..open)?.trim_end();
    }
    let start = head.len() - head.chars().rev().take_while(|&c| is_word(c)).count();
    let word = head.get(start..)?;
    (!word.is_empty()).then_some((word, start))
}
