//! What a lowered module consists of.

use std::sync::Arc;

use coopmat_spirv::spirv::BuiltIn;
use rustc_hash::{FxHashMap, FxHashSet};

use super::controls::Controls;
use super::debug::Names;
use super::function::Function;
use super::interface::Interface;
use super::layout::Leaf;
use super::types::{Scalar, TypeId, Types};
use crate::code::{ComponentOperation, Instruction};
use crate::matrix::Matrix;

/// A lowered module.
#[derive(Clone, Debug, Default)]
pub(crate) struct ProgramData {
    pub types: Types,
    pub globals: Globals,
    pub functions: Vec<Function>,
    /// The index of the entry point's function.
    pub entry: u32,
    pub interface: Interface,
    /// Bytes of shared memory.
    pub shared_size: u64,
    /// Initial values of shared memory: the first plane, the offset, the scalars.
    pub shared_initial: Vec<(u32, u64, u32)>,
    pub has_matrices: bool,
    /// Atomic operations on memory that workgroups share, or results that depend on the order of workgroups.
    pub has_buffer_atomics: bool,
    /// Pointers that are numbers, which may lead into any buffer.
    pub has_addresses: bool,
    /// The scalars that loads and stores move.
    pub leaves: Vec<Box<[Leaf]>>,
    /// Descriptors, in the order of their bindings: a pointer to a descriptor is its index here.
    pub descriptors: Vec<(u32, u32, u32)>,
    /// The variables of shared memory.
    pub shared_variables: Vec<SharedVariable>,
    /// For instructions that access memory by its address: the block that it is taken for.
    pub reference_blocks: FxHashMap<u32, String>,
    /// Instructions that access memory which is neither `coherent` nor `volatile`.
    pub private_accesses: FxHashSet<u32>,
    pub blocks: u32,
    /// What the entry point says of rounding and of subnormal numbers.
    pub controls: Controls,
    /// Ids of the types of cooperative vectors.
    pub cooperative_vectors: FxHashSet<u32>,
    /// Operations on each of their components, by the instruction's index in the module, for observers.
    pub component_operations: FxHashMap<u32, ComponentOperation>,
    /// Variables and constants of the module, for debuggers.
    pub names: Names,
}

/// A variable of shared memory.
#[derive(Clone, Debug)]
pub(crate) struct SharedVariable {
    /// Empty where the module does not say.
    pub name: String,
    pub type_: TypeId,
    pub offset: u64,
    pub size: u64,
}

/// The planes that every subgroup begins with: constants, variables of the module.
#[derive(Clone, Debug, Default)]
pub(crate) struct Globals {
    /// A word for each plane.
    pub words: Vec<u32>,
    pub matrices: Vec<(u32, Arc<Matrix>)>,
    /// Planes of variables, which a new workgroup finds as they were: first, count, and the planes of the initial value.
    pub variables: Vec<(u32, u32, Option<u32>)>,
    pub builtins: Vec<(BuiltIn, u32, u32)>,
    /// Parts of the push constants: the first plane, the offset.
    pub push_constants: Vec<(u32, u32, Scalar)>,
    /// Addresses of buffers: the first plane, and the descriptor.
    pub buffers: Vec<(u32, u32)>,
    /// What computes constants that depend on how the program is run, which are lengths of cooperative matrices and what is made of
    /// them; and their planes.
    pub late: Vec<Instruction>,
    pub late_planes: Vec<u32>,
}

impl ProgramData {
    /// Whether a type is one of cooperative vectors.
    pub fn is_cooperative_vector(&self, type_: TypeId) -> bool {
        self.types.id_of(type_).is_some_and(|id| self.cooperative_vectors.contains(&id))
    }

    /// One more than the largest index of an instruction that is executed.
    pub fn instructions(&self) -> usize {
        let blocks = self.functions.iter().flat_map(|function| &function.blocks);
        blocks.flat_map(|block| &block.origins).max().map_or(0, |last| *last as usize + 1)
    }
}
