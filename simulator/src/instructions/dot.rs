//! Integer dot products (SPV_KHR_integer_dot_product), and mixed ones of small floats (SPV_VALVE_mixed_float_dot_product).

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use crate::ProgramError;
use crate::code::{DotInstruction, Instruction, IntegerDot};
use crate::machine::{Context, Plane, Registers, halves};
use crate::numerics::words::low_bits;
use crate::numerics::{Format, Overflow, Rounding};
use crate::program::Lowering;
use crate::program::types::Scalar;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    let (signed, saturates) = match opcode(source) {
        Opcode::SDot => ((true, true), false),
        Opcode::UDot => ((false, false), false),
        Opcode::SUDot => ((true, false), false),
        Opcode::SDotAccSat => ((true, true), true),
        Opcode::UDotAccSat => ((false, false), true),
        Opcode::SUDotAccSat => ((true, false), true),
        _ => return lower_float(lowering, source),
    };
    let (a, b) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
    let sum = if saturates { Some(lowering.operand(source, 2)?) } else { None };
    let result = lowering.result(source)?;
    let (scalar, count) = lowering.numbers(a.type_)?;
    let (other, other_count) = lowering.numbers(b.type_)?;
    let (made, made_count) = lowering.numbers(result.type_)?;
    let same = count == other_count && scalar.width() == other.width() && made_count == 1;
    let sum_fits = match sum {
        Some(sum) => lowering.types().planes(sum.type_) == made.planes(),
        None => true,
    };
    let integers = [scalar, other, made].iter().all(|scalar| matches!(scalar, Scalar::Integer { .. }));
    let packed = count == 1;
    if !same || !sum_fits || !integers || packed && scalar.width() != 32 {
        return Err(ProgramError::new("a dot product of operands that do not fit"));
    }
    let (width, count) = if packed { (8, 4) } else { (scalar.width(), count) };
    lowering.emit(Instruction::Dot(Box::new(DotInstruction::Integer(IntegerDot {
        width,
        count,
        packed,
        signed,
        made: made.width(),
        result_signed: signed.0,
        result: result.slot,
        a: a.slot,
        b: b.slot,
        sum: sum.map(|value| value.slot),
    }))));
    Ok(true)
}

fn lower_float(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    let (Opcode::FDot2MixAcc32VALVE | Opcode::FDot2MixAcc16VALVE | Opcode::FDot4MixAcc32VALVE) =
        opcode(source)
    else {
        return Ok(false);
    };
    let (a, b, sum) =
        (lowering.operand(source, 0)?, lowering.operand(source, 1)?, lowering.operand(source, 2)?);
    let result = lowering.result(source)?;
    let (format, count) = super::float::floats(lowering, a)?;
    let (accumulator, one) = super::float::floats(lowering, result)?;
    let fits = super::float::floats(lowering, b)? == (format, count)
        && super::float::floats(lowering, sum)? == (accumulator, one)
        && one == 1
        && format != Format::F64
        && accumulator != Format::F64;
    if !fits {
        return Err(ProgramError::new("a dot product of operands that do not fit"));
    }
    let (result, a, b, sum) = (result.slot, a.slot, b.slot, sum.slot);
    let dot = DotInstruction::Float { format, count, accumulator, result, a, b, sum };
    lowering.emit(Instruction::Dot(Box::new(dot)));
    Ok(true)
}

pub(super) fn execute(instruction: &DotInstruction, cx: &mut Context) {
    match instruction {
        DotInstruction::Integer(dot) => execute_integer(dot, cx),
        &DotInstruction::Float { format, count, accumulator, result, a, b, sum } => {
            let [result, a, b, sum] = [result, a, b, sum].map(|slot| cx.plane(slot));
            let mut operands: smallvec::SmallVec<[u32; 16]> = (a..a + count).chain(b..b + count).collect();
            operands.push(sum);
            cx.registers.lanewise(result, &operands, |r, lane| {
                let number = |format: Format, plane: u32| format.to_f64(u64::from(r.get(plane, lane)));
                let products = (0..count).map(|i| number(format, a + i) * number(format, b + i));
                let total = products.fold(number(accumulator, sum), |total, product| total + product);
                [accumulator.from_f64(total, Rounding::NearestEven, Overflow::Special) as u32]
            });
        }
    }
}

