//! `m[i]`: who owns which element, and functions of the shader that are called for each.

use std::sync::Arc;

use super::accesses::tell;
use super::operands::{bits, fetch, number, words};
use crate::RunError;
use crate::checks::FindingKind;
use crate::machine::{Argument, Context, lanes_of};
use crate::matrix::operation::{Extra, Number, Source};
use crate::matrix::{Matrix, MatrixType, Scope};
use crate::ownership::Map;
use crate::program::Slot;

/// Who owns the elements of a type. Of a workgroup's matrix, among all its invocations.
pub(super) fn map(cx: &Context, type_: &MatrixType) -> Arc<Map> {
    let invocations = match type_.scope {
        Scope::Subgroup => cx.env.settings.subgroup_size,
        Scope::Workgroup => cx.env.program.interface.workgroup_size.iter().product(),
    };
    cx.env.settings.ownership.map(type_, invocations)
}

/// The number of a lane among the owners of a matrix.
pub(super) fn owner(cx: &Context, type_: &MatrixType, lane: usize) -> u32 {
    match type_.scope {
        Scope::Subgroup => lane as u32,
        Scope::Workgroup => cx.invocation(lane).index,
    }
}

pub(super) fn coordinate(cx: &mut Context, result: Slot, type_: &MatrixType, index: Number) {
    let map = map(cx, type_);
    let lanes = cx.registers.lanes();
    let places: Vec<(u32, u32)> = (0..lanes)
        .map(|lane| {
            let i = u32::try_from(number(cx, index, lane)).unwrap_or(u32::MAX);
            let element = map.element(owner(cx, type_, lane), i);
            element.map_or((0, 0), |element| type_.row_and_column(element as usize))
        })
        .collect();
    let plane = cx.plane(result);
    cx.registers.set_lanes(plane, |lane| places[lane].0);
    cx.registers.set_lanes(plane + 1, |lane| places[lane].1);
}

/// The element that is `m[i]` of each lane that takes part; none where it has no such element, which is told.
pub(super) fn elements(
    cx: &mut Context,
    type_: &MatrixType,
    index: impl Fn(&Context, usize) -> u64,
) -> Vec<(usize, Option<usize>)> {
    let map = map(cx, type_);
    let mask = cx.mask();
    let mut found = Vec::with_capacity(mask.count_ones() as usize);
    for lane in lanes_of(mask) {
        let i = index(cx, lane);
        let element = u32::try_from(i).ok().and_then(|i| map.element(owner(cx, type_, lane), i));
        if element.is_none() && i >= u64::from(map.length()) && cx.env.settings.checked {
            let message =
                format!("element {} of {type_}, of which the invocation has {}", i as i64, map.length());
            cx.find(FindingKind::OutOfBounds, lane, message);
        }
        found.push((lane, element.map(|element| element as usize)));
    }
    found
}

pub(super) fn element_load(
    cx: &mut Context,
    result: Slot,
    type_: &MatrixType,
    matrix: &Matrix,
    index: impl Fn(&Context, usize) -> u64,
) {
    let found = elements(cx, type_, index);
    let plane = cx.plane(result);
    let mut values = [0u64; crate::machine::MAXIMUM_LANES];
    let mut undefined = 0u128;
    for (lane, element) in found {
        values[lane] = element.map_or(0, |element| matrix.get(element));
        // An invocation without the element gets something, and what it makes of it is written nowhere.
        let known = element.is_none_or(|element| !matrix.is_undefined(element));
        undefined |= u128::from(!known) << lane;
    }
    cx.registers.set_lanes(plane, |lane| values[lane] as u32);
    cx.registers.set_undefined(plane, undefined);
    if type_.component.width() == 64 {
        cx.registers.set_lanes(plane + 1, |lane| (values[lane] >> 32) as u32);
        cx.registers.set_undefined(plane + 1, undefined);
    }
}

pub(super) fn element_store(
    cx: &mut Context,
    type_: &MatrixType,
    matrix: &mut Arc<Matrix>,
    value: Slot,
    index: impl Fn(&Context, usize) -> u64,
) {
    let found = elements(cx, type_, index);
    let plane = cx.plane(value);
    let matrix = Arc::make_mut(matrix);
    for (lane, element) in found {
        let Some(element) = element else { continue };
        let bits = match type_.component.width() {
            64 => cx.registers.get_wide(plane, lane),
            _ => u64::from(cx.registers.get(plane, lane)),
        };
        matrix.set(element, bits);
        if cx.registers.undefined(plane) >> lane & 1 != 0 {
            matrix.set_undefined(element, true);
        }
    }
}

pub(super) fn per_element(
    cx: &mut Context,
    source: &Source,
    function: u32,
    extra: &[Extra],
) -> Result<Matrix, RunError> {
    let (matrix, type_) = (fetch(cx, source), &source.type_);
    tell(cx, "CooperativeMatrixPerElementOp", [type_.rows, type_.columns, 0]);
    let count = type_.count();
    let (mut rows, mut columns) = (Vec::with_capacity(count), Vec::with_capacity(count));
    for index in 0..count {
        let (row, column) = type_.row_and_column(index);
        rows.push(row);
        columns.push(column);
    }
    let own = words(&matrix.all_bits(), type_);
    let mut others = Vec::new();
    for extra in extra {
        if let Extra::Matrix(source) = extra {
            others.push(words(&fetch(cx, source).all_bits(), &source.type_));
        }
    }
    let mut arguments = vec![Argument::Each(&rows), Argument::Each(&columns), Argument::Each(&own)];
    let mut other = others.iter();
    for extra in extra {
        match extra {
            Extra::Matrix(_) => arguments.extend(other.next().map(|words| Argument::Each(words))),
            Extra::Value(slot, planes) => arguments.push(Argument::Same(*slot, *planes)),
        }
    }
    let mut results = Vec::new();
    cx.call_over_elements(function, count, &arguments, &mut results)?;
    Ok(Matrix::from_bits(*type_, &bits(&results, count, type_)))
}
