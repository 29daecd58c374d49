//! Functions as they run: blocks in structured order, instructions, edges.

use smallvec::SmallVec;

use super::debug::Variable;
use super::values::Slot;
use crate::code::Instruction;

/// A function's body.
#[derive(Clone, Debug, Default)]
pub(crate) struct Function {
    pub name: String,
    /// In structured order; the first one is the entry.
    pub blocks: Vec<Block>,
    /// Planes of a frame; the parameters' come first.
    pub planes: u32,
    pub parameter_planes: u32,
    pub result_planes: u32,
    /// Parameters, variables and values with names, for debuggers.
    pub variables: Vec<Variable>,
    /// Values without names, for debuggers.
    pub values: Vec<Variable>,
    /// For debuggers: the nearest block through which every way to a block leads; its own number for the first one and for those that no way leads to.
    pub dominators: Vec<u32>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct Block {
    pub instructions: Vec<Instruction>,
    /// The index in the module of each instruction, then of the terminator.
    pub origins: Vec<u32>,
    pub terminator: Terminator,
    /// The block's number in the program.
    pub number: u32,
}

/// A way from one block to another.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Edge {
    pub block: u32,
    /// What `OpPhi`s take on this way: result, source, planes. In an order in which no source is overwritten before it is
    /// read.
    pub moves: Box<[(Slot, Slot, u32)]>,
}

/// How a block ends.
#[derive(Clone, Debug, Default)]
pub(crate) enum Terminator {
    Branch(Edge),
    Conditional {
        condition: Slot,
        then: Edge,
        otherwise: Edge,
    },
    Switch {
        selector: Slot,
        wide: bool,
        /// Sorted by value.
        cases: Box<[(u64, u32)]>,
        /// The default is the first.
        edges: SmallVec<[Edge; 4]>,
    },
    Return,
    ReturnValue(Slot),
    /// `OpKill`, `OpTerminateInvocation`: the lanes are gone.
    Kill,
    #[default]
    Unreachable,
}
