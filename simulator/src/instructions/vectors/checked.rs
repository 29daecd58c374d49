//! What checked mode looks at before an instruction on cooperative vectors and memory: addresses and strides, and what is undefined
//! (GL_NV_cooperative_vector, 8.X Cooperative Vector Functions).

use super::operands::address;
use crate::checks::FindingKind;
use crate::code::{Start, StoredMatrix, VectorMemoryInstruction, VectorOperand};
use crate::machine::{Context, lanes_of};
use crate::memory::{SHARED, parts};
use crate::vector_layout::CooperativeVectorMatrixLayout;

/// What vectors, biases and sums begin at a multiple of, in bytes, and what strides are multiples of.
const VECTOR: u64 = 16;
/// The same of matrices that are multiplied with.
const MATRIX: u64 = 64;

pub(in crate::instructions) fn before(instruction: &VectorMemoryInstruction, cx: &mut Context) {
    let updates = matches!(
        instruction,
        VectorMemoryInstruction::Sum { .. } | VectorMemoryInstruction::OuterProduct { .. }
    );
    cx.env.report.checks.atomic = updates;
    match instruction {
        VectorMemoryInstruction::Load { at, .. } | VectorMemoryInstruction::Store { at, .. } => {
            start(cx, *at, VECTOR, "the vector");
        }
        VectorMemoryInstruction::Sum { value, at } => {
            start(cx, *at, VECTOR, "the array of sums");
            defined(cx, *value);
        }
        VectorMemoryInstruction::Product(product) => {
            matrix(cx, &product.matrix, MATRIX);
            if let Some(bias) = product.bias {
                start(cx, bias.at, VECTOR, "the bias");
            }
        }
        VectorMemoryInstruction::OuterProduct { a, b, matrix: sums } => {
            matrix(cx, sums, VECTOR);
            overlap(cx, sums);
            defined(cx, *a);
            defined(cx, *b);
        }
    }
}

fn start(cx: &mut Context, at: Start, needed: u64, what: &str) {
    let (pointer, offset, mask) = (cx.plane(at.pointer), cx.plane(at.offset), cx.mask());
    cx.check_defined(pointer, mask, "the address");
    cx.check_defined(offset, mask, "the offset");
    for lane in lanes_of(mask) {
        let address = address(cx, at, lane);
        // In shared memory only the offset has to be aligned, not the array.
        if parts(address).0 != SHARED {
            cx.check_start(lane, address, needed, what);
            continue;
        }
        let bytes = cx.registers.get(offset, lane);
        if !u64::from(bytes).is_multiple_of(needed) {
            cx.find_with(FindingKind::Misaligned, lane, None, |_| {
                format!("the offset of {bytes} bytes of {what} is not a multiple of {needed} bytes")
            });
        }
    }
}

/// Where a matrix begins, and its stride.
fn matrix(cx: &mut Context, matrix: &StoredMatrix, needed: u64) {
    start(cx, matrix.at, needed, "the matrix");
    let Some((stride, name, ..)) = lines(cx, matrix) else { return };
    cx.check_defined(stride, cx.mask(), "the stride");
    for lane in lanes_of(cx.mask()) {
        let bytes = u64::from(cx.registers.get(stride, lane));
        if !bytes.is_multiple_of(VECTOR) {
            cx.find_with(FindingKind::Misaligned, lane, None, |_| {
                format!("the stride of {bytes} bytes is not a multiple of {VECTOR} bytes; pad the {name}s")
            });
        }
    }
}

/// The stride's plane, what a line is called, and its bytes, where a matrix has several lines.
fn lines(cx: &Context, matrix: &StoredMatrix) -> Option<(u32, &'static str, u64)> {
    let (name, length, count) = match matrix.layout {
        CooperativeVectorMatrixLayout::RowMajor => ("row", matrix.columns, matrix.rows),
        CooperativeVectorMatrixLayout::ColumnMajor => ("column", matrix.rows, matrix.columns),
        CooperativeVectorMatrixLayout::InferencingOptimal
        | CooperativeVectorMatrixLayout::TrainingOptimal => return None,
    };
    let stride = matrix.stride.filter(|_| count > 1)?;
    Some((cx.plane(stride), name, u64::from(length) * u64::from(matrix.scalar.bytes())))
}

/// Sums of one element that go into another one, too.
fn overlap(cx: &mut Context, matrix: &StoredMatrix) {
    let Some((stride, name, needed)) = lines(cx, matrix) else { return };
    for lane in lanes_of(cx.mask()) {
        let bytes = u64::from(cx.registers.get(stride, lane));
        if bytes < needed {
            cx.find_with(FindingKind::StrideBelowRow, lane, None, |_| {
                format!(
                    "{name}s of {needed} bytes are {bytes} bytes apart, so that each overlaps the one before; the stride must be at least {needed}"
                )
            });
        }
    }
}

fn defined(cx: &mut Context, vector: VectorOperand) {
    let (first, planes) = (cx.plane(vector.first), vector.count * vector.scalar.planes());
    for plane in first..first + planes {
        let undefined = cx.registers.undefined(plane) & cx.mask();
        if undefined != 0 {
            return cx.find_undefined(undefined.trailing_zeros() as usize, "what is added");
        }
    }
}
