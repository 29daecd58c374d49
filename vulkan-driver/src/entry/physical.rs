//! Physical devices: features, properties, memory, matrices, and making devices of them.

use std::ffi::{c_char, c_void};

use ash::vk::{self, Handle as _, StructureType};
use coopmat_analysis::devices::component_to_vulkan;
use coopmat_spirv::vulkan::CORE;
use rustc_hash::FxHashSet;

use super::instance::extension;
use super::{answer, bool32, chain, create, enumerate, fixed, given, put, quiet, slice, text_of};
use crate::driver::Driver;
use crate::facts::{Facts, extensions, features, limits};
use crate::fault::Fault;
use crate::memory::TYPES;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// Queues of the one family.
pub const QUEUES: u32 = 4;
/// `pipelineCacheUUID`, and the UUIDs of the device and the driver: letters of the product's name.
const UUID: [u8; 16] = *b"coopmat-analyzer";

/// Where the members of a structure of words begin: after its type and its chain.
const HEADER: usize = size_of::<vk::BaseInStructure<'static>>();

/// The names of `VkPhysicalDeviceFeatures` with the words of a value.
fn words(features: &vk::PhysicalDeviceFeatures) -> &[u32; CORE.len()] {
    // SAFETY: a structure of C layout with exactly this many members of type VkBool32, which a test of the sizes confirms.
    unsafe { &*std::ptr::from_ref(features).cast() }
}

fn core(facts: &Facts) -> vk::PhysicalDeviceFeatures {
    let words: [u32; CORE.len()] = std::array::from_fn(|index| bool32(facts.has(CORE[index])));
    // SAFETY: as in `words`.
    unsafe { std::mem::transmute::<[u32; CORE.len()], vk::PhysicalDeviceFeatures>(words) }
}

fn with(call: &'static str, device: vk::PhysicalDevice, body: impl FnOnce(&Facts) -> Result<(), Fault>) {
    quiet(call, |driver| {
        driver.physical_device(device.as_raw())?;
        let facts = driver.facts.clone();
        body(&facts)
    });
}

pub unsafe extern "system" fn get_features(device: vk::PhysicalDevice, out: *mut vk::PhysicalDeviceFeatures) {
    with("vkGetPhysicalDeviceFeatures", device, |facts| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, core(facts)) };
        Ok(())
    });
}

pub unsafe extern "system" fn get_features2(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceFeatures2<'_>,
) {
    with("vkGetPhysicalDeviceFeatures2", device, |facts| {
        // SAFETY: pointers of the program's, as Vulkan asks for; a structure of features is a header and 32-bit members, as many as there are
        // names (a test compares those that ash has).
        unsafe {
            let out = out.as_mut().ok_or_else(|| Fault::misuse("pFeatures is null"))?;
            out.features = core(facts);
            for (kind, structure) in chain(out.p_next) {
                let Some(names) = features::members(kind.as_raw()) else { continue };
                let members = structure.cast_mut().byte_add(HEADER).cast::<vk::Bool32>();
                for (index, name) in names.iter().enumerate() {
                    members.add(index).write(bool32(facts.has(name)));
                }
            }
        }
        Ok(())
    });
}

