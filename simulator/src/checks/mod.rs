//! What checked mode finds.

use crate::machine::Invocation;

/// What is wrong, by the name that users see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    OutOfBounds,
    /// The product of a saturating multiply-add overflows before the accumulator is added.
    SaturatingOverflow,
    /// The two decode functions of a load give different elements.
    DecodeMismatch,
}

impl FindingKind {
    pub fn id(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::SaturatingOverflow => "saturating-overflow",
            FindingKind::DecodeMismatch => "decode-mismatch",
        }
    }
}

/// Undefined behaviour that a run came upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    pub kind: FindingKind,
    /// The instruction's index in the module.
    pub instruction: u32,
    pub invocation: Invocation,
    pub message: String,
    /// The other party: for a race, the instruction and the invocation that it is with.
    pub other: Option<(u32, Invocation)>,
}
