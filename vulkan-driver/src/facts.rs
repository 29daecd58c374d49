//! What the device is: a profile, and Vulkan's required minimum where the profile says nothing.

pub mod extensions;
pub mod features;
pub mod limits;

use std::collections::BTreeSet;
use std::sync::Arc;

use ash::vk;
use coopmat_analysis::devices::{self, DeviceProfile, List, SubgroupSize};
use coopmat_spirv::vulkan::SubgroupOperation;

/// The version that the driver has. The patch is that of the headers that it was made with.
pub const VERSION: u32 = vk::API_VERSION_1_3 | vk::HEADER_VERSION;

/// The size of subgroups of a profile that does not say it.
const SUBGROUP_SIZE: u32 = 32;

/// A device.
pub struct Facts {
    pub profile: Arc<DeviceProfile>,
    /// The lower one of the profile's version and the driver's.
    pub version: u32,
    pub features: BTreeSet<&'static str>,
    pub extensions: Vec<&'static str>,
    pub subgroup_size: SubgroupSize,
    /// `subgroupSupportedOperations`
    pub subgroup_operations: u32,
    /// What is assumed, in words.
    pub assumed: Vec<String>,
    pub memory_limit: u64,
    /// The queues say that they can do graphics, which they cannot.
    pub claims_graphics: bool,
}

impl Facts {
    pub fn new(profile: Arc<DeviceProfile>, memory_limit: u64) -> Facts {
        let mut assumed = Vec::new();
        let reported = version(&profile.api_version);
        if reported.is_none() {
            assumed.push("Vulkan 1.3, as the profile has no version".to_owned());
        }
        let version = reported.unwrap_or(VERSION).min(VERSION);
        let subgroup_size = profile.subgroup_size.unwrap_or_else(|| {
            assumed.push(format!("subgroups of {SUBGROUP_SIZE}, as the profile has no size"));
            SubgroupSize { default: SUBGROUP_SIZE, min: SUBGROUP_SIZE, max: SUBGROUP_SIZE }
        });
        let operations = profile.limits.subgroup_supported_operations.as_deref();
        let subgroup_operations = operations.map_or_else(
            || {
                assumed.push(
                    "basic, vote, arithmetic, ballot and shuffle operations of subgroups, as the profile lists none"
                        .to_owned(),
                );
                // Vulkan 1.4 requires all that Vulkan 1.1 has, and every known device has these.
                0x3f
            },
            |names| {
                let known = SubgroupOperation::ALL.iter();
                known
                    .filter(|(.., name)| names.iter().any(|known| known == name))
                    .map(|(_, bit, _)| bit)
                    .sum()
            },
        );
        assumed.extend(limits::assumed(&profile));
        for (list, what) in [(List::Features, "features"), (List::Extensions, "extensions")] {
            if !profile.knows(list) {
                assumed
                    .push(format!("no {what} that Vulkan does not require, beyond those of the profile, whose list is incomplete"));
            }
        }
        if !profile.knows(List::Properties) {
            assumed.push(
                "no control of floats (denormals, rounding), and no fast dot products of integers, as the profile's list is incomplete"
                    .to_owned(),
            );
        }
        let extensions = extensions::of(&profile, version);
        let features = features::of(&profile, version, &extensions);
        Facts {
            profile,
            version,
            features,
            extensions,
            subgroup_size,
            subgroup_operations,
            assumed,
            memory_limit,
            claims_graphics: false,
        }
    }

    pub fn has(&self, feature: &str) -> bool {
        self.features.contains(feature)
    }

    /// What people call the device.
    pub fn title(&self) -> &str {
        let profile = &self.profile;
        if profile.title.is_empty() { &profile.name } else { &profile.title }
    }

    /// The bits of a list of stages.
    pub fn stages(names: Option<&Vec<String>>) -> vk::ShaderStageFlags {
        let bits = names.map_or(vk::ShaderStageFlags::COMPUTE.as_raw(), |names| {
            let known = devices::STAGES.iter();
            known.filter(|(_, name)| names.iter().any(|known| known == name)).map(|(bit, _)| bit).sum()
        });
        vk::ShaderStageFlags::from_raw(bits)
    }
}

/// `1.4.312` as Vulkan counts versions.
fn version(text: &str) -> Option<u32> {
    let mut parts = text.split('.').map(|part| part.parse::<u32>().ok());
    let (major, minor) = (parts.next()??, parts.next()??);
    let patch = parts.next().flatten().unwrap_or(0);
    Some(vk::make_api_version(0, major, minor, patch))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn facts(name: &str) -> Facts {
        Facts::new(devices::find(name).unwrap(), 1 << 30)
    }

    #[test]
    fn every_profile_becomes_a_device_of_the_lower_version() {
        for profile in devices::builtin() {
            let facts = Facts::new(profile.clone(), 1 << 30);
            assert!(facts.version >= vk::API_VERSION_1_1 && facts.version <= VERSION, "{}", profile.name);
            assert!(
                facts.has("robustBufferAccess") && facts.subgroup_operations & 1 == 1,
                "{}",
                profile.name
            );
            let matrices = facts.extensions.contains(&"VK_KHR_cooperative_matrix");
            assert_eq!(matrices, profile.has_feature("cooperativeMatrix"), "{}", profile.name);
            assert_eq!(matrices, facts.has("cooperativeMatrix"), "{}", profile.name);
        }
    }

    #[test]
    fn what_a_profile_leaves_out_is_the_minimum_and_said_to_be_assumed() {
        let mali = facts("arm-mali-g720");
        assert!(mali.has("timelineSemaphore") && !mali.has("shaderFloat64") && mali.has("shaderFloat16"));
        assert!(mali.assumed.iter().any(|line| line.contains("features")));
        let told =
            "workgroups of at most 128 invocations, workgroups of at most 128 x 128 x 64: Vulkan's least";
        assert!(mali.assumed.iter().any(|line| line.starts_with(told)), "{:?}", mali.assumed);
        assert!(facts("nvidia-h200").assumed.is_empty());
    }
}
