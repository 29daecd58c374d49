//! Uses of one name over many analyses: shaders that include the same header, and configurations of the same shader.
//!
//! Each analysis gives the groups of places that stand for one thing in it (`Piece`). Groups of different analyses that share
//! a place belong together (`Closure`): a member of a structure in a header is the same member in every shader that includes
//! it. Where a place stands for one thing here and for another there (`data.d` under `#define DATA_TYPE`), all of them have to
//! be renamed together.

use std::collections::BTreeMap;
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet};

use crate::definition::whole;
use crate::occurrences::{Builtin, Occurrence, Occurrences, Role, Symbol};
use coopmat_analysis::Analysis;
use coopmat_analysis::display::display_type;
use coopmat_analysis::extensions;
use coopmat_analysis::hir::FunctionId;
use coopmat_analysis::lex::is_identifier_byte;
use coopmat_analysis::preprocess::MacroOrigin;
use coopmat_analysis::text::{FileRange, TextRange, TextSize};

/// A range of a file, whatever analysis it was seen in.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    /// As the analysis knows the file.
    pub path: Arc<str>,
    /// In bytes of the file.
    pub range: TextRange,
}

impl Place {
    /// The same place, for comparison with those of other analyses.
    pub fn new(analysis: &Analysis, place: FileRange) -> Place {
        Place { path: analysis.files()[place.file].path.clone(), range: place.range }
    }

    fn key(&self) -> (&str, u32, u32) {
        (&self.path, self.range.start().into(), self.range.end().into())
    }
}

