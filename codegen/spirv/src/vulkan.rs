//! What a module asks of a Vulkan device: features, extensions, versions and properties, by capability, execution mode and
//! instruction.
//!
//! [`needs`] reads a module; [`means`] answers for one capability. Both say what would do, not whether a device has it: profiles and
//! drivers are asked elsewhere. The facts are in `capabilities` and `structures`.

mod capabilities;
mod needs;
pub mod registry;
mod structures;

pub use needs::{Cause, Need, needs};
pub use structures::{CORE, OLDER, PROPERTIES, STRUCTURES, Structure};

use crate::Capability;
use crate::spirv::ExecutionMode;

/// What made something part of Vulkan.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Origin {
    /// Major and minor.
    Version(u32, u32),
    /// An extension of the device, by its name: `VK_KHR_cooperative_matrix`.
    Extension(&'static str),
}

impl std::fmt::Display for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Origin::Version(major, minor) => write!(f, "Vulkan {major}.{minor}"),
            Origin::Extension(name) => f.write_str(name),
        }
    }
}

/// One way in which a device may have what a module needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Means {
    /// Every device with this version or extension.
    Whole(Origin),
    /// A feature that may be enabled.
    Feature {
        /// The member of its structure: `cooperativeMatrix`.
        name: &'static str,
        /// What brought it: any of these.
        from: &'static [Origin],
    },
    /// A bit of `subgroupSupportedOperations`, and what brought it.
    Subgroup(SubgroupOperation, Origin),
    /// A property for floats of a width.
    FloatControl(FloatControl, u32),
}

impl Means {
    /// The extension of a feature that others have under the same name.
    pub fn shared_extension(self) -> Option<&'static str> {
        let Means::Feature { from: [Origin::Extension(name)], .. } = self else { return None };
        capabilities::SHARING.iter().any(|(_, origin)| *origin == Origin::Extension(name)).then_some(*name)
    }

    /// The feature's name, for what is one.
    pub fn feature(self) -> Option<&'static str> {
        match self {
            Means::Feature { name, .. } => Some(name),
            _ => None,
        }
    }
}

impl std::fmt::Display for Means {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self {
            Means::Whole(origin) => origin.fmt(f),
            Means::Feature { name, .. } => write!(f, "the feature {name}"),
            Means::Subgroup(operation, _) => write!(f, "{} operations of subgroups", operation.name()),
            Means::FloatControl(control, width) => f.write_str(&control.property(*width)),
        }
    }
}

/// What a device without any of them lacks, as part of a sentence.
pub fn describe(any: &[Means]) -> String {
    match any {
        [one] => one.to_string(),
        _ => format!("all of {}", any.iter().map(Means::to_string).collect::<Vec<_>>().join(", ")),
    }
}

/// `VkSubgroupFeatureFlagBits`: what subgroups can do together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SubgroupOperation {
    /// `subgroupBarrier`, `subgroupElect`, and the built-in variables of subgroups.
    Basic,
    /// Whether a condition holds for all or any: `subgroupAll`.
    Vote,
    /// Reductions and scans: `subgroupAdd`.
    Arithmetic,
    /// Masks of conditions, and broadcasts: `subgroupBallot`.
    Ballot,
    /// A value of a chosen invocation: `subgroupShuffle`.
    Shuffle,
    /// A value of an invocation so many before or after: `subgroupShuffleUp`.
    ShuffleRelative,
    /// Reductions within groups of some invocations: `subgroupClusteredAdd`.
    Clustered,
    /// Exchanges among four neighbours: `subgroupQuadBroadcast`.
    Quad,
    /// Reductions within groups of equal values: `subgroupPartitionedAddNV`.
    Partitioned,
    /// A value of the invocation so many after, around the end: `subgroupRotate`.
    Rotate,
    /// The same within groups of some invocations: `subgroupClusteredRotate`.
    RotateClustered,
}

impl SubgroupOperation {
    /// With the bit, and the name between `VK_SUBGROUP_FEATURE_` and `_BIT` in lower case.
    pub const ALL: [(SubgroupOperation, u32, &'static str); 11] = [
        (SubgroupOperation::Basic, 0x1, "basic"),
        (SubgroupOperation::Vote, 0x2, "vote"),
        (SubgroupOperation::Arithmetic, 0x4, "arithmetic"),
        (SubgroupOperation::Ballot, 0x8, "ballot"),
        (SubgroupOperation::Shuffle, 0x10, "shuffle"),
        (SubgroupOperation::ShuffleRelative, 0x20, "shuffle_relative"),
        (SubgroupOperation::Clustered, 0x40, "clustered"),
        (SubgroupOperation::Quad, 0x80, "quad"),
        (SubgroupOperation::Partitioned, 0x100, "partitioned"),
        (SubgroupOperation::Rotate, 0x200, "rotate"),
        (SubgroupOperation::RotateClustered, 0x400, "rotate_clustered"),
    ];

    /// The bit in `subgroupSupportedOperations`.
    pub fn bit(self) -> u32 {
        Self::ALL.iter().find(|(known, ..)| *known == self).map_or(0, |(_, bit, _)| *bit)
    }

    /// What profiles of devices call it: `shuffle_relative`.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(known, ..)| *known == self).map_or("", |(.., name)| name)
    }
}

