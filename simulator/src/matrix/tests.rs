//! Operations on whole matrices, against what they are element by element.

use std::sync::Arc;

use super::arithmetic::{Binary, binary, division_by_zero, negate, times_scalar};
use super::convert::{Conversion, bitcast, change_use, convert, transpose};
use super::multiply::{Operands, multiply_add};
use super::reduce::{Order, Reduce, reduce};
use super::*;
use crate::numerics::arithmetic::Operation;
use crate::numerics::{Denormals, Mode, Numerics, Overflow, Rounding};

const F16: Component = Component::Float(Format::F16);
const F32: Component = Component::Float(Format::F32);
const F64: Component = Component::Float(Format::F64);

/// The bits of a number in a format.
fn rounded(value: f64, format: Format) -> u64 {
    format.from_f64(value, Rounding::NearestEven, Overflow::Special)
}

fn integer(width: u8, signed: bool) -> Component {
    Component::Integer { width, signed }
}

fn type_(component: Component, use_: Use, rows: u32, columns: u32) -> MatrixType {
    MatrixType { component, scope: Scope::Subgroup, rows, columns, use_ }
}

/// Numbers by row and column.
fn matrix(type_: MatrixType, value: impl Fn(u32, u32) -> f64) -> Matrix {
    let bits = |index| {
        let (row, column) = type_.row_and_column(index);
        match type_.component {
            Component::Float(format) => rounded(value(row, column), format),
            Component::Integer { .. } => value(row, column) as i64 as u64 & type_.component.mask(),
        }
    };
    Matrix::from_bits(type_, &(0..type_.count()).map(bits).collect::<Vec<_>>())
}

fn numbers(matrix: &Matrix) -> Vec<f64> {
    (0..matrix.type_().count()).map(|index| matrix.number(index)).collect()
}

fn components() -> impl Iterator<Item = Component> {
    let floats = [Format::F64, Format::F32, Format::F16, Format::BF16, Format::E4M3, Format::E5M2];
    let integers =
        [8, 16, 32, 64].into_iter().flat_map(|width| [integer(width, true), integer(width, false)]);
    floats.into_iter().map(Component::Float).chain(integers)
}

#[test]
fn elements_keep_their_bits() {
    for component in components() {
        let type_ = type_(component, Use::A, 3, 5);
        let mut matrix = Matrix::splat(&type_, 3);
        assert!((0..15).all(|index| matrix.get(index) == 3));
        for index in 0..15 {
            matrix.set(index, index as u64 * 5);
        }
        assert_eq!(matrix.all_bits(), (0..15).map(|index| index * 5).collect::<Vec<u64>>(), "{type_}");
        // Nothing happens beyond the last.
        matrix.set(15, 1);
        assert_eq!(matrix.get(15), 0);
    }
}

#[test]
fn floats_are_rounded_once() {
    let type_ = type_(F16, Use::Accumulator, 2, 2);
    let numerics = Numerics::default();
    let a = Arc::new(matrix(type_, |_, _| 1.0));
    let tiny = matrix(type_, |_, _| 2f64.powi(-11));
    let sum = binary(Binary::Float(Operation::Add), a.clone(), &tiny, &numerics);
    assert_eq!(sum.number(0), 1.0);
    let upward = Numerics { rounding: Rounding::TowardPositive, ..numerics };
    let sum = binary(Binary::Float(Operation::Add), a.clone(), &tiny, &upward);
    assert_eq!(sum.number(0), 1.0 + 2f64.powi(-10));
    // The operand that somebody else holds is not changed.
    assert_eq!(a.number(0), 1.0);
    let product = times_scalar(a.clone(), rounded(-3.0, Format::F16), &numerics);
    assert_eq!(negate(product).number(3), 3.0);
    let smallest = matrix(type_, |_, _| 2f64.powi(-14));
    let half = rounded(0.5, Format::F16);
    let flushed = Numerics { denormals: Denormals::Flush, ..numerics };
    assert_eq!(times_scalar(Arc::new(smallest.clone()), half, &flushed).number(0), 0.0);
    assert_eq!(times_scalar(Arc::new(smallest), half, &numerics).number(0), 2f64.powi(-15));
}

