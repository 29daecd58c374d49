//! What is declared at the cursor: the locals whose scope it stands in, what the top level declares before it, the extensions in
//! force. Locals come from the analysis, and where that does not have them (in macros, in regions that are left out, in text that is
//! too broken) from the tokens before the cursor.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::value::{Value, generic_end, type_of};
use crate::Cursor;
use crate::site::{Site, Tok, takes_type_arguments};
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions;
use coopmat_analysis::hir::{FunctionId, GlobalId, LocalId, StructId};
use coopmat_analysis::lex::{LexemeKind, TokenKind, is_identifier_byte, lexeme_at};
use coopmat_analysis::lower::{Environment, Prelude};
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use coopmat_analysis::types::{TypeKind, Types};

/// A local variable or parameter that is visible.
#[derive(Clone, Debug)]
pub struct LocalName {
    pub name: SmolStr,
    /// In the body at the cursor; `None` when only the tokens tell of it.
    pub id: Option<LocalId>,
    pub value: Option<Value>,
    /// Of a type with type arguments, of which the tokens tell no more.
    pub generic: bool,
}

pub struct Scope<'a> {
    pub analysis: &'a Analysis,
    /// The place of the expanded text whose declarations are visible.
    pub anchor: TextSize,
    pub cursor: Cursor<'a>,
    pub environment: Environment,
    /// The innermost declaration of each name.
    pub locals: Vec<LocalName>,
}

impl<'a> Scope<'a> {
    pub fn new(site: &Site<'a>) -> Scope<'a> {
        let analysis = site.analysis;
        let anchor = anchor(site, 0);
        let mut environment = Environment::new(&Prelude::new(&analysis.config, &analysis.preprocessed));
        environment.advance(anchor);
        let cursor = around(site, anchor).unwrap_or_else(|| Cursor::new(analysis, anchor));
        let mut scope = Scope { analysis, anchor, cursor, environment, locals: Vec::new() };
        scope.locals = scope.analysed_locals();
        scope.add_written_locals(site);
        // GLSL 4.60, section 4.2.2: a variable is in scope after its initializer.
        if let Some(declared) = being_declared(site.segment()) {
            scope.locals.retain(|local| local.name != declared);
        }
        scope
    }

    pub fn types(&self) -> &'a Types {
        &self.analysis.module.types
    }

    pub fn local(&self, name: &str) -> Option<&LocalName> {
        self.locals.iter().find(|local| local.name == name)
    }

    /// The globals that are declared before the cursor, members of unnamed blocks as such.
    pub fn globals(&self) -> impl Iterator<Item = (GlobalId, Option<u32>, &'a SmolStr, Option<Value>)> {
        let module = &self.analysis.module;
        let anchor = self.anchor;
        module
            .globals
            .iter()
            .map(|(id, _)| id)
            .filter(move |&id| module.globals[id].range.start() < anchor)
            .flat_map(move |id| {
                let global = &module.globals[id];
                let members = match (global.name.is_empty(), module.types.kind(global.ty)) {
                    (true, TypeKind::Struct(structure)) => module.structs[*structure].members.as_slice(),
                    _ => &[],
                };
                let itself = (!global.name.is_empty())
                    .then(|| (id, None, &global.name, Value::of(&module.types, global.ty)));
                let members = members.iter().enumerate().map(move |(index, member)| {
                    (id, Some(index as u32), &member.name, Value::of(&module.types, member.ty))
                });
                itself.into_iter().chain(members)
            })
    }

    /// The functions that are declared before the cursor; the one around it is among them.
    pub fn functions(&self) -> impl Iterator<Item = FunctionId> {
        let anchor = self.anchor;
        self.analysis.module.functions.iter().filter_map(move |(id, function)| {
            let first = function.prototypes.iter().map(|range| range.start()).min();
            let start = first.unwrap_or(function.range.start()).min(function.range.start());
            (start < anchor && !function.name.is_empty()).then_some(id)
        })
    }

    /// The structures and buffer references that can be named as types.
    pub fn structures(&self) -> impl Iterator<Item = StructId> {
        let (anchor, here) = (self.anchor, self.cursor.function);
        let module = &self.analysis.module;
        module.structs.iter().filter_map(move |(id, structure)| {
            let named = structure.is_type() && !structure.name.is_empty();
            let base = match structure.owner {
                Some(owner) if Some(owner) == here => module.functions[owner].range.start(),
                Some(_) => return None,
                None => TextSize::new(0),
            };
            (named && structure.range.start() + base < anchor).then_some(id)
        })
    }

