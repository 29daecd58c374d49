//! Barriers and events in command buffers. Commands run in order, so that they only matter to what is told of programs that lack them.

use std::sync::Arc;

use ash::vk::{self, Handle as _};

use super::call::{given, recorded, slice};
use crate::commands::{Barrier, Command};
use crate::fault::Fault;
use crate::hazards::scopes::{self, Stages};

/// The dependencies of the older commands, whose stages are the same for all. Those of images order execution alone: there are none.
///
/// # Safety
/// So many barriers.
unsafe fn dependencies(
    (source, target): (vk::PipelineStageFlags, vk::PipelineStageFlags),
    (memory, memory_count): (*const vk::MemoryBarrier<'_>, u32),
    (buffers, buffer_count): (*const vk::BufferMemoryBarrier<'_>, u32),
) -> Vec<Barrier> {
    let (source, target) = (u64::from(source.as_raw()), u64::from(target.as_raw()));
    let of = |from: vk::AccessFlags, to: vk::AccessFlags, buffer| Barrier {
        source: scopes::source(source, u64::from(from.as_raw())),
        target: scopes::target(target, u64::from(to.as_raw())),
        buffer,
    };
    let mut all = vec![of(vk::AccessFlags::empty(), vk::AccessFlags::empty(), None)];
    // SAFETY: as above.
    let (memory, buffers) = unsafe { (slice(memory, memory_count), slice(buffers, buffer_count)) };
    all.extend(memory.iter().map(|one| of(one.src_access_mask, one.dst_access_mask, None)));
    all.extend(buffers.iter().map(|one| {
        let buffer = Some((one.buffer.as_raw(), one.offset, one.size));
        of(one.src_access_mask, one.dst_access_mask, buffer)
    }));
    all
}

/// The dependencies of VK_KHR_synchronization2, each with stages of its own.
///
/// # Safety
/// A structure as Vulkan has it.
unsafe fn dependencies2(info: &vk::DependencyInfo<'_>) -> Vec<Barrier> {
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
    }));
    all.extend(buffers.iter().map(|one| Barrier {
        source: scopes::source(one.src_stage_mask.as_raw(), one.src_access_mask.as_raw()),
        target: scopes::target(one.dst_stage_mask.as_raw(), one.dst_access_mask.as_raw()),
        buffer: Some((one.buffer.as_raw(), one.offset, one.size)),
    }));
    all.extend(images.iter().map(|one| Barrier {
        source: scopes::source(one.src_stage_mask.as_raw(), 0),
        target: scopes::target(one.dst_stage_mask.as_raw(), 0),
        buffer: None,
    }));
    all
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
    _image_count: u32,
    _images: *const vk::ImageMemoryBarrier<'_>,
) {
    recorded("vkCmdPipelineBarrier", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let all = unsafe { dependencies((source, target), (memory, memory_count), (buffers, buffer_count)) };
        driver.record(buffer, Command::Barriers(all))
    });
}

pub unsafe extern "system" fn barrier2(buffer: vk::CommandBuffer, info: *const vk::DependencyInfo<'_>) {
    recorded("vkCmdPipelineBarrier2", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let all = unsafe { dependencies2(given(info, "pDependencyInfo")?) };
        driver.record(buffer, Command::Barriers(all))
    });
}

/// Records that an event is set, or reset, after what these stages have done.
fn record_event(
    call: &'static str,
    buffer: vk::CommandBuffer,
    event: vk::Event,
    is_set: bool,
    stages: impl FnOnce() -> Result<Stages, Fault>,
) {
    recorded(call, buffer, |driver, buffer| {
        driver.events.get(event.as_raw())?;
        driver.record(buffer, Command::SetEvent(event.as_raw(), is_set, stages()?))
    });
}

pub unsafe extern "system" fn set_event(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    stages: vk::PipelineStageFlags,
) {
    let before = scopes::source(u64::from(stages.as_raw()), 0).stages;
    record_event("vkCmdSetEvent", buffer, event, true, || Ok(before));
}

pub unsafe extern "system" fn set_event2(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    info: *const vk::DependencyInfo<'_>,
) {
    record_event("vkCmdSetEvent2", buffer, event, true, || {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let all = unsafe { dependencies2(given(info, "pDependencyInfo")?) };
        Ok(all.iter().fold(0, |stages, barrier| stages | barrier.source.stages))
    });
}

pub unsafe extern "system" fn reset_event(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    _stages: vk::PipelineStageFlags,
) {
    record_event("vkCmdResetEvent", buffer, event, false, || Ok(0));
}

pub unsafe extern "system" fn reset_event2(
    buffer: vk::CommandBuffer,
    event: vk::Event,
    _stages: vk::PipelineStageFlags2,
) {
    record_event("vkCmdResetEvent2", buffer, event, false, || Ok(0));
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
    _image_count: u32,
    _images: *const vk::ImageMemoryBarrier<'_>,
) {
    recorded("vkCmdWaitEvents", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let (events, all) = unsafe {
            let all = dependencies((source, target), (memory, memory_count), (buffers, buffer_count));
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
                waits.push((event.as_raw(), dependencies2(info).into()));
            }
        }
        driver.record(buffer, Command::WaitEvents(waits))
    });
}
