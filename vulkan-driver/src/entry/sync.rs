//! Submissions, fences, semaphores, events, and waiting for them.

use ash::vk::{self, Handle as _, StructureType};

use super::call::{answer, chained, create, given, put, quiet, slice, wait};
use crate::driver::{CHANGED, Driver};
use crate::fault::Fault;
use crate::objects::{Fence, Semaphore, Submission};

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

pub unsafe extern "system" fn submit(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo<'_>,
    fence: vk::Fence,
) -> vk::Result {
    answer("vkQueueSubmit", |driver| {
        let mut submissions = Vec::new();
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            for info in slice(infos, count) {
                let values = chained::<vk::TimelineSemaphoreSubmitInfo<'_>>(
                    info.p_next,
                    StructureType::TIMELINE_SEMAPHORE_SUBMIT_INFO,
                );
                let of = |values: &[u64], index: usize| values.get(index).copied().unwrap_or(0);
                let (waits, signals) = values.map_or((&[][..], &[][..]), |values| {
                    (
                        slice(values.p_wait_semaphore_values, values.wait_semaphore_value_count),
                        slice(values.p_signal_semaphore_values, values.signal_semaphore_value_count),
                    )
                });
                let with = |semaphores: &[vk::Semaphore], values: &[u64]| {
                    let pairs = semaphores.iter().enumerate();
                    pairs.map(|(index, one)| (one.as_raw(), of(values, index))).collect()
                };
                submissions.push(Submission {
                    waits: with(slice(info.p_wait_semaphores, info.wait_semaphore_count), waits),
                    stages: slice(info.p_wait_dst_stage_mask, info.wait_semaphore_count)
                        .iter()
                        .map(|stages| u64::from(stages.as_raw()))
                        .collect(),
                    buffers: slice(info.p_command_buffers, info.command_buffer_count)
                        .iter()
                        .map(|buffer| buffer.as_raw())
                        .collect(),
                    signals: with(slice(info.p_signal_semaphores, info.signal_semaphore_count), signals),
                    signal_stages: Vec::new(),
                    fence: 0,
                });
            }
        }
        driver.submit(queue.as_raw(), submissions, fence.as_raw()).map(|()| vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn submit2(
    queue: vk::Queue,
    count: u32,
    infos: *const vk::SubmitInfo2<'_>,
    fence: vk::Fence,
) -> vk::Result {
    answer("vkQueueSubmit2", |driver| {
        let mut submissions = Vec::new();
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            for info in slice(infos, count) {
                let with = |list: &[vk::SemaphoreSubmitInfo<'_>]| {
                    list.iter().map(|one| (one.semaphore.as_raw(), one.value)).collect()
                };
                let stages = |list: &[vk::SemaphoreSubmitInfo<'_>]| {
                    list.iter().map(|one| one.stage_mask.as_raw()).collect()
                };
                submissions.push(Submission {
                    waits: with(slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count)),
                    stages: stages(slice(info.p_wait_semaphore_infos, info.wait_semaphore_info_count)),
                    signal_stages: stages(slice(
                        info.p_signal_semaphore_infos,
                        info.signal_semaphore_info_count,
                    )),
                    buffers: slice(info.p_command_buffer_infos, info.command_buffer_info_count)
                        .iter()
                        .map(|buffer| buffer.command_buffer.as_raw())
                        .collect(),
                    signals: with(slice(info.p_signal_semaphore_infos, info.signal_semaphore_info_count)),
                    fence: 0,
                });
            }
        }
        driver.submit(queue.as_raw(), submissions, fence.as_raw()).map(|()| vk::Result::SUCCESS)
    })
}

fn is_idle(driver: &mut Driver, queue: u64) -> Result<bool, Fault> {
    let handle = driver.pointers.handle(queue);
    let idle = driver.queues.get(handle)?.pending.is_empty();
    if idle {
        driver.hazards.seen_idle(handle);
    }
    Ok(idle)
}

/// What a wait for a device answers once it is lost.
fn lost(driver: &Driver, device: u64) -> Result<(), Fault> {
    match driver.device(device)?.lost {
        true => Err(Fault::plain(vk::Result::ERROR_DEVICE_LOST)),
        false => Ok(()),
    }
}

pub unsafe extern "system" fn queue_idle(queue: vk::Queue) -> vk::Result {
    wait("vkQueueWaitIdle", u64::MAX, |driver| is_idle(driver, queue.as_raw()))
}

pub unsafe extern "system" fn device_idle(device: vk::Device) -> vk::Result {
    wait("vkDeviceWaitIdle", u64::MAX, |driver| {
        lost(driver, device.as_raw())?;
        let queues = driver.device(device.as_raw())?.queues.clone();
        for queue in queues {
            if !is_idle(driver, queue)? {
                return Ok(false);
            }
        }
        Ok(true)
    })
}

pub unsafe extern "system" fn create_fence(
    device: vk::Device,
    info: *const vk::FenceCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Fence,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateFence", out, |driver| {
            driver.device(device.as_raw())?;
            let signaled = given(info, "pCreateInfo")?.flags.contains(vk::FenceCreateFlags::SIGNALED);
            Ok(driver.fences.add(Fence { signaled }))
        })
    }
}

pub unsafe extern "system" fn destroy_fence(
    _device: vk::Device,
    fence: vk::Fence,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyFence", |driver| driver.fences.remove_any(fence.as_raw()).map(drop));
}

