//! What the physical device says of formats.

use ash::vk::{self, Handle as _, StructureType};

use super::call::{answer, chain, chained, given, put};
use super::physical::with;
use crate::facts::Facts;
use crate::fault::Fault;
use crate::formats::{self, older};
use crate::images::{Wanted, supported};

fn properties(facts: &Facts, format: vk::Format) -> vk::FormatProperties {
    let Some(format) = formats::find(format) else { return vk::FormatProperties::default() };
    let images = older(formats::image_features(format, facts));
    vk::FormatProperties {
        linear_tiling_features: images,
        optimal_tiling_features: images,
        buffer_features: older(formats::buffer_features(format, facts)),
    }
}

pub unsafe extern "system" fn format(
    device: vk::PhysicalDevice,
    format: vk::Format,
    out: *mut vk::FormatProperties,
) {
    with("vkGetPhysicalDeviceFormatProperties", device, |facts| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, properties(facts, format)) };
        Ok(())
    });
}

pub unsafe extern "system" fn format2(
    device: vk::PhysicalDevice,
    format: vk::Format,
    out: *mut vk::FormatProperties2<'_>,
) {
    with("vkGetPhysicalDeviceFormatProperties2", device, |facts| {
        // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
        unsafe {
            let out = out.as_mut().ok_or_else(|| Fault::misuse("pFormatProperties is null"))?;
            out.format_properties = properties(facts, format);
            let known = formats::find(format);
            for (kind, structure) in chain(out.p_next) {
                if kind == StructureType::FORMAT_PROPERTIES_3 {
                    let more = &mut *structure.cast_mut().cast::<vk::FormatProperties3<'_>>();
                    let images =
                        known.map(|format| formats::image_features(format, facts)).unwrap_or_default();
                    more.linear_tiling_features = images;
                    more.optimal_tiling_features = images;
                    more.buffer_features =
                        known.map(|format| formats::buffer_features(format, facts)).unwrap_or_default();
                }
            }
        }
        Ok(())
    });
}

fn wanted(
    (format, kind, tiling): (vk::Format, vk::ImageType, vk::ImageTiling),
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
) -> Wanted {
    Wanted {
        kind,
        format,
        extent: [1; 3],
        levels: 1,
        layers: 1,
        samples: vk::SampleCountFlags::TYPE_1,
        tiling,
        usage,
        flags,
        initial: vk::ImageLayout::UNDEFINED,
    }
}

pub unsafe extern "system" fn image_format(
    device: vk::PhysicalDevice,
    format: vk::Format,
    kind: vk::ImageType,
    tiling: vk::ImageTiling,
    usage: vk::ImageUsageFlags,
    flags: vk::ImageCreateFlags,
    out: *mut vk::ImageFormatProperties,
) -> vk::Result {
    answer("vkGetPhysicalDeviceImageFormatProperties", |driver| {
        driver.physical_device(device.as_raw())?;
        let found = supported(&driver.facts, &wanted((format, kind, tiling), usage, flags));
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, found.clone().unwrap_or_default()) };
        // Programs ask, to find out: that is nothing to report.
        found.map(|_| vk::Result::SUCCESS).map_err(|_| Fault::plain(vk::Result::ERROR_FORMAT_NOT_SUPPORTED))
    })
}

pub unsafe extern "system" fn image_format2(
    device: vk::PhysicalDevice,
    info: *const vk::PhysicalDeviceImageFormatInfo2<'_>,
    out: *mut vk::ImageFormatProperties2<'_>,
) -> vk::Result {
    answer("vkGetPhysicalDeviceImageFormatProperties2", |driver| {
        driver.physical_device(device.as_raw())?;
        // SAFETY: pointers of the program's, as Vulkan asks for; the structure's chain stays.
        unsafe {
            let info = given(info, "pImageFormatInfo")?;
            let out = out.as_mut().ok_or_else(|| Fault::misuse("pImageFormatProperties is null"))?;
            let external = chained::<vk::PhysicalDeviceExternalImageFormatInfo<'_>>(
                info.p_next,
                StructureType::PHYSICAL_DEVICE_EXTERNAL_IMAGE_FORMAT_INFO,
            );
            let external = external.is_some_and(|external| !external.handle_type.is_empty());
            let kind = (info.format, info.ty, info.tiling);
            let found = supported(&driver.facts, &wanted(kind, info.usage, info.flags)).ok();
            let found = found.filter(|_| !external);
            out.image_format_properties = found.unwrap_or_default();
            found
                .map(|_| vk::Result::SUCCESS)
                .ok_or_else(|| Fault::plain(vk::Result::ERROR_FORMAT_NOT_SUPPORTED))
        }
    })
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
