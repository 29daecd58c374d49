//! What a debugger needs to know of a module: variables and constants with their names, and where they are.

use coopmat_spirv::spirv::StorageClass;
use rustc_hash::FxHashMap;

use super::place::Place;
use super::types::TypeId;

/// What a variable is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// Of a function.
    Parameter,
    /// Of a function: declared in its body.
    Local,
    /// Of a function: what an instruction has made.
    Value,
    /// Of each invocation, for the whole module.
    Private,
    /// What the invocation is given: built-in variables.
    Input,
    /// Of the workgroup.
    Shared,
    /// The block of push constants.
    PushConstants,
    /// A storage buffer, or an array of them.
    Buffer,
    /// A uniform buffer.
    Uniform,
    /// Images and samplers.
    Opaque,
    /// A constant that has a name: a specialization constant, as a rule.
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
    /// The block of a value, in the order of [`Function::blocks`](super::function::Function::blocks).
    pub block: u32,
    /// Whether anything but stores uses it: what nothing reads is there only to be seen.
    pub is_read: bool,
}

/// What has a name in the module at large.
#[derive(Clone, Debug, Default)]
pub(crate) struct Names {
    pub variables: Vec<Variable>,
    /// Names of types.
    pub types: FxHashMap<TypeId, String>,
}
