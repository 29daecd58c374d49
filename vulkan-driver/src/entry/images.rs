//! Images, their memory, views of images and buffers, and samplers.

use ash::vk::{self, Handle as _, StructureType};
use coopmat_simulator::{AddressMode, Border, Filter, Sampler};

use super::call::{answer, chain, chained, create, given, put, quiet};
use super::memory::fill;
use crate::driver::Driver;
use crate::fault::Fault;
use crate::images::{Image, Wanted, swizzle};
use crate::memory::requirements;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

fn wanted(info: &vk::ImageCreateInfo<'_>) -> Wanted {
    Wanted {
        kind: info.image_type,
        format: info.format,
        extent: [info.extent.width, info.extent.height, info.extent.depth],
        levels: info.mip_levels,
        layers: info.array_layers,
        samples: info.samples,
        tiling: info.tiling,
        usage: info.usage,
        flags: info.flags,
        initial: info.initial_layout,
    }
}

pub unsafe extern "system" fn create_image(
    device: vk::Device,
    info: *const vk::ImageCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Image,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateImage", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let external = chained::<vk::ExternalMemoryImageCreateInfo<'_>>(
                info.p_next,
                StructureType::EXTERNAL_MEMORY_IMAGE_CREATE_INFO,
            );
            if external.is_some_and(|external| !external.handle_types.is_empty()) {
                return Err(Fault::missing("images of external memory"));
            }
            driver.create_image(&wanted(info))
        })
    }
}

pub unsafe extern "system" fn destroy_image(
    _device: vk::Device,
    image: vk::Image,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyImage", |driver| driver.destroy_image(image.as_raw()));
}

pub unsafe extern "system" fn image_requirements(
    _device: vk::Device,
    image: vk::Image,
    out: *mut vk::MemoryRequirements,
) {
    quiet("vkGetImageMemoryRequirements", |driver| {
        let size = driver.images.get(image.as_raw())?.size();
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, requirements(size)) };
        Ok(())
    });
}

pub unsafe extern "system" fn image_requirements2(
    _device: vk::Device,
    info: *const vk::ImageMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    quiet("vkGetImageMemoryRequirements2", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            let size = driver.images.get(given(info, "pInfo")?.image.as_raw())?.size();
            fill(out, size)
        }
    });
}

pub unsafe extern "system" fn device_image_requirements(
    _device: vk::Device,
    info: *const vk::DeviceImageMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    quiet("vkGetDeviceImageMemoryRequirements", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            let image = given(given(info, "pInfo")?.p_create_info, "pCreateInfo")?;
            fill(out, Image::new(&driver.facts, &wanted(image))?.size())
        }
    });
}

pub unsafe extern "system" fn sparse_requirements(
    _device: vk::Device,
    _image: vk::Image,
    count: *mut u32,
    _out: *mut vk::SparseImageMemoryRequirements,
) {
    // No image is sparse.
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
}

pub unsafe extern "system" fn sparse_requirements2(
    _device: vk::Device,
    _info: *const vk::ImageSparseMemoryRequirementsInfo2<'_>,
    count: *mut u32,
    _out: *mut vk::SparseImageMemoryRequirements2<'_>,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
}

pub unsafe extern "system" fn device_sparse_requirements(
    _device: vk::Device,
    _info: *const vk::DeviceImageMemoryRequirements<'_>,
    count: *mut u32,
    _out: *mut vk::SparseImageMemoryRequirements2<'_>,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(count, 0) };
}

pub unsafe extern "system" fn bind_image(
    _device: vk::Device,
    image: vk::Image,
    memory: vk::DeviceMemory,
    offset: vk::DeviceSize,
) -> vk::Result {
    answer("vkBindImageMemory", |driver| {
        driver.bind_image(image.as_raw(), memory.as_raw(), offset).map(|()| vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn bind_image2(
    _device: vk::Device,
    count: u32,
    infos: *const vk::BindImageMemoryInfo<'_>,
) -> vk::Result {
    answer("vkBindImageMemory2", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for info in unsafe { super::call::slice(infos, count) } {
            driver.bind_image(info.image.as_raw(), info.memory.as_raw(), info.memory_offset)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn subresource_layout(
    _device: vk::Device,
    image: vk::Image,
    part: *const vk::ImageSubresource,
    out: *mut vk::SubresourceLayout,
) {
    quiet("vkGetImageSubresourceLayout", |driver| {
        let image = driver.images.get(image.as_raw())?;
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        let part = unsafe { given(part, "pSubresource") }?;
        if part.mip_level >= image.levels || part.array_layer >= image.layers {
            return Err(Fault::misuse(format!(
                "level {} and layer {}: the image has {} levels and {} layers",
                part.mip_level, part.array_layer, image.levels, image.layers
            )));
        }
        let place = image.place(part.mip_level, part.array_layer);
        let layout = vk::SubresourceLayout {
            offset: place.start,
            size: place.size,
            row_pitch: place.row,
            array_pitch: place.layer,
            depth_pitch: place.slice,
        };
        // SAFETY: as above.
        unsafe { put(out, layout) };
        Ok(())
    });
}

pub unsafe extern "system" fn create_image_view(
    device: vk::Device,
    info: *const vk::ImageViewCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::ImageView,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateImageView", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            driver.create_image_view(
                info.image.as_raw(),
                info.view_type,
                info.format,
                swizzle(info.components),
                &info.subresource_range,
            )
        })
    }
}

pub unsafe extern "system" fn destroy_image_view(
    _device: vk::Device,
    view: vk::ImageView,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyImageView", |driver| driver.image_views.remove_any(view.as_raw()).map(drop));
}

pub unsafe extern "system" fn create_buffer_view(
    device: vk::Device,
    info: *const vk::BufferViewCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::BufferView,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateBufferView", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            driver.create_buffer_view(info.buffer.as_raw(), info.format, info.offset, info.range)
        })
    }
}

