//! `debugPrintfEXT`: a line of text with values in it.

use crate::program::Slot;
use crate::program::types::Scalar;

#[derive(Clone, Debug)]
pub(crate) struct PrintInstruction {
    pub pieces: Vec<Piece>,
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
    Value(PrintFormat, Option<(Scalar, u32, Slot)>),
}

/// A conversion: `%`, flags, width, precision, `v` and a count, a letter.
#[derive(Clone, Debug, Default)]
pub(crate) struct PrintFormat {
    pub left: bool,
    pub zeros: bool,
    pub plus: bool,
    pub width: usize,
    pub precision: Option<usize>,
    pub letter: char,
}
