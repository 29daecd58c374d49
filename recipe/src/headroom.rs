//! How far `float16_t` accumulators are from overflowing, as reports tell it, and which elements of buffers are infinite.

use std::collections::BTreeSet;

use coopmat_simulator::Execution;

use crate::compare;
use crate::plan::Plan;
use crate::report::{Accumulator, Headroom, InfiniteElements, PartialSum, SourcePlace};

/// The most infinite elements of a buffer that a report lists.
const MOST_LISTED: usize = 1 << 16;

/// What a run measured.
pub(crate) fn of(execution: &Execution, place: &dyn Fn(u32) -> Option<SourcePlace>) -> Headroom {
    let sum = |sum: coopmat_simulator::matrix::PartialSum| PartialSum {
        value: sum.value,
        k: sum.k,
        workgroup: sum.workgroup,
        subgroup: sum.subgroup,
        row: sum.row,
        column: sum.column,
    };
    let accumulators = execution.headroom().into_iter().map(|found| Accumulator {
        place: place(found.instruction),
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
