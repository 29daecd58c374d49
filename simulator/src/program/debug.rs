//! What a debugger needs to know of a module: variables and constants with their names, and where they are.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::StorageClass;
use rustc_hash::FxHashMap;

use super::lowering::{Entity, Lowering};
use super::places::Place;
use super::types::TypeId;

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    Parameter,
    Local,
    /// Of each invocation, for the whole module.
    Private,
    /// What the invocation is given: built-in variables.
    Input,
    Shared,
    PushConstants,
    Buffer,
    Uniform,
    /// Images and samplers.
    Opaque,
    Constant,
}

impl Kind {
    pub(super) fn of(storage: StorageClass) -> Kind {
        match storage {
            StorageClass::Input => Kind::Input,
            StorageClass::Workgroup => Kind::Shared,
            StorageClass::PushConstant => Kind::PushConstants,
            StorageClass::StorageBuffer => Kind::Buffer,
            StorageClass::Uniform => Kind::Uniform,
            StorageClass::UniformConstant => Kind::Opaque,
            _ => Kind::Private,
        }
    }
}

/// A variable.
#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub id: u32,
    /// Empty where the module does not say.
    pub name: String,
    pub kind: Kind,
    /// Where it is; a parameter that is a pointer stands for what it points to.
    pub place: Place,
    /// The index in the module of the instruction that declares it.
    pub origin: u32,
}

/// What has a name in the module at large.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub variables: Vec<Variable>,
    /// Names of types.
    pub types: FxHashMap<TypeId, String>,
}

impl Lowering<'_> {
    /// Notes a variable of a function, or of the module.
    pub(super) fn note_variable(&mut self, id: u32, kind: Kind, place: Place, function: Option<usize>) {
        let name = self.annotations.name(id).unwrap_or_default().to_owned();
        let variable = Variable { id, name, kind, place, origin: self.origin };
        match function.and_then(|index| self.data.functions.get_mut(index)) {
            Some(function) => function.variables.push(variable),
            None => self.data.names.variables.push(variable),
        }
    }

    /// Notes a constant that has a name: one that is specialized, for the most part.
    pub(super) fn note_constant(&mut self, source: &Source) {
        let Some(id) = source.result_id.filter(|id| self.annotations.name(*id).is_some()) else { return };
        if let Some(Entity::Value(value)) = self.entities.get(&id) {
            let place = Place::Planes { first: value.slot, type_: value.type_ };
            self.note_variable(id, Kind::Constant, place, None);
        }
    }

    /// Notes what the module calls its types.
    pub(super) fn note_types(&mut self) {
        for source in &self.module.types_global_values {
            if let Some(id) = source.result_id
                && let (Some(name), Ok(type_)) = (self.annotations.name(id), self.data.types.by_id(id))
            {
                self.data.names.types.insert(type_, name.to_owned());
            }
        }
    }
}