fn properties(facts: &Facts) -> vk::PhysicalDeviceProperties {
    vk::PhysicalDeviceProperties {
        api_version: facts.version,
        driver_version: vk::make_api_version(0, 0, 1, 0),
        // No vendor's: profiles do not have the number, and programs that know vendors shall not guess.
        vendor_id: 0x1_FFFF,
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
    ($structure:expr, $type:ident { $($member:ident: $value:expr),* $(,)? }) => {{
        // SAFETY: the structure says by its type that it is this one; its chain stays.
        let out = unsafe { &mut *$structure.cast_mut().cast::<vk::$type<'_>>() };
        $(out.$member = $value;)*
    }};
}

fn fill(kind: StructureType, structure: *const c_void, facts: &Facts) {
    let profile = &facts.profile.limits;
    let size = facts.subgroup_size;
    let compute = vk::ShaderStageFlags::COMPUTE;
    let operations = vk::SubgroupFeatureFlags::from_raw(facts.subgroup_operations);
    let largest = limits::largest(facts);
    let (name, info) = driver_words(facts);
    let conformance = vk::ConformanceVersion::default();
    let all = vk::ShaderFloatControlsIndependence::ALL;
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
                    subgroup_supported_stages: compute,
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
                    driver_id: vk::DriverId::default(),
                    driver_name: fixed(&name),
                    driver_info: fixed(&info),
                    conformance_version: conformance,
                    denorm_behavior_independence: all,
                    rounding_mode_independence: all,
                    shader_signed_zero_inf_nan_preserve_float16: vk::TRUE,
                    shader_signed_zero_inf_nan_preserve_float32: vk::TRUE,
                    shader_signed_zero_inf_nan_preserve_float64: vk::TRUE,
                    shader_denorm_preserve_float16: vk::TRUE,
                    shader_denorm_preserve_float32: vk::TRUE,
                    shader_denorm_preserve_float64: vk::TRUE,
                    shader_denorm_flush_to_zero_float16: vk::TRUE,
                    shader_denorm_flush_to_zero_float32: vk::TRUE,
                    shader_denorm_flush_to_zero_float64: vk::TRUE,
                    shader_rounding_mode_rte_float16: vk::TRUE,
                    shader_rounding_mode_rte_float32: vk::TRUE,
                    shader_rounding_mode_rte_float64: vk::TRUE,
                    shader_rounding_mode_rtz_float16: vk::TRUE,
                    shader_rounding_mode_rtz_float32: vk::TRUE,
                    shader_rounding_mode_rtz_float64: vk::TRUE,
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
                    supported_depth_resolve_modes: vk::ResolveModeFlags::SAMPLE_ZERO,
                    supported_stencil_resolve_modes: vk::ResolveModeFlags::SAMPLE_ZERO,
                    independent_resolve_none: vk::FALSE,
                    independent_resolve: vk::FALSE,
                    filter_minmax_single_component_formats: vk::FALSE,
                    filter_minmax_image_component_mapping: vk::FALSE,
                    max_timeline_semaphore_value_difference: u64::MAX,
                    framebuffer_integer_color_sample_counts: vk::SampleCountFlags::TYPE_1,
                }
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
                    integer_dot_product4x8_bit_packed_unsigned_accelerated: vk::TRUE,
                    integer_dot_product4x8_bit_packed_signed_accelerated: vk::TRUE,
                    integer_dot_product4x8_bit_packed_mixed_signedness_accelerated: vk::TRUE,
                    storage_texel_buffer_offset_alignment_bytes: 16,
                    storage_texel_buffer_offset_single_texel_alignment: vk::FALSE,
                    uniform_texel_buffer_offset_alignment_bytes: 16,
                    uniform_texel_buffer_offset_single_texel_alignment: vk::FALSE,
                    max_buffer_size: largest,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_SUBGROUP_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceSubgroupProperties {
                    subgroup_size: size.default,
                    supported_stages: compute,
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
                    driver_id: vk::DriverId::default(),
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
            fill!(
                structure,
                PhysicalDeviceShaderIntegerDotProductProperties {
                    integer_dot_product4x8_bit_packed_unsigned_accelerated: vk::TRUE,
                    integer_dot_product4x8_bit_packed_signed_accelerated: vk::TRUE,
                    integer_dot_product4x8_bit_packed_mixed_signedness_accelerated: vk::TRUE,
                }
            );
        }
        StructureType::PHYSICAL_DEVICE_FLOAT_CONTROLS_PROPERTIES => {
            fill!(
                structure,
                PhysicalDeviceFloatControlsProperties {
                    denorm_behavior_independence: all,
                    rounding_mode_independence: all,
                    shader_signed_zero_inf_nan_preserve_float16: vk::TRUE,
                    shader_signed_zero_inf_nan_preserve_float32: vk::TRUE,
                    shader_signed_zero_inf_nan_preserve_float64: vk::TRUE,
                    shader_denorm_preserve_float16: vk::TRUE,
                    shader_denorm_preserve_float32: vk::TRUE,
                    shader_denorm_preserve_float64: vk::TRUE,
                    shader_denorm_flush_to_zero_float16: vk::TRUE,
                    shader_denorm_flush_to_zero_float32: vk::TRUE,
                    shader_denorm_flush_to_zero_float64: vk::TRUE,
                    shader_rounding_mode_rte_float16: vk::TRUE,
                    shader_rounding_mode_rte_float32: vk::TRUE,
                    shader_rounding_mode_rte_float64: vk::TRUE,
                    shader_rounding_mode_rtz_float16: vk::TRUE,
                    shader_rounding_mode_rtz_float32: vk::TRUE,
                    shader_rounding_mode_rtz_float64: vk::TRUE,
                }
            );
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

pub unsafe extern "system" fn enumerate_extensions(
    device: vk::PhysicalDevice,
    layer: *const c_char,
    count: *mut u32,
    out: *mut vk::ExtensionProperties,
) -> vk::Result {
    answer("vkEnumerateDeviceExtensionProperties", |driver| {
        driver.physical_device(device.as_raw())?;
        if !layer.is_null() {
            return Ok(vk::Result::ERROR_LAYER_NOT_PRESENT);
        }
        let names = driver.facts.extensions.iter();
        let all: Vec<_> = names.map(|name| extension(name, extensions::version(name))).collect();
        // SAFETY: pointers of the program's, as Vulkan asks for.
        Ok(unsafe { enumerate(count, out, &all) })
    })
}

pub unsafe extern "system" fn enumerate_layers(
    _device: vk::PhysicalDevice,
    count: *mut u32,
    _out: *mut vk::LayerProperties,
) -> vk::Result {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
    vk::Result::SUCCESS
}

fn family() -> vk::QueueFamilyProperties {
    vk::QueueFamilyProperties {
        queue_flags: vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER,
        queue_count: QUEUES,
        timestamp_valid_bits: 64,
        min_image_transfer_granularity: vk::Extent3D { width: 1, height: 1, depth: 1 },
    }
}

pub unsafe extern "system" fn queue_families(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties,
) {
    with("vkGetPhysicalDeviceQueueFamilyProperties", device, |_| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let _ = unsafe { enumerate(count, out, &[family()]) };
        Ok(())
    });
}

pub unsafe extern "system" fn queue_families2(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties2<'_>,
) {
    with("vkGetPhysicalDeviceQueueFamilyProperties2", device, |_| {
        // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
        unsafe {
            let room = count.as_ref().copied().unwrap_or(0);
            put(count, if out.is_null() { 1 } else { room.min(1) });
            if room > 0
                && let Some(out) = out.as_mut()
            {
                out.queue_family_properties = family();
            }
        }
        Ok(())
    });
}

fn memory(facts: &Facts) -> vk::PhysicalDeviceMemoryProperties {
    let mut all = vk::PhysicalDeviceMemoryProperties {
        memory_type_count: TYPES.len() as u32,
        memory_heap_count: 1,
        ..Default::default()
    };
    for (slot, flags) in all.memory_types.iter_mut().zip(TYPES) {
        *slot = vk::MemoryType { property_flags: flags, heap_index: 0 };
    }
    all.memory_heaps[0] =
        vk::MemoryHeap { size: facts.memory_limit, flags: vk::MemoryHeapFlags::DEVICE_LOCAL };
    all
}

pub unsafe extern "system" fn get_memory(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties,
) {
    with("vkGetPhysicalDeviceMemoryProperties", device, |facts| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, memory(facts)) };
        Ok(())
    });
}

