//! Integer arithmetic, bits and comparisons, of 8 to 64 bits. Every operation has a result: division by zero gives all ones, shifts take
//! their amount modulo the width.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use crate::ProgramError;
use crate::code::{BitField, BitFieldInstruction, Instruction, IntegerInstruction, IntegerOp};
use crate::machine::{Context, Plane, Registers};
use crate::numerics::words::{low_bits, sign_extend};
use crate::program::types::Scalar;
use crate::program::{Lowering, Value};

impl IntegerOp {
    pub(crate) fn compares(self) -> bool {
        use IntegerOp::*;
        matches!(
            self,
            Equal
                | NotEqual
                | UGreater
                | SGreater
                | UGreaterEqual
                | SGreaterEqual
                | ULess
                | SLess
                | ULessEqual
                | SLessEqual
        )
    }

    fn is_signed(self) -> bool {
        use IntegerOp::*;
        matches!(
            self,
            SDiv | SRem
                | SMod
                | ShiftRightSigned
                | SGreater
                | SGreaterEqual
                | SLess
                | SLessEqual
                | SMin
                | SMax
                | SMulHigh
                | SDistance
                | SAddSat
                | SSubSat
                | SAverage
                | SAverageUp
                | SMul16
        )
    }

    fn of(op: Opcode) -> Option<IntegerOp> {
        Some(match op {
            Opcode::SNegate => IntegerOp::Negate,
            Opcode::Not => IntegerOp::Not,
            Opcode::BitCount => IntegerOp::Count,
            Opcode::BitReverse => IntegerOp::Reverse,
            Opcode::IAdd => IntegerOp::Add,
            Opcode::ISub => IntegerOp::Sub,
            Opcode::IMul => IntegerOp::Mul,
            Opcode::UDiv => IntegerOp::UDiv,
            Opcode::SDiv => IntegerOp::SDiv,
            Opcode::UMod => IntegerOp::UMod,
            Opcode::SRem => IntegerOp::SRem,
            Opcode::SMod => IntegerOp::SMod,
            Opcode::ShiftLeftLogical => IntegerOp::ShiftLeft,
            Opcode::ShiftRightLogical => IntegerOp::ShiftRight,
            Opcode::ShiftRightArithmetic => IntegerOp::ShiftRightSigned,
            Opcode::BitwiseOr => IntegerOp::Or,
            Opcode::BitwiseXor => IntegerOp::Xor,
            Opcode::BitwiseAnd => IntegerOp::And,
            Opcode::IEqual | Opcode::PtrEqual => IntegerOp::Equal,
            Opcode::INotEqual | Opcode::PtrNotEqual => IntegerOp::NotEqual,
            Opcode::UGreaterThan => IntegerOp::UGreater,
            Opcode::SGreaterThan => IntegerOp::SGreater,
            Opcode::UGreaterThanEqual => IntegerOp::UGreaterEqual,
            Opcode::SGreaterThanEqual => IntegerOp::SGreaterEqual,
            Opcode::ULessThan => IntegerOp::ULess,
            Opcode::SLessThan => IntegerOp::SLess,
            Opcode::ULessThanEqual => IntegerOp::ULessEqual,
            Opcode::SLessThanEqual => IntegerOp::SLessEqual,
            Opcode::UCountLeadingZerosINTEL => IntegerOp::LeadingZeros,
            Opcode::UCountTrailingZerosINTEL => IntegerOp::TrailingZeros,
            Opcode::AbsUSubINTEL => IntegerOp::UDistance,
            Opcode::AbsISubINTEL => IntegerOp::SDistance,
            Opcode::UAddSatINTEL => IntegerOp::UAddSat,
            Opcode::IAddSatINTEL => IntegerOp::SAddSat,
            Opcode::USubSatINTEL => IntegerOp::USubSat,
            Opcode::ISubSatINTEL => IntegerOp::SSubSat,
            Opcode::UAverageINTEL => IntegerOp::UAverage,
            Opcode::IAverageINTEL => IntegerOp::SAverage,
            Opcode::UAverageRoundedINTEL => IntegerOp::UAverageUp,
            Opcode::IAverageRoundedINTEL => IntegerOp::SAverageUp,
            Opcode::UMul32x16INTEL => IntegerOp::UMul16,
            Opcode::IMul32x16INTEL => IntegerOp::SMul16,
            _ => return None,
        })
    }
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    if let Some(op) = IntegerOp::of(opcode(source)) {
        let a = lowering.operand(source, 0)?;
        let unary = matches!(
            op,
            IntegerOp::Negate
                | IntegerOp::Not
                | IntegerOp::Count
                | IntegerOp::Reverse
                | IntegerOp::LeadingZeros
                | IntegerOp::TrailingZeros
        );
        let mut b = if unary { a } else { lowering.operand(source, 1)? };
        let shifts = matches!(op, IntegerOp::ShiftLeft | IntegerOp::ShiftRight | IntegerOp::ShiftRightSigned);
        if shifts {
            let (scalar, _) = lowering.numbers(a.type_)?;
            b = super::conversions::resize(lowering, b, scalar.width())?;
        }
        let result = lowering.result(source)?;
        if op == IntegerOp::Count
            && lowering.numbers(result.type_)?.0.width() != lowering.numbers(a.type_)?.0.width()
        {
            return Err(ProgramError::new("OpBitCount between widths is not known"));
        }
        emit(lowering, op, result, a, b)?;
        return Ok(true);
    }
    match opcode(source) {
        Opcode::IAddCarry | Opcode::ISubBorrow | Opcode::UMulExtended | Opcode::SMulExtended => {
            let (a, b) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
            let result = lowering.result(source)?;
            let planes = lowering.types().planes(a.type_);
            if lowering.types().planes(result.type_) != planes * 2 {
                return Err(ProgramError::new("the result should be a structure of two such values"));
            }
            let (low, high) = match opcode(source) {
                Opcode::IAddCarry => (IntegerOp::Add, IntegerOp::Carry),
                Opcode::ISubBorrow => (IntegerOp::Sub, IntegerOp::Borrow),
                Opcode::UMulExtended => (IntegerOp::Mul, IntegerOp::UMulHigh),
                _ => (IntegerOp::Mul, IntegerOp::SMulHigh),
            };
            let first = Value { slot: result.slot, type_: a.type_ };
            let second = Value { slot: result.slot.offset(planes), type_: a.type_ };
            emit(lowering, low, first, a, b)?;
            emit(lowering, high, second, a, b)?;
        }
        Opcode::BitFieldInsert | Opcode::BitFieldSExtract | Opcode::BitFieldUExtract => {
            let kind = match opcode(source) {
                Opcode::BitFieldInsert => BitField::Insert,
                Opcode::BitFieldSExtract => BitField::Signed,
                _ => BitField::Unsigned,
            };
            let base = lowering.operand(source, 0)?;
            let after = usize::from(kind == BitField::Insert);
            let insert = if after == 1 { lowering.operand(source, 1)? } else { base };
            let (offset, bits) = (lowering.operand(source, 1 + after)?, lowering.operand(source, 2 + after)?);
            let offset = super::conversions::resize(lowering, offset, 32)?;
            let bits = super::conversions::resize(lowering, bits, 32)?;
            let (scalar, count) = lowering.numbers(base.type_)?;
            let result = lowering.result(source)?;
            if lowering.numbers(result.type_)?.1 != count || lowering.numbers(insert.type_)?.1 != count {
                return Err(ProgramError::new("operands of different sizes"));
            }
            lowering.emit(Instruction::BitField(Box::new(BitFieldInstruction {
                kind,
                width: scalar.width(),
                count,
                result: result.slot,
                base: base.slot,
                insert: insert.slot,
                offset: offset.slot,
                bits: bits.slot,
            })));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// Adds an operation on the components of two values.
pub(super) fn emit(
    lowering: &mut Lowering,
    op: IntegerOp,
    result: Value,
    a: Value,
    b: Value,
) -> Result<(), ProgramError> {
    // Whether they are the same can be asked of pointers to variables, too, which are no numbers otherwise.
    let same = matches!(op, IntegerOp::Equal | IntegerOp::NotEqual);
    let kind = |type_| match lowering.types().components(type_) {
        Some(kind @ (Scalar::Index, _)) if same => Ok(kind),
        _ => lowering.numbers(type_),
    };
    let (scalar, count) = kind(a.type_)?;
    let (other, other_count) = kind(b.type_)?;
    let (made, made_count) = lowering.numbers(result.type_)?;
    let fits = if op.compares() { made == Scalar::Bool } else { made.planes() == scalar.planes() };
    if count != other_count || count != made_count || scalar.width() != other.width() || !fits {
        return Err(ProgramError::new("operands of different sizes"));
    }
    let width = scalar.width();
    lowering.emit(Instruction::Integer(IntegerInstruction {
        op,
        width,
        count,
        result: result.slot,
        a: a.slot,
        b: b.slot,
    }));
    Ok(())
}

/// 32 bits that are the same in all lanes: addresses and loop counters, as a rule.
#[inline(always)]
pub(super) fn execute_once(instruction: &IntegerInstruction, registers: &mut Registers, base: Plane) -> bool {
    let &IntegerInstruction { op, width, count, result, a, b } = instruction;
    if width != 32 || count != 1 {
        return false;
    }
    let Some((a, b)) = registers.pair_once(a.plane(base), b.plane(base)) else { return false };
    let word = match op {
        IntegerOp::Add => a.wrapping_add(b),
        IntegerOp::Sub => a.wrapping_sub(b),
        IntegerOp::Mul => a.wrapping_mul(b),
        IntegerOp::And => a & b,
        IntegerOp::ShiftLeft => a.wrapping_shl(b),
        IntegerOp::ShiftRight => a.wrapping_shr(b),
        IntegerOp::ULess => u32::from(a < b),
        IntegerOp::SLess => u32::from((a as i32) < b as i32),
        _ => small(op, 32, a, b),
    };
    registers.put_once(result.plane(base), word);
    true
}

pub(super) fn execute(instruction: &IntegerInstruction, cx: &mut Context) {
    let &IntegerInstruction { op, width, count, result, a, b } = instruction;
    let (result, a, b) = (cx.plane(result), cx.plane(a), cx.plane(b));
    if width <= 32
        && count == 1
        && let Some((a, b)) = cx.registers.pair_once(a, b)
    {
        return cx.registers.put_once(result, small(op, width, a, b));
    }
    let wide = width == 64;
    let step = if wide { 2 } else { 1 };
    for index in 0..count {
        let (a, b) = (a + index * step, b + index * step);
        match width {
            32 => word(cx.registers, op, result + index, a, b),
            64 if op.compares() => cx.registers.narrow2(result + index, a, b, |a, b| double(op, a, b) as u32),
            64 => cx.registers.wide2(result + index * 2, a, b, |a, b| double(op, a, b)),
            _ => cx.registers.map2(result + index, a, b, |a, b| small(op, width, a, b)),
        }
    }
}

/// 32 bits: a loop for each operation.
fn word(registers: &mut Registers, op: IntegerOp, result: Plane, a: Plane, b: Plane) {
    macro_rules! map {
        (|$a:ident, $b:ident| $body:expr) => {
            registers.map2(result, a, b, |$a, $b| $body)
        };
    }
    match op {
        IntegerOp::Negate => registers.map1(result, a, u32::wrapping_neg),
        IntegerOp::Not => registers.map1(result, a, |a| !a),
        IntegerOp::Count => registers.map1(result, a, u32::count_ones),
        IntegerOp::Reverse => registers.map1(result, a, u32::reverse_bits),
        IntegerOp::Add => map!(|a, b| a.wrapping_add(b)),
        IntegerOp::Sub => map!(|a, b| a.wrapping_sub(b)),
        IntegerOp::Mul => map!(|a, b| a.wrapping_mul(b)),
        IntegerOp::ShiftLeft => map!(|a, b| a.wrapping_shl(b)),
        IntegerOp::ShiftRight => map!(|a, b| a.wrapping_shr(b)),
        IntegerOp::ShiftRightSigned => map!(|a, b| (a as i32).wrapping_shr(b) as u32),
        IntegerOp::Or => map!(|a, b| a | b),
        IntegerOp::Xor => map!(|a, b| a ^ b),
        IntegerOp::And => map!(|a, b| a & b),
        IntegerOp::Equal => map!(|a, b| u32::from(a == b)),
        IntegerOp::NotEqual => map!(|a, b| u32::from(a != b)),
        IntegerOp::UGreater => map!(|a, b| u32::from(a > b)),
        IntegerOp::SGreater => map!(|a, b| u32::from(a as i32 > b as i32)),
        IntegerOp::UGreaterEqual => map!(|a, b| u32::from(a >= b)),
        IntegerOp::SGreaterEqual => map!(|a, b| u32::from(a as i32 >= b as i32)),
        IntegerOp::ULess => map!(|a, b| u32::from(a < b)),
        IntegerOp::SLess => map!(|a, b| u32::from((a as i32) < b as i32)),
        IntegerOp::ULessEqual => map!(|a, b| u32::from(a <= b)),
        IntegerOp::SLessEqual => map!(|a, b| u32::from(a as i32 <= b as i32)),
        IntegerOp::UMin => map!(|a, b| a.min(b)),
        IntegerOp::SMin => map!(|a, b| (a as i32).min(b as i32) as u32),
        IntegerOp::UMax => map!(|a, b| a.max(b)),
        IntegerOp::SMax => map!(|a, b| (a as i32).max(b as i32) as u32),
        IntegerOp::UMulHigh => map!(|a, b| ((u64::from(a) * u64::from(b)) >> 32) as u32),
        IntegerOp::SMulHigh => map!(|a, b| ((i64::from(a as i32) * i64::from(b as i32)) >> 32) as u32),
        IntegerOp::Carry => map!(|a, b| u32::from(a.checked_add(b).is_none())),
        IntegerOp::Borrow => map!(|a, b| u32::from(a < b)),
        IntegerOp::UDiv => match power_of_two(registers, b) {
            Some(power) => map!(|a, _b| a >> power),
            None => map!(|a, b| a.checked_div(b).unwrap_or(u32::MAX)),
        },
        IntegerOp::UMod => match power_of_two(registers, b) {
            Some(_) => map!(|a, b| a & b.wrapping_sub(1)),
            None => map!(|a, b| a.checked_rem(b).unwrap_or(a)),
        },
        IntegerOp::SDiv
        | IntegerOp::SRem
        | IntegerOp::SMod
        | IntegerOp::LeadingZeros
        | IntegerOp::TrailingZeros
        | IntegerOp::UDistance
        | IntegerOp::SDistance
        | IntegerOp::UAddSat
        | IntegerOp::SAddSat
        | IntegerOp::USubSat
        | IntegerOp::SSubSat
        | IntegerOp::UAverage
        | IntegerOp::SAverage
        | IntegerOp::UAverageUp
        | IntegerOp::SAverageUp
        | IntegerOp::UMul16
        | IntegerOp::SMul16 => {
            map!(|a, b| small(op, 32, a, b))
        }
    }
}

/// The digits that a division by what all lanes have in common shifts out.
fn power_of_two(registers: &Registers, plane: Plane) -> Option<u32> {
    let word = registers.is_uniform(plane).then(|| registers.get(plane, 0))?;
    word.is_power_of_two().then(|| word.trailing_zeros())
}

/// Up to 32 bits, zero-extended.
pub(super) fn small(op: IntegerOp, width: u8, a: u32, b: u32) -> u32 {
    let all = low_bits(width);
    let (a, b) = match op.is_signed() {
        true => (sign_extend(a, width), sign_extend(b, width)),
        false => (a, b),
    };
    let (sa, sb) = (a as i32, b as i32);
    let amount = b & (u32::from(width) - 1);
    let value = match op {
        IntegerOp::Negate => a.wrapping_neg(),
        IntegerOp::Not => !a,
        IntegerOp::Count => a.count_ones(),
        IntegerOp::Reverse => a.reverse_bits() >> (32 - u32::from(width)),
        IntegerOp::Add => a.wrapping_add(b),
        IntegerOp::Sub => a.wrapping_sub(b),
        IntegerOp::Mul => a.wrapping_mul(b),
        IntegerOp::UDiv => a.checked_div(b).unwrap_or(u32::MAX),
        IntegerOp::SDiv => {
            if sb == 0 {
                u32::MAX
            } else {
                sa.wrapping_div(sb) as u32
            }
        }
        IntegerOp::UMod => a.checked_rem(b).unwrap_or(a),
        IntegerOp::SRem => {
            if sb == 0 {
                a
            } else {
                sa.wrapping_rem(sb) as u32
            }
        }
        IntegerOp::SMod => match sb {
            0 => a,
            _ => {
                let rest = sa.wrapping_rem(sb);
                if rest != 0 && (rest < 0) != (sb < 0) { rest.wrapping_add(sb) as u32 } else { rest as u32 }
            }
        },
        IntegerOp::ShiftLeft => a << amount,
        IntegerOp::ShiftRight => a >> amount,
        IntegerOp::ShiftRightSigned => (sa >> amount) as u32,
        IntegerOp::Or => a | b,
        IntegerOp::Xor => a ^ b,
        IntegerOp::And => a & b,
        IntegerOp::Equal => u32::from(a == b),
        IntegerOp::NotEqual => u32::from(a != b),
        IntegerOp::UGreater => u32::from(a > b),
        IntegerOp::SGreater => u32::from(sa > sb),
        IntegerOp::UGreaterEqual => u32::from(a >= b),
        IntegerOp::SGreaterEqual => u32::from(sa >= sb),
        IntegerOp::ULess => u32::from(a < b),
        IntegerOp::SLess => u32::from(sa < sb),
        IntegerOp::ULessEqual => u32::from(a <= b),
        IntegerOp::SLessEqual => u32::from(sa <= sb),
        IntegerOp::UMin => a.min(b),
        IntegerOp::SMin => sa.min(sb) as u32,
        IntegerOp::UMax => a.max(b),
        IntegerOp::SMax => sa.max(sb) as u32,
        IntegerOp::UMulHigh => ((u64::from(a) * u64::from(b)) >> width) as u32,
        IntegerOp::SMulHigh => ((i64::from(sa) * i64::from(sb)) >> width) as u32,
        IntegerOp::Carry => u32::from(u64::from(a) + u64::from(b) > u64::from(all)),
        IntegerOp::Borrow => u32::from(a < b),
        IntegerOp::LeadingZeros => a.leading_zeros() - (32 - u32::from(width)),
        IntegerOp::TrailingZeros => a.trailing_zeros().min(width.into()),
        IntegerOp::UDistance
        | IntegerOp::SDistance
        | IntegerOp::UAddSat
        | IntegerOp::SAddSat
        | IntegerOp::USubSat
        | IntegerOp::SSubSat
        | IntegerOp::UAverage
        | IntegerOp::SAverage
        | IntegerOp::UAverageUp
        | IntegerOp::SAverageUp
        | IntegerOp::UMul16
        | IntegerOp::SMul16 => match op.is_signed() {
            true => exact(op, width, sa.into(), sb.into()) as u32,
            false => exact(op, width, a.into(), b.into()) as u32,
        },
    };
    value & all
}

/// 64 bits.
pub(super) fn double(op: IntegerOp, a: u64, b: u64) -> u64 {
    let (sa, sb) = (a as i64, b as i64);
    match op {
        IntegerOp::Negate => a.wrapping_neg(),
        IntegerOp::Not => !a,
        IntegerOp::Count => u64::from(a.count_ones()),
        IntegerOp::Reverse => a.reverse_bits(),
        IntegerOp::Add => a.wrapping_add(b),
        IntegerOp::Sub => a.wrapping_sub(b),
        IntegerOp::Mul => a.wrapping_mul(b),
        IntegerOp::UDiv => a.checked_div(b).unwrap_or(u64::MAX),
        IntegerOp::SDiv => {
            if sb == 0 {
                u64::MAX
            } else {
                sa.wrapping_div(sb) as u64
            }
        }
        IntegerOp::UMod => a.checked_rem(b).unwrap_or(a),
        IntegerOp::SRem => {
            if sb == 0 {
                a
            } else {
                sa.wrapping_rem(sb) as u64
            }
        }
        IntegerOp::SMod => match sb {
            0 => a,
            _ => {
                let rest = sa.wrapping_rem(sb);
                if rest != 0 && (rest < 0) != (sb < 0) { rest.wrapping_add(sb) as u64 } else { rest as u64 }
            }
        },
        IntegerOp::ShiftLeft => a << (b & 63),
        IntegerOp::ShiftRight => a >> (b & 63),
        IntegerOp::ShiftRightSigned => (sa >> (b & 63)) as u64,
        IntegerOp::Or => a | b,
        IntegerOp::Xor => a ^ b,
        IntegerOp::And => a & b,
        IntegerOp::Equal => u64::from(a == b),
        IntegerOp::NotEqual => u64::from(a != b),
        IntegerOp::UGreater => u64::from(a > b),
        IntegerOp::SGreater => u64::from(sa > sb),
        IntegerOp::UGreaterEqual => u64::from(a >= b),
        IntegerOp::SGreaterEqual => u64::from(sa >= sb),
        IntegerOp::ULess => u64::from(a < b),
        IntegerOp::SLess => u64::from(sa < sb),
        IntegerOp::ULessEqual => u64::from(a <= b),
        IntegerOp::SLessEqual => u64::from(sa <= sb),
        IntegerOp::UMin => a.min(b),
        IntegerOp::SMin => sa.min(sb) as u64,
        IntegerOp::UMax => a.max(b),
        IntegerOp::SMax => sa.max(sb) as u64,
        IntegerOp::UMulHigh => ((u128::from(a) * u128::from(b)) >> 64) as u64,
        IntegerOp::SMulHigh => ((i128::from(sa) * i128::from(sb)) >> 64) as u64,
        IntegerOp::Carry => u64::from(a.checked_add(b).is_none()),
        IntegerOp::Borrow => u64::from(a < b),
        IntegerOp::LeadingZeros => a.leading_zeros().into(),
        IntegerOp::TrailingZeros => a.trailing_zeros().into(),
        IntegerOp::UDistance
        | IntegerOp::SDistance
        | IntegerOp::UAddSat
        | IntegerOp::SAddSat
        | IntegerOp::USubSat
        | IntegerOp::SSubSat
        | IntegerOp::UAverage
        | IntegerOp::SAverage
        | IntegerOp::UAverageUp
        | IntegerOp::SAverageUp
        | IntegerOp::UMul16
        | IntegerOp::SMul16 => match op.is_signed() {
            true => exact(op, 64, sa.into(), sb.into()) as u64,
            false => exact(op, 64, a.into(), b.into()) as u64,
        },
    }
}

/// Operations whose sums and differences do not overflow, on numbers as they are; of others there is nothing to say. The low bits of what comes
/// back are the result.
fn exact(op: IntegerOp, width: u8, a: i128, b: i128) -> i128 {
    let least = if op.is_signed() { -(1i128 << (width - 1)) } else { 0 };
    let most = least + (1i128 << width) - 1;
    match op {
        IntegerOp::UDistance | IntegerOp::SDistance => (a - b).abs(),
        IntegerOp::UAddSat | IntegerOp::SAddSat => (a + b).clamp(least, most),
        IntegerOp::USubSat | IntegerOp::SSubSat => (a - b).clamp(least, most),
        IntegerOp::UAverage | IntegerOp::SAverage => (a + b) >> 1,
        IntegerOp::UAverageUp | IntegerOp::SAverageUp => (a + b + 1) >> 1,
        IntegerOp::UMul16 => a * (b & 0xffff),
        IntegerOp::SMul16 => a * i128::from(b as i16),
        _ => 0,
    }
}

pub(super) fn execute_bit_field(instruction: &BitFieldInstruction, cx: &mut Context) {
    let &BitFieldInstruction { kind, width, count, result, base, insert, offset, bits } = instruction;
    let [result, base, insert, offset, bits] =
        [result, base, insert, offset, bits].map(|slot| cx.plane(slot));
    let wide = width == 64;
    let step = if wide { 2 } else { 1 };
    let limit = u32::from(width);
    let field = move |base: u64, insert: u64, offset: u32, bits: u32| -> u64 {
        let (offset, bits) = (offset.min(limit), bits.min(limit));
        let mask = if bits >= 64 { u64::MAX } else { (1 << bits) - 1 };
        let shifted = |value: u64| if offset >= 64 { 0 } else { value << offset };
        match kind {
            BitField::Insert => base & !shifted(mask) | shifted(insert & mask),
            BitField::Unsigned => {
                if offset >= 64 {
                    0
                } else {
                    base >> offset & mask
                }
            }
            BitField::Signed => {
                let value = if offset >= 64 { 0 } else { base >> offset & mask };
                let unused = 64 - bits;
                if bits == 0 { 0 } else { ((value << unused) as i64 >> unused) as u64 }
            }
        }
    };
    for index in 0..count {
        let (base, insert, result) = (base + index * step, insert + index * step, result + index * step);
        let operands = [base, base + step - 1, insert, insert + step - 1, offset, bits];
        if wide {
            cx.registers.lanewise(result, &operands, |r, lane| {
                let (offset, bits) = (r.get(offset, lane), r.get(bits, lane));
                crate::machine::halves(field(r.get_wide(base, lane), r.get_wide(insert, lane), offset, bits))
            });
        } else {
            cx.registers.lanewise(result, &operands, |r, lane| {
                let (offset, bits) = (r.get(offset, lane), r.get(bits, lane));
                let value = field(u64::from(r.get(base, lane)), u64::from(r.get(insert, lane)), offset, bits);
                [value as u32 & low_bits(width)]
            });
        }
    }
}
