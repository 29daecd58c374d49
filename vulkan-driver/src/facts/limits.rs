//! Limits: those of the profile, what the driver allows, and Vulkan's required minimum for what has no meaning here.

use ash::vk;
use coopmat_analysis::devices::DeviceProfile;

use super::Facts;
use crate::block::ALIGNMENT;

/// Bytes of push constants: more than Vulkan's minimum of 128, as much as most devices have.
pub const PUSH_CONSTANTS: u32 = 256;
/// Descriptors of any kind in a set or a stage.
const DESCRIPTORS: u32 = 1 << 20;
/// Nanoseconds of a tick of timestamps, which count simulated instructions: one each, as there is no time.
pub const TIMESTAMP_PERIOD: f32 = 1.0;
pub const MAX_SETS: u32 = 32;
/// The simulator has 16 bytes for each.
pub const TEXEL_BUFFER_ELEMENTS: u32 = 1 << 26;
/// Bytes of an inline uniform block.
pub const INLINE_UNIFORM_BLOCK: u32 = 256;

/// What Vulkan requires of every device (Vulkan, 49.1 "Limit Requirements"), for profiles that do not say it.
const LEAST_SHARED_MEMORY: u32 = 16384;
const LEAST_INVOCATIONS: u32 = 128;
const LEAST_SIZE: [u32; 3] = [128, 128, 64];

/// What is assumed of workgroups, as the profile does not say it, in words.
pub fn assumed(profile: &DeviceProfile) -> Option<String> {
    let limits = &profile.limits;
    let mut words = Vec::new();
    if limits.max_compute_work_group_invocations.is_none() {
        words.push(format!("workgroups of at most {LEAST_INVOCATIONS} invocations"));
    }
    if limits.max_compute_work_group_size.is_none() {
        let [x, y, z] = LEAST_SIZE;
        words.push(format!("workgroups of at most {x} x {y} x {z}"));
    }
    if limits.max_compute_shared_memory_size.is_none() {
        words.push(format!("{LEAST_SHARED_MEMORY} bytes of shared memory"));
    }
    if words.is_empty() {
        return None;
    }
    Some(format!("{}: Vulkan's least, as the profile does not say it", words.join(", ")))
}

/// `maxComputeWorkgroupSubgroups`
pub fn workgroup_subgroups(facts: &Facts) -> u32 {
    let limits = &facts.profile.limits;
    let invocations = limits.max_compute_work_group_invocations.unwrap_or(LEAST_INVOCATIONS);
    limits.max_compute_workgroup_subgroups.unwrap_or(invocations / facts.subgroup_size.max.max(1)).max(1)
}

/// The largest buffer and allocation.
pub fn largest(facts: &Facts) -> u64 {
    facts.memory_limit
}

