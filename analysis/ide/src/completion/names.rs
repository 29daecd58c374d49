//! Everything with a name that can stand at a place: declarations, built-ins in force, macros, types; and built-ins of extensions that
//! are not enabled, which bring their `#extension` line along.

use rustc_hash::FxHashSet;
use smol_str::SmolStr;

use super::expected::{Callback, Expected, expected};
use super::item::{About, Completions, Item, ItemKind};
use super::position::{Position, position};
use super::rank::{self, Fit, ranked};
use super::requirements::with_requirements;
use super::scope::{Scope, is_called, words_around};
use super::value::{Value, structure};
use super::{matrix, words};
use crate::signatures;
use crate::site::Site;
use coopmat_analysis::display::display_type;
use coopmat_analysis::extensions::{
    self, BuiltinFunction, BuiltinTypeKind, ExtensionId, Pattern, Rule, sets,
};
use coopmat_analysis::hir::{Const, Function, FunctionId, Profile, Storage};
use coopmat_analysis::lower::{Availability, Requirement};
use coopmat_analysis::preprocess::{MacroDefinition, MacroOrigin};
use coopmat_analysis::types::{Scalar, Ty, TypeKind};

/// From so many typed characters on, what other extensions bring is listed too.
const REMOTE_PREFIX: usize = 2;
/// No more than so many of them.
const REMOTE_LIMIT: usize = 100;

pub fn complete(site: &Site<'_>, scope: &Scope<'_>, completions: &mut Completions) {
    let position = position(site, scope);
    if position == Position::Name {
        let first = !site.analysis.module.functions.iter().any(|(_, function)| function.name == "main");
        if first && site.frames.is_empty() && site.last().is_some_and(|last| last.is("void")) {
            let item = Item::new("main", ItemKind::Function, rank::LOCAL)
                .snippet("main() {\n\t$0\n}", "main")
                .about(About::Text("The entry point."));
            completions.items.push(item);
        }
        return;
    }
    let expected = match position {
        Position::Expression | Position::Anything => expected(scope, site),
        Position::TopLevel
        | Position::Statement
        | Position::AfterIf
        | Position::Type
        | Position::Parameter
        | Position::Name => Expected::default(),
    };
    let mut names = Names { site, scope, position, expected, completions, remote: 0 };
    if let Some(callback) = names.expected.callback {
        names.callbacks(callback);
        names.macros();
        return;
    }
    let values = matches!(
        position,
        Position::Statement | Position::AfterIf | Position::Expression | Position::Anything
    );
    if values {
        names.locals();
        names.globals();
        names.functions();
        names.builtin_functions();
        names.variables();
        names.constants();
        names.macro_parameters();
    }
    names.macros();
    names.types();
    if site.inactive || site.directive.is_some() {
        names.unknown_words();
    }
    words::complete(site, scope, position, names.completions);
    // What cannot match what is typed is left out, so that the list stays short; clients ask again after each character.
    completions.incomplete = true;
    if !site.prefix.is_empty() {
        completions
            .items
            .retain(|item| is_subsequence(site.prefix, item.filter.as_ref().unwrap_or(&item.label)));
        // What begins like this comes first.
        for item in &mut completions.items {
            let start = item.filter.as_ref().unwrap_or(&item.label).get(..site.prefix.len());
            if !start.is_some_and(|start| start.eq_ignore_ascii_case(site.prefix)) {
                item.rank += rank::FARTHER;
            }
        }
    }
}

/// Items for macros, wherever they fit; also for directives.
pub fn macros(site: &Site<'_>, builtin: bool, completions: &mut Completions) {
    let preprocessed = &site.analysis.preprocessed;
    let mut seen: FxHashSet<&str> = FxHashSet::default();
    for definition in preprocessed.macros.iter().rev() {
        let later = definition
            .name_range()
            .is_some_and(|range| range.file == site.file && u32::from(range.range.end()) >= site.offset);
        let of_language = matches!(definition.origin, MacroOrigin::Builtin);
        if later || (of_language && !builtin) || !seen.insert(definition.name().as_str()) {
            continue;
        }
        completions.items.push(macro_item(site, definition, !builtin));
    }
    if builtin {
        let es = site.analysis.module.profile == Profile::Es;
        for (name, value) in extensions::extension_macros(es) {
            if seen.insert(name) {
                let item = Item::new(name, ItemKind::Macro, ranked(Fit::Unknown, rank::BUILTIN))
                    .detail(value.to_string())
                    .about(About::Builtin);
                completions.items.push(item);
            }
        }
    }
}

