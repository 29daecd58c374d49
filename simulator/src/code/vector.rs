//! Cooperative vectors: what goes between the vector of an invocation and memory (SPV_NV_cooperative_vector).

use crate::program::Slot;
use crate::program::types::Scalar;

/// Where something begins in memory: an array's address in two planes, more bytes that are known, and an offset in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub pointer: Slot,
    pub known: u32,
    pub offset: Slot,
    /// Whether the offset has 64 bits.
    pub wide: bool,
}

#[derive(Clone, Debug)]
pub(crate) enum VectorMemoryInstruction {
    Load {
        result: Slot,
        scalar: Scalar,
        count: u32,
        at: Start,
    },
    Store {
        value: Slot,
        scalar: Scalar,
        count: u32,
        at: Start,
    },
    /// Adds each component to the number in memory.
    Sum {
        value: Slot,
        scalar: Scalar,
        count: u32,
        at: Start,
    },
    Product(Box<VectorProduct>),
}

/// A matrix in memory times a vector, with a bias from memory.
#[derive(Clone, Debug)]
pub(crate) struct VectorProduct {
    pub result: Slot,
    /// Its integers are signed as the instruction says.
    pub made: Scalar,
    pub rows: u32,
    pub input: Slot,
    pub given: Scalar,
    /// How many components the input has.
    pub given_count: u32,
    /// What the input is converted to, or how it is read where it is packed.
    pub taken: Scalar,
    pub packed: bool,
    pub columns: u32,
    pub matrix: Start,
    pub matrix_kind: Scalar,
    pub bias: Option<(Start, Scalar)>,
    pub column_major: bool,
    /// In bytes; none is zero.
    pub stride: Option<Slot>,
}