pub fn of(facts: &Facts) -> vk::PhysicalDeviceLimits {
    let profile = &facts.profile.limits;
    let range = u32::try_from(largest(facts)).unwrap_or(u32::MAX);
    vk::PhysicalDeviceLimits {
        // The driver's own.
        max_uniform_buffer_range: 65536,
        max_storage_buffer_range: range,
        max_push_constants_size: PUSH_CONSTANTS,
        max_memory_allocation_count: 1 << 20,
        max_sampler_allocation_count: 4000,
        buffer_image_granularity: 1,
        max_bound_descriptor_sets: MAX_SETS,
        max_per_stage_descriptor_samplers: DESCRIPTORS,
        max_per_stage_descriptor_uniform_buffers: DESCRIPTORS,
        max_per_stage_descriptor_storage_buffers: DESCRIPTORS,
        max_per_stage_descriptor_sampled_images: DESCRIPTORS,
        max_per_stage_descriptor_storage_images: DESCRIPTORS,
        max_per_stage_descriptor_input_attachments: DESCRIPTORS,
        max_per_stage_resources: DESCRIPTORS,
        max_descriptor_set_samplers: DESCRIPTORS,
        max_descriptor_set_uniform_buffers: DESCRIPTORS,
        max_descriptor_set_uniform_buffers_dynamic: 16,
        max_descriptor_set_storage_buffers: DESCRIPTORS,
        max_descriptor_set_storage_buffers_dynamic: 16,
        max_descriptor_set_sampled_images: DESCRIPTORS,
        max_descriptor_set_storage_images: DESCRIPTORS,
        max_descriptor_set_input_attachments: DESCRIPTORS,
        // wgpu bounds the storage buffers of all stages by it.
        max_fragment_combined_output_resources: DESCRIPTORS,
        max_compute_work_group_count: [65535; 3],
        max_image_dimension1_d: 16384,
        max_image_dimension2_d: 16384,
        max_image_dimension3_d: 2048,
        max_image_dimension_cube: 16384,
        max_image_array_layers: 2048,
        max_texel_buffer_elements: TEXEL_BUFFER_ELEMENTS,
        sub_texel_precision_bits: 8,
        mipmap_precision_bits: 8,
        max_sampler_lod_bias: 16.0,
        min_memory_map_alignment: ALIGNMENT as usize,
        min_texel_buffer_offset_alignment: 16,
        min_uniform_buffer_offset_alignment: 16,
        min_storage_buffer_offset_alignment: 16,
        optimal_buffer_copy_offset_alignment: 1,
        optimal_buffer_copy_row_pitch_alignment: 1,
        non_coherent_atom_size: ALIGNMENT,
        timestamp_compute_and_graphics: vk::TRUE,
        timestamp_period: TIMESTAMP_PERIOD,
        // The profile's, or the minimum.
        max_compute_shared_memory_size: profile.max_compute_shared_memory_size.unwrap_or(LEAST_SHARED_MEMORY),
        max_compute_work_group_invocations: profile
            .max_compute_work_group_invocations
            .unwrap_or(LEAST_INVOCATIONS),
        max_compute_work_group_size: profile.max_compute_work_group_size.unwrap_or(LEAST_SIZE),
        // The minimum (Vulkan, 49.1 "Limit Requirements").
        max_vertex_input_attributes: 16,
        max_vertex_input_bindings: 16,
        max_vertex_input_attribute_offset: 2047,
        max_vertex_input_binding_stride: 2048,
        max_vertex_output_components: 64,
        max_fragment_input_components: 64,
        max_fragment_output_attachments: 4,
        sub_pixel_precision_bits: 4,
        max_draw_indexed_index_value: (1 << 24) - 1,
        max_draw_indirect_count: 1,
        max_sampler_anisotropy: 1.0,
        max_viewports: 1,
        max_viewport_dimensions: [4096; 2],
        viewport_bounds_range: [-8192.0, 8191.0],
        min_texel_offset: -8,
        max_texel_offset: 7,
        max_framebuffer_width: 4096,
        max_framebuffer_height: 4096,
        max_framebuffer_layers: 256,
        framebuffer_color_sample_counts: vk::SampleCountFlags::TYPE_1,
        framebuffer_depth_sample_counts: vk::SampleCountFlags::TYPE_1,
        framebuffer_stencil_sample_counts: vk::SampleCountFlags::TYPE_1,
        framebuffer_no_attachments_sample_counts: vk::SampleCountFlags::TYPE_1,
        sampled_image_color_sample_counts: vk::SampleCountFlags::TYPE_1,
        sampled_image_integer_sample_counts: vk::SampleCountFlags::TYPE_1,
        sampled_image_depth_sample_counts: vk::SampleCountFlags::TYPE_1,
        sampled_image_stencil_sample_counts: vk::SampleCountFlags::TYPE_1,
        storage_image_sample_counts: vk::SampleCountFlags::TYPE_1,
        max_color_attachments: 4,
        max_sample_mask_words: 1,
        discrete_queue_priorities: 2,
        point_size_range: [1.0; 2],
        line_width_range: [1.0; 2],
        ..Default::default()
    }
}
