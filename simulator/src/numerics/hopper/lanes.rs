//! The same sums for sixteen columns at once, in loops that the compiler makes vectors of.
//!
//! Significands and exponents are integers, so that every width of vectors gives the same. Infinities and NaN are left to the
//! sums of single elements.

use super::super::wide::dispatch;
use super::{ALIGNED_DIGITS, Format, Formats, Operand, Shape, split};

/// Columns of one round.
const LANES: usize = 16;

/// The exponent of a zero, which takes no part: a product of it is below every other number, too.
const NONE: i32 = -100_000;

/// An operand in three integers: magnitude, exponent, and all ones where it is negative.
#[derive(Clone, Copy)]
struct Parts {
    magnitude: i32,
    exponent: i32,
    sign: i32,
}

impl From<Operand> for Parts {
    fn from(operand: Operand) -> Parts {
        let magnitude = operand.significand as i32;
        let exponent = if magnitude == 0 { NONE } else { operand.exponent };
        Parts { magnitude, exponent, sign: -i32::from(operand.negative) }
    }
}

/// Rows of B, sixteen columns of each.
#[derive(Clone, Copy)]
struct Columns {
    magnitude: [i32; LANES],
    exponent: [i32; LANES],
    sign: [i32; LANES],
}

/// Adds the products to `c`, and gives the elements that have to be computed one by one, from what `c` held before; those of `c` are then
/// as they were. False, and nothing done, where an operand is not finite.
pub(super) fn multiply_add(
    a: &[f32],
    b: &[f32],
    c: &mut [f32],
    shape: Shape,
    formats: Formats,
    block: usize,
    special: &mut Vec<usize>,
) -> bool {
    let Shape { m, n, k } = shape;
    if formats.result != Format::F32 || !b[..k * n].iter().all(|value| value.is_finite()) {
        return false;
    }
    let parts = |value: &f32, format| split(*value, format).map(Parts::from);
    let Some(left) = a[..m * k].iter().map(|value| parts(value, formats.a)).collect::<Option<Vec<_>>>()
    else {
        return false;
    };
    let zero = Columns { magnitude: [0; LANES], exponent: [NONE; LANES], sign: [0; LANES] };
    let mut right = vec![zero; k];
    let digits = (formats.a.mantissa_bits() + formats.b.mantissa_bits()) as i32;
    for first in (0..n).step_by(LANES) {
        let width = LANES.min(n - first);
        for (row, columns) in right.iter_mut().enumerate() {
            for (lane, value) in b[row * n + first..][..width].iter().enumerate() {
                let Some(parts) = parts(value, formats.b) else { return false };
                columns.magnitude[lane] = parts.magnitude;
                columns.exponent[lane] = parts.exponent;
                columns.sign[lane] = parts.sign;
            }
        }
        for row in 0..m {
            let mut sums = [0f32; LANES];
            let own = &mut c[row * n + first..][..width];
            sums[..width].copy_from_slice(own);
            let mut finite = true;
            for start in (0..k).step_by(block) {
                let end = (start + block).min(k);
                finite &= sums.iter().fold(true, |all, sum| all & sum.is_finite());
                let (left, right) = (&left[row * k + start..row * k + end], &right[start..end]);
                dispatch(Block { left, right, sums: &mut sums, digits });
            }
            if finite {
                own.copy_from_slice(&sums[..width]);
            } else {
                special.extend((0..width).map(|lane| row * n + first + lane));
            }
        }
    }
    true
}

struct Block<'a> {
    left: &'a [Parts],
    right: &'a [Columns],
    sums: &'a mut [f32; LANES],
    digits: i32,
}

impl pulp::NullaryFnOnce for Block<'_> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Block { left, right, sums, digits } = self;
        let (mut magnitude, mut exponent, mut sign) = ([0i32; LANES], [0i32; LANES], [0i32; LANES]);
        for lane in 0..LANES {
            // A finite f32 as `split` sees it: a subnormal one has the exponent of the smallest normal one.
            let bits = sums[lane].to_bits();
            let stored = (bits >> 23 & 0xff) as i32;
            let hidden = if stored == 0 { 0 } else { 1 << 23 };
            magnitude[lane] = (bits & 0x7f_ffff) as i32 | hidden;
            exponent[lane] = if magnitude[lane] == 0 { NONE } else { stored.max(1) - 127 };
            sign[lane] = bits as i32 >> 31;
        }
        let mut largest = exponent;
        let mut negative = sign;
        for (left, right) in left.iter().zip(right) {
            for lane in 0..LANES {
                largest[lane] = largest[lane].max(left.exponent + right.exponent[lane]);
                negative[lane] &= left.sign ^ right.sign[lane];
            }
        }
        // The accumulator, then the products in two sums, none of which leaves 32 bits.
        let mut parts = [[0i32; LANES]; 3];
        for lane in 0..LANES {
            let down = (largest[lane] - exponent[lane]).clamp(0, 31);
            let aligned = (magnitude[lane] << (ALIGNED_DIGITS - 23)) >> down;
            parts[2][lane] = (aligned ^ sign[lane]) - sign[lane];
        }
        for (half, part) in parts.iter_mut().take(2).enumerate() {
            for (left, right) in left.iter().zip(right).skip(half * 8).take(8) {
                for lane in 0..LANES {
                    let down = (largest[lane] - left.exponent - right.exponent[lane]).clamp(0, 31);
                    let aligned =
                        ((left.magnitude * right.magnitude[lane]) << (ALIGNED_DIGITS - digits)) >> down;
                    let sign = left.sign ^ right.sign[lane];
                    part[lane] += (aligned ^ sign) - sign;
                }
            }
        }
        for lane in 0..LANES {
            let sum = f64::from(parts[0][lane]) + f64::from(parts[1][lane]) + f64::from(parts[2][lane]);
            let present = largest[lane] > NONE / 2;
            let scale = (i64::from(largest[lane].clamp(-900, 900) - ALIGNED_DIGITS) + 1023) as u64;
            let value = sum * f64::from_bits(scale << 52);
            // Cut off towards zero: the nearest number, or the one before it.
            let nearest = value as f32;
            let beyond = f64::from(nearest).abs() > value.abs() && value.abs() < OVERFLOW;
            let cut = f32::from_bits(nearest.to_bits().wrapping_sub(u32::from(beyond)));
            let cut = if sum == 0.0 { 0.0 } else { cut };
            let zero = if negative[lane] != 0 { -0.0 } else { 0.0 };
            sums[lane] = if present { cut } else { zero };
        }
    }
}

/// 2^128: from there on a sum is infinite.
const OVERFLOW: f64 = 340_282_366_920_938_463_463_374_607_431_768_211_456.0;
