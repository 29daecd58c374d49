//! Integers and truth values, computed as the instructions on them do.

use rspirv::spirv::Op;

/// The low `width` bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub bits: u64,
    pub width: u32,
}

impl Value {
    pub fn new(bits: u64, width: u32) -> Value {
        let width = width.clamp(1, 64);
        Value { bits: if width == 64 { bits } else { bits & ((1 << width) - 1) }, width }
    }

    pub fn signed(self) -> i64 {
        let unused = 64 - self.width;
        ((self.bits << unused) as i64) >> unused
    }
}

/// The result of an instruction on scalars; nothing for what is not an integer's or a truth value's, and for what is undefined.
pub(super) fn compute(op: Op, operands: &[Value], width: u32) -> Option<Value> {
    let at = |place: usize| operands.get(place).copied();
    let a = at(0)?;
    let unsigned = |bits: u64| Some(Value::new(bits, width));
    let signed = |value: i64| Some(Value::new(value as u64, width));
    let truth = |value: bool| Some(Value::new(u64::from(value), 1));
    match op {
        Op::CopyObject | Op::Bitcast | Op::UConvert => return unsigned(a.bits),
        Op::SConvert => return signed(a.signed()),
        Op::SNegate => return signed(a.signed().wrapping_neg()),
        Op::Not => return unsigned(!a.bits),
        Op::LogicalNot => return truth(a.bits == 0),
        Op::Select => {
            let (yes, no) = (at(1)?, at(2)?);
            return unsigned(if a.bits != 0 { yes.bits } else { no.bits });
        }
        _ => {}
    }
    let b = at(1)?;
    match op {
        Op::IAdd => unsigned(a.bits.wrapping_add(b.bits)),
        Op::ISub => unsigned(a.bits.wrapping_sub(b.bits)),
        Op::IMul => unsigned(a.bits.wrapping_mul(b.bits)),
        Op::UDiv => unsigned(a.bits.checked_div(b.bits)?),
        Op::UMod => unsigned(a.bits.checked_rem(b.bits)?),
        Op::SDiv => signed(a.signed().checked_div(b.signed())?),
        Op::SRem => signed(a.signed().checked_rem(b.signed())?),
        Op::SMod => {
            let (a, b) = (a.signed(), b.signed());
            let rest = a.checked_rem(b)?;
            signed(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest })
        }
        Op::ShiftLeftLogical => unsigned(a.bits.checked_shl(b.bits as u32)?),
        Op::ShiftRightLogical => unsigned(a.bits.checked_shr(b.bits as u32)?),
        Op::ShiftRightArithmetic => signed(a.signed().checked_shr(b.bits as u32)?),
        Op::BitwiseAnd => unsigned(a.bits & b.bits),
        Op::BitwiseOr => unsigned(a.bits | b.bits),
        Op::BitwiseXor => unsigned(a.bits ^ b.bits),
        Op::LogicalAnd => truth(a.bits != 0 && b.bits != 0),
        Op::LogicalOr => truth(a.bits != 0 || b.bits != 0),
        Op::LogicalEqual => truth(a.bits == b.bits),
        Op::LogicalNotEqual => truth(a.bits != b.bits),
        Op::IEqual => truth(a.bits == b.bits),
        Op::INotEqual => truth(a.bits != b.bits),
        Op::ULessThan => truth(a.bits < b.bits),
        Op::ULessThanEqual => truth(a.bits <= b.bits),
        Op::UGreaterThan => truth(a.bits > b.bits),
        Op::UGreaterThanEqual => truth(a.bits >= b.bits),
        Op::SLessThan => truth(a.signed() < b.signed()),
        Op::SLessThanEqual => truth(a.signed() <= b.signed()),
        Op::SGreaterThan => truth(a.signed() > b.signed()),
        Op::SGreaterThanEqual => truth(a.signed() >= b.signed()),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_and_signs_count() {
        let value = |bits| Value::new(bits, 32);
        assert_eq!(compute(Op::ISub, &[value(0), value(1)], 32), Some(value(u32::MAX.into())));
        assert_eq!(compute(Op::SLessThan, &[value(u32::MAX.into()), value(0)], 1), Some(Value::new(1, 1)));
        assert_eq!(compute(Op::ULessThan, &[value(u32::MAX.into()), value(0)], 1), Some(Value::new(0, 1)));
        assert_eq!(compute(Op::UDiv, &[value(1), value(0)], 32), None);
        assert_eq!(compute(Op::FAdd, &[value(1), value(0)], 32), None);
    }
}
