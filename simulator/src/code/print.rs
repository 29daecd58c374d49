//! `debugPrintfEXT` and `abortEXT`: a line of text with values in it.

use crate::program::Slot;
use crate::program::types::Scalar;

#[derive(Clone, Debug)]
pub(crate) enum PrintInstruction {
    /// The text is known, and its conversions with the values that they take.
    Pieces(Vec<Piece>),
    /// The message of an invocation that ends: the text is a value too.
    Message { text: Option<(Slot, u32)>, values: Vec<Numbers> },
}

#[derive(Clone, Debug)]
pub(crate) enum Piece {
    Text(String),
    Value(PrintFormat, Option<Numbers>),
}

/// The numbers of one value, in the order of their planes.
#[derive(Clone, Debug)]
pub(crate) struct Numbers(pub Vec<(Scalar, Slot)>);

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
