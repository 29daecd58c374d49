//! Bools, and choices by them.

use crate::program::Slot;

#[derive(Clone, Copy, Debug)]
pub(crate) enum LogicInstruction {
    Binary {
        op: LogicOp,
        count: u32,
        result: Slot,
        a: Slot,
        b: Slot,
    },
    Not {
        count: u32,
        result: Slot,
        a: Slot,
    },
    Any {
        count: u32,
        result: Slot,
        a: Slot,
    },
    All {
        count: u32,
        result: Slot,
        a: Slot,
    },
    /// `planes` for each condition.
    Select {
        count: u32,
        planes: u32,
        result: Slot,
        condition: Slot,
        a: Slot,
        b: Slot,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) enum LogicOp {
    Equal,
    NotEqual,
    Or,
    And,
}