    /// The one name that a macro stands for: `#define FLOAT_TYPE float`.
    pub fn alias(&self, name: &str) -> Option<&'a str> {
        /// Macros that stand for macros.
        const CHAIN: usize = 4;
        let analysis = self.analysis;
        let mut found: Option<&'a str> = None;
        for _ in 0..CHAIN {
            let macros = &analysis.preprocessed.macros;
            let wanted = found.unwrap_or(name);
            let Some(definition) = macros.iter().rev().find(|definition| definition.name() == wanted) else {
                break;
            };
            let text: &'a str = match definition.body() {
                Some(body) => {
                    analysis.files()[body.file].text.get(std::ops::Range::<usize>::from(body.range))?
                }
                None => {
                    let mut defines = analysis.config.defines.iter();
                    defines.find(|(known, _)| known == wanted)?.1.as_deref()?
                }
            };
            let text = text.trim();
            if text.is_empty() || !text.bytes().all(is_identifier_byte) {
                break;
            }
            found = Some(text);
        }
        found
    }

    /// The type of what a name stands for.
    pub fn value_of_name(&self, name: &str) -> Option<Value> {
        if let Some(local) = self.local(name) {
            return local.value;
        }
        if let Some((_, _, _, value)) = self.globals().find(|(_, _, global, _)| *global == name) {
            return value;
        }
        if let Some(id) = extensions::variable(name, self.environment.stage) {
            return Value::of_pattern(&extensions::variable_by_id(id).pattern);
        }
        let constant = extensions::constant_by_id(extensions::constant(name)?);
        Some(Value::Vector(constant.scalar, constant.components.len().max(1) as u32))
    }

    /// The locals in whose scope the anchor stands: their declarations are looked for in the expanded text from the function's start
    /// on, and blocks are followed by their brackets, which holds in broken text too.
    fn analysed_locals(&self) -> Vec<LocalName> {
        let Some(function) = self.cursor.function else { return Vec::new() };
        let module = &self.analysis.module;
        let Some(body) = module.functions[function].body.as_deref() else { return Vec::new() };
        let base = self.cursor.base;
        let mut declared: Vec<(TextSize, LocalId)> = body
            .locals
            .iter()
            .filter(|(_, local)| !local.name.is_empty())
            .map(|(id, local)| (local.name_range.start() + base, id))
            .collect();
        declared.sort_unstable_by_key(|&(start, _)| start);
        let text = self.analysis.preprocessed.text.as_str();
        let mut blocks = Blocks::default();
        let mut next = declared.iter().peekable();
        let mut at = usize::from(base);
        while let Some(lexeme) = lexeme_at(text, at) {
            if lexeme.start >= usize::from(self.anchor) {
                break;
            }
            at = lexeme.end;
            if !matches!(lexeme.kind, LexemeKind::Token(_)) {
                continue;
            }
            while next.next_if(|(start, _)| usize::from(*start) < lexeme.start).is_some() {}
            blocks.step(text.get(lexeme.start..lexeme.end).unwrap_or_default());
            if let Some(&(_, id)) = next.next_if(|(start, _)| usize::from(*start) == lexeme.start) {
                // A name that the cursor touches is being declared, not used.
                if lexeme.end < usize::from(self.anchor) {
                    blocks.declare(id);
                }
            }
        }
        let mut seen = FxHashSet::default();
        let visible = blocks.visible();
        visible
            .into_iter()
            .rev()
            .filter(|&id| seen.insert(body.locals[id].name.as_str()))
            .map(|id| {
                let local = &body.locals[id];
                LocalName {
                    name: local.name.clone(),
                    id: Some(id),
                    value: Value::of(&module.types, local.ty),
                    generic: false,
                }
            })
            .collect()
    }

    /// Declarations that the tokens before the cursor show and the analysis does not have.
    fn add_written_locals(&mut self, site: &Site<'_>) {
        let Some(outermost) = site.frames.iter().rev().find(|frame| frame.bracket == '{') else { return };
        let tokens = &site.tokens;
        let mut start = outermost.index;
        // The parameters stand before the block.
        if start > 0
            && tokens[start - 1].is(")")
            && let Some(open) = super::value::opener(tokens, start - 1)
        {
            start = open;
        }
        let mut known: FxHashSet<SmolStr> = self.locals.iter().map(|local| local.name.clone()).collect();
        let mut blocks = Blocks::default();
        for index in start..tokens.len() {
            blocks.step(tokens[index].text);
            if let Some((name, value)) = self.declaration_at(tokens, index) {
                for name in declarators(tokens, name) {
                    if !known.contains(tokens[name].text) {
                        blocks.declare((name, value));
                    }
                }
            }
        }
        for (name, value) in blocks.visible().into_iter().rev() {
            let before = name.checked_sub(1).map(|ty| tokens[ty].text);
            let name = SmolStr::new(tokens[name].text);
            if known.insert(name.clone()) {
                let generic = value.is_none() && before.is_some_and(|ty| matches!(ty, ">" | ">>"));
                self.locals.push(LocalName { name, id: None, value, generic });
            }
        }
    }

    /// `TYPE name` at `index`: the index of the name, and the type.
    fn declaration_at(&self, tokens: &[Tok<'_>], index: usize) -> Option<(usize, Option<Value>)> {
        let first = tokens.get(index).filter(|token| token.is_name())?;
        let mut after = index + 1;
        if takes_type_arguments(first.text) && tokens.get(after).is_some_and(|token| token.is("<")) {
            after = generic_end(tokens, after)? + 1;
        } else if tokens.get(after).is_some_and(|token| token.is("("))
            && self.analysis.preprocessed.macros.iter().any(|definition| definition.name() == first.text)
        {
            // `TILE(16) name`: a macro may stand for the type.
            after = super::value::closer(tokens, after)? + 1;
        }
        let name = tokens.get(after).filter(|token| token.is_name())?;
        let follows = tokens.get(after + 1)?;
        if !matches!(follows.text, "=" | ";" | "," | "[" | ")" | ":")
            || index.checked_sub(1).is_some_and(|before| tokens[before].is("."))
            || super::value::is_word_before_value(first.text)
            || extensions::type_(name.text).is_some()
        {
            return None;
        }
        let value = type_of(self, &tokens[index..after]);
        // An array's elements are not told here.
        Some((after, if follows.is("[") { None } else { value }))
    }
}

