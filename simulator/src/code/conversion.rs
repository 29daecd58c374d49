//! Conversions between numbers, and bits taken as another type.

use crate::numerics::{Overflow, Rounding};
use crate::program::Slot;
use crate::program::types::Scalar;

/// A conversion of each component, or a repacking of bits.
#[derive(Clone, Copy, Debug)]
pub(crate) enum ConversionInstruction {
    Convert {
        from: Scalar,
        to: Scalar,
        /// None where the instruction says none: then float controls do.
        rounding: Option<Rounding>,
        overflow: Overflow,
        count: u32,
        result: Slot,
        a: Slot,
    },
    /// Components of one width as components of another, the lowest bits first.
    Repack { from: u8, to: u8, count: u32, result: Slot, a: Slot },
    /// A part of the bits of a value, from a bit offset.
    Extract { from: u8, count: u32, to: u8, made: u32, result: Slot, a: Slot, offset: Slot },
    /// Rounded to what an f16 holds, denormals flushed.
    QuantizeToF16 { count: u32, result: Slot, a: Slot },
}
