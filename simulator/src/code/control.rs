//! Calls and barriers.

use smallvec::SmallVec;

use crate::checks::order::Semantics;
use crate::program::Slot;

/// `OpFunctionCall`.
#[derive(Clone, Debug)]
pub(crate) struct CallInstruction {
    pub function: u32,
    pub result: Slot,
    /// The first plane of each argument, and how many.
    pub arguments: SmallVec<[(Slot, u32); 4]>,
}

/// `OpControlBarrier`, `OpMemoryBarrier`, and the halves of a barrier that is split.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierInstruction {
    pub kind: BarrierKind,
    /// What it orders.
    pub semantics: Semantics,
}

/// Who waits at a barrier.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BarrierKind {
    /// The subgroups of the workgroup, for each other.
    Workgroup,
    /// The invocations of a subgroup.
    Subgroup,
    /// Nobody.
    Memory,
}
