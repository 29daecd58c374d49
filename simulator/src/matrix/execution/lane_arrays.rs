//! Rows and columns of a matrix as arrays of the invocations (QCOM).

use std::sync::Arc;

use super::operands::{fetch, set};
use crate::checks::FindingKind;
use crate::machine::{Context, lanes_of};
use crate::matrix::operation::Source;
use crate::matrix::{MatrixType, arrays};
use crate::program::Slot;

/// A matrix of the arrays that the invocations hold.
pub(super) fn construct(
    cx: &mut Context,
    result: Slot,
    type_: MatrixType,
    array: Slot,
    width: u32,
    length: u32,
) {
    let matrix = arrays::construct(type_, width, |invocation, i| {
        let plane = cx.plane(array.offset(i.min(length.saturating_sub(1))));
        let lane = (invocation as usize).min(cx.registers.lanes() - 1);
        let exists = (invocation as usize) < cx.registers.lanes() && i < length;
        let undefined = !exists || cx.registers.undefined(plane) >> lane & 1 != 0;
        (
            if exists { u64::from(cx.registers.get(plane, lane)) } else { 0 },
            undefined && cx.env.settings.checked,
        )
    });
    set(cx, result, Arc::new(matrix));
}

/// The other way round: the array of each invocation.
pub(super) fn extract(cx: &mut Context, result: Slot, object: &Source, width: u32, length: u32) {
    let matrix = fetch(cx, object);
    for i in 0..length {
        let plane = cx.plane(result.offset(i));
        let mut undefined = 0;
        let lanes = cx.registers.lanes();
        let values: Vec<u32> = (0..lanes)
            .map(|lane| {
                let (bits, is_undefined) = arrays::extract(&matrix, width, lane as u32, i);
                undefined |= u128::from(is_undefined) << lane;
                bits as u32
            })
            .collect();
        cx.registers.set_lanes(plane, |lane| values[lane]);
        cx.registers.set_undefined(plane, undefined);
    }
}

/// A part of an array, elements of `planes` planes each.
pub(super) struct Part {
    pub array: Slot,
    pub source_length: u32,
    pub start: Slot,
    pub length: u32,
    pub planes: u32,
}

pub(super) fn subarray(cx: &mut Context, result: Slot, part: &Part) {
    let Part { array, source_length, start, length, planes } = *part;
    let start_plane = cx.plane(start);
    let (lanes, mask) = (cx.registers.lanes(), cx.mask());
    if cx.env.settings.checked {
        for lane in lanes_of(mask) {
            let start = i64::from(cx.registers.get(start_plane, lane) as i32);
            if start < 0 || start + i64::from(length) > i64::from(source_length) {
                let message = format!("{length} elements from {start} of an array of {source_length}");
                cx.find(FindingKind::OutOfBounds, lane, message);
            }
        }
    }
    for part in 0..length * planes {
        let plane = cx.plane(result.offset(part));
        let mut undefined = 0;
        let values: Vec<u32> = (0..lanes)
            .map(|lane| {
                let start = i64::from(cx.registers.get(start_plane, lane) as i32);
                let index = start + i64::from(part / planes);
                let index = index.clamp(0, i64::from(source_length.saturating_sub(1))) as u32;
                let source = cx.plane(array.offset(index * planes + part % planes));
                undefined |= cx.registers.undefined(source) & 1 << lane;
                cx.registers.get(source, lane)
            })
            .collect();
        cx.registers.set_lanes(plane, |lane| values[lane]);
        cx.registers.set_undefined(plane, undefined);
    }
}

/// Elements of one width to elements of another, in the order of memory.
pub(super) fn bitcast_array(
    cx: &mut Context,
    result: Slot,
    array: Slot,
    from_width: u32,
    to_width: u32,
    length: u32,
) {
    let lanes = cx.registers.lanes();
    for i in 0..length {
        let mut values = vec![0u32; lanes];
        let mut undefined = 0;
        let (first, last) = (i * to_width, (i + 1) * to_width);
        for source in first / from_width..last.div_ceil(from_width) {
            let plane = cx.plane(array.offset(source));
            undefined |= cx.registers.undefined(plane);
            let start = source * from_width;
            for (lane, value) in values.iter_mut().enumerate() {
                let bits = cx.registers.get(plane, lane);
                *value |= if start >= first { bits << (start - first) } else { bits >> (first - start) };
            }
        }
        let mask = (u64::from(u32::MAX) >> (32 - to_width.clamp(1, 32))) as u32;
        let plane = cx.plane(result.offset(i));
        cx.registers.set_lanes(plane, |lane| values[lane] & mask);
        cx.registers.set_undefined(plane, undefined);
    }
}
