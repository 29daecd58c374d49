//! Finding built-ins by name and by id, and whether they are there under a version and a set of extensions.

use std::sync::OnceLock;

use rustc_hash::FxHashMap;

use super::entries::{
    BuiltinConstant, BuiltinConstantId, BuiltinFunction, BuiltinFunctionId, BuiltinStruct, BuiltinType,
    BuiltinTypeId, BuiltinVariable, BuiltinVariableId, ConstantSet, Extension, ExtensionId,
};
use super::rules::Rule;
use super::tables::{CONSTANTS, EXTENSIONS, FUNCTIONS, SETS, STRUCTS, TYPES, VARIABLES, values};
use crate::config::Stage;

/// Places in the tables. Functions and variables of one name are neighbours.
#[derive(Clone, Copy, Default)]
struct Places {
    functions: (u16, u16),
    variables: (u16, u16),
    constant: Option<u16>,
    ty: Option<u16>,
    extension: Option<u16>,
}

/// One table for all kinds of names: what is looked up is mostly a user's own name, and one miss tells.
fn places(name: &str) -> Places {
    static PLACES: OnceLock<FxHashMap<&'static str, Places>> = OnceLock::new();
    let places = PLACES.get_or_init(|| {
        let mut places: FxHashMap<&'static str, Places> = FxHashMap::default();
        let run = |range: &mut (u16, u16), index: usize| {
            if range.0 == range.1 {
                range.0 = index as u16;
            }
            range.1 = index as u16 + 1;
        };
        for (index, function) in FUNCTIONS.iter().enumerate() {
            run(&mut places.entry(function.name).or_default().functions, index);
        }
        for (index, variable) in VARIABLES.iter().enumerate() {
            run(&mut places.entry(variable.name).or_default().variables, index);
        }
        for (index, constant) in CONSTANTS.iter().enumerate() {
            places.entry(constant.name).or_default().constant = Some(index as u16);
        }
        for (index, ty) in TYPES.iter().enumerate() {
            places.entry(ty.name).or_default().ty = Some(index as u16);
        }
        for (index, extension) in EXTENSIONS.iter().enumerate() {
            places.entry(extension.name).or_default().extension = Some(index as u16);
        }
        places
    });
    places.get(name).copied().unwrap_or_default()
}

fn range(range: (u16, u16)) -> std::ops::Range<usize> {
    usize::from(range.0)..usize::from(range.1)
}

/// The overloads of a name with their ids; empty for a name that is no built-in function.
pub fn functions(
    name: &str,
) -> impl ExactSizeIterator<Item = (BuiltinFunctionId, &'static BuiltinFunction)> + Clone {
    let range = range(places(name).functions);
    let first = range.start;
    FUNCTIONS[range]
        .iter()
        .enumerate()
        .map(move |(index, function)| (BuiltinFunctionId((first + index) as u16), function))
}

/// The overload with a number that the tables gave. Numbers hold for one build, so none is kept across
/// builds.
pub fn function(id: BuiltinFunctionId) -> &'static BuiltinFunction {
    &FUNCTIONS[usize::from(id.0)]
}

/// The variables of a name: `gl_PrimitiveID` is an output here and an input there.
pub fn variables(
    name: &str,
) -> impl ExactSizeIterator<Item = (BuiltinVariableId, &'static BuiltinVariable)> + Clone {
    let range = range(places(name).variables);
    let first = range.start;
    VARIABLES[range]
        .iter()
        .enumerate()
        .map(move |(index, variable)| (BuiltinVariableId((first + index) as u16), variable))
}

/// The variable of a name in a stage. In a stage that does not have it, or an unknown one, the first of that name: whoever
/// asks compares `stages`.
pub fn variable(name: &str, stage: Option<Stage>) -> Option<BuiltinVariableId> {
    let mut all = variables(name);
    all.clone()
        .find(|(_, variable)| stage.is_none_or(|stage| in_stage(variable.stages, stage)))
        .or_else(|| all.next())
        .map(|(id, _)| id)
}

/// The variable with a number that the tables gave.
pub fn variable_by_id(id: BuiltinVariableId) -> &'static BuiltinVariable {
    &VARIABLES[usize::from(id.0)]
}

/// The constant of a name; `None` for a name that is no built-in constant.
pub fn constant(name: &str) -> Option<BuiltinConstantId> {
    places(name).constant.map(BuiltinConstantId)
}

/// The constant with a number that the tables gave.
pub fn constant_by_id(id: BuiltinConstantId) -> &'static BuiltinConstant {
    &CONSTANTS[usize::from(id.0)]
}

