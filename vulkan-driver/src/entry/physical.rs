//! Physical devices: features, memory, matrices, and making devices of them.

use std::ffi::{c_char, c_void};

use ash::vk::{self, Handle as _, StructureType};
use coopmat_analysis::devices::component_to_vulkan;
use coopmat_spirv::vulkan::CORE;
use rustc_hash::FxHashSet;

use super::call::{answer, bool32, chain, create, enumerate, given, put, quiet, slice, text_of};
use super::instance::extension;
use crate::driver::Driver;
use crate::facts::{Facts, extensions, features};
use crate::fault::Fault;
use crate::memory::TYPES;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// Queues of the one family.
pub const QUEUES: u32 = 4;
/// Where the members of a structure of words begin: after its type and its chain.
pub const HEADER: usize = size_of::<vk::BaseInStructure<'static>>();

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

pub fn with(call: &'static str, device: vk::PhysicalDevice, body: impl FnOnce(&Facts) -> Result<(), Fault>) {
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

fn family(facts: &Facts) -> vk::QueueFamilyProperties {
    let graphics = if facts.claims_graphics { vk::QueueFlags::GRAPHICS } else { vk::QueueFlags::empty() };
    vk::QueueFamilyProperties {
        queue_flags: vk::QueueFlags::COMPUTE | vk::QueueFlags::TRANSFER | graphics,
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
    with("vkGetPhysicalDeviceQueueFamilyProperties", device, |facts| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let _ = unsafe { enumerate(count, out, &[family(facts)]) };
        Ok(())
    });
}

pub unsafe extern "system" fn queue_families2(
    device: vk::PhysicalDevice,
    count: *mut u32,
    out: *mut vk::QueueFamilyProperties2<'_>,
) {
    with("vkGetPhysicalDeviceQueueFamilyProperties2", device, |facts| {
        // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
        unsafe {
            let room = count.as_ref().copied().unwrap_or(0);
            put(count, if out.is_null() { 1 } else { room.min(1) });
            if room > 0
                && let Some(out) = out.as_mut()
            {
                out.queue_family_properties = family(facts);
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
                // SAFETY: the structure says by its type that it is this one; its chain stays.
                let budget = unsafe {
                    &mut *structure.cast_mut().cast::<vk::PhysicalDeviceMemoryBudgetPropertiesEXT<'_>>()
                };
                budget.heap_budget = heaps(driver.facts.memory_limit);
                budget.heap_usage = heaps(driver.allocated);
            }
        }
        Ok(())
    });
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
            assert_eq!((HEADER + members * 4).next_multiple_of(8), size, "{}", kind.as_raw());
        }
    }
}
