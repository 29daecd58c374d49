//! Layouts of descriptor sets, pools, sets, updates and templates.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::sync::Arc;

use ash::vk::{self, DescriptorType, Handle as _, StructureType};

use super::call::{answer, chain, chained, create, given, put, quiet, slice};
use crate::descriptors::{
    Descriptor, LayoutBinding, Pool, Sampling, SetLayout, Template, TemplateEntry, Write, is_buffer,
    is_texels,
};
use crate::driver::Driver;
use crate::fault::Fault;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

pub unsafe extern "system" fn create_layout(
    device: vk::Device,
    info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::DescriptorSetLayout,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateDescriptorSetLayout", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let flags = chained::<vk::DescriptorSetLayoutBindingFlagsCreateInfo<'_>>(
                info.p_next,
                StructureType::DESCRIPTOR_SET_LAYOUT_BINDING_FLAGS_CREATE_INFO,
            );
            let flags = flags.map_or(&[][..], |flags| slice(flags.p_binding_flags, flags.binding_count));
            let mut bindings = BTreeMap::new();
            for (index, binding) in slice(info.p_bindings, info.binding_count).iter().enumerate() {
                let variable = flags.get(index).is_some_and(|flags| {
                    flags.contains(vk::DescriptorBindingFlags::VARIABLE_DESCRIPTOR_COUNT)
                });
                let samplers = match binding.descriptor_type {
                    DescriptorType::SAMPLER | DescriptorType::COMBINED_IMAGE_SAMPLER => {
                        slice(binding.p_immutable_samplers, binding.descriptor_count)
                    }
                    _ => &[],
                };
                let samplers = samplers.iter().map(|one| driver.samplers.get(one.as_raw()).copied());
                let declared = LayoutBinding {
                    samplers: samplers.collect::<Result<_, Fault>>()?,
                    kind: binding.descriptor_type,
                    count: binding.descriptor_count,
                    variable,
                };
                if bindings.insert(binding.binding, declared).is_some() {
                    return Err(Fault::misuse(format!("binding {} is declared twice", binding.binding)));
                }
            }
            let push = info.flags.contains(vk::DescriptorSetLayoutCreateFlags::PUSH_DESCRIPTOR_KHR);
            Ok(driver.set_layouts.add(Arc::new(SetLayout { bindings, push })))
        })
    }
}

pub unsafe extern "system" fn destroy_layout(
    _device: vk::Device,
    layout: vk::DescriptorSetLayout,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyDescriptorSetLayout", |driver| driver.set_layouts.remove_any(layout.as_raw()).map(drop));
}

pub unsafe extern "system" fn layout_support(
    _device: vk::Device,
    _info: *const vk::DescriptorSetLayoutCreateInfo<'_>,
    out: *mut vk::DescriptorSetLayoutSupport<'_>,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
    unsafe {
        let Some(out) = out.as_mut() else { return };
        out.supported = vk::TRUE;
        for (kind, structure) in chain(out.p_next) {
            if kind == StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_LAYOUT_SUPPORT {
                let count =
                    structure.cast_mut().cast::<vk::DescriptorSetVariableDescriptorCountLayoutSupport<'_>>();
                (*count).max_variable_descriptor_count = 1 << 16;
            }
        }
    }
}

pub unsafe extern "system" fn create_pool(
    device: vk::Device,
    info: *const vk::DescriptorPoolCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::DescriptorPool,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateDescriptorPool", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let may_free = info.flags.contains(vk::DescriptorPoolCreateFlags::FREE_DESCRIPTOR_SET);
            Ok(driver.pools.add(Pool { sets: Vec::new(), most: info.max_sets, may_free }))
        })
    }
}

pub unsafe extern "system" fn destroy_pool(
    _device: vk::Device,
    pool: vk::DescriptorPool,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyDescriptorPool", |driver| driver.destroy_pool(pool.as_raw()));
}

pub unsafe extern "system" fn reset_pool(
    _device: vk::Device,
    pool: vk::DescriptorPool,
    _flags: vk::DescriptorPoolResetFlags,
) -> vk::Result {
    answer("vkResetDescriptorPool", |driver| driver.reset_pool(pool.as_raw()).map(|()| vk::Result::SUCCESS))
}

