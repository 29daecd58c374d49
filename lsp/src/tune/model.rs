//! What a choice is likely to cost: counts of its first workgroup, times workgroups, against what a multiprocessor does in a cycle.
//!
//! The costs are those of one device, and only devices on which the order was compared with measured times have any
//! (docs/performance.md has the comparison). For others there are counts alone.

use coopmat_analysis::devices::{ComputeUnit, DeviceProfile, TimeModel};
use coopmat_recipe::profile::Profile;

/// What one workgroup does, and how many there are.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counts {
    /// Of the dispatch.
    pub workgroups: f64,
    /// Of a workgroup.
    pub subgroups: f64,
    /// Bytes of shared memory of a workgroup.
    pub shared_bytes: f64,
    /// Instructions of all subgroups, of one workgroup as all that follow.
    pub instructions: f64,
    /// Operations in multiply-adds.
    pub flops: f64,
    /// Passes of shared memory; none if the banks are not known.
    pub passes: Option<f64>,
    /// Sectors of buffers.
    pub sectors: f64,
    /// Barriers that the workgroup passed.
    pub barriers: f64,
}

impl Counts {
    /// Of a profile whose dispatches ran one workgroup each; `workgroups` of the whole dispatch, the rest of the shader.
    pub fn new(profile: &Profile, workgroups: f64, subgroups: f64, shared_bytes: f64) -> Counts {
        let mut counts =
            Counts { workgroups, subgroups, shared_bytes, passes: Some(0.0), ..Counts::default() };
        for dispatch in &profile.dispatches {
            counts.instructions += dispatch.instructions as f64;
            counts.flops += dispatch.matrix_flops as f64;
            counts.barriers += dispatch.barriers as f64;
            counts.sectors += dispatch.global.iter().filter_map(|it| it.sectors).sum::<u64>() as f64;
            for access in &dispatch.shared {
                counts.passes = counts.passes.and_then(|all| Some(all + access.passes? as f64));
            }
        }
        counts
    }

    /// What all workgroups do together, and what a single one holds: less of each is better.
    fn totals(&self) -> [f64; 6] {
        [
            self.instructions * self.workgroups,
            self.passes.unwrap_or(0.0) * self.workgroups,
            self.sectors * self.workgroups,
            self.barriers * self.workgroups,
            self.shared_bytes,
            // What cannot run beside each other.
            1.0 / (self.workgroups * self.subgroups),
        ]
    }

    /// Whether another choice is better in some respect and worse in none.
    pub fn is_worse_than(&self, other: &Counts) -> bool {
        let pairs = || self.totals().into_iter().zip(other.totals());
        pairs().all(|(own, other)| own >= other) && pairs().any(|(own, other)| own > other)
    }
}

/// What a device does in a cycle.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    model: TimeModel,
    unit: ComputeUnit,
}

/// The costs of a device, if its profile has them.
pub fn costs(device: &DeviceProfile) -> Option<Costs> {
    let performance = &device.performance;
    Some(Costs { model: performance.time_model?, unit: performance.compute_unit? })
}

impl Costs {
    /// Cycles, of which only the order counts.
    pub fn of(&self, counts: &Counts) -> f64 {
        let Costs { model, unit } = self;
        let of_workgroup = counts.shared_bytes + f64::from(model.reserved_shared_memory);
        let resident = (f64::from(unit.shared_memory) / of_workgroup.max(1.0))
            .min(f64::from(unit.subgroups) / counts.subgroups.max(1.0))
            .min(model.workgroups.into())
            .floor()
            .max(1.0);
        // A compute unit has at once as many workgroups as it can hold and as there are.
        let of_one = (counts.workgroups / f64::from(model.compute_units)).ceil().max(1.0);
        let together = resident.min(of_one);
        // What a workgroup waits for alone is hidden by the others that are there.
        let instructions = counts.instructions / counts.subgroups.max(1.0);
        let waiting = instructions / f64::from(model.subgroup_instructions)
            + counts.barriers * f64::from(model.barrier_cycles);
        let parts = [
            counts.flops / f64::from(model.operations),
            counts.passes.unwrap_or(0.0) / f64::from(model.passes),
            counts.sectors / f64::from(model.sectors),
            waiting / together,
        ];
        // They overlap in part: more than the longest of them, less than all of them one after the other.
        of_one * parts.iter().map(|part| part * part).sum::<f64>().sqrt()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counts() -> Counts {
        Counts {
            workgroups: 256.0,
            subgroups: 4.0,
            shared_bytes: 16384.0,
            instructions: 1000.0,
            flops: 1e6,
            passes: Some(500.0),
            sectors: 400.0,
            barriers: 8.0,
        }
    }

    #[test]
    fn worse_in_one_respect_is_worse_and_better_in_one_is_not() {
        let own = counts();
        assert!(!own.is_worse_than(&own));
        assert!(Counts { passes: Some(501.0), ..own }.is_worse_than(&own));
        assert!(!Counts { passes: Some(501.0), sectors: 1.0, ..own }.is_worse_than(&own));
    }

    #[test]
    fn more_of_anything_takes_longer() {
        let own = counts();
        let hopper = costs(&coopmat_analysis::devices::find("nvidia-h200").unwrap()).unwrap();
        let more = [
            Counts { instructions: 90000.0, ..own },
            Counts { flops: 1e8, ..own },
            Counts { passes: Some(9000.0), ..own },
            Counts { sectors: 9000.0, ..own },
            Counts { workgroups: 4000.0, ..own },
        ];
        for more in more {
            assert!(hopper.of(&more) > hopper.of(&own), "{more:?}");
        }
    }
}
