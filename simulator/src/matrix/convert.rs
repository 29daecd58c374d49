//! The same elements in another component type, in another use, transposed, or the same bits read otherwise.

use super::{Component, Data, Matrix, MatrixType};
use crate::numerics::{Numerics, Overflow, bulk, integers};

/// A conversion instruction.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Conversion {
    /// OpFConvert; with `SaturatedToLargestFloat8NormalConversionEXT` where `saturate`.
    FloatToFloat { saturate: bool },
    /// OpConvertFToS and OpConvertFToU: towards zero. What does not fit becomes the nearest number that does, NaN zero.
    FloatToInteger { signed: bool },
    /// OpConvertSToF and OpConvertUToF.
    IntegerToFloat { signed: bool },
    /// OpSConvert and OpUConvert.
    IntegerToInteger { signed: bool },
}

/// The elements in another component type; use, too, where the types say so (SPV_NV_cooperative_matrix2).
pub fn convert(matrix: &Matrix, target: MatrixType, conversion: Conversion, numerics: &Numerics) -> Matrix {
    let mut result = Matrix::zero(target);
    let source = matrix.type_.component;
    match (conversion, &matrix.data, &mut result.data, target.component) {
        (Conversion::FloatToFloat { saturate }, Data::F32(from), Data::F32(to), Component::Float(format)) => {
            copy(from, to);
            let overflow = if saturate { Overflow::Saturate } else { Overflow::Special };
            bulk::round_all(format, to, numerics.conversion_to(format), overflow);
            super::arithmetic::flush(to, format, numerics.denormals);
        }
        (Conversion::FloatToFloat { .. }, Data::F32(from), Data::F64(to), _) => {
            from.iter()
                .zip(to)
                .for_each(|(from, to)| *to = if from.is_nan() { f64::NAN } else { (*from).into() });
        }
        _ => {
            for index in 0..target.count() {
                result.set(index, one(matrix.get(index), source, target.component, conversion, numerics));
            }
        }
    }
    result.taint(matrix.undefined_bits());
    result
}

fn copy<T: Copy>(from: &[T], to: &mut [T]) {
    from.iter().zip(to).for_each(|(from, to)| *to = *from);
}

fn one(bits: u64, source: Component, target: Component, conversion: Conversion, numerics: &Numerics) -> u64 {
    let extend = |signed| integers::Component { width: source.width(), signed }.extend(bits);
    match (conversion, target) {
        (Conversion::FloatToFloat { saturate }, Component::Float(format)) => {
            let overflow = if saturate { Overflow::Saturate } else { Overflow::Special };
            format.from_f64(source.number(bits), numerics.conversion_to(format), overflow)
        }
        (Conversion::FloatToInteger { signed }, Component::Integer { width, .. }) => {
            let value = source.number(bits);
            match (signed, width) {
                (true, 8) => value as i8 as u8 as u64,
                (true, 16) => value as i16 as u16 as u64,
                (true, 64) => value as i64 as u64,
                (true, _) => value as i32 as u32 as u64,
                (false, 8) => value as u8 as u64,
                (false, 16) => value as u16 as u64,
                (false, 64) => value as u64,
                (false, _) => value as u32 as u64,
            }
        }
        (Conversion::IntegerToFloat { signed }, Component::Float(format)) => {
            let value = extend(signed);
            format.of_integer(value < 0, value.unsigned_abs() as u64, numerics.rounding)
        }
        (Conversion::IntegerToInteger { signed }, Component::Integer { .. }) => {
            extend(signed) as u64 & target.mask()
        }
        // No valid module asks for it.
        _ => bits & target.mask(),
    }
}

/// OpBitcast: components of the same width.
pub fn bitcast(matrix: &Matrix, target: MatrixType) -> Matrix {
    let mut result = Matrix::zero(target);
    match (&matrix.data, &mut result.data) {
        (Data::U32(from), Data::U32(to)) => copy(from, to),
        (Data::U64(from), Data::U64(to)) => copy(from, to),
        _ => (0..target.count()).for_each(|index| result.set(index, matrix.get(index))),
    }
    result.taint(matrix.undefined_bits());
    result
}

/// OpCooperativeMatrixConvertNV: the same elements in another use.
pub fn change_use(matrix: &Matrix, target: MatrixType) -> Matrix {
    let mut result = matrix.clone();
    if result.type_.count() == target.count() && result.type_.component.width() == target.component.width() {
        result.retype(target);
    } else {
        result = bitcast(matrix, target);
    }
    result
}

/// OpCooperativeMatrixTransposeNV; the component type may change with it where the two are floats or integers of one width.
pub fn transpose(matrix: &Matrix, target: MatrixType, numerics: &Numerics) -> Matrix {
    let source = matrix.type_;
    let swapped = MatrixType { rows: source.columns, columns: source.rows, ..source };
    let mut result = Matrix::zero(MatrixType { component: source.component, ..target });
    let columns = source.columns as usize;
    fn swap<T: Copy>(from: &[T], to: &mut [T], columns: usize, width: usize) {
        for (row, from) in from.chunks_exact(columns.max(1)).enumerate() {
            for (column, value) in from.iter().enumerate() {
                if let Some(slot) = to.get_mut(column * width + row) {
                    *slot = *value;
                }
            }
        }
    }
    let width = swapped.columns as usize;
    match (&matrix.data, &mut result.data) {
        (Data::F32(from), Data::F32(to)) => swap(from, to, columns, width),
        (Data::F64(from), Data::F64(to)) => swap(from, to, columns, width),
        (Data::U32(from), Data::U32(to)) => swap(from, to, columns, width),
        (Data::U64(from), Data::U64(to)) => swap(from, to, columns, width),
        _ => {}
    }
    if matrix.any_undefined() {
        for index in (0..source.count()).filter(|index| matrix.is_undefined(*index)) {
            let (row, column) = source.row_and_column(index);
            result.set_undefined(column as usize * width + row as usize, true);
        }
    }
    match (source.component, target.component) {
        (from, to) if from == to => result,
        (Component::Float(_), Component::Float(_)) => {
            convert(&result, target, Conversion::FloatToFloat { saturate: false }, numerics)
        }
        _ => bitcast(&result, target),
    }
}
