//! Numbers in the words of registers: how those of a format are read, and made.

use super::bulk::{f16_to_f32, f32_to_f16};
use super::{Format, Overflow, Rounding};

/// The bits of a result; every NaN is the same one, or results would depend on the host.
#[inline]
pub(crate) fn bits32(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

#[inline]
pub(crate) fn bits64(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

#[inline]
pub(crate) fn from_half(word: u32) -> f32 {
    f16_to_f32(word as u16)
}

#[inline]
pub(crate) fn to_half(value: f32) -> u32 {
    if value.is_nan() { 0x7e00 } else { u32::from(f32_to_f16(value)) }
}

/// A value of a format that fits into `f32`.
#[inline]
pub(crate) fn widen(format: Format, word: u32) -> f32 {
    match format {
        Format::F32 => f32::from_bits(word),
        Format::F16 => from_half(word),
        other => other.to_f32(u64::from(word)),
    }
}

#[inline]
pub(crate) fn narrow(format: Format, value: f32) -> u32 {
    match format {
        Format::F32 => bits32(value),
        Format::F16 => to_half(value),
        other => other.from_f32(value, Rounding::NearestEven, Overflow::Special) as u32,
    }
}

/// The low bits of an integer, as its sign says.
#[inline]
pub(crate) fn sign_extend(word: u32, width: u8) -> u32 {
    let unused = 32 - u32::from(width);
    ((word << unused) as i32 >> unused) as u32
}

/// The bits of an integer of at most 32 bits.
#[inline]
pub(crate) fn low_bits(width: u8) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}
