//! The registers that matrices of a dispatch take, under the values that its specialization constants have.

use coopmat_codegen::statistics::{Assumptions, Point, live};
use coopmat_recipe::profile::{Facts, HeldMatrices, HeldRegisters, Registers, Residency};
use coopmat_simulator::profile::SharedArray;
use coopmat_spirv::{Values, specialize};

use crate::run::prepare::Prepared;

/// Nothing if the module cannot be specialized, which the run would have told.
pub fn of(
    prepared: &Prepared,
    dispatch: usize,
    arrays: &[SharedArray],
    subgroup_size: u32,
    facts: &Facts,
) -> Option<Registers> {
    let planned = prepared.plan.dispatches.get(dispatch)?;
    let module = prepared.shaders.get(dispatch)?.module.clone();
    let values = Values { given: planned.specialization.clone(), defaults: true };
    let specialized = specialize(module, &values).ok()?;
    let live = live(&specialized.module, planned.entry.as_deref(), &Assumptions { subgroup_size })?;
    let point = |point: &Point| {
        let origin = specialized.origins.get(point.instruction as usize).copied().flatten();
        let matrices = point.held.iter().map(|held| HeldMatrices {
            name: held.name.clone(),
            matrix: held.matrix.clone(),
            count: held.count,
            registers: held.registers,
        });
        HeldRegisters {
            registers: point.registers,
            place: origin
                .filter(|_| point.registers > 0)
                .and_then(|origin| prepared.place(dispatch, origin as u32)),
            matrices: matrices.collect(),
        }
    };
    let bound = point(&live.bound);
    let invocations: u64 =
        planned.program.interface().workgroup_size.iter().map(|size| u64::from(*size)).product();
    let subgroups = invocations.div_ceil(u64::from(subgroup_size.max(1)));
    let shared = arrays.iter().map(|array| array.offset + array.size).max().unwrap_or(0);
    let residency = facts
        .compute_unit
        .map(|unit| Residency::new(&unit, bound.registers, subgroup_size, subgroups, shared));
    Some(Registers { as_written: point(&live.as_written), bound, notes: live.notes, residency })
}
