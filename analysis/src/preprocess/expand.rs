//! Replaces macros: arguments, `#`, `##`, rescanning, and the names that must not be expanded again. The rules are C's, to
//! which GLSL refers (GLSL 4.60, section 3.3).

use rustc_hash::FxHashSet;

use crate::lex::{LexemeKind, TokenKind, lexeme_at};
use crate::text::{FileId, FileRange};

use super::engine::{Engine, SCRATCH, limits};
use super::source_map::{Expansion, FIRST_VIRTUAL, NONE, file_range};
use super::tokens::{BodyToken, MacroSyntax, NO_PARAMETER, Symbol, Token, flags};
use super::{MacroId, MacroUseKind, Special};

/// The longest token that `##` may make, and the longest string that `#` may make.
const LONGEST_TOKEN: usize = 1024;

/// A token on its way through expansion.
#[derive(Clone, Copy, Debug)]
pub(super) struct Tok {
    pub kind: TokenKind,
    pub flags: u8,
    pub symbol: Symbol,
    pub buffer: u32,
    pub start: u32,
    pub end: u32,
    /// The expansion that brought it here; `NONE` when it stands in the text of a file.
    pub expansion: u32,
}

impl Tok {
    pub fn has(&self, flag: u8) -> bool {
        self.flags & flag != 0
    }

    fn with_space(mut self, space: u8) -> Tok {
        self.flags = (self.flags & !flags::SPACE) | (space & flags::SPACE);
        self
    }
}

/// The text below all macros: what is read when they are used up.
pub(super) struct Bottom<'t> {
    tokens: &'t [Token],
    pub at: usize,
    buffer: u32,
    /// Once a call was found to have no end: the parentheses that are not closed before the end of `tokens`.
    unclosed: Option<FxHashSet<u32>>,
}

impl<'t> Bottom<'t> {
    pub fn new(tokens: &'t [Token], buffer: u32) -> Bottom<'t> {
        Bottom { tokens, at: 0, buffer, unclosed: None }
    }

    fn peek(&self) -> Option<Tok> {
        self.tokens.get(self.at).map(|token| Tok {
            kind: token.kind,
            flags: token.flags & (flags::SPACE | flags::SPLICED),
            symbol: token.symbol,
            buffer: self.buffer,
            start: token.start,
            end: token.end,
            expansion: NONE,
        })
    }

    fn next(&mut self) -> Option<Tok> {
        let token = self.peek()?;
        self.at += 1;
        Some(token)
    }

    fn find_unclosed(&mut self, from: usize) {
        let mut open = Vec::new();
        for token in self.tokens.get(from..).unwrap_or_default() {
            match token.kind {
                TokenKind::LeftParen => open.push(token.start),
                TokenKind::RightParen => {
                    open.pop();
                }
                _ => {}
            }
        }
        self.unclosed = Some(open.into_iter().collect());
    }
}

/// The tokens of a macro that is being rescanned, or of an argument.
pub(super) struct Context {
    tokens: Vec<Tok>,
    at: usize,
    /// The macro; `None` for an argument.
    of: Option<MacroId>,
}

struct Arguments {
    tokens: Vec<Tok>,
    bounds: Vec<(usize, usize)>,
    close: Tok,
}

impl Arguments {
    fn get(&self, index: usize) -> &[Tok] {
        match self.bounds.get(index) {
            Some(&(start, end)) => &self.tokens[start..end],
            None => &[],
        }
    }
}

impl Engine<'_> {
    /// Expands the macro call that starts at `bottom.at`, with what follows it as far as the call reaches.
    pub fn expand_call(&mut self, bottom: &mut Bottom<'_>, result: &mut Vec<Tok>) {
        let base = self.contexts.len();
        if let Some(name) = bottom.next() {
            self.step(name, base, bottom, result);
        }
        while let Some(token) = self.next_in_contexts(base) {
            self.step(token, base, bottom, result);
        }
    }

