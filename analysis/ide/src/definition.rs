//! Where what is named at a place comes from: its definition, its declaration, its type.

use rustc_hash::FxHashSet;

use crate::Cursor;
use crate::occurrences::{self, Builtin, Found, Role, Symbol};
use coopmat_analysis::Analysis;
use coopmat_analysis::extensions;
use coopmat_analysis::hir::{FunctionId, StructId};
use coopmat_analysis::preprocess::MacroOrigin;
use coopmat_analysis::text::{FileId, FilePosition, FileRange, TextRange, TextSize};
use coopmat_analysis::types::{Ty, TypeKind};

/// Where a name comes from.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Target {
    /// The name, and the declaration that it belongs to.
    Source {
        /// The name alone, where it is written.
        name: FileRange,
        /// The declaration; the name again where the declaration is not one piece of the same file.
        whole: FileRange,
    },
    /// The language or an extension brings it: an entry of a page of [`builtin_pages`](crate::builtin_pages).
    Builtin(Builtin),
    /// An included file.
    File(FileId),
}

/// The answer to "go to", with the place that was asked about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Links {
    /// What under the cursor leads there.
    pub origin: FileRange,
    /// At least one.
    pub targets: Vec<Target>,
}

impl Links {
    fn new(origin: FileRange, mut targets: Vec<Target>) -> Option<Links> {
        let mut seen = FxHashSet::default();
        targets.retain(|target| seen.insert(target.clone()));
        (!targets.is_empty()).then_some(Links { origin, targets })
    }
}

/// Where a name is defined; a prototype where the text has no body for it.
pub fn definition(analysis: &Analysis, position: FilePosition) -> Option<Links> {
    if let Some(links) = include(analysis, position) {
        return Some(links);
    }
    let found = occurrences::find(analysis, position)?;
    if let Some(links) = exact_macro(analysis, &found, position) {
        return Some(links);
    }
    let defines = |role: Role| matches!(role, Role::Definition | Role::Initialized);
    links(analysis, &found, defines)
        .or_else(|| links(analysis, &found, Role::declares))
        .or_else(|| builtin_of_that_name(&found))
}

/// The macro at a place that no file defines but the configuration, and where its name stands.
pub fn configured_macro(analysis: &Analysis, position: FilePosition) -> Option<(FileRange, String)> {
    let preprocessed = &analysis.preprocessed;
    let (place, id) = match preprocessed.macro_use_at(position) {
        Some(used) => (used.name, used.definition),
        None => preprocessed.macro_in_body_at(position)?,
    };
    let definition = preprocessed.definition(id);
    (definition.origin == MacroOrigin::CommandLine).then(|| (place, definition.name().to_string()))
}

/// Where nothing is known of a use - code that is left out, a call that fits no overload - the language's own entry.
fn builtin_of_that_name(found: &Found) -> Option<Links> {
    let behind_dot = found.occurrences.loose.iter().any(|one| one.place == found.place && one.member);
    if !found.symbols.is_empty() || behind_dot {
        return None;
    }
    let name = found.name.as_str();
    let function = extensions::functions(name).next().map(|(id, _)| Builtin::Function(id));
    let builtin = function
        .or_else(|| extensions::type_(name).map(|_| Builtin::Type(name.into())))
        .or_else(|| extensions::constant(name).map(Builtin::Constant))
        .or_else(|| extensions::variables(name).next().map(|(id, _)| Builtin::Variable(id)))?;
    Links::new(found.place, vec![Target::Builtin(builtin)])
}

/// Where a name is declared first: a prototype, a buffer reference ahead of its members; else its definition.
pub fn declaration(analysis: &Analysis, position: FilePosition) -> Option<Links> {
    if let Some(links) = include(analysis, position) {
        return Some(links);
    }
    let found = occurrences::find(analysis, position)?;
    links(analysis, &found, |role| role == Role::Declaration).or_else(|| definition(analysis, position))
}

/// The bodies of a function, and every `#define` of a macro.
pub fn implementation(analysis: &Analysis, position: FilePosition) -> Option<Links> {
    let mut found = occurrences::find(analysis, position)?;
    found.symbols.retain(|symbol| matches!(symbol, Symbol::Function(_) | Symbol::Macro(_)));
    links(analysis, &found, |role| role == Role::Definition)
}

/// Where the type of a name, or of the expression around the place, is defined.
pub fn type_definition(analysis: &Analysis, position: FilePosition) -> Option<Links> {
    let found = occurrences::find(analysis, position);
    if let Some(found) = &found {
        let types = found.symbols.iter().filter_map(|symbol| type_of(analysis, symbol));
        let targets: Vec<Target> = types.filter_map(|ty| type_target(analysis, ty)).collect();
        if let Some(links) = Links::new(found.place, targets) {
            return Some(links);
        }
    }
    let cursor = Cursor::at(analysis, position).next()?;
    let (_, expr) = cursor.expressions().into_iter().next()?;
    let origin = found.map_or_else(|| analysis.file_range(expr.range + cursor.base), |found| found.place);
    Links::new(origin, type_target(analysis, expr.ty).into_iter().collect())
}

fn include(analysis: &Analysis, position: FilePosition) -> Option<Links> {
    let include = analysis.preprocessed.includes.iter().find(|include| {
        include.path_range.file == position.file
            && include.path_range.range.contains_inclusive(position.offset)
    })?;
    Links::new(include.path_range, vec![Target::File(include.file?)])
}

