//! SPV_QCOM_cooperative_matrix_conversion: rows (columns, for use B) of a matrix as arrays of the invocations.

use super::{Matrix, MatrixType, Use};

/// How many invocations have a row, and how many elements it has.
pub(super) fn lines(type_: &MatrixType) -> (u32, u32) {
    match type_.use_ {
        Use::B => (type_.columns, type_.rows),
        Use::A | Use::Accumulator | Use::Unspecified => (type_.rows, type_.columns),
    }
}

fn index(type_: &MatrixType, line: u32, place: u32) -> usize {
    let (row, column) = if type_.use_ == Use::B { (place, line) } else { (line, place) };
    (row * type_.columns + column) as usize
}

/// How many components of the matrix one element of the array holds: several where it is a 32-bit integer.
fn packing(type_: &MatrixType, element_width: u32) -> u32 {
    (element_width / type_.component.width().max(1)).max(1)
}

/// OpCompositeConstructCoopMatQCOM. `element(invocation, i)` gives the bits of the invocation's array at `i`, and whether they
/// are undefined.
pub fn construct(
    type_: MatrixType,
    element_width: u32,
    mut element: impl FnMut(u32, u32) -> (u64, bool),
) -> Matrix {
    let mut matrix = Matrix::zero(type_);
    let (count, length) = lines(&type_);
    let packing = packing(&type_, element_width);
    for line in 0..count {
        for place in 0..length {
            let (bits, undefined) = element(line, place / packing);
            let bits = bits >> (place % packing * type_.component.width()).min(63) & type_.component.mask();
            let index = index(&type_, line, place);
            matrix.set(index, bits);
            if undefined {
                matrix.set_undefined(index, true);
            }
        }
    }
    matrix
}

/// OpCompositeExtractCoopMatQCOM: element `i` of the array that an invocation gets, and whether it is undefined, as all elements are that
/// invocations beyond the last row get. What is undefined has its bits all the same: results do not depend on who looks.
pub fn extract(matrix: &Matrix, element_width: u32, invocation: u32, i: u32) -> (u64, bool) {
    let type_ = matrix.type_();
    let (count, length) = lines(type_);
    let packing = packing(type_, element_width);
    if invocation >= count || i * packing >= length {
        return (0, true);
    }
    let (mut bits, mut undefined) = (0, false);
    for part in 0..packing {
        let place = i * packing + part;
        if place >= length {
            break;
        }
        let index = index(type_, invocation, place);
        undefined |= matrix.is_undefined(index);
        bits |= matrix.get(index) << (part * type_.component.width()).min(63);
    }
    (bits, undefined)
}
