//! Multiply-adds: operands are read where they lie, and an accumulator that is the result is added to in its place.

use std::sync::Arc;

use super::accesses::tell;
use super::operands::{fetch, fits, reusable};
use crate::RunError;
use crate::checks::FindingKind;
use crate::machine::{Context, Plane};
use crate::matrix::multiply::{self, Mismatch, Operands, Outcome};
use crate::matrix::operation::Source;
use crate::matrix::{Adder, Component, Matrix, MatrixType, Sums};
use crate::numerics::{Format, Numerics};
use crate::program::Slot;

pub(super) fn multiply_add(
    cx: &mut Context,
    result: Slot,
    sources: [&Source; 3],
    type_: &MatrixType,
    operands: Operands,
) -> Result<(), RunError> {
    let (m, n, k) = (type_.rows, type_.columns, sources[0].type_.columns);
    cx.env.report.counts.matrix_multiplies += 1;
    cx.env.report.counts.matrix_flops += 2 * u64::from(m) * u64::from(n) * u64::from(k);
    tell(cx, "CooperativeMatrixMulAdd", [m, n, k]);
    let numerics = cx.numerics(type_.component);
    let is_measured = cx.env.settings.headroom && type_.component == Component::Float(Format::F16);
    let before = is_measured.then(|| sources.map(|source| fetch(cx, source)));
    let plane = cx.plane(result);
    let planes = sources.map(|source| source.plane(cx));
    let made = match (planes[0], planes[1], planes[2]) {
        (Some(a), Some(b), Some(c)) if a != plane && b != plane => {
            directly(cx, plane, sources, [a, b, c], type_, operands, &numerics)
        }
        _ => None,
    };
    let made = match made {
        Some(made) => made,
        // An operand that was never written, or is written over; a result of another kind than the accumulator.
        None => {
            let [a, b, c] = sources.map(|source| fetch(cx, source));
            multiply::multiply_add(&a, &b, c, *type_, operands, &numerics)
        }
    };
    let (mut sum, outcome) = made.map_err(|why| RunError::invalid(why.0))?;
    if let Some(before) = &before {
        measure(cx, before, &mut sum);
    }
    cx.registers.set_matrix(plane, sum);
    if cx.env.settings.checked
        && let Some(index) = outcome.overflow
    {
        let (row, column) = type_.row_and_column(index);
        let message = format!(
            "the sum of products of element ({row}, {column}) does not fit {}: with saturation, the result is undefined",
            type_.component.name()
        );
        cx.find(FindingKind::SaturatingOverflow, cx.registers.first_active(), message);
    }
    Ok(())
}

/// Adds to what the elements are sums of, and tells how near they are to the end of the accumulator's range.
#[cold]
fn measure(cx: &mut Context, [a, b, c]: &[Arc<Matrix>; 3], result: &mut Arc<Matrix>) {
    let adder = Adder { instruction: cx.origin, workgroup: cx.env.workgroup, subgroup: cx.subgroup };
    let matrix = Arc::make_mut(result);
    let mut sums = matrix.take_sums().unwrap_or_else(|| Arc::new(Sums::of(c)));
    let headroom = cx.env.report.headroom.of(adder.instruction);
    Arc::make_mut(&mut sums).add(a, b, matrix, adder, headroom);
    matrix.set_sums(sums);
}

type Made = Result<(Arc<Matrix>, Outcome), Mismatch>;

/// Without counting who holds the operands. None, and nothing changed but the old result gone, where that cannot be done.
fn directly(
    cx: &mut Context,
    plane: Plane,
    sources: [&Source; 3],
    [a, b, c]: [Plane; 3],
    type_: &MatrixType,
    operands: Operands,
    numerics: &Numerics,
) -> Option<Made> {
    let there = |cx: &Context, plane, source: &Source| {
        cx.registers.matrix(plane).is_some_and(|matrix| fits(matrix, &source.type_))
    };
    let same = sources[2].type_.component == type_.component;
    if !same || !there(cx, a, sources[0]) || !there(cx, b, sources[1]) || !there(cx, c, sources[2]) {
        return None;
    }
    let in_place = c == plane;
    let mut sum = match in_place {
        true => cx.registers.take_matrix(plane)?,
        false => reusable(cx, plane, &sources[2].type_),
    };
    let registers = &*cx.registers;
    let accumulator = Arc::make_mut(&mut sum);
    let (a, b) = match (registers.matrix(a), registers.matrix(b), registers.matrix(c)) {
        (Some(a), Some(b), None) if in_place => (a, b),
        (Some(a), Some(b), Some(c)) if !in_place && accumulator.copy_from(c) => (a, b),
        _ => return None,
    };
    let outcome = multiply::accumulate(a, b, accumulator, *type_, operands, numerics);
    Some(outcome.map(|outcome| (sum, outcome)))
}