pub unsafe extern "system" fn allocate(
    device: vk::Device,
    info: *const vk::DescriptorSetAllocateInfo<'_>,
    out: *mut vk::DescriptorSet,
) -> vk::Result {
    answer("vkAllocateDescriptorSets", |driver| {
        driver.device(device.as_raw())?;
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            let info = given(info, "pAllocateInfo")?;
            let variable = chained::<vk::DescriptorSetVariableDescriptorCountAllocateInfo<'_>>(
                info.p_next,
                StructureType::DESCRIPTOR_SET_VARIABLE_DESCRIPTOR_COUNT_ALLOCATE_INFO,
            );
            let counts =
                variable.map_or(&[][..], |one| slice(one.p_descriptor_counts, one.descriptor_set_count));
            let layouts = slice(info.p_set_layouts, info.descriptor_set_count);
            let mut made = Vec::new();
            for (index, layout) in layouts.iter().enumerate() {
                let variable = variable.map(|_| counts.get(index).copied().unwrap_or(0));
                match driver.allocate_set(info.descriptor_pool.as_raw(), layout.as_raw(), variable) {
                    Ok(set) => made.push(set),
                    Err(fault) => {
                        // All or none (Vulkan, vkAllocateDescriptorSets).
                        for (index, set) in made.into_iter().enumerate() {
                            driver.sets.remove(set)?;
                            if let Ok(pool) = driver.pools.get_mut(info.descriptor_pool.as_raw()) {
                                pool.sets.retain(|known| *known != set);
                            }
                            put(out.add(index), vk::DescriptorSet::null());
                        }
                        return Err(fault);
                    }
                }
            }
            for (index, set) in made.into_iter().enumerate() {
                put(out.add(index), vk::DescriptorSet::from_raw(set));
            }
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn free(
    _device: vk::Device,
    pool: vk::DescriptorPool,
    count: u32,
    sets: *const vk::DescriptorSet,
) -> vk::Result {
    answer("vkFreeDescriptorSets", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for set in unsafe { slice(sets, count) } {
            driver.free_set(pool.as_raw(), set.as_raw())?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

/// # Safety
/// The pointer is null or points to a `VkDescriptorBufferInfo`.
unsafe fn buffer_descriptor(info: *const c_void) -> Descriptor {
    // SAFETY: as above.
    match unsafe { info.cast::<vk::DescriptorBufferInfo>().as_ref() } {
        Some(info) if !info.buffer.is_null() => {
            Descriptor::Buffer { buffer: info.buffer.as_raw(), offset: info.offset, size: info.range }
        }
        _ => Descriptor::Nothing,
    }
}

/// # Safety
/// The pointer is null or points to a `VkDescriptorImageInfo`, of which only the members are read that the type of descriptor has.
unsafe fn image_descriptor(kind: DescriptorType, info: *const c_void) -> Descriptor {
    // SAFETY: as above.
    let Some(info) = (unsafe { info.cast::<vk::DescriptorImageInfo>().as_ref() }) else {
        return Descriptor::Nothing;
    };
    let sampler =
        || if info.sampler.is_null() { Sampling::None } else { Sampling::By(info.sampler.as_raw()) };
    let (view, layout) = (info.image_view, info.image_layout);
    match kind {
        DescriptorType::SAMPLER => Descriptor::Sampler(sampler()),
        _ if view.is_null() => Descriptor::Nothing,
        DescriptorType::COMBINED_IMAGE_SAMPLER => {
            Descriptor::Image { view: view.as_raw(), layout, sampler: sampler() }
        }
        _ => Descriptor::Image { view: view.as_raw(), layout, sampler: Sampling::None },
    }
}

/// # Safety
/// The pointer is null or points to a `VkBufferView`.
unsafe fn view_descriptor(view: *const c_void) -> Descriptor {
    // SAFETY: as above.
    match unsafe { view.cast::<vk::BufferView>().as_ref() } {
        Some(view) if !view.is_null() => Descriptor::Texels(view.as_raw()),
        _ => Descriptor::Nothing,
    }
}

/// # Safety
/// As for every `VkWriteDescriptorSet`.
pub unsafe fn write_of(write: &vk::WriteDescriptorSet<'_>) -> Write {
    let kind = write.descriptor_type;
    // SAFETY: as above: arrays are as long as `descriptorCount` says, and of the kind that `descriptorType` says.
    let descriptors = unsafe {
        if kind == DescriptorType::INLINE_UNIFORM_BLOCK {
            let block = chained::<vk::WriteDescriptorSetInlineUniformBlock<'_>>(
                write.p_next,
                StructureType::WRITE_DESCRIPTOR_SET_INLINE_UNIFORM_BLOCK,
            );
            let bytes = block.map(|block| slice(block.p_data.cast::<u8>(), block.data_size).to_vec());
            bytes.map(Descriptor::Bytes).into_iter().collect()
        } else if is_buffer(kind) {
            let infos = slice(write.p_buffer_info, write.descriptor_count);
            infos.iter().map(|info| buffer_descriptor(std::ptr::from_ref(info).cast())).collect()
        } else if is_texels(kind) {
            let views = slice(write.p_texel_buffer_view, write.descriptor_count);
            views.iter().map(|view| view_descriptor(std::ptr::from_ref(view).cast())).collect()
        } else {
            let infos = slice(write.p_image_info, write.descriptor_count);
            infos.iter().map(|info| image_descriptor(kind, std::ptr::from_ref(info).cast())).collect()
        }
    };
    Write { binding: write.dst_binding, element: write.dst_array_element, kind, descriptors }
}

pub unsafe extern "system" fn update(
    _device: vk::Device,
    write_count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
    copy_count: u32,
    copies: *const vk::CopyDescriptorSet<'_>,
) {
    quiet("vkUpdateDescriptorSets", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            for write in slice(writes, write_count) {
                driver.write_set(write.dst_set.as_raw(), &write_of(write))?;
            }
            for copy in slice(copies, copy_count) {
                driver.copy_set(
                    (copy.src_set.as_raw(), copy.src_binding, copy.src_array_element),
                    (copy.dst_set.as_raw(), copy.dst_binding, copy.dst_array_element),
                    copy.descriptor_count,
                )?;
            }
        }
        Ok(())
    });
}

pub unsafe extern "system" fn create_template(
    device: vk::Device,
    info: *const vk::DescriptorUpdateTemplateCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::DescriptorUpdateTemplate,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateDescriptorUpdateTemplate", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let entries = slice(info.p_descriptor_update_entries, info.descriptor_update_entry_count);
            let entries = entries.iter().map(|entry| TemplateEntry {
                binding: entry.dst_binding,
                element: entry.dst_array_element,
                count: entry.descriptor_count,
                kind: entry.descriptor_type,
                offset: entry.offset,
                stride: entry.stride,
            });
            Ok(driver.templates.add(Arc::new(Template { entries: entries.collect() })))
        })
    }
}