pub unsafe extern "system" fn get_memory2(
    device: vk::PhysicalDevice,
    out: *mut vk::PhysicalDeviceMemoryProperties2<'_>,
) {
    quiet("vkGetPhysicalDeviceMemoryProperties2", |driver| {
        driver.physical_device(device.as_raw())?;
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let out = unsafe { out.as_mut() }.ok_or_else(|| Fault::misuse("pMemoryProperties is null"))?;
        out.memory_properties = memory(&driver.facts);
        // SAFETY: as above.
        for (kind, structure) in unsafe { chain(out.p_next) } {
            if kind == StructureType::PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT {
                let heaps = |value| std::array::from_fn(|heap| if heap == 0 { value } else { 0 });
                fill!(
                    structure,
                    PhysicalDeviceMemoryBudgetPropertiesEXT {
                        heap_budget: heaps(driver.facts.memory_limit),
                        heap_usage: heaps(driver.allocated),
                    }
                );
            }
        }
        Ok(())
    });
}

pub unsafe extern "system" fn format(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    out: *mut vk::FormatProperties,
) {
    // Images are not there yet, so that no format is good for anything.
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(out, vk::FormatProperties::default()) };
}

pub unsafe extern "system" fn format2(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    out: *mut vk::FormatProperties2<'_>,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
    unsafe {
        let Some(out) = out.as_mut() else { return };
        out.format_properties = vk::FormatProperties::default();
        for (kind, structure) in chain(out.p_next) {
            if kind == StructureType::FORMAT_PROPERTIES_3 {
                let more = &mut *structure.cast_mut().cast::<vk::FormatProperties3<'_>>();
                more.linear_tiling_features = vk::FormatFeatureFlags2::empty();
                more.optimal_tiling_features = vk::FormatFeatureFlags2::empty();
                more.buffer_features = vk::FormatFeatureFlags2::empty();
            }
        }
    }
}

