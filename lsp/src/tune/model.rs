//! What a choice is likely to cost: counts of its first workgroup, times workgroups, against what a multiprocessor does in a cycle.
//!
//! The costs are those of one device, and only devices on which the order was compared with measured times have any
//! (docs/performance.md has the comparison). For others there are counts alone.

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

/// What a multiprocessor does in a cycle, and how many there are.
#[derive(Clone, Copy, Debug)]
pub struct Costs {
    multiprocessors: f64,
    /// Operations in multiply-adds of `float16_t` and `bfloat16_t`.
    flops: f64,
    passes: f64,
    sectors: f64,
    /// Instructions of the module, each of a subgroup: more than the hardware's, as a driver makes constants of many.
    instructions: f64,
    /// Subgroups that reach all of these rates together: fewer wait for each of their results.
    busy_subgroups: f64,
    shared_bytes: f64,
    most_subgroups: f64,
    most_workgroups: f64,
}

/// Of NVIDIA's Hopper, compute capability 9.0: 132 multiprocessors of an H100 SXM or H200; 227 KiB of shared memory, 64 warps and 32 blocks (CUDA C++
/// Programming Guide, compute capabilities). A pass a cycle was measured with microkernels; instructions and busy subgroups were chosen so that the
/// order is that of the times of `gemm_staged.comp` on an H100 (docs/performance.md).
const HOPPER: Costs = Costs {
    multiprocessors: 132.0,
    flops: 2048.0,
    passes: 1.0,
    sectors: 2.0,
    instructions: 6.0,
    busy_subgroups: 32.0,
    shared_bytes: 227.0 * 1024.0,
    most_subgroups: 64.0,
    most_workgroups: 32.0,
};

/// The costs of a device profile, if there are.
pub fn costs(device: &str) -> Option<Costs> {
    matches!(device, "nvidia-h200").then_some(HOPPER)
}

impl Costs {
    /// Cycles, of which only the order counts.
    pub fn of(&self, counts: &Counts) -> f64 {
        let resident = (self.shared_bytes / counts.shared_bytes.max(1.0))
            .min(self.most_subgroups / counts.subgroups.max(1.0))
            .min(self.most_workgroups)
            .floor()
            .max(1.0);
        // A multiprocessor has the workgroups of one round at once, as many as it can hold and as there are.
        let of_one = (counts.workgroups / self.multiprocessors).ceil().max(1.0);
        let together = resident.min(of_one);
        let rounds = (of_one / together).ceil();
        let parts = [
            counts.flops / self.flops,
            counts.passes.unwrap_or(0.0) / self.passes,
            counts.sectors / self.sectors,
            counts.instructions / self.instructions,
        ];
        let largest = parts.iter().copied().fold(0.0, f64::max);
        let busy = (counts.subgroups * together / self.busy_subgroups).min(1.0);
        rounds * together * largest / busy
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
    fn the_resource_that_takes_longest_decides_and_so_does_the_number_of_workgroups() {
        let own = counts();
        let more = [
            Counts { instructions: 90000.0, ..own },
            Counts { flops: 1e8, ..own },
            Counts { passes: Some(9000.0), ..own },
            Counts { sectors: 9000.0, ..own },
            Counts { workgroups: 4000.0, ..own },
        ];
        for more in more {
            assert!(HOPPER.of(&more) > HOPPER.of(&own), "{more:?}");
        }
    }
}
