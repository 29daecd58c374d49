//! Stopping at any instruction: what a debugger needs of the machine.
//!
//! A [`Stepper`] is asked before each instruction. Where it says stop, the run is held there, and goes on with the same instruction
//! when it is run again. Functions over elements run inside an instruction, which cannot be held: there the stepper gets the subgroup
//! as it stands, and the run ends with an error; whoever wants to go on starts again from an earlier [`super::moment::Moment`].

use super::{Frame, Mask, Registers, Subgroup};
use crate::observer::{Access, At};

/// The instruction that is about to be executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Position {
    pub workgroup: [u32; 3],
    pub subgroup: u32,
    /// Its index in the module.
    pub instruction: u32,
    /// Frames of the subgroup, the running one included.
    pub depth: u32,
    /// How many functions over elements are running inside each other.
    pub nested: u32,
    pub mask: Mask,
    /// What checked mode has found so far.
    pub findings: usize,
}

pub(crate) trait Stepper: Send {
    /// Whether the run stops before this instruction of the last frame.
    fn stops_before(&mut self, at: &Position, frames: &[Frame], registers: &Registers) -> bool;
    /// Whether it wants to see accesses to memory; asked whenever a slice begins.
    fn watches_memory(&self) -> bool;
    /// An access of one invocation, before it happens.
    fn accesses(&mut self, at: &At, access: &Access);
    /// The subgroup of a function over elements in which the run was stopped: the innermost first.
    fn leaves(&mut self, subgroup: Subgroup);
    /// Whether it was given a subgroup since the run went on.
    fn has_left(&self) -> bool;
    fn subgroup_ended(&mut self, workgroup: [u32; 3], subgroup: u32);
}
