//! Properties of the physical device: those of the profile, and what the driver is.

use std::ffi::c_void;

use ash::vk::{self, StructureType};

use super::call::{chain, fixed, put};
use super::numbers;
use super::physical::{HEADER, with};
use crate::facts::{Facts, limits};
use crate::fault::Fault;

/// `pipelineCacheUUID`, and the UUIDs of the device and the driver: letters of the product's name.
const UUID: [u8; 16] = *b"coopmat-analyzer";

/// Bytes that offsets of texel buffers are multiples of.
const TEXEL_ALIGNMENT: u64 = 16;

fn properties(facts: &Facts) -> vk::PhysicalDeviceProperties {
    vk::PhysicalDeviceProperties {
        api_version: facts.version,
        driver_version: vk::make_api_version(0, 0, 1, 0),
        // Programs decide by it what they do; a number of nobody's, if the profile does not know it.
        vendor_id: facts.profile.vendor_id.unwrap_or(0x1_FFFF),
        // Profiles stand for several, which have numbers of their own.
        device_id: 1,
        // Programs prefer a discrete device, and avoid processors.
        device_type: vk::PhysicalDeviceType::DISCRETE_GPU,
        device_name: fixed(&format!("{} (simulated by coopmat-analyzer)", facts.title())),
        pipeline_cache_uuid: UUID,
        limits: limits::of(facts),
        sparse_properties: vk::PhysicalDeviceSparseProperties::default(),
    }
}

pub unsafe extern "system" fn get_properties(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties,
) {
    with("vkGetPhysicalDeviceProperties", device, |facts| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, properties(facts)) };
        Ok(())
    });
}

/// The driver that the profile is of, for programs that know drivers; 0, which is none, if it does not say.
fn driver_id(facts: &Facts) -> vk::DriverId {
    /// More than there are.
    const MOST: i32 = 100;
    let named = |id: &vk::DriverId| format!("VK_DRIVER_ID_{id:?}") == facts.profile.driver_id;
    (1..MOST).map(vk::DriverId::from_raw).find(named).unwrap_or_default()
}

/// The driver's name, and what it is.
fn driver_words(facts: &Facts) -> (String, String) {
    let of = match facts.profile.driver.as_str() {
        "" => facts.profile.name.clone(),
        driver => format!("{} as {driver}", facts.profile.name),
    };
    ("coopmat-analyzer".to_owned(), of)
}

/// Structures of which all members are 32-bit words, that ash does not have: the members.
fn unnamed(kind: i32, facts: &Facts) -> Option<Vec<u32>> {
    /// `VkPhysicalDeviceCooperativeMatrix2PropertiesNV`
    const MATRIX_2: i32 = 1_000_593_002;
    /// `VkPhysicalDevicePipelineRobustnessProperties`
    const ROBUSTNESS: i32 = 1_000_068_001;
    let limits = &facts.profile.limits;
    match kind {
        MATRIX_2 => Some(vec![
            limits.cooperative_matrix_workgroup_scope_max_workgroup_size.unwrap_or(0),
            limits.cooperative_matrix_flexible_dimensions_max_dimension.unwrap_or(0),
            limits.cooperative_matrix_workgroup_scope_reserved_shared_memory.unwrap_or(0),
        ]),
        // Accesses outside of a buffer read zero and write nothing: VK_PIPELINE_ROBUSTNESS_BUFFER_BEHAVIOR_ROBUST_BUFFER_ACCESS_2.
        ROBUSTNESS => Some(vec![3, 3, 3, 3]),
        _ => None,
    }
}