#[test]
fn integers_wrap_at_their_width() {
    let numerics = Numerics::default();
    for component in components().filter(|component| !component.is_float()) {
        let type_ = type_(component, Use::Accumulator, 4, 4);
        let width = component.width();
        let a = Arc::new(Matrix::from_bits(
            type_,
            &(0..16).map(|n: u64| n.wrapping_mul(0x9e3779b97f4a7c15)).collect::<Vec<_>>(),
        ));
        let b = Matrix::from_bits(type_, &(0..16).map(|n: u64| (n % 7).wrapping_sub(3)).collect::<Vec<_>>());
        let mask = component.mask();
        let signed = |bits: u64| ((bits << (64 - width)) as i64 >> (64 - width)) as i128;
        for (operation, expected) in [
            (Binary::Add, (|a: u64, b: u64| a.wrapping_add(b)) as fn(u64, u64) -> u64),
            (Binary::Subtract, |a, b| a.wrapping_sub(b)),
            (Binary::Multiply, |a, b| a.wrapping_mul(b)),
            (Binary::UnsignedDivide, |a, b| a.checked_div(b).unwrap_or(0)),
        ] {
            let result = binary(operation, a.clone(), &b, &numerics);
            for index in 0..16 {
                assert_eq!(
                    result.get(index),
                    expected(a.get(index), b.get(index)) & mask,
                    "{type_} {operation:?}"
                );
            }
        }
        let result = binary(Binary::SignedDivide, a.clone(), &b, &numerics);
        for index in 0..16 {
            let (a, b) = (signed(a.get(index)), signed(b.get(index)));
            assert_eq!(result.get(index), if b == 0 { 0 } else { (a / b) as u64 & mask });
        }
        assert_eq!(division_by_zero(Binary::SignedDivide, &b), Some(3));
        assert_eq!(division_by_zero(Binary::Add, &b), None);
    }
}

/// Between all component types, values that both have stay what they are.
#[test]
fn conversions_keep_what_fits() {
    for from in components() {
        for to in components() {
            let source =
                matrix(type_(from, Use::Accumulator, 2, 4), |row, column| f64::from(row * 4 + column));
            let conversion = match (from, to) {
                (Component::Float(_), Component::Float(_)) => Conversion::FloatToFloat { saturate: false },
                (Component::Float(_), Component::Integer { signed, .. }) => {
                    Conversion::FloatToInteger { signed }
                }
                (Component::Integer { signed, .. }, Component::Float(_)) => {
                    Conversion::IntegerToFloat { signed }
                }
                (Component::Integer { signed, .. }, _) => Conversion::IntegerToInteger { signed },
            };
            let result = convert(&source, type_(to, Use::B, 2, 4), conversion, &Numerics::default());
            assert_eq!(numbers(&result), numbers(&source), "{from:?} {to:?}");
            assert_eq!(result.type_().use_, Use::B);
        }
    }
}

#[test]
fn conversions_at_the_edges() {
    let numerics = Numerics::default();
    let one = |from, to, conversion, value: f64| {
        convert(
            &matrix(type_(from, Use::A, 1, 1), |_, _| value),
            type_(to, Use::A, 1, 1),
            conversion,
            &numerics,
        )
        .number(0)
    };
    let signed = Conversion::FloatToInteger { signed: true };
    assert_eq!(one(F32, integer(8, true), signed, -1000.0), -128.0);
    assert_eq!(one(F32, integer(32, true), signed, 1e20), 2147483647.0);
    assert_eq!(one(F32, integer(16, false), Conversion::FloatToInteger { signed: false }, -5.0), 0.0);
    assert_eq!(one(F32, integer(32, true), signed, f64::NAN), 0.0);
    assert_eq!(one(F64, integer(32, true), signed, -1.9), -1.0);
    let e4m3 = Component::Float(Format::E4M3);
    assert!(one(F32, e4m3, Conversion::FloatToFloat { saturate: false }, 1000.0).is_nan());
    assert_eq!(one(F32, e4m3, Conversion::FloatToFloat { saturate: true }, 1000.0), 448.0);
    assert_eq!(one(F32, F16, Conversion::FloatToFloat { saturate: false }, 65520.0), f64::INFINITY);
    // Measured on an H200: f32 to bfloat16 is cut off, not rounded.
    let hopper = Numerics::with_mode(Mode::NvidiaHopper);
    let source = matrix(type_(F32, Use::A, 1, 1), |_, _| 1.999);
    let target = type_(Component::Float(Format::BF16), Use::A, 1, 1);
    let to_nearest = Conversion::FloatToFloat { saturate: false };
    assert_eq!(convert(&source, target, to_nearest, &hopper).number(0), 1.9921875);
    assert_eq!(convert(&source, target, to_nearest, &numerics).number(0), 2.0);
    // The bits are extended as the instruction says, whatever the type.
    assert_eq!(
        one(integer(8, true), integer(32, true), Conversion::IntegerToInteger { signed: false }, -1.0),
        255.0
    );
    assert_eq!(one(integer(32, false), F32, Conversion::IntegerToFloat { signed: true }, 4294967295.0), -1.0);
}