/// The very definition that a macro's use was replaced by.
fn exact_macro(analysis: &Analysis, found: &Found, position: FilePosition) -> Option<Links> {
    let preprocessed = &analysis.preprocessed;
    let used = preprocessed.macro_use_at(position).filter(|used| used.name == found.place)?;
    let definition = preprocessed.definition(used.definition);
    let (name, whole) = (definition.name_range()?, definition.directive()?);
    Links::new(found.place, vec![Target::Source { name, whole }])
}

fn links(analysis: &Analysis, found: &Found, wanted: impl Fn(Role) -> bool) -> Option<Links> {
    let mut targets: Vec<Target> = Vec::new();
    for symbol in &found.symbols {
        if let Symbol::Builtin(builtin) = symbol {
            targets.extend(builtin_target(builtin));
        }
    }
    let symbols: FxHashSet<&Symbol> = found.symbols.iter().collect();
    let loose = symbols.is_empty();
    let behind_dot = found.occurrences.loose.iter().any(|one| one.place == found.place && one.member);
    for one in &found.occurrences.list {
        let meant = if loose {
            // In code that is left out, and in macros that nobody uses: what the name stands for elsewhere.
            match one.symbol {
                Symbol::Member(..) => behind_dot,
                Symbol::Global(_) | Symbol::Struct(_) | Symbol::Function(_) | Symbol::Macro(_) => !behind_dot,
                Symbol::Local(..) | Symbol::MacroParameter(..) | Symbol::Builtin(_) => false,
            }
        } else {
            symbols.contains(&one.symbol)
        };
        if !meant || !wanted(one.role) {
            continue;
        }
        if let Some(name) = one.place {
            let whole = whole(analysis, &one.symbol, one.expanded, name);
            targets.push(Target::Source { name, whole });
        }
    }
    Links::new(found.place, targets)
}

fn builtin_target(builtin: &Builtin) -> Option<Target> {
    match builtin {
        Builtin::Swizzle | Builtin::Length => None,
        Builtin::Macro(name) => {
            extensions::extension(name).map(|_| Target::Builtin(Builtin::Macro(name.clone())))
        }
        Builtin::Function(_)
        | Builtin::Variable(_)
        | Builtin::Constant(_)
        | Builtin::Type(_)
        | Builtin::Extension(_) => Some(Target::Builtin(builtin.clone())),
    }
}

/// The declaration around a name: the name alone where the text of it is not one piece of the same file.
pub fn whole(
    analysis: &Analysis,
    symbol: &Symbol,
    expanded: Option<TextRange>,
    name: FileRange,
) -> FileRange {
    let module = &analysis.module;
    let owner_base = |id: StructId| {
        module.structs[id].owner.map_or(TextSize::new(0), |f: FunctionId| module.functions[f].range.start())
    };
    let range = match symbol {
        Symbol::Function(id) => {
            let function = &module.functions[*id];
            let here = |range: &&TextRange| expanded.is_some_and(|name| range.contains_range(name));
            function.prototypes.iter().find(here).copied().or(Some(function.range))
        }
        Symbol::Struct(id) => Some(module.structs[*id].range + owner_base(*id)),
        Symbol::Global(id) => Some(module.globals[*id].range),
        Symbol::Member(id, index) => module.structs[*id]
            .members
            .get(*index as usize)
            .map(|member| member.type_range.cover(member.name_range) + owner_base(*id)),
        Symbol::Macro(_) => {
            let directive = analysis
                .preprocessed
                .macros
                .iter()
                .find(|one| one.name_range() == Some(name))
                .and_then(|one| one.directive());
            return directive.unwrap_or(name);
        }
        Symbol::Local(..) | Symbol::MacroParameter(..) | Symbol::Builtin(_) => None,
    };
    let whole = range.map(|range| analysis.file_range(range));
    whole.filter(|whole| whole.file == name.file && whole.range.contains_range(name.range)).unwrap_or(name)
}

fn type_of(analysis: &Analysis, symbol: &Symbol) -> Option<Ty> {
    let module = &analysis.module;
    match symbol {
        Symbol::Local(function, local) => {
            Some(module.functions[*function].body.as_deref()?.locals[*local].ty)
        }
        Symbol::Global(id) => Some(module.globals[*id].ty),
        Symbol::Member(id, index) => Some(module.structs[*id].members.get(*index as usize)?.ty),
        Symbol::Function(id) => Some(module.functions[*id].return_type),
        Symbol::Struct(_) | Symbol::Macro(_) | Symbol::MacroParameter(..) | Symbol::Builtin(_) => None,
    }
}

fn type_target(analysis: &Analysis, ty: Ty) -> Option<Target> {
    let module = &analysis.module;
    match module.types.kind(ty) {
        TypeKind::Array(element, _) => type_target(analysis, *element),
        TypeKind::Struct(id) | TypeKind::Reference(id) => {
            let symbol = Symbol::Struct(*id);
            let structure = &module.structs[*id];
            let base =
                structure.owner.map_or(TextSize::new(0), |owner| module.functions[owner].range.start());
            let range = structure.name_range + base;
            let name = analysis.preprocessed.map.spelled(range).unwrap_or_else(|| analysis.file_range(range));
            Some(Target::Source { name, whole: whole(analysis, &symbol, Some(range), name) })
        }
        _ => {
            let shown = coopmat_analysis::display::display_type(&module.types, &module.structs, ty);
            let name = shown.split(['<', '[', ' ']).next().unwrap_or_default();
            extensions::type_(name).map(|_| Target::Builtin(Builtin::Type(name.into())))
        }
    }
}
