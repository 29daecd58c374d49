//! OpCooperativeMatrixReduceNV: rows, columns, everything or 2x2 neighbourhoods combined by a function of the shader.
//!
//! The order in which elements are combined is the implementation's. Here neighbours are combined first, then the results of
//! neighbours, and what is left over goes up unchanged; rows come before columns. `hopper` has the order that was measured on a device.

pub mod hopper;

use super::{Matrix, MatrixType};

/// Which elements are combined first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    Neighbours,
    /// As on an NVIDIA H200, where that was measured.
    Hopper,
}

/// Cooperative Matrix Reduce Mode.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Reduce {
    pub row: bool,
    pub column: bool,
    pub two_by_two: bool,
}

impl Reduce {
    pub fn from_mask(mask: u32) -> Self {
        Reduce { row: mask & 1 != 0, column: mask & 2 != 0, two_by_two: mask & 4 != 0 }
    }
}

/// Gets the bits of many left and as many right operands, and gives the results.
pub type Combine<'a, E> = dyn FnMut(&[u64], &[u64]) -> Result<Vec<u64>, E> + 'a;

/// Combines the elements of the rows, the columns, both, or of squares of two by two.
pub fn reduce<E>(
    matrix: &Matrix,
    target: MatrixType,
    reduce: Reduce,
    order: Order,
    combine: &mut Combine<E>,
) -> Result<Matrix, E> {
    let source = *matrix.type_();
    let mut grid =
        Grid { rows: source.rows as usize, columns: source.columns as usize, bits: matrix.all_bits() };
    if reduce.two_by_two {
        grid = grid.halve_columns(combine)?.transposed().halve_columns(combine)?.transposed();
    }
    if order == Order::Hopper && hopper::applies(&source, reduce) {
        grid = hopper::reduce(&grid, reduce, combine)?;
    } else {
        if reduce.row {
            grid = grid.into_one_column(combine)?;
        }
        if reduce.column {
            grid = grid.transposed().into_one_column(combine)?.transposed();
        }
    }
    // A dimension that was reduced has the same value all along, whatever its new length.
    let mut result = Matrix::zero(target);
    for index in 0..target.count() {
        let (row, column) = target.row_and_column(index);
        let (row, column) = (row as usize % grid.rows.max(1), column as usize % grid.columns.max(1));
        result.set(index, grid.bits.get(row * grid.columns + column).copied().unwrap_or(0));
    }
    if matrix.any_undefined() {
        for index in 0..target.count() {
            let (row, column) = target.row_and_column(index);
            let any = (0..source.count()).filter(|index| matrix.is_undefined(*index)).any(|index| {
                let (from_row, from_column) = source.row_and_column(index);
                if reduce.two_by_two {
                    (from_row / 2, from_column / 2) == (row, column)
                } else {
                    (reduce.column || from_row == row) && (reduce.row || from_column == column)
                }
            });
            result.set_undefined(index, any);
        }
    }
    Ok(result)
}

struct Grid {
    rows: usize,
    columns: usize,
    bits: Vec<u64>,
}

impl Grid {
    fn transposed(self) -> Grid {
        let mut bits = Vec::with_capacity(self.bits.len());
        for column in 0..self.columns {
            bits.extend((0..self.rows).map(|row| self.bits[row * self.columns + column]));
        }
        Grid { rows: self.columns, columns: self.rows, bits }
    }

    /// Columns 2i and 2i+1 become column i.
    fn halve_columns<E>(self, combine: &mut Combine<E>) -> Result<Grid, E> {
        let Grid { rows, columns, bits } = self;
        let (pairs, odd) = (columns / 2, columns % 2);
        let (mut left, mut right) = (Vec::with_capacity(rows * pairs), Vec::with_capacity(rows * pairs));
        for row in bits.chunks_exact(columns.max(1)) {
            for pair in row.chunks_exact(2) {
                left.push(pair[0]);
                right.push(pair[1]);
            }
        }
        let combined = if left.is_empty() { Vec::new() } else { combine(&left, &right)? };
        let mut next = Vec::with_capacity(rows * (pairs + odd));
        for row in 0..rows {
            next.extend((0..pairs).map(|pair| combined.get(row * pairs + pair).copied().unwrap_or(0)));
            next.extend(bits[row * columns..][..columns].iter().skip(pairs * 2));
        }
        Ok(Grid { rows, columns: pairs + odd, bits: next })
    }

    fn into_one_column<E>(mut self, combine: &mut Combine<E>) -> Result<Grid, E> {
        while self.columns > 1 {
            self = self.halve_columns(combine)?;
        }
        Ok(self)
    }
}