/// The integer constants that are declared; with `specialization` those too whose value is not known yet.
pub fn integer_constants(
    site: &Site<'_>,
    scope: &Scope<'_>,
    specialization: bool,
    completions: &mut Completions,
) {
    let module = &scope.analysis.module;
    let locals = scope.locals.iter().filter_map(|local| {
        let declared = &scope.cursor.body.locals[local.id?];
        declared.is_const.then_some((&declared.name, declared.ty, &declared.constant))
    });
    let globals = scope.globals().filter_map(|(id, member, _, _)| {
        let global = &module.globals[id];
        (member.is_none() && global.storage == Storage::Const).then_some((
            &global.name,
            global.ty,
            &global.constant,
        ))
    });
    for (name, ty, constant) in locals.chain(globals) {
        let integer = module.types.as_scalar(ty).is_some_and(Scalar::is_integer);
        let specialized = constant.as_ref().is_some_and(Const::is_specialization);
        // What is `const` and has no value is computed when the shader runs.
        if !integer || constant.is_none() || (specialized && !specialization) || name == site.prefix {
            continue;
        }
        let value = match constant {
            Some(Const::Int(value)) => format!(" = {value}"),
            Some(Const::Symbolic(_)) => ", a specialization constant".to_owned(),
            _ => String::new(),
        };
        let shown = display_type(&module.types, &module.structs, ty);
        completions
            .items
            .push(Item::new(name.clone(), ItemKind::Constant, rank::LOCAL).detail(format!("{shown}{value}")));
    }
}

fn macro_item(site: &Site<'_>, definition: &MacroDefinition, call: bool) -> Item {
    let name = definition.name();
    let mut item = Item::new(name.clone(), ItemKind::Macro, ranked(Fit::Unknown, rank::MACRO))
        .detail(signatures::macro_line(site.analysis, definition));
    if let Some(range) = definition.name_range() {
        item.about = About::Macro(range.file, range.range.start());
    }
    if let Some(parameters) = definition.parameters()
        && call
        && !is_called(site)
    {
        let parameters: Vec<&str> = parameters.map(SmolStr::as_str).collect();
        item = with_call(item, name, Some(&parameters));
    }
    item
}

/// Inserts a call: with its parameters as tab stops where all overloads agree on them, else with the cursor between the parentheses.
fn with_call(item: Item, name: &str, parameters: Option<&[&str]>) -> Item {
    match parameters {
        Some([]) => item.insert(format!("{name}()")),
        Some(parameters) => {
            let stops: Vec<String> = parameters
                .iter()
                .enumerate()
                .map(|(index, parameter)| format!("${{{}:{parameter}}}", index + 1))
                .collect();
            item.snippet(format!("{name}({})$0", stops.join(", ")), name)
        }
        None => item.snippet(format!("{name}($0)"), name),
    }
}

struct Names<'c, 's, 'a> {
    site: &'c Site<'a>,
    scope: &'c Scope<'s>,
    position: Position,
    expected: Expected,
    completions: &'c mut Completions,
    /// How many names of extensions that are not enabled are listed.
    remote: usize,
}