impl Ord for Place {
    fn cmp(&self, other: &Place) -> std::cmp::Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Place {
    fn partial_cmp(&self, other: &Place) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

/// What a group of places stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum GroupKind {
    /// With the function around it.
    Local(Place),
    /// A variable or constant of the whole shader.
    Global,
    /// A member of a structure or block.
    Member,
    /// A structure or block.
    Struct,
    /// A function of the program.
    Function,
    /// A macro, all definitions of it together.
    Macro,
    /// A parameter of one `#define`.
    MacroParameter,
    /// In words, see [`builtin_words`].
    Builtin(&'static str),
}

/// One place of a group.
#[derive(Clone, Debug)]
pub struct Use {
    /// Where the word is written.
    pub place: Place,
    /// What it does there.
    pub role: Role,
    /// Index in `Piece::functions`.
    pub caller: Option<usize>,
    /// The outermost macro call, where the place is in a macro's body.
    pub shown: Option<Place>,
}

/// The places that stand for one thing in one analysis.
#[derive(Clone, Debug)]
pub struct Group {
    /// What it is.
    pub kind: GroupKind,
    /// A place is there once for each function around it and each macro call that shows it.
    pub uses: Vec<Use>,
    /// Why some of it is written in no file, if that is so.
    pub unwritten: Option<String>,
}

/// A function as a list of calls names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FunctionPlace {
    /// Without parameters.
    pub name: String,
    /// Result and parameters.
    pub detail: String,
    /// The name in the definition, or in a prototype where there is none.
    pub name_place: Place,
    /// The definition or prototype around it.
    pub whole: Place,
}

/// A place without a meaning: left out, or in a macro that is not used.
#[derive(Clone, Debug)]
pub struct LoosePlace {
    /// Where the word is written.
    pub place: Place,
    /// Behind a `.`.
    pub member: bool,
}

/// What one analysis says about a name.
#[derive(Clone, Debug, Default)]
pub struct Piece {
    /// The name of the configuration that was analysed.
    pub configuration: String,
    /// One for each thing that the name stands for.
    pub groups: Vec<Group>,
    /// Places of the word that are in none of them.
    pub loose: Vec<LoosePlace>,
    /// Those that hold some use: [`Use::caller`] counts in this list.
    pub functions: Vec<FunctionPlace>,
}

impl Piece {
    /// All places where an analysis reads `name`, in the analysed files alone.
    pub fn of(analysis: &Analysis, name: &str) -> Piece {
        let found = Occurrences::of(analysis, name);
        let mut piece = Piece { configuration: analysis.config.name.clone(), ..Piece::default() };
        let mut groups: FxHashMap<Symbol, usize> = FxHashMap::default();
        let mut functions: FxHashMap<FunctionId, usize> = FxHashMap::default();
        for one in &found.list {
            let index = *groups.entry(one.symbol.clone()).or_insert_with(|| {
                piece.groups.push(Group {
                    kind: kind_of(analysis, &one.symbol),
                    uses: Vec::new(),
                    unwritten: None,
                });
                piece.groups.len() - 1
            });
            let Some(place) = one.place else {
                let group = &mut piece.groups[index];
                group.unwritten = group.unwritten.take().or_else(|| Some(why_unwritten(analysis, one, name)));
                continue;
            };
            let caller = one.function.and_then(|id| match functions.get(&id) {
                Some(&known) => Some(known),
                None => {
                    piece.functions.push(function_place(analysis, id)?);
                    functions.insert(id, piece.functions.len() - 1);
                    Some(piece.functions.len() - 1)
                }
            });
            let place = Place::new(analysis, place);
            let shown = one.expanded.map(|range| Place::new(analysis, analysis.file_range(range)));
            let shown = shown.filter(|shown| *shown != place);
            let group = &mut piece.groups[index];
            // A header that is read twice says the same twice.
            let same = |known: &Use| known.place == place && known.caller == caller && known.shown == shown;
            if !group.uses.iter().rev().take(64).any(same) {
                group.uses.push(Use { place, role: one.role, caller, shown });
            }
        }
        let loose = found.loose.iter().filter(|one| one.inactive || one.in_macro);
        piece.loose = loose
            .map(|one| LoosePlace { place: Place::new(analysis, one.place), member: one.member })
            .collect();
        piece
    }
}

/// Whether an analysis of what was only preprocessed would lead to no new place: every use of the name that is left is at a
/// known one. Not so where the use may stand for something that has no place, such as a swizzle.
pub fn is_settled(preprocessed: &Analysis, name: &str, known: &FxHashSet<Place>) -> bool {
    if may_be_builtin(name) {
        return false;
    }
    let text = preprocessed.preprocessed.text.as_str();
    let word = |byte: Option<&u8>| byte.is_some_and(|&byte| is_identifier_byte(byte));
    memchr::memmem::find_iter(text.as_bytes(), name.as_bytes()).all(|at| {
        let (before, behind) = (at.checked_sub(1), at + name.len());
        let bytes = text.as_bytes();
        if word(before.and_then(|before| bytes.get(before))) || word(bytes.get(behind)) {
            return true;
        }
        let range = TextRange::new(TextSize::new(at as u32), TextSize::new(behind as u32));
        let spelled = preprocessed.preprocessed.map.spelled(range);
        spelled.is_some_and(|place| known.contains(&Place::new(preprocessed, place)))
    })
}

/// Whether a name may stand for something of the language's own.
pub fn may_be_builtin(name: &str) -> bool {
    let swizzle = name.len() <= 4 && name.bytes().all(|byte| b"xyzwrgbastpq".contains(&byte));
    swizzle || name == "length" || is_builtin_name(name).is_some()
}

/// A function as lists show it.
pub fn function_place(analysis: &Analysis, id: FunctionId) -> Option<FunctionPlace> {
    let function = &analysis.module.functions[id];
    let map = &analysis.preprocessed.map;
    let name = map.spelled(function.name_range).unwrap_or_else(|| map.primary(function.name_range));
    let around = whole(analysis, &Symbol::Function(id), Some(function.name_range), name);
    let module = &analysis.module;
    let show = |ty| display_type(&module.types, &module.structs, ty);
    let parameters: Vec<String> = function
        .parameters
        .iter()
        .map(|parameter| format!("{} {}", show(parameter.ty), parameter.name).trim_end().to_owned())
        .collect();
    Some(FunctionPlace {
        name: function.name.to_string(),
        detail: format!("{}({})", show(function.return_type), parameters.join(", ")),
        name_place: Place::new(analysis, name),
        whole: Place::new(analysis, around),
    })
}

fn kind_of(analysis: &Analysis, symbol: &Symbol) -> GroupKind {
    match symbol {
        Symbol::Local(function, _) => {
            let around = analysis.file_range(analysis.module.functions[*function].range);
            GroupKind::Local(Place::new(analysis, around))
        }
        Symbol::Global(_) => GroupKind::Global,
        Symbol::Member(..) => GroupKind::Member,
        Symbol::Struct(_) => GroupKind::Struct,
        Symbol::Function(_) => GroupKind::Function,
        Symbol::Macro(_) => GroupKind::Macro,
        Symbol::MacroParameter(..) => GroupKind::MacroParameter,
        Symbol::Builtin(builtin) => GroupKind::Builtin(builtin_words(builtin)),
    }
}

/// What a built-in is, in words with an article: "a built-in function".
pub fn builtin_words(builtin: &Builtin) -> &'static str {
    match builtin {
        Builtin::Function(_) => "a built-in function",
        Builtin::Variable(_) => "a built-in variable",
        Builtin::Constant(_) => "a built-in constant",
        Builtin::Type(_) => "a type of the language",
        Builtin::Swizzle => "a swizzle of vector components",
        Builtin::Length => "a method of the language",
        Builtin::Extension(_) => "the name of an extension",
        Builtin::Macro(_) => "a macro that the language or an extension defines",
    }
}

