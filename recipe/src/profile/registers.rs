//! How many registers matrices take, against the device's: how many subgroups can be resident at the same time.
//!
//! Both figures are bounds: a driver needs registers for everything else as well, and gives them out in portions that are not published.

use schemars::JsonSchema;
use serde::Serialize;

use crate::report::SourcePlace;

/// What a device has for the workgroups that run at the same time: what NVIDIA calls a multiprocessor, AMD a compute unit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ComputeUnit {
    /// Registers of 32 bits.
    pub registers: u64,
    /// The most registers of one invocation.
    pub registers_per_invocation: u64,
    /// The most subgroups that are resident.
    pub subgroups: u64,
    /// Bytes of shared memory of all resident workgroups.
    pub shared_memory: u64,
}

/// The registers that matrices take.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS), ts(rename = "ProfiledRegisters"))]
#[serde(rename_all = "kebab-case")]
pub struct Registers {
    /// The most that results of multiply-adds take: no compiler can avoid them, as they are in no memory from which they could be loaded.
    pub bound: HeldRegisters,
    /// The most that all matrices take if everything is done in the order of the module.
    pub as_written: HeldRegisters,
    /// What is not in the figures, in sentences without a full stop.
    pub notes: Vec<String>,
    /// How much of the device that takes; none if the device's registers are not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub residency: Option<Residency>,
}

/// Registers at a place.
#[derive(Clone, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct HeldRegisters {
    /// Of 32 bits, of each invocation.
    pub registers: u64,
    /// The place before which it is held.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub place: Option<SourcePlace>,
    /// The matrices, the largest first.
    pub matrices: Vec<HeldMatrices>,
}

/// Matrices that are held.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct HeldMatrices {
    /// The variable; empty of a value without a name.
    pub name: String,
    /// `f32 16x16 accumulator`.
    pub matrix: String,
    /// How many of them: the elements of an array.
    pub count: u64,
    /// Registers of 32 bits of each invocation.
    pub registers: u64,
}

/// How many subgroups can be resident at most on what NVIDIA calls a multiprocessor.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[cfg_attr(feature = "typescript", derive(ts_rs::TS))]
#[serde(rename_all = "kebab-case")]
pub struct Residency {
    /// Its registers of 32 bits.
    pub registers: u64,
    /// The most registers of one invocation; what is above is spilled to memory.
    pub registers_per_invocation: u64,
    /// Whether the bound is above that.
    pub spills: bool,
    /// The most subgroups that the device has resident, whatever they need.
    pub most_subgroups: u64,
    /// The most by registers: those of the bound.
    pub by_registers: u64,
    /// The most by shared memory; none if the shader has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "typescript", ts(optional))]
    pub by_shared_memory: Option<u64>,
    /// The least of these.
    pub subgroups: u64,
}

impl Residency {
    /// Of workgroups of so many subgroups with so many bytes of shared memory.
    pub fn new(unit: &ComputeUnit, bound: u64, subgroup_size: u32, subgroups: u64, shared: u64) -> Residency {
        let held = bound.min(unit.registers_per_invocation).max(1);
        let subgroups = subgroups.max(1);
        // Workgroups are resident as a whole.
        let whole = |count: u64| count / subgroups * subgroups;
        let by_registers = whole(unit.registers / (held * u64::from(subgroup_size.max(1))));
        let by_shared_memory = (shared > 0).then(|| unit.shared_memory / shared * subgroups);
        let all = [Some(whole(unit.subgroups)), Some(by_registers), by_shared_memory];
        Residency {
            registers: unit.registers,
            registers_per_invocation: unit.registers_per_invocation,
            spills: bound > unit.registers_per_invocation,
            most_subgroups: unit.subgroups,
            by_registers: by_registers.min(whole(unit.subgroups)),
            by_shared_memory,
            subgroups: all.into_iter().flatten().min().unwrap_or(0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const UNIT: ComputeUnit = ComputeUnit {
        registers: 65536,
        registers_per_invocation: 255,
        subgroups: 64,
        shared_memory: 233_472,
    };

    /// 65,536 registers are 2,048 of each of 32 invocations: 32 subgroups with 64, or 16 with 128.
    #[test]
    fn registers_limit_how_many_subgroups_are_resident() {
        let of = |bound, subgroups, shared| Residency::new(&UNIT, bound, 32, subgroups, shared).subgroups;
        assert_eq!(of(64, 4, 0), 32);
        assert_eq!(of(128, 4, 0), 16);
        // 2,048 / 72 = 28: with 8 subgroups in a workgroup, three workgroups.
        assert_eq!(of(72, 8, 0), 24);
        // Few registers: the device has no more subgroups.
        assert_eq!(of(4, 4, 0), 64);
        // 100,000 bytes of shared memory: two workgroups.
        assert_eq!(of(4, 4, 100_000), 8);
        assert!(Residency::new(&UNIT, 256, 32, 4, 0).spills && !Residency::new(&UNIT, 255, 32, 4, 0).spills);
    }
}
