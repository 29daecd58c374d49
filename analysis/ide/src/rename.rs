//! Renaming: what can be renamed, which names it may get, and the proof that nothing else changed.
//!
//! What would be captured, would clash or would be pasted into other tokens is not guessed: the renamed text is analysed
//! again, and has to have the same tokens but for the name, and every name has to stand for what it stood for.

use std::hash::{Hash, Hasher};

use rustc_hash::{FxHashMap, FxHasher};
use smol_str::SmolStr;
use tree_sitter_glsl_coopmat::{field, kind};

use crate::occurrences::{self, Symbol};
use crate::usages::{self, Place};
use coopmat_analysis::Analysis;
use coopmat_analysis::diagnostics::{Severity, codes};
use coopmat_analysis::extensions;
use coopmat_analysis::hir::Definition;
use coopmat_analysis::lex::{LexemeKind, TokenKind, lexeme_at};
use coopmat_analysis::reparse;
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};

/// What is to be renamed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    /// The name that it has.
    pub name: SmolStr,
    /// The word that is asked about.
    pub place: FileRange,
    /// It names a macro, whose new name the preprocessor has to leave alone.
    pub is_macro: bool,
}

/// What stands at a place, or why it cannot be renamed.
pub fn prepare(analysis: &Analysis, position: FilePosition) -> Result<Target, String> {
    let Some(found) = occurrences::find(analysis, position) else {
        return Err("there is no name here".to_owned());
    };
    let name = found.name;
    for symbol in &found.symbols {
        match symbol {
            Symbol::Builtin(builtin) => {
                return Err(format!("`{name}` is {}: it cannot be renamed", usages::builtin_words(builtin)));
            }
            Symbol::Function(_) if name == "main" => {
                return Err("`main` is the entry point: it cannot be renamed".to_owned());
            }
            Symbol::Macro(_) | Symbol::MacroParameter(..) => {}
            Symbol::Local(..)
            | Symbol::Global(_)
            | Symbol::Member(..)
            | Symbol::Struct(_)
            | Symbol::Function(_) => {}
        }
    }
    if extensions::is_reserved(&name) {
        return Err(format!("`{name}` is reserved by the language: it cannot be renamed"));
    }
    if found.symbols.is_empty() {
        if let Some(what) = usages::is_builtin_name(&name) {
            return Err(format!("`{name}` is {what}: it cannot be renamed"));
        }
        if is_keyword(&name) {
            return Err(format!("`{name}` is a keyword: it cannot be renamed"));
        }
        let loose = |one: &occurrences::Loose| one.place == found.place && (one.inactive || one.in_macro);
        if !found.occurrences.loose.iter().any(loose) {
            return Err(format!("it is not known what `{name}` refers to here"));
        }
        // Left out here, or in a macro that nobody uses: another configuration may know it.
    }
    let is_macro = found.symbols.iter().any(|symbol| matches!(symbol, Symbol::Macro(_)));
    Ok(Target { name, place: found.place, is_macro })
}

/// Why something cannot be called `name`, if so.
pub fn check_new_name(name: &str, for_macro: bool) -> Result<(), String> {
    /// The longest identifier of GLSL 4.60, section 3.7.
    const LONGEST: usize = 1024;
    let mut characters = name.chars();
    let starts = characters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_');
    if !starts || !characters.all(|one| one.is_ascii_alphanumeric() || one == '_') {
        return Err(format!(
            "`{name}` is not a valid name: expected letters, digits and underscores, not starting with a digit"
        ));
    }
    if name.len() > LONGEST {
        return Err(format!("a name has at most {LONGEST} characters, this one has {}", name.len()));
    }
    if extensions::is_reserved(name) {
        return Err(format!("`{name}` begins with `gl_`, which is reserved for the language"));
    }
    if name.contains("__") {
        return Err(format!("`{name}` contains two consecutive underscores, which is reserved"));
    }
    if for_macro && name.starts_with("GL_") {
        return Err(format!("`{name}` begins with `GL_`, which is reserved for macros of extensions"));
    }
    if for_macro && name == "defined" {
        return Err("`defined` is an operator of `#if`".to_owned());
    }
    if let Some(what) = usages::is_builtin_name(name) {
        return Err(format!("`{name}` is already {what}"));
    }
    if is_keyword(name) {
        return Err(format!("`{name}` is a keyword"));
    }
    Ok(())
}

/// Whether the grammar reads a word as something else than a name.
fn is_keyword(name: &str) -> bool {
    let text = format!("void f() {{ int {name} = 1; {name} = {name} + 1; }}\n");
    let Some(tree) = reparse::parse(&text, None) else { return false };
    let root = tree.root_node();
    if root.has_error() {
        return true;
    }
    let function = root.named_child(0).and_then(|node| node.child_by_field_id(field::BODY));
    let declaration = function.and_then(|body| body.named_child(0));
    let assigned = function.and_then(|body| body.named_child(1)).and_then(|node| node.named_child(0));
    let declares = declaration.is_some_and(|node| {
        node.kind_id() == kind::DECLARATION && node.child_by_field_id(field::DECLARATOR).is_some()
    });
    let left = assigned.and_then(|node| node.child_by_field_id(field::LEFT));
    !declares || left.is_none_or(|left| left.kind_id() != kind::IDENTIFIER)
}

/// What must stay the same: the tokens but for the name, what the names stand for, the errors.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Digest {
    tokens: u64,
    names: u64,
    errors: Vec<&'static str>,
}

