//! Sums of outer products (OpCooperativeVectorOuterProductAccumulateNV).

use coopmat_spirv::dr::Instruction as Source;

use super::operands::{Stop, component, not_run, optional, start, vector};
use super::{kinds, memory, product, sums};
use crate::code::{StoredMatrix, VectorMemoryInstruction, VectorOperand};
use crate::machine::{Context, lanes_of};
use crate::numerics::{Format, Overflow, Rounding};
use crate::program::Lowering;
use crate::program::types::Scalar;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<VectorMemoryInstruction, Stop> {
    let at = start(lowering, source, 0)?;
    let (a, b) = (vector(lowering, source, 2)?, vector(lowering, source, 3)?);
    let layout = product::layout(lowering, source, 4)?;
    let (scalar, interpretation) =
        (kinds::stored(lowering, source, 5)?, lowering.constant_operand(source, 5)?);
    let is_float = |scalar| matches!(scalar, Scalar::Float(_));
    if [a.scalar, b.scalar].iter().any(|&factor| is_float(factor) != is_float(scalar)) {
        return not_run("products of integers are not summed up as floating-point numbers, nor the reverse");
    }
    product::check_size(a.count, b.count)?;
    let stride = optional(lowering, source, 6)?;
    let matrix = StoredMatrix { at, scalar, interpretation, rows: a.count, columns: b.count, layout, stride };
    Ok(VectorMemoryInstruction::OuterProduct { a, b, matrix: Box::new(matrix) })
}

pub(super) fn execute(a: VectorOperand, b: VectorOperand, matrix: &StoredMatrix, cx: &mut Context) {
    let halves = [a.scalar, b.scalar].iter().all(|scalar| *scalar == Scalar::Float(Format::F16));
    if halves && sums::is_hopper(cx, matrix.scalar) {
        return of_subgroup(a, b, matrix, cx);
    }
    for lane in lanes_of(cx.registers.mask()) {
        memory::count(cx, matrix, 1);
        let mut places = memory::places(matrix, memory::place(cx, matrix, lane));
        for row in 0..a.count {
            let left = component(cx, a, row, lane);
            for column in 0..b.count {
                let right = component(cx, b, column, lane);
                let Some(address) = places.next() else { return };
                let bits = multiplied((left, a.scalar), (right, b.scalar), matrix.scalar);
                memory::add(cx, lane, address, matrix.scalar, bits);
            }
        }
    }
}

/// The sums of a subgroup go to memory at once.
fn of_subgroup(a: VectorOperand, b: VectorOperand, matrix: &StoredMatrix, cx: &mut Context) {
    for (place, lanes) in sums::groups(cx, |cx, lane| memory::place(cx, matrix, lane)) {
        memory::count(cx, matrix, lanes.len() as u64);
        let sums = sums::of_products(cx, a, b, &lanes);
        for (address, bits) in memory::places(matrix, place).zip(sums) {
            lanes.iter().for_each(|&lane| memory::note_sum(cx, lane, address, matrix.scalar));
            memory::change(cx, address, matrix.scalar, bits);
        }
    }
}

/// A product "with precision selected by MatrixInterpretation": rounded to it before it is added.
fn multiplied(a: (u64, Scalar), b: (u64, Scalar), to: Scalar) -> u64 {
    match (a.1, b.1, to) {
        (Scalar::Float(from), Scalar::Float(other), Scalar::Float(to)) => {
            // Exact of two numbers of at most 24 bits each.
            let product = from.to_f64(a.0) * other.to_f64(b.0);
            to.from_f64(product, Rounding::NearestEven, Overflow::Special)
        }
        _ => {
            let product = kinds::integer(a.0, a.1).wrapping_mul(kinds::integer(b.0, b.1)) as u64;
            product & (u64::MAX >> (64 - u32::from(to.width())))
        }
    }
}
