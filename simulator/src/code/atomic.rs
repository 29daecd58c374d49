//! Atomic operations.

use super::IntegerOp;
use crate::program::Slot;
use crate::program::types::Scalar;

#[derive(Clone, Debug)]
pub(crate) struct AtomicInstruction {
    pub op: AtomicOp,
    pub scalar: Scalar,
    pub count: u32,
    pub at: Where,
    /// None where nothing is given back.
    pub result: Option<Slot>,
    pub value: Slot,
    pub comparator: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AtomicOp {
    Load,
    Store,
    Exchange,
    CompareExchange,
    Integer(IntegerOp),
    Add,
    Min,
    Max,
}

/// Where an atomic operation happens.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Where {
    /// At an address in two planes.
    Memory {
        pointer: Slot,
        offset: u32,
    },
    /// In planes, known or not: a variable of the invocation.
    Planes {
        first: Slot,
    },
    PlanePointer {
        pointer: Slot,
        offset: u32,
    },
    /// A texel: the image's descriptor and the coordinates.
    Texel {
        image: Slot,
        coordinates: Slot,
        count: u32,
    },
}
