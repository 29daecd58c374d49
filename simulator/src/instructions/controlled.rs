//! Floating-point arithmetic that is rounded in a direction, or without subnormal numbers: what float controls ask for. The results are
//! those of the exact operation, rounded once; this is slower than what processors do by themselves.

use crate::code::FloatOp;
use crate::machine::{Plane, Registers, halves};
use crate::numerics::arithmetic::{self, Operation};
use crate::numerics::{Format, Overflow, words};
use crate::program::controls::Treatment;

/// The operation whose result has to be rounded; none for those whose result is exact.
fn rounded(op: FloatOp) -> Option<Operation> {
    match op {
        FloatOp::Add => Some(Operation::Add),
        FloatOp::Sub => Some(Operation::Subtract),
        FloatOp::Mul => Some(Operation::Multiply),
        FloatOp::Div => Some(Operation::Divide),
        _ => None,
    }
}

/// `a OP b` as bits of the format.
fn two(operation: Operation, format: Format, treatment: Treatment, a: u64, b: u64) -> u64 {
    let (a, b) = (treatment.flush(format, a), treatment.flush(format, b));
    let made = match format {
        Format::F64 => {
            let value = operation.rounded_f64(f64::from_bits(a), f64::from_bits(b), treatment.rounding);
            words::bits64(value)
        }
        _ => {
            let value = operation.rounded(format.to_f32(a), format.to_f32(b), format, treatment.rounding);
            format.from_f32(value, treatment.rounding, Overflow::Special)
        }
    };
    treatment.flush(format, made)
}

/// An operation on one component; false where the plain one, between [`flush_operand`] and [`flush`], does.
pub(super) fn component(
    registers: &mut Registers,
    op: FloatOp,
    format: Format,
    treatment: Treatment,
    result: Plane,
    [a, b]: [Plane; 2],
) -> bool {
    let Some(operation) = rounded(op) else { return false };
    match format {
        Format::F64 => registers.wide2(result, a, b, |a, b| two(operation, format, treatment, a, b)),
        _ => registers
            .map2(result, a, b, |a, b| two(operation, format, treatment, u64::from(a), u64::from(b)) as u32),
    }
    true
}

/// Adds a product to what the result holds, rounding both.
pub(super) fn multiply_onto(
    registers: &mut Registers,
    format: Format,
    treatment: Treatment,
    result: Plane,
    [a, b]: [Plane; 2],
) {
    let onto = |sum: u64, a: u64, b: u64| {
        let product = two(Operation::Multiply, format, treatment, a, b);
        two(Operation::Add, format, treatment, sum, product)
    };
    match format {
        Format::F64 => registers.lanewise(result, &[a, a + 1, b, b + 1, result, result + 1], |r, lane| {
            halves(onto(r.get_wide(result, lane), r.get_wide(a, lane), r.get_wide(b, lane)))
        }),
        _ => registers.lanewise(result, &[a, b, result], |r, lane| {
            let [sum, a, b] = [result, a, b].map(|plane| u64::from(r.get(plane, lane)));
            [onto(sum, a, b) as u32]
        }),
    }
}

/// `a * b + c`, rounded once.
pub(super) fn fma(
    registers: &mut Registers,
    format: Format,
    treatment: Treatment,
    result: Plane,
    operands: [Plane; 3],
) {
    let f = |operands: [u64; 3]| {
        let [a, b, c] = operands.map(|bits| format.to_f64(treatment.flush(format, bits)));
        treatment.flush(format, arithmetic::fused(a, b, c, format, treatment.rounding))
    };
    match format {
        Format::F64 => registers.wide3(result, operands, |a, b, c| f([a, b, c])),
        _ => registers.map3(result, operands, |a, b, c| f([a, b, c].map(u64::from)) as u32),
    }
}

/// Makes subnormal numbers of a component zero where the treatment says so.
pub(super) fn flush(registers: &mut Registers, format: Format, treatment: Treatment, plane: Plane) {
    if treatment.denormals == crate::numerics::Denormals::Preserve {
        return;
    }
    match format {
        Format::F64 => registers
            .lanewise(plane, &[plane, plane + 1], |r, lane| halves(format.flush(r.get_wide(plane, lane)))),
        _ => registers
            .lanewise(plane, &[plane], |r, lane| [format.flush(u64::from(r.get(plane, lane))) as u32]),
    }
}
