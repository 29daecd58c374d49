//! Products that are not the one that was expected, but one that a shader with a usual mistake computes: an operand transposed, both exchanged, a sum that ends
//! early, C left out.

use super::{Unmet, close};
use crate::model::Matmul;
use crate::tensor::Tensor;

/// What a buffer or a reference holds, by its name.
pub type Operands<'o> = dyn Fn(&str) -> Option<Tensor> + 'o;

/// The most multiplications for all that is tried.
const MOST_WORK: usize = 1 << 28;

/// How the product is read.
#[derive(Clone, Copy)]
struct Reading {
    transpose_a: bool,
    transpose_b: bool,
    exchanged: bool,
    /// How many products at the beginning, and at the end, are left out.
    left_out: (usize, usize),
    with_c: bool,
}

/// The reading that all wrong elements follow, in words.
pub(super) fn other(
    unmet: &Unmet<'_>,
    wrong: &[usize],
    matmul: &Matmul,
    operands: &Operands<'_>,
) -> Option<String> {
    let (a, b) = (operands(&matmul.a)?, operands(&matmul.b)?);
    let c = match &matmul.c {
        Some(name) => Some(operands(name)?),
        None => None,
    };
    let usual = Reading {
        transpose_a: matmul.transpose_a,
        transpose_b: matmul.transpose_b,
        exchanged: false,
        left_out: (0, 0),
        with_c: true,
    };
    let depth = if matmul.transpose_a { a.rows() } else { a.columns() };
    let candidates = readings(usual, depth, c.is_some());
    if wrong.len().saturating_mul(depth).saturating_mul(candidates.len()) > MOST_WORK {
        return None;
    }
    let follows = |reading: &Reading| {
        let mut elements = wrong.iter();
        elements.all(|&index| {
            let found = unmet.found.data.get(index).copied().unwrap_or(f64::NAN);
            element(unmet, index, [&a, &b], c.as_ref(), matmul, reading)
                .is_some_and(|value| close(found, value, unmet.tolerance))
        })
    };
    let (words, _) = candidates.into_iter().find(|(_, reading)| follows(reading))?;
    let name = |name: &str, transposed: bool| {
        if transposed { format!("transpose({name})") } else { name.to_owned() }
    };
    let names = [name(&matmul.a, usual.transpose_a), name(&matmul.b, usual.transpose_b)];
    Some(match words {
        Words::TransposedA => {
            format!("the wrong elements equal {} * {}", name(&matmul.a, !usual.transpose_a), names[1])
        }
        Words::TransposedB => {
            format!("the wrong elements equal {} * {}", names[0], name(&matmul.b, !usual.transpose_b))
        }
        Words::TransposedBoth => format!(
            "the wrong elements equal {} * {}",
            name(&matmul.a, !usual.transpose_a),
            name(&matmul.b, !usual.transpose_b)
        ),
        Words::Exchanged => format!("the wrong elements equal {} * {}", names[1], names[0]),
        Words::EndsEarly(count) => {
            format!("the sum over K ends {count} early: at {} of {depth}", depth - count)
        }
        Words::BeginsLate(count) => format!("the sum over K leaves out the first {count} of {depth}"),
        Words::WithoutC => format!("`{}` was not added", matmul.c.as_deref().unwrap_or_default()),
    })
}

#[derive(Clone, Copy)]
enum Words {
    TransposedA,
    TransposedB,
    TransposedBoth,
    Exchanged,
    EndsEarly(usize),
    BeginsLate(usize),
    WithoutC,
}

fn readings(usual: Reading, depth: usize, has_c: bool) -> Vec<(Words, Reading)> {
    let mut readings = vec![
        (Words::TransposedB, Reading { transpose_b: !usual.transpose_b, ..usual }),
        (Words::TransposedA, Reading { transpose_a: !usual.transpose_a, ..usual }),
        (
            Words::TransposedBoth,
            Reading { transpose_a: !usual.transpose_a, transpose_b: !usual.transpose_b, ..usual },
        ),
        (Words::Exchanged, Reading { exchanged: true, ..usual }),
    ];
    if has_c {
        readings.push((Words::WithoutC, Reading { with_c: false, ..usual }));
    }
    // One product, or a step of a loop over K.
    for count in [1, 2, 4, 8, 16, 32, 64, 128].into_iter().filter(|count| *count < depth) {
        readings.push((Words::EndsEarly(count), Reading { left_out: (0, count), ..usual }));
        readings.push((Words::BeginsLate(count), Reading { left_out: (count, 0), ..usual }));
    }
    readings
}

/// One element of the product; nothing where the shapes do not go together when read like this.
fn element(
    unmet: &Unmet<'_>,
    index: usize,
    [a, b]: [&Tensor; 2],
    c: Option<&Tensor>,
    matmul: &Matmul,
    reading: &Reading,
) -> Option<f64> {
    let (rows, columns) = (unmet.found.rows(), unmet.found.columns());
    let area = rows * columns;
    let (matrix, row, column) = (index / area, index % area / columns, index % columns);
    let (left, right) = match reading.exchanged {
        true => ((b, reading.transpose_b), (a, reading.transpose_a)),
        false => ((a, reading.transpose_a), (b, reading.transpose_b)),
    };
    let shape = |(tensor, transposed): (&Tensor, bool)| match transposed {
        true => (tensor.columns(), tensor.rows()),
        false => (tensor.rows(), tensor.columns()),
    };
    let (left_shape, right_shape) = (shape(left), shape(right));
    if left_shape != (rows, right_shape.0) || right_shape.1 != columns {
        return None;
    }
    let at = |(tensor, transposed): (&Tensor, bool), row: usize, column: usize| {
        let (row, column) = if transposed { (column, row) } else { (row, column) };
        tensor.matrix(matrix).get(row * tensor.columns() + column).copied()
    };
    let (first, last) = reading.left_out;
    let mut sum = 0.0;
    for k in first..right_shape.0.checked_sub(last)? {
        sum += at(left, row, k)? * at(right, k, column)?;
    }
    let added = match c.filter(|_| reading.with_c) {
        Some(c) => matmul.beta.unwrap_or(1.0) * at((c, false), row, column)?,
        None => 0.0,
    };
    Some(matmul.alpha.unwrap_or(1.0) * sum + added)
}
