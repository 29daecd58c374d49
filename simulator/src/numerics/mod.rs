//! Numbers as matrix hardware treats them: formats smaller than `f32`, rounding, and the ways in which a multiply-add may add up.
//!
//! Pure functions of slices and numbers: nothing here knows of lanes, matrices or modules. All of it gives the same bits on
//! every host: a fused multiply-add is used where the mode says so, or where it cannot differ because the product is exact.

pub(crate) mod arithmetic;
pub(crate) mod bulk;
mod exact;
pub(crate) mod format;
pub(crate) mod hopper;
pub(crate) mod integers;
mod kernel;
mod multiply;
mod wide;
pub(crate) mod words;

pub use format::{Denormals, Format, Overflow, Rounding};
pub(crate) use kernel::Step;
pub use multiply::{Formats, Mode};
pub(crate) use multiply::{Shape, add_product, multiply_add, multiply_add_f64, step};

/// How matrices of floating-point numbers are computed, as far as specifications leave it open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Numerics {
    /// How a multiply-add adds up.
    pub mode: Mode,
    /// Of conversions and of arithmetic on elements.
    pub rounding: Rounding,
    /// What happens to results below the smallest normal number.
    pub denormals: Denormals,
}

impl Numerics {
    /// How a conversion to a format is rounded. NVIDIA Hopper cuts off what bfloat16 does not hold, as was measured.
    pub(crate) fn conversion_to(&self, format: Format) -> Rounding {
        match (self.mode, self.rounding, format) {
            (Mode::NvidiaHopper, Rounding::NearestEven, Format::BF16) => Rounding::TowardZero,
            (_, rounding, _) => rounding,
        }
    }

    /// The defaults, with this way of adding up.
    pub fn with_mode(mode: Mode) -> Self {
        Numerics { mode, ..Numerics::default() }
    }
}
