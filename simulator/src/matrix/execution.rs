//! What instructions on matrices do to a subgroup's registers and to memory.

mod accesses;
mod elements;
mod lane_arrays;
mod multiply;
mod operands;
mod tensors;
mod watched;

use std::sync::Arc;

use self::accesses::{announce, check_read, tell};
use self::elements::{coordinate, element_load, element_store, map, per_element};
use self::lane_arrays::Part;
use self::operands::{
    bits, fits, holder_plane, matrix_at, number, placement, planes, reusable, set_words, undefined, words,
};
pub(super) use self::operands::{component_bits, fetch, set};
use self::tensors::{load_tensor, store_tensor, tensor_layout, tensor_view};
use super::arithmetic::{binary, negate, times_scalar};
use super::convert::{bitcast, change_use, convert, transpose};
use super::memory::{load, store};
use super::operation::{LayoutChange, MatrixInstruction, Operation, ViewChange};
use super::reduce::{Order, reduce};
use super::tensor::TensorLayout;
use super::{Matrix, MatrixType};
use crate::RunError;
use crate::machine::{Argument, Context};
use crate::numerics::Mode;
use crate::observer::AccessKind;

/// Executes an instruction for the lanes of a subgroup.
pub(crate) fn execute(instruction: &MatrixInstruction, context: &mut Context) -> Result<(), RunError> {
    execute_operation(&instruction.operation, context)
}

pub(super) fn execute_operation(operation: &Operation, cx: &mut Context) -> Result<(), RunError> {
    let checked = cx.env.settings.checked;
    if checked {
        super::checked::before(operation, cx);
    }
    let before = if cx.env.wants.values { watched::before(operation, cx) } else { None };
    execute_unchecked(operation, cx)?;
    if checked {
        super::checked::after(operation, cx);
    }
    if let Some(before) = before {
        watched::after(operation, cx, before);
    }
    cx.env.check_memory(cx.registers, 0)
}

