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
    pub detail: Detail,
    /// Added to the coordinates, in texels.
    pub offset: Option<Slot>,
    /// The smallest level of detail.
    pub smallest: Option<Slot>,
    /// The component that is gathered.
    pub component: Option<Slot>,
    /// Coordinates are divided by the component behind them.
    pub projected: bool,
}

/// Which level of detail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detail {
    /// The first one: what is implicit, as derivatives are 0.
    First,
    /// The first one and this, a float.
    Bias(Slot),
    /// This one: an integer of fetches and sizes, a float of samples.
    Level(Slot),
    /// By how fast coordinates change in both directions.
    Gradients(Slot, Slot),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ImageOp {
    Read,
    Write,
    /// By integer coordinates, and by normalized ones.
    Fetch,
    Sample,
    /// One component of the four texels that a linear filter would blend.
    Gather,
    Size,
    Levels,
    Samples,
}
