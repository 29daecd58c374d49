//! Features: those of the profile that the driver has, and those that Vulkan requires of every device.

use std::collections::BTreeSet;

use ash::vk::{self, StructureType};
use coopmat_analysis::devices::DeviceProfile;
use coopmat_spirv::vulkan::{CORE, Origin, STRUCTURES};

/// Structures of features whose members are also members of those of Vulkan 1.1, 1.2, 1.3 or 1.4, in order: what programs ask with that were made
/// for an older version.
const OLDER: &[(StructureType, &[&str])] = &[
    (
        StructureType::PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
        &[
            "storageBuffer16BitAccess",
            "uniformAndStorageBuffer16BitAccess",
            "storagePushConstant16",
            "storageInputOutput16",
        ],
    ),
    (
        StructureType::PHYSICAL_DEVICE_8BIT_STORAGE_FEATURES,
        &["storageBuffer8BitAccess", "uniformAndStorageBuffer8BitAccess", "storagePushConstant8"],
    ),
    (StructureType::PHYSICAL_DEVICE_SHADER_FLOAT16_INT8_FEATURES, &["shaderFloat16", "shaderInt8"]),
    (
        StructureType::PHYSICAL_DEVICE_VARIABLE_POINTERS_FEATURES,
        &["variablePointersStorageBuffer", "variablePointers"],
    ),
    (
        StructureType::PHYSICAL_DEVICE_MULTIVIEW_FEATURES,
        &["multiview", "multiviewGeometryShader", "multiviewTessellationShader"],
    ),
    (StructureType::PHYSICAL_DEVICE_PROTECTED_MEMORY_FEATURES, &["protectedMemory"]),
    (StructureType::PHYSICAL_DEVICE_SAMPLER_YCBCR_CONVERSION_FEATURES, &["samplerYcbcrConversion"]),
    (StructureType::PHYSICAL_DEVICE_SHADER_DRAW_PARAMETERS_FEATURES, &["shaderDrawParameters"]),
    (
        StructureType::PHYSICAL_DEVICE_SHADER_ATOMIC_INT64_FEATURES,
        &["shaderBufferInt64Atomics", "shaderSharedInt64Atomics"],
    ),
    (
        StructureType::PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
        &[
            "shaderInputAttachmentArrayDynamicIndexing",
            "shaderUniformTexelBufferArrayDynamicIndexing",
            "shaderStorageTexelBufferArrayDynamicIndexing",
            "shaderUniformBufferArrayNonUniformIndexing",
            "shaderSampledImageArrayNonUniformIndexing",
            "shaderStorageBufferArrayNonUniformIndexing",
            "shaderStorageImageArrayNonUniformIndexing",
            "shaderInputAttachmentArrayNonUniformIndexing",
            "shaderUniformTexelBufferArrayNonUniformIndexing",
            "shaderStorageTexelBufferArrayNonUniformIndexing",
            "descriptorBindingUniformBufferUpdateAfterBind",
            "descriptorBindingSampledImageUpdateAfterBind",
            "descriptorBindingStorageImageUpdateAfterBind",
            "descriptorBindingStorageBufferUpdateAfterBind",
            "descriptorBindingUniformTexelBufferUpdateAfterBind",
            "descriptorBindingStorageTexelBufferUpdateAfterBind",
            "descriptorBindingUpdateUnusedWhilePending",
            "descriptorBindingPartiallyBound",
            "descriptorBindingVariableDescriptorCount",
            "runtimeDescriptorArray",
        ],
    ),
    (StructureType::PHYSICAL_DEVICE_SCALAR_BLOCK_LAYOUT_FEATURES, &["scalarBlockLayout"]),
    (StructureType::PHYSICAL_DEVICE_IMAGELESS_FRAMEBUFFER_FEATURES, &["imagelessFramebuffer"]),
    (
        StructureType::PHYSICAL_DEVICE_UNIFORM_BUFFER_STANDARD_LAYOUT_FEATURES,
        &["uniformBufferStandardLayout"],
    ),
    (
        StructureType::PHYSICAL_DEVICE_SHADER_SUBGROUP_EXTENDED_TYPES_FEATURES,
        &["shaderSubgroupExtendedTypes"],
    ),
    (
        StructureType::PHYSICAL_DEVICE_SEPARATE_DEPTH_STENCIL_LAYOUTS_FEATURES,
        &["separateDepthStencilLayouts"],
    ),
    (StructureType::PHYSICAL_DEVICE_HOST_QUERY_RESET_FEATURES, &["hostQueryReset"]),
    (StructureType::PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_FEATURES, &["timelineSemaphore"]),
    (
        StructureType::PHYSICAL_DEVICE_BUFFER_DEVICE_ADDRESS_FEATURES,
        &["bufferDeviceAddress", "bufferDeviceAddressCaptureReplay", "bufferDeviceAddressMultiDevice"],
    ),
    (
        StructureType::PHYSICAL_DEVICE_VULKAN_MEMORY_MODEL_FEATURES,
        &[
            "vulkanMemoryModel",
            "vulkanMemoryModelDeviceScope",
            "vulkanMemoryModelAvailabilityVisibilityChains",
        ],
    ),
    (StructureType::PHYSICAL_DEVICE_IMAGE_ROBUSTNESS_FEATURES, &["robustImageAccess"]),
    (
        StructureType::PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_FEATURES,
        &["inlineUniformBlock", "descriptorBindingInlineUniformBlockUpdateAfterBind"],
    ),
    (
        StructureType::PHYSICAL_DEVICE_PIPELINE_CREATION_CACHE_CONTROL_FEATURES,
        &["pipelineCreationCacheControl"],
    ),
    (StructureType::PHYSICAL_DEVICE_PRIVATE_DATA_FEATURES, &["privateData"]),
    (
        StructureType::PHYSICAL_DEVICE_SHADER_DEMOTE_TO_HELPER_INVOCATION_FEATURES,
        &["shaderDemoteToHelperInvocation"],
    ),
    (StructureType::PHYSICAL_DEVICE_SHADER_TERMINATE_INVOCATION_FEATURES, &["shaderTerminateInvocation"]),
    (
        StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
        &["subgroupSizeControl", "computeFullSubgroups"],
    ),
    (StructureType::PHYSICAL_DEVICE_SYNCHRONIZATION_2_FEATURES, &["synchronization2"]),
    (
        StructureType::PHYSICAL_DEVICE_ZERO_INITIALIZE_WORKGROUP_MEMORY_FEATURES,
        &["shaderZeroInitializeWorkgroupMemory"],
    ),
    (StructureType::PHYSICAL_DEVICE_DYNAMIC_RENDERING_FEATURES, &["dynamicRendering"]),
    (StructureType::PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_FEATURES, &["shaderIntegerDotProduct"]),
    (StructureType::PHYSICAL_DEVICE_MAINTENANCE_4_FEATURES, &["maintenance4"]),
    (StructureType::PHYSICAL_DEVICE_PIPELINE_ROBUSTNESS_FEATURES_EXT, &["pipelineRobustness"]),
    (
        StructureType::PHYSICAL_DEVICE_SHADER_SUBGROUP_ROTATE_FEATURES_KHR,
        &["shaderSubgroupRotate", "shaderSubgroupRotateClustered"],
    ),
    (StructureType::PHYSICAL_DEVICE_SHADER_FLOAT_CONTROLS_2_FEATURES_KHR, &["shaderFloatControls2"]),
    (StructureType::PHYSICAL_DEVICE_SHADER_EXPECT_ASSUME_FEATURES_KHR, &["shaderExpectAssume"]),
];

