//! What instructions on matrices take from registers and give back to them.

use std::sync::Arc;

use crate::RunError;
use crate::machine::{Context, Plane};
use crate::matrix::memory::{Layout, Placement};
use crate::matrix::operation::{Holder, Number, Pointer, Source, Strided};
use crate::matrix::{Matrix, MatrixType};
use crate::program::Slot;

impl Source {
    /// The plane that holds the matrix; none where a register leads beyond all planes.
    pub fn plane(&self, cx: &Context) -> Option<Plane> {
        match self.through {
            None => Some(cx.plane(self.slot)),
            Some((pointer, offset)) => {
                let plane = cx.registers.any(cx.plane(pointer)).checked_add(offset)?;
                (plane < cx.registers.planes()).then_some(plane)
            }
        }
    }
}

/// The elements that an undefined matrix has, marked where somebody asks.
pub(super) fn undefined(cx: &Context, type_: &MatrixType) -> Matrix {
    if cx.env.settings.checked { Matrix::undefined(*type_) } else { Matrix::zero(*type_) }
}

pub(super) fn fits(matrix: &Matrix, type_: &MatrixType) -> bool {
    let found = matrix.type_();
    found.component.width() == type_.component.width()
        && found.component.is_float() == type_.component.is_float()
        && (found.rows, found.columns) == (type_.rows, type_.columns)
}

/// A matrix that a register holds; an undefined one where nothing was written.
pub(in crate::matrix) fn fetch(cx: &Context, source: &Source) -> Arc<Matrix> {
    match source.plane(cx) {
        Some(plane) => matrix_at(cx, plane, &source.type_),
        None => Arc::new(undefined(cx, &source.type_)),
    }
}

pub(super) fn matrix_at(cx: &Context, plane: Plane, type_: &MatrixType) -> Arc<Matrix> {
    match cx.registers.matrix(plane) {
        Some(matrix) if fits(matrix, type_) => matrix.clone(),
        _ => Arc::new(undefined(cx, type_)),
    }
}

pub(in crate::matrix) fn set(cx: &mut Context, result: Slot, matrix: Arc<Matrix>) {
    let plane = cx.plane(result);
    cx.registers.set_matrix(plane, matrix);
}

/// A matrix to write over: what the result's register held before, or one that no register holds any more.
pub(super) fn reusable(cx: &mut Context, plane: Plane, type_: &MatrixType) -> Arc<Matrix> {
    match cx.registers.take_matrix(plane) {
        Some(matrix) if matrix.type_() == type_ && Arc::strong_count(&matrix) == 1 => matrix,
        _ => cx.registers.spare_matrix(type_).unwrap_or_else(|| Arc::new(Matrix::zero(*type_))),
    }
}

/// The bits of a scalar that is the same for all invocations.
pub(in crate::matrix) fn component_bits(cx: &Context, slot: Slot, type_: &MatrixType) -> u64 {
    let plane = cx.plane(slot);
    if type_.component.width() == 64 {
        cx.registers.any_wide(plane)
    } else {
        u64::from(cx.registers.any(plane))
    }
}

pub(super) fn number(cx: &Context, number: Number, lane: usize) -> u64 {
    let plane = cx.plane(number.slot);
    match (number.wide, number.signed) {
        (true, _) => cx.registers.get_wide(plane, lane),
        (false, true) => cx.registers.get(plane, lane) as i32 as i64 as u64,
        (false, false) => u64::from(cx.registers.get(plane, lane)),
    }
}

pub(super) fn address(cx: &Context, pointer: &Pointer) -> u64 {
    cx.registers.any_wide(cx.plane(pointer.slot)).wrapping_add(u64::from(pointer.offset))
}

pub(super) fn placement(cx: &Context, strided: &Strided) -> Placement {
    let stride = match strided.stride {
        Some(stride) => number(cx, stride, cx.registers.first_active()).wrapping_mul(strided.unit),
        None => 0,
    };
    let stride = match strided.layout {
        Layout::RowMajor | Layout::ColumnMajor => stride,
        // Validated modules have 1, 2 or 4 here.
        Layout::RowBlockedInterleaved | Layout::ColumnBlockedInterleaved => stride.clamp(1, 1 << 16),
    };
    Placement { address: address(cx, &strided.pointer), layout: strided.layout, stride }
}

pub(super) fn holder_plane(cx: &Context, holder: Holder) -> Result<Plane, RunError> {
    match holder {
        Holder::Plane(slot) => Ok(cx.plane(slot)),
        Holder::Pointer { pointer, offset } => {
            let plane = cx.registers.any(cx.plane(pointer)).saturating_add(offset);
            if plane < cx.registers.planes() {
                Ok(plane)
            } else {
                Err(RunError::invalid("an index into an array of cooperative matrices is out of range"))
            }
        }
    }
}

/// How many planes a component takes.
pub(super) fn planes(type_: &MatrixType) -> usize {
    if type_.component.width() == 64 { 2 } else { 1 }
}

/// Bits of components as words in planes.
pub(super) fn words(bits: &[u64], type_: &MatrixType) -> Vec<u32> {
    let mut words: Vec<u32> = bits.iter().map(|bits| *bits as u32).collect();
    if planes(type_) == 2 {
        words.extend(bits.iter().map(|bits| (bits >> 32) as u32));
    }
    words
}

/// The other way round; `count` elements from the front.
pub(super) fn bits(words: &[u32], count: usize, type_: &MatrixType) -> Vec<u64> {
    let (low, high) = words.split_at(count.min(words.len()));
    match planes(type_) {
        2 => low.iter().zip(high).map(|(low, high)| u64::from(*low) | u64::from(*high) << 32).collect(),
        _ => low.iter().map(|word| u64::from(*word)).collect(),
    }
}

pub(super) fn set_words(cx: &mut Context, result: Slot, words: &[u32]) {
    for (index, word) in words.iter().enumerate() {
        let plane = cx.plane(result.offset(index as u32));
        cx.registers.set_uniform(plane, *word);
    }
}