    /// Expands all of `bottom`.
    pub fn expand_all(&mut self, bottom: &mut Bottom<'_>) -> Vec<Tok> {
        let mut result = Vec::new();
        let base = self.contexts.len();
        while let Some(token) = self.next(base, bottom) {
            self.step(token, base, bottom, &mut result);
        }
        result
    }

    /// Puts one token into the result, or the macro that it names onto the stack.
    fn step(&mut self, mut token: Tok, base: usize, bottom: &mut Bottom<'_>, result: &mut Vec<Tok>) {
        if token.kind != TokenKind::Identifier || token.has(flags::PAINTED) {
            result.push(token);
            return;
        }
        if self.in_condition && token.symbol == Symbol::DEFINED {
            self.step_defined(token, base, bottom, result);
            return;
        }
        let Some(id) = self.lookup(token.symbol) else {
            result.push(token);
            return;
        };
        if self.busy[id.0 as usize] > 0 {
            token.flags |= flags::PAINTED;
            result.push(token);
            return;
        }
        let definition = &self.macros[id.0 as usize];
        if definition.special != Special::No {
            let special = definition.special;
            let expansion = self.new_expansion(id, &token, &token);
            self.record(id, &token, expansion);
            result.push(self.special_value(special, &token, expansion));
            return;
        }
        let (syntax, buffer) = (definition.syntax.clone(), definition.buffer);
        if self.contexts.len() >= limits::CONTEXTS {
            self.expansion_too_deep(&token, &syntax);
            result.push(token);
            return;
        }
        if syntax.parameters.is_none() {
            let expansion = self.new_expansion(id, &token, &token);
            self.record(id, &token, expansion);
            let tokens = self.replace(&syntax, buffer, None, &token, expansion);
            self.push_context(tokens, Some(id));
            return;
        }
        if self.peek(base, bottom).is_none_or(|next| next.kind != TokenKind::LeftParen) {
            result.push(token);
            return;
        }
        if self.call_depth >= limits::CALL_DEPTH {
            self.expansion_too_deep(&token, &syntax);
            result.push(token);
            return;
        }
        let Some(arguments) = self.arguments(&token, &syntax, base, bottom, result) else { return };
        let expansion = self.new_expansion(id, &token, &arguments.close);
        self.record(id, &token, expansion);
        self.check_argument_count(&syntax, &arguments, &token, id, expansion);
        let tokens = self.replace(&syntax, buffer, Some(&arguments), &token, expansion);
        self.recycle(arguments.tokens);
        self.push_context(tokens, Some(id));
    }

    /// `defined X` and `defined(X)`: the operand is not expanded.
    fn step_defined(&mut self, token: Tok, base: usize, bottom: &mut Bottom<'_>, result: &mut Vec<Tok>) {
        if token.has(flags::IN_BODY) {
            self.defined_from_macro(&token);
        }
        result.push(token);
        let Some(mut next) = self.next(base, bottom) else { return };
        if next.kind == TokenKind::LeftParen {
            result.push(next);
            match self.next(base, bottom) {
                Some(operand) => next = operand,
                None => return,
            }
        }
        next.flags |= flags::PAINTED;
        result.push(next);
    }

    fn push_context(&mut self, tokens: Vec<Tok>, of: Option<MacroId>) {
        if let Some(id) = of {
            self.busy[id.0 as usize] += 1;
        }
        self.contexts.push(Context { tokens, at: 0, of });
    }

    fn recycle(&mut self, mut tokens: Vec<Tok>) {
        if self.pool.len() < 16 && tokens.capacity() < 1 << 16 {
            tokens.clear();
            self.pool.push(tokens);
        }
    }

    /// The next token of the contexts above `base`; those that are used up end here, and their macros may be used again.
    fn next_in_contexts(&mut self, base: usize) -> Option<Tok> {
        let token = self.peek_in_contexts(base)?;
        if let Some(context) = self.contexts.last_mut() {
            context.at += 1;
        }
        self.count_expansion(1);
        Some(token)
    }

