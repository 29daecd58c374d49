//! A module lowered once: immutable, and shared by every execution of it.

mod annotations;
mod bodies;
mod constants;
pub(crate) mod controls;
pub(crate) mod debug;
mod declarations;
pub(crate) mod forwarding;
mod function;
pub(crate) mod interface;
mod layout;
mod likeness;
pub(crate) mod lowering;
mod order;
pub(crate) mod places;
pub mod types;

use std::sync::Arc;

use coopmat_spirv::dr;
use coopmat_spirv::spirv::BuiltIn;

use crate::ProgramError;
use crate::matrix::Matrix;

pub(crate) use function::{Block, Edge, Function, Terminator};
pub use interface::{Binding, BindingKind, Interface, SpecializationConstant};
pub(crate) use layout::Leaf;
pub(crate) use lowering::{Lowering, Slot, Value};
pub(crate) use places::Place;
pub use types::{Type, TypeId, Types};

/// What is chosen before a module is lowered.
#[derive(Clone, Copy, Debug, Default)]
pub struct ProgramOptions<'a> {
    /// The entry point's name; the only one, or `main`, where none is given.
    pub entry: Option<&'a str>,
    /// Values for specialization constants: `SpecId` and the bits of the value.
    pub specialization: &'a [(u32, u64)],
    /// Every load and store stands where the module has it, so that variables hold at each instruction what they should: for debuggers.
    /// The results are the same.
    pub debug: bool,
}

/// A module lowered once. Copies share it.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) data: Arc<ProgramData>,
}

impl Program {
    /// Lowers a module. Never panics: what is malformed is told, and what is not known is an error when it is executed.
    pub fn new(module: &dr::Module, options: &ProgramOptions) -> Result<Program, ProgramError> {
        let data = lowering::lower_module(module, options)?;
        Ok(Program { data: Arc::new(data) })
    }

    pub fn interface(&self) -> &Interface {
        &self.data.interface
    }

    pub fn types(&self) -> &Types {
        &self.data.types
    }

    /// Names of instructions that are an error when they are executed, because the simulator does not know them.
    pub fn unsupported(&self) -> Vec<&str> {
        let blocks = self.data.functions.iter().flat_map(|function| &function.blocks);
        let mut names: Vec<&str> = blocks
            .flat_map(|block| &block.instructions)
            .filter_map(|instruction| match instruction {
                crate::instructions::Instruction::Unsupported(name) => Some(&**name),
                _ => None,
            })
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// Whether workgroups may run at the same time: nothing that they share depends on their order.
    pub fn is_parallel(&self) -> bool {
        !self.data.has_buffer_atomics
    }
}

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
    pub blocks: u32,
    /// What the entry point says of rounding and of subnormal numbers.
    pub controls: controls::Controls,
    /// Variables and constants of the module, for debuggers.
    pub names: debug::Names,
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
    pub push_constants: Vec<(u32, u32, types::Scalar)>,
    /// Addresses of buffers: the first plane, and the descriptor.
    pub buffers: Vec<(u32, u32)>,
    /// What computes constants that depend on how the program is run, which are lengths of cooperative matrices and what is made of
    /// them; and their planes.
    pub late: Vec<crate::instructions::Instruction>,
    pub late_planes: Vec<u32>,
}