pub unsafe extern "system" fn image_format(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    _kind: vk::ImageType,
    _tiling: vk::ImageTiling,
    _usage: vk::ImageUsageFlags,
    _flags: vk::ImageCreateFlags,
    out: *mut vk::ImageFormatProperties,
) -> vk::Result {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(out, vk::ImageFormatProperties::default()) };
    vk::Result::ERROR_FORMAT_NOT_SUPPORTED
}

pub unsafe extern "system" fn image_format2(
    _device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    if let Some(out) = unsafe { out.as_mut() } {
        out.image_format_properties = vk::ImageFormatProperties::default();
    }
    vk::Result::ERROR_FORMAT_NOT_SUPPORTED
}

pub unsafe extern "system" fn sparse_formats(
    _device: vk::PhysicalDevice,
    _format: vk::Format,
    _kind: vk::ImageType,
    _samples: vk::SampleCountFlags,
    _usage: vk::ImageUsageFlags,
    _tiling: vk::ImageTiling,
    count: *mut u32,
    _out: *mut vk::SparseImageFormatProperties,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
}

pub unsafe extern "system" fn sparse_formats2(
    _device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceSparseImageFormatInfo2<'_>,
    count: *mut u32,
    _out: *mut vk::SparseImageFormatProperties2<'_>,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
}

pub unsafe extern "system" fn external_buffer(
    _device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceExternalBufferInfo<'_>,
    out: *mut vk::ExternalBufferProperties<'_>,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    if let Some(out) = unsafe { out.as_mut() } {
        out.external_memory_properties = vk::ExternalMemoryProperties::default();
    }
}

pub unsafe extern "system" fn external_fence(
    _device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceExternalFenceInfo<'_>,
    out: *mut vk::ExternalFenceProperties<'_>,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    if let Some(out) = unsafe { out.as_mut() } {
        out.export_from_imported_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
        out.compatible_handle_types = vk::ExternalFenceHandleTypeFlags::empty();
        out.external_fence_features = vk::ExternalFenceFeatureFlags::empty();
    }
}

pub unsafe extern "system" fn external_semaphore(
    _device: vk::PhysicalDevice,
    _info: *const vk::PhysicalDeviceExternalSemaphoreInfo<'_>,
    out: *mut vk::ExternalSemaphoreProperties<'_>,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    if let Some(out) = unsafe { out.as_mut() } {
        out.export_from_imported_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
        out.compatible_handle_types = vk::ExternalSemaphoreHandleTypeFlags::empty();
        out.external_semaphore_features = vk::ExternalSemaphoreFeatureFlags::empty();
    }
}

