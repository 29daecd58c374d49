//! Operations between the lanes of a subgroup: votes, ballots, shuffles, folds.

use super::IntegerOp;
use crate::program::Slot;
use crate::program::types::Scalar;

#[derive(Clone, Debug)]
pub(crate) enum SubgroupInstruction {
    Elect {
        result: Slot,
    },
    Vote {
        vote: Vote,
        result: Slot,
        value: Slot,
    },
    AllEqual {
        result: Slot,
        value: Slot,
        planes: u32,
        float: bool,
        wide: bool,
    },
    First {
        result: Slot,
        value: Slot,
        planes: u32,
    },
    Shuffle {
        shuffle: Shuffle,
        result: Slot,
        value: Slot,
        planes: u32,
        lane: Slot,
    },
    Ballot {
        result: Slot,
        value: Slot,
    },
    /// Of so many words.
    Bits {
        ballot: Ballot,
        result: Slot,
        value: Slot,
        words: u32,
        index: Slot,
    },
    /// The lanes that hold the same value.
    Partition {
        result: Slot,
        value: Slot,
        planes: u32,
    },
    /// In one lane another value.
    Write {
        result: Slot,
        value: Slot,
        written: Slot,
        planes: u32,
        lane: Slot,
    },
    Reduce(ReduceInstruction),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Vote {
    All,
    Any,
    /// Of the four lanes of a quad.
    QuadAll,
    QuadAny,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shuffle {
    /// From the lane that is named, which is the same for all.
    Broadcast,
    Index,
    Xor,
    Up,
    Down,
    /// Around in clusters of so many lanes.
    Rotate(u32),
    QuadBroadcast,
    /// Within a quad: horizontally, vertically, diagonally.
    QuadSwap,
    /// Within a quad: four words say from which lane each of the four reads; zero from one that is not active.
    Swizzle,
    /// Within 32 lanes: three words are the bits that are kept, set and flipped of a lane's number; zero from one that is not active.
    Masked,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ballot {
    Inverse,
    Extract,
    CountAll,
    CountInclusive,
    CountExclusive,
    LowestBit,
    HighestBit,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct ReduceInstruction {
    pub fold: Fold,
    pub scalar: Scalar,
    pub count: u32,
    pub extent: Extent,
    pub kind: FoldKind,
    pub result: Slot,
    pub value: Slot,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fold {
    Integer(IntegerOp),
    Add,
    Mul,
    Min,
    Max,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Extent {
    All,
    Clusters(u32),
    /// The lanes of a mask in four planes.
    Partition(Slot),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum FoldKind {
    Reduce,
    Inclusive,
    Exclusive,
}
