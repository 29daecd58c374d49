//! Memory, buffers, addresses.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};

use super::call::{answer, chain, create, given, put, quiet, slice, value};
use crate::driver::Driver;
use crate::fault::Fault;
use crate::memory::requirements;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

pub unsafe extern "system" fn allocate(
    device: vk::Device,
    info: *const vk::MemoryAllocateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::DeviceMemory,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkAllocateMemory", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pAllocateInfo")?;
            driver.allocate(info.allocation_size, info.memory_type_index)
        })
    }
}

pub unsafe extern "system" fn free(device: vk::Device, memory: vk::DeviceMemory, _allocator: Allocator<'_>) {
    quiet("vkFreeMemory", |driver| {
        driver.device(device.as_raw())?;
        driver.free(memory.as_raw())
    });
}

fn map_range(
    call: &'static str,
    device: vk::Device,
    memory: vk::DeviceMemory,
    (offset, size): (u64, u64),
    out: *mut *mut c_void,
) -> vk::Result {
    answer(call, |driver| {
        driver.device(device.as_raw())?;
        let address = driver.map(memory.as_raw(), offset, size)?;
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, address) };
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn map(
    device: vk::Device,
    memory: vk::DeviceMemory,
    offset: u64,
    size: u64,
    _flags: vk::MemoryMapFlags,
    out: *mut *mut c_void,
) -> vk::Result {
    map_range("vkMapMemory", device, memory, (offset, size), out)
}

pub unsafe extern "system" fn map2(
    device: vk::Device,
    info: *const vk::MemoryMapInfoKHR<'_>,
    out: *mut *mut c_void,
) -> vk::Result {
    // SAFETY: a pointer of the program's, as Vulkan asks for.
    let Some(info) = (unsafe { info.as_ref() }) else { return vk::Result::ERROR_MEMORY_MAP_FAILED };
    map_range("vkMapMemory2KHR", device, info.memory, (info.offset, info.size), out)
}

pub unsafe extern "system" fn unmap(_device: vk::Device, memory: vk::DeviceMemory) {
    quiet("vkUnmapMemory", |driver| driver.unmap(memory.as_raw()));
}

pub unsafe extern "system" fn unmap2(
    _device: vk::Device,
    info: *const vk::MemoryUnmapInfoKHR<'_>,
) -> vk::Result {
    answer("vkUnmapMemory2KHR", |driver| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        let info = unsafe { given(info, "pMemoryUnmapInfo") }?;
        driver.unmap(info.memory.as_raw()).map(|()| vk::Result::SUCCESS)
    })
}

/// All memory is coherent: flushing and invalidating have nothing to do.
pub unsafe extern "system" fn flush(
    _device: vk::Device,
    count: u32,
    ranges: *const vk::MappedMemoryRange<'_>,
) -> vk::Result {
    answer("vkFlushMappedMemoryRanges", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for range in unsafe { slice(ranges, count) } {
            driver.memories.get(range.memory.as_raw())?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn commitment(_device: vk::Device, memory: vk::DeviceMemory, out: *mut u64) {
    quiet("vkGetDeviceMemoryCommitment", |driver| {
        let size = driver.memories.get(memory.as_raw())?.block.size();
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, size) };
        Ok(())
    });
}

pub unsafe extern "system" fn create_buffer(
    device: vk::Device,
    info: *const vk::BufferCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::Buffer,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateBuffer", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            if !info.flags.is_empty() {
                return Err(Fault::missing(format!("buffers with the flags {:#x}", info.flags.as_raw())));
            }
            driver.create_buffer(info.size, info.usage)
        })
    }
}

pub unsafe extern "system" fn destroy_buffer(
    _device: vk::Device,
    buffer: vk::Buffer,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyBuffer", |driver| driver.destroy_buffer(buffer.as_raw()));
}

pub unsafe extern "system" fn buffer_requirements(
    _device: vk::Device,
    buffer: vk::Buffer,
    out: *mut vk::MemoryRequirements,
) {
    quiet("vkGetBufferMemoryRequirements", |driver| {
        let size = driver.buffers.get(buffer.as_raw())?.size;
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        unsafe { put(out, requirements(size)) };
        Ok(())
    });
}

/// # Safety
/// As for any structure of Vulkan's that is filled in.
pub unsafe fn fill(out: *mut vk::MemoryRequirements2<'_>, size: u64) -> Result<(), Fault> {
    // SAFETY: as above; the structure's chain stays.
    unsafe {
        let out = out.as_mut().ok_or_else(|| Fault::misuse("pMemoryRequirements is null"))?;
        out.memory_requirements = requirements(size);
        for (kind, structure) in chain(out.p_next) {
            if kind == vk::StructureType::MEMORY_DEDICATED_REQUIREMENTS {
                let dedicated = &mut *structure.cast_mut().cast::<vk::MemoryDedicatedRequirements<'_>>();
                dedicated.prefers_dedicated_allocation = vk::FALSE;
                dedicated.requires_dedicated_allocation = vk::FALSE;
            }
        }
    }
    Ok(())
}

pub unsafe extern "system" fn buffer_requirements2(
    _device: vk::Device,
    info: *const vk::BufferMemoryRequirementsInfo2<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    quiet("vkGetBufferMemoryRequirements2", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            let size = driver.buffers.get(given(info, "pInfo")?.buffer.as_raw())?.size;
            fill(out, size)
        }
    });
}

pub unsafe extern "system" fn device_buffer_requirements(
    _device: vk::Device,
    info: *const vk::DeviceBufferMemoryRequirements<'_>,
    out: *mut vk::MemoryRequirements2<'_>,
) {
    quiet("vkGetDeviceBufferMemoryRequirements", |_| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            let buffer = given(given(info, "pInfo")?.p_create_info, "pCreateInfo")?;
            fill(out, buffer.size)
        }
    });
}

fn bind(driver: &mut Driver, buffer: vk::Buffer, memory: vk::DeviceMemory, offset: u64) -> Result<(), Fault> {
    driver.bind_buffer(buffer.as_raw(), memory.as_raw(), offset)
}

pub unsafe extern "system" fn bind_buffer(
    _device: vk::Device,
    buffer: vk::Buffer,
    memory: vk::DeviceMemory,
    offset: u64,
) -> vk::Result {
    answer("vkBindBufferMemory", |driver| bind(driver, buffer, memory, offset).map(|()| vk::Result::SUCCESS))
}

pub unsafe extern "system" fn bind_buffer2(
    _device: vk::Device,
    count: u32,
    infos: *const vk::BindBufferMemoryInfo<'_>,
) -> vk::Result {
    answer("vkBindBufferMemory2", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for info in unsafe { slice(infos, count) } {
            bind(driver, info.buffer, info.memory, info.memory_offset)?;
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn address(
    _device: vk::Device,
    info: *const vk::BufferDeviceAddressInfo<'_>,
) -> vk::DeviceAddress {
    value("vkGetBufferDeviceAddress", 0, |driver| {
        // SAFETY: a pointer of the program's, as Vulkan asks for.
        let info = unsafe { given(info, "pInfo") }?;
        driver.buffer_address(info.buffer.as_raw())
    })
}
