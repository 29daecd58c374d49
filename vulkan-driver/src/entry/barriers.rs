//! Barriers and events in command buffers. Commands run in order, so that they only matter to what is told of programs that lack them.

use std::sync::Arc;

use ash::vk::{self, Handle as _};

use super::call::{given, recorded, slice};
use crate::commands::{Barrier, Command, Transition};
use crate::driver::Driver;
use crate::fault::Fault;
use crate::hazards::scopes::{self, Stages};

/// What an image's barrier does to it.
fn transition(
    driver: &Driver,
    image: vk::Image,
    range: &vk::ImageSubresourceRange,
    (from, to): (vk::ImageLayout, vk::ImageLayout),
) -> Result<Option<Transition>, Fault> {
    let image = image.as_raw();
    let parts = driver.images.get(image)?.parts(range)?;
    Ok(Some(Transition { image, parts, from, to }))
}

/// The dependencies of the older commands, whose stages are the same for all.
///
/// # Safety
/// So many barriers.
unsafe fn dependencies(
    driver: &Driver,
    (source, target): (vk::PipelineStageFlags, vk::PipelineStageFlags),
    (memory, memory_count): (*const vk::MemoryBarrier<'_>, u32),
    (buffers, buffer_count): (*const vk::BufferMemoryBarrier<'_>, u32),
    (images, image_count): (*const vk::ImageMemoryBarrier<'_>, u32),
) -> Result<Vec<Barrier>, Fault> {
    let (source, target) = (u64::from(source.as_raw()), u64::from(target.as_raw()));
    let of = |from: vk::AccessFlags, to: vk::AccessFlags, buffer, image| Barrier {
        source: scopes::source(source, u64::from(from.as_raw())),
        target: scopes::target(target, u64::from(to.as_raw())),
        buffer,
        image,
    };
    let mut all = vec![of(vk::AccessFlags::empty(), vk::AccessFlags::empty(), None, None)];
    // SAFETY: as above.
    let (memory, buffers, images) =
        unsafe { (slice(memory, memory_count), slice(buffers, buffer_count), slice(images, image_count)) };
    all.extend(memory.iter().map(|one| of(one.src_access_mask, one.dst_access_mask, None, None)));
    all.extend(buffers.iter().map(|one| {
        let buffer = Some((one.buffer.as_raw(), one.offset, one.size));
        of(one.src_access_mask, one.dst_access_mask, buffer, None)
    }));
    for one in images {
        let image = transition(driver, one.image, &one.subresource_range, (one.old_layout, one.new_layout))?;
        all.push(of(one.src_access_mask, one.dst_access_mask, None, image));
    }
    Ok(all)
}

/// The dependencies of VK_KHR_synchronization2, each with stages of its own.
///
/// # Safety
/// A structure as Vulkan has it.
unsafe fn dependencies2(driver: &Driver, info: &vk::DependencyInfo<'_>) -> Result<Vec<Barrier>, Fault> {
    // SAFETY: as above.
    let (memory, buffers, images) = unsafe {
        (
            slice(info.p_memory_barriers, info.memory_barrier_count),
            slice(info.p_buffer_memory_barriers, info.buffer_memory_barrier_count),
            slice(info.p_image_memory_barriers, info.image_memory_barrier_count),
        )
    };
    let mut all = Vec::new();
    all.extend(memory.iter().map(|one| Barrier {
        source: scopes::source(one.src_stage_mask.as_raw(), one.src_access_mask.as_raw()),
        target: scopes::target(one.dst_stage_mask.as_raw(), one.dst_access_mask.as_raw()),
        buffer: None,
        image: None,
    }));
    all.extend(buffers.iter().map(|one| Barrier {
        source: scopes::source(one.src_stage_mask.as_raw(), one.src_access_mask.as_raw()),
        target: scopes::target(one.dst_stage_mask.as_raw(), one.dst_access_mask.as_raw()),
        buffer: Some((one.buffer.as_raw(), one.offset, one.size)),
        image: None,
    }));
    for one in images {
        let layouts = (one.old_layout, one.new_layout);
        all.push(Barrier {
            source: scopes::source(one.src_stage_mask.as_raw(), one.src_access_mask.as_raw()),
            target: scopes::target(one.dst_stage_mask.as_raw(), one.dst_access_mask.as_raw()),
            buffer: None,
            image: transition(driver, one.image, &one.subresource_range, layouts)?,
        });
    }
    Ok(all)
}

pub unsafe extern "system" fn barrier(
    buffer: vk::CommandBuffer,
    source: vk::PipelineStageFlags,
    target: vk::PipelineStageFlags,
    _flags: vk::DependencyFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    recorded("vkCmdPipelineBarrier", buffer, |driver, buffer| {
        let stages = (source, target);
        let (memory, buffers, images) =
            ((memory, memory_count), (buffers, buffer_count), (images, image_count));
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let all = unsafe { dependencies(driver, stages, memory, buffers, images) }?;
        driver.record(buffer, Command::Barriers(all))
    });
}

pub unsafe extern "system" fn barrier2(buffer: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>) {
    recorded("vkCmdPipelineBarrier2", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let all = unsafe { dependencies2(driver, given(info, "pDependencyInfo")?) }?;
        driver.record(buffer, Command::Barriers(all))
    });
}

/// Records that an event is set, or reset, after what these stages have done.
fn record_event(
    call: &'static str,
    buffer: vk::CommandBuffer,
    event: vk::Event,
    is_set: bool,
    stages: impl FnOnce(&Driver) -> Result<Stages, Fault>,
) {
    recorded(call, buffer, |driver, buffer| {
        driver.events.get(event.as_raw())?;
        let stages = stages(driver)?;
        driver.record(buffer, Command::SetEvent(event.as_raw(), is_set, stages))
    });
}

pub unsafe extern "system" fn set_event(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    stages: vk::PipelineStageFlags,
) {
    let before = scopes::source(u64::from(stages.as_raw()), 0).stages;
    record_event("vkCmdSetEvent", buffer, event, true, |_| Ok(before));
}

pub unsafe extern "system" fn set_event2(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    info: *const vk::DependencyInfo<'_>,
) {
    record_event("vkCmdSetEvent2", buffer, event, true, |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let all = unsafe { dependencies2(driver, given(info, "pDependencyInfo")?) }?;
        Ok(all.iter().fold(0, |stages, barrier| stages | barrier.source.stages))
    });
}

pub unsafe extern "system" fn reset_event(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    _stages: vk::PipelineStageFlags,
) {
    record_event("vkCmdResetEvent", buffer, event, false, |_| Ok(0));
}

pub unsafe extern "system" fn reset_event2(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    _stages: vk::PipelineStageFlags2,
) {
    record_event("vkCmdResetEvent2", buffer, event, false, |_| Ok(0));
}

pub unsafe extern "system" fn wait_events(
    buffer: vk::CommandBuffer,
    count: u32,
    events: *const vk::Event,
    source: vk::PipelineStageFlags,
    target: vk::PipelineStageFlags,
    memory_count: u32,
    memory: *const vk::MemoryBarrier<'_>,
    buffer_count: u32,
    buffers: *const vk::BufferMemoryBarrier<'_>,
    image_count: u32,
    images: *const vk::ImageMemoryBarrier<'_>,
) {
    recorded("vkCmdWaitEvents", buffer, |driver, buffer| {
        let stages = (source, target);
        let (memory, buffers, images) =
            ((memory, memory_count), (buffers, buffer_count), (images, image_count));
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let (events, all) = unsafe {
            let all = dependencies(driver, stages, memory, buffers, images)?;
            (slice(events, count), Arc::<[Barrier]>::from(all))
        };
        for event in events {
            driver.events.get(event.as_raw())?;
        }
        let waits = events.iter().map(|event| (event.as_raw(), all.clone())).collect();
        driver.record(buffer, Command::WaitEvents(waits))
    });
}

pub unsafe extern "system" fn wait_events2(
    buffer: vk::CommandBuffer,
    count: u32,
    events: *const vk::Event,
    infos: *const vk::DependencyInfo<'_>,
) {
    recorded("vkCmdWaitEvents2", buffer, |driver, buffer| {
        let mut waits = Vec::new();
        // SAFETY: pointers of the program's, as Vulkan asks for: an info for each event.
        unsafe {
            let infos = slice(infos, count);
            for (index, event) in slice(events, count).iter().enumerate() {
                driver.events.get(event.as_raw())?;
                let info =
                    given(infos.get(index).map_or(std::ptr::null(), std::ptr::from_ref), "pDependencyInfos")?;
                waits.push((event.as_raw(), dependencies2(driver, info)?.into()));
            }
        }
        driver.record(buffer, Command::WaitEvents(waits))
    });
}