/// Features that every device has: of Vulkan 1.0 to 1.3 (Vulkan, 48.1 "Feature Requirements"), as far as compute programs may use them.
const REQUIRED: &[(u32, &[&str])] = &[
    (vk::API_VERSION_1_0, &["robustBufferAccess"]),
    (vk::API_VERSION_1_1, &["multiview"]),
    (
        vk::API_VERSION_1_2,
        &[
            "uniformBufferStandardLayout",
            "shaderSubgroupExtendedTypes",
            "imagelessFramebuffer",
            "separateDepthStencilLayouts",
            "hostQueryReset",
            "timelineSemaphore",
            "subgroupBroadcastDynamicId",
        ],
    ),
    (
        vk::API_VERSION_1_3,
        &[
            "bufferDeviceAddress",
            "vulkanMemoryModel",
            "vulkanMemoryModelDeviceScope",
            "robustImageAccess",
            "inlineUniformBlock",
            "pipelineCreationCacheControl",
            "privateData",
            "shaderDemoteToHelperInvocation",
            "shaderTerminateInvocation",
            "subgroupSizeControl",
            "computeFullSubgroups",
            "synchronization2",
            "shaderZeroInitializeWorkgroupMemory",
            "dynamicRendering",
            "shaderIntegerDotProduct",
            "maintenance4",
        ],
    ),
];

