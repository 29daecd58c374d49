//! The order in which an NVIDIA H200 combines elements within a subgroup, as measured: `simulator/data/nvidia-h200-probes/README.md`.
//!
//! An invocation has, of each 8x8 block of the matrix, two neighbouring elements of a row. It combines its own of all blocks first, those of
//! even and of odd columns apart; then it exchanges with others, always with its own value first; at last come both parities.

use super::{Combine, Grid, Reduce};
use crate::matrix::{MatrixType, Scope};

/// Rows and columns of a block.
const SIDE: usize = 8;

/// Whether that was measured for such matrices: of subgroup scope, made of whole blocks. Squares of two by two are combined as everywhere.
pub fn applies(type_: &MatrixType, reduce: Reduce) -> bool {
    let whole = type_.rows.is_multiple_of(SIDE as u32) && type_.columns.is_multiple_of(SIDE as u32);
    type_.scope == Scope::Subgroup && whole && !reduce.two_by_two && (reduce.row || reduce.column)
}

/// Each element of the result, for every row and column of a block that was reduced.
pub(super) fn reduce<E>(grid: &Grid, reduce: Reduce, combine: &mut Combine<E>) -> Result<Grid, E> {
    let rows = if reduce.column { SIDE } else { grid.rows };
    let columns = if reduce.row { SIDE } else { grid.columns };
    let block = |first_row: usize, first_column: usize| {
        let places = (0..rows).flat_map(move |row| (0..columns).map(move |column| (row, column)));
        places.map(move |(row, column)| {
            let index = (first_row + row) * grid.columns + first_column + column;
            grid.bits.get(index).copied().unwrap_or(0)
        })
    };
    let mut bits: Option<Vec<u64>> = None;
    for first_row in (0..grid.rows).step_by(rows.max(1)) {
        for first_column in (0..grid.columns).step_by(columns.max(1)) {
            let next: Vec<u64> = block(first_row, first_column).collect();
            bits = Some(match bits {
                None => next,
                Some(before) => combine(&before, &next)?,
            });
        }
    }
    let mut bits = bits.unwrap_or_default();
    let mut step =
        |bits: &mut Vec<u64>, left: fn(usize, usize) -> usize, right: fn(usize, usize) -> usize| {
            let at = |of: fn(usize, usize) -> usize| -> Vec<u64> {
                let places = (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column)));
                // Both functions keep to a block: they tell a place by its row and column within one.
                let place = |(row, column): (usize, usize)| {
                    let within = of(row % SIDE, column % SIDE);
                    (row / SIDE * SIDE + within / SIDE) * columns + column / SIDE * SIDE + within % SIDE
                };
                places.map(|at| bits.get(place(at)).copied().unwrap_or(0)).collect()
            };
            let (left, right) = (at(left), at(right));
            *bits = combine(&left, &right)?;
            Ok(())
        };
    let own = |row: usize, column: usize| row * SIDE + column;
    if reduce.row {
        step(&mut bits, own, |row, column| row * SIDE + (column ^ 2))?;
        step(&mut bits, own, |row, column| row * SIDE + (column ^ 4))?;
    }
    if reduce.column {
        step(&mut bits, own, |row, column| (row ^ 1) * SIDE + column)?;
        step(&mut bits, own, |row, column| (row ^ 2) * SIDE + column)?;
        step(&mut bits, own, |row, column| (row ^ 4) * SIDE + column)?;
    }
    if reduce.row {
        step(&mut bits, |row, column| row * SIDE + (column & !1), |row, column| row * SIDE + (column | 1))?;
    }
    Ok(Grid { rows, columns, bits })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Component, Matrix, Use, reduce};
    use crate::numerics::arithmetic::Operation;
    use crate::numerics::hopper::tests::read;
    use crate::numerics::{Format, Rounding};

    /// Every sum that was measured of matrices of a subgroup, bit for bit.
    #[test]
    fn reductions_as_measured() {
        let mut compared = 0;
        for name in [
            "f16_16x16",
            "f16_16x8",
            "f16_16x64",
            "f16_32x32",
            "f32_16x16",
            "f32_16x8",
            "f32_16x64",
            "f32_32x32",
        ] {
            for (direction, mask) in [("row", 1), ("column", 2), ("row_and_column", 3), ("2x2", 4)] {
                let file = format!("nvidia-h200-probes/reduce.{name}.{direction}");
                if !std::path::Path::new(&format!("{}/data/{file}.c.npy", env!("CARGO_MANIFEST_DIR")))
                    .exists()
                {
                    continue;
                }
                let (c, d) = (read(&format!("{file}.c")), read(&format!("{file}.d")));
                let [count, rows, columns] = c.shape[..] else { panic!("{:?}", c.shape) };
                let [_, to_rows, to_columns] = d.shape[..] else { panic!("{:?}", d.shape) };
                let format = c.format();
                let type_ = |rows: usize, columns: usize| MatrixType {
                    component: Component::Float(format),
                    scope: Scope::Subgroup,
                    rows: rows as u32,
                    columns: columns as u32,
                    use_: Use::Accumulator,
                };
                let bits = |values: &[f32]| -> Vec<u64> {
                    let bits =
                        |value: &f32| format.from_f32(*value, Rounding::NearestEven, Default::default());
                    values.iter().map(bits).collect()
                };
                let (source, expected) = (bits(&c.floats()), bits(&d.floats()));
                let mode = Reduce::from_mask(mask);
                for index in 0..count {
                    let from = type_(rows, columns);
                    let matrix = Matrix::from_bits(from, &source[index * rows * columns..]);
                    let mut add = |a: &[u64], b: &[u64]| {
                        let sum = |(a, b): (&u64, &u64)| {
                            let (a, b) = (format.to_f32(*a), format.to_f32(*b));
                            let sum = Operation::Add.rounded(a, b, format, Rounding::NearestEven);
                            format.from_f32(sum, Rounding::NearestEven, Default::default())
                        };
                        Ok::<_, ()>(a.iter().zip(b).map(sum).collect())
                    };
                    let order = reduce::Order::Hopper;
                    let made =
                        reduce::reduce(&matrix, type_(to_rows, to_columns), mode, order, &mut add).unwrap();
                    let expected = &expected[index * to_rows * to_columns..][..to_rows * to_columns];
                    assert_eq!(made.all_bits(), expected, "{file} {index}");
                    compared += expected.len();
                }
            }
        }
        assert!(compared > 1000, "{compared}");
        assert!(!applies(
            &MatrixType {
                component: Component::Float(Format::F32),
                scope: Scope::Subgroup,
                rows: 12,
                columns: 16,
                use_: Use::Accumulator
            },
            Reduce::from_mask(1)
        ));
    }
}
