//! One way to look into a run: tracing, profiling, the debugger and tests implement [`Observer`].
//!
//! Events come in the order in which the simulator does things. An observer says once what it wants to see; what nobody wants
//! costs a test of a flag.

use crate::machine::{Invocation, Mask};

/// Which events an observer wants.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// Each instruction before it is executed.
    pub instructions: bool,
    /// Each access to memory.
    pub memory: bool,
    /// Workgroups, subgroups, barriers, matrix operations are always told.
    pub matrices: bool,
}

/// Where in the run something happens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct At {
    pub workgroup: [u32; 3],
    pub subgroup: u32,
    /// The instruction's index in the module.
    pub instruction: u32,
    /// The lanes that take part.
    pub mask: Mask,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessKind {
    Read,
    Write,
    Atomic,
}

/// An access to memory by one invocation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Access {
    pub kind: AccessKind,
    pub address: u64,
    /// In bytes.
    pub size: u32,
    pub invocation: Invocation,
}

/// A cooperative matrix operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MatrixEvent {
    /// The instruction's name without `Op`.
    pub operation: &'static str,
    /// Rows, columns and, of a multiply-add, the inner dimension.
    pub shape: [u32; 3],
}

/// Looks at a run. Every method does nothing unless it is written.
pub trait Observer: Send {
    fn wants(&self) -> Wants {
        Wants::default()
    }
    fn workgroup_started(&mut self, _workgroup: [u32; 3]) {}
    fn workgroup_ended(&mut self, _workgroup: [u32; 3]) {}
    fn subgroup_started(&mut self, _workgroup: [u32; 3], _subgroup: u32) {}
    fn subgroup_ended(&mut self, _workgroup: [u32; 3], _subgroup: u32) {}
    fn instruction(&mut self, _at: &At) {}
    fn memory(&mut self, _at: &At, _access: &Access) {}
    /// A subgroup has arrived at a barrier.
    fn barrier_reached(&mut self, _at: &At) {}
    /// All subgroups have arrived.
    fn barrier_passed(&mut self, _workgroup: [u32; 3]) {}
    fn matrix(&mut self, _at: &At, _event: &MatrixEvent) {}
}
