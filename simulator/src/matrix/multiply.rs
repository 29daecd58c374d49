//! Multiply-add of matrices: OpCooperativeMatrixMulAddKHR, and NV's first version.

use std::sync::Arc;

use super::{Component, Data, Matrix, MatrixType};
use crate::numerics::{
    Denormals, Format, Formats, Numerics, Shape, Step, add_product, integers,
    multiply_add as multiply_floats, multiply_add_f64, step,
};

/// Cooperative Matrix Operands.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Operands {
    pub a_signed: bool,
    pub b_signed: bool,
    pub c_signed: bool,
    pub result_signed: bool,
    pub saturating: bool,
}

impl Operands {
    /// From the literal mask.
    pub fn from_mask(mask: u32) -> Self {
        Operands {
            a_signed: mask & 1 != 0,
            b_signed: mask & 2 != 0,
            c_signed: mask & 4 != 0,
            result_signed: mask & 8 != 0,
            saturating: mask & 16 != 0,
        }
    }

    /// SPV_NV_cooperative_matrix has no mask: the component types say what is signed.
    pub fn from_types(a: &MatrixType, b: &MatrixType, c: &MatrixType, result: &MatrixType) -> Self {
        let signed = |type_: &MatrixType| matches!(type_.component, Component::Integer { signed: true, .. });
        Operands {
            a_signed: signed(a),
            b_signed: signed(b),
            c_signed: signed(c),
            result_signed: signed(result),
            saturating: false,
        }
    }
}

/// What a multiply-add has to tell in checked mode.
#[derive(Clone, Debug, PartialEq, Default)]
pub struct Outcome {
    /// The first element of which the product's sum overflowed although the accumulation saturates: it is undefined.
    pub overflow: Option<usize>,
}

/// Why a multiply-add cannot be done.
#[derive(Clone, Debug, PartialEq)]
pub struct Mismatch(pub String);

/// `a * b + c`. The storage of `c` becomes the result's where nobody else holds it.
pub fn multiply_add(
    a: &Matrix,
    b: &Matrix,
    c: Arc<Matrix>,
    result: MatrixType,
    operands: Operands,
    numerics: &Numerics,
) -> Result<(Arc<Matrix>, Outcome), Mismatch> {
    let type_c = c.type_;
    let mut c = match (&c.data, result.component) {
        (Data::F32(_), Component::Float(format)) if format != crate::numerics::Format::F64 => c,
        (Data::F64(_), Component::Float(crate::numerics::Format::F64)) => c,
        (Data::U32(_), Component::Integer { width, .. }) if width <= 32 => c,
        (Data::U64(_), Component::Integer { width: 64, .. }) => c,
        _ if (type_c.rows, type_c.columns) == (result.rows, result.columns) => {
            Arc::new(widened(&c, result, operands.c_signed))
        }
        _ => c,
    };
    let outcome = accumulate_of(a, b, Arc::make_mut(&mut c), type_c, result, operands, numerics)?;
    Ok((c, outcome))
}

/// The same where C has the result's component type: `c += a * b`.
pub(crate) fn accumulate(
    a: &Matrix,
    b: &Matrix,
    c: &mut Matrix,
    result: MatrixType,
    operands: Operands,
    numerics: &Numerics,
) -> Result<Outcome, Mismatch> {
    let type_c = c.type_;
    accumulate_of(a, b, c, type_c, result, operands, numerics)
}

/// How [`add_plainly`] does it where that is all of a multiply-add: sums in `f32` that stay as they are.
pub(crate) fn plain_step(types: [&MatrixType; 3], numerics: &Numerics) -> Option<Step> {
    let [Component::Float(a), Component::Float(b), Component::Float(result)] =
        types.map(|type_| type_.component)
    else {
        return None;
    };
    let narrow = [a, b].iter().all(|format| *format != Format::F64);
    let stays = result == Format::F32 && numerics.denormals == Denormals::Preserve;
    step(numerics.mode, Formats { a, b, result }).filter(|_| narrow && stays)
}

/// `c += a * b` of matrices whose elements are all defined; false, and nothing is done, where they are of other kinds or sizes.
pub(crate) fn add_plainly(a: &Matrix, b: &Matrix, c: &mut Matrix, step: Step) -> bool {
    let shape = Shape { m: c.type_.rows as usize, n: c.type_.columns as usize, k: a.type_.columns as usize };
    let fits =
        a.type_.rows == c.type_.rows && b.type_.rows == a.type_.columns && b.type_.columns == c.type_.columns;
    match (&a.data, &b.data, &mut c.data) {
        (Data::F32(a), Data::F32(b), Data::F32(c)) if fits => {
            add_product(a, b, c, shape, step);
            true
        }
        _ => false,
    }
}