impl Names<'_, '_, '_> {
    fn push(&mut self, item: Item) {
        self.completions.items.push(item);
    }

    fn show(&self, ty: Ty) -> String {
        let module = &self.scope.analysis.module;
        display_type(&module.types, &module.structs, ty)
    }

    /// How well a variable fits: itself, or by what it holds.
    fn fit(&self, value: Option<Value>) -> Fit {
        if self.expected.memory {
            return Fit::Misfit;
        }
        let fit = self.expected.fit(value);
        if fit != Fit::Misfit {
            return fit;
        }
        // An array or structure is on the way to something that fits.
        let types = self.scope.types();
        let holder = value.is_some_and(|value| {
            structure(types, value).is_some()
                || matches!(value, Value::Ty(ty) if types.as_array(ty).is_some())
        });
        if holder { Fit::Unknown } else { Fit::Misfit }
    }

    /// How well a variable fits where memory is asked for: in buffers and shared memory, arrays and what holds some first.
    fn memory_fit(&self, storage: Storage, value: Option<Value>) -> Fit {
        let types = self.scope.types();
        let is_array = matches!(value, Some(Value::Ty(ty)) if types.as_array(ty).is_some());
        let holds = value.is_some_and(|value| structure(types, value).is_some());
        match storage {
            Storage::Buffer | Storage::Shared if is_array || self.expected.fit(value) == Fit::Exact => {
                Fit::Exact
            }
            Storage::Buffer | Storage::Shared if holds => Fit::Converts,
            // A reference to a buffer may stand in any block.
            Storage::Uniform | Storage::PushConstant if holds => Fit::Unknown,
            _ => Fit::Misfit,
        }
    }

    fn locals(&mut self) {
        for local in &self.scope.locals {
            let declared = local.id.map(|id| &self.scope.cursor.body.locals[id]);
            let kind = match declared {
                Some(declared) if declared.parameter => ItemKind::Parameter,
                Some(declared) if declared.is_const => ItemKind::Constant,
                _ => ItemKind::Variable,
            };
            let constant = declared.is_some_and(|declared| declared.constant.is_some());
            let rank = self.held(constant, ranked(self.fit(local.value), rank::LOCAL));
            // A local leads to memory only through a reference.
            let refused = self.expected.memory
                && local.value.is_some_and(|value| structure(self.scope.types(), value).is_none());
            let rank = if refused { rank + rank::REFUSED } else { rank };
            let mut item = Item::new(local.name.clone(), kind, rank);
            if let Some(declared) = declared {
                item.detail = self.show(declared.ty);
                item.about = About::Declared(declared.name_range.start() + self.scope.cursor.base);
            }
            self.push(item);
        }
    }

    fn globals(&mut self) {
        let module = &self.scope.analysis.module;
        let hidden: FxHashSet<&str> = self.scope.locals.iter().map(|local| local.name.as_str()).collect();
        for (id, member, name, value) in self.scope.globals() {
            if hidden.contains(name.as_str()) {
                continue;
            }
            let global = &module.globals[id];
            let kind = match global.storage {
                Storage::Const => ItemKind::Constant,
                _ => ItemKind::Variable,
            };
            let member = member.and_then(|index| match *module.types.kind(global.ty) {
                TypeKind::Struct(structure) => module.structs[structure].members.get(index as usize),
                _ => None,
            });
            let (ty, start) = match member {
                Some(member) => (member.ty, member.name_range.start()),
                None => (global.ty, global.name_range.start()),
            };
            let fit =
                if self.expected.memory { self.memory_fit(global.storage, value) } else { self.fit(value) };
            let item = Item::new(
                name.clone(),
                kind,
                self.held(global.constant.is_some(), ranked(fit, rank::GLOBAL)),
            )
            .detail(self.show(ty))
            .about(About::Declared(start));
            self.push(item);
        }
    }

    fn functions(&mut self) {
        let module = &self.scope.analysis.module;
        let mut ids: Vec<FunctionId> = self.scope.functions().collect();
        ids.sort_by(|&a, &b| module.functions[a].name.cmp(&module.functions[b].name));
        for overloads in ids.chunk_by(|&a, &b| module.functions[a].name == module.functions[b].name) {
            let Some(&first) = overloads.first() else { continue };
            let function = &module.functions[first];
            if function.name == "main" {
                continue;
            }
            let fit = overloads
                .iter()
                .map(|&id| self.result_fit(Value::of(&module.types, module.functions[id].return_type)))
                .min()
                .unwrap_or(Fit::Unknown);
            let mut item = self.function_item(function, self.held(false, ranked(fit, rank::FUNCTION)));
            if overloads.len() > 1 {
                item.detail.push_str(&format!(" (+{} more)", overloads.len() - 1));
            }
            if !is_called(self.site) {
                let parameters: Vec<&str> = function
                    .parameters
                    .iter()
                    .map(|parameter| if parameter.name.is_empty() { "_" } else { parameter.name.as_str() })
                    .collect();
                let agreed = overloads.len() == 1;
                item = with_call(item, &function.name, agreed.then_some(&parameters));
            }
            self.push(item);
        }
    }

    fn function_item(&self, function: &Function, rank: u32) -> Item {
        Item::new(function.name.clone(), ItemKind::Function, rank)
            .detail(signatures::user_line(self.scope.analysis, function))
            .about(About::Declared(function.name_range.start()))
    }

    /// Puts a name that is no constant behind others where one is needed.
    fn held(&self, constant: bool, rank: u32) -> u32 {
        let needed = self.expected.constant || self.expected.constants.is_some();
        if needed && !constant { rank + rank::REFUSED } else { rank }
    }

    fn result_fit(&self, value: Option<Value>) -> Fit {
        match value {
            Some(Value::Void) if self.position == Position::Expression => Fit::Misfit,
            Some(Value::Void) => Fit::Unknown,
            value => self.fit(value),
        }
    }

    /// Functions that a matrix operation can call: those with the right signature first.
    fn callbacks(&mut self, callback: Callback) {
        let module = &self.scope.analysis.module;
        let ids: Vec<FunctionId> = self.scope.functions().collect();
        for id in ids {
            let function = &module.functions[id];
            if function.name == "main" {
                continue;
            }
            let rank = match self.is_callback(function, callback) {
                true => ranked(Fit::Exact, rank::FUNCTION),
                false => ranked(Fit::Misfit, rank::FUNCTION) + rank::REFUSED,
            };
            let item = self.function_item(function, rank);
            self.push(item);
        }
    }

    /// GL_NV_cooperative_matrix2: the signatures of combine, element and decode functions.
    fn is_callback(&self, function: &Function, callback: Callback) -> bool {
        let types = self.scope.types();
        let component = match callback.component {
            Some(component) => Some(component),
            None => types.as_scalar(function.return_type),
        };
        let is_component = |ty: Ty| types.as_scalar(ty).is_some() && types.as_scalar(ty) == component;
        let parameters: Vec<Ty> = function.parameters.iter().map(|parameter| parameter.ty).collect();
        let is_uint = |ty: Ty| types.as_scalar(ty) == Some(Scalar::Uint32);
        if !function.parameters.iter().all(|parameter| parameter.is_const) {
            return false;
        }
        match callback.rule {
            Rule::CoopMatReduce => {
                is_component(function.return_type)
                    && matches!(parameters.as_slice(), &[a, b] if is_component(a) && is_component(b))
            }
            Rule::CoopMatPerElement => {
                is_component(function.return_type)
                    && matches!(parameters.as_slice(), &[row, column, element, ..]
                        if is_uint(row) && is_uint(column) && is_component(element))
            }
            Rule::CoopMatLoadTensor => {
                let coordinates = |ty: Ty| types.as_array(ty).is_some_and(|(element, _)| is_uint(element));
                matches!(parameters.as_slice(), &[block, at, inside]
                    if matches!(types.kind(block), TypeKind::Reference(_)) && coordinates(at) && coordinates(inside))
            }
            _ => false,
        }
    }

    fn available(&mut self, requirement: impl Into<Requirement>, name: &str) -> Option<Vec<ExtensionId>> {
        let requirement = requirement.into();
        let environment = &self.scope.environment;
        let missing = match environment.availability(&requirement) {
            Availability::Available | Availability::Warned(_) => return Some(Vec::new()),
            Availability::OtherStage | Availability::MissingVersion(_) => return None,
            Availability::MissingExtension => requirement.providers.first().copied(),
            Availability::MissingNeed(need) => Some(need),
        }?;
        // What nobody asked for by its beginning is far away.
        let own_name = name.strip_prefix(extensions::RESERVED_PREFIX).unwrap_or(name);
        let typed = self.site.prefix;
        let begins = [name, own_name].iter().any(|name| {
            name.bytes()
                .zip(typed.bytes())
                .next()
                .is_some_and(|(first, typed)| first.eq_ignore_ascii_case(&typed))
        });
        if typed.len() < REMOTE_PREFIX || !begins || !is_subsequence(typed, name) {
            return None;
        }
        if self.remote >= REMOTE_LIMIT {
            return None;
        }
        if !extensions::extension_by_id(missing).analysed {
            return None;
        }
        self.remote += 1;
        Some(with_requirements(environment, missing))
    }

    /// Marks an item that needs extensions.
    fn remote(mut item: Item, needed: Vec<ExtensionId>) -> Item {
        if let Some(&last) = needed.last() {
            item.rank = item.rank - rank::prior(item.rank) + ranked(Fit::Misfit, rank::REMOTE);
            item.detail = extensions::extension_by_id(last).name.to_owned();
            item.extensions = needed;
        }
        item
    }

    fn builtin_functions(&mut self) {
        let all = extensions::all_functions().map(|(_, function)| function);
        let mut all = all.peekable();
        while let Some(first) = all.next() {
            let mut overloads = vec![first];
            while let Some(next) = all.next_if(|next| next.name == first.name) {
                overloads.push(next);
            }
            let environment = &self.scope.environment;
            let mut in_force = overloads
                .iter()
                .copied()
                .filter(|&function| environment.availability(&function.into()).is_available())
                .peekable();
            let needed = if in_force.peek().is_some() {
                Vec::new()
            } else {
                drop(in_force);
                match overloads.iter().find_map(|&function| self.available(function, function.name)) {
                    Some(needed) => needed,
                    None => continue,
                }
            };
            // A call is further away than a value.
            let fit = overloads.iter().map(|function| self.pattern_fit(&function.result)).min();
            let fit = fit.map(|fit| fit.max(Fit::Converts));
            let mut item =
                Item::new(first.name, ItemKind::Function, ranked(fit.unwrap_or(Fit::Unknown), rank::BUILTIN))
                    .about(About::Builtin);
            if !is_called(self.site) {
                let parameters = agreed_parameters(&overloads);
                item = with_call(item, first.name, parameters.as_deref());
            }
            self.push(Self::remote(item, needed));
        }
    }

    fn pattern_fit(&self, pattern: &Pattern) -> Fit {
        if self.expected.memory {
            return Fit::Misfit;
        }
        match *pattern {
            Pattern::Gen(scalar) | Pattern::GenVector(scalar) => {
                let fits = |value: &Value| matches!(value, Value::Vector(wanted, _) if *wanted == scalar);
                if self.expected.values.is_empty() {
                    Fit::Unknown
                } else if self.expected.values.iter().any(fits) {
                    Fit::Converts
                } else {
                    Fit::Misfit
                }
            }
            ref pattern => self.result_fit(Value::of_pattern(pattern)),
        }
    }

    fn variables(&mut self) {
        let mut last = "";
        for (_, variable) in extensions::all_variables() {
            if variable.name == last || self.is_of_other_profile(variable.section) {
                continue;
            }
            if let Some(needed) = self.available(variable, variable.name) {
                last = variable.name;
                let fit = self.fit(Value::of_pattern(&variable.pattern));
                let rank = self.held(false, ranked(fit, rank::BUILTIN));
                let item = Item::new(variable.name, ItemKind::Variable, rank).about(About::Builtin);
                self.push(Self::remote(item, needed));
            }
        }
    }

    /// GLSL 4.60 marks what it keeps for the compatibility profile by the title of its section.
    fn is_of_other_profile(&self, section: &str) -> bool {
        self.scope.environment.profile != Profile::Compatibility && section.contains("Compatibility Profile")
    }

    fn constants(&mut self) {
        for (id, constant) in extensions::all_constants() {
            let Some(needed) = self.available(constant, constant.name) else { continue };
            let belongs = self.expected.constants.is_some_and(|set| set.contains(id));
            let limit = sets::GL_MAX.contains(id) || sets::GL_MIN.contains(id);
            // What parameters ask for is rarely meant elsewhere.
            let of_a_set = !limit && extensions::all_sets().iter().any(|set| set.contains(id));
            let length = constant.components.len().max(1) as u32;
            let fit = self.fit(Some(Value::Vector(constant.scalar, length)));
            // One that comes along with an extension, but belongs to another, is not the first to think of.
            let own = constant.providers.first().is_none_or(|&id| self.scope.environment.enabled(id));
            let rank = if belongs {
                if own { rank::CONSTANT_OF_PARAMETER } else { rank::LOCAL }
            } else if !own || of_a_set {
                ranked(fit.max(Fit::Unknown), rank::WORD)
            } else if limit {
                // Many, and rarely meant.
                ranked(fit, rank::WORD)
            } else {
                ranked(fit, rank::BUILTIN)
            };
            let kind = if limit && !belongs { ItemKind::Constant } else { ItemKind::EnumMember };
            let item = Item::new(constant.name, kind, rank).about(About::Builtin);
            self.push(Self::remote(item, needed));
        }
    }

    fn types(&mut self) {
        let module = &self.scope.analysis.module;
        let constructs = self.position == Position::Expression && !is_called(self.site);
        for id in self.scope.structures() {
            let structure = &module.structs[id];
            let base = structure.owner.map_or(0.into(), |owner| module.functions[owner].range.start());
            let ty = module
                .types
                .find(&TypeKind::Struct(id))
                .or_else(|| module.types.find(&TypeKind::Reference(id)));
            let fit = match self.position {
                Position::Expression => self.fit(ty.map(Value::Ty)),
                _ => Fit::Unknown,
            };
            let mut item = Item::new(structure.name.clone(), ItemKind::Structure, ranked(fit, rank::TYPE))
                .about(About::Declared(structure.name_range.start() + base));
            if constructs {
                item = with_call(item, &structure.name, None);
            }
            self.push(item);
        }
        for (_, ty) in extensions::all_types() {
            if constructs && !is_constructible(&ty.kind) {
                continue;
            }
            let Some(needed) = self.available(ty, ty.name) else { continue };
            let value = match &ty.kind {
                BuiltinTypeKind::Pattern(pattern) => Value::of_pattern(pattern),
                _ => None,
            };
            let fit = match self.position {
                Position::Expression => self.fit(value),
                _ => Fit::Unknown,
            };
            let mut item = Item::new(ty.name, ItemKind::Type, ranked(fit, rank::TYPE)).about(About::Builtin);
            if let BuiltinTypeKind::Pattern(Pattern::Scalar(scalar)) = ty.kind {
                item.filter = abbreviation(self.site.prefix, ty.name, scalar);
            }
            if crate::site::takes_type_arguments(ty.name) {
                if !self.site.next_is("<") {
                    item = item.snippet(format!("{}<$0>", ty.name), ty.name);
                }
            } else if constructs {
                item = with_call(item, ty.name, None);
            }
            self.push(Self::remote(item, needed));
        }
        matrix::whole_types(self.site, self.scope, self.position == Position::Expression, self.completions);
    }

    fn macros(&mut self) {
        macros(self.site, false, self.completions);
    }

    /// In a `#define`: the macro's own parameters.
    fn macro_parameters(&mut self) {
        if self.site.directive.is_none() {
            return;
        }
        if let Some((_, parameters)) = self.site.macro_body() {
            for parameter in parameters {
                self.push(Item::new(parameter, ItemKind::Parameter, rank::CONSTANT_OF_PARAMETER));
            }
        }
    }

    /// Where the analysis knows little: the words that stand around.
    fn unknown_words(&mut self) {
        let known: FxHashSet<SmolStr> =
            self.completions.items.iter().map(|item| item.label.clone()).collect();
        for word in words_around(self.site) {
            if !known.contains(word) {
                self.push(Item::new(word, ItemKind::Text, ranked(Fit::Misfit, rank::WORD)));
            }
        }
    }
}

