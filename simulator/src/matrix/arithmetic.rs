//! Arithmetic on the elements of matrices.
//!
//! Results are written over the first operand where nobody else holds it.

use std::sync::Arc;

use super::{Component, Data, Matrix};
use crate::numerics::arithmetic::Operation;
use crate::numerics::integers;
use crate::numerics::{Denormals, Format, Numerics, Overflow, Rounding, bulk};

/// An operation on each pair of elements.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Binary {
    /// OpFAdd, OpFSub, OpFMul, OpFDiv.
    Float(Operation),
    Add,
    Subtract,
    Multiply,
    /// Division by zero gives zero, and the lowest number by -1 itself.
    SignedDivide,
    UnsignedDivide,
}

/// `a OP b`, element by element. The types match in a valid module; where they do not, the first operand's counts.
pub fn binary(operation: Binary, mut a: Arc<Matrix>, b: &Matrix, numerics: &Numerics) -> Arc<Matrix> {
    let matrix = Arc::make_mut(&mut a);
    matrix.taint(b.undefined_bits());
    let component = matrix.type_.component;
    match (matrix.data_mut(), &b.data, operation) {
        (Data::F32(a), Data::F32(b), Binary::Float(operation)) => {
            each_f32(operation, a, b.iter().copied(), component, numerics);
        }
        (Data::F64(a), Data::F64(b), Binary::Float(operation)) => {
            let rounding = numerics.rounding;
            a.iter_mut().zip(b).for_each(|(a, b)| *a = operation.rounded_f64(*a, *b, rounding));
            bulk::canonical_f64(a);
        }
        (Data::U32(a), Data::U32(b), operation) => {
            let mask = component.mask() as u32;
            each_u32(operation, a, b.iter().copied(), component);
            a.iter_mut().for_each(|a| *a &= mask);
        }
        (Data::U64(a), Data::U64(b), operation) => {
            a.iter_mut().zip(b).for_each(|(a, b)| *a = one_u64(operation, *a, *b, component));
        }
        _ => {}
    }
    a
}

/// OpMatrixTimesScalar, with the bits of the scalar.
pub fn times_scalar(mut a: Arc<Matrix>, scalar: u64, numerics: &Numerics) -> Arc<Matrix> {
    let matrix = Arc::make_mut(&mut a);
    let component = matrix.type_.component;
    match matrix.data_mut() {
        Data::F32(a) => {
            let scalar = component.f32(scalar);
            each_f32(Operation::Multiply, a, std::iter::repeat(scalar), component, numerics);
        }
        Data::F64(a) => {
            let scalar = f64::from_bits(scalar);
            let rounding = numerics.rounding;
            a.iter_mut().for_each(|a| *a = Operation::Multiply.rounded_f64(*a, scalar, rounding));
            bulk::canonical_f64(a);
        }
        Data::U32(a) => {
            a.iter_mut().for_each(|a| *a = a.wrapping_mul(scalar as u32) & component.mask() as u32);
        }
        Data::U64(a) => a.iter_mut().for_each(|a| *a = a.wrapping_mul(scalar)),
    }
    a
}

/// OpFNegate and OpSNegate.
pub fn negate(mut a: Arc<Matrix>) -> Arc<Matrix> {
    let matrix = Arc::make_mut(&mut a);
    let mask = matrix.type_.component.mask();
    match matrix.data_mut() {
        Data::F32(a) => a.iter_mut().for_each(|a| *a = -*a),
        Data::F64(a) => a.iter_mut().for_each(|a| *a = -*a),
        Data::U32(a) => a.iter_mut().for_each(|a| *a = a.wrapping_neg() & mask as u32),
        Data::U64(a) => a.iter_mut().for_each(|a| *a = a.wrapping_neg()),
    }
    a
}

/// The first element, in rows, by which an integer would be divided although it is zero.
pub fn division_by_zero(operation: Binary, b: &Matrix) -> Option<usize> {
    if !matches!(operation, Binary::SignedDivide | Binary::UnsignedDivide) {
        return None;
    }
    (0..b.type_.count()).find(|index| b.get(*index) == 0)
}

/// The first element that is NaN or infinite although none of the same place in the operands was.
pub fn born_special(result: &Matrix, operands: &[&Matrix]) -> Option<usize> {
    if !result.type_.component.is_float() {
        return None;
    }
    (0..result.type_.count()).find(|index| {
        !result.number(*index).is_finite()
            && operands.iter().all(|operand| operand.number(*index).is_finite())
    })
}

fn each_f32(
    operation: Operation,
    a: &mut [f32],
    b: impl Iterator<Item = f32>,
    component: Component,
    numerics: &Numerics,
) {
    let Component::Float(format) = component else { return };
    if numerics.rounding == Rounding::NearestEven {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = operation.f32(*a, b));
        bulk::round_all(format, a, Rounding::NearestEven, Overflow::Special);
    } else {
        a.iter_mut().zip(b).for_each(|(a, b)| *a = operation.rounded(*a, b, format, numerics.rounding));
    }
    flush(a, format, numerics.denormals);
}

/// Makes subnormal results zero where the mode says so.
pub(crate) fn flush(values: &mut [f32], format: Format, denormals: Denormals) {
    if denormals == Denormals::Preserve {
        return;
    }
    let smallest = crate::numerics::format::power_of_two(format.lowest_exponent()) as f32;
    for value in values {
        if value.abs() < smallest {
            *value = f32::from_bits(value.to_bits() & 0x8000_0000);
        }
    }
}

fn each_u32(operation: Binary, a: &mut [u32], b: impl Iterator<Item = u32>, component: Component) {
    match operation {
        Binary::Add => a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_add(b)),
        Binary::Subtract => a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_sub(b)),
        Binary::Multiply => a.iter_mut().zip(b).for_each(|(a, b)| *a = a.wrapping_mul(b)),
        Binary::SignedDivide | Binary::UnsignedDivide => {
            a.iter_mut()
                .zip(b)
                .for_each(|(a, b)| *a = one_u64(operation, (*a).into(), b.into(), component) as u32);
        }
        Binary::Float(_) => {}
    }
}

fn one_u64(operation: Binary, a: u64, b: u64, component: Component) -> u64 {
    let extend = |bits| integers::Component { width: component.width(), signed: true }.extend(bits);
    let result = match operation {
        Binary::Add => a.wrapping_add(b),
        Binary::Subtract => a.wrapping_sub(b),
        Binary::Multiply => a.wrapping_mul(b),
        // The quotient of 64 bits and -1 fits into the wider integer.
        Binary::SignedDivide => extend(a).checked_div(extend(b)).unwrap_or(0) as u64,
        Binary::UnsignedDivide => a.checked_div(b).unwrap_or(0),
        Binary::Float(_) => a,
    };
    result & component.mask()
}