/// What float controls ask for, in the order of `VkPhysicalDeviceFloatControlsProperties`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatControl {
    /// The sign of zero, infinities and NaN are kept.
    SignedZeroInfNanPreserve,
    /// Denormals are kept.
    DenormPreserve,
    /// Denormals become zero.
    DenormFlushToZero,
    /// Results are rounded to the nearest, ties to even.
    RoundingModeRTE,
    /// Results are rounded toward zero.
    RoundingModeRTZ,
}

impl FloatControl {
    /// In the order of the properties.
    pub const ALL: [FloatControl; 5] = [
        FloatControl::SignedZeroInfNanPreserve,
        FloatControl::DenormPreserve,
        FloatControl::DenormFlushToZero,
        FloatControl::RoundingModeRTE,
        FloatControl::RoundingModeRTZ,
    ];

    /// The widths that properties exist for.
    pub const WIDTHS: [u32; 3] = [16, 32, 64];

    /// What an execution mode asks for.
    pub fn of(mode: ExecutionMode) -> Option<FloatControl> {
        Some(match mode {
            ExecutionMode::SignedZeroInfNanPreserve => FloatControl::SignedZeroInfNanPreserve,
            ExecutionMode::DenormPreserve => FloatControl::DenormPreserve,
            ExecutionMode::DenormFlushToZero => FloatControl::DenormFlushToZero,
            ExecutionMode::RoundingModeRTE => FloatControl::RoundingModeRTE,
            ExecutionMode::RoundingModeRTZ => FloatControl::RoundingModeRTZ,
            _ => return None,
        })
    }

    /// The property's name, such as `shaderDenormPreserveFloat16`.
    pub fn property(self, width: u32) -> String {
        format!("shader{self:?}Float{width}")
    }

    /// The property's place among the booleans of the structure, which begins with two about independence.
    pub fn place(self, width: u32) -> Option<usize> {
        let width = Self::WIDTHS.iter().position(|known| *known == width)?;
        Some(2 + self as usize * Self::WIDTHS.len() + width)
    }
}

/// The ways in which a capability may be declared: any of them will do. Nothing for what no version and no extension of
/// Vulkan has, such as the capabilities of OpenCL.
pub fn means(capability: Capability) -> Vec<Means> {
    let of = |row: Capability| row == capability;
    let mut found = Vec::new();
    for group in capabilities::FEATURES {
        let rows = group.rows.iter().filter(|(row, _)| of(*row));
        found.extend(rows.map(|(_, name)| Means::Feature { name, from: group.from }));
    }
    for (row, origin) in capabilities::WHOLE {
        if of(*row) {
            found.push(Means::Whole(*origin));
        }
    }
    for (row, operation, origin) in capabilities::SUBGROUP {
        if of(*row) {
            found.push(Means::Subgroup(*operation, *origin));
        }
    }
    for (row, control) in capabilities::FLOAT_CONTROLS {
        if of(*row) {
            found.extend(FloatControl::WIDTHS.map(|width| Means::FloatControl(*control, width)));
        }
    }
    found
}

/// Every capability that Vulkan has; some more than once.
pub fn capabilities() -> impl Iterator<Item = Capability> {
    let features = capabilities::FEATURES.iter().flat_map(|group| group.rows.iter().map(|(row, _)| *row));
    let whole = capabilities::WHOLE.iter().map(|(row, _)| *row);
    let subgroup = capabilities::SUBGROUP.iter().map(|(row, ..)| *row);
    let controls = capabilities::FLOAT_CONTROLS.iter().map(|(row, _)| *row);
    features.chain(whole).chain(subgroup).chain(controls)
}

/// A feature as [`Means`], from every structure that has it.
pub(crate) fn feature(wanted: &str) -> Option<Means> {
    if let Some(name) = CORE.iter().find(|name| **name == wanted) {
        return Some(Means::Feature { name, from: &[Origin::Version(1, 0)] });
    }
    let found = STRUCTURES.iter().find_map(|structure| {
        let name = structure.features.iter().find(|name| **name == wanted)?;
        Some((*name, structure.since))
    });
    found.map(|(name, from)| Means::Feature { name, from })
}

/// The features that came with an extension and with no version of Vulkan.
pub fn features_of(extension: &str) -> impl Iterator<Item = &'static str> {
    let of = move |structure: &&Structure| {
        structure.since.iter().any(|origin| matches!(origin, Origin::Extension(name) if *name == extension))
    };
    STRUCTURES.iter().filter(of).flat_map(|structure| structure.features.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_feature_that_is_asked_for_is_in_a_structure() {
        for capability in capabilities() {
            for means in means(capability) {
                let Means::Feature { name, from } = means else { continue };
                let has = |structure: &Structure| {
                    structure.features.contains(&name)
                        && structure.since.iter().any(|origin| from.contains(origin))
                };
                let core = CORE.contains(&name) && from.contains(&Origin::Version(1, 0));
                let structures = || STRUCTURES.iter().chain(OLDER).any(has);
                assert!(core || structures(), "{name} of {capability:?}");
            }
        }
    }
}