/// How vectors of a type call it, if that is what is typed: `f16` is `float16_t` as in `f16vec2`.
fn abbreviation(typed: &str, name: &str, scalar: Scalar) -> Option<SmolStr> {
    let short = scalar.vector_prefix().trim_end_matches("vec");
    (!short.is_empty() && typed == short && !name.starts_with(typed)).then(|| short.into())
}

/// The parameters' names, when all overloads in force have the same.
fn agreed_parameters(overloads: &[&'static BuiltinFunction]) -> Option<Vec<&'static str>> {
    let names = |function: &BuiltinFunction| -> Vec<&'static str> {
        let needed = function.parameters.iter().filter(|parameter| parameter.default.is_none());
        needed.map(|parameter| parameter.name).collect()
    };
    let first = names(overloads.first()?);
    let agree = overloads.iter().all(|function| names(function) == first)
        && !overloads.iter().any(|function| function.variadic)
        && first.iter().all(|name| !name.is_empty());
    agree.then_some(first)
}

/// Whether values of a type can be made by its constructor.
fn is_constructible(kind: &BuiltinTypeKind) -> bool {
    match kind {
        BuiltinTypeKind::Pattern(pattern) => matches!(
            pattern,
            Pattern::Scalar(_) | Pattern::Vector(..) | Pattern::Matrix { .. } | Pattern::Opaque(_)
        ),
        BuiltinTypeKind::Coopmat
        | BuiltinTypeKind::FCoopmatNv
        | BuiltinTypeKind::ICoopmatNv
        | BuiltinTypeKind::UCoopmatNv
        | BuiltinTypeKind::LongVector
        | BuiltinTypeKind::CoopVec => true,
        BuiltinTypeKind::TensorLayout
        | BuiltinTypeKind::TensorView
        | BuiltinTypeKind::TensorArm
        | BuiltinTypeKind::Opaque => false,
    }
}

/// Whether the characters stand in the name in this order, whatever their case: every client's matching asks for that much.
fn is_subsequence(typed: &str, name: &str) -> bool {
    let mut rest = name.bytes();
    typed.bytes().all(|wanted| rest.any(|found| found.eq_ignore_ascii_case(&wanted)))
}