fn component(scalar: coopmat_analysis::types::Scalar) -> vk::ComponentTypeKHR {
    vk::ComponentTypeKHR::from_raw(component_to_vulkan(scalar).map_or(-1, |number| number as i32))
}

fn scope(scope: coopmat_analysis::devices::Scope) -> vk::ScopeKHR {
    vk::ScopeKHR::from_raw(scope.value() as i32)
}

pub unsafe extern "system" fn matrices(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::CooperativeMatrixPropertiesKHR<'_>,
) -> vk::Result {
    answer("vkGetPhysicalDeviceCooperativeMatrixPropertiesKHR", |driver| {
        driver.physical_device(device.as_raw())?;
        let rows = driver.facts.profile.cooperative_matrix_properties.iter();
        let rows: Vec<_> = rows
            .map(|row| vk::CooperativeMatrixPropertiesKHR {
                m_size: row.m,
                n_size: row.n,
                k_size: row.k,
                a_type: component(row.types.a),
                b_type: component(row.types.b),
                c_type: component(row.types.c),
                result_type: component(row.types.result),
                saturating_accumulation: bool32(row.types.saturating),
                scope: scope(row.types.scope),
                ..Default::default()
            })
            .collect();
        // SAFETY: pointers of the program's, as Vulkan asks for.
        Ok(unsafe { enumerate(count, out, &rows) })
    })
}

/// `VkCooperativeMatrixFlexibleDimensionsPropertiesNV`, which ash does not have yet.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct FlexibleRow {
    pub kind: StructureType,
    pub next: *mut c_void,
    pub m: u32,
    pub n: u32,
    pub k: u32,
    pub a: vk::ComponentTypeKHR,
    pub b: vk::ComponentTypeKHR,
    pub c: vk::ComponentTypeKHR,
    pub result: vk::ComponentTypeKHR,
    pub saturating: vk::Bool32,
    pub scope: vk::ScopeKHR,
    pub workgroup_invocations: u32,
}

/// `vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV`
pub type GetFlexibleRows =
    unsafe extern "system" fn(vk::PhysicalDevice, *mut u32, *mut FlexibleRow) -> vk::Result;

/// `VK_STRUCTURE_TYPE_COOPERATIVE_MATRIX_FLEXIBLE_DIMENSIONS_PROPERTIES_NV`
const FLEXIBLE_DIMENSIONS: i32 = 1_000_593_001;

pub unsafe extern "system" fn flexible_matrices(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut FlexibleRow,
) -> vk::Result {
    answer("vkGetPhysicalDeviceCooperativeMatrixFlexibleDimensionsPropertiesNV", |driver| {
        driver.physical_device(device.as_raw())?;
        let rows = driver.facts.profile.cooperative_matrix_flexible_dimensions_properties.iter();
        let rows: Vec<_> = rows
            .map(|row| FlexibleRow {
                kind: StructureType::from_raw(FLEXIBLE_DIMENSIONS),
                next: std::ptr::null_mut(),
                m: row.m,
                n: row.n,
                k: row.k,
                a: component(row.types.a),
                b: component(row.types.b),
                c: component(row.types.c),
                result: component(row.types.result),
                saturating: bool32(row.types.saturating),
                scope: scope(row.types.scope),
                workgroup_invocations: row.workgroup_invocations,
            })
            .collect();
        // SAFETY: pointers of the program's, as Vulkan asks for.
        Ok(unsafe { enumerate(count, out, &rows) })
    })
}