/// `matrix` holds C, which had the type `type_c`, in the representation of the result.
fn accumulate_of(
    a: &Matrix,
    b: &Matrix,
    matrix: &mut Matrix,
    type_c: MatrixType,
    result: MatrixType,
    operands: Operands,
    numerics: &Numerics,
) -> Result<Outcome, Mismatch> {
    let (type_a, type_b) = (a.type_, b.type_);
    let fits = type_a.columns == type_b.rows
        && type_a.rows == result.rows
        && type_b.columns == result.columns
        && (type_c.rows, type_c.columns) == (result.rows, result.columns);
    if !fits {
        return Err(Mismatch(format!(
            "shapes do not fit: A is {}x{}, B {}x{}, C {}x{}, the result {}x{}",
            type_a.rows,
            type_a.columns,
            type_b.rows,
            type_b.columns,
            type_c.rows,
            type_c.columns,
            result.rows,
            result.columns
        )));
    }
    let shape = Shape { m: result.rows as usize, n: result.columns as usize, k: type_a.columns as usize };
    let undefined = undefined_results(a, b, shape);
    let mut outcome = Outcome::default();
    let c_component = integers::Component { width: type_c.component.width(), signed: operands.c_signed };
    match (&a.data, &b.data, &mut matrix.data, type_a.component, type_b.component, result.component) {
        (
            Data::F32(a),
            Data::F32(b),
            Data::F32(c),
            Component::Float(format_a),
            Component::Float(format_b),
            Component::Float(format),
        ) => {
            let formats = Formats { a: format_a, b: format_b, result: format };
            multiply_floats(numerics.mode, a, b, c, shape, formats);
            super::arithmetic::flush(c, format, numerics.denormals);
        }
        (_, _, data, Component::Float(_), Component::Float(_), Component::Float(format)) => {
            let wide = |matrix: &Matrix| -> Vec<f64> {
                (0..matrix.type_.count()).map(|i| matrix.number(i)).collect()
            };
            let (a, b) = (wide(a), wide(b));
            match data {
                Data::F64(c) => multiply_add_f64(numerics.mode, &a, &b, c, shape, format),
                Data::F32(c) => {
                    let mut sums: Vec<f64> = c.iter().map(|value| f64::from(*value)).collect();
                    multiply_add_f64(numerics.mode, &a, &b, &mut sums, shape, format);
                    c.iter_mut().zip(&sums).for_each(|(c, sum)| *c = *sum as f32);
                }
                Data::U32(_) | Data::U64(_) => {}
            }
        }
        (_, _, data, Component::Integer { .. }, Component::Integer { .. }, Component::Integer { .. }) => {
            let integers = integers::Integers {
                a: integers::Component { width: type_a.component.width(), signed: operands.a_signed },
                b: integers::Component { width: type_b.component.width(), signed: operands.b_signed },
                c: c_component,
                result: integers::Component {
                    width: result.component.width(),
                    signed: operands.result_signed,
                },
                saturating: operands.saturating,
            };
            outcome.overflow = match (&a.data, &b.data, data) {
                (Data::U32(a), Data::U32(b), Data::U32(c)) => integers.multiply_add(a, b, c, shape),
                (_, _, Data::U64(c)) => integers.multiply_add_wide(&a.all_bits(), &b.all_bits(), c, shape),
                (_, _, Data::U32(c)) => {
                    let mut sums: Vec<u64> = c.iter().map(|bits| u64::from(*bits)).collect();
                    let overflow = integers.multiply_add_wide(&a.all_bits(), &b.all_bits(), &mut sums, shape);
                    c.iter_mut().zip(&sums).for_each(|(c, sum)| *c = *sum as u32);
                    overflow
                }
                _ => None,
            };
        }
        _ => {
            return Err(Mismatch(format!(
                "components do not fit: A has {}, B {}, the result {}",
                type_a.component.name(),
                type_b.component.name(),
                result.component.name()
            )));
        }
    }
    matrix.retype(result);
    matrix.taint(&undefined);
    Ok(outcome)
}

/// C in the representation of the result: its values are the same, or its bits for integers (which are extended later).
fn widened(c: &Matrix, result: MatrixType, signed: bool) -> Matrix {
    use super::convert::{Conversion, convert};
    let conversion = match (c.type_.component, result.component) {
        (Component::Float(_), Component::Float(_)) => Conversion::FloatToFloat { saturate: false },
        (Component::Integer { .. }, Component::Integer { .. }) => Conversion::IntegerToInteger { signed },
        (Component::Float(_), Component::Integer { .. }) => Conversion::FloatToInteger { signed },
        (Component::Integer { .. }, Component::Float(_)) => Conversion::IntegerToFloat { signed },
    };
    convert(c, result, conversion, &Numerics::default())
}

/// The elements of the result that an undefined element of A or B goes into.
fn undefined_results(a: &Matrix, b: &Matrix, Shape { m, n, k }: Shape) -> Vec<u64> {
    if !a.any_undefined() && !b.any_undefined() {
        return Vec::new();
    }
    let rows: Vec<bool> = (0..m).map(|row| (0..k).any(|step| a.is_undefined(row * k + step))).collect();
    let columns: Vec<bool> =
        (0..n).map(|column| (0..k).any(|step| b.is_undefined(step * n + column))).collect();
    let mut bits = vec![0u64; (m * n).div_ceil(64)];
    for index in 0..m * n {
        if rows[index / n] || columns[index % n] {
            bits[index / 64] |= 1 << (index % 64);
        }
    }
    bits
}
