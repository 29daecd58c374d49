//! Floating-point arithmetic and comparisons; vectors and matrices of numbers. Formats smaller than `f32` compute in it and round each
//! result, which is exact for one operation.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use super::composites::matrix_shape;
use super::controlled;
use super::numbers::{called2, compare2, float2, float3};
use crate::ProgramError;
use crate::code::{FloatInstruction, FloatOp, Instruction, ProductInstruction, Sum};
use crate::machine::{Context, Plane, Registers};
use crate::numerics::arithmetic::fused;
use crate::numerics::words::{bits64, narrow, widen};
use crate::numerics::{Denormals, Format, Rounding};
use crate::program::controls::Treatment;
use crate::program::types::Scalar;
use crate::program::{Lowering, Value};

impl FloatOp {
    fn of(op: Opcode) -> Option<FloatOp> {
        Some(match op {
            Opcode::FNegate => FloatOp::Negate,
            Opcode::FAdd => FloatOp::Add,
            Opcode::FSub => FloatOp::Sub,
            Opcode::FMul | Opcode::VectorTimesScalar | Opcode::MatrixTimesScalar => FloatOp::Mul,
            Opcode::FDiv => FloatOp::Div,
            Opcode::FRem => FloatOp::Rem,
            Opcode::FMod => FloatOp::Mod,
            Opcode::FOrdEqual => FloatOp::OrdEqual,
            Opcode::FUnordEqual => FloatOp::UnordEqual,
            Opcode::FOrdNotEqual | Opcode::LessOrGreater => FloatOp::OrdNotEqual,
            Opcode::FUnordNotEqual => FloatOp::UnordNotEqual,
            Opcode::FOrdLessThan => FloatOp::OrdLess,
            Opcode::FUnordLessThan => FloatOp::UnordLess,
            Opcode::FOrdGreaterThan => FloatOp::OrdGreater,
            Opcode::FUnordGreaterThan => FloatOp::UnordGreater,
            Opcode::FOrdLessThanEqual => FloatOp::OrdLessEqual,
            Opcode::FUnordLessThanEqual => FloatOp::UnordLessEqual,
            Opcode::FOrdGreaterThanEqual => FloatOp::OrdGreaterEqual,
            Opcode::FUnordGreaterThanEqual => FloatOp::UnordGreaterEqual,
            Opcode::Ordered => FloatOp::Ordered,
            Opcode::Unordered => FloatOp::Unordered,
            Opcode::IsNan => FloatOp::IsNan,
            Opcode::IsInf => FloatOp::IsInf,
            Opcode::IsFinite => FloatOp::IsFinite,
            Opcode::SignBitSet => FloatOp::SignBit,
            _ => return None,
        })
    }

    pub(crate) fn compares(self) -> bool {
        !matches!(
            self,
            FloatOp::Negate
                | FloatOp::Add
                | FloatOp::Sub
                | FloatOp::Mul
                | FloatOp::Div
                | FloatOp::Rem
                | FloatOp::Mod
        )
    }

    fn is_unary(self) -> bool {
        use FloatOp::*;
        matches!(self, Negate | IsNan | IsInf | IsFinite | SignBit)
    }
}