/// The type that a keyword names.
pub fn type_(name: &str) -> Option<BuiltinTypeId> {
    places(name).ty.map(BuiltinTypeId)
}

/// The keyword with a number that the tables gave.
pub fn type_by_id(id: BuiltinTypeId) -> &'static BuiltinType {
    &TYPES[usize::from(id.0)]
}

/// The extension of a name, `GLSL` for the core language; `None` for a name that the tables lack.
pub fn extension(name: &str) -> Option<ExtensionId> {
    places(name).extension.map(ExtensionId)
}

impl ExtensionId {
    /// `GL_KHR_cooperative_matrix`
    pub fn name(self) -> &'static str {
        extension_by_id(self).name
    }
}

impl std::fmt::Display for ExtensionId {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

/// The names of some extensions.
pub fn names_of(extensions: &[ExtensionId], separator: &str) -> String {
    extensions.iter().map(|extension| extension.name()).collect::<Vec<_>>().join(separator)
}

/// The name of the function that a rule types; where several share the rule, of the first.
pub fn function_of(rule: Rule) -> Option<&'static str> {
    all_functions().find(|(_, function)| function.rule == Some(rule)).map(|(_, function)| function.name)
}

/// The name of the function of an extension that a rule types.
pub fn function_from(rule: Rule, extension: ExtensionId) -> Option<&'static str> {
    let of_rule =
        |function: &BuiltinFunction| function.rule == Some(rule) && function.is_provided_by(extension);
    all_functions().find(|(_, function)| of_rule(function)).map(|(_, function)| function.name)
}

impl BuiltinConstantId {
    /// `gl_MatrixUseA`
    pub fn name(self) -> &'static str {
        constant_by_id(self).name
    }
}

impl BuiltinVariableId {
    /// `gl_WorkGroupSize`
    pub fn name(self) -> &'static str {
        variable_by_id(self).name
    }
}

/// Every set of constants.
pub fn all_sets() -> &'static [ConstantSet] {
    SETS
}

/// The set of a constant that stands for one of a few meanings: a layout, a use, a scope. Limits are numbers.
pub fn enumeration_of(id: BuiltinConstantId) -> Option<ConstantSet> {
    let limits = [super::sets::GL_MAX, super::sets::GL_MIN];
    let of = |set: &ConstantSet| set.contains(id) && !limits.iter().any(|limit| limit.contains(id));
    SETS.iter().copied().find(of)
}

impl ConstantSet {
    /// Its constants with their ids, sorted by name.
    pub fn iter(
        self,
    ) -> impl ExactSizeIterator<Item = (BuiltinConstantId, &'static BuiltinConstant)> + Clone {
        (self.first..self.end).map(BuiltinConstantId).map(|id| (id, constant_by_id(id)))
    }

    /// Whether a constant belongs to the set.
    pub fn contains(self, id: BuiltinConstantId) -> bool {
        (self.first..self.end).contains(&id.0)
    }

    /// The first constant of the set with a value.
    pub fn with_value(self, value: i64) -> Option<&'static BuiltinConstant> {
        self.iter().map(|(_, constant)| constant).find(|constant| constant.value == value)
    }
}

/// What the names of built-in variables and constants begin with, and what no name of a shader's own may begin with (GLSL 4.60, 3.7).
pub const RESERVED_PREFIX: &str = "gl_";

/// The block of what each vertex has for the stages behind it.
pub const PER_VERTEX: &str = "gl_PerVertex";
/// What names of extensions begin with.
const EXTENSION_PREFIX: &str = "GL_";

/// Whether matrices may have a scope of this value, those of GL_NV_cooperative_matrix too (VUID-StandaloneSpirv-Scope-12243).
pub fn is_matrix_scope(value: i64) -> bool {
    matches!(value, values::GL_SCOPE_WORKGROUP | values::GL_SCOPE_SUBGROUP)
}

/// Whether a name is one that the language keeps for built-in variables and constants.
pub fn is_reserved(name: &str) -> bool {
    name.starts_with(RESERVED_PREFIX)
}

/// The extensions that bring a keyword, where they are the only ones to know it.
pub fn providers_of_keyword(word: &str) -> &'static [ExtensionId] {
    static PROVIDERS: OnceLock<FxHashMap<&'static str, Vec<ExtensionId>>> = OnceLock::new();
    let providers = PROVIDERS.get_or_init(|| {
        let mut providers: FxHashMap<&'static str, Vec<ExtensionId>> = FxHashMap::default();
        for (id, extension) in all_extensions() {
            for keyword in extension.keywords {
                providers.entry(keyword).or_default().push(id);
            }
        }
        providers
    });
    providers.get(word).map(Vec::as_slice).unwrap_or_default()
}