impl Digest {
    /// `old` and `new` are taken for the same name.
    pub fn of(analysis: &Analysis, old: &str, new: &str) -> Digest {
        let mut tokens = FxHasher::default();
        for (_, text) in words(&analysis.preprocessed.text) {
            if text == old || text == new { "" } else { text }.hash(&mut tokens);
        }
        let mut names = FxHasher::default();
        for (body, _, function) in analysis.module.bodies() {
            function.map(|id| id.into_raw().into_u32()).hash(&mut names);
            for used in &body.names {
                stamp(&used.definition).hash(&mut names);
            }
        }
        let mut errors: Vec<&str> = analysis
            .diagnostics
            .iter()
            .filter(|diagnostic| diagnostic.severity == Severity::Error)
            .map(|diagnostic| diagnostic.code.id)
            .collect();
        errors.sort_unstable();
        Digest { tokens: tokens.finish(), names: names.finish(), errors }
    }
}

/// The tokens of an expanded text.
fn words(text: &str) -> impl Iterator<Item = (TextRange, &str)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let lexeme = lexeme_at(text, at)?;
            at = lexeme.end;
            if let LexemeKind::Token(kind) = lexeme.kind
                && kind != TokenKind::Unknown
            {
                let range =
                    TextRange::new(TextSize::new(lexeme.start as u32), TextSize::new(lexeme.end as u32));
                return Some((range, text.get(lexeme.start..lexeme.end).unwrap_or_default()));
            }
        }
    })
}

/// A definition as two analyses of the same program number it.
fn stamp(definition: &Definition) -> (u8, u32, u32) {
    match definition {
        Definition::Local(id) => (0, id.into_raw().into_u32(), 0),
        Definition::Global(id) => (1, id.into_raw().into_u32(), 0),
        Definition::BlockMember(id, member) => (2, id.into_raw().into_u32(), *member),
        Definition::Member(id, member) => (3, id.into_raw().into_u32(), *member),
        Definition::Struct(id) => (4, id.into_raw().into_u32(), 0),
        Definition::Function(id) => (5, id.into_raw().into_u32(), 0),
        Definition::BuiltinFunction(id) => (6, id.0.into(), 0),
        Definition::BuiltinVariable(id) => (7, id.0.into(), 0),
        Definition::BuiltinConstant(id) => (8, id.0.into(), 0),
        Definition::Type(_) => (9, 0, 0),
        Definition::Swizzle => (10, 0, 0),
        Definition::Method(_) => (11, 0, 0),
    }
}

/// Whether two texts that were only preprocessed are the same program under another name: every `old` became `new`, which was
/// not there before. Then nothing can be captured, and nothing has to be analysed.
pub fn is_same_program(before: &Analysis, after: &Analysis, old: &str, new: &str) -> bool {
    if usages::may_be_builtin(old) || before.preprocessed.incomplete || after.preprocessed.incomplete {
        return false;
    }
    let complaints = |analysis: &Analysis| analysis.preprocessed.diagnostics.len();
    if complaints(before) != complaints(after) {
        return false;
    }
    let (mut was, mut is) = (words(&before.preprocessed.text), words(&after.preprocessed.text));
    loop {
        match (was.next(), is.next()) {
            (None, None) => return true,
            (Some((_, a)), Some((_, b))) if (a == b && a != old && a != new) || (a == old && b == new) => {}
            _ => return false,
        }
    }
}

/// How the analysis of the renamed text differs from that of the text before, and where: a place in the text before.
pub fn explain(before: &Analysis, after: &Analysis, old: &str, new: &str) -> (String, Place) {
    let mut known = Digest::of(before, old, new).errors;
    let mut errors: Vec<_> = after.diagnostics.iter().filter(|one| one.severity == Severity::Error).collect();
    errors.retain(|diagnostic| match known.iter().position(|id| *id == diagnostic.code.id) {
        Some(index) => {
            known.swap_remove(index);
            false
        }
        None => true,
    });
    // A clash says most; what follows from it comes along.
    let clash = errors.iter().find(|one| one.code == &codes::REDEFINITION);
    if let Some(error) = clash {
        return (error.message.clone(), Place::new(after, error.location));
    }
    let same = |a: &str, b: &str| a == b || (a == old && b == new);
    let mut pairs = words(&before.preprocessed.text).zip(words(&after.preprocessed.text));
    if let Some(((range, was), (_, is))) = { &mut pairs }.find(|((_, a), (_, b))| !same(a, b)) {
        let place = Place::new(before, before.file_range(range));
        return (format!("`{was}` would become `{is}`"), place);
    }
    let (meant, means) = (stamps(before), stamps(after));
    let pairs = words(&before.preprocessed.text).zip(words(&after.preprocessed.text));
    for ((range, _), (renamed, shown)) in pairs {
        if let (Some(was), Some(is)) = (meant.get(&range.start()), means.get(&renamed.start()))
            && was != is
        {
            let place = Place::new(before, before.file_range(range));
            return (format!("`{shown}` would refer to another declaration"), place);
        }
    }
    if let Some(error) = errors.first() {
        return (error.message.clone(), Place::new(after, error.location));
    }
    let start = FileRange { file: FileId::ROOT, range: TextRange::empty(TextSize::new(0)) };
    (format!("renaming would change what the program does where `{old}` is used"), Place::new(before, start))
}

/// What stands for what, by the place of the name in the expanded text.
fn stamps(analysis: &Analysis) -> FxHashMap<TextSize, (u8, u32, u32)> {
    let bodies = analysis.module.bodies();
    bodies
        .flat_map(|(body, base, _)| {
            body.names.iter().map(move |used| (used.range.start() + base, stamp(&used.definition)))
        })
        .collect()
}
