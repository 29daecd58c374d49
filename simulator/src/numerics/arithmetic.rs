//! One operation on two numbers, rounded once in a chosen direction.
//!
//! To the nearest, formats of at most 32 bits are computed in `f32` (in `f64` for `f32` itself where another direction is
//! asked for) and rounded again: the wider format has more than twice the digits, so the second rounding changes nothing.

use std::cmp::Ordering;

use super::exact::SumF64;
use super::format::{Format, Overflow, Rounding};

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operation {
    Add,
    Subtract,
    Multiply,
    Divide,
}

impl Operation {
    #[inline(always)]
    pub fn f32(self, a: f32, b: f32) -> f32 {
        match self {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
        }
    }

    #[inline(always)]
    pub fn f64(self, a: f64, b: f64) -> f64 {
        match self {
            Operation::Add => a + b,
            Operation::Subtract => a - b,
            Operation::Multiply => a * b,
            Operation::Divide => a / b,
        }
    }

    /// The result for two `f32`, rounded to `format` as if it had been exact.
    pub fn rounded(self, a: f32, b: f32, format: Format, rounding: Rounding) -> f32 {
        let (x, y) = (f64::from(a), f64::from(b));
        let result = self.f64(x, y);
        // What the f64 lacks to the exact result: its sign decides the last digit, which is then odd.
        let error = match self {
            Operation::Add => two_sum_error(x, y, result),
            Operation::Subtract => two_sum_error(x, -y, result),
            Operation::Multiply => 0.0,
            Operation::Divide if result.is_finite() && y != 0.0 => {
                let remainder = (-result).mul_add(y, x);
                if y < 0.0 { -remainder } else { remainder }
            }
            Operation::Divide => 0.0,
        };
        format.to_f32(format.from_f64(to_odd(result, error), rounding, Overflow::Special))
    }
}

impl Operation {
    /// The result for two `f64`, rounded once in a direction.
    pub fn rounded_f64(self, a: f64, b: f64, rounding: Rounding) -> f64 {
        let result = self.f64(a, b);
        let exact =
            !a.is_finite() || !b.is_finite() || result.is_nan() || self == Operation::Divide && b == 0.0;
        if rounding == Rounding::NearestEven || exact {
            return result;
        }
        // What the result lacks to the exact one, of which the sign counts.
        let mut rest = SumF64::default();
        match self {
            // Finite operands have a finite result here, which is beyond the largest number.
            _ if result.is_infinite() => rest.add(-result.signum()),
            Operation::Add | Operation::Subtract => {
                rest.add(a);
                rest.add(if self == Operation::Add { b } else { -b });
                rest.add(-result);
            }
            Operation::Multiply => {
                rest.add_product(a, b);
                rest.add(-result);
            }
            Operation::Divide => {
                rest.add_product(a, b.signum());
                rest.add_product(-result, b.abs());
            }
        }
        // The neighbour, where the result lies on the wrong side of the exact one.
        let up = match rounding {
            Rounding::NearestEven => return result,
            Rounding::TowardPositive => true,
            Rounding::TowardNegative => false,
            Rounding::TowardZero if result == 0.0 => return result,
            Rounding::TowardZero => result < 0.0,
        };
        match (up, rest.sign()) {
            (true, Ordering::Greater) => result.next_up(),
            (false, Ordering::Less) => result.next_down(),
            _ => result,
        }
    }
}

/// `a * b + c` of numbers of a format, rounded to it once, as bits.
pub fn fused(a: f64, b: f64, c: f64, format: Format, rounding: Rounding) -> u64 {
    if format == Format::F64 {
        let mut sum = SumF64::default();
        sum.add(c);
        sum.add_product(a, b);
        return sum.round(format, rounding);
    }
    // The product of two numbers of at most 32 bits is exact.
    let product = a * b;
    let sum = product + c;
    format.from_f64(to_odd(sum, two_sum_error(product, c, sum)), rounding, Overflow::Special)
}

/// The error of `sum`, which is `a + b` rounded.
fn two_sum_error(a: f64, b: f64, sum: f64) -> f64 {
    if !sum.is_finite() {
        return 0.0;
    }
    let part = sum - a;
    (a - (sum - part)) + (b - part)
}

