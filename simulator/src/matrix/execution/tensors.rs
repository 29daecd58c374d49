//! Loads and stores through tensor layouts and views, with decode functions.

use super::accesses::{announce, check_read, tell};
use super::operands::{address, bits, fetch, planes};
use crate::RunError;
use crate::checks::FindingKind;
use crate::machine::{Argument, Context};
use crate::matrix::operation::{Decoder, Source, Tensor};
use crate::matrix::tensor::{self, Access, Call, ClampMode, Place, TensorLayout, TensorView};
use crate::matrix::{Matrix, MatrixType};
use crate::observer::AccessKind;
use crate::program::Slot;
use crate::settings::DecodeChoice;

pub(super) fn tensor_layout(
    cx: &Context,
    slot: Slot,
    dimensions: usize,
    clamp_mode: ClampMode,
) -> TensorLayout {
    TensorLayout::from_words(dimensions, clamp_mode, |word| {
        cx.registers.any(cx.plane(slot.offset(word as u32)))
    })
}

pub(super) fn tensor_view(cx: &Context, slot: Slot, view: TensorView) -> TensorView {
    view.with_words(|word| cx.registers.any(cx.plane(slot.offset(word as u32))))
}

/// Where each element goes, in rows.
struct Places {
    layout: TensorLayout,
    all: Vec<Place>,
    base: u64,
}

fn places(cx: &mut Context, tensor: &Tensor, type_: &MatrixType, access: Access) -> Places {
    let layout = tensor_layout(cx, tensor.layout, tensor.dimensions, tensor.clamp_mode);
    let view = tensor.view.map(|(slot, view)| tensor_view(cx, slot, view));
    let all: Vec<Place> = (0..type_.count())
        .map(|index| {
            let (row, column) = type_.row_and_column(index);
            tensor::place(&layout, view.as_ref(), type_, row, column, access)
        })
        .collect();
    if cx.env.settings.checked {
        let lane = cx.registers.first_active();
        if let Some(mistake) = layout.mistake().or_else(|| view.as_ref()?.mistake()) {
            cx.find(FindingKind::OutOfBounds, lane, mistake);
        }
        if let Some(overlap) = layout.overlap() {
            cx.find(FindingKind::StrideBelowRow, lane, overlap);
        }
        let outside = all.iter().position(|place| matches!(place, Place::Element { outside: true, .. }));
        if let Some(index) = outside {
            let (row, column) = type_.row_and_column(index);
            let message = format!(
                "element ({row}, {column}) is outside the tensor, and the layout's clamp mode is Undefined"
            );
            cx.find(FindingKind::OutOfBounds, lane, message);
        }
    }
    Places { layout, all, base: address(cx, &tensor.pointer) }
}

pub(super) fn load_tensor(
    cx: &mut Context,
    object: &Source,
    from: &Tensor,
    scalar: Option<Decoder>,
    vector: Option<Decoder>,
) -> Result<Matrix, RunError> {
    let type_ = &object.type_;
    let places = places(cx, from, type_, Access::Load);
    let mut matrix = (*fetch(cx, object)).clone();
    for (index, place) in places.all.iter().enumerate() {
        if *place == Place::Clamped {
            // The bits of the component, as hardware takes them.
            matrix.set(index, u64::from(places.layout.clamp_value));
        }
    }
    let Some(scalar) = scalar else {
        let size = u64::from(type_.component.bytes());
        let address = |index: usize| match places.all[index] {
            Place::Element { index, .. } => {
                Some(places.base.wrapping_add(u64::from(index).wrapping_mul(size)))
            }
            Place::Clipped | Place::Clamped => None,
        };
        announce(cx, AccessKind::Read, type_, "CooperativeMatrixLoadTensor", None, |row, column| {
            address((row * type_.columns + column) as usize)
        });
        for index in 0..type_.count() {
            if let Some(address) = address(index) {
                matrix.set(index, cx.env.memory.read(address, size as u32));
            }
        }
        if cx.env.settings.checked {
            check_read(cx, type_, &mut matrix, places.base, &address);
        }
        return Ok(matrix);
    };
    tell(cx, "CooperativeMatrixLoadTensor", [type_.rows, type_.columns, 0]);
    let choice = cx.env.settings.decode;
    let (vectors, scalars) = match vector {
        Some(vector) => {
            let mut turn = false;
            tensor::vector_calls(&places.all, &places.layout, type_, vector.width as usize, || {
                turn = !turn;
                match choice {
                    DecodeChoice::Scalar => false,
                    DecodeChoice::Vector => true,
                    DecodeChoice::Mixed => turn,
                }
            })
        }
        None => tensor::vector_calls(&places.all, &places.layout, type_, 1, || false),
    };
    decode(cx, &places, scalar, &scalars, &mut matrix)?;
    if let Some(vector) = vector {
        decode(cx, &places, vector, &vectors, &mut matrix)?;
        if cx.env.settings.checked && !vectors.is_empty() {
            compare_decoders(cx, &places, scalar, &vectors, &matrix)?;
        }
    }
    Ok(matrix)
}

