//! How far `float16_t` accumulators are from overflowing, as reports tell it, and which elements of buffers are infinite.

use std::collections::BTreeSet;

use coopmat_simulator::matrix::{self, Headroom as Measured};

use crate::compare;
use crate::plan::Plan;
use crate::report::{Accumulator, Headroom, InfiniteElements, PartialSum, SourcePlace};

/// The most infinite elements of a buffer that a report lists.
const MOST_LISTED: usize = 1 << 16;

/// What a run measured, each with the dispatch that it belongs to.
pub(crate) fn of(
    ranges: &[(usize, Measured)],
    name: &dyn Fn(usize) -> Option<String>,
    place: &dyn Fn(usize, u32) -> Option<SourcePlace>,
) -> Headroom {
    let sum = |sum: matrix::PartialSum| PartialSum {
        value: sum.value,
        k: sum.k,
        workgroup: sum.workgroup,
        subgroup: sum.subgroup,
        row: sum.row,
        column: sum.column,
    };
    let accumulators = ranges.iter().map(|(dispatch, found)| Accumulator {
        dispatch: name(*dispatch),
        place: place(*dispatch, found.instruction),
        instruction: found.instruction,
        sums: found.sums,
        products: found.products,
        bits: found.bits(),
        largest: found.largest.map(sum),
        scale: found.scale,
        beyond: found.beyond,
        first: found.first.map(sum),
        infinite: found.infinite,
        excluded: found.excluded,
    });
    Headroom { accumulators: accumulators.collect(), infinite: Vec::new() }
}

/// The elements of the buffers that a run has left infinite or NaN.
pub(crate) fn left(plan: &Plan, buffers: &[Vec<u8>]) -> Vec<InfiniteElements> {
    let told = plan.buffers.iter().zip(buffers).enumerate().filter_map(|(index, (buffer, bytes))| {
        let found = infinite(plan, index, bytes);
        let shape = buffer.elements(bytes)?.shape;
        let listed = found.iter().take(MOST_LISTED).map(|at| compare::place(&shape, *at)).collect();
        (!found.is_empty()).then(|| InfiniteElements {
            buffer: buffer.name.clone(),
            elements: found.len(),
            listed,
        })
    });
    told.collect()
}

/// The elements of a buffer, by their index in rows, that are infinite or NaN when it holds these bytes; none of a buffer that is as it was
/// before the run.
pub fn infinite(plan: &Plan, buffer: usize, bytes: &[u8]) -> BTreeSet<usize> {
    let Some(buffer) = plan.buffers.get(buffer).filter(|buffer| buffer.bytes != bytes) else {
        return BTreeSet::new();
    };
    let Some(elements) = buffer.elements(bytes) else { return BTreeSet::new() };
    (0..elements.data.len()).filter(|index| !elements.data[*index].is_finite()).collect()
}