/// Four products of bytes, which no 32-bit result overflows: what quantised matrices are multiplied with.
fn packed_bytes(
    registers: &mut Registers,
    signed: (bool, bool),
    result: Plane,
    [a, b]: [Plane; 2],
    sum: Option<Plane>,
) {
    let byte = |word: u32, index: u32, signed: bool| match signed {
        true => i32::from((word >> (index * 8)) as i8),
        false => i32::from((word >> (index * 8)) as u8),
    };
    let products = |a: u32, b: u32| -> i32 {
        (0..4).map(|index| byte(a, index, signed.0) * byte(b, index, signed.1)).sum()
    };
    match sum {
        None => registers.map2(result, a, b, |a, b| products(a, b) as u32),
        Some(sum) if signed.0 || signed.1 => registers
            .map3(result, [a, b, sum], |a, b, sum| (sum as i32).saturating_add(products(a, b)) as u32),
        Some(sum) => {
            registers.map3(result, [a, b, sum], |a, b, sum| sum.saturating_add(products(a, b) as u32))
        }
    }
}

fn execute_integer(dot: &IntegerDot, cx: &mut Context) {
    let &IntegerDot { width, count, packed, signed, made, result_signed, .. } = dot;
    let (result, a, b) = (cx.plane(dot.result), cx.plane(dot.a), cx.plane(dot.b));
    let sum = dot.sum.map(|slot| cx.plane(slot));
    if packed && made == 32 && result_signed == (signed.0 || signed.1) {
        return packed_bytes(cx.registers, signed, result, [a, b], sum);
    }
    let planes = match (packed, width) {
        (true, _) => 1,
        (false, 64) => count * 2,
        (false, _) => count,
    };
    let mut operands: smallvec::SmallVec<[u32; 16]> = (a..a + planes).chain(b..b + planes).collect();
    let made_planes = if made == 64 { 2 } else { 1 };
    operands.extend(sum.into_iter().flat_map(|sum| sum..sum + made_planes));
    let integer = |bits: u64, width: u8, signed: bool| -> i128 {
        let unused = 64 - u32::from(width);
        if signed {
            i128::from((bits << unused) as i64 >> unused)
        } else {
            i128::from(bits << unused >> unused)
        }
    };
    let value = |r: &crate::machine::Registers, lane: usize| -> u64 {
        let component = |first: u32, index: u32, signed: bool| {
            let bits = match (packed, width) {
                (true, _) => u64::from(r.get(first, lane) >> (index * 8) & 0xff),
                (false, 64) => r.get_wide(first + index * 2, lane),
                (false, _) => u64::from(r.get(first + index, lane)),
            };
            integer(bits, width, signed)
        };
        let products = (0..count).map(|i| component(a, i, signed.0).wrapping_mul(component(b, i, signed.1)));
        let total = products.fold(0i128, i128::wrapping_add);
        let Some(sum) = sum else { return total as u64 };
        let bits = if made == 64 { r.get_wide(sum, lane) } else { u64::from(r.get(sum, lane)) };
        let total = total.saturating_add(integer(bits, made, result_signed));
        let (low, high) = match result_signed {
            true => (-(1i128 << (made - 1)), (1i128 << (made - 1)) - 1),
            false => (0, (1i128 << made) - 1),
        };
        total.clamp(low, high) as u64
    };
    if made == 64 {
        cx.registers.lanewise(result, &operands, |r, lane| halves(value(r, lane)));
    } else {
        cx.registers.lanewise(result, &operands, |r, lane| [value(r, lane) as u32 & low_bits(made)]);
    }
}
