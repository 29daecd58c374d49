//! Sums of products that are exact until the end: one rounding, of the true result.
//!
//! A sum of products of two `f32` needs more digits than an `f64` has, however they are ordered. The sum is kept as one long
//! fixed-point number that holds every bit that a product can have.

use super::format::{Format, Overflow, Parts, Rounding};

/// A sum with `LIMBS * 64` bits, the lowest of which is worth 2^`LOWEST`.
#[derive(Clone)]
pub struct ExactSum<const LIMBS: usize, const LOWEST: i32> {
    /// Two's complement, the lowest limb first.
    limbs: [u64; LIMBS],
    nan: bool,
    infinite: [bool; 2],
    /// No term but zeros, and all of them negative.
    negative_zero: bool,
    any: bool,
}

/// For products of two `f32`: from 2^-298 to 2^256, and sums of 2^80 of them.
pub type SumF32 = ExactSum<10, -298>;
/// For products of two `f64`: from 2^-2148 to 2^2048.
pub type SumF64 = ExactSum<68, -2148>;

impl<const LIMBS: usize, const LOWEST: i32> Default for ExactSum<LIMBS, LOWEST> {
    fn default() -> Self {
        ExactSum { limbs: [0; LIMBS], nan: false, infinite: [false; 2], negative_zero: true, any: false }
    }
}

impl<const LIMBS: usize, const LOWEST: i32> ExactSum<LIMBS, LOWEST> {
    pub fn add(&mut self, value: f64) {
        if self.special(value) {
            return;
        }
        let (negative, significand, exponent) = split(value);
        self.add_parts(negative, u128::from(significand), exponent);
    }

    pub fn add_product(&mut self, a: f64, b: f64) {
        if !a.is_finite() || !b.is_finite() {
            // What IEEE 754 makes of it: NaN or an infinity.
            self.special(a * b);
            return;
        }
        let (negative_a, significand_a, exponent_a) = split(a);
        let (negative_b, significand_b, exponent_b) = split(b);
        let significand = u128::from(significand_a) * u128::from(significand_b);
        self.add_parts(negative_a != negative_b, significand, exponent_a + exponent_b);
    }

    fn special(&mut self, value: f64) -> bool {
        self.any |= !value.is_finite();
        if value.is_nan() {
            self.nan = true;
        } else if value.is_infinite() {
            self.infinite[usize::from(value < 0.0)] = true;
        } else {
            return false;
        }
        true
    }

    fn add_parts(&mut self, negative: bool, significand: u128, exponent: i32) {
        self.any = true;
        self.negative_zero &= negative && significand == 0;
        if significand == 0 {
            return;
        }
        // Every number given has a last digit that is not below LOWEST.
        let position = (exponent - LOWEST).max(0) as usize;
        let (limb, shift) = (position / 64, position % 64);
        let low = (significand as u64) << shift;
        let middle = (significand >> (64 - shift).min(127)) as u64;
        let middle = if shift == 0 { (significand >> 64) as u64 } else { middle };
        let high = if shift == 0 { 0 } else { (significand >> 64 >> (64 - shift)) as u64 };
        let mut carry = false;
        for (index, limb) in self.limbs.iter_mut().enumerate().skip(limb) {
            let term = match index - position / 64 {
                0 => low,
                1 => middle,
                2 => high,
                _ if !carry => break,
                _ => 0,
            };
            (*limb, carry) = if negative { subtract(*limb, term, carry) } else { add(*limb, term, carry) };
        }
    }

    /// On which side of zero the sum is, where all terms are finite.
    pub fn sign(&self) -> std::cmp::Ordering {
        match (self.limbs[LIMBS - 1] >> 63 != 0, self.limbs.iter().all(|limb| *limb == 0)) {
            (true, _) => std::cmp::Ordering::Less,
            (false, true) => std::cmp::Ordering::Equal,
            (false, false) => std::cmp::Ordering::Greater,
        }
    }

    /// The sum, rounded once; zero is negative only where every term was.
    pub fn round(&self, format: Format, rounding: Rounding) -> u64 {
        if self.nan || self.infinite == [true, true] {
            return format.nan_bits();
        }
        if self.infinite[0] || self.infinite[1] {
            let value = if self.infinite[0] { f64::INFINITY } else { f64::NEG_INFINITY };
            return format.from_f64(value, rounding, Overflow::Special);
        }
        let negative = self.limbs[LIMBS - 1] >> 63 != 0;
        let mut limbs = self.limbs;
        if negative {
            let mut carry = true;
            for limb in &mut limbs {
                (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
            }
        }
        let Some(top) = limbs.iter().rposition(|limb| *limb != 0) else {
            let zero = if self.any && self.negative_zero { -0.0 } else { 0.0 };
            return format.from_f64(zero, rounding, Overflow::Special);
        };
        let zeros = limbs[top].leading_zeros();
        let below = if top == 0 { 0 } else { limbs[top - 1] };
        let significand = if zeros == 0 { limbs[top] } else { limbs[top] << zeros | below >> (64 - zeros) };
        let mut sticky = limbs.iter().take(top.saturating_sub(1)).any(|limb| *limb != 0);
        sticky |= below << zeros != 0;
        let exponent = LOWEST + top as i32 * 64 - zeros as i32;
        format.round(Parts { negative, significand, exponent, sticky }, rounding, Overflow::Special)
    }
}

fn add(limb: u64, term: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = limb.overflowing_add(term);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first || second)
}

