//! The requests of a matrix in shared memory: by the invocations that own its elements, or in tiles whatever the ownership.

use super::banks::{Banks, Passes};
use super::requests::{Lane, Request, requests};
use crate::matrix::{MatrixType, Scope};
use crate::observer::AccessKind;
use crate::ownership::Map;

/// Instructions that load square tiles of a matrix, a line by each lane, and hand the elements to their owners by themselves: NVIDIA's `ldmatrix`
/// (PTX ISA, "Warp-level matrix instructions"), which takes lines along rows or along columns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tiles {
    /// Bytes of an element.
    pub element: u32,
    /// Rows and columns of a tile. A line of it begins at a multiple of its bytes.
    pub side: u32,
}

/// What the owners of a matrix access, given the address of each element.
pub(super) fn lanes(type_: &MatrixType, owners: &Map, address: &dyn Fn(u32) -> Option<u64>) -> Vec<Lane> {
    let size = type_.component.bytes();
    let lane = |number: u32| {
        let elements = (0..owners.length()).map(|i| owners.element(number, i));
        Lane { number, parts: elements.map(|element| Some((address(element?)?, size))).collect() }
    };
    (0..owners.invocations()).map(lane).collect()
}

/// Invocations by their subgroups: those of a matrix of workgroup scope are of several.
pub(super) fn subgroups(lanes: &[Lane], size: u32) -> impl Iterator<Item = Vec<Lane>> + '_ {
    let groups = lanes.chunk_by(move |a, b| a.number / size == b.number / size);
    groups.map(move |group| {
        let lanes = group.iter().map(|lane| Lane { number: lane.number % size, parts: lane.parts.clone() });
        lanes.collect()
    })
}

/// The requests of a matrix in shared memory. Tiles are taken where they need fewer passes than the owners' own accesses.
pub(super) fn requests_of(
    type_: &MatrixType,
    kind: AccessKind,
    (lanes, subgroup_size): (&[Lane], u32),
    banks: Option<Banks>,
    address: &dyn Fn(u32) -> Option<u64>,
) -> Vec<Request> {
    let own: Vec<Request> = subgroups(lanes, subgroup_size).flat_map(|lanes| requests(&lanes)).collect();
    let Some(banks) = banks else { return own };
    let tiles = banks.tiles.filter(|_| kind == AccessKind::Read && type_.scope == Scope::Subgroup);
    let Some(tiled) = tiles.and_then(|tiles| tiles.requests(type_, subgroup_size, address)) else {
        return own;
    };
    let passes = |requests: &[Request]| {
        let mut all = Passes::default();
        requests.iter().for_each(|request| all.add(banks.passes(request)));
        all.passes
    };
    if passes(&tiled) < passes(&own) { tiled } else { own }
}

impl Tiles {
    /// The requests that load a matrix in tiles. None if it is not of this kind, or lies where lines are not aligned.
    fn requests(
        self,
        type_: &MatrixType,
        subgroup_size: u32,
        address: &dyn Fn(u32) -> Option<u64>,
    ) -> Option<Vec<Request>> {
        let Tiles { element, side } = self;
        let MatrixType { rows, columns, .. } = *type_;
        let fits =
            type_.component.bytes() == element && rows.is_multiple_of(side) && columns.is_multiple_of(side);
        if !fits || side == 0 {
            return None;
        }
        let lines = |by_rows: bool| -> Option<Vec<u64>> {
            let mut starts = Vec::new();
            for (row, column) in tiles(rows, columns, side) {
                for line in 0..side {
                    let at = |along: u32| {
                        let (row, column) =
                            if by_rows { (row + line, column + along) } else { (row + along, column + line) };
                        address(row * columns + column)
                    };
                    let start = at(0)?;
                    let follows = |along: u32| at(along) == Some(start + u64::from(along * element));
                    if !start.is_multiple_of((side * element).into()) || !(1..side).all(follows) {
                        return None;
                    }
                    starts.push(start);
                }
            }
            Some(starts)
        };
        let starts = lines(true).or_else(|| lines(false))?;
        let requests = starts.chunks(subgroup_size.max(1) as usize).map(|starts| Request {
            width: side * element,
            lanes: (0..).zip(starts.iter().copied()).collect(),
        });
        Some(requests.collect())
    }
}

/// Where tiles begin, by row and column.
fn tiles(rows: u32, columns: u32, side: u32) -> impl Iterator<Item = (u32, u32)> {
    let down = (0..rows).step_by(side as usize);
    down.flat_map(move |row| (0..columns).step_by(side as usize).map(move |column| (row, column)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::{Component, Use};
    use crate::numerics::Format;

    const TILES: Tiles = Tiles { element: 2, side: 8 };

    fn passes(by_rows: bool, stride: u64, columns: u32) -> Option<Vec<u64>> {
        let type_ = MatrixType {
            component: Component::Float(Format::F16),
            scope: Scope::Subgroup,
            rows: 16,
            columns,
            use_: Use::A,
        };
        let address = |element: u32| {
            let (row, column) = (u64::from(element / columns), u64::from(element % columns));
            Some(if by_rows { row * stride + column * 2 } else { column * stride + row * 2 })
        };
        let banks = Banks { count: 32, width: 4, tiles: Some(TILES) };
        let requests = TILES.requests(&type_, 32, &address)?;
        Some(requests.iter().map(|request| banks.passes(request).passes).collect())
    }

    /// Four tiles of eight lines of 16 bytes each. With rows of 48 bytes the eight lines are in different banks; of 32, two meet in each; of 128, all.
    #[test]
    fn a_matrix_of_halves_is_four_tiles_in_either_layout() {
        for by_rows in [true, false] {
            assert_eq!(passes(by_rows, 48, 16), Some(vec![4]));
            assert_eq!(passes(by_rows, 32, 16), Some(vec![8]));
            assert_eq!(passes(by_rows, 128, 16), Some(vec![32]));
        }
        // Eight columns are two tiles; 32 columns are two requests.
        assert_eq!(passes(true, 48, 8), Some(vec![2]));
        assert_eq!(passes(true, 80, 32), Some(vec![4, 4]));
    }

    #[test]
    fn lines_that_are_not_aligned_and_parts_of_tiles_are_no_tiles() {
        assert_eq!(passes(true, 40, 16), None);
        assert_eq!(passes(true, 48, 12), None);
    }
}