#[test]
fn bits_uses_and_transposes() {
    let source = matrix(type_(integer(32, true), Use::Accumulator, 2, 3), |row, column| {
        f64::from(column) - f64::from(row)
    });
    let unsigned = bitcast(&source, type_(integer(32, false), Use::Accumulator, 2, 3));
    assert_eq!(unsigned.number(3), 4294967295.0);
    assert_eq!(change_use(&source, type_(integer(32, true), Use::A, 2, 3)).all_bits(), source.all_bits());
    let turned = transpose(&source, type_(integer(32, true), Use::B, 3, 2), &Numerics::default());
    assert_eq!(numbers(&turned), [0.0, -1.0, 1.0, 0.0, 2.0, 1.0]);
    let floats = matrix(type_(F32, Use::Accumulator, 5, 2), |row, column| f64::from(row * 2 + column) + 0.1);
    let halves = transpose(&floats, type_(F16, Use::B, 2, 5), &Numerics::default());
    assert_eq!(halves.number(5), Format::F16.nearest(1.1f32.into(), Rounding::NearestEven));
}

/// Against three loops, for every pair of component types and result that hardware knows.
#[test]
fn multiply_add_is_the_sum_of_products() {
    let floats = [Format::F16, Format::BF16, Format::F32, Format::E4M3, Format::E5M2].map(Component::Float);
    let bytes = [integer(8, true), integer(8, false), integer(32, true)];
    let cases = floats
        .into_iter()
        .flat_map(|a| [F16, F32].map(|result| (a, a, result)))
        .chain([(F64, F64, F64), (F32, F64, F64), (F64, F64, F32)])
        .chain(bytes.into_iter().flat_map(|a| bytes.map(|b| (a, b, integer(32, true)))))
        .chain([
            (integer(8, true), integer(64, true), integer(64, true)),
            (integer(16, true), integer(16, true), integer(16, true)),
        ]);
    for (component_a, component_b, result) in cases {
        let (m, n, k) = (5, 7, 9);
        let sign =
            |component| if matches!(component, Component::Integer { signed: false, .. }) { 0.0 } else { 2.0 };
        let a = matrix(type_(component_a, Use::A, m, k), |row, column| {
            f64::from((row * 3 + column) % 5) - sign(component_a)
        });
        let b = matrix(type_(component_b, Use::B, k, n), |row, column| {
            f64::from((row + column * 2) % 4) - sign(component_b) / 2.0
        });
        let target = type_(result, Use::Accumulator, m, n);
        let c = matrix(target, |row, column| f64::from(row) - f64::from(column));
        let operands = Operands::from_types(a.type_(), b.type_(), c.type_(), &target);
        for mode in Mode::ALL {
            let numerics = Numerics { mode, ..Numerics::default() };
            let (sum, outcome) =
                multiply_add(&a, &b, Arc::new(c.clone()), target, operands, &numerics).unwrap();
            assert_eq!(outcome.overflow, None);
            for index in 0..target.count() {
                let (row, column) = target.row_and_column(index);
                let products = (0..k)
                    .map(|step| a.number((row * k + step) as usize) * b.number((step * n + column) as usize));
                let expected = c.number(index) + products.sum::<f64>();
                assert_eq!(
                    sum.number(index),
                    expected,
                    "{component_a:?} {component_b:?} {result:?} {mode:?}"
                );
            }
        }
    }
}

#[test]
fn multiply_add_says_what_does_not_fit() {
    let a = Matrix::zero(type_(F16, Use::A, 16, 8));
    let b = Matrix::zero(type_(F16, Use::B, 16, 16));
    let target = type_(F32, Use::Accumulator, 16, 16);
    let error = multiply_add(
        &a,
        &b,
        Arc::new(Matrix::zero(target)),
        target,
        Operands::default(),
        &Numerics::default(),
    );
    assert_eq!(error.unwrap_err().0, "shapes do not fit: A is 16x8, B 16x16, C 16x16, the result 16x16");
}

