//! How the matrices of cooperative vectors lie in memory (SPV_NV_cooperative_vector, 3.X Cooperative Vector Matrix Layout).
//!
//! The optimal layouts are each implementation's own. This is the simulator's: the one place that knows it, for running shaders and for recipes. A matrix is
//! cut into tiles of 8x8 elements, those at the right and at the bottom padded, and each tile lies in one piece:
//!
//! | layout | tiles follow each other | inside a tile |
//! |---|---|---|
//! | inferencing-optimal | row by row of tiles | along a Z: the lowest bit of an element's number is that of its column, the next one that of its row |
//! | training-optimal | column by column of tiles | along an N: rows and columns have changed places |
//!
//! So neither looks like rows or columns, nor like the other one, and whoever takes one for another gets other numbers. All elements are zero where all
//! bytes are, as the extension demands.

/// Rows of a tile, and its columns.
const TILE: u64 = 8;

/// The layout of a matrix that vectors are multiplied by, or whose elements are sums of outer products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CooperativeVectorMatrixLayout {
    /// The elements of a row are neighbours.
    RowMajor,
    /// The elements of a column are neighbours.
    ColumnMajor,
    /// Tiles that follow each other in rows.
    InferencingOptimal,
    /// Tiles that follow each other in columns.
    TrainingOptimal,
}

use CooperativeVectorMatrixLayout::{ColumnMajor, InferencingOptimal, RowMajor, TrainingOptimal};

impl CooperativeVectorMatrixLayout {
    /// Every layout, in the order of their numbers.
    pub const ALL: [CooperativeVectorMatrixLayout; 4] =
        [RowMajor, ColumnMajor, InferencingOptimal, TrainingOptimal];

    /// The number in SPIR-V, which is that of Vulkan too.
    pub fn number(self) -> u32 {
        match self {
            RowMajor => 0,
            ColumnMajor => 1,
            InferencingOptimal => 2,
            TrainingOptimal => 3,
        }
    }

    /// The layout of such a number.
    pub fn from_number(number: u32) -> Option<CooperativeVectorMatrixLayout> {
        CooperativeVectorMatrixLayout::ALL.into_iter().find(|layout| layout.number() == number)
    }

    /// Whether it is the implementation's own, which has no stride.
    pub fn is_optimal(self) -> bool {
        matches!(self, InferencingOptimal | TrainingOptimal)
    }

    /// Elements that a matrix of so many rows and columns takes in an optimal layout, with the padding.
    pub fn room(rows: u32, columns: u32) -> u64 {
        u64::from(rows).next_multiple_of(TILE) * u64::from(columns).next_multiple_of(TILE)
    }

    /// Bytes from the start of a matrix of so many rows and columns to the element at a row and a column. Elements take `size` bytes; `stride` is counted in
    /// bytes, too, and ignored by optimal layouts.
    pub fn offset(self, shape: (u32, u32), at: (u32, u32), size: u32, stride: u64) -> u64 {
        let (row, column, size) = (u64::from(at.0), u64::from(at.1), u64::from(size));
        match self {
            RowMajor => row.wrapping_mul(stride).wrapping_add(column * size),
            ColumnMajor => column.wrapping_mul(stride).wrapping_add(row * size),
            InferencingOptimal => tiled(u64::from(shape.1), row, column) * size,
            TrainingOptimal => tiled(u64::from(shape.0), column, row) * size,
        }
    }
}

/// The number of an element, where tiles follow each other along lines of `length` elements.
fn tiled(length: u64, line: u64, along: u64) -> u64 {
    let tile = line / TILE * length.div_ceil(TILE) + along / TILE;
    tile * TILE * TILE + (spread(line % TILE) << 1 | spread(along % TILE))
}

/// The bits of a number below 8 with gaps between them.
fn spread(number: u64) -> u64 {
    number & 1 | (number & 2) << 1 | (number & 4) << 2
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The numbers of the elements of a matrix of 3 rows and 10 columns, in rows.
    fn numbers(layout: CooperativeVectorMatrixLayout) -> Vec<Vec<u64>> {
        (0..3)
            .map(|row| (0..10).map(|column| layout.offset((3, 10), (row, column), 1, 0)).collect())
            .collect()
    }

    #[test]
    fn tiles_of_inferencing_lie_side_by_side() {
        assert_eq!(
            numbers(InferencingOptimal),
            [
                [0, 1, 4, 5, 16, 17, 20, 21, 64, 65],
                [2, 3, 6, 7, 18, 19, 22, 23, 66, 67],
                [8, 9, 12, 13, 24, 25, 28, 29, 72, 73],
            ]
        );
    }

    #[test]
    fn tiles_of_training_lie_below_each_other() {
        assert_eq!(
            numbers(TrainingOptimal),
            [
                [0, 2, 8, 10, 32, 34, 40, 42, 64, 66],
                [1, 3, 9, 11, 33, 35, 41, 43, 65, 67],
                [4, 6, 12, 14, 36, 38, 44, 46, 68, 70],
            ]
        );
        assert_eq!(TrainingOptimal.offset((20, 10), (8, 0), 2, 0), 128);
        assert_eq!(TrainingOptimal.offset((20, 10), (0, 8), 2, 0), 3 * 128);
    }

    #[test]
    fn each_element_has_a_place_of_its_own_within_the_room() {
        for layout in [InferencingOptimal, TrainingOptimal] {
            for shape in [(1, 1), (8, 8), (9, 7), (17, 33)] {
                let places = (0..shape.0).flat_map(|row| (0..shape.1).map(move |column| (row, column)));
                let mut places: Vec<u64> = places.map(|at| layout.offset(shape, at, 4, 0)).collect();
                places.sort_unstable();
                places.dedup();
                assert_eq!(places.len() as u32, shape.0 * shape.1);
                let room = CooperativeVectorMatrixLayout::room(shape.0, shape.1);
                assert!(
                    places.iter().all(|place| place % 4 == 0 && place / 4 < room),
                    "{layout:?} {shape:?}"
                );
            }
        }
    }
}
