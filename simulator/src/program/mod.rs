//! A module lowered once: immutable, and shared by every execution of it.

mod annotations;
mod bodies;
mod coherence;
mod constants;
pub(crate) mod controls;
mod data;
pub(crate) mod debug;
mod declarations;
mod dominators;
pub(crate) mod forwarding;
mod function;
mod heaps;
pub(crate) mod interface;
mod layout;
mod likeness;
pub(crate) mod lowering;
mod module;
mod notes;
mod options;
mod order;
mod place;
mod pointers;
pub mod types;
mod values;

use std::sync::Arc;

use coopmat_spirv::dr;

use crate::ProgramError;
use crate::code::Instruction;

pub(crate) use constants::on_one_lane;
pub(crate) use data::{ProgramData, SharedVariable};
pub(crate) use function::{Block, Edge, Function, Terminator};
pub(crate) use heaps::HEAP_SET;
pub use interface::{Binding, BindingKind, Interface, SpecializationConstant};
pub(crate) use layout::Leaf;
pub(crate) use lowering::Lowering;
pub use options::ProgramOptions;
pub(crate) use place::Place;
pub use types::{Type, TypeId, Types};
pub(crate) use values::{Slot, Value};

/// A module lowered once. Copies share it.
#[derive(Clone, Debug)]
pub struct Program {
    pub(crate) data: Arc<ProgramData>,
}

impl Program {
    /// Lowers a module. Never panics: what is malformed is told, and what is not known is an error when it is executed.
    pub fn new(module: &dr::Module, options: &ProgramOptions) -> Result<Program, ProgramError> {
        let data = module::lower_module(module, options)?;
        Ok(Program { data: Arc::new(data) })
    }

    /// What a host has to supply.
    pub fn interface(&self) -> &Interface {
        &self.data.interface
    }

    /// The types that the interface names.
    pub fn types(&self) -> &Types {
        &self.data.types
    }

    /// Names of instructions that are an error when they are executed, because the simulator does not know them.
    pub fn unsupported(&self) -> Vec<&str> {
        let blocks = self.data.functions.iter().flat_map(|function| &function.blocks);
        let mut names: Vec<&str> = blocks
            .flat_map(|block| &block.instructions)
            .filter_map(|instruction| match instruction {
                Instruction::Unsupported(name) => Some(&**name),
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