/// The name whose initializer is being written: `TYPE name = `.
fn being_declared<'a>(segment: &[Tok<'a>]) -> Option<&'a str> {
    let mut depth = 0usize;
    let equals = segment.iter().rposition(|token| {
        match token.text {
            ")" | "]" => depth += 1,
            "(" | "[" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && token.is("=")
    })?;
    let name = equals.checked_sub(1).map(|index| &segment[index]).filter(|name| name.is_name())?;
    let ty = equals.checked_sub(2).map(|index| &segment[index])?;
    let is_type =
        (ty.is_name() && !super::value::is_word_before_value(ty.text)) || matches!(ty.text, ">" | ")");
    is_type.then_some(name.text)
}

/// The names of one declaration, of which the first stands at `first`: `int a = f(x, y), b[2], c`.
fn declarators(tokens: &[Tok<'_>], first: usize) -> Vec<usize> {
    let mut names = vec![first];
    let mut depth = 0usize;
    for index in first + 1..tokens.len() {
        match tokens[index].text {
            "(" | "[" | "{" => depth += 1,
            // The end of a list of parameters.
            ")" | "]" | "}" if depth == 0 => break,
            ")" | "]" | "}" => depth -= 1,
            ";" => break,
            "," if depth == 0 => {
                let follows =
                    tokens.get(index + 2).is_none_or(|next| matches!(next.text, "=" | "," | ";" | "["));
                if tokens.get(index + 1).is_some_and(Tok::is_name) && follows {
                    names.push(index + 1);
                }
            }
            _ => {}
        }
    }
    names
}

/// The function in whose braces the tokens say that the cursor stands: where its closing brace is missing, or the text behind it
/// broken, the analysis may let it end too early.
fn around<'a>(site: &Site<'a>, anchor: TextSize) -> Option<Cursor<'a>> {
    let analysis = site.analysis;
    let brace = site.frames.iter().rev().find(|frame| frame.bracket == '{')?.index;
    let close = brace.checked_sub(1).filter(|&index| site.tokens[index].is(")"))?;
    let open = super::value::opener(&site.tokens, close)?;
    let name = site.tokens.get(open.checked_sub(1)?)?;
    let place = FilePosition { file: site.file, offset: TextSize::new(name.start) };
    let starts = analysis.preprocessed.map.to_expanded(place);
    let module = &analysis.module;
    let (id, function) = module.functions.iter().find(|(_, function)| {
        starts.contains(&function.name_range.start()) && function.range.start() <= anchor
    })?;
    Some(Cursor {
        analysis,
        offset: anchor,
        function: Some(id),
        body: function.body.as_deref()?,
        base: function.range.start(),
    })
}