pub unsafe extern "system" fn destroy_template(
    _device: vk::Device,
    template: vk::DescriptorUpdateTemplate,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyDescriptorUpdateTemplate", |driver| {
        driver.templates.remove_any(template.as_raw()).map(drop)
    });
}

/// What a template reads.
///
/// # Safety
/// `data` has what the template says.
pub unsafe fn writes_of(driver: &Driver, template: u64, data: *const c_void) -> Result<Vec<Write>, Fault> {
    let template = driver.templates.get(template)?.clone();
    let write = |entry: &TemplateEntry| {
        let descriptors = if entry.kind == DescriptorType::INLINE_UNIFORM_BLOCK {
            // SAFETY: as above: `count` bytes.
            let bytes = unsafe { slice(data.cast::<u8>().wrapping_add(entry.offset), entry.count) };
            vec![Descriptor::Bytes(bytes.to_vec())]
        } else {
            let at = |index: u32| {
                data.cast::<u8>().wrapping_add(entry.offset + index as usize * entry.stride).cast::<c_void>()
            };
            let descriptor = |index: u32| {
                // SAFETY: as above: what the type of descriptor has.
                unsafe {
                    match entry.kind {
                        kind if is_buffer(kind) => buffer_descriptor(at(index)),
                        kind if is_texels(kind) => view_descriptor(at(index)),
                        kind => image_descriptor(kind, at(index)),
                    }
                }
            };
            (0..entry.count).map(descriptor).collect()
        };
        Write { binding: entry.binding, element: entry.element, kind: entry.kind, descriptors }
    };
    Ok(template.entries.iter().map(write).collect())
}

pub unsafe extern "system" fn update_with_template(
    _device: vk::Device,
    set: vk::DescriptorSet,
    template: vk::DescriptorUpdateTemplate,
    data: *const c_void,
) {
    quiet("vkUpdateDescriptorSetWithTemplate", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for write in unsafe { writes_of(driver, template.as_raw(), data) }? {
            driver.write_set(set.as_raw(), &write)?;
        }
        Ok(())
    });
}