/// Writes members of a structure of properties, and leaves its header as it is.
macro_rules! fill {
    ($structure:expr, $type:ident { $($member:ident: $value:expr),* $(,)? } $(, $more:ident($facts:expr))?) => {{
        // SAFETY: the structure says by its type that it is this one; its chain stays.
        let out = unsafe { &mut *$structure.cast_mut().cast::<vk::$type<'_>>() };
        $(out.$member = $value;)*
        $(numbers::$more!(out, $facts);)?
    }};
}

/// Of Vulkan 1.2, and of the extension that it has them from: programs ask for either structure.
fn descriptor_indexing() -> vk::PhysicalDeviceDescriptorIndexingProperties<'static> {
    vk::PhysicalDeviceDescriptorIndexingProperties {
        max_update_after_bind_descriptors_in_all_pools: 1 << 20,
        shader_uniform_buffer_array_non_uniform_indexing_native: vk::TRUE,
        shader_sampled_image_array_non_uniform_indexing_native: vk::TRUE,
        shader_storage_buffer_array_non_uniform_indexing_native: vk::TRUE,
        shader_storage_image_array_non_uniform_indexing_native: vk::TRUE,
        shader_input_attachment_array_non_uniform_indexing_native: vk::FALSE,
        robust_buffer_access_update_after_bind: vk::TRUE,
        quad_divergent_implicit_lod: vk::FALSE,
        max_per_stage_descriptor_update_after_bind_samplers: 1 << 20,
        max_per_stage_descriptor_update_after_bind_uniform_buffers: 1 << 20,
        max_per_stage_descriptor_update_after_bind_storage_buffers: 1 << 20,
        max_per_stage_descriptor_update_after_bind_sampled_images: 1 << 20,
        max_per_stage_descriptor_update_after_bind_storage_images: 1 << 20,
        max_per_stage_descriptor_update_after_bind_input_attachments: 1 << 20,
        max_per_stage_update_after_bind_resources: 1 << 20,
        max_descriptor_set_update_after_bind_samplers: 1 << 20,
        max_descriptor_set_update_after_bind_uniform_buffers: 1 << 20,
        max_descriptor_set_update_after_bind_uniform_buffers_dynamic: 16,
        max_descriptor_set_update_after_bind_storage_buffers: 1 << 20,
        max_descriptor_set_update_after_bind_storage_buffers_dynamic: 16,
        max_descriptor_set_update_after_bind_sampled_images: 1 << 20,
        max_descriptor_set_update_after_bind_storage_images: 1 << 20,
        max_descriptor_set_update_after_bind_input_attachments: 1 << 20,
        ..Default::default()
    }
}