/// Calls a decode function for each of `calls`, and puts what it gives into the matrix.
fn decode(
    cx: &mut Context,
    places: &Places,
    decoder: Decoder,
    calls: &[Call],
    matrix: &mut Matrix,
) -> Result<(), RunError> {
    if calls.is_empty() {
        return Ok(());
    }
    let (count, dimensions) = (calls.len(), places.layout.dimensions);
    let addresses: Vec<u64> = calls
        .iter()
        .map(|call| places.base.wrapping_add(u64::from(call.index).wrapping_mul(u64::from(decoder.size))))
        .collect();
    let mut pointer: Vec<u32> = addresses.iter().map(|address| *address as u32).collect();
    pointer.extend(addresses.iter().map(|address| (address >> 32) as u32));
    let coordinates = |of: fn(&Call) -> &tensor::Coordinate| -> Vec<u32> {
        (0..dimensions).flat_map(|dim| calls.iter().map(move |call| of(call)[dim])).collect()
    };
    let (block, in_block) = (coordinates(|call| &call.block), coordinates(|call| &call.in_block));
    let arguments = [Argument::Each(&pointer), Argument::Each(&block), Argument::Each(&in_block)];
    let mut results = Vec::new();
    cx.call_over_elements(decoder.function, count, &arguments, &mut results)?;
    let type_ = *matrix.type_();
    for (part, words) in results.chunks_exact(count * planes(&type_)).enumerate() {
        for (call, bits) in calls.iter().zip(bits(words, count, &type_)) {
            if let Some(element) = call.elements.get(part) {
                matrix.set(*element as usize, bits);
            }
        }
    }
    Ok(())
}

/// Says where the scalar function gives something else than the vector function gave.
fn compare_decoders(
    cx: &mut Context,
    places: &Places,
    scalar: Decoder,
    vectors: &[Call],
    matrix: &Matrix,
) -> Result<(), RunError> {
    let calls: Vec<Call> = vectors
        .iter()
        .flat_map(|call| &call.elements)
        .filter_map(|element| match places.all[*element as usize] {
            Place::Element { index, block, in_block, .. } => {
                Some(Call { index, block, in_block, elements: vec![*element] })
            }
            Place::Clipped | Place::Clamped => None,
        })
        .collect();
    let mut other = matrix.clone();
    decode(cx, places, scalar, &calls, &mut other)?;
    let type_ = matrix.type_();
    if let Some(index) = (0..type_.count()).find(|index| matrix.get(*index) != other.get(*index)) {
        let (row, column) = type_.row_and_column(index);
        let message = format!(
            "element ({row}, {column}) is {} by the decode function, but {} by the one for vectors",
            other.number(index),
            matrix.number(index)
        );
        cx.find(FindingKind::DecodeMismatch, cx.registers.first_active(), message);
    }
    Ok(())
}

pub(super) fn store_tensor(cx: &mut Context, object: &Source, to: &Tensor) {
    let type_ = &object.type_;
    let places = places(cx, to, type_, Access::Store);
    let size = u64::from(type_.component.bytes());
    let address = |index: usize| match places.all[index] {
        Place::Element { index, .. } => Some(places.base.wrapping_add(u64::from(index).wrapping_mul(size))),
        Place::Clipped | Place::Clamped => None,
    };
    announce(cx, AccessKind::Write, type_, "CooperativeMatrixStoreTensor", None, |row, column| {
        address((row * type_.columns + column) as usize)
    });
    let matrix = fetch(cx, object);
    if cx.env.settings.checked {
        let apart = check_apart(cx, type_, &address);
        cx.check_elements_written(type_, &matrix, apart, places.base, &address);
    }
    for index in 0..type_.count() {
        if let Some(address) = address(index) {
            cx.env.memory.write(address, size as u32, matrix.get(index));
        }
    }
}

/// Whether no two elements are stored at one place, which is reported otherwise.
fn check_apart(cx: &mut Context, type_: &MatrixType, address: &dyn Fn(usize) -> Option<u64>) -> bool {
    let mut all: Vec<(u64, usize)> =
        (0..type_.count()).filter_map(|index| Some((address(index)?, index))).collect();
    all.sort_unstable();
    let shared = all.windows(2).find_map(|two| match two {
        [(a, first), (b, second)] if a == b => Some([*first, *second]),
        _ => None,
    });
    let Some(shared) = shared else { return true };
    let [(row, column), (other_row, other_column)] = shared.map(|index| type_.row_and_column(index));
    let message = format!(
        "elements ({row}, {column}) and ({other_row}, {other_column}) are stored at one place; the strides of the tensor layout and its view must keep them apart"
    );
    cx.find(FindingKind::StrideBelowRow, cx.registers.first_active(), message);
    false
}
