//! Obeys directives, except for the walk over the branches of conditionals.

use smol_str::SmolStr;

use crate::extensions::{self, ids};
use crate::lex::TokenKind;
use crate::text::{FileRange, TextRange, TextSize};
use crate::version::LanguageVersion;

use super::cache::PreprocessCache;
use super::engine::{Engine, limits};
use super::expand::{Bottom, Tok};
use super::expression::{ExpressionProblem, ExpressionToken, evaluate, evaluate_first};
use super::include_path::{join, parent};
use super::source_map::{Inclusion, NONE};
use super::tokens::{Directive, DirectiveKind, LexedFile, Symbol, Token, flags, range, spelling};
use super::{
    Behavior, ExtensionEvent, Include, LineDirective, MacroOrigin, MacroUseKind, Pragma, Profile, Special,
    Version,
};

impl Engine<'_> {
    pub fn here(&self, range: TextRange) -> FileRange {
        FileRange { file: self.file, range }
    }

    fn token_text(&self, token: &Token) -> SmolStr {
        spelling(&self.files[self.file].text, token)
    }

    pub fn directive(&mut self, lexed: &LexedFile, directive: &Directive) {
        let first = !self.begun;
        if directive.kind != DirectiveKind::Null {
            self.begun = true;
        }
        let tokens = lexed.slice(&directive.tokens);
        match directive.kind {
            DirectiveKind::Define => self.define_directive(lexed, directive),
            DirectiveKind::Undef => self.undef_directive(directive, tokens),
            DirectiveKind::Include => self.include_directive(directive, tokens),
            DirectiveKind::Extension => self.extension_directive(directive, tokens),
            DirectiveKind::Version => {
                self.version_directive(directive, tokens, first);
                if self.inclusion == 0 {
                    self.read_preamble(self.here(directive.range));
                }
            }
            DirectiveKind::Pragma => self.pragma_directive(directive, tokens),
            DirectiveKind::Line => self.line_directive(directive, tokens),
            DirectiveKind::Error => {
                let message = self.raw_text(tokens);
                self.error_directive(self.here(directive.range), &message);
            }
            DirectiveKind::Unknown => {
                let name = self.files[self.file].text[std::ops::Range::from(directive.name)].to_owned();
                let place = range(directive.range.start().into(), directive.name.end().into());
                self.unknown_directive(self.here(place), &name);
            }
            DirectiveKind::Null
            | DirectiveKind::If
            | DirectiveKind::Ifdef
            | DirectiveKind::Ifndef
            | DirectiveKind::Elif
            | DirectiveKind::Else
            | DirectiveKind::Endif => {}
        }
    }

    /// The text of a directive's tokens as it is written.
    fn raw_text(&self, tokens: &[Token]) -> String {
        match (tokens.first(), tokens.last()) {
            (Some(first), Some(last)) => {
                let text = &self.files[self.file].text;
                crate::lex::without_splices(
                    text.get(first.start as usize..last.end as usize).unwrap_or_default(),
                )
            }
            _ => String::new(),
        }
    }

    pub fn no_more_tokens(&mut self, lexed: &LexedFile, directive: &Directive) {
        self.nothing_after(directive, lexed.slice(&directive.tokens));
    }

    fn nothing_after(&mut self, directive: &Directive, rest: &[Token]) {
        if let (Some(first), Some(last)) = (rest.first(), rest.last()) {
            let name = self.files[self.file].text[std::ops::Range::from(directive.name)].to_owned();
            self.extra_tokens(self.here(range(first.start, last.end)), &name);
        }
    }

    fn define_directive(&mut self, lexed: &LexedFile, directive: &Directive) {
        let Some(syntax) = lexed.macros.get(directive.definition as usize) else { return };
        if let Some((problem, range)) = syntax.problem {
            let place = self.here(range);
            if !self.define_problem(problem, place, &syntax.name) {
                return;
            }
        }
        if !self.check_name(&syntax.name, syntax.symbol, self.here(syntax.name_range)) {
            return;
        }
        if let Some(old) = self.lookup(syntax.symbol) {
            let definition = &self.macros[old.0 as usize];
            let same_place = definition.origin == MacroOrigin::File(self.file)
                && definition.syntax.name_range == syntax.name_range;
            match self.difference(old, syntax).filter(|_| !same_place) {
                Some(difference) => self.macro_redefined(self.here(syntax.name_range), old, difference),
                // Keeping the first definition keeps its uses together.
                None => return,
            }
        }
        self.define(syntax.clone(), MacroOrigin::File(self.file), self.file.0, Special::No);
    }

    /// How two definitions of a macro differ; `None` when they are the same.
    fn difference(&self, old: super::MacroId, new: &super::tokens::MacroSyntax) -> Option<&'static str> {
        let definition = &self.macros[old.0 as usize];
        let (old, old_buffer) = (&definition.syntax, definition.buffer);
        match (&old.parameters, &new.parameters) {
            (None, None) => {}
            (Some(a), Some(b)) if a.len() != b.len() => return Some("the number of parameters"),
            (Some(a), Some(b)) => {
                if a.iter().zip(b.iter()).any(|(a, b)| a.symbol != b.symbol) {
                    return Some("the names of the parameters");
                }
            }
            _ => return Some("one of them takes arguments"),
        }
        const SEEN: u8 = flags::SPACE | flags::PASTE | flags::STRINGIFY;
        let tok = |buffer: u32, token: &Token| Tok {
            kind: token.kind,
            flags: 0,
            symbol: token.symbol,
            buffer,
            start: token.start,
            end: token.end,
            expansion: NONE,
        };
        let same = old.body.len() == new.body.len()
            && old.body.iter().zip(new.body.iter()).all(|(a, b)| {
                let (a, b) = (&a.token, &b.token);
                a.kind == b.kind
                    && a.flags & SEEN == b.flags & SEEN
                    && a.symbol == b.symbol
                    && (a.kind == TokenKind::Identifier
                        || self.text_of(&tok(old_buffer, a)) == self.text_of(&tok(self.file.0, b)))
            });
        if same { None } else { Some("the replacement") }
    }

    /// Whether a name may be defined or undefined; reports when not.
    fn check_name(&mut self, name: &str, symbol: Symbol, place: FileRange) -> bool {
        if symbol == Symbol::DEFINED {
            self.reserved_name(place, name, "is an operator of `#if`", true);
            return false;
        }
        if matches!(symbol, Symbol::LINE | Symbol::FILE | Symbol::VERSION) {
            // GLSL calls this unintended behavior, GLSL ES (3.00 and later) an error.
            let es = self.is_es();
            self.reserved_name(place, name, "is predefined", es);
            return false;
        }
        // GL_EXT_spirv_intrinsics lets headers define such names.
        if !self.spirv_intrinsics {
            if name.starts_with("GL_") {
                self.reserved_name(place, name, "begins with `GL_`", true);
            } else if name.contains("__") {
                self.reserved_name(place, name, "contains two consecutive underscores", false);
            }
        }
        true
    }

    fn undef_directive(&mut self, directive: &Directive, tokens: &[Token]) {
        let Some((name, rest)) = self.macro_name(directive, tokens) else { return };
        self.nothing_after(directive, rest);
        if !self.check_name(&self.token_text(&name), name.symbol, self.here(name.range())) {
            return;
        }
        self.note_name(&name);
        self.undefine(name.symbol);
    }

    fn macro_name<'t>(&mut self, directive: &Directive, tokens: &'t [Token]) -> Option<(Token, &'t [Token])> {
        match tokens.split_first() {
            Some((name, rest)) if name.kind == TokenKind::Identifier => Some((*name, rest)),
            other => {
                let place = other.map_or(directive.range, |(token, _)| token.range());
                self.malformed(self.here(place), "expected the name of a macro");
                None
            }
        }
    }

    /// Notes that a directive names a macro, if it is one.
    fn note_name(&mut self, token: &Token) -> bool {
        match self.lookup(token.symbol) {
            Some(id) => {
                self.record_use(MacroUseKind::Name, id, self.here(token.range()), NONE);
                true
            }
            None => false,
        }
    }

    /// Whether the branch behind `#if`, `#ifdef`, `#ifndef` or `#elif` is taken.
    pub fn condition(&mut self, lexed: &LexedFile, directive: &Directive) -> bool {
        let tokens = lexed.slice(&directive.tokens);
        match directive.kind {
            DirectiveKind::Ifdef | DirectiveKind::Ifndef => {
                let Some((name, rest)) = self.macro_name(directive, tokens) else { return false };
                self.nothing_after(directive, rest);
                self.note_name(&name) == (directive.kind == DirectiveKind::Ifdef)
            }
            _ => {
                let whole = match tokens.first() {
                    Some(first) => range(first.start, directive.range.end().into()),
                    None => directive.range,
                };
                self.expression(tokens, whole) != 0
            }
        }
    }

    /// Expands and evaluates an integer expression.
    fn expression(&mut self, tokens: &[Token], whole: TextRange) -> i32 {
        // `defined` hides its operand, so its macros are noted here.
        for pair in tokens.windows(2) {
            if pair[0].symbol == Symbol::DEFINED && pair[1].kind == TokenKind::Identifier {
                self.note_name(&pair[1]);
            }
        }
        for triple in tokens.windows(3) {
            if triple[0].symbol == Symbol::DEFINED && triple[1].kind == TokenKind::LeftParen {
                self.note_name(&triple[2]);
            }
        }
        let before = self.diagnostics.len();
        let expanded = self.expand_directive(tokens);
        // What went wrong with a macro makes nonsense of the rest.
        let told = self.diagnostics.len() > before;
        let problems;
        let value;
        {
            let texts: Vec<SmolStr> =
                expanded.iter().map(|token| SmolStr::new(self.text_of(token))).collect();
            let list: Vec<ExpressionToken<'_>> = expanded
                .iter()
                .zip(&texts)
                .map(|(token, text)| ExpressionToken { kind: token.kind, text })
                .collect();
            let outcome = evaluate(&list, &|index| self.is_defined(expanded[index].symbol));
            problems = outcome.problems;
            value = outcome.value;
        }
        let es = self.is_es();
        for (index, problem) in problems {
            if told || (problem == ExpressionProblem::Undefined && !es) {
                continue;
            }
            let (place, found) = match expanded.get(index) {
                Some(token) => (self.blame(token), self.text_of(token).to_owned()),
                None => (self.here(whole), String::new()),
            };
            self.expression_problem(problem, place, &found);
        }
        value
    }

    fn expand_directive(&mut self, tokens: &[Token]) -> Vec<Tok> {
        self.in_condition = true;
        let mut bottom = Bottom::new(tokens, self.file.0);
        let expanded = self.expand_all(&mut bottom);
        self.in_condition = false;
        expanded
    }

    fn include_directive(&mut self, directive: &Directive, tokens: &[Token]) {
        let Some((path, system, path_range, rest)) = self.include_path(tokens) else {
            self.malformed(
                self.here(directive.range),
                "expected a path: `#include \"file\"` or `#include <file>`",
            );
            return;
        };
        let rest_start = tokens.len() - rest;
        self.nothing_after(directive, tokens.get(rest_start..).unwrap_or_default());
        let place = self.here(path_range);
        if !self.include_enabled {
            self.include_extension(self.here(directive.range));
            // Told once.
            self.include_enabled = true;
        }
        let candidates = self.include_candidates(&path, system);
        let file = self.find_include(&candidates, place);
        self.includes.push(Include {
            directive: self.here(directive.range),
            path_range: place,
            path: SmolStr::new(&path),
            system,
            file,
            refused: false,
        });
        let Some(file) = file else {
            if !self.includes_stopped {
                self.include_not_found(place, &path, system, &candidates);
            }
            return;
        };
        if self.once.contains(&file) || self.includes_stopped {
            return;
        }
        let depth = self.inclusions[self.inclusion as usize].depth + 1;
        if depth > limits::INCLUDE_DEPTH || self.inclusions.len() >= limits::INCLUSIONS {
            self.includes_stopped = true;
            self.include_depth(place, file, depth > limits::INCLUDE_DEPTH);
            return;
        }
        self.inclusions.push(Inclusion { file, parent: self.inclusion, depth, directive: place });
        let inclusion = self.inclusions.len() as u32 - 1;
        self.enter(file, inclusion);
    }

    /// The path, whether it is in angle brackets, where it stands, and how many tokens follow it.
    fn include_path(&mut self, tokens: &[Token]) -> Option<(String, bool, TextRange, usize)> {
        let first = tokens.first()?;
        let text = self.files[self.file].text.clone();
        let unquote = |text: &str| {
            text.strip_prefix('"')
                .and_then(|rest| rest.strip_suffix('"'))
                .filter(|path| !path.is_empty())
                .map(str::to_owned)
        };
        if first.kind == TokenKind::String {
            return unquote(&self.token_text(first))
                .map(|path| (path, false, first.range(), tokens.len() - 1));
        }
        if first.kind == TokenKind::Punctuation && text[first.start as usize..].starts_with('<') {
            let close = tokens.iter().position(|token| {
                token.kind == TokenKind::Punctuation
                    && text[token.start as usize..token.end as usize].starts_with('>')
            })?;
            let (start, end) = (first.start, tokens[close].start);
            let path = text.get(start as usize + 1..end as usize)?.trim().to_owned();
            return (!path.is_empty()).then_some((
                path,
                true,
                range(start, end + 1),
                tokens.len() - close - 1,
            ));
        }
        // A macro may give the path.
        let whole = range(first.start, tokens.last()?.end);
        let expanded = self.expand_directive(tokens);
        match expanded.as_slice() {
            [path] if path.kind == TokenKind::String => {
                unquote(self.text_of(path)).map(|path| (path, false, whole, 0))
            }
            _ => None,
        }
    }

    /// Where a path may lie: beside the including file (for a path in quotes), then in the folders of the configuration.
    fn include_candidates(&self, path: &str, system: bool) -> Vec<String> {
        let including = &self.files[self.file].path;
        let beside = (!system).then(|| parent(including));
        let folders = self.config.include_dirs.iter().map(String::as_str);
        beside.into_iter().chain(folders).map(|folder| join(folder, path)).collect()
    }

    pub fn find_include(&mut self, candidates: &[String], place: FileRange) -> Option<crate::text::FileId> {
        for candidate in candidates {
            if let Some(file) = self.files.find(candidate) {
                return Some(file);
            }
            if let Some(text) = self.loader.load(candidate) {
                if text.len() > limits::FILE {
                    self.file_too_large(place);
                    return Some(self.add_file(candidate, "".into()));
                }
                self.included_bytes += text.len();
                if self.included_bytes > limits::INCLUDED {
                    if !self.includes_stopped {
                        self.included_limit(place);
                    }
                    self.includes_stopped = true;
                    return None;
                }
                return Some(self.add_file(candidate, text));
            }
        }
        None
    }

    fn extension_directive(&mut self, directive: &Directive, tokens: &[Token]) {
        let Some((name, rest)) = tokens.split_first().filter(|(name, _)| name.kind == TokenKind::Identifier)
        else {
            self.malformed(self.here(directive.range), "expected `#extension NAME : BEHAVIOR`");
            return;
        };
        let text = self.token_text(name);
        let place = self.here(name.range());
        let Some((colon, rest)) = rest.split_first().filter(|(colon, _)| self.token_text(colon) == ":")
        else {
            self.malformed(
                self.here(directive.range),
                "expected `:` and a behavior after the extension's name",
            );
            return;
        };
        let Some((word, rest)) = rest.split_first() else {
            self.malformed(
                self.here(colon.range()),
                "expected `require`, `enable`, `warn` or `disable` after `:`",
            );
            return;
        };
        let behavior = match self.token_text(word).as_str() {
            "require" => Behavior::Require,
            "enable" => Behavior::Enable,
            "warn" => Behavior::Warn,
            "disable" => Behavior::Disable,
            other => {
                let message = format!("expected `require`, `enable`, `warn` or `disable`, found `{other}`");
                self.extension_behavior(self.here(word.range()), &message);
                return;
            }
        };
        self.nothing_after(directive, rest);
        if text == "all" {
            if matches!(behavior, Behavior::Require | Behavior::Enable) {
                let message = "`all` only allows `warn` and `disable`: enable extensions one by one";
                self.extension_behavior(self.here(word.range()), message);
                return;
            }
        } else if !PreprocessCache::knows_extension(&text) {
            self.unknown_extension(place, &text, behavior);
        }
        let on = behavior != Behavior::Disable;
        match extensions::extension(&text) {
            Some(ids::GL_GOOGLE_INCLUDE_DIRECTIVE | ids::GL_ARB_SHADING_LANGUAGE_INCLUDE) => {
                self.include_enabled = on;
            }
            Some(ids::GL_EXT_SPIRV_INTRINSICS) => self.spirv_intrinsics = on,
            None if text == "all" && !on => {
                self.include_enabled = self.config.google_include;
                self.spirv_intrinsics = false;
            }
            _ => {}
        }
        self.extensions.push(ExtensionEvent {
            offset: TextSize::new(self.out.len() as u32),
            name: text,
            behavior,
            range: self.here(directive.range),
            name_range: place,
        });
    }

    fn version_directive(&mut self, directive: &Directive, tokens: &[Token], first: bool) {
        if !first {
            self.version_placement(self.here(directive.range));
        }
        let number = tokens.first().filter(|token| token.kind == TokenKind::Number);
        let Some(number) = number else {
            self.malformed(
                self.here(directive.range),
                "expected `#version NUMBER PROFILE`, such as `#version 450`",
            );
            return;
        };
        let value: u32 = self.token_text(number).parse().unwrap_or(0);
        let mut rest = &tokens[1..];
        let mut profile = Profile::None;
        if let Some((word, after)) = rest.split_first() {
            rest = after;
            profile = self.token_text(word).parse().unwrap_or_else(|message: String| {
                self.version_unknown(self.here(word.range()), &message);
                Profile::None
            });
        }
        self.nothing_after(directive, rest);
        if value == 100 {
            profile = Profile::Es;
        }
        let version = LanguageVersion { number: value, profile };
        if let Some(message) = version.problem() {
            self.version_unknown(self.here(number.range()), &message);
        }
        if self.version.is_none() {
            self.set_version(version, self.here(directive.range));
        }
    }

    /// What a directive says, or the configuration where there is none.
    pub fn set_version(&mut self, version: LanguageVersion, range: FileRange) {
        let LanguageVersion { number, profile } = version;
        self.version = Some(Version { number, profile, range });
        self.profile_macros(profile, number);
    }

    fn profile_macros(&mut self, profile: Profile, version: u32) {
        let cache = self.cache;
        let builtins = &cache.builtins;
        let of_profile = match profile {
            Profile::Es => Some(&builtins.es),
            Profile::Compatibility => Some(&builtins.compatibility),
            Profile::Core | Profile::None if version >= 150 => return,
            Profile::Core | Profile::None => None,
        };
        self.undefine(builtins.core.symbol);
        if let Some(syntax) = of_profile {
            self.define(syntax.clone(), MacroOrigin::Builtin, super::engine::BUILTIN, Special::No);
        }
        if profile == Profile::Es {
            self.use_es_extensions();
            self.define(
                builtins.high_precision.clone(),
                MacroOrigin::Builtin,
                super::engine::BUILTIN,
                Special::No,
            );
        }
    }

    fn pragma_directive(&mut self, directive: &Directive, tokens: &[Token]) {
        let text = self.raw_text(tokens);
        if text == "once" {
            self.once.insert(self.file);
        }
        self.pragmas.push(Pragma {
            offset: TextSize::new(self.out.len() as u32),
            text: text.into(),
            range: self.here(directive.range),
        });
    }

    fn line_directive(&mut self, directive: &Directive, tokens: &[Token]) {
        let mut expanded = self.expand_directive(tokens);
        // `#line 7 "name"` of GL_GOOGLE_cpp_style_line_directive: the name changes nothing here.
        if expanded.len() > 1 && expanded.last().is_some_and(|token| token.kind == TokenKind::String) {
            expanded.pop();
        }
        let (line, used) = self.line_value(&expanded);
        let rest = expanded.get(used..).unwrap_or_default();
        let (source, rest) = match self.line_value(rest) {
            (Some(source), used) if !rest.is_empty() => (Some(source), rest.get(used..).unwrap_or_default()),
            _ => (None, rest),
        };
        let Some(line) = line else {
            self.malformed(self.here(directive.range), "expected a line number");
            return;
        };
        if let Some(extra) = rest.first() {
            self.extra_tokens(self.blame(extra), "line");
        }
        let physical = self.line_of(u32::from(directive.range.start())) - self.line_shift;
        self.line_shift = i64::from(line) - physical - 1;
        if let Some(source) = source {
            self.source_number = source;
        }
        self.lines.push(LineDirective { line, source, range: self.here(directive.range) });
    }

    /// The value of the expression at the start of `tokens`, and how many tokens it has.
    fn line_value(&self, tokens: &[Tok]) -> (Option<i32>, usize) {
        let list: Vec<ExpressionToken<'_>> = tokens
            .iter()
            .map(|token| ExpressionToken { kind: token.kind, text: self.text_of(token) })
            .collect();
        let (outcome, used) = evaluate_first(&list, &|_| false);
        (outcome.problems.is_empty().then_some(outcome.value), used)
    }
}