/// Follows blocks, and the reach of what the parentheses of a loop declare.
struct Blocks<T> {
    open: Vec<Block>,
    declared: Vec<(usize, T)>,
    /// The word that the next parenthesis belongs to opens a scope.
    of_loop: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Block {
    Brace,
    /// A parenthesis, whether of a loop.
    Paren(bool),
    /// After the parentheses of a loop: ends with the statement.
    LoopBody,
}

impl<T> Default for Blocks<T> {
    fn default() -> Self {
        Blocks { open: Vec::new(), declared: Vec::new(), of_loop: false }
    }
}

impl<T> Blocks<T> {
    fn step(&mut self, token: &str) {
        match token {
            "for" | "while" => self.of_loop = true,
            "(" => {
                self.open.push(Block::Paren(self.of_loop));
                self.of_loop = false;
            }
            ")" => {
                if let Some(Block::Paren(of_loop)) = self.open.last().copied() {
                    self.open.pop();
                    if of_loop {
                        // What the parentheses declare is seen in the statement after them.
                        self.open.push(Block::LoopBody);
                    } else {
                        self.forget();
                    }
                }
            }
            "{" => self.open.push(Block::Brace),
            "}" => {
                while self.open.pop().is_some_and(|block| block != Block::Brace) {}
                self.end_statement();
            }
            ";" => {
                while matches!(self.open.last(), Some(Block::Paren(false))) {
                    // Nothing closed it.
                    self.open.pop();
                }
                if !matches!(self.open.last(), Some(Block::Paren(true))) {
                    self.end_statement();
                }
            }
            _ => {}
        }
    }

    fn end_statement(&mut self) {
        while self.open.last() == Some(&Block::LoopBody) {
            self.open.pop();
        }
        self.forget();
    }

    fn forget(&mut self) {
        let depth = self.open.len();
        while self.declared.last().is_some_and(|(declared, _)| *declared > depth) {
            self.declared.pop();
        }
    }

    fn declare(&mut self, what: T) {
        // Parameters stand in parentheses, and are seen in the block after them.
        let depth = match self.open.last() {
            Some(Block::Paren(false)) => self.open.len() - 1,
            _ => self.open.len(),
        };
        self.declared.push((depth, what));
    }

    fn visible(self) -> Vec<T> {
        self.declared.into_iter().map(|(_, what)| what).collect()
    }
}

/// The place of the expanded text whose declarations the cursor sees: its own, else that of the nearest code before it, else that of
/// the line that includes the file.
fn anchor(site: &Site<'_>, depth: u32) -> TextSize {
    /// How many tokens are looked back over.
    const BACK: usize = 4096;
    let analysis = site.analysis;
    let map = &analysis.preprocessed.map;
    let word = FilePosition { file: site.file, offset: site.word().start() };
    if !site.prefix.is_empty()
        && let Some(&at) = map.to_expanded(word).first()
    {
        return at + TextSize::new(site.prefix.len() as u32);
    }
    let Some(lexed) = analysis.preprocessed.lexed(site.file) else { return TextSize::new(0) };
    let before = lexed.tokens.partition_point(|token| token.start < u32::from(word.offset));
    // In the body of a macro, the code before the directive counts.
    let before = match site.directive {
        Some(directive) => {
            lexed.tokens.partition_point(|token| token.start < u32::from(directive.range.start()))
        }
        None => before,
    };
    for token in lexed.tokens[..before].iter().rev().take(BACK) {
        let place = FileRange { file: site.file, range: token.range() };
        if let Some(last) = map.to_expanded_ranges(place).last()
            && token.kind != TokenKind::Hash
        {
            return last.end() + TextSize::new(1);
        }
    }
    let include = analysis.preprocessed.includes.iter().find(|include| include.file == Some(site.file));
    match include {
        Some(include) if depth < 8 && include.directive.file != site.file => {
            let place =
                FilePosition { file: include.directive.file, offset: include.directive.range.start() };
            match Site::new(analysis, place) {
                Some(outer) => anchor(&outer, depth + 1),
                None => TextSize::new(0),
            }
        }
        _ if site.file == FileId::ROOT => TextSize::new(0),
        _ => TextSize::new(analysis.preprocessed.text.len() as u32),
    }
}

/// The names in the code around the cursor that nothing is known of: in regions that are left out, and in macros.
pub fn words_around<'a>(site: &Site<'a>) -> Vec<&'a str> {
    /// How far around the cursor.
    const REACH: u32 = 8192;
    let Some(lexed) = site.analysis.preprocessed.lexed(site.file) else { return Vec::new() };
    let (from, to) = (site.offset.saturating_sub(REACH), site.offset.saturating_add(REACH));
    let text = site.text;
    let mut seen = FxHashSet::default();
    let start = lexed.tokens.partition_point(|token| token.start < from);
    let mut words: Vec<&str> = lexed.tokens[start..]
        .iter()
        .take_while(|token| token.start < to)
        .filter(|token| token.kind == TokenKind::Identifier)
        .filter(|token| !TextRange::contains_inclusive(token.range(), TextSize::new(site.offset)))
        .filter_map(|token| text.get(token.start as usize..token.end as usize))
        .filter(|word| seen.insert(*word))
        .collect();
    words.sort_unstable();
    words
}

/// Whether brackets follow the name directly: a call is not made of it twice.
pub fn is_called(site: &Site<'_>) -> bool {
    site.next_is("(") && site.after[0].start == u32::from(site.word().end())
}
