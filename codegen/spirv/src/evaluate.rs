//! What operations make of numbers that are known: the one table, for specialization and for constant folding alike.
//!
//! Nothing is answered where SPIR-V leaves the result undefined (a division by zero, a shift by the width, a float that no
//! integer holds). [`Known::exact`] tells whether the result is beyond dispute: integers always; floats when the result needs no
//! rounding and neither it nor an operand is a denormal, an infinity or a NaN, which devices may treat in ways of their own
//! (Vulkan, "Precision and Operation of SPIR-V Instructions"). That a device may miss an exact quotient by 2.5 units in the last place
//! does not count: what it may give is around the exact one.

use rspirv::spirv::{GlslStd450Op, Op};

use crate::scalar::{Float, Scalar};

/// The value of an operation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Known {
    /// Of the result's type, with zeros above its width.
    pub bits: u64,
    /// Whether neither rounding nor what devices do with special numbers has a say in it.
    pub exact: bool,
}

fn exactly(bits: u64) -> Option<Known> {
    Some(Known { bits, exact: true })
}

/// An operand: its type and bits.
pub type Operand = (Scalar, u64);

/// An operation on scalars; on vectors it holds for each component. The result has the type `to`.
pub fn evaluate(op: Op, to: Scalar, operands: &[Operand]) -> Option<Known> {
    match *operands {
        [a] => one(op, to, a),
        [a, b] => two(op, to, a, b),
        [(_, condition), a, b] if op == Op::Select => exactly(if condition != 0 { a.1 } else { b.1 }),
        [base, offset, count] => {
            let (offset, count) = (offset.1, count.1);
            let width = u64::from(base.0.bits());
            if !matches!(op, Op::BitFieldSExtract | Op::BitFieldUExtract) || !is_integer(base.0) {
                return None;
            }
            if offset.checked_add(count).is_none_or(|end| end > width) {
                return None;
            }
            if count == 0 {
                return exactly(0);
            }
            let field = base.1 >> offset & ones(count);
            let shift = 64 - count;
            let extended = ((field << shift) as i64 >> shift) as u64;
            exactly(to.mask(if op == Op::BitFieldSExtract { extended } else { field }))
        }
        [base, insert, offset, count] if op == Op::BitFieldInsert && is_integer(base.0) => {
            let (offset, count) = (offset.1, count.1);
            if offset.checked_add(count).is_none_or(|end| end > u64::from(base.0.bits())) {
                return None;
            }
            if count == 0 {
                return exactly(base.1);
            }
            let mask = ones(count) << offset;
            exactly(to.mask(base.1 & !mask | insert.1 << offset & mask))
        }
        _ => None,
    }
}

/// So many ones, of 1 to 64.
fn ones(count: u64) -> u64 {
    u64::MAX >> (64 - count.clamp(1, 64))
}

fn is_integer(scalar: Scalar) -> bool {
    matches!(scalar, Scalar::Int { .. })
}

fn float_of(scalar: Scalar) -> Option<Float> {
    match scalar {
        Scalar::Float(float) => Some(float),
        Scalar::Bool | Scalar::Int { .. } => None,
    }
}

/// A float in a format, when it is known which number is meant; `whole` says that the number itself is exact.
fn rounded(to: Float, value: f64, whole: bool) -> Known {
    let bits = to.encode(value);
    let back = to.decode(bits);
    Known { bits, exact: whole && back == value && to.is_ordinary(bits) }
}