/// Features of profiles that the driver does not have.
pub const LACKING: &[&str] = &[
    "sparseBinding",
    "sparseResidencyBuffer",
    "sparseResidencyImage2D",
    "sparseResidencyImage3D",
    "sparseResidency2Samples",
    "sparseResidency4Samples",
    "sparseResidency8Samples",
    "sparseResidency16Samples",
    "sparseResidencyAliased",
    "sparseImageFloat32Atomics",
    "sparseImageFloat32AtomicAdd",
    "sparseImageFloat32AtomicMinMax",
    "sparseImageInt64Atomics",
    "pipelineStatisticsQuery",
    "inheritedQueries",
    "protectedMemory",
    "samplerYcbcrConversion",
    // Images: what the simulator has not.
    "imageCubeArray",
    "samplerAnisotropy",
    "samplerFilterMinmax",
    "textureCompressionETC2",
    "textureCompressionASTC_LDR",
    "textureCompressionASTC_HDR",
    "textureCompressionBC",
    "shaderImageGatherExtended",
    "shaderStorageImageMultisample",
    "shaderResourceResidency",
    "shaderImageInt64Atomics",
    "bufferDeviceAddressCaptureReplay",
    "bufferDeviceAddressMultiDevice",
    "descriptorHeapCaptureReplay",
];

/// The names of a structure's members; none if it is not known.
pub fn members(kind: i32) -> Option<&'static [&'static str]> {
    let named = STRUCTURES.iter().find(|structure| structure.kind == kind);
    let older = || OLDER.iter().find(|(older, _)| older.as_raw() == kind).map(|(_, names)| *names);
    named.map(|structure| structure.features).or_else(older)
}

/// All names of features that the tables have.
fn names() -> impl Iterator<Item = (&'static str, Option<&'static [Origin]>)> {
    let structures = STRUCTURES.iter();
    let others = structures.flat_map(|one| one.features.iter().map(|name| (*name, Some(one.since))));
    CORE.iter().map(|name| (*name, None)).chain(others)
}

/// The features of a device.
pub fn of(profile: &DeviceProfile, version: u32, extensions: &[&str]) -> BTreeSet<&'static str> {
    let comes = |origin: &Origin| match *origin {
        // Features of a later version come with the extensions that it contains.
        Origin::Version(..) => true,
        Origin::Extension(name) => extensions.contains(&name),
    };
    let mut features: BTreeSet<&str> = names()
        .filter(|(name, since)| {
            profile.has_feature(name)
                && !LACKING.contains(name)
                && since.is_none_or(|since| since.iter().any(comes))
        })
        .map(|(name, _)| name)
        .collect();
    for (since, required) in REQUIRED {
        if version >= *since {
            features.extend(*required);
        }
    }
    features
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn older_structures_have_members_of_newer_ones() {
        let known: BTreeSet<&str> = names().map(|(name, _)| name).collect();
        for (kind, members) in OLDER {
            for name in *members {
                assert!(known.contains(name), "{}: {name}", kind.as_raw());
            }
        }
        for name in REQUIRED.iter().flat_map(|(_, names)| *names) {
            assert!(known.contains(name), "{name}");
        }
        for name in LACKING {
            assert!(known.contains(name), "{name}");
        }
    }
}
