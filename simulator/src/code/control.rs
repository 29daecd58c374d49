//! Calls and barriers.

use smallvec::SmallVec;

use crate::program::Slot;

/// `OpFunctionCall`.
#[derive(Clone, Debug)]
pub(crate) struct CallInstruction {
    pub function: u32,
    pub result: Slot,
    /// The first plane of each argument, and how many.
    pub arguments: SmallVec<[(Slot, u32); 4]>,
}

/// `OpControlBarrier`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BarrierInstruction {
    /// Whether the subgroup waits for the others of its workgroup.
    pub stops: bool,
}
