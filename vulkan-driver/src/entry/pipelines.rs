//! Shader modules, pipeline caches and layouts, compute pipelines.

use std::ffi::c_void;
use std::sync::Arc;

use ash::vk::{self, Handle as _, StructureType};

use super::call::{answer, chained, create, given, put, quiet, slice, text_of};
use crate::driver::Driver;
use crate::fault::Fault;
use crate::module::Module;
use crate::pipelines::{PipelineLayout, Wanted};
use crate::robustness::{Behaviour, Robustness};

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// # Safety
/// As for every `VkShaderModuleCreateInfo`.
unsafe fn words<'a>(info: &vk::ShaderModuleCreateInfo<'_>) -> Result<&'a [u32], Fault> {
    if !info.code_size.is_multiple_of(4) {
        return Err(Fault::misuse(format!("codeSize is {}: expected a multiple of 4", info.code_size)));
    }
    // SAFETY: as above.
    Ok(unsafe { slice(info.p_code, (info.code_size / 4) as u32) })
}

pub unsafe extern "system" fn create_module(
    device: vk::Device,
    info: *const vk::ShaderModuleCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::ShaderModule,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateShaderModule", out, |driver| {
            driver.device(device.as_raw())?;
            let words = words(given(info, "pCreateInfo")?)?;
            driver.create_module(words)
        })
    }
}

pub unsafe extern "system" fn destroy_module(
    _device: vk::Device,
    module: vk::ShaderModule,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyShaderModule", |driver| {
        driver.names.remove(&module.as_raw());
        driver.modules.remove_any(module.as_raw()).map(drop)
    });
}

pub unsafe extern "system" fn create_cache(
    device: vk::Device,
    info: *const vk::PipelineCacheCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::PipelineCache,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreatePipelineCache", out, |driver| {
            driver.device(device.as_raw())?;
            given(info, "pCreateInfo")?;
            Ok(driver.caches.add(()))
        })
    }
}

pub unsafe extern "system" fn destroy_cache(
    _device: vk::Device,
    cache: vk::PipelineCache,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyPipelineCache", |driver| driver.caches.remove_any(cache.as_raw()).map(drop));
}