/// Whether a word is built like the name of an extension, known or not: `GL_`, and what follows.
pub fn is_extension_name(name: &str) -> bool {
    name.strip_prefix(EXTENSION_PREFIX).is_some_and(|rest| {
        !rest.is_empty() && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
    })
}

/// The extension with a number that the tables gave.
pub fn extension_by_id(id: ExtensionId) -> &'static Extension {
    &EXTENSIONS[usize::from(id.0)]
}

/// The structure of which a built-in block is an instance.
pub fn structure(name: &str) -> Option<&'static BuiltinStruct> {
    STRUCTS.binary_search_by(|structure| structure.name.cmp(name)).ok().map(|index| &STRUCTS[index])
}

/// Every extension, sorted by name; `GLSL`, the core language, among them.
pub fn all_extensions() -> impl ExactSizeIterator<Item = (ExtensionId, &'static Extension)> {
    EXTENSIONS.iter().enumerate().map(|(index, extension)| (ExtensionId(index as u16), extension))
}

/// Every overload of every function, sorted by name.
pub fn all_functions() -> impl ExactSizeIterator<Item = (BuiltinFunctionId, &'static BuiltinFunction)> {
    FUNCTIONS.iter().enumerate().map(|(index, function)| (BuiltinFunctionId(index as u16), function))
}

/// Every variable, sorted by name.
pub fn all_variables() -> impl ExactSizeIterator<Item = (BuiltinVariableId, &'static BuiltinVariable)> {
    VARIABLES.iter().enumerate().map(|(index, variable)| (BuiltinVariableId(index as u16), variable))
}

/// Every constant, sorted by name.
pub fn all_constants() -> impl ExactSizeIterator<Item = (BuiltinConstantId, &'static BuiltinConstant)> {
    CONSTANTS.iter().enumerate().map(|(index, constant)| (BuiltinConstantId(index as u16), constant))
}

/// Every keyword that names a type, sorted by name.
pub fn all_types() -> impl ExactSizeIterator<Item = (BuiltinTypeId, &'static BuiltinType)> {
    TYPES.iter().enumerate().map(|(index, ty)| (BuiltinTypeId(index as u16), ty))
}

/// The macros that extensions define by being known, under a profile: name and value.
pub fn extension_macros(es: bool) -> impl Iterator<Item = (&'static str, i32)> {
    EXTENSIONS.iter().filter_map(move |extension| {
        let version = if es { extension.min_es_version } else { extension.min_version };
        version?;
        Some((extension.name, extension.macro_value?))
    })
}

/// Whether a mask of stages has a stage; no stage at all means every stage.
pub fn in_stage(mask: u32, stage: Stage) -> bool {
    mask == 0 || mask & (1 << stage as u32) != 0
}

/// What has providers and versions.
pub trait Provided {
    /// Extensions of which any one enables it, whatever the version.
    fn providers(&self) -> &'static [ExtensionId];
    /// Extensions of which all have to be enabled as well.
    fn needs(&self) -> &'static [ExtensionId] {
        &[]
    }
    /// Lowest versions in which it needs no extension, of the core profile and of ES; `u32::MAX` for none.
    fn min_versions(&self) -> (u32, u32);

    /// Whether it can be used without an extension.
    fn is_core(&self, version: u32, es: bool) -> bool {
        let (core_version, es_version) = self.min_versions();
        let min = if es { es_version } else { core_version };
        min != u32::MAX && version >= min
    }

    /// Whether it is visible under a version and a set of enabled extensions.
    fn is_available(&self, version: u32, es: bool, enabled: impl Fn(ExtensionId) -> bool) -> bool
    where
        Self: Sized,
    {
        (self.is_core(version, es) || self.providers().iter().any(|&provider| enabled(provider)))
            && self.needs().iter().all(|&need| enabled(need))
    }
}

macro_rules! provided {
    ($($ty:ty $(, $needs:ident)?;)*) => {$(
        impl Provided for $ty {
            fn providers(&self) -> &'static [ExtensionId] {
                self.providers
            }
            $(fn needs(&self) -> &'static [ExtensionId] {
                self.$needs
            })?
            fn min_versions(&self) -> (u32, u32) {
                (self.min_version, self.min_es_version)
            }
        }
    )*};
}

provided! {
    BuiltinFunction, needs;
    BuiltinVariable;
    BuiltinConstant;
    BuiltinType;
}
