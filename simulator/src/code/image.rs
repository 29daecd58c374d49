//! Images.

use crate::program::Slot;
use crate::program::types::{ImageType, Scalar};

#[derive(Clone, Debug)]
pub(crate) struct ImageInstruction {
    pub op: ImageOp,
    pub type_: ImageType,
    /// Components of coordinates with the layer.
    pub coordinates: u32,
    pub image: Slot,
    pub at: Slot,
    /// The result, or the texel that is written.
    pub texel: Slot,
    pub scalar: Scalar,
    pub count: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageOp {
    Read,
    Write,
    /// By integer coordinates, and by normalized ones.
    Fetch,
    Sample,
    Size,
    Levels,
}
