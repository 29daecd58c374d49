//! What an observer sees of an operation: its operands, its result, where in memory the elements are.
//!
//! Operands are taken before the operation is done, because it may be done in place: their `Arc`s are held, so that what would
//! be written over them is written to a copy. Nothing of this happens when nobody asks.

use std::sync::Arc;

use super::operands::{address, fetch, placement};
use super::tensors::{tensor_layout, tensor_view};
use crate::machine::Context;
use crate::matrix::operation::{Operation, Source, Tensor};
use crate::matrix::tensor::{self, Access};
use crate::matrix::{Matrix, MatrixType};
use crate::memory::parts;
use crate::observer::{Addressing, LaneArrays, MatrixValues, Memory, TensorAddressing};
use crate::program::Slot;

/// What there was before the operation.
pub(super) struct Before {
    operation: &'static str,
    operands: Vec<Arc<Matrix>>,
    memory: Option<Memory>,
    array: Option<LaneArrays>,
    start: Option<u32>,
}

/// Takes the operands of an operation that observers are told of.
pub(super) fn before(operation: &Operation, cx: &Context) -> Option<Before> {
    let mut before = Before {
        operation: name(operation)?,
        operands: operation.sources().iter().map(|source| fetch(cx, source)).collect(),
        memory: None,
        array: None,
        start: None,
    };
    match operation {
        Operation::Load { type_, from: strided, .. }
        | Operation::Store { object: Source { type_, .. }, to: strided } => {
            let placement = placement(cx, strided);
            before.memory =
                Some(memory(cx, placement.address, type_.component.bytes(), Addressing::Strided(placement)));
        }
        Operation::LoadTensor { object, from, scalar, .. } => {
            let size = scalar.map_or(object.type_.component.bytes(), |decoder| decoder.size);
            let addressing = Addressing::Tensor(tensor(cx, from, &object.type_, Access::Load));
            before.memory = Some(memory(cx, address(cx, &from.pointer), size, addressing));
        }
        Operation::StoreTensor { object, to } => {
            let addressing = Addressing::Tensor(tensor(cx, to, &object.type_, Access::Store));
            let size = object.type_.component.bytes();
            before.memory = Some(memory(cx, address(cx, &to.pointer), size, addressing));
        }
        Operation::Construct { array, width, length, .. } => {
            before.array = Some(lane_arrays(cx, *array, *width, *length, 1));
        }
        Operation::BitcastArray { array, from_width, to_width, length, .. } => {
            let from_length = (length * to_width).div_ceil((*from_width).max(1));
            before.array = Some(lane_arrays(cx, *array, *from_width, from_length, 1));
        }
        Operation::SubArray { array, start, planes, source_length, .. } => {
            before.array = Some(lane_arrays(cx, *array, 32 * planes, *source_length, *planes));
            before.start = Some(cx.registers.any(cx.plane(*start)));
        }
        _ => {}
    }
    Some(before)
}

/// Tells the observer.
pub(super) fn after(operation: &Operation, cx: &mut Context, before: Before) {
    let result = operation.result().and_then(|result| cx.registers.matrix(cx.plane(result)).cloned());
    let made = match operation {
        Operation::ExtractArray { result, width, length, .. } => {
            Some(lane_arrays(cx, *result, *width, *length, 1))
        }
        Operation::BitcastArray { result, to_width, length, .. } => {
            Some(lane_arrays(cx, *result, *to_width, *length, 1))
        }
        Operation::SubArray { result, planes, length, .. } => {
            Some(lane_arrays(cx, *result, 32 * planes, *length, *planes))
        }
        _ => None,
    };
    let at = cx.at();
    if let Some(observer) = &mut cx.env.observer {
        observer.matrix_values(
            &at,
            &MatrixValues {
                operation: before.operation,
                operands: &before.operands,
                result: result.as_ref(),
                memory: before.memory.as_ref(),
                array: before.array.as_ref(),
                array_result: made.as_ref(),
                start: before.start,
                vectors: None,
            },
        );
    }
}

/// The instruction's name without `Op` and vendor; nothing for what makes or reads no whole matrix or array.
fn name(operation: &Operation) -> Option<&'static str> {
    Some(match operation {
        Operation::Splat { .. } => "CompositeConstruct",
        Operation::Load { .. } => "CooperativeMatrixLoad",
        Operation::Store { .. } => "CooperativeMatrixStore",
        Operation::Binary { .. } => "Arithmetic",
        Operation::Negate { .. } => "Negate",
        Operation::TimesScalar { .. } => "MatrixTimesScalar",
        Operation::Convert { .. } => "Convert",
        Operation::Bitcast { .. } => "Bitcast",
        Operation::ChangeUse { transposed: true, .. } => "CooperativeMatrixTranspose",
        Operation::ChangeUse { transposed: false, .. } => "CooperativeMatrixConvert",
        Operation::MultiplyAdd { .. } => "CooperativeMatrixMulAdd",
        Operation::Reduce { .. } => "CooperativeMatrixReduce",
        Operation::PerElement { .. } => "CooperativeMatrixPerElementOp",
        Operation::LoadTensor { .. } => "CooperativeMatrixLoadTensor",
        Operation::StoreTensor { .. } => "CooperativeMatrixStoreTensor",
        Operation::Construct { .. } => "CompositeConstructCoopMat",
        Operation::ExtractArray { .. } => "CompositeExtractCoopMat",
        Operation::BitcastArray { .. } => "BitCastArray",
        Operation::SubArray { .. } => "ExtractSubArray",
        Operation::Undefined { .. }
        | Operation::Length { .. }
        | Operation::Coordinate { .. }
        | Operation::ElementLoad { .. }
        | Operation::ElementStore { .. }
        | Operation::Extract { .. }
        | Operation::Insert { .. }
        | Operation::CreateLayout { .. }
        | Operation::ChangeLayout { .. }
        | Operation::CreateView { .. }
        | Operation::ChangeView { .. } => return None,
    })
}

fn memory(cx: &Context, address: u64, size: u32, addressing: Addressing) -> Memory {
    let (allocation, offset) = parts(address);
    Memory { name: cx.allocation_name(allocation), offset, size, addressing }
}

fn tensor(cx: &Context, tensor: &Tensor, type_: &MatrixType, access: Access) -> TensorAddressing {
    let layout = tensor_layout(cx, tensor.layout, tensor.dimensions, tensor.clamp_mode);
    let view = tensor.view.map(|(slot, view)| tensor_view(cx, slot, view));
    let each = |index| {
        let (row, column) = type_.row_and_column(index);
        let coordinate = tensor::coordinate(&layout, view.as_ref(), type_, row, column);
        (coordinate, tensor::place(&layout, view.as_ref(), type_, row, column, access))
    };
    TensorAddressing { layout, view, elements: (0..type_.count()).map(each).collect() }
}

fn lane_arrays(cx: &Context, first: Slot, width: u32, length: u32, planes: u32) -> LaneArrays {
    let lanes = cx.registers.lanes();
    let mut arrays =
        LaneArrays { width, length, lanes: lanes as u32, words: Vec::new(), undefined: Vec::new() };
    for lane in 0..lanes {
        for i in 0..length {
            let plane = cx.plane(first.offset(i * planes));
            arrays.words.push(cx.registers.get(plane, lane));
            arrays.undefined.push(cx.registers.undefined(plane) >> lane & 1 != 0);
        }
    }
    arrays
}
