//! Operations on known numbers, computed in the width and signedness of their types.

use super::{BinaryOp, Const};
use crate::types::Scalar;

/// The value of an integer as its type holds it.
pub fn wrap_integer(value: i128, scalar: Scalar) -> i128 {
    use Scalar::*;
    match scalar {
        Int8 => i128::from(value as i8),
        Int16 => i128::from(value as i16),
        Int32 => i128::from(value as i32),
        Int64 => i128::from(value as i64),
        Uint8 => i128::from(value as u8),
        Uint16 => i128::from(value as u16),
        Uint32 => i128::from(value as u32),
        Uint64 => i128::from(value as u64),
        _ => value,
    }
}

/// A floating-point value rounded to what its type holds, to the nearest, ties to even.
pub fn round_float(value: f64, scalar: Scalar) -> f64 {
    // Bits of the fraction, least exponent of a normal number, largest finite value, whether larger values become infinite.
    let (fraction, least, largest, infinite) = match scalar {
        Scalar::Float64 => return value,
        Scalar::Float32 => return f64::from(value as f32),
        Scalar::Float16 => (10, -14, 65504.0, true),
        Scalar::BFloat16 => (7, -126, f64::from(f32::from_bits(0x7f7f_0000)), true),
        Scalar::FloatE5M2 => (2, -14, 57344.0, true),
        Scalar::FloatE4M3 => (3, -6, 448.0, false),
        Scalar::FloatE2M1 => (1, 0, 6.0, false),
        Scalar::FloatE3M2 => (2, -2, 28.0, false),
        Scalar::FloatE2M3 => (3, 0, 7.5, false),
        Scalar::FloatUE8M0 => (0, -127, 2f64.powi(127), false),
        // Steps of one 64th, from -2 to the step below 2.
        Scalar::FloatMxInt8 => {
            let steps = (value * 64.0).round_ties_even().clamp(-128.0, 127.0);
            return if value.is_nan() { 0.0 } else { steps / 64.0 };
        }
        _ => return value,
    };
    if !value.is_finite() || value == 0.0 {
        return value;
    }
    let exponent = ((value.to_bits() >> 52) & 0x7ff) as i32 - 1023;
    let unit = power_of_two(exponent.max(least) - fraction);
    let rounded = (value / unit).round_ties_even() * unit;
    if rounded.abs() > largest {
        let limit = if infinite { f64::INFINITY } else { largest };
        return limit.copysign(value);
    }
    rounded
}

fn power_of_two(exponent: i32) -> f64 {
    f64::from_bits(((exponent + 1023).clamp(1, 2046) as u64) << 52)
}

/// An operation on two integers of a type; opaque where it has no result.
pub fn integers(op: BinaryOp, scalar: Scalar, a: i128, b: i128) -> Const {
    use BinaryOp::*;
    let unknown = Const::Opaque { specialization: false };
    let value = match op {
        Add => a + b,
        Sub => a - b,
        // The product of two 64-bit values fits.
        Mul => a.wrapping_mul(b),
        Div => match a.checked_div(b) {
            Some(value) => value,
            None => return unknown,
        },
        Rem => match a.checked_rem(b) {
            Some(value) => value,
            None => return unknown,
        },
        Shl | Shr => match u32::try_from(b) {
            Ok(by) if by < scalar.bits() => {
                if op == Shl {
                    a << by
                } else {
                    a >> by
                }
            }
            _ => return unknown,
        },
        BitAnd => a & b,
        BitOr => a | b,
        BitXor => a ^ b,
        Less => return Const::Bool(a < b),
        LessEqual => return Const::Bool(a <= b),
        Greater => return Const::Bool(a > b),
        GreaterEqual => return Const::Bool(a >= b),
        Equal => return Const::Bool(a == b),
        NotEqual => return Const::Bool(a != b),
        LogicalAnd | LogicalOr | LogicalXor => return unknown,
    };
    Const::Int(wrap_integer(value, scalar))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_wrap_in_their_width() {
        assert_eq!(integers(BinaryOp::Add, Scalar::Uint8, 255, 1), Const::Int(0));
        assert_eq!(integers(BinaryOp::Mul, Scalar::Int32, 1 << 30, 4), Const::Int(0));
        assert_eq!(integers(BinaryOp::Shl, Scalar::Int16, 1, 15), Const::Int(-32768));
        assert_eq!(integers(BinaryOp::Shr, Scalar::Int8, -128, 1), Const::Int(-64));
        assert_eq!(integers(BinaryOp::Sub, Scalar::Uint64, 0, 1), Const::Int(i128::from(u64::MAX)));
        assert_eq!(integers(BinaryOp::Div, Scalar::Int32, 1, 0), Const::Opaque { specialization: false });
    }

    #[test]
    fn small_floats_round_to_the_nearest_value_they_hold() {
        assert_eq!(round_float(1.0 / 3.0, Scalar::Float16), 0.333_251_953_125);
        assert_eq!(round_float(70000.0, Scalar::Float16), f64::INFINITY);
        assert_eq!(round_float(1.0 + 1.0 / 256.0, Scalar::BFloat16), 1.0);
        assert_eq!(round_float(500.0, Scalar::FloatE4M3), 448.0);
        assert_eq!(round_float(0.3, Scalar::FloatE2M1), 0.5);
        assert_eq!(round_float(-2.9, Scalar::FloatE2M1), -3.0);
        // The least subnormal of binary16 is 2^-24.
        assert_eq!(round_float(2f64.powi(-24), Scalar::Float16), 2f64.powi(-24));
        assert_eq!(round_float(2f64.powi(-26), Scalar::Float16), 0.0);
    }
}
