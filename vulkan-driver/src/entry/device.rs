//! Devices and queues as objects, and private data.

use ash::vk::{self, Handle as _};
use rustc_hash::FxHashMap;

use super::call::{answer, create, given, put, quiet};
use crate::fault::Fault;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

pub unsafe extern "system" fn destroy_device(device: vk::Device, _allocator: Allocator<'_>) {
    quiet("vkDestroyDevice", |driver| driver.destroy_device(device.as_raw()));
}

fn queue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
    quiet("vkGetDeviceQueue", |driver| {
        let known = driver.device(device.as_raw())?;
        let queue = known.queues.get(index as usize).filter(|_| family == 0).copied();
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, vk::Queue::from_raw(queue.unwrap_or(0))) };
        match queue {
            Some(_) => Ok(()),
            None => Err(Fault::misuse(format!(
                "queue {index} of family {family}: the device was made with {} queues of family 0",
                known.queues.len()
            ))),
        }
    });
}

pub unsafe extern "system" fn get_queue(device: vk::Device, family: u32, index: u32, out: *mut vk::Queue) {
    queue(device, family, index, out);
}

pub unsafe extern "system" fn get_queue2(
    device: vk::Device,
    info: *const vk::DeviceQueueInfo2<'_>,
    out: *mut vk::Queue,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    if let Some(info) = unsafe { info.as_ref() } {
        queue(device, info.queue_family_index, info.queue_index, out);
    }
}

pub unsafe extern "system" fn peer_memory(
    _device: vk::Device,
    _heap: u32,
    _local: u32,
    _remote: u32,
    out: *mut vk::PeerMemoryFeatureFlags,
) {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    unsafe { put(out, vk::PeerMemoryFeatureFlags::empty()) };
}

pub unsafe extern "system" fn create_private_data(
    device: vk::Device,
    info: *const vk::PrivateDataSlotCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::PrivateDataSlot,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreatePrivateDataSlot", out, |driver| {
            driver.device(device.as_raw())?;
            given(info, "pCreateInfo")?;
            Ok(driver.private_data.add(FxHashMap::default()))
        })
    }
}

pub unsafe extern "system" fn destroy_private_data(
    _device: vk::Device,
    slot: vk::PrivateDataSlot,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyPrivateDataSlot", |driver| driver.private_data.remove_any(slot.as_raw()).map(drop));
}

pub unsafe extern "system" fn set_private_data(
    _device: vk::Device,
    _kind: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    data: u64,
) -> vk::Result {
    answer("vkSetPrivateData", |driver| {
        driver.private_data.get_mut(slot.as_raw())?.insert(object, data);
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn get_private_data(
    _device: vk::Device,
    _kind: vk::ObjectType,
    object: u64,
    slot: vk::PrivateDataSlot,
    out: *mut u64,
) {
    quiet("vkGetPrivateData", |driver| {
        let data = driver.private_data.get(slot.as_raw())?.get(&object).copied().unwrap_or(0);
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, data) };
        Ok(())
    });
}
