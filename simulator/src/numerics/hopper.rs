//! The multiply-add of NVIDIA's Hopper tensor cores, as measured on an NVIDIA H200 (driver 580.159.04).
//!
//! K is taken in blocks of 16 (of 8 where K is 8), in order. In each block the exact products and the accumulator are aligned to
//! the largest exponent among them, cut off towards zero 25 bits below it, added exactly, and the sum is cut off towards zero to
//! `f32`. A product's exponent is the sum of its operands' exponents, as they are stored: nothing is normalised, and a subnormal
//! operand has the exponent of the smallest normal number; a zero does not take part. With an `f16` accumulator each block's sum is
//! rounded to the nearest `f16` instead, and a zero is positive.
//! `simulator/data/nvidia-h200-muladd` holds the measurements, and the tests repeat every one of them.

mod lanes;

use super::format::{Format, Overflow, Parts, Rounding, power_of_two};
use super::{Formats, Shape};

/// Digits below the largest exponent that take part in the sum.
const ALIGNED_DIGITS: i32 = 25;

/// A finite number as the unit sees it: `significand * 2^(exponent - digits after the point)`.
#[derive(Clone, Copy)]
struct Operand {
    significand: i64,
    exponent: i32,
    negative: bool,
}

/// What of this mode was not measured, as a sentence for the user.
pub fn unmeasured(formats: Formats) -> Option<&'static str> {
    match (formats.a, formats.b, formats.result) {
        (Format::F16, Format::F16, Format::F16 | Format::F32) | (Format::BF16, Format::BF16, Format::F32) => {
            None
        }
        (Format::E4M3 | Format::E5M2, Format::E4M3 | Format::E5M2, _) => {
            Some("8-bit floats were not measured on NVIDIA Hopper: they are added like 16-bit floats")
        }
        _ => Some(
            "NVIDIA Hopper has no such multiply-add: it is computed in the format of the result, in order",
        ),
    }
}

/// Whether this unit has a multiply-add of these formats at all.
pub fn applies(formats: Formats) -> bool {
    let operand = |format| matches!(format, Format::F16 | Format::BF16 | Format::E4M3 | Format::E5M2);
    operand(formats.a) && operand(formats.b) && matches!(formats.result, Format::F16 | Format::F32)
}

/// `c` holds C before and the result after; see [`super::multiply_add`].
pub fn multiply_add(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, formats: Formats) {
    let Shape { m, n, k } = shape;
    let block = if k == 8 { 8 } else { 16 };
    let mut special = Vec::new();
    if lanes::multiply_add(a, b, c, shape, formats, block, &mut special) {
        for index in special {
            let (row, column) = (index / n, index % n);
            let a: Vec<f32> = a[row * k..][..k].to_vec();
            let b: Vec<f32> = (0..k).map(|step| b[step * n + column]).collect();
            one_by_one(&a, &b, &mut c[index..=index], Shape { m: 1, n: 1, k }, formats);
        }
        return;
    }
    one_by_one(&a[..m * k], &b[..k * n], c, shape, formats);
}

/// Element by element, whatever they are.
fn one_by_one(a: &[f32], b: &[f32], c: &mut [f32], shape: Shape, formats: Formats) {
    let Shape { m, n, k } = shape;
    let split_all = |values: &[f32], format| -> Vec<Option<Operand>> {
        values.iter().map(|value| split(*value, format)).collect()
    };
    let (operands_a, operands_b) = (split_all(&a[..m * k], formats.a), split_all(&b[..k * n], formats.b));
    let digits = (formats.a.mantissa_bits() + formats.b.mantissa_bits()) as i32;
    let block = if k == 8 { 8 } else { 16 };
    let mut terms: Vec<Operand> = Vec::with_capacity(block);
    for row in 0..m {
        for column in 0..n {
            let mut sum = c[row * n + column];
            for start in (0..k).step_by(block) {
                terms.clear();
                let steps = start..(start + block).min(k);
                for step in steps.clone() {
                    let (Some(a), Some(b)) = (operands_a[row * k + step], operands_b[step * n + column])
                    else {
                        continue;
                    };
                    terms.push(Operand {
                        significand: a.significand * b.significand,
                        exponent: a.exponent + b.exponent,
                        negative: a.negative != b.negative,
                    });
                }
                let accumulator = split(sum, Format::F32);
                sum = match accumulator {
                    Some(accumulator) if terms.len() == steps.len() => {
                        add(&terms, digits, accumulator, formats.result)
                    }
                    _ => {
                        let products = steps.map(|step| special(a[row * k + step], b[step * n + column]));
                        products.fold(special(sum, 1.0), |sum, product| sum + product)
                    }
                };
            }
            c[row * n + column] = if sum.is_nan() { f32::NAN } else { sum };
        }
    }
}

/// None for an infinity or NaN.
fn split(value: f32, format: Format) -> Option<Operand> {
    if !value.is_finite() {
        return None;
    }
    let digits = format.mantissa_bits() as i32;
    let bits = value.to_bits();
    // As stored in an f32, in which the number may have more digits below the point than in its own format.
    let exponent = ((bits >> 23 & 0xff) as i32 - 127).max(format.lowest_exponent());
    let magnitude = f64::from(value.abs()) * power_of_two(digits - exponent);
    Some(Operand { significand: magnitude as i64, exponent, negative: bits >> 31 != 0 })
}

/// A product as far as it decides a sum with infinities or NaN in it: finite ones do not, however large.
fn special(a: f32, b: f32) -> f32 {
    if a.is_finite() && b.is_finite() { 0.0 } else { a * b }
}

fn add(terms: &[Operand], digits: i32, accumulator: Operand, result: Format) -> f32 {
    // A zero has no exponent.
    let present = terms.iter().chain([&accumulator]).filter(|term| term.significand != 0);
    let Some(largest) = present.map(|term| term.exponent).max() else {
        let negative = accumulator.negative && terms.iter().all(|term| term.negative);
        return if negative && result == Format::F32 { -0.0 } else { 0.0 };
    };
    let aligned = |term: &Operand, digits: i32| {
        let shift = ALIGNED_DIGITS - digits - (largest - term.exponent);
        let magnitude = match shift {
            0.. => term.significand << shift.min(40),
            _ => term.significand >> (-shift).min(63),
        };
        if term.negative { -magnitude } else { magnitude }
    };
    let mut sum = aligned(&accumulator, Format::F32.mantissa_bits() as i32);
    for term in terms {
        sum += aligned(term, digits);
    }
    if sum == 0 {
        return 0.0;
    }
    let parts = Parts {
        negative: sum < 0,
        significand: sum.unsigned_abs(),
        exponent: largest - ALIGNED_DIGITS,
        sticky: false,
    };
    match result {
        Format::F16 => {
            let value =
                Format::F16.to_f32(Format::F16.round(parts, Rounding::NearestEven, Overflow::Special));
            if value == 0.0 { 0.0 } else { value }
        }
        // What is beyond the largest number is infinite, although the digits are cut off.
        _ if largest - ALIGNED_DIGITS + parts.significand.ilog2() as i32 > 127 => {
            if parts.negative {
                f32::NEG_INFINITY
            } else {
                f32::INFINITY
            }
        }
        _ => f32::from_bits(Format::F32.round(parts, Rounding::TowardZero, Overflow::Special) as u32),
    }
}

#[cfg(test)]
pub(crate) mod tests;
