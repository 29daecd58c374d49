//! Extensions of instances and devices that the driver has.

use coopmat_analysis::devices::{DeviceProfile, List};
use coopmat_spirv::vulkan::{Origin, STRUCTURES};

/// Of instances, with their versions.
pub const INSTANCE: &[(&str, u32)] = &[
    ("VK_EXT_debug_utils", 2),
    ("VK_KHR_device_group_creation", 1),
    ("VK_KHR_external_fence_capabilities", 1),
    ("VK_KHR_external_memory_capabilities", 1),
    ("VK_KHR_external_semaphore_capabilities", 1),
    ("VK_KHR_get_physical_device_properties2", 2),
];

/// Of devices, with their versions. Those of `CORE` are part of Vulkan 1.3, so that a device whose list is not known has them.
pub const DEVICE: &[(&str, u32)] = &[
    ("VK_EXT_memory_budget", 1),
    ("VK_EXT_pipeline_robustness", 1),
    ("VK_EXT_shader_atomic_float", 1),
    ("VK_EXT_shader_atomic_float2", 1),
    ("VK_EXT_shader_float8", 1),
    ("VK_EXT_shader_long_vector", 1),
    ("VK_EXT_shader_replicated_composites", 1),
    ("VK_EXT_shader_subgroup_ballot", 1),
    ("VK_EXT_shader_subgroup_vote", 1),
    ("VK_GOOGLE_decorate_string", 1),
    ("VK_GOOGLE_hlsl_functionality1", 1),
    ("VK_GOOGLE_user_type", 1),
    ("VK_KHR_cooperative_matrix", 2),
    ("VK_KHR_map_memory2", 1),
    ("VK_KHR_push_descriptor", 2),
    ("VK_KHR_shader_bfloat16", 1),
    ("VK_KHR_shader_clock", 1),
    ("VK_KHR_shader_expect_assume", 1),
    ("VK_KHR_shader_float_controls2", 1),
    ("VK_KHR_shader_fma", 1),
    ("VK_KHR_shader_maximal_reconvergence", 1),
    ("VK_KHR_shader_relaxed_extended_instruction", 1),
    ("VK_KHR_shader_subgroup_rotate", 2),
    ("VK_KHR_shader_subgroup_uniform_control_flow", 1),
    ("VK_KHR_shader_untyped_pointers", 1),
    ("VK_KHR_workgroup_memory_explicit_layout", 1),
    ("VK_NV_cooperative_matrix2", 1),
    ("VK_NV_cooperative_matrix_decode_vector", 1),
    ("VK_NV_shader_atomic_float16_vector", 1),
    ("VK_QCOM_cooperative_matrix_conversion", 1),
];

/// The same, of those that are part of Vulkan 1.1, 1.2 or 1.3.
pub const CORE: &[(&str, u32)] = &[
    ("VK_EXT_descriptor_indexing", 2),
    ("VK_EXT_host_query_reset", 1),
    ("VK_EXT_inline_uniform_block", 1),
    ("VK_EXT_pipeline_creation_cache_control", 3),
    ("VK_EXT_private_data", 1),
    ("VK_EXT_scalar_block_layout", 1),
    ("VK_EXT_shader_demote_to_helper_invocation", 1),
    ("VK_EXT_subgroup_size_control", 2),
    ("VK_EXT_texel_buffer_alignment", 1),
    ("VK_EXT_tooling_info", 1),
    ("VK_KHR_16bit_storage", 1),
    ("VK_KHR_8bit_storage", 1),
    ("VK_KHR_bind_memory2", 1),
    ("VK_KHR_buffer_device_address", 1),
    ("VK_KHR_copy_commands2", 1),
    ("VK_KHR_dedicated_allocation", 3),
    ("VK_KHR_descriptor_update_template", 1),
    ("VK_KHR_device_group", 4),
    ("VK_KHR_driver_properties", 1),
    ("VK_KHR_external_fence", 1),
    ("VK_KHR_external_memory", 1),
    ("VK_KHR_external_semaphore", 1),
    ("VK_KHR_format_feature_flags2", 2),
    ("VK_KHR_get_memory_requirements2", 1),
    ("VK_KHR_image_format_list", 1),
    ("VK_KHR_maintenance1", 2),
    ("VK_KHR_maintenance2", 1),
    ("VK_KHR_maintenance3", 1),
    ("VK_KHR_maintenance4", 2),
    ("VK_KHR_relaxed_block_layout", 1),
    ("VK_KHR_shader_atomic_int64", 1),
    ("VK_KHR_shader_float16_int8", 1),
    ("VK_KHR_shader_float_controls", 4),
    ("VK_KHR_shader_integer_dot_product", 1),
    ("VK_KHR_shader_non_semantic_info", 1),
    ("VK_KHR_shader_subgroup_extended_types", 1),
    ("VK_KHR_shader_terminate_invocation", 1),
    ("VK_KHR_spirv_1_4", 1),
    ("VK_KHR_storage_buffer_storage_class", 1),
    ("VK_KHR_synchronization2", 1),
    ("VK_KHR_timeline_semaphore", 2),
    ("VK_KHR_uniform_buffer_standard_layout", 1),
    ("VK_KHR_variable_pointers", 1),
    ("VK_KHR_vulkan_memory_model", 3),
    ("VK_KHR_zero_initialize_workgroup_memory", 1),
];

/// The extensions of a device: those of its profile that the driver has. Of a profile whose list is incomplete, also those that its version contains.
pub fn of(profile: &DeviceProfile, version: u32) -> Vec<&'static str> {
    let listed = |name: &str| profile.extensions.iter().any(|known| known == name);
    let whole = version >= ash::vk::API_VERSION_1_3 && !profile.knows(List::Extensions);
    let core = CORE.iter().filter(|(name, _)| whole || listed(name));
    // An incomplete list may leave out what features of the profile are of.
    let meant = |name: &'static str| {
        !profile.knows(List::Extensions)
            && STRUCTURES
                .iter()
                .filter(|one| one.since.contains(&Origin::Extension(name)))
                .any(|one| one.features.iter().any(|feature| profile.has_feature(feature)))
    };
    let others = DEVICE.iter().filter(|(name, _)| listed(name) || meant(name));
    let mut names: Vec<&str> = core.chain(others).map(|(name, _)| *name).collect();
    names.sort_unstable();
    names
}

/// The version of a device's extension.
pub fn version(name: &str) -> u32 {
    CORE.iter().chain(DEVICE).find(|(known, _)| *known == name).map_or(1, |(_, version)| *version)
}