pub unsafe extern "system" fn destroy_buffer_view(
    _device: vk::Device,
    view: vk::BufferView,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyBufferView", |driver| driver.buffer_views.remove_any(view.as_raw()).map(drop));
}

fn filter(filter: vk::Filter) -> Result<Filter, Fault> {
    match filter {
        vk::Filter::NEAREST => Ok(Filter::Nearest),
        vk::Filter::LINEAR => Ok(Filter::Linear),
        other => Err(Fault::missing(format!("samplers with the filter {}", other.as_raw()))),
    }
}

fn address(mode: vk::SamplerAddressMode) -> Result<AddressMode, Fault> {
    Ok(match mode {
        vk::SamplerAddressMode::REPEAT => AddressMode::Repeat,
        vk::SamplerAddressMode::MIRRORED_REPEAT => AddressMode::MirroredRepeat,
        vk::SamplerAddressMode::CLAMP_TO_EDGE => AddressMode::ClampToEdge,
        vk::SamplerAddressMode::CLAMP_TO_BORDER => AddressMode::ClampToBorder,
        vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE => AddressMode::MirrorClampToEdge,
        other => return Err(Fault::missing(format!("samplers with the address mode {}", other.as_raw()))),
    })
}

fn border(color: vk::BorderColor) -> Result<Border, Fault> {
    Ok(match color {
        vk::BorderColor::FLOAT_TRANSPARENT_BLACK | vk::BorderColor::INT_TRANSPARENT_BLACK => {
            Border::TransparentBlack
        }
        vk::BorderColor::FLOAT_OPAQUE_BLACK | vk::BorderColor::INT_OPAQUE_BLACK => Border::OpaqueBlack,
        vk::BorderColor::FLOAT_OPAQUE_WHITE | vk::BorderColor::INT_OPAQUE_WHITE => Border::OpaqueWhite,
        other => return Err(Fault::missing(format!("samplers with the border color {}", other.as_raw()))),
    })
}

fn sampler(driver: &mut Driver, info: &vk::SamplerCreateInfo<'_>) -> Result<u64, Fault> {
    if info.anisotropy_enable == vk::TRUE {
        return Err(Fault::misuse("anisotropyEnable is set, and the device has no samplerAnisotropy"));
    }
    // A comparison is an instruction's: shaders that have it are refused.
    let [smallest, largest] = [info.min_lod, info.max_lod];
    if smallest > largest {
        return Err(Fault::misuse(format!("minLod is {smallest}, and maxLod {largest}, which is less")));
    }
    let between_levels = match info.mipmap_mode {
        vk::SamplerMipmapMode::LINEAR => Filter::Linear,
        _ => Filter::Nearest,
    };
    Ok(driver.samplers.add(Sampler {
        magnify: filter(info.mag_filter)?,
        minify: filter(info.min_filter)?,
        between_levels,
        address: [
            address(info.address_mode_u)?,
            address(info.address_mode_v)?,
            address(info.address_mode_w)?,
        ],
        border: border(info.border_color)?,
        bias: info.mip_lod_bias,
        levels: [smallest, largest],
        normalized: info.unnormalized_coordinates == vk::FALSE,
    }))
}

pub unsafe extern "system" fn create_sampler(
    device: vk::Device,
    info: *const vk::SamplerCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Sampler,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateSampler", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            for (kind, structure) in chain(info.p_next) {
                let plain = match kind {
                    StructureType::SAMPLER_REDUCTION_MODE_CREATE_INFO => {
                        let mode = &*structure.cast::<vk::SamplerReductionModeCreateInfo<'_>>();
                        mode.reduction_mode == vk::SamplerReductionMode::WEIGHTED_AVERAGE
                    }
                    StructureType::SAMPLER_YCBCR_CONVERSION_INFO => false,
                    _ => true,
                };
                if !plain {
                    return Err(Fault::missing(
                        "samplers that convert YCbCr, or that take the minimum or the maximum",
                    ));
                }
            }
            sampler(driver, info)
        })
    }
}

pub unsafe extern "system" fn destroy_sampler(
    _device: vk::Device,
    sampler: vk::Sampler,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroySampler", |driver| driver.samplers.remove_any(sampler.as_raw()).map(drop));
}
