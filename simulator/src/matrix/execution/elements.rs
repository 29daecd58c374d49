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

/// The element that a lane finds at an index.
#[derive(Clone, Copy)]
pub(super) enum Found {
    /// It is the lane's own.
    Own(usize),
    /// The lane has none there, and reads another's; what it writes goes nowhere.
    Other(usize),
    /// No lane has so many.
    Outside,
}

impl Found {
    /// What is read.
    fn read(self) -> Option<usize> {
        match self {
            Found::Own(element) | Found::Other(element) => Some(element),
            Found::Outside => None,
        }
    }
}

pub(super) fn coordinate(cx: &mut Context, result: Slot, type_: &MatrixType, index: Number) {
    let mut places = [(0, 0); crate::machine::MAXIMUM_LANES];
    for (lane, found) in elements(cx, type_, |cx, lane| number(cx, index, lane)) {
        places[lane] = found.read().map_or((0, 0), |element| type_.row_and_column(element));
    }
    let plane = cx.plane(result);
    cx.registers.set_lanes(plane, |lane| places[lane].0);
    cx.registers.set_lanes(plane + 1, |lane| places[lane].1);
}

/// The element that is `m[i]` of each lane that takes part; an index that no lane has is told.
pub(super) fn elements(
    cx: &mut Context,
    type_: &MatrixType,
    index: impl Fn(&Context, usize) -> u64,
) -> Vec<(usize, Found)> {
    let map = map(cx, type_);
    let mask = cx.mask();
    let mut found = Vec::with_capacity(mask.count_ones() as usize);
    for lane in lanes_of(mask) {
        let i = index(cx, lane);
        let (owner, place) = (owner(cx, type_, lane), u32::try_from(i).unwrap_or(u32::MAX));
        let own = map.element(owner, place).map(|element| Found::Own(element as usize));
        let element = own
            .or_else(|| map.stand_in(owner, place).map(|element| Found::Other(element as usize)))
            .unwrap_or(Found::Outside);
        if i >= u64::from(map.length()) && cx.env.settings.checked {
            let message =
                format!("element {} of {type_}, of which the invocation has {}", i as i64, map.length());
            cx.find(FindingKind::OutOfBounds, lane, message);
        }
        found.push((lane, element));
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
    for (lane, found) in found {
        let element = found.read();
        values[lane] = element.map_or(0, |element| matrix.get(element));
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
    for (lane, found) in found {
        let Found::Own(element) = found else { continue };
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
