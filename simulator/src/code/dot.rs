//! Dot products of integers and of small floats.

use crate::numerics::Format;
use crate::program::Slot;

#[derive(Clone, Copy, Debug)]
pub(crate) enum DotInstruction {
    Integer(IntegerDot),
    /// The products and their sum with the accumulator in `f64`, rounded once.
    Float {
        format: Format,
        count: u32,
        accumulator: Format,
        result: Slot,
        a: Slot,
        b: Slot,
        sum: Slot,
    },
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct IntegerDot {
    /// The width of a component, and how many there are in the operands.
    pub width: u8,
    pub count: u32,
    /// Components lie in one word, four of them.
    pub packed: bool,
    pub signed: (bool, bool),
    pub made: u8,
    pub result_signed: bool,
    pub result: Slot,
    pub a: Slot,
    pub b: Slot,
    /// What is added with saturation.
    pub sum: Option<Slot>,
}