/// The features that a program enables.
///
/// # Safety
/// As [`chain`].
unsafe fn enabled(info: &vk::DeviceCreateInfo<'_>) -> FxHashSet<&'static str> {
    let mut found = FxHashSet::default();
    // SAFETY: pointers of the program's, as Vulkan asks for; structures of features are as in `get_features2`.
    unsafe {
        let mut add = |names: &[&'static str], members: *const vk::Bool32| {
            for (index, name) in names.iter().enumerate() {
                if *members.add(index) != vk::FALSE {
                    found.insert(*name);
                }
            }
        };
        if let Some(core) = info.p_enabled_features.as_ref() {
            add(CORE, words(core).as_ptr());
        }
        for (kind, structure) in chain(info.p_next) {
            let members = structure.byte_add(HEADER).cast::<vk::Bool32>();
            if kind == StructureType::PHYSICAL_DEVICE_FEATURES_2 {
                add(CORE, members);
            } else if let Some(names) = features::members(kind.as_raw()) {
                add(names, members);
            }
        }
    }
    found
}

fn check(driver: &Driver, enabled: &FxHashSet<&str>, extensions: &[String]) -> Result<(), Fault> {
    let title = driver.facts.title();
    if let Some(name) = extensions.iter().find(|name| !driver.facts.extensions.contains(&name.as_str())) {
        return Err(Fault::missing(format!("the device extension {name}, as {title}"))
            .with(vk::Result::ERROR_EXTENSION_NOT_PRESENT));
    }
    let mut missing: Vec<&&str> = enabled.iter().filter(|name| !driver.facts.has(name)).collect();
    missing.sort_unstable();
    match missing.first() {
        Some(name) => Err(Fault::missing(format!("the feature {name}, as {title}"))
            .with(vk::Result::ERROR_FEATURE_NOT_PRESENT)),
        None => Ok(()),
    }
}

pub unsafe extern "system" fn create_device(
    device: vk::PhysicalDevice,
    info: *const vk::DeviceCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Device,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateDevice", out, |driver| {
            driver.physical_device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let enabled = enabled(info);
            let names = slice(info.pp_enabled_extension_names, info.enabled_extension_count);
            let extensions: Vec<String> = names.iter().map(|name| text_of(*name)).collect();
            check(driver, &enabled, &extensions)?;
            let mut queues = 0;
            for queue in slice(info.p_queue_create_infos, info.queue_create_info_count) {
                if queue.queue_family_index != 0 || queue.queue_count > QUEUES {
                    return Err(Fault::misuse(format!(
                        "{} queues of family {}: the device has one family, 0, of {QUEUES} queues",
                        queue.queue_count, queue.queue_family_index
                    )));
                }
                queues = queues.max(queue.queue_count);
            }
            Ok(driver.create_device(queues, enabled, extensions))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structures_of_features_are_a_header_and_as_many_words_as_there_are_names() {
        assert_eq!(size_of::<vk::PhysicalDeviceFeatures>(), CORE.len() * 4);
        let sizes = [
            (
                StructureType::PHYSICAL_DEVICE_VULKAN_1_1_FEATURES,
                size_of::<vk::PhysicalDeviceVulkan11Features<'_>>(),
            ),
            (
                StructureType::PHYSICAL_DEVICE_VULKAN_1_2_FEATURES,
                size_of::<vk::PhysicalDeviceVulkan12Features<'_>>(),
            ),
            (
                StructureType::PHYSICAL_DEVICE_VULKAN_1_3_FEATURES,
                size_of::<vk::PhysicalDeviceVulkan13Features<'_>>(),
            ),
            (
                StructureType::PHYSICAL_DEVICE_DESCRIPTOR_INDEXING_FEATURES,
                size_of::<vk::PhysicalDeviceDescriptorIndexingFeatures<'_>>(),
            ),
            (
                StructureType::PHYSICAL_DEVICE_COOPERATIVE_MATRIX_FEATURES_KHR,
                size_of::<vk::PhysicalDeviceCooperativeMatrixFeaturesKHR<'_>>(),
            ),
            (
                StructureType::PHYSICAL_DEVICE_16BIT_STORAGE_FEATURES,
                size_of::<vk::PhysicalDevice16BitStorageFeatures<'_>>(),
            ),
            (
                StructureType::PHYSICAL_DEVICE_SUBGROUP_SIZE_CONTROL_FEATURES,
                size_of::<vk::PhysicalDeviceSubgroupSizeControlFeatures<'_>>(),
            ),
        ];
        for (kind, size) in sizes {
            let members = features::members(kind.as_raw()).unwrap().len();
            assert_eq!((HEADER + members * 4).next_multiple_of(8), size, "{kind:?}");
        }
    }
}
