//! What is known of interfaces while a module is compiled.

use coopmat_analysis::extensions::BuiltinVariableId;
use rspirv::spirv::{BuiltIn, ExecutionMode, StorageClass, Word};
use rustc_hash::FxHashMap;

use crate::places::Place;

/// The built-in variables that are declared already.
#[derive(Default)]
pub(crate) struct Builtins {
    pub(super) places: FxHashMap<BuiltinVariableId, Place>,
    /// Masks of the subgroup that are used as 64-bit integers.
    pub(super) masks: FxHashMap<BuiltinVariableId, Word>,
    /// Variables by what they are: several names may stand for one.
    pub(super) known: FxHashMap<(BuiltIn, StorageClass), Word>,
    /// Outputs that become modes of their stage.
    pub(super) written: Vec<BuiltIn>,
    /// Modes that declarations bring along.
    pub(super) modes: Vec<ExecutionMode>,
    /// Whether fragments have a critical section.
    pub interlocked: bool,
}

/// The blocks that are declared already.
#[derive(Default)]
pub(crate) struct PerVertex {
    pub(super) types: Vec<(&'static str, StorageClass, Word)>,
    /// The variable of the outputs that are named without a block.
    pub(super) variable: Option<Word>,
}