fn subtract(limb: u64, term: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = limb.overflowing_sub(term);
    let (difference, second) = difference.overflowing_sub(u64::from(borrow));
    (difference, first || second)
}

/// Sign, significand, and the exponent of its last digit.
pub(crate) fn split(value: f64) -> (bool, u64, i32) {
    let bits = value.to_bits();
    let fraction = bits & ((1 << 52) - 1);
    match (bits >> 52) & 0x7ff {
        0 => (bits >> 63 != 0, fraction, -1074),
        biased => {
            let significand = fraction | 1 << 52;
            // Without trailing zeros the last digit of an f32 is not below 2^-149.
            let zeros = significand.trailing_zeros();
            (bits >> 63 != 0, significand >> zeros, biased as i32 - 1075 + zeros as i32)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(products: &[(f64, f64)], last: f64) -> f64 {
        let mut sum = SumF32::default();
        for (a, b) in products {
            sum.add_product(*a, *b);
        }
        sum.add(last);
        let wide = {
            let mut sum = SumF64::default();
            for (a, b) in products {
                sum.add_product(*a, *b);
            }
            sum.add(last);
            sum.round(Format::F64, Rounding::NearestEven)
        };
        assert_eq!(wide, sum.round(Format::F64, Rounding::NearestEven));
        f64::from_bits(wide)
    }

    /// What an f64 loses: a large term that another one takes away again.
    #[test]
    fn nothing_is_lost() {
        let huge = f64::from(f32::MAX);
        let tiny = f64::from(f32::from_bits(1));
        assert_eq!(sum(&[(huge, huge), (tiny, 1.0), (-huge, huge)], 0.0), tiny);
        assert_eq!(sum(&[(huge, huge), (tiny, tiny), (-huge, huge)], 0.0), 2f64.powi(-298));
        assert_eq!(sum(&[(huge, huge); 3], -huge), 3.0 * huge * huge - huge);
        assert_eq!(sum(&[(1.0, 1.0), (-1.0, 1.0)], 0.0), 0.0);
        assert_eq!(sum(&[(-3.0, 0.5)], 1.0), -0.5);
    }

    #[test]
    fn one_rounding() {
        let mut sum = SumF32::default();
        sum.add(1.0);
        sum.add_product(2f64.powi(-24), 1.0);
        assert_eq!(sum.round(Format::F32, Rounding::NearestEven), u64::from(1f32.to_bits()));
        // The tie is broken by a bit far below.
        sum.add_product(2f64.powi(-149), 2f64.powi(-149));
        assert_eq!(sum.round(Format::F32, Rounding::NearestEven), u64::from(1f32.to_bits() + 1));
        assert_eq!(sum.round(Format::F32, Rounding::TowardZero), u64::from(1f32.to_bits()));
    }

    #[test]
    fn specials_follow_ieee() {
        let inf = f64::INFINITY;
        assert!(sum(&[(inf, 0.0)], 1.0).is_nan());
        assert!(sum(&[(inf, 1.0)], -inf).is_nan());
        assert_eq!(sum(&[(inf, -2.0)], 7.0), -inf);
        assert_eq!(sum(&[(0.0, -1.0)], -0.0).to_bits(), (-0f64).to_bits());
        assert_eq!(sum(&[(0.0, -1.0)], 0.0).to_bits(), 0);
    }

    #[test]
    fn agrees_with_integers() {
        let mut state = 3u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as i64 - (1 << 23)
        };
        for _ in 0..500 {
            let mut sum = SumF32::default();
            let mut expected = 0i128;
            for _ in 0..40 {
                let (a, b, scale) = (next(), next(), next().rem_euclid(40));
                sum.add_product(a as f64, (b as f64) * 2f64.powi(scale as i32));
                expected += i128::from(a * b) << scale;
            }
            let rounded = f64::from_bits(sum.round(Format::F64, Rounding::NearestEven));
            assert_eq!(rounded, expected as f64);
        }
    }
}