    fn peek_in_contexts(&mut self, base: usize) -> Option<Tok> {
        loop {
            if self.stopped || self.contexts.len() <= base {
                return None;
            }
            let context = self.contexts.last()?;
            if let Some(&token) = context.tokens.get(context.at) {
                return Some(token);
            }
            if let Some(context) = self.contexts.pop() {
                if let Some(id) = context.of {
                    self.busy[id.0 as usize] -= 1;
                }
                self.recycle(context.tokens);
            }
        }
    }

    fn next(&mut self, base: usize, bottom: &mut Bottom<'_>) -> Option<Tok> {
        match self.next_in_contexts(base) {
            Some(token) => Some(token),
            None if self.stopped => None,
            None => bottom.next(),
        }
    }

    fn peek(&mut self, base: usize, bottom: &Bottom<'_>) -> Option<Tok> {
        match self.peek_in_contexts(base) {
            Some(token) => Some(token),
            None if self.stopped => None,
            None => bottom.peek(),
        }
    }

    /// Reads the arguments of a call, from the opening parenthesis on. Without an end the call stays as it is.
    fn arguments(
        &mut self,
        name: &Tok,
        syntax: &MacroSyntax,
        base: usize,
        bottom: &mut Bottom<'_>,
        result: &mut Vec<Tok>,
    ) -> Option<Arguments> {
        let start = bottom.at;
        let only_bottom = self.contexts.len() <= base;
        if only_bottom
            && let (Some(unclosed), Some(paren)) = (&bottom.unclosed, bottom.peek())
            && unclosed.contains(&paren.start)
        {
            result.push(*name);
            return None;
        }
        let mut tokens = self.pool.pop().unwrap_or_default();
        let mut bounds = Vec::with_capacity(4);
        let open = self.next(base, bottom)?;
        let mut depth = 0_usize;
        let mut from = 0;
        loop {
            let Some(token) = self.next(base, bottom) else {
                if !self.stopped && (!only_bottom || bottom.unclosed.is_none()) {
                    self.macro_unterminated(name, syntax);
                }
                result.push(*name);
                if only_bottom {
                    bottom.at = start;
                    if bottom.unclosed.is_none() {
                        bottom.find_unclosed(start);
                    }
                } else {
                    result.push(open);
                    result.append(&mut tokens);
                }
                return None;
            };
            match token.kind {
                TokenKind::LeftParen => depth += 1,
                TokenKind::RightParen if depth == 0 => {
                    bounds.push((from, tokens.len()));
                    return Some(Arguments { tokens, bounds, close: token });
                }
                TokenKind::RightParen => depth -= 1,
                TokenKind::Comma if depth == 0 => {
                    bounds.push((from, tokens.len()));
                    from = tokens.len();
                    continue;
                }
                _ => {}
            }
            tokens.push(token);
        }
    }

    fn check_argument_count(
        &mut self,
        syntax: &MacroSyntax,
        arguments: &Arguments,
        name: &Tok,
        id: MacroId,
        expansion: u32,
    ) {
        let expected = syntax.parameters.as_ref().map_or(0, |parameters| parameters.len());
        let found = match arguments.bounds.as_slice() {
            [(from, to)] if expected == 0 && from == to => 0,
            bounds => bounds.len(),
        };
        if found != expected {
            self.macro_arguments(name, id, expansion, expected, found);
        }
    }

