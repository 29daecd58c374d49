//! The features and extensions that a module needs, against those of a device.

use std::collections::{BTreeMap, BTreeSet};

use coopmat_spirv::vulkan::{self, Means, Origin};

use crate::module::Program;
use crate::profile::Reported;

/// Features that no capability asks for, and that modules rely on where a device has them.
const WELCOME: &[&str] = &[
    // Accesses out of bounds of a buffer do no harm.
    "robustBufferAccess",
    // Nor do those of an image: they read zeros.
    "robustImageAccess",
    // A sampler's, which modules do not say.
    "samplerMirrorClampToEdge",
    "scalarBlockLayout",
    "uniformBufferStandardLayout",
    "shaderSubgroupExtendedTypes",
    "subgroupSizeControl",
    "computeFullSubgroups",
    "shaderZeroInitializeWorkgroupMemory",
    // `LocalSizeId` is its.
    "maintenance4",
    "workgroupMemoryExplicitLayoutScalarBlockLayout",
    "variablePointersStorageBuffer",
    "cooperativeMatrixFlexibleDimensions",
    "cooperativeMatrixWorkgroupScope",
];

/// Features that let a welcome one be enabled.
const WELCOME_WITH: &[(&str, &str)] = &[
    ("workgroupMemoryExplicitLayoutScalarBlockLayout", "workgroupMemoryExplicitLayout"),
    ("cooperativeMatrixFlexibleDimensions", "cooperativeMatrix"),
    ("cooperativeMatrixWorkgroupScope", "cooperativeMatrix"),
    ("variablePointersStorageBuffer", "variablePointers"),
];

/// Extensions that others stand on.
const STANDS_ON: &[(&str, &str)] = &[
    ("VK_NV_cooperative_matrix_decode_vector", "VK_NV_cooperative_matrix2"),
    ("VK_NV_cooperative_matrix2", "VK_KHR_cooperative_matrix"),
    ("VK_QCOM_cooperative_matrix_conversion", "VK_KHR_cooperative_matrix"),
    ("VK_EXT_cooperative_matrix_maintenance1", "VK_KHR_cooperative_matrix"),
    ("VK_EXT_shader_atomic_float2", "VK_EXT_shader_atomic_float"),
];

/// What a device has.
pub(crate) struct Has<'a> {
    pub name: &'a str,
    pub extensions: &'a BTreeSet<String>,
    pub reported: &'a Reported,
    /// Major and minor, of the device and of the loader.
    pub version: (u32, u32),
    /// `subgroupSupportedOperations`
    pub subgroup_operations: u32,
    /// The booleans of `VkPhysicalDeviceFloatControlsProperties`.
    pub float_controls: &'a [u32],
}

/// What is enabled for a module.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Enabled {
    /// Names of features of `VkPhysicalDeviceFeatures`.
    pub core: BTreeSet<&'static str>,
    /// Names of features by their structure's type.
    pub structures: BTreeMap<i32, BTreeSet<&'static str>>,
    pub extensions: BTreeSet<&'static str>,
}

impl Enabled {
    pub fn has(&self, feature: &str) -> bool {
        self.core.contains(feature) || self.structures.values().any(|names| names.contains(feature))
    }

    /// Whether the device has it; what can be enabled is.
    fn enable(&mut self, means: &Means, has: &Has) -> bool {
        match means {
            Means::Feature { name, from } => self.feature(name, Some(from), has),
            Means::Whole(origin) => self.origin(origin, has),
            Means::Subgroup(operation, origin) => {
                has.subgroup_operations & operation.bit() != 0 && self.origin(origin, has)
            }
            Means::FloatControl(control, width) => {
                let word = control.place(*width).and_then(|place| has.float_controls.get(place));
                word.is_some_and(|word| *word != 0)
            }
        }
    }

    fn origin(&mut self, origin: &Origin, has: &Has) -> bool {
        match origin {
            Origin::Version(major, minor) => has.version >= (*major, *minor),
            Origin::Extension(name) => {
                let there = has.extensions.contains(*name);
                if there {
                    self.extensions.insert(name);
                }
                there
            }
        }
    }

    /// Whether the device has a feature, in the structures of certain versions and extensions or in any whose names are its own.
    fn feature(&mut self, feature: &str, from: Option<&[Origin]>, has: &Has) -> bool {
        let mut found = false;
        for (structure, words) in &has.reported.structures {
            let of = |origin: &&Origin| from.is_some_and(|from| from.contains(origin));
            let older = vulkan::OLDER.iter().any(|older| older.kind == structure.kind);
            if !structure.since.iter().any(|origin| of(&origin)) && (from.is_some() || older) {
                continue;
            }
            let place = structure.features.iter().position(|name| *name == feature);
            if let Some(place) = place
                && words.words[place] != 0
            {
                found = true;
                self.structures.entry(structure.kind).or_default().insert(structure.features[place]);
                let extensions = structure.since.iter().filter_map(|origin| match origin {
                    Origin::Extension(name) if has.extensions.contains(*name) => Some(*name),
                    _ => None,
                });
                self.extensions.extend(extensions);
            }
        }
        let core = from.is_none_or(|from| from.contains(&Origin::Version(1, 0)));
        if let Some(place) = vulkan::CORE.iter().position(|name| *name == feature)
            && core
            && has.reported.core[place] != 0
        {
            found = true;
            self.core.insert(vulkan::CORE[place]);
        }
        found
    }
}

/// # Errors
/// What the device lacks.
pub(crate) fn enabled(program: &Program, has: &Has) -> Result<Enabled, String> {
    let mut enabled = Enabled::default();
    for need in vulkan::needs(program.module, Some(program.entry)) {
        let why = need.cause.describe();
        if need.any.is_empty() {
            return Err(format!(
                "the module declares {why}, which no version or extension of Vulkan is known to provide"
            ));
        }
        // All that there are get enabled.
        let found = need.any.iter().filter(|means| enabled.enable(means, has)).count();
        if found == 0 {
            return Err(format!("{} lacks {}, required by {why}", has.name, vulkan::describe(&need.any)));
        }
    }
    for feature in WELCOME {
        let with = WELCOME_WITH.iter().find(|(name, _)| name == feature);
        if with.is_none_or(|(_, with)| enabled.has(with)) {
            enabled.feature(feature, None, has);
        }
    }
    // What others stand on comes after them in the list.
    for (extension, below) in STANDS_ON {
        if enabled.extensions.contains(extension) {
            enabled.extensions.insert(below);
        }
    }
    Ok(enabled)
}

#[cfg(test)]
mod agreement_tests;