fn one(op: Op, to: Scalar, (from, a): Operand) -> Option<Known> {
    let integer = is_integer(from);
    match op {
        Op::UConvert if integer => exactly(to.mask(a)),
        Op::SConvert if integer => exactly(to.mask(from.sign_extend(a) as u64)),
        Op::SNegate if integer => exactly(to.mask(a.wrapping_neg())),
        Op::Not if integer => exactly(to.mask(!a)),
        Op::BitCount if integer => exactly(u64::from(a.count_ones())),
        Op::BitReverse if integer => exactly(a.reverse_bits() >> (64 - from.bits().clamp(1, 64))),
        Op::LogicalNot => exactly(u64::from(a == 0)),
        Op::Bitcast if from.bits() == to.bits() && to != Scalar::Bool => exactly(a),
        Op::CopyObject if from == to => exactly(a),
        Op::ConvertSToF | Op::ConvertUToF if integer => {
            let to = float_of(to)?;
            let signed = op == Op::ConvertSToF;
            let value = if signed { from.sign_extend(a) as f64 } else { a as f64 };
            // Whether `f64` holds the number itself.
            let whole = if signed {
                value as i128 == i128::from(from.sign_extend(a))
            } else {
                value as i128 == i128::from(a)
            };
            Some(rounded(to, value, whole))
        }
        Op::ConvertFToS | Op::ConvertFToU if is_integer(to) => {
            let from = float_of(from)?;
            let value = from.decode(a);
            if !value.is_finite() {
                return None;
            }
            let value = value.trunc();
            let limit = 2f64.powi(to.bits() as i32);
            let (least, beyond) =
                if op == Op::ConvertFToS { (-limit / 2.0, limit / 2.0) } else { (0.0, limit) };
            if value < least || value >= beyond {
                return None;
            }
            let bits = if op == Op::ConvertFToS { value as i64 as u64 } else { value as u64 };
            Some(Known { bits: to.mask(bits), exact: from.is_ordinary(a) })
        }
        Op::FConvert => {
            let (from, to) = (float_of(from)?, float_of(to)?);
            Some(rounded(to, from.decode(a), from.is_ordinary(a)))
        }
        Op::QuantizeToF16 => {
            let (from, to) = (float_of(from)?, float_of(to)?);
            let half = rounded(Float::F16, from.decode(a), from.is_ordinary(a));
            Some(rounded(to, Float::F16.decode(half.bits), half.exact))
        }
        Op::FNegate => {
            let float = float_of(from)?;
            let value = float.decode(a);
            Some(rounded(float, -value, float.is_ordinary(a)))
        }
        Op::IsNan => {
            Some(Known { bits: u64::from(float_of(from)?.decode(a).is_nan()), exact: ordinary(from, a) })
        }
        Op::IsInf => {
            Some(Known { bits: u64::from(float_of(from)?.decode(a).is_infinite()), exact: ordinary(from, a) })
        }
        _ => None,
    }
}

fn ordinary(scalar: Scalar, bits: u64) -> bool {
    float_of(scalar).is_some_and(|float| float.is_ordinary(bits))
}

fn two(op: Op, to: Scalar, (left, a): Operand, (right, b): Operand) -> Option<Known> {
    if let (Some(x), Some(y)) = (float_of(left), float_of(right)) {
        return floats(op, to, x, a, y, b);
    }
    let truth = |value: bool| exactly(u64::from(value));
    if left == Scalar::Bool || right == Scalar::Bool {
        if left != right {
            return None;
        }
        return match op {
            Op::LogicalOr => truth(a | b != 0),
            Op::LogicalAnd => truth(a & b != 0),
            Op::LogicalEqual => truth(a == b),
            Op::LogicalNotEqual => truth(a != b),
            _ => None,
        };
    }
    if !is_integer(left) || !is_integer(right) {
        return None;
    }
    let width = left.bits();
    // The amount of a shift has a type of its own; all else has one width.
    let shift = matches!(op, Op::ShiftLeftLogical | Op::ShiftRightLogical | Op::ShiftRightArithmetic);
    if !shift && right.bits() != width {
        return None;
    }
    let (x, y) = (left.sign_extend(a), right.sign_extend(b));
    let least = left.sign_extend(1 << (width - 1));
    let divides = b != 0 && !(x == least && y == -1);
    let bits = match op {
        Op::IAdd => a.wrapping_add(b),
        Op::ISub => a.wrapping_sub(b),
        Op::IMul => a.wrapping_mul(b),
        Op::UDiv => a.checked_div(b)?,
        Op::UMod => a.checked_rem(b)?,
        Op::SDiv if divides => x.wrapping_div(y) as u64,
        Op::SRem if divides => x.wrapping_rem(y) as u64,
        // The sign of OpSMod is that of the divisor.
        Op::SMod if divides => {
            let rest = x.wrapping_rem(y);
            (if rest != 0 && (rest < 0) != (y < 0) { rest.wrapping_add(y) } else { rest }) as u64
        }
        Op::ShiftLeftLogical if b < u64::from(width) => a << b,
        Op::ShiftRightLogical if b < u64::from(width) => a >> b,
        Op::ShiftRightArithmetic if b < u64::from(width) => (x >> b) as u64,
        Op::BitwiseOr => a | b,
        Op::BitwiseAnd => a & b,
        Op::BitwiseXor => a ^ b,
        Op::IEqual => return truth(a == b),
        Op::INotEqual => return truth(a != b),
        Op::UGreaterThan => return truth(a > b),
        Op::UGreaterThanEqual => return truth(a >= b),
        Op::ULessThan => return truth(a < b),
        Op::ULessThanEqual => return truth(a <= b),
        Op::SGreaterThan => return truth(x > y),
        Op::SGreaterThanEqual => return truth(x >= y),
        Op::SLessThan => return truth(x < y),
        Op::SLessThanEqual => return truth(x <= y),
        _ => return None,
    };
    exactly(to.mask(bits))
}