/// The format of numbers, and how many there are.
pub(super) fn floats(lowering: &Lowering, value: Value) -> Result<(Format, u32), ProgramError> {
    match lowering.numbers(value.type_)? {
        (Scalar::Float(format), count) => Ok((format, count)),
        _ => Err(ProgramError::new("expected floating-point numbers")),
    }
}

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    if let Some(op) = FloatOp::of(opcode(source)) {
        let a = lowering.operand(source, 0)?;
        let b = if op.is_unary() { a } else { lowering.operand(source, 1)? };
        let result = lowering.result(source)?;
        let (format, count) = floats(lowering, a)?;
        let scaled = matches!(opcode(source), Opcode::VectorTimesScalar | Opcode::MatrixTimesScalar);
        let wanted = if op.compares() { Scalar::Bool } else { Scalar::Float(format) };
        let other = if scaled { 1 } else { count };
        if lowering.numbers(result.type_)? != (wanted, count) || floats(lowering, b)? != (format, other) {
            return Err(ProgramError::new("operands of different formats or sizes"));
        }
        let step = if scaled { 0 } else { Scalar::Float(format).planes() };
        let (result, a, b) = (result.slot, a.slot, b.slot);
        lowering.emit(Instruction::Float(FloatInstruction { op, format, count, result, a, b, step }));
        return Ok(true);
    }
    match opcode(source) {
        Opcode::FmaKHR => {
            let operands = [0, 1, 2].map(|index| lowering.operand(source, index));
            let [a, b, c] = operands;
            let operands = [a?, b?, c?];
            emit_fma(lowering, source, operands)?;
        }
        Opcode::Dot
        | Opcode::VectorTimesMatrix
        | Opcode::MatrixTimesVector
        | Opcode::MatrixTimesMatrix
        | Opcode::OuterProduct => {
            lower_product(lowering, source)?;
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// `a * b + c`, rounded once.
pub(super) fn emit_fma(
    lowering: &mut Lowering,
    source: &Source,
    operands: [Value; 3],
) -> Result<(), ProgramError> {
    let result = lowering.result(source)?;
    let (format, count) = floats(lowering, result)?;
    for value in operands {
        if floats(lowering, value)? != (format, count) {
            return Err(ProgramError::new("operands of different formats or sizes"));
        }
    }
    let operands = operands.map(|value| value.slot);
    let fma = ProductInstruction::Fma { format, count, result: result.slot, operands };
    lowering.emit(Instruction::Product(Box::new(fma)));
    Ok(())
}

fn lower_product(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let (a, b) = (lowering.operand(source, 0)?, lowering.operand(source, 1)?);
    let result = lowering.result(source)?;
    let (format, a_count) = floats(lowering, a)?;
    let (b_format, b_count) = floats(lowering, b)?;
    let (made_format, made) = floats(lowering, result)?;
    if format != b_format || format != made_format {
        return Err(ProgramError::new("operands of different formats"));
    }
    let planes = Scalar::Float(format).planes();
    // The shape of the product: rows and columns of the result, and how many products each sum has. Matrices are columns.
    let (rows, columns, inner) = match opcode(source) {
        Opcode::Dot => (1, 1, a_count),
        Opcode::OuterProduct => (a_count, b_count, 1),
        Opcode::MatrixTimesVector => {
            let (columns, rows, _) = matrix_shape(lowering, a.type_)?;
            (rows, 1, columns)
        }
        Opcode::VectorTimesMatrix => {
            let (columns, rows, _) = matrix_shape(lowering, b.type_)?;
            (1, columns, rows)
        }
        _ => {
            let (a_columns, a_rows, _) = matrix_shape(lowering, a.type_)?;
            let (b_columns, _, _) = matrix_shape(lowering, b.type_)?;
            (a_rows, b_columns, a_columns)
        }
    };
    if a_count != rows * inner || b_count != inner * columns || made != rows * columns {
        return Err(ProgramError::new("a product of shapes that do not fit"));
    }
    let sums =
        (0..columns).flat_map(|column| (0..rows).map(move |row| (row, column))).map(|(row, column)| Sum {
            result: result.slot.offset((column * rows + row) * planes),
            a: a.slot.offset(row * planes),
            b: b.slot.offset(column * inner * planes),
        });
    let sums = sums.collect();
    let product = ProductInstruction::Sums { format, sums, inner, a_step: rows * planes, b_step: planes };
    lowering.emit(Instruction::Product(Box::new(product)));
    Ok(())
}

pub(super) fn execute(instruction: &FloatInstruction, cx: &mut Context) {
    let &FloatInstruction { op, format, count, result, a, b, step } = instruction;
    let (result, a, b) = (cx.plane(result), cx.plane(a), cx.plane(b));
    let planes = Scalar::Float(format).planes();
    let made = if op.compares() { 1 } else { planes };
    let treatment = cx.treatment(format);
    if !treatment.is_plain() {
        for index in 0..count {
            let operands = [a + index * planes, b + index * step];
            controlled(cx, op, format, treatment, result + index * made, operands);
        }
        return;
    }
    for index in 0..count {
        component(cx.registers, op, format, result + index * made, [a + index * planes, b + index * step]);
    }
}

/// One component of an operation, as float controls want it.
fn controlled(
    cx: &mut Context,
    op: FloatOp,
    format: Format,
    treatment: Treatment,
    result: Plane,
    operands: [Plane; 2],
) {
    if controlled::component(cx.registers, op, format, treatment, result, operands) {
        return;
    }
    // Only the sign changes; and questions about a number as it is.
    if matches!(op, FloatOp::Negate | FloatOp::IsNan | FloatOp::IsInf | FloatOp::IsFinite | FloatOp::SignBit)
    {
        return component(cx.registers, op, format, result, operands);
    }
    match (op.compares(), format, treatment.denormals) {
        (true, Format::F64, Denormals::Flush) => {
            let compare = |a: f64, b: f64| holds(op, a, b);
            let flushed = |bits: u64| f64::from_bits(format.flush(bits));
            let [a, b] = operands;
            cx.registers.narrow2(result, a, b, |a, b| u32::from(compare(flushed(a), flushed(b))));
        }
        (true, _, Denormals::Flush) => {
            let flushed = |word: u32| format.to_f64(format.flush(u64::from(word)));
            let [a, b] = operands;
            cx.registers.map2(result, a, b, |a, b| u32::from(holds(op, flushed(a), flushed(b))));
        }
        (true, _, Denormals::Preserve) => component(cx.registers, op, format, result, operands),
        (false, ..) => {
            component(cx.registers, op, format, result, operands);
            controlled::flush(cx.registers, format, treatment, result);
        }
    }
}

/// Whether a comparison holds.
fn holds(op: FloatOp, a: f64, b: f64) -> bool {
    let unordered = a.is_nan() || b.is_nan();
    match op {
        FloatOp::OrdEqual => a == b,
        FloatOp::UnordEqual => a == b || unordered,
        FloatOp::OrdNotEqual => a != b && !unordered,
        FloatOp::UnordNotEqual => a != b,
        FloatOp::OrdLess => a < b,
        FloatOp::UnordLess => a < b || unordered,
        FloatOp::OrdGreater => a > b,
        FloatOp::UnordGreater => a > b || unordered,
        FloatOp::OrdLessEqual => a <= b,
        FloatOp::UnordLessEqual => a <= b || unordered,
        FloatOp::OrdGreaterEqual => a >= b,
        FloatOp::UnordGreaterEqual => a >= b || unordered,
        FloatOp::Ordered => !unordered,
        FloatOp::Unordered => unordered,
        _ => false,
    }
}

/// One component of an operation.
fn component(registers: &mut Registers, op: FloatOp, format: Format, result: Plane, [a, b]: [Plane; 2]) {
    macro_rules! arithmetic {
        ($f:expr) => {
            float2(registers, format, result, [a, b], $f, $f)
        };
    }
    macro_rules! compare {
        (|$a:ident, $b:ident| $body:expr) => {
            compare2(registers, format, result, [a, b], |$a, $b| $body, |$a, $b| $body)
        };
    }
    match op {
        // Only the sign changes, of NaNs too.
        FloatOp::Negate => match format {
            Format::F64 => registers.wide1(result, a, |a| a ^ 1 << 63),
            _ => {
                let sign = 1 << (format.width() - 1);
                registers.map1(result, a, |a| a ^ sign);
            }
        },
        FloatOp::Add => arithmetic!(|a, b| a + b),
        FloatOp::Sub => arithmetic!(|a, b| a - b),
        FloatOp::Mul => arithmetic!(|a, b| a * b),
        FloatOp::Div => arithmetic!(|a, b| a / b),
        FloatOp::Rem => called2(registers, format, result, [a, b], libm::fmodf, libm::fmod),
        FloatOp::Mod => called2(
            registers,
            format,
            result,
            [a, b],
            |a, b| {
                let rest = libm::fmodf(a, b);
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
            },
            |a, b| {
                let rest = libm::fmod(a, b);
                if rest != 0.0 && (rest < 0.0) != (b < 0.0) { rest + b } else { rest }
            },
        ),
        FloatOp::OrdEqual => compare!(|a, b| a == b),
        FloatOp::UnordEqual => compare!(|a, b| a == b || a.is_nan() || b.is_nan()),
        FloatOp::OrdNotEqual => compare!(|a, b| a != b && !a.is_nan() && !b.is_nan()),
        FloatOp::UnordNotEqual => compare!(|a, b| a != b),
        FloatOp::OrdLess => compare!(|a, b| a < b),
        FloatOp::UnordLess => compare!(|a, b| a < b || a.is_nan() || b.is_nan()),
        FloatOp::OrdGreater => compare!(|a, b| a > b),
        FloatOp::UnordGreater => compare!(|a, b| a > b || a.is_nan() || b.is_nan()),
        FloatOp::OrdLessEqual => compare!(|a, b| a <= b),
        FloatOp::UnordLessEqual => compare!(|a, b| a <= b || a.is_nan() || b.is_nan()),
        FloatOp::OrdGreaterEqual => compare!(|a, b| a >= b),
        FloatOp::UnordGreaterEqual => compare!(|a, b| a >= b || a.is_nan() || b.is_nan()),
        FloatOp::Ordered => compare!(|a, b| !a.is_nan() && !b.is_nan()),
        FloatOp::Unordered => compare!(|a, b| a.is_nan() || b.is_nan()),
        FloatOp::IsNan => compare!(|a, _b| a.is_nan()),
        FloatOp::IsInf => compare!(|a, _b| a.is_infinite()),
        FloatOp::IsFinite => compare!(|a, _b| a.is_finite()),
        FloatOp::SignBit => compare!(|a, _b| a.is_sign_negative()),
    }
}

pub(super) fn execute_product(instruction: &ProductInstruction, cx: &mut Context) {
    match instruction {
        &ProductInstruction::Fma { format, count, result, operands } => {
            let (result, operands) = (cx.plane(result), operands.map(|slot| cx.plane(slot)));
            let planes = Scalar::Float(format).planes();
            for index in 0..count {
                let operands = operands.map(|plane| plane + index * planes);
                let (result, treatment) = (result + index * planes, cx.treatment(format));
                match treatment.is_plain() {
                    true => fma(cx.registers, format, result, operands),
                    false => controlled::fma(cx.registers, format, treatment, result, operands),
                }
            }
        }
        ProductInstruction::Sums { format, sums, inner, a_step, b_step } => {
            for sum in sums {
                let (result, a, b) = (cx.plane(sum.result), cx.plane(sum.a), cx.plane(sum.b));
                let treatment = cx.treatment(*format);
                // In order; each product and each sum is rounded.
                match treatment.is_plain() {
                    true => component(cx.registers, FloatOp::Mul, *format, result, [a, b]),
                    false => controlled(cx, FloatOp::Mul, *format, treatment, result, [a, b]),
                }
                for index in 1..*inner {
                    let operands = [a + index * a_step, b + index * b_step];
                    match treatment.is_plain() {
                        true => multiply_onto(cx.registers, *format, result, operands),
                        false => {
                            controlled::multiply_onto(cx.registers, *format, treatment, result, operands)
                        }
                    }
                }
            }
        }
    }
}

/// Adds a product to what the result holds, rounding both.
fn multiply_onto(registers: &mut Registers, format: Format, result: Plane, [a, b]: [Plane; 2]) {
    match format {
        Format::F64 => registers.lanewise(result, &[a, a + 1, b, b + 1, result, result + 1], |r, lane| {
            let [a, b, sum] = [a, b, result].map(|plane| f64::from_bits(r.get_wide(plane, lane)));
            crate::machine::halves(bits64(sum + a * b))
        }),
        _ => registers.lanewise(result, &[a, b, result], |r, lane| {
            let [a, b, sum] = [a, b, result].map(|plane| widen(format, r.get(plane, lane)));
            let product = widen(format, narrow(format, a * b));
            [narrow(format, sum + product)]
        }),
    }
}

/// A fused multiply-add. For small formats the sum in `f64` is exact but for results that round the same.
pub(super) fn fma(registers: &mut Registers, format: Format, result: Plane, operands: [Plane; 3]) {
    match format {
        Format::F32 | Format::F64 => {
            float3(registers, format, result, operands, f32::mul_add, f64::mul_add);
        }
        _ => {
            registers.map3(result, operands, |a, b, c| {
                let [a, b, c] = [a, b, c].map(|word| format.to_f64(u64::from(word)));
                fused(a, b, c, format, Rounding::NearestEven) as u32
            });
        }
    }
}