fn why_unwritten(analysis: &Analysis, one: &Occurrence, name: &str) -> String {
    let configuration = &analysis.config.name;
    let Some(range) = one.expanded else {
        return format!("the configuration `{configuration}` defines `{name}`: rename it there first");
    };
    let mapped = analysis.preprocessed.map.to_file(range);
    let calls = mapped.in_macro.map(|around| around.calls).unwrap_or_default();
    let definitions = || calls.iter().map(|call| analysis.preprocessed.definition(call.definition));
    if let Some(definition) = definitions().find(|one| one.origin == MacroOrigin::CommandLine) {
        let macro_name = definition.name();
        return format!(
            "the configuration `{configuration}` names `{name}` in its macro `{macro_name}`: change it there first"
        );
    }
    match definitions().find(|one| one.pastes_or_quotes()) {
        Some(definition) => {
            format!("the macro `{}` puts `{name}` together with `##`", definition.name())
        }
        None => format!("`{name}` is put together by a macro"),
    }
}

/// Everything that belongs together with some places.
#[derive(Debug, Default)]
pub struct Closure {
    /// Each place once, with what it is there for.
    pub uses: BTreeMap<Place, Role>,
    /// Index of the piece, and of the group in it.
    pub groups: Vec<(usize, usize)>,
    members: FxHashSet<(usize, usize)>,
}

impl Closure {
    /// Every use of what the language brings along under this name, in the words of `builtin_words`.
    pub fn of_builtin(pieces: &[Piece], words: &str) -> Closure {
        let mut closure = Closure::default();
        for (index, group, found) in groups(pieces) {
            if matches!(found.kind, GroupKind::Builtin(known) if known == words) {
                closure.add(index, group, found);
            }
        }
        closure
    }

    /// The declarations of what stands at `seeds`, and all that stands for them.
    pub fn of_declarations(pieces: &[Piece], seeds: &[Place]) -> Closure {
        let mut closure = Closure::default();
        let seeds: FxHashSet<&Place> = seeds.iter().collect();
        let mut declared: FxHashSet<Place> = FxHashSet::default();
        for (index, group, found) in groups(pieces) {
            if found.uses.iter().any(|one| seeds.contains(&one.place)) {
                closure.add(index, group, found);
                let declaring = found.uses.iter().filter(|one| one.role.declares());
                declared.extend(declaring.map(|one| one.place.clone()));
            }
        }
        for (index, group, found) in groups(pieces) {
            let same = |one: &Use| one.role.declares() && declared.contains(&one.place);
            if !closure.contains(index, group) && found.uses.iter().any(same) {
                closure.add(index, group, found);
            }
        }
        closure
    }

    /// All that has to have the same name as what stands at `seeds`.
    pub fn of_name(pieces: &[Piece], seeds: &[Place]) -> Closure {
        let mut closure = Closure::default();
        let mut reached: FxHashSet<Place> = seeds.iter().cloned().collect();
        let mut left: Vec<(usize, usize, &Group)> = groups(pieces).collect();
        loop {
            let before = left.len();
            left.retain(|&(index, group, found)| {
                let hit = found.uses.iter().any(|one| reached.contains(&one.place));
                if hit {
                    reached.extend(found.uses.iter().map(|one| one.place.clone()));
                    closure.add(index, group, found);
                }
                !hit
            });
            if left.len() == before {
                return closure;
            }
        }
    }

    /// What the places can only stand for that stand for nothing themselves: see `settle_loose`.
    pub fn of_loose(pieces: &[Piece], seeds: &[Place]) -> Closure {
        let mut tried: FxHashSet<(usize, usize)> = FxHashSet::default();
        for (index, group, found) in groups(pieces) {
            let Some(first) = found.uses.first().filter(|_| !tried.contains(&(index, group))) else {
                continue;
            };
            let closure = Closure::of_name(pieces, std::slice::from_ref(&first.place));
            tried.extend(closure.groups.iter().copied());
            let (certain, _) = closure.settle_loose(pieces);
            if seeds.iter().any(|seed| certain.contains(seed)) {
                return closure;
            }
        }
        Closure::default()
    }

    fn add(&mut self, piece: usize, group: usize, found: &Group) {
        self.groups.push((piece, group));
        self.members.insert((piece, group));
        for one in &found.uses {
            let role = self.uses.entry(one.place.clone()).or_insert(one.role);
            if one.role.declares() && !role.declares() {
                *role = one.role;
            }
        }
    }

    /// Whether the group of that number, of the piece of that number, belongs here.
    pub fn contains(&self, piece: usize, group: usize) -> bool {
        self.members.contains(&(piece, group))
    }

