//! What families of arithmetic share: how values of a format are read, rounded and written. Code for the usual formats is made for each function; the others
//! call it, so that a browser need not load each function for each format.

use crate::machine::{Plane, Registers};
use crate::numerics::Format;
use crate::numerics::words::{bits32, bits64, from_half, narrow, to_half, widen};

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
        _ => rare1(registers, format, result, a, &single, &double),
    }
}

#[inline(never)]
fn rare1(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    a: Plane,
    single: &dyn Fn(f32) -> f32,
    double: &dyn Fn(f64) -> f64,
) {
    match format {
        Format::F64 => registers.wide1(result, a, |a| bits64(double(f64::from_bits(a)))),
        _ => registers.map1(result, a, |a| narrow(format, single(widen(format, a)))),
    }
}

/// As [`float1`], of a function that takes far longer than the call of it.
#[inline(never)]
pub(super) fn called1(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    a: Plane,
    single: fn(f32) -> f32,
    double: fn(f64) -> f64,
) {
    float1(registers, format, result, a, single, double);
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
        _ => rare2(registers, format, result, [a, b], &single, &double),
    }
}

#[inline(never)]
fn rare2(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    [a, b]: [Plane; 2],
    single: &dyn Fn(f32, f32) -> f32,
    double: &dyn Fn(f64, f64) -> f64,
) {
    match format {
        Format::F64 => {
            registers.wide2(result, a, b, |a, b| bits64(double(f64::from_bits(a), f64::from_bits(b))));
        }
        _ => registers.map2(result, a, b, |a, b| narrow(format, single(widen(format, a), widen(format, b)))),
    }
}

/// As [`float2`], of a function that takes far longer than the call of it.
#[inline(never)]
pub(super) fn called2(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    operands: [Plane; 2],
    single: fn(f32, f32) -> f32,
    double: fn(f64, f64) -> f64,
) {
    float2(registers, format, result, operands, single, double);
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
        _ => rare3(registers, format, result, operands, &single, &double),
    }
}

#[inline(never)]
fn rare3(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    operands: [Plane; 3],
    single: &dyn Fn(f32, f32, f32) -> f32,
    double: &dyn Fn(f64, f64, f64) -> f64,
) {
    match format {
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
        _ => rare_compare2(registers, format, result, [a, b], &single, &double),
    }
}

#[inline(never)]
fn rare_compare2(
    registers: &mut Registers,
    format: Format,
    result: Plane,
    [a, b]: [Plane; 2],
    single: &dyn Fn(f32, f32) -> bool,
    double: &dyn Fn(f64, f64) -> bool,
) {
    match format {
        Format::F64 => {
            registers.narrow2(result, a, b, |a, b| u32::from(double(f64::from_bits(a), f64::from_bits(b))))
        }
        _ => registers.map2(result, a, b, |a, b| u32::from(single(widen(format, a), widen(format, b)))),
    }
}