fn execute_unchecked(operation: &Operation, cx: &mut Context) -> Result<(), RunError> {
    match operation {
        Operation::Undefined { result, type_ } => set(cx, *result, Arc::new(undefined(cx, type_))),
        Operation::Splat { result, type_, value } => {
            let bits = component_bits(cx, *value, type_);
            set(cx, *result, Arc::new(Matrix::splat(type_, bits)));
        }
        Operation::Load { result, type_, from } => {
            let place = placement(cx, from);
            announce(cx, AccessKind::Read, type_, "CooperativeMatrixLoad", Some(place), |row, column| {
                Some(place.address(type_, row, column))
            });
            let plane = cx.plane(*result);
            let mut matrix = reusable(cx, plane, type_);
            if let Some(matrix) = Arc::get_mut(&mut matrix) {
                load(matrix, &mut cx.env.memory, &place, &mut cx.env.report.scratch);
            }
            if cx.env.settings.checked {
                cx.check_placement(AccessKind::Read, type_, &place);
            }
            if cx.env.settings.checked && !cx.reads_what_stays(type_, &place) {
                check_read(cx, type_, Arc::make_mut(&mut matrix), place.address, &|index| {
                    let (row, column) = type_.row_and_column(index);
                    Some(place.address(type_, row, column))
                });
            }
            set(cx, *result, matrix);
        }
        Operation::Store { object, to } => {
            let (place, type_) = (placement(cx, to), &object.type_);
            announce(cx, AccessKind::Write, type_, "CooperativeMatrixStore", Some(place), |row, column| {
                Some(place.address(type_, row, column))
            });
            let matrix = fetch(cx, object);
            if cx.env.settings.checked {
                let apart = cx.check_placement(AccessKind::Write, type_, &place);
                cx.check_elements_written(type_, &matrix, apart, place.address, &|index| {
                    let (row, column) = type_.row_and_column(index);
                    Some(place.address(type_, row, column))
                });
            }
            store(&matrix, &mut cx.env.memory, &place, &mut cx.env.report.scratch);
        }
        Operation::Length { result, type_ } => {
            let length = map(cx, type_).length();
            let plane = cx.plane(*result);
            cx.registers.set_uniform(plane, length);
        }
        Operation::Coordinate { result, type_, index } => coordinate(cx, *result, type_, *index),
        Operation::ElementLoad { result, type_, holder, index } => {
            let plane = holder_plane(cx, *holder)?;
            let matrix = matrix_at(cx, plane, type_);
            let index = *index;
            element_load(cx, *result, type_, &matrix, |cx, lane| number(cx, index, lane));
        }
        Operation::ElementStore { type_, holder, index, value } => {
            let plane = holder_plane(cx, *holder)?;
            let index = *index;
            let mut matrix = cx.registers.take_matrix(plane).filter(|matrix| fits(matrix, type_));
            let mut matrix = matrix.take().unwrap_or_else(|| Arc::new(undefined(cx, type_)));
            element_store(cx, type_, &mut matrix, *value, |cx, lane| number(cx, index, lane));
            cx.registers.set_matrix(plane, matrix);
        }
        Operation::Extract { result, object, index } => {
            let matrix = fetch(cx, object);
            element_load(cx, *result, &object.type_, &matrix, |_, _| u64::from(*index));
        }
        Operation::Insert { result, object, index, value } => {
            let mut matrix = fetch(cx, object);
            element_store(cx, &object.type_, &mut matrix, *value, |_, _| u64::from(*index));
            set(cx, *result, matrix);
        }
        Operation::Binary { result, operation, a, b } => {
            let numerics = cx.numerics(a.type_.component);
            let (a, b) = (fetch(cx, a), fetch(cx, b));
            let value = binary(*operation, a, &b, &numerics);
            set(cx, *result, value);
        }
        Operation::Negate { result, a } => {
            let value = negate(fetch(cx, a));
            set(cx, *result, value);
        }
        Operation::TimesScalar { result, a, scalar } => {
            let bits = component_bits(cx, *scalar, &a.type_);
            let value = times_scalar(fetch(cx, a), bits, &cx.numerics(a.type_.component));
            set(cx, *result, value);
        }
        Operation::Convert { result, source, type_, conversion, transposed } => {
            let matrix = fetch(cx, source);
            let numerics = cx.numerics(type_.component);
            let matrix = if *transposed { Arc::new(turned(&matrix, type_)) } else { matrix };
            set(cx, *result, Arc::new(convert(&matrix, *type_, *conversion, &numerics)));
        }
        Operation::Bitcast { result, source, type_, transposed } => {
            let matrix = fetch(cx, source);
            let matrix = if *transposed { Arc::new(turned(&matrix, type_)) } else { matrix };
            set(cx, *result, Arc::new(bitcast(&matrix, *type_)));
        }
        Operation::ChangeUse { result, source, type_, transposed } => {
            let matrix = fetch(cx, source);
            let numerics = cx.numerics(type_.component);
            let matrix =
                if *transposed { transpose(&matrix, *type_, &numerics) } else { change_use(&matrix, *type_) };
            set(cx, *result, Arc::new(matrix));
        }
        Operation::MultiplyAdd { result, a, b, c, type_, operands } => {
            multiply::multiply_add(cx, *result, [a, b, c], type_, *operands)?;
        }
        Operation::Reduce { result, source, type_, reduce: mode, function } => {
            let matrix = fetch(cx, source);
            tell(cx, "CooperativeMatrixReduce", [source.type_.rows, source.type_.columns, 0]);
            let order = match cx.env.settings.numerics.mode {
                Mode::NvidiaHopper if cx.env.settings.subgroup_size == 32 => Order::Hopper,
                _ => Order::Neighbours,
            };
            let value = reduce(&matrix, *type_, *mode, order, &mut |left, right| {
                let (left, right) = (words(left, type_), words(right, type_));
                let mut results = Vec::new();
                let elements = left.len() / planes(type_);
                cx.call_over_elements(
                    *function,
                    elements,
                    &[Argument::Each(&left), Argument::Each(&right)],
                    &mut results,
                )?;
                Ok::<_, RunError>(bits(&results, elements, type_))
            })?;
            set(cx, *result, Arc::new(value));
        }
        Operation::PerElement { result, source, function, extra } => {
            let value = per_element(cx, source, *function, extra)?;
            set(cx, *result, Arc::new(value));
        }
        Operation::LoadTensor { result, object, from, scalar, vector } => {
            let value = load_tensor(cx, object, from, *scalar, *vector)?;
            set(cx, *result, Arc::new(value));
        }
        Operation::StoreTensor { object, to } => store_tensor(cx, object, to),
        Operation::Construct { result, type_, array, width, length } => {
            lane_arrays::construct(cx, *result, *type_, *array, *width, *length);
        }
        Operation::ExtractArray { result, object, width, length } => {
            lane_arrays::extract(cx, *result, object, *width, *length);
        }
        Operation::BitcastArray { result, array, from_width, to_width, length } => {
            lane_arrays::bitcast_array(cx, *result, *array, *from_width, *to_width, *length);
        }
        Operation::SubArray { result, array, start, planes, length, source_length } => {
            let (array, source_length, start) = (*array, *source_length, *start);
            let part = Part { array, source_length, start, length: *length, planes: *planes };
            lane_arrays::subarray(cx, *result, &part);
        }
        Operation::CreateLayout { result, dimensions, clamp_mode } => {
            set_words(cx, *result, &TensorLayout::new(*dimensions, *clamp_mode).to_words());
        }
        Operation::ChangeLayout { result, source, dimensions, clamp_mode, change, values } => {
            let mut layout = tensor_layout(cx, *source, *dimensions, *clamp_mode);
            let values: Vec<u32> = values.iter().map(|slot| cx.registers.any(cx.plane(*slot))).collect();
            match change {
                LayoutChange::BlockSize => layout.set_block_size(&values),
                LayoutChange::Dimension => layout.set_dimension(&values),
                LayoutChange::Stride => layout.set_stride(&values),
                LayoutChange::Slice => layout.slice(&values),
                LayoutChange::ClampValue => layout.clamp_value = values.first().copied().unwrap_or(0),
            }
            set_words(cx, *result, &layout.to_words());
        }
        Operation::CreateView { result, view } => set_words(cx, *result, &view.to_words()),
        Operation::ChangeView { result, source, view, change, values } => {
            let mut view = tensor_view(cx, *source, *view);
            let values: Vec<u32> = values.iter().map(|slot| cx.registers.any(cx.plane(*slot))).collect();
            match change {
                ViewChange::Dimension => view.set_dimension(&values),
                ViewChange::Stride => view.set_stride(&values),
                ViewChange::Clip => {
                    view.clip.iter_mut().zip(&values).for_each(|(slot, value)| *slot = *value)
                }
            }
            set_words(cx, *result, &view.to_words());
        }
    }
    Ok(())
}

fn turned(matrix: &Matrix, type_: &MatrixType) -> Matrix {
    let target = MatrixType { component: matrix.type_().component, ..*type_ };
    transpose(matrix, target, &Default::default())
}
