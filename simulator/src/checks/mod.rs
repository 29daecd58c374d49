//! Checked mode: undefined behaviour that a run came upon, as findings. Results are those of fast mode.
//!
//! | module | does |
//! |---|---|
//! | `state` | what checked mode remembers between instructions |
//! | `findings` | how findings are written down, and what begins anew with each workgroup |
//! | `shadow` | who accessed each byte last, and since when: data races, memory that was never written |
//! | `order` | which accesses barriers put before which others |
//! | `race` | accesses that nothing orders, in words, with the barrier that would |
//! | `names` | places in memory as the source calls them |
//! | `access` | every access to memory: bounds, alignment, races, undefined values |
//! | `images` | texels: bounds, races, texels that nobody wrote |
//! | `matrix` | instructions on cooperative matrices: bounds of each element, strides, divergence, uniform operands |
//! | `births` | NaN and infinities, from the instruction that made them to the store that they reach |
//! | `flow` | branches and barriers |
//! | `atomics` | atomic operations on what nobody wrote |
//! | `vectors` | memory that cooperative vectors are multiplied with and added to |
//! | `written` | what earlier dispatches of a run wrote |
//! | `ownership` | results that depend on who owns which element |
//!
//! Arithmetic is checked where its instructions are: `instructions/checked.rs`.

pub(crate) mod access;
pub(crate) mod atomics;
pub(crate) mod births;
mod findings;
pub(crate) mod flow;
pub(crate) mod images;
pub(crate) mod matrix;
mod names;
pub(crate) mod order;
mod ownership;
mod race;
mod shadow;
mod state;
mod vectors;
mod written;

use crate::machine::Invocation;

pub(crate) use findings::constant_allocations;
pub use ownership::{Dependence, SecondRun};
pub(crate) use state::State;
pub use written::WrittenBytes;

/// What is wrong, by the name that users see.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FindingKind {
    /// An access outside of its memory, or an index outside of its array.
    OutOfBounds,
    /// An address that is no multiple of what the access needs.
    Misaligned,
    /// Rows of a stored matrix that overlap.
    StrideBelowRow,
    /// A value that nobody wrote decides something: a branch, an address, what a buffer holds.
    Uninitialised,
    /// The same, where the value is of a row that a QCOM conversion leaves undefined.
    UndefinedRows,
    /// Two invocations access a place at the same time, and one writes.
    DataRace,
    /// The same within a workgroup, one writing and one reading: a barrier orders them.
    MissingBarrier,
    /// A barrier orders a write and what another invocation does with it, but memory is not coherent.
    NotCoherent,
    /// Not all invocations of the scope take part.
    DivergentMatrixOperation,
    /// Invocations give different operands to an operation that they do together.
    NonUniformOperand,
    /// Not all invocations of the workgroup come to a control barrier.
    DivergentBarrier,
    /// An integer division, or remainder, by zero.
    DivisionByZero,
    /// The lowest integer divided by -1.
    DivisionOverflow,
    /// A shift by as many bits as the number has, or more.
    ShiftAmount,
    /// Finite operands make a NaN, and it is stored.
    NanBorn,
    /// Finite operands make an infinity, and it is stored.
    InfinityBorn,
    /// A floating-point number that the integer type does not hold.
    InvalidConversion,
    /// The product of a saturating multiply-add overflows before the accumulator is added.
    SaturatingOverflow,
    /// The two decode functions of a load give different elements.
    DecodeMismatch,
    /// A buffer holds something else when elements of matrices have other owners ([`crate::SecondRun`]).
    OwnershipDependence,
    /// A multiply-add that is not among [`crate::Settings::shapes`].
    UnadvertisedShape,
    /// A place in a descriptor heap where there is no descriptor, or that of something else.
    EmptyDescriptor,
    /// The shader ends an invocation with a message: `abortEXT`.
    Abort,
}

impl FindingKind {
    /// Every kind, in the order in which documentation lists them.
    pub const ALL: [FindingKind; 23] = [
        FindingKind::OutOfBounds,
        FindingKind::Misaligned,
        FindingKind::StrideBelowRow,
        FindingKind::Uninitialised,
        FindingKind::UndefinedRows,
        FindingKind::DataRace,
        FindingKind::MissingBarrier,
        FindingKind::NotCoherent,
        FindingKind::DivergentMatrixOperation,
        FindingKind::NonUniformOperand,
        FindingKind::DivergentBarrier,
        FindingKind::DivisionByZero,
        FindingKind::DivisionOverflow,
        FindingKind::ShiftAmount,
        FindingKind::NanBorn,
        FindingKind::InfinityBorn,
        FindingKind::InvalidConversion,
        FindingKind::SaturatingOverflow,
        FindingKind::DecodeMismatch,
        FindingKind::OwnershipDependence,
        FindingKind::UnadvertisedShape,
        FindingKind::EmptyDescriptor,
        FindingKind::Abort,
    ];

    /// The name that reports and recipes write: lower case, with hyphens.
    pub fn id(self) -> &'static str {
        match self {
            FindingKind::OutOfBounds => "out-of-bounds",
            FindingKind::Misaligned => "misaligned",
            FindingKind::StrideBelowRow => "stride-below-row",
            FindingKind::Uninitialised => "uninitialised",
            FindingKind::UndefinedRows => "undefined-rows",
            FindingKind::DataRace => "data-race",
            FindingKind::MissingBarrier => "missing-barrier",
            FindingKind::NotCoherent => "not-coherent",
            FindingKind::DivergentMatrixOperation => "divergent-matrix-operation",
            FindingKind::NonUniformOperand => "non-uniform-operand",
            FindingKind::DivergentBarrier => "divergent-barrier",
            FindingKind::DivisionByZero => "division-by-zero",
            FindingKind::DivisionOverflow => "division-overflow",
            FindingKind::ShiftAmount => "shift-amount",
            FindingKind::NanBorn => "nan-born",
            FindingKind::InfinityBorn => "infinity-born",
            FindingKind::InvalidConversion => "invalid-conversion",
            FindingKind::SaturatingOverflow => "saturating-overflow",
            FindingKind::DecodeMismatch => "decode-mismatch",
            FindingKind::OwnershipDependence => "ownership-dependence",
            FindingKind::UnadvertisedShape => "unadvertised-shape",
            FindingKind::EmptyDescriptor => "empty-descriptor",
            FindingKind::Abort => "abort",
        }
    }
}

/// Undefined behaviour that a run came upon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What is wrong.
    pub kind: FindingKind,
    /// The instruction's index in the module.
    pub instruction: u32,
    /// Who did it, or the first of those who did.
    pub invocation: Invocation,
    /// What is wrong here, with the values, for people.
    pub message: String,
    /// The other party: for a race, the instruction and the invocation that it is with.
    pub other: Option<(u32, Invocation)>,
    /// How often the same was found at the same instruction after the first few times, which have findings of their own.
    pub more: u64,
}

/// A multiply-add that a device offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct AdvertisedShape {
    /// Rows of A and of the result.
    pub m: u32,
    /// Columns of B and of the result.
    pub n: u32,
    /// Columns of A and rows of B.
    pub k: u32,
    /// Components of A, B, C and the result.
    pub components: [crate::matrix::Component; 4],
    /// Whether the accumulation saturates (`SaturatingAccumulationKHR`).
    pub saturating: bool,
    /// The invocations that hold the matrices together.
    pub scope: crate::matrix::Scope,
    /// Sizes are any multiples of these. For matrices of workgroup scope, the number of invocations that the workgroup has to have.
    pub flexible: Option<u32>,
}