    /// The body with its parameters replaced.
    fn replace(
        &mut self,
        syntax: &MacroSyntax,
        buffer: u32,
        arguments: Option<&Arguments>,
        name: &Tok,
        expansion: u32,
    ) -> Vec<Tok> {
        let mut result = self.pool.pop().unwrap_or_default();
        let from_body = |body: &BodyToken| Tok {
            kind: body.token.kind,
            flags: (body.token.flags & (flags::SPACE | flags::SPLICED)) | flags::IN_BODY,
            symbol: body.token.symbol,
            buffer,
            start: body.token.start,
            end: body.token.end,
            expansion,
        };
        if arguments.is_none() && !syntax.has_paste {
            result.extend(syntax.body.iter().map(from_body));
        } else {
            let mut expanded: Vec<Option<Vec<Tok>>> = Vec::new();
            let mut pasting = false;
            // An operand of `##` that is empty leaves the other one as it is.
            let mut left_empty = false;
            for body in &syntax.body {
                let before = result.len();
                let paste_right = body.token.has(flags::PASTE);
                match arguments {
                    Some(arguments) if body.parameter != NO_PARAMETER => {
                        let index = body.parameter as usize;
                        let raw = arguments.get(index);
                        if body.token.has(flags::STRINGIFY) {
                            let token = self.stringify(raw, &from_body(body));
                            result.push(token);
                        } else if pasting || paste_right || !self.has_macro(raw) {
                            result.extend_from_slice(raw);
                        } else {
                            if expanded.len() <= index {
                                expanded.resize_with(index + 1, || None);
                            }
                            if expanded[index].is_none() {
                                expanded[index] = Some(self.expand_argument(raw));
                            }
                            result.extend_from_slice(expanded[index].as_deref().unwrap_or_default());
                        }
                        for token in &mut result[before..] {
                            if token.expansion == NONE {
                                token.expansion = expansion;
                            }
                        }
                        if let Some(first) = result.get_mut(before) {
                            *first = first.with_space(body.token.flags);
                        }
                    }
                    _ => result.push(from_body(body)),
                }
                self.count_expansion((result.len() - before) as u64);
                if self.stopped {
                    break;
                }
                let empty = result.len() == before;
                if pasting && !left_empty && !empty && before > 0 {
                    let (left, right) = (result[before - 1], result[before]);
                    if let Some(pasted) = self.paste(&left, &right, name, expansion) {
                        result[before - 1] = pasted;
                        result.remove(before);
                    }
                }
                left_empty = empty && (!pasting || left_empty);
                pasting = paste_right;
            }
            for tokens in expanded.into_iter().flatten() {
                self.recycle(tokens);
            }
        }
        if let Some(first) = result.first_mut() {
            *first = first.with_space(name.flags);
        }
        result
    }

    fn has_macro(&self, tokens: &[Tok]) -> bool {
        tokens.iter().any(|token| token.kind == TokenKind::Identifier && self.is_defined(token.symbol))
    }

    /// An argument by itself, completely expanded.
    fn expand_argument(&mut self, argument: &[Tok]) -> Vec<Tok> {
        let base = self.contexts.len();
        let mut tokens = self.pool.pop().unwrap_or_default();
        tokens.extend_from_slice(argument);
        self.push_context(tokens, None);
        self.call_depth += 1;
        let mut result = self.pool.pop().unwrap_or_default();
        let mut nothing = Bottom::new(&[], 0);
        while let Some(token) = self.next_in_contexts(base) {
            self.step(token, base, &mut nothing, &mut result);
        }
        self.call_depth -= 1;
        result
    }

    /// `#parameter`.
    fn stringify(&mut self, argument: &[Tok], at: &Tok) -> Tok {
        let mut text = String::from("\"");
        for (index, token) in argument.iter().enumerate() {
            if index > 0 && token.has(flags::SPACE) {
                text.push(' ');
            }
            let spelled = self.text_of(token);
            if token.kind == TokenKind::String {
                text.extend(spelled.chars().flat_map(|c| {
                    matches!(c, '"' | '\\').then_some('\\').into_iter().chain(std::iter::once(c))
                }));
            } else {
                text.push_str(spelled);
            }
            if text.len() > LONGEST_TOKEN {
                break;
            }
        }
        text.push('"');
        self.made(&text, TokenKind::String, Symbol::NONE, at)
    }

    /// A token whose text stands in no file.
    fn made(&mut self, text: &str, kind: TokenKind, symbol: Symbol, at: &Tok) -> Tok {
        let start = self.scratch.len() as u32;
        self.scratch.push_str(text);
        Tok {
            kind,
            flags: (at.flags & flags::SPACE) | flags::IN_BODY,
            symbol,
            buffer: SCRATCH,
            start,
            end: self.scratch.len() as u32,
            expansion: at.expansion,
        }
    }