fn fill(kind: StructureType, structure: *const c_void, facts: &Facts) {
    let profile = &facts.profile.limits;
    let size = facts.subgroup_size;
    let compute = vk::ShaderStageFlags::COMPUTE;
    // Programs that draw ask for subgroups in the shaders that they draw with.
    let graphics = if facts.claims_graphics {
        vk::ShaderStageFlags::ALL_GRAPHICS
    } else {
        vk::ShaderStageFlags::empty()
    };
    let operations = vk::SubgroupFeatureFlags::from_raw(facts.subgroup_operations);
    let largest = limits::largest(facts);
    let (name, info) = driver_words(facts);
    // No driver of ours was tested for conformance, but the devices of the profiles were, and programs hide a device that says 0.
    let conformance = vk::ConformanceVersion {
        major: 1,
        minor: vk::api_version_minor(facts.version) as u8,
        ..Default::default()
    };
    let indexing = descriptor_indexing();
    match kind {
        StructureType::PHYSICAL_DEVICE_VULKAN_1_1_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceVulkan11Properties {
                    device_uuid: UUID,
                    driver_uuid: UUID,
                    device_luid: [0; 8],
                    device_node_mask: 0,
                    device_luid_valid: vk::FALSE,
                    subgroup_size: size.default,
                    subgroup_supported_stages: compute | graphics,
                    subgroup_supported_operations: operations,
                    subgroup_quad_operations_in_all_stages: vk::FALSE,
                    point_clipping_behavior: vk::PointClippingBehavior::ALL_CLIP_PLANES,
                    max_multiview_view_count: 6,
                    max_multiview_instance_index: (1 << 27) - 1,
                    protected_no_fault: vk::FALSE,
                    max_per_set_descriptors: 1 << 20,
                    max_memory_allocation_size: largest,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_VULKAN_1_2_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceVulkan12Properties {
                    driver_id: driver_id(facts),
                    driver_name: fixed(&name),
                    driver_info: fixed(&info),
                    conformance_version: conformance,
                    max_update_after_bind_descriptors_in_all_pools: indexing
                        .max_update_after_bind_descriptors_in_all_pools,
                    shader_uniform_buffer_array_non_uniform_indexing_native: indexing
                        .shader_uniform_buffer_array_non_uniform_indexing_native,
                    shader_sampled_image_array_non_uniform_indexing_native: indexing
                        .shader_sampled_image_array_non_uniform_indexing_native,
                    shader_storage_buffer_array_non_uniform_indexing_native: indexing
                        .shader_storage_buffer_array_non_uniform_indexing_native,
                    shader_storage_image_array_non_uniform_indexing_native: indexing
                        .shader_storage_image_array_non_uniform_indexing_native,
                    shader_input_attachment_array_non_uniform_indexing_native: indexing
                        .shader_input_attachment_array_non_uniform_indexing_native,
                    robust_buffer_access_update_after_bind: indexing.robust_buffer_access_update_after_bind,
                    quad_divergent_implicit_lod: indexing.quad_divergent_implicit_lod,
                    max_per_stage_descriptor_update_after_bind_samplers: indexing
                        .max_per_stage_descriptor_update_after_bind_samplers,
                    max_per_stage_descriptor_update_after_bind_uniform_buffers: indexing
                        .max_per_stage_descriptor_update_after_bind_uniform_buffers,
                    max_per_stage_descriptor_update_after_bind_storage_buffers: indexing
                        .max_per_stage_descriptor_update_after_bind_storage_buffers,
                    max_per_stage_descriptor_update_after_bind_sampled_images: indexing
                        .max_per_stage_descriptor_update_after_bind_sampled_images,
                    max_per_stage_descriptor_update_after_bind_storage_images: indexing
                        .max_per_stage_descriptor_update_after_bind_storage_images,
                    max_per_stage_descriptor_update_after_bind_input_attachments: indexing
                        .max_per_stage_descriptor_update_after_bind_input_attachments,
                    max_per_stage_update_after_bind_resources: indexing
                        .max_per_stage_update_after_bind_resources,
                    max_descriptor_set_update_after_bind_samplers: indexing
                        .max_descriptor_set_update_after_bind_samplers,
                    max_descriptor_set_update_after_bind_uniform_buffers: indexing
                        .max_descriptor_set_update_after_bind_uniform_buffers,
                    max_descriptor_set_update_after_bind_uniform_buffers_dynamic: indexing
                        .max_descriptor_set_update_after_bind_uniform_buffers_dynamic,
                    max_descriptor_set_update_after_bind_storage_buffers: indexing
                        .max_descriptor_set_update_after_bind_storage_buffers,
                    max_descriptor_set_update_after_bind_storage_buffers_dynamic: indexing
                        .max_descriptor_set_update_after_bind_storage_buffers_dynamic,
                    max_descriptor_set_update_after_bind_sampled_images: indexing
                        .max_descriptor_set_update_after_bind_sampled_images,
                    max_descriptor_set_update_after_bind_storage_images: indexing
                        .max_descriptor_set_update_after_bind_storage_images,
                    max_descriptor_set_update_after_bind_input_attachments: indexing
                        .max_descriptor_set_update_after_bind_input_attachments,
                    supported_depth_resolve_modes: vk::ResolveModeFlags::SAMPLE_ZERO,
                    supported_stencil_resolve_modes: vk::ResolveModeFlags::SAMPLE_ZERO,
                    independent_resolve_none: vk::FALSE,
                    independent_resolve: vk::FALSE,
                    filter_minmax_single_component_formats: vk::FALSE,
                    filter_minmax_image_component_mapping: vk::FALSE,
                    max_timeline_semaphore_value_difference: u64::MAX,
                    framebuffer_integer_color_sample_counts: vk::SampleCountFlags::TYPE_1,
                },
                float_controls(facts)
            );
        }
        StructureType::PHYSICAL_DEVICE_VULKAN_1_3_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceVulkan13Properties {
                    min_subgroup_size: size.min,
                    max_subgroup_size: size.max,
                    max_compute_workgroup_subgroups: limits::workgroup_subgroups(facts),
                    required_subgroup_size_stages: compute,
                    max_inline_uniform_block_size: limits::INLINE_UNIFORM_BLOCK,
                    max_per_stage_descriptor_inline_uniform_blocks: 4,
                    max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: 4,
                    max_descriptor_set_inline_uniform_blocks: 4,
                    max_descriptor_set_update_after_bind_inline_uniform_blocks: 4,
                    max_inline_uniform_total_size: limits::INLINE_UNIFORM_BLOCK * 4,
                    storage_texel_buffer_offset_alignment_bytes: TEXEL_ALIGNMENT,
                    storage_texel_buffer_offset_single_texel_alignment: vk::FALSE,
                    uniform_texel_buffer_offset_alignment_bytes: TEXEL_ALIGNMENT,
                    uniform_texel_buffer_offset_single_texel_alignment: vk::FALSE,
                    max_buffer_size: largest,
                },
                dot_products(facts)
            );
        }
        StructureType::PHYSICAL_DEVICE_SUBGROUP_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceSubgroupProperties {
                    subgroup_size: size.default,
                    supported_stages: compute | graphics,
                    supported_operations: operations,
                    quad_operations_in_all_stages: vk::FALSE,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceSubgroupSizeControlProperties {
                    min_subgroup_size: size.min,
                    max_subgroup_size: size.max,
                    max_compute_workgroup_subgroups: limits::workgroup_subgroups(facts),
                    required_subgroup_size_stages: compute,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_DRIVER_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceDriverProperties {
                    driver_id: driver_id(facts),
                    driver_name: fixed(&name),
                    driver_info: fixed(&info),
                    conformance_version: conformance,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_ID_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceIDProperties {
                    device_uuid: UUID,
                    driver_uuid: UUID,
                    device_luid: [0; 8],
                    device_node_mask: 0,
                    device_luid_valid: vk::FALSE,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_MAINTENANCE_3_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceMaintenance3Properties {
                    max_per_set_descriptors: 1 << 20,
                    max_memory_allocation_size: largest,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_MAINTENANCE_4_PROPERTIES => {
            fill!(structure, PhysicalDeviceMaintenance4Properties { max_buffer_size: largest });
        }
        StructureType::PHYSICAL_DEVICE_TIMELINE_SEMAPHORE_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceTimelineSemaphoreProperties {
                    max_timeline_semaphore_value_difference: u64::MAX,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_PUSH_DESCRIPTOR_PROPERTIES_KHR => {
            fill!(structure, PhysicalDevicePushDescriptorPropertiesKHR { max_push_descriptors: 256 });
        }
        StructureType::PHYSICAL_DEVICE_INLINE_UNIFORM_BLOCK_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceInlineUniformBlockProperties {
                    max_inline_uniform_block_size: limits::INLINE_UNIFORM_BLOCK,
                    max_per_stage_descriptor_inline_uniform_blocks: 4,
                    max_per_stage_descriptor_update_after_bind_inline_uniform_blocks: 4,
                    max_descriptor_set_inline_uniform_blocks: 4,
                    max_descriptor_set_update_after_bind_inline_uniform_blocks: 4,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_SHADER_INTEGER_DOT_PRODUCT_PROPERTIES => {
            fill!(structure, PhysicalDeviceShaderIntegerDotProductProperties {}, dot_products(facts));
        }
        StructureType::PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceDescriptorIndexingProperties {
                    max_update_after_bind_descriptors_in_all_pools: indexing
                        .max_update_after_bind_descriptors_in_all_pools,
                    shader_uniform_buffer_array_non_uniform_indexing_native: indexing
                        .shader_uniform_buffer_array_non_uniform_indexing_native,
                    shader_sampled_image_array_non_uniform_indexing_native: indexing
                        .shader_sampled_image_array_non_uniform_indexing_native,
                    shader_storage_buffer_array_non_uniform_indexing_native: indexing
                        .shader_storage_buffer_array_non_uniform_indexing_native,
                    shader_storage_image_array_non_uniform_indexing_native: indexing
                        .shader_storage_image_array_non_uniform_indexing_native,
                    shader_input_attachment_array_non_uniform_indexing_native: indexing
                        .shader_input_attachment_array_non_uniform_indexing_native,
                    robust_buffer_access_update_after_bind: indexing.robust_buffer_access_update_after_bind,
                    quad_divergent_implicit_lod: indexing.quad_divergent_implicit_lod,
                    max_per_stage_descriptor_update_after_bind_samplers: indexing
                        .max_per_stage_descriptor_update_after_bind_samplers,
                    max_per_stage_descriptor_update_after_bind_uniform_buffers: indexing
                        .max_per_stage_descriptor_update_after_bind_uniform_buffers,
                    max_per_stage_descriptor_update_after_bind_storage_buffers: indexing
                        .max_per_stage_descriptor_update_after_bind_storage_buffers,
                    max_per_stage_descriptor_update_after_bind_sampled_images: indexing
                        .max_per_stage_descriptor_update_after_bind_sampled_images,
                    max_per_stage_descriptor_update_after_bind_storage_images: indexing
                        .max_per_stage_descriptor_update_after_bind_storage_images,
                    max_per_stage_descriptor_update_after_bind_input_attachments: indexing
                        .max_per_stage_descriptor_update_after_bind_input_attachments,
                    max_per_stage_update_after_bind_resources: indexing
                        .max_per_stage_update_after_bind_resources,
                    max_descriptor_set_update_after_bind_samplers: indexing
                        .max_descriptor_set_update_after_bind_samplers,
                    max_descriptor_set_update_after_bind_uniform_buffers: indexing
                        .max_descriptor_set_update_after_bind_uniform_buffers,
                    max_descriptor_set_update_after_bind_uniform_buffers_dynamic: indexing
                        .max_descriptor_set_update_after_bind_uniform_buffers_dynamic,
                    max_descriptor_set_update_after_bind_storage_buffers: indexing
                        .max_descriptor_set_update_after_bind_storage_buffers,
                    max_descriptor_set_update_after_bind_storage_buffers_dynamic: indexing
                        .max_descriptor_set_update_after_bind_storage_buffers_dynamic,
                    max_descriptor_set_update_after_bind_sampled_images: indexing
                        .max_descriptor_set_update_after_bind_sampled_images,
                    max_descriptor_set_update_after_bind_storage_images: indexing
                        .max_descriptor_set_update_after_bind_storage_images,
                    max_descriptor_set_update_after_bind_input_attachments: indexing
                        .max_descriptor_set_update_after_bind_input_attachments,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_TEXEL_BUFFER_ALIGNMENT_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceTexelBufferAlignmentProperties {
                    storage_texel_buffer_offset_alignment_bytes: TEXEL_ALIGNMENT,
                    storage_texel_buffer_offset_single_texel_alignment: vk::FALSE,
                    uniform_texel_buffer_offset_alignment_bytes: TEXEL_ALIGNMENT,
                    uniform_texel_buffer_offset_single_texel_alignment: vk::FALSE,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES => {
            fill!(structure, PhysicalDeviceFloatControlsProperties {}, float_controls(facts));
        }
        StructureType::PHYSICAL_DEVICE_COOPERATIVE_MATRIX_PROPERTIES_KHR => {
            let stages = profile.cooperative_matrix_supported_stages.as_ref();
            fill!(
                structure,
                PhysicalDeviceCooperativeMatrixPropertiesKHR {
                    cooperative_matrix_supported_stages: Facts::stages(stages),
                }
            );
        }
        other => {
            if let Some(members) = unnamed(other.as_raw(), facts) {
                for (index, member) in members.iter().enumerate() {
                    // SAFETY: the structure says by its type that it has these members.
                    unsafe { structure.cast_mut().byte_add(HEADER).cast::<u32>().add(index).write(*member) };
                }
            }
        }
    }
}

pub unsafe extern "system" fn get_properties2(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceProperties2<'_>,
) {
    with("vkGetPhysicalDeviceProperties2", device, |facts| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let out = unsafe { out.as_mut() }.ok_or_else(|| Fault::misuse("pProperties is null"))?;
        out.properties = properties(facts);
        // SAFETY: as above.
        for (kind, structure) in unsafe { chain(out.p_next) } {
            fill(kind, structure, facts);
        }
        Ok(())
    });
}
