//! Cooperative vectors: what goes between the vector of an invocation and memory (SPV_NV_cooperative_vector).

use crate::program::Slot;
use crate::program::types::Scalar;
use crate::vector_layout::CooperativeVectorMatrixLayout;

/// Where something begins in memory: an array's address in two planes, more bytes that are known, and an offset in bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Start {
    pub pointer: Slot,
    pub known: u32,
    pub offset: Slot,
    /// Whether the offset has 64 bits.
    pub wide: bool,
}

/// A vector in registers, one component after the other.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VectorOperand {
    pub first: Slot,
    pub scalar: Scalar,
    pub count: u32,
}

/// A matrix in memory, as it is stored.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredMatrix {
    pub at: Start,
    pub scalar: Scalar,
    /// The number of the interpretation that says so.
    pub interpretation: u32,
    pub rows: u32,
    pub columns: u32,
    pub layout: CooperativeVectorMatrixLayout,
    /// In bytes; none is zero.
    pub stride: Option<Slot>,
}

#[derive(Clone, Debug)]
pub(crate) enum VectorMemoryInstruction {
    Load {
        result: VectorOperand,
        at: Start,
    },
    Store {
        value: VectorOperand,
        at: Start,
    },
    /// Adds each component to the number in memory.
    Sum {
        value: VectorOperand,
        at: Start,
    },
    Product(Box<VectorProduct>),
    /// Adds the product of each component of the one with each of the other to an element of the matrix.
    OuterProduct {
        a: VectorOperand,
        b: VectorOperand,
        matrix: Box<StoredMatrix>,
    },
}

/// A matrix in memory times a vector, with a bias from memory.
#[derive(Clone, Debug)]
pub(crate) struct VectorProduct {
    /// M components. Its integers are signed as the instruction says.
    pub result: VectorOperand,
    pub input: VectorOperand,
    /// What the input is converted to, or how it is read where it is packed.
    pub taken: Scalar,
    pub packed: bool,
    /// The number of the interpretation that says so.
    pub interpretation: u32,
    /// K: how many numbers there are after that.
    pub length: u32,
    pub matrix: StoredMatrix,
    pub transpose: bool,
    pub bias: Option<Bias>,
}

/// What is added to a product: as many numbers in memory as it has components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Bias {
    pub at: Start,
    pub scalar: Scalar,
    /// The number of the interpretation that says so.
    pub interpretation: u32,
}

/// An operation on each component, which consists of other instructions: what observers see of it.
#[derive(Clone, Debug)]
pub(crate) struct ComponentOperation {
    pub operation: &'static str,
    pub operands: Vec<VectorOperand>,
    pub result: VectorOperand,
}
