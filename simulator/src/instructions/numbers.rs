//! What families of arithmetic share: how values of a format are read, rounded and written.

use crate::machine::{Plane, Registers};
use crate::numerics::bulk::{f16_to_f32, f32_to_f16};
use crate::numerics::{Format, Overflow, Rounding};

/// The bits of a result; every NaN is the same one, or results would depend on the host.
#[inline]
pub(super) fn bits32(value: f32) -> u32 {
    if value.is_nan() { 0x7fc0_0000 } else { value.to_bits() }
}

#[inline]
pub(super) fn bits64(value: f64) -> u64 {
    if value.is_nan() { 0x7ff8_0000_0000_0000 } else { value.to_bits() }
}

#[inline]
pub(super) fn from_half(word: u32) -> f32 {
    f16_to_f32(word as u16)
}

#[inline]
pub(super) fn to_half(value: f32) -> u32 {
    if value.is_nan() { 0x7e00 } else { u32::from(f32_to_f16(value)) }
}

/// A value of a format that fits into `f32`.
#[inline]
pub(super) fn widen(format: Format, word: u32) -> f32 {
    match format {
        Format::F32 => f32::from_bits(word),
        Format::F16 => from_half(word),
        other => other.to_f32(u64::from(word)),
    }
}

#[inline]
pub(super) fn narrow(format: Format, value: f32) -> u32 {
    match format {
        Format::F32 => bits32(value),
        Format::F16 => to_half(value),
        other => other.from_f32(value, Rounding::NearestEven, Overflow::Special) as u32,
    }
}

/// A function of one number, in the value's format: smaller formats compute in `f32` and round.
#[inline]
pub(super) fn float1(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    a: Plane,
    single: impl Fn(f32) -> f32,
    double: impl Fn(f64) -> f64,
) {
    match format {
        Format::F32 => registers.map1(result, a, |a| bits32(single(f32::from_bits(a)))),
        Format::F16 => registers.map1(result, a, |a| to_half(single(from_half(a)))),
        Format::F64 => registers.wide1(result, a, |a| bits64(double(f64::from_bits(a)))),
        _ => registers.map1(result, a, |a| narrow(format, single(widen(format, a)))),
    }
}

#[inline]
pub(super) fn float2(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    [a, b]: [Plane; 2],
    single: impl Fn(f32, f32) -> f32,
    double: impl Fn(f64, f64) -> f64,
) {
    match format {
        Format::F32 => {
            registers.map2(result, a, b, |a, b| bits32(single(f32::from_bits(a), f32::from_bits(b))));
        }
        Format::F16 => registers.map2(result, a, b, |a, b| to_half(single(from_half(a), from_half(b)))),
        Format::F64 => {
            registers.wide2(result, a, b, |a, b| bits64(double(f64::from_bits(a), f64::from_bits(b))));
        }
        _ => registers.map2(result, a, b, |a, b| narrow(format, single(widen(format, a), widen(format, b)))),
    }
}

#[inline]
pub(super) fn float3(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    operands: [Plane; 3],
    single: impl Fn(f32, f32, f32) -> f32,
    double: impl Fn(f64, f64, f64) -> f64,
) {
    match format {
        Format::F32 => registers.map3(result, operands, |a, b, c| {
            bits32(single(f32::from_bits(a), f32::from_bits(b), f32::from_bits(c)))
        }),
        Format::F64 => registers.wide3(result, operands, |a, b, c| {
            bits64(double(f64::from_bits(a), f64::from_bits(b), f64::from_bits(c)))
        }),
        _ => registers.map3(result, operands, |a, b, c| {
            narrow(format, single(widen(format, a), widen(format, b), widen(format, c)))
        }),
    }
}

/// A question about two numbers.
#[inline]
pub(super) fn compare2(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    [a, b]: [Plane; 2],
    single: impl Fn(f32, f32) -> bool,
    double: impl Fn(f64, f64) -> bool,
) {
    match format {
        Format::F32 => {
            registers.map2(result, a, b, |a, b| u32::from(single(f32::from_bits(a), f32::from_bits(b))))
        }
        Format::F64 => {
            registers.narrow2(result, a, b, |a, b| u32::from(double(f64::from_bits(a), f64::from_bits(b))))
        }
        _ => registers.map2(result, a, b, |a, b| u32::from(single(widen(format, a), widen(format, b)))),
    }
}

/// The low bits of an integer, as its sign says.
#[inline]
pub(super) fn sign_extend(word: u32, width: u8) -> u32 {
    let unused = 32 - u32::from(width);
    ((word << unused) as i32 >> unused) as u32
}

/// The bits of an integer of at most 32 bits.
#[inline]
pub(super) fn low_bits(width: u8) -> u32 {
    if width >= 32 { u32::MAX } else { (1 << width) - 1 }
}