    fn paste(&mut self, left: &Tok, right: &Tok, name: &Tok, expansion: u32) -> Option<Tok> {
        let text = format!("{}{}", self.text_of(left), self.text_of(right));
        let lexeme = lexeme_at(&text, 0)?;
        let kind = match lexeme.kind {
            LexemeKind::Token(kind)
                if lexeme.end == text.len() && text.len() <= LONGEST_TOKEN && kind != TokenKind::Unknown =>
            {
                kind
            }
            _ => {
                self.bad_paste(left, right, name, expansion);
                return None;
            }
        };
        let symbol = if kind == TokenKind::Identifier { self.cache.intern(&text) } else { Symbol::NONE };
        let at = Tok { expansion, ..*left };
        Some(self.made(&text, kind, symbol, &at))
    }

    fn special_value(&mut self, special: Special, name: &Tok, expansion: u32) -> Tok {
        let offset = match self.expansions.get(expansion as usize) {
            Some(found) => self.expansions[found.root as usize].start,
            None => name.start,
        };
        let value = match special {
            Special::Line => self.line_of(offset),
            Special::File => i64::from(self.source_number),
            Special::Version => i64::from(self.version.map_or(DEFAULT_VERSION, |version| version.number)),
            Special::No => 0,
        };
        let at = Tok { expansion, ..*name };
        self.made(&value.to_string(), TokenKind::Number, Symbol::NONE, &at)
    }

    fn new_expansion(&mut self, definition: MacroId, name: &Tok, close: &Tok) -> u32 {
        self.count_expansion(1);
        let index = self.expansions.len() as u32;
        let (parent, root) = match self.expansions.get(name.expansion as usize) {
            Some(parent) => (name.expansion, parent.root),
            None => (NONE, index),
        };
        let together =
            close.buffer == name.buffer && close.expansion == name.expansion && close.end > name.start;
        let end = if together { close.end } else { name.end };
        self.expansions.push(Expansion {
            definition,
            parent,
            root,
            buffer: name.buffer,
            start: name.start,
            end,
            inclusion: self.inclusion,
        });
        // A name that came out of a macro may find its arguments in the text behind the call.
        if close.expansion == NONE
            && root != index
            && let Some(outermost) = self.expansions.get_mut(root as usize)
            && outermost.buffer == close.buffer
        {
            outermost.end = outermost.end.max(close.end);
        }
        index
    }

    /// Notes a use whose name is written in the text of a file.
    fn record(&mut self, id: MacroId, name: &Tok, expansion: u32) {
        if name.has(flags::IN_BODY) {
            return;
        }
        if let Some(place) = self.place_of(name) {
            let kind = if self.in_condition { MacroUseKind::Directive } else { MacroUseKind::Call };
            self.record_use(kind, id, place, expansion);
        }
    }

    /// Where a token is spelled.
    pub fn place_of(&self, token: &Tok) -> Option<FileRange> {
        file_range(token.buffer, token.start, token.end)
    }

    /// The place to blame for a token: itself in the text, or the call that brought it.
    pub fn blame(&self, token: &Tok) -> FileRange {
        match self.expansions.get(token.expansion as usize) {
            Some(expansion) if token.has(flags::IN_BODY) || token.buffer >= FIRST_VIRTUAL => {
                let root = &self.expansions[expansion.root as usize];
                let file =
                    self.inclusions.get(root.inclusion as usize).map_or(FileId::ROOT, |found| found.file);
                FileRange { file, range: super::tokens::range(root.start, root.end) }
            }
            _ => self
                .place_of(token)
                .unwrap_or(FileRange { file: self.file, range: super::tokens::range(0, 0) }),
        }
    }

    fn count_expansion(&mut self, steps: u64) {
        self.expansion_steps += steps;
        if self.expansion_steps > limits::EXPANSION_STEPS && !self.stopped {
            self.expansion_limit();
        }
    }
}

/// `__VERSION__` of a header that is read by itself.
const DEFAULT_VERSION: u32 = 460;