    /// The files that hold some of it.
    pub fn paths(&self) -> FxHashSet<Arc<str>> {
        self.uses.keys().map(|place| place.path.clone()).collect()
    }

    /// The places without a meaning in any of the analyses that can mean nothing else, since every other use of the name that
    /// could reach them belongs here; and those that may.
    pub fn settle_loose(&self, pieces: &[Piece]) -> (Vec<Place>, Vec<Place>) {
        let mut known: FxHashSet<&Place> = FxHashSet::default();
        let mut other_members = false;
        let mut others: FxHashMap<&str, Vec<&Place>> = FxHashMap::default();
        for (index, group, found) in groups(pieces) {
            known.extend(found.uses.iter().map(|one| &one.place));
            if self.contains(index, group) {
                continue;
            }
            match found.kind {
                GroupKind::Member | GroupKind::Builtin("a swizzle of vector components") => {
                    other_members = true;
                }
                // Known by its own `#define` alone.
                GroupKind::MacroParameter => {}
                _ => {
                    for one in &found.uses {
                        others.entry(&one.place.path).or_default().push(&one.place);
                    }
                }
            }
        }
        let kinds: Vec<&GroupKind> =
            self.groups.iter().map(|&(piece, group)| &pieces[piece].groups[group].kind).collect();
        let with_member = kinds.contains(&&GroupKind::Member);
        let everywhere = kinds.iter().any(|kind| match kind {
            GroupKind::Global | GroupKind::Struct | GroupKind::Function | GroupKind::Macro => true,
            GroupKind::Local(_) | GroupKind::Member | GroupKind::MacroParameter | GroupKind::Builtin(_) => {
                false
            }
        });
        let holds = |around: &Place, place: &Place| {
            around.path == place.path && around.range.contains_range(place.range)
        };
        let certain = |one: &LoosePlace| {
            let others: &[&Place] = others.get(&*one.place.path).map_or(&[], Vec::as_slice);
            if one.member {
                return with_member && !other_members;
            }
            if everywhere {
                return others.is_empty();
            }
            kinds.iter().any(|kind| match kind {
                GroupKind::Local(function) => {
                    holds(function, &one.place) && !others.iter().any(|other| holds(function, other))
                }
                _ => false,
            })
        };
        let possible = |one: &LoosePlace| if one.member { with_member } else { everywhere };
        let (mut sure, mut doubtful) = (BTreeMap::new(), BTreeMap::new());
        for (index, piece) in pieces.iter().enumerate() {
            if !(0..piece.groups.len()).any(|group| self.contains(index, group)) {
                continue;
            }
            for one in piece.loose.iter().filter(|one| !known.contains(&one.place)) {
                if certain(one) {
                    sure.insert(&one.place, ());
                } else if possible(one) {
                    doubtful.insert(&one.place, ());
                }
            }
        }
        (sure.into_keys().cloned().collect(), doubtful.into_keys().cloned().collect())
    }
}

fn groups(pieces: &[Piece]) -> impl Iterator<Item = (usize, usize, &Group)> {
    pieces.iter().enumerate().flat_map(|(index, piece)| {
        piece.groups.iter().enumerate().map(move |(group, found)| (index, group, found))
    })
}

/// What a function calls, with the places: functions that it hands to others among them.
pub fn calls_from(analysis: &Analysis, name_place: &Place) -> Vec<(FunctionPlace, Place)> {
    let module = &analysis.module;
    let mut found = Vec::new();
    for (id, function) in module.functions.iter() {
        let Some(body) = function.body.as_deref() else { continue };
        let here = function_place(analysis, id);
        if here.is_none_or(|here| here.name_place != *name_place) {
            continue;
        }
        for used in &body.names {
            let &coopmat_analysis::hir::Definition::Function(callee) = &used.definition else { continue };
            let range = used.range + function.range.start();
            let (Some(to), place) = (function_place(analysis, callee), analysis.file_range(range)) else {
                continue;
            };
            let call = (to, Place::new(analysis, place));
            // A name that is handed over is looked up more than once.
            if found.last() != Some(&call) {
                found.push(call);
            }
        }
    }
    found
}

/// Whether a word is taken by the language, whatever is enabled.
pub fn is_builtin_name(name: &str) -> Option<&'static str> {
    if extensions::functions(name).next().is_some() {
        return Some("a built-in function");
    }
    if extensions::type_(name).is_some() {
        return Some("a type of the language");
    }
    if extensions::constant(name).is_some() || extensions::variables(name).next().is_some() {
        return Some("a built-in name");
    }
    if extensions::extension(name).is_some() {
        return Some("the name of an extension");
    }
    None
}