/// What nobody else holds is used again.
#[test]
fn the_accumulator_stays_in_place() {
    let a = Matrix::splat(&type_(F16, Use::A, 16, 16), 0x3c00);
    let b = Matrix::splat(&type_(F16, Use::B, 16, 16), 0x3c00);
    let target = type_(F32, Use::Accumulator, 16, 16);
    let c = Arc::new(Matrix::zero(target));
    let before = Arc::as_ptr(&c);
    let (c, _) = multiply_add(&a, &b, c, target, Operands::default(), &Numerics::default()).unwrap();
    assert_eq!(Arc::as_ptr(&c), before);
    assert_eq!(c.number(77), 16.0);
}

#[test]
fn reductions() {
    let source = matrix(type_(F32, Use::Accumulator, 4, 6), |row, column| f64::from(row * 10 + column));
    let mut calls = 0;
    let mut add = |left: &[u64], right: &[u64]| -> Result<Vec<u64>, ()> {
        calls += 1;
        let number = |bits: u64| f32::from_bits(bits as u32);
        Ok(left.iter().zip(right).map(|(a, b)| u64::from((number(*a) + number(*b)).to_bits())).collect())
    };
    let mut run = |mask, rows, columns| {
        let target = type_(F32, Use::Accumulator, rows, columns);
        numbers(&reduce(&source, target, Reduce::from_mask(mask), Order::Neighbours, &mut add).unwrap())
    };
    assert_eq!(run(1, 4, 2), [15.0, 15.0, 75.0, 75.0, 135.0, 135.0, 195.0, 195.0]);
    assert_eq!(run(2, 1, 6), [60.0, 64.0, 68.0, 72.0, 76.0, 80.0]);
    assert_eq!(run(3, 2, 2), [420.0; 4]);
    assert_eq!(run(4, 2, 3), [22.0, 30.0, 38.0, 102.0, 110.0, 118.0]);
    // All rows at once: a call for each level of the tree.
    calls = 0;
    let _ = reduce(
        &source,
        type_(F32, Use::Accumulator, 4, 1),
        Reduce::from_mask(1),
        Order::Neighbours,
        &mut |a, b: &[u64]| {
            calls += 1;
            assert_eq!(a.len(), b.len());
            Ok::<_, ()>(a.to_vec())
        },
    );
    assert_eq!(calls, 3);
}

/// GL_QCOM_cooperative_matrix_conversion: row i for invocation i, column i for use B, nothing beyond.
#[test]
fn arrays_of_rows_and_columns() {
    for (use_, rows, columns) in [(Use::A, 4, 16), (Use::B, 16, 4), (Use::Accumulator, 4, 16)] {
        let type_ = type_(F16, use_, rows, columns);
        let source = matrix(type_, |row, column| f64::from(row * 100 + column));
        let value = |line: u32, place: u32| {
            let (row, column) = if use_ == Use::B { (place, line) } else { (line, place) };
            rounded(f64::from(row * 100 + column), Format::F16)
        };
        assert_eq!(arrays::extract(&source, 16, 2, 5), (value(2, 5), false));
        // Two of 16 bits in one word of 32, the first in the lower half.
        assert_eq!(arrays::extract(&source, 32, 2, 5), (value(2, 10) | value(2, 11) << 16, false));
        assert_eq!(arrays::extract(&source, 16, 4, 0), (0, true));
        let single = arrays::construct(type_, 16, |line, place| (value(line, place), false));
        assert_eq!(single, source);
        let packed = arrays::construct(type_, 32, |line, place| {
            (value(line, 2 * place) | value(line, 2 * place + 1) << 16, line == 3)
        });
        assert_eq!(packed.all_bits(), source.all_bits());
        assert_eq!(
            packed.first_undefined().map(|index| type_.row_and_column(index)),
            Some(if use_ == Use::B { (0, 3) } else { (3, 0) })
        );
    }
}

/// What is undefined goes where it is used.
#[test]
fn undefined_elements_spread() {
    let mut a = Matrix::zero(type_(F16, Use::A, 3, 2));
    a.set_undefined(2, true);
    let b = Matrix::zero(type_(F16, Use::B, 2, 2));
    let target = type_(F32, Use::Accumulator, 3, 2);
    let (sum, _) = multiply_add(
        &a,
        &b,
        Arc::new(Matrix::zero(target)),
        target,
        Operands::default(),
        &Numerics::default(),
    )
    .unwrap();
    let undefined: Vec<bool> = (0..6).map(|index| sum.is_undefined(index)).collect();
    assert_eq!(undefined, [false, false, true, true, false, false]);
    let turned = transpose(&a, type_(F16, Use::B, 2, 3), &Numerics::default());
    assert_eq!(turned.first_undefined(), Some(1));
    a.set(2, 0);
    assert!(!a.any_undefined());
}