/// `VkPipelineCacheHeaderVersionOne`, and nothing after it: pipelines are not kept.
pub unsafe extern "system" fn cache_data(
    device: vk::Device,
    cache: vk::PipelineCache,
    size: *mut usize,
    out: *mut c_void,
) -> vk::Result {
    const LENGTH: usize = 32;
    answer("vkGetPipelineCacheData", |driver| {
        driver.device(device.as_raw())?;
        driver.caches.get(cache.as_raw())?;
        let mut header = Vec::with_capacity(LENGTH);
        for word in [LENGTH as u32, 1, 0x1_FFFF, 1] {
            header.extend(word.to_le_bytes());
        }
        header.extend(b"coopmat-analyzer");
        // SAFETY: pointers of the program's, as Vulkan asks for: room for so many bytes.
        unsafe {
            let size = size.as_mut().ok_or_else(|| Fault::misuse("pDataSize is null"))?;
            let room = std::mem::replace(size, LENGTH);
            if out.is_null() {
                return Ok(vk::Result::SUCCESS);
            }
            if room < LENGTH {
                *size = 0;
                return Ok(vk::Result::INCOMPLETE);
            }
            out.cast::<u8>().copy_from_nonoverlapping(header.as_ptr(), LENGTH);
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn merge_caches(
    _device: vk::Device,
    target: vk::PipelineCache,
    count: u32,
    sources: *const vk::PipelineCache,
) -> vk::Result {
    answer("vkMergePipelineCaches", |driver| {
        driver.caches.get(target.as_raw())?;
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for source in unsafe { slice(sources, count) } {
            driver.caches.get(source.as_raw())?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn create_layout(
    device: vk::Device,
    info: *const vk::PipelineLayoutCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::PipelineLayout,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreatePipelineLayout", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let mut sets = Vec::new();
            for layout in slice(info.p_set_layouts, info.set_layout_count) {
                sets.push(match layout.is_null() {
                    true => None,
                    false => Some(driver.set_layouts.get(layout.as_raw())?.clone()),
                });
            }
            Ok(driver.pipeline_layouts.add(Arc::new(PipelineLayout { sets })))
        })
    }
}

pub unsafe extern "system" fn destroy_layout(
    _device: vk::Device,
    layout: vk::PipelineLayout,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyPipelineLayout", |driver| driver.pipeline_layouts.remove_any(layout.as_raw()).map(drop));
}

/// # Safety
/// As for every `VkComputePipelineCreateInfo`.
unsafe fn pipeline(
    driver: &mut Driver,
    device: vk::Device,
    info: &vk::ComputePipelineCreateInfo<'_>,
) -> Result<u64, Fault> {
    let stage = &info.stage;
    // SAFETY: as above.
    unsafe {
        let (module, module_handle) = if stage.module.is_null() {
            // A module in the chain (VK_KHR_maintenance5).
            let inline = chained::<vk::ShaderModuleCreateInfo<'_>>(
                stage.p_next,
                StructureType::SHADER_MODULE_CREATE_INFO,
            );
            let inline = inline.ok_or_else(|| Fault::misuse("the stage has no module"))?;
            let module = Module::new(words(inline)?).map_err(|error| {
                Fault::misuse(format!("the SPIR-V module cannot be read: {error}"))
                    .with(vk::Result::ERROR_INVALID_SHADER_NV)
            })?;
            (Arc::new(module), 0)
        } else {
            (driver.modules.get(stage.module.as_raw())?.clone(), stage.module.as_raw())
        };
        let mut specialization = Vec::new();
        if let Some(given) = stage.p_specialization_info.as_ref() {
            let data = slice(given.p_data.cast::<u8>(), given.data_size as u32);
            for entry in slice(given.p_map_entries, given.map_entry_count) {
                let start = entry.offset as usize;
                let Some(bytes) = data.get(start..start.saturating_add(entry.size)) else {
                    return Err(Fault::misuse(format!(
                        "the value of specialization constant {} is not inside of the {} bytes of data",
                        entry.constant_id,
                        data.len()
                    )));
                };
                specialization.push((entry.constant_id, bytes.to_vec()));
            }
        }
        let required = chained::<vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo<'_>>(
            stage.p_next,
            StructureType::PIPELINE_SHADER_STAGE_REQUIRED_SUBGROUP_SIZE_CREATE_INFO,
        );
        // The stage's comes before the pipeline's.
        let robustness = [stage.p_next, info.p_next].into_iter().find_map(|next| {
            let kind = StructureType::PIPELINE_ROBUSTNESS_CREATE_INFO_EXT;
            chained::<vk::PipelineRobustnessCreateInfoEXT<'_>>(next, kind)
        });
        let robustness = robustness.map_or(Robustness::default(), |given| Robustness {
            storage: Behaviour::new(given.storage_buffers.as_raw()),
            uniform: Behaviour::new(given.uniform_buffers.as_raw()),
            image: Behaviour::new(given.images.as_raw()),
        });
        let entry = text_of(stage.p_name);
        driver.create_pipeline(
            device.as_raw(),
            Wanted {
                module,
                module_handle,
                entry: &entry,
                specialization,
                layout: info.layout.as_raw(),
                required_subgroup_size: required.map(|required| required.required_subgroup_size),
                takes_base: info.flags.contains(vk::PipelineCreateFlags::DISPATCH_BASE),
                robustness,
            },
        )
    }
}

pub unsafe extern "system" fn create_compute(
    device: vk::Device,
    cache: vk::PipelineCache,
    count: u32,
    infos: *const vk::ComputePipelineCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Pipeline,
) -> vk::Result {
    answer("vkCreateComputePipelines", |driver| {
        driver.device(device.as_raw())?;
        if !cache.is_null() {
            driver.caches.get(cache.as_raw())?;
        }
        let mut failed = None;
        // SAFETY: pointers of the program's, as Vulkan asks for; as many pipelines as create infos.
        unsafe {
            for (index, info) in slice(infos, count).iter().enumerate() {
                // Each is made whether or not others can be (Vulkan, "Multiple Pipeline Creation").
                let made = pipeline(driver, device, info);
                let handle = *made.as_ref().unwrap_or(&0);
                put(out.add(index), vk::Pipeline::from_raw(handle));
                if let Err(fault) = made {
                    if let Some(before) = failed.replace(fault) {
                        driver.tell("vkCreateComputePipelines", &before);
                    }
                    if info.flags.contains(vk::PipelineCreateFlags::EARLY_RETURN_ON_FAILURE) {
                        break;
                    }
                }
            }
        }
        failed.map_or(Ok(vk::Result::SUCCESS), Err)
    })
}

pub unsafe extern "system" fn destroy_pipeline(
    _device: vk::Device,
    pipeline: vk::Pipeline,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyPipeline", |driver| {
        driver.names.remove(&pipeline.as_raw());
        driver.pipelines.remove_any(pipeline.as_raw()).map(drop)
    });
}
