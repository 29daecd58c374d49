//! Copies between images and buffers, and clears of images, as they are recorded.

use ash::vk::{self, Handle as _};

use super::call::{given, recorded, slice};
use crate::commands::Command;
use crate::driver::Driver;
use crate::fault::Fault;
use crate::images::Half;

/// An image that there is, in the layout that a command says.
fn half(driver: &Driver, image: vk::Image, layout: vk::ImageLayout) -> Result<Half, Fault> {
    driver.images.get(image.as_raw())?;
    Ok(Half { image: image.as_raw(), layout })
}

fn record_buffer_image(
    call: &'static str,
    commands: vk::CommandBuffer,
    (buffer, image, layout): (vk::Buffer, vk::Image, vk::ImageLayout),
    regions: Vec<vk::BufferImageCopy>,
    to_image: bool,
) {
    recorded(call, commands, |driver, commands| {
        let image = half(driver, image, layout)?;
        let buffer = buffer.as_raw();
        driver.buffers.get(buffer)?;
        driver.record(commands, Command::CopyBufferImage { buffer, image, regions, to_image })
    });
}

pub unsafe extern "system" fn to_image(
    commands: vk::CommandBuffer,
    buffer: vk::Buffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let regions = unsafe { slice(regions, count) }.to_vec();
    record_buffer_image("vkCmdCopyBufferToImage", commands, (buffer, image, layout), regions, true);
}

pub unsafe extern "system" fn to_buffer(
    commands: vk::CommandBuffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    buffer: vk::Buffer,
    count: u32,
    regions: *const vk::BufferImageCopy,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let regions = unsafe { slice(regions, count) }.to_vec();
    record_buffer_image("vkCmdCopyImageToBuffer", commands, (buffer, image, layout), regions, false);
}

fn older(regions: &[vk::BufferImageCopy2<'_>]) -> Vec<vk::BufferImageCopy> {
    let of = |region: &vk::BufferImageCopy2<'_>| vk::BufferImageCopy {
        buffer_offset: region.buffer_offset,
        buffer_row_length: region.buffer_row_length,
        buffer_image_height: region.buffer_image_height,
        image_subresource: region.image_subresource,
        image_offset: region.image_offset,
        image_extent: region.image_extent,
    };
    regions.iter().map(of).collect()
}

pub unsafe extern "system" fn to_image2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyBufferToImageInfo2<'_>,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let Some(info) = (unsafe { info.as_ref() }) else { return };
    // SAFETY: as above.
    let regions = older(unsafe { slice(info.p_regions, info.region_count) });
    let ends = (info.src_buffer, info.dst_image, info.dst_image_layout);
    record_buffer_image("vkCmdCopyBufferToImage2", commands, ends, regions, true);
}

pub unsafe extern "system" fn to_buffer2(
    commands: vk::CommandBuffer,
    info: *const vk::CopyImageToBufferInfo2<'_>,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let Some(info) = (unsafe { info.as_ref() }) else { return };
    // SAFETY: as above.
    let regions = older(unsafe { slice(info.p_regions, info.region_count) });
    let ends = (info.dst_buffer, info.src_image, info.src_image_layout);
    record_buffer_image("vkCmdCopyImageToBuffer2", commands, ends, regions, false);
}

fn record_copy(
    call: &'static str,
    commands: vk::CommandBuffer,
    source: (vk::Image, vk::ImageLayout),
    target: (vk::Image, vk::ImageLayout),
    regions: Vec<vk::ImageCopy>,
) {
    recorded(call, commands, |driver, commands| {
        let (source, target) = (half(driver, source.0, source.1)?, half(driver, target.0, target.1)?);
        driver.record(commands, Command::CopyImage { source, target, regions })
    });
}

pub unsafe extern "system" fn copy_image(
    commands: vk::CommandBuffer,
    source: vk::Image,
    source_layout: vk::ImageLayout,
    target: vk::Image,
    target_layout: vk::ImageLayout,
    count: u32,
    regions: *const vk::ImageCopy,
) {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let regions = unsafe { slice(regions, count) }.to_vec();
    record_copy("vkCmdCopyImage", commands, (source, source_layout), (target, target_layout), regions);
}

pub unsafe extern "system" fn copy_image2(commands: vk::CommandBuffer, info: *const vk::CopyImageInfo2<'_>) {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let Some(info) = (unsafe { info.as_ref() }) else { return };
    // SAFETY: as above.
    let regions = unsafe { slice(info.p_regions, info.region_count) }.iter().map(|region| vk::ImageCopy {
        src_subresource: region.src_subresource,
        src_offset: region.src_offset,
        dst_subresource: region.dst_subresource,
        dst_offset: region.dst_offset,
        extent: region.extent,
    });
    let source = (info.src_image, info.src_image_layout);
    let target = (info.dst_image, info.dst_image_layout);
    record_copy("vkCmdCopyImage2", commands, source, target, regions.collect());
}

pub unsafe extern "system" fn clear_color(
    commands: vk::CommandBuffer,
    image: vk::Image,
    layout: vk::ImageLayout,
    color: *const vk::ClearColorValue,
    count: u32,
    ranges: *const vk::ImageSubresourceRange,
) {
    recorded("vkCmdClearColorImage", commands, |driver, commands| {
        let image = half(driver, image, layout)?;
        // SAFETY: pointers of the program's, as Vulkan asks for; all members of the union are four words.
        let (color, ranges) = unsafe { (given(color, "pColor")?.uint32, slice(ranges, count).to_vec()) };
        driver.record(commands, Command::ClearImage { image, color, ranges })
    });
}