fn floats(op: Op, to: Scalar, left: Float, a: u64, right: Float, b: u64) -> Option<Known> {
    let (x, y) = (left.decode(a), right.decode(b));
    let ordinary = left.is_ordinary(a) && right.is_ordinary(b);
    let truth = |value: bool| Some(Known { bits: u64::from(value), exact: ordinary });
    let unordered = x.is_nan() || y.is_nan();
    match op {
        Op::FOrdEqual => return truth(x == y),
        Op::FUnordEqual => return truth(unordered || x == y),
        Op::FOrdNotEqual => return truth(!unordered && x != y),
        Op::FUnordNotEqual => return truth(unordered || x != y),
        Op::FOrdLessThan => return truth(x < y),
        Op::FUnordLessThan => return truth(unordered || x < y),
        Op::FOrdGreaterThan => return truth(x > y),
        Op::FUnordGreaterThan => return truth(unordered || x > y),
        Op::FOrdLessThanEqual => return truth(x <= y),
        Op::FUnordLessThanEqual => return truth(unordered || x <= y),
        Op::FOrdGreaterThanEqual => return truth(x >= y),
        Op::FUnordGreaterThanEqual => return truth(unordered || x >= y),
        _ => {}
    }
    let to = float_of(to)?;
    // The result in `f64`, and whether it is the number itself: what rounding took away is zero.
    let (value, whole) = match op {
        Op::FAdd => added(x, y),
        Op::FSub => added(x, -y),
        Op::FMul => {
            let product = x * y;
            // Below the normal numbers what rounding took away is no number either.
            let tiny = product.abs() < f64::MIN_POSITIVE * 2f64.powi(60) && x != 0.0 && y != 0.0;
            (product, !tiny && x.mul_add(y, -product) == 0.0)
        }
        Op::FDiv if y != 0.0 => {
            let quotient = x / y;
            let tiny = (x.abs() < f64::MIN_POSITIVE * 2f64.powi(60)
                || quotient.abs() < f64::MIN_POSITIVE * 2f64.powi(60))
                && x != 0.0;
            (quotient, !tiny && quotient.mul_add(y, -x) == 0.0)
        }
        _ => return None,
    };
    Some(rounded(to, value, whole && ordinary))
}

/// A sum, and whether nothing was lost (Knuth's two-sum).
fn added(x: f64, y: f64) -> (f64, bool) {
    let sum = x + y;
    let other = sum - x;
    let lost = (x - (sum - other)) + (y - other);
    (sum, lost == 0.0)
}