/// Where something was dropped and the last digit is even, the neighbour on the side of what was dropped.
fn to_odd(value: f64, error: f64) -> f64 {
    if error == 0.0 || !value.is_finite() || value.to_bits() & 1 != 0 {
        return value;
    }
    if value == 0.0 {
        return if error > 0.0 { f64::from_bits(1) } else { -f64::from_bits(1) };
    }
    let outward = (value > 0.0) == (error > 0.0);
    f64::from_bits(if outward { value.to_bits() + 1 } else { value.to_bits() - 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_is_what_the_processor_gives() {
        let mut state = 11u64;
        for _ in 0..100_000 {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            let a = f32::from_bits(state as u32 & 0xbfff_ffff | 0x2000_0000);
            let b = f32::from_bits((state >> 32) as u32 & 0xbfff_ffff | 0x2000_0000);
            for operation in [Operation::Add, Operation::Subtract, Operation::Multiply, Operation::Divide] {
                let exact = operation.rounded(a, b, Format::F32, Rounding::NearestEven);
                let native = operation.f32(a, b);
                assert!(exact == native || exact.is_nan() && native.is_nan(), "{a:e} {operation:?} {b:e}");
                let down = operation.rounded(a, b, Format::F32, Rounding::TowardNegative);
                let up = operation.rounded(a, b, Format::F32, Rounding::TowardPositive);
                assert!(native.is_nan() || down <= native && native <= up);
            }
        }
    }

    /// As the exact sums have it, which know of no direction that is hard.
    #[test]
    fn directions_of_64_bits() {
        let mut state = 5u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            state
        };
        let exact = |a: f64, b: f64, c: f64, rounding| f64::from_bits(fused(a, b, c, Format::F64, rounding));
        for round in 0..20_000 {
            // All sizes, and sizes of which products and quotients are subnormal.
            let exponent = |bits: u64| if round % 2 == 0 { bits % 2047 } else { 400 + bits % 200 };
            let mut number =
                || f64::from_bits(next() >> 12 | exponent(next() >> 20) << 52 | next() & 1 << 63);
            let (a, b) = (number(), number());
            for rounding in [Rounding::TowardZero, Rounding::TowardPositive, Rounding::TowardNegative] {
                let sum = Operation::Add.rounded_f64(a, b, rounding);
                assert_eq!(sum, exact(a, 1.0, b, rounding), "{a:e} + {b:e} {rounding:?}");
                let product = Operation::Multiply.rounded_f64(a, b, rounding);
                assert_eq!(product, exact(a, b, 0.0, rounding), "{a:e} * {b:e} {rounding:?}");
                let quotient = Operation::Divide.rounded_f64(a, b, rounding);
                // On its side of the exact quotient, and its neighbour is not.
                let rest = |quotient: f64| {
                    let mut rest = SumF64::default();
                    rest.add_product(a, b.signum());
                    rest.add_product(-quotient, b.abs());
                    rest.sign()
                };
                let upward = match rounding {
                    Rounding::TowardZero => quotient.is_sign_negative(),
                    rounding => rounding == Rounding::TowardPositive,
                };
                if b == 0.0 || quotient.is_infinite() || quotient.abs() == f64::MAX {
                    continue;
                }
                if upward {
                    assert!(rest(quotient).is_le() && rest(quotient.next_down()).is_gt(), "{a:e} / {b:e}");
                } else {
                    assert!(rest(quotient).is_ge() && rest(quotient.next_up()).is_lt(), "{a:e} / {b:e}");
                }
            }
        }
        assert_eq!(Operation::Add.rounded_f64(f64::MAX, f64::MAX, Rounding::TowardZero), f64::MAX);
        assert_eq!(Operation::Multiply.rounded_f64(-f64::MAX, 2.0, Rounding::TowardPositive), -f64::MAX);
        // A division by zero is an exact infinity, not a large number.
        assert_eq!(Operation::Divide.rounded_f64(1.0, 0.0, Rounding::TowardZero), f64::INFINITY);
        assert_eq!(Operation::Divide.rounded_f64(-1.0, 0.0, Rounding::TowardPositive), f64::NEG_INFINITY);
    }

    #[test]
    fn directions() {
        let tiny = 2f32.powi(-60);
        let add = |a, b, rounding| Operation::Add.rounded(a, b, Format::F32, rounding);
        assert_eq!(add(1.0, tiny, Rounding::TowardPositive), 1.0f32.next_up());
        assert_eq!(add(1.0, -tiny, Rounding::TowardZero), 1.0f32.next_down());
        assert_eq!(add(1.0, tiny, Rounding::TowardZero), 1.0);
        let third = Operation::Divide.rounded(1.0, 3.0, Format::F16, Rounding::TowardPositive);
        assert_eq!(third, 0.333_496_1);
        assert_eq!(Operation::Divide.rounded(1.0, 3.0, Format::F16, Rounding::TowardZero), 0.333_251_95);
    }
}
