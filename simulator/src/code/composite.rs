//! Components that are chosen while it runs.

use crate::program::Slot;

/// Components chosen while running.
#[derive(Clone, Copy, Debug)]
pub(crate) enum CompositeInstruction {
    Extract { result: Slot, vector: Slot, index: Slot, wide: bool, count: u32, planes: u32 },
    Insert { result: Slot, vector: Slot, component: Slot, index: Slot, wide: bool, count: u32, planes: u32 },
}
