//! Floating-point arithmetic and comparisons, sums of products.

use crate::numerics::Format;
use crate::program::Slot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FloatOp {
    Negate,
    Add,
    Sub,
    Mul,
    Div,
    Rem,
    Mod,
    OrdEqual,
    UnordEqual,
    OrdNotEqual,
    UnordNotEqual,
    OrdLess,
    UnordLess,
    OrdGreater,
    UnordGreater,
    OrdLessEqual,
    UnordLessEqual,
    OrdGreaterEqual,
    UnordGreaterEqual,
    Ordered,
    Unordered,
    IsNan,
    IsInf,
    IsFinite,
    SignBit,
}

/// An operation on each component; `step` is zero where the second operand is one number for all.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FloatInstruction {
    pub op: FloatOp,
    pub format: Format,
    pub count: u32,
    pub result: Slot,
    pub a: Slot,
    pub b: Slot,
    pub step: u32,
}

/// Sums of products.
#[derive(Clone, Debug)]
pub(crate) enum ProductInstruction {
    /// `a * b + c`, rounded once.
    Fma { format: Format, count: u32, result: Slot, operands: [Slot; 3] },
    /// Each result is the sum of `inner` products: of `a` from `result.0` on in steps of `a_step`, and so on.
    Sums { format: Format, sums: Box<[Sum]>, inner: u32, a_step: u32, b_step: u32 },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Sum {
    pub result: Slot,
    pub a: Slot,
    pub b: Slot,
}