pub unsafe extern "system" fn reset_fences(
    _device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
) -> vk::Result {
    answer("vkResetFences", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for fence in unsafe { slice(fences, count) } {
            driver.fences.get_mut(fence.as_raw())?.signaled = false;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn fence_status(device: vk::Device, fence: vk::Fence) -> vk::Result {
    answer("vkGetFenceStatus", |driver| {
        lost(driver, device.as_raw())?;
        Ok(match driver.fences.get(fence.as_raw())?.signaled {
            true => {
                driver.hazards.seen_fence(fence.as_raw());
                vk::Result::SUCCESS
            }
            false => vk::Result::NOT_READY,
        })
    })
}

pub unsafe extern "system" fn wait_fences(
    device: vk::Device,
    count: u32,
    fences: *const vk::Fence,
    all: vk::Bool32,
    timeout: u64,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let fences = unsafe { slice(fences, count) };
    wait("vkWaitForFences", timeout, |driver| {
        lost(driver, device.as_raw())?;
        let mut signaled = 0;
        for fence in fences {
            if driver.fences.get(fence.as_raw())?.signaled {
                driver.hazards.seen_fence(fence.as_raw());
                signaled += 1;
            }
        }
        Ok(if all == vk::FALSE { signaled > 0 || fences.is_empty() } else { signaled == fences.len() })
    })
}

pub unsafe extern "system" fn create_semaphore(
    device: vk::Device,
    info: *const vk::SemaphoreCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Semaphore,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateSemaphore", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let kind = chained::<vk::SemaphoreTypeCreateInfo<'_>>(
                info.p_next,
                StructureType::SEMAPHORE_TYPE_CREATE_INFO,
            );
            Ok(driver.semaphores.add(match kind {
                Some(kind) if kind.semaphore_type == vk::SemaphoreType::TIMELINE => {
                    Semaphore::Timeline(kind.initial_value)
                }
                _ => Semaphore::Binary(false),
            }))
        })
    }
}

pub unsafe extern "system" fn destroy_semaphore(
    _device: vk::Device,
    semaphore: vk::Semaphore,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroySemaphore", |driver| {
        driver.semaphores.remove_any(semaphore.as_raw())?;
        // A submission that waits for it would wait for ever.
        driver.advance()
    });
}

pub unsafe extern "system" fn semaphore_value(
    _device: vk::Device,
    semaphore: vk::Semaphore,
    out: *mut u64,
) -> vk::Result {
    answer("vkGetSemaphoreCounterValue", |driver| match *driver.semaphores.get(semaphore.as_raw())? {
        Semaphore::Timeline(value) => {
            // SAFETY: a pointer of the program's, as Vulkan asks for.
            unsafe { put(out, value) };
            driver.hazards.seen_semaphore(semaphore.as_raw());
            Ok(vk::Result::SUCCESS)
        }
        Semaphore::Binary(_) => {
            Err(Fault::misuse("the semaphore is binary: only a timeline semaphore has a value"))
        }
    })
}

pub unsafe extern "system" fn signal_semaphore(
    _device: vk::Device,
    info: *const vk::SemaphoreSignalInfo<'_>,
) -> vk::Result {
    answer("vkSignalSemaphore", |driver| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        let info = unsafe { given(info, "pSignalInfo") }?;
        let semaphore = info.semaphore.as_raw();
        if let Semaphore::Binary(_) = driver.semaphores.get(semaphore)? {
            return Err(Fault::misuse("the semaphore is binary: the host signals timeline semaphores only"));
        }
        driver.signal(semaphore, info.value)?;
        driver.advance()?;
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn wait_semaphores(
    device: vk::Device,
    info: *const vk::SemaphoreWaitInfo<'_>,
    timeout: u64,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    let (any, semaphores, values) = unsafe {
        let Some(info) = info.as_ref() else { return vk::Result::ERROR_UNKNOWN };
        (
            info.flags.contains(vk::SemaphoreWaitFlags::ANY),
            slice(info.p_semaphores, info.semaphore_count),
            slice(info.p_values, info.semaphore_count),
        )
    };
    wait("vkWaitSemaphores", timeout, |driver| {
        lost(driver, device.as_raw())?;
        let mut signaled = 0;
        for (semaphore, value) in semaphores.iter().zip(values) {
            if driver.is_signaled(semaphore.as_raw(), *value)? {
                driver.hazards.seen_semaphore(semaphore.as_raw());
                signaled += 1;
            }
        }
        Ok(if any { signaled > 0 || semaphores.is_empty() } else { signaled == semaphores.len() })
    })
}

pub unsafe extern "system" fn create_event(
    device: vk::Device,
    info: *const vk::EventCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Event,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateEvent", out, |driver| {
            driver.device(device.as_raw())?;
            given(info, "pCreateInfo")?;
            Ok(driver.events.add(false))
        })
    }
}

pub unsafe extern "system" fn destroy_event(
    _device: vk::Device,
    event: vk::Event,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyEvent", |driver| driver.events.remove_any(event.as_raw()).map(drop));
}

pub unsafe extern "system" fn event_status(_device: vk::Device, event: vk::Event) -> vk::Result {
    answer("vkGetEventStatus", |driver| {
        Ok(match driver.events.get(event.as_raw())? {
            true => vk::Result::EVENT_SET,
            false => vk::Result::EVENT_RESET,
        })
    })
}

fn change_event(call: &'static str, event: vk::Event, set: bool) -> vk::Result {
    answer(call, |driver| {
        *driver.events.get_mut(event.as_raw())? = set;
        driver.hazards.host_event(event.as_raw());
        CHANGED.notify_all();
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn set_event(_device: vk::Device, event: vk::Event) -> vk::Result {
    change_event("vkSetEvent", event, true)
}

pub unsafe extern "system" fn reset_event(_device: vk::Device, event: vk::Event) -> vk::Result {
    change_event("vkResetEvent", event, false)
}