/// The instructions of GLSL.std.450 whose result is plain: signs, rounding to integers, least and greatest, highest bits.
pub fn evaluate_glsl(number: u32, to: Scalar, operands: &[Operand]) -> Option<Known> {
    let op = GlslStd450Op::from_u32(number)?;
    match (op, operands) {
        (GlslStd450Op::UMin, &[(from, a), (_, b)]) if is_integer(from) => exactly(a.min(b)),
        (GlslStd450Op::UMax, &[(from, a), (_, b)]) if is_integer(from) => exactly(a.max(b)),
        (GlslStd450Op::SMin, &[(from, a), (_, b)]) if is_integer(from) => {
            exactly(if from.sign_extend(a) <= from.sign_extend(b) { a } else { b })
        }
        (GlslStd450Op::SMax, &[(from, a), (_, b)]) if is_integer(from) => {
            exactly(if from.sign_extend(a) >= from.sign_extend(b) { a } else { b })
        }
        // The order of the limits is the shader's word; otherwise the result is undefined.
        (GlslStd450Op::UClamp, &[(from, a), (_, least), (_, most)]) if is_integer(from) && least <= most => {
            exactly(a.clamp(least, most))
        }
        (GlslStd450Op::SClamp, &[(from, a), (_, least), (_, most)]) if is_integer(from) => {
            let (x, least, most) = (from.sign_extend(a), from.sign_extend(least), from.sign_extend(most));
            if least > most { None } else { exactly(to.mask(x.clamp(least, most) as u64)) }
        }
        (GlslStd450Op::SAbs, &[(from, a)]) if is_integer(from) => {
            exactly(to.mask(from.sign_extend(a).unsigned_abs()))
        }
        (GlslStd450Op::SSign, &[(from, a)]) if is_integer(from) => {
            exactly(to.mask(from.sign_extend(a).signum() as u64))
        }
        (GlslStd450Op::FindILsb, &[(from, a)]) if from.bits() == 32 && is_integer(from) => {
            exactly(to.mask(if a == 0 { u64::MAX } else { u64::from(a.trailing_zeros()) }))
        }
        (GlslStd450Op::FindUMsb, &[(from, a)]) if from.bits() == 32 && is_integer(from) => {
            exactly(to.mask(if a == 0 { u64::MAX } else { u64::from(a.ilog2()) }))
        }
        (GlslStd450Op::FindSMsb, &[(from, a)]) if from.bits() == 32 && is_integer(from) => {
            // The highest bit that is not the sign's.
            let found = if from.sign_extend(a) < 0 { from.mask(!a) } else { a };
            exactly(to.mask(if found == 0 { u64::MAX } else { u64::from(found.ilog2()) }))
        }
        (_, &[(Scalar::Float(float), a)]) => {
            let value = float.decode(a);
            let value = match op {
                GlslStd450Op::FAbs => value.abs(),
                GlslStd450Op::Floor => value.floor(),
                GlslStd450Op::Ceil => value.ceil(),
                GlslStd450Op::Trunc => value.trunc(),
                GlslStd450Op::FSign if value == 0.0 => 0.0,
                GlslStd450Op::FSign => value.signum(),
                _ => return None,
            };
            Some(rounded(float, value, float.is_ordinary(a)))
        }
        (GlslStd450Op::FMin | GlslStd450Op::FMax, &[(Scalar::Float(float), a), (_, b)]) => {
            let (x, y) = (float.decode(a), float.decode(b));
            let first = if op == GlslStd450Op::FMin { x < y } else { x > y };
            // Of two zeros either may be the result.
            let same = a != b && x == y;
            let exact = float.is_ordinary(a) && float.is_ordinary(b) && !same;
            Some(Known { bits: if first { a } else { b }, exact })
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Scalar = Scalar::Int { bits: 32, signed: true };
    const INT8: Scalar = Scalar::Int { bits: 8, signed: true };
    const FLOAT: Scalar = Scalar::Float(Float::F32);
    const HALF: Scalar = Scalar::Float(Float::F16);
    const BFLOAT: Scalar = Scalar::Float(Float::BF16);

    fn ints(op: Op, scalar: Scalar, a: i64, b: i64) -> Option<i64> {
        let operands = [(scalar, scalar.mask(a as u64)), (scalar, scalar.mask(b as u64))];
        let known = evaluate(op, scalar, &operands)?;
        assert!(known.exact);
        Some(scalar.sign_extend(known.bits))
    }

    #[test]
    fn integers_wrap_in_their_width() {
        assert_eq!(ints(Op::IAdd, INT8, 127, 1), Some(-128));
        assert_eq!(ints(Op::IMul, INT, 1 << 30, 4), Some(0));
        assert_eq!(ints(Op::ShiftRightArithmetic, INT8, -128, 7), Some(-1));
        assert_eq!(ints(Op::ShiftRightLogical, INT8, -128, 7), Some(1));
        let long = Scalar::Int { bits: 64, signed: true };
        assert_eq!(ints(Op::IMul, long, i64::MAX, 2), Some(-2));
        assert_eq!(ints(Op::SDiv, long, i64::MIN, 2), Some(i64::MIN / 2));
    }

    #[test]
    fn remainders_take_the_sign_that_the_instruction_says() {
        assert_eq!(ints(Op::SRem, INT, -7, 4), Some(-3));
        assert_eq!(ints(Op::SMod, INT, -7, 4), Some(1));
        assert_eq!(ints(Op::SMod, INT, 7, -4), Some(-1));
    }

    #[test]
    fn what_is_undefined_has_no_value() {
        assert_eq!(ints(Op::SDiv, INT, 1, 0), None);
        assert_eq!(ints(Op::SDiv, INT, i64::from(i32::MIN), -1), None);
        assert_eq!(ints(Op::ShiftLeftLogical, INT, 1, 32), None);
        assert_eq!(evaluate(Op::ConvertFToS, INT, &[(FLOAT, u64::from(3e9f32.to_bits()))]), None);
    }

    #[test]
    fn floats_are_exact_when_nothing_is_rounded() {
        let float = |value: f32| (FLOAT, u64::from(value.to_bits()));
        let value = |op, a: f32, b: f32| {
            let known = evaluate(op, FLOAT, &[float(a), float(b)])?;
            Some((f32::from_bits(known.bits as u32), known.exact))
        };
        assert_eq!(value(Op::FAdd, 0.5, 0.25), Some((0.75, true)));
        assert_eq!(value(Op::FAdd, 1.0, 1e-10), Some((1.0, false)));
        assert_eq!(value(Op::FMul, 3.0, 0.125), Some((0.375, true)));
        assert_eq!(value(Op::FMul, 0.1, 0.1), Some((0.1 * 0.1, false)));
        assert_eq!(value(Op::FDiv, 1.0, 4.0), Some((0.25, true)));
        assert_eq!(value(Op::FDiv, 1.0, 3.0), Some((1.0 / 3.0, false)));
        assert_eq!(value(Op::FDiv, 1.0, 0.0), None);
        // A denormal may be flushed to zero.
        assert_eq!(value(Op::FMul, 1e-30, 1e-10).map(|(_, exact)| exact), Some(false));
        assert_eq!(value(Op::FAdd, f32::INFINITY, 1.0), Some((f32::INFINITY, false)));
    }

    #[test]
    fn conversions_go_through_every_format() {
        let half = |value| (HALF, Float::F16.encode(value));
        let known = evaluate(Op::FConvert, BFLOAT, &[half(1.5)]);
        assert_eq!(known, exactly(0x3fc0));
        let known = evaluate(Op::FConvert, HALF, &[(FLOAT, u64::from(0.1f32.to_bits()))]);
        assert_eq!(known, Some(Known { bits: 0x2e66, exact: false }));
        assert_eq!(evaluate(Op::ConvertSToF, HALF, &[(INT8, 0xff)]), exactly(0xbc00));
        assert_eq!(evaluate(Op::ConvertFToU, Scalar::UINT, &[half(3.75)]), exactly(3));
        assert_eq!(evaluate(Op::SConvert, INT, &[(INT8, 0x80)]), exactly(0xFFFF_FF80));
        assert_eq!(evaluate(Op::UConvert, INT, &[(INT8, 0x80)]), exactly(0x80));
    }

    #[test]
    fn fields_of_bits() {
        let uint = |value| (Scalar::UINT, value);
        let operands = [uint(0xF0), uint(4), uint(4)];
        assert_eq!(evaluate(Op::BitFieldUExtract, Scalar::UINT, &operands), exactly(0xF));
        assert_eq!(evaluate(Op::BitFieldSExtract, INT, &operands), exactly(0xFFFF_FFFF));
        let operands = [uint(0xFFFF), uint(0), uint(4), uint(8)];
        assert_eq!(evaluate(Op::BitFieldInsert, Scalar::UINT, &operands), exactly(0xF00F));
        assert_eq!(
            evaluate_glsl(GlslStd450Op::FindSMsb as u32, INT, &[(INT, 0xFFFF_FFFF)]),
            exactly(0xFFFF_FFFF)
        );
        assert_eq!(
            evaluate_glsl(GlslStd450Op::SClamp as u32, INT, &[(INT, 9), (INT, 0), (INT, 7)]),
            exactly(7)
        );
    }
}
