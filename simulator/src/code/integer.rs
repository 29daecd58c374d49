//! Integer arithmetic, bits and comparisons.

use crate::program::Slot;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum IntegerOp {
    Negate,
    Not,
    Count,
    Reverse,
    Add,
    Sub,
    Mul,
    UDiv,
    SDiv,
    UMod,
    SRem,
    SMod,
    ShiftLeft,
    ShiftRight,
    ShiftRightSigned,
    Or,
    Xor,
    And,
    Equal,
    NotEqual,
    UGreater,
    SGreater,
    UGreaterEqual,
    SGreaterEqual,
    ULess,
    SLess,
    ULessEqual,
    SLessEqual,
    UMin,
    SMin,
    UMax,
    SMax,
    /// The high halves of products.
    UMulHigh,
    SMulHigh,
    /// Whether an addition carries, a subtraction borrows.
    Carry,
    Borrow,
    /// Bits that are not set above the highest one that is, and below the lowest one.
    LeadingZeros,
    TrailingZeros,
    /// How far two numbers are apart.
    UDistance,
    SDistance,
    /// Sums and differences that stop at the ends of the range.
    UAddSat,
    SAddSat,
    USubSat,
    SSubSat,
    /// Half the sum, rounded down or up.
    UAverage,
    SAverage,
    UAverageUp,
    SAverageUp,
    /// The product with the low 16 bits of the second factor.
    UMul16,
    SMul16,
}

/// An operation on each component.
#[derive(Clone, Copy, Debug)]
pub(crate) struct IntegerInstruction {
    pub op: IntegerOp,
    pub width: u8,
    pub count: u32,
    pub result: Slot,
    pub a: Slot,
    pub b: Slot,
}

/// `OpBitFieldInsert` and its kin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BitFieldInstruction {
    pub kind: BitField,
    pub width: u8,
    pub count: u32,
    pub result: Slot,
    pub base: Slot,
    pub insert: Slot,
    pub offset: Slot,
    pub bits: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BitField {
    Insert,
    Signed,
    Unsigned,
}
