//! Command pools, command buffers, and what is recorded.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};

use super::call::{answer, create, given, put, quiet, recorded, slice, text_of};
use super::descriptors::{write_of, writes_of};
use crate::commands::{Command, CommandPool, Groups, Stage};
use crate::fault::Fault;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

pub unsafe extern "system" fn create_pool(
    device: vk::Device,
    info: *const vk::CommandPoolCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::CommandPool,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateCommandPool", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            let may_reset = info.flags.contains(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER);
            Ok(driver.command_pools.add(CommandPool { buffers: Vec::new(), may_reset }))
        })
    }
}

pub unsafe extern "system" fn destroy_pool(
    _device: vk::Device,
    pool: vk::CommandPool,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyCommandPool", |driver| driver.destroy_command_pool(pool.as_raw()));
}

pub unsafe extern "system" fn reset_pool(
    _device: vk::Device,
    pool: vk::CommandPool,
    _flags: vk::CommandPoolResetFlags,
) -> vk::Result {
    answer("vkResetCommandPool", |driver| {
        driver.reset_command_pool(pool.as_raw()).map(|()| vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn trim_pool(
    _device: vk::Device,
    _pool: vk::CommandPool,
    _flags: vk::CommandPoolTrimFlags,
) {
    // Nothing is kept that could be given back.
}

pub unsafe extern "system" fn allocate(
    device: vk::Device,
    info: *const vk::CommandBufferAllocateInfo<'_>,
    out: *mut vk::CommandBuffer,
) -> vk::Result {
    answer("vkAllocateCommandBuffers", |driver| {
        driver.device(device.as_raw())?;
        // SAFETY: pointers of the program's, as Vulkan asks for.
        unsafe {
            let info = given(info, "pAllocateInfo")?;
            let secondary = info.level == vk::CommandBufferLevel::SECONDARY;
            for index in 0..info.command_buffer_count as usize {
                let buffer = driver.allocate_command_buffer(info.command_pool.as_raw(), secondary)?;
                put(out.add(index), vk::CommandBuffer::from_raw(buffer));
            }
        }
        Ok(vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn free(
    _device: vk::Device,
    pool: vk::CommandPool,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    quiet("vkFreeCommandBuffers", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        for buffer in unsafe { slice(buffers, count) } {
            driver.free_command_buffer(pool.as_raw(), buffer.as_raw())?;
        }
        Ok(())
    });
}

pub unsafe extern "system" fn begin(
    buffer: vk::CommandBuffer,
    info: *const vk::CommandBufferBeginInfo<'_>,
) -> vk::Result {
    answer("vkBeginCommandBuffer", |driver| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let info = unsafe { given(info, "pBeginInfo") }?;
        let one_time = info.flags.contains(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        driver.begin(buffer.as_raw(), one_time).map(|()| vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn end(buffer: vk::CommandBuffer) -> vk::Result {
    answer("vkEndCommandBuffer", |driver| driver.end(buffer.as_raw()).map(|()| vk::Result::SUCCESS))
}

pub unsafe extern "system" fn reset(
    buffer: vk::CommandBuffer,
    _flags: vk::CommandBufferResetFlags,
) -> vk::Result {
    answer("vkResetCommandBuffer", |driver| {
        driver.reset_command_buffer(buffer.as_raw()).map(|()| vk::Result::SUCCESS)
    })
}

pub unsafe extern "system" fn bind_pipeline(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    pipeline: vk::Pipeline,
) {
    recorded("vkCmdBindPipeline", buffer, |driver, buffer| {
        if point != vk::PipelineBindPoint::COMPUTE {
            return Err(Fault::misuse("the device has compute pipelines only"));
        }
        driver.bind_pipeline(buffer, pipeline.as_raw())
    });
}

pub unsafe extern "system" fn bind_sets(
    buffer: vk::CommandBuffer,
    point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    first: u32,
    count: u32,
    sets: *const vk::DescriptorSet,
    dynamic_count: u32,
    dynamic: *const u32,
) {
    recorded("vkCmdBindDescriptorSets", buffer, |driver, buffer| {
        if point != vk::PipelineBindPoint::COMPUTE {
            return Err(Fault::misuse("the device has compute pipelines only"));
        }
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let (sets, dynamic) = unsafe { (slice(sets, count), slice(dynamic, dynamic_count)) };
        let sets: Vec<u64> = sets.iter().map(|set| set.as_raw()).collect();
        driver.bind_sets(buffer, layout.as_raw(), first, &sets, dynamic)
    });
}

pub unsafe extern "system" fn push_descriptors(
    buffer: vk::CommandBuffer,
    _point: vk::PipelineBindPoint,
    layout: vk::PipelineLayout,
    set: u32,
    count: u32,
    writes: *const vk::WriteDescriptorSet<'_>,
) {
    recorded("vkCmdPushDescriptorSetKHR", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let writes: Vec<_> = unsafe { slice(writes, count).iter().map(|write| write_of(write)).collect() };
        driver.push_descriptors(buffer, layout.as_raw(), set, &writes)
    });
}

pub unsafe extern "system" fn push_with_template(
    buffer: vk::CommandBuffer,
    template: vk::DescriptorUpdateTemplate,
    layout: vk::PipelineLayout,
    set: u32,
    data: *const c_void,
) {
    recorded("vkCmdPushDescriptorSetWithTemplateKHR", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let writes = unsafe { writes_of(driver, template.as_raw(), data) }?;
        driver.push_descriptors(buffer, layout.as_raw(), set, &writes)
    });
}

pub unsafe extern "system" fn push_constants(
    buffer: vk::CommandBuffer,
    _layout: vk::PipelineLayout,
    _stages: vk::ShaderStageFlags,
    offset: u32,
    size: u32,
    values: *const c_void,
) {
    recorded("vkCmdPushConstants", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let bytes = unsafe { slice(values.cast::<u8>(), size) };
        driver.push_constants(buffer, offset, bytes)
    });
}

pub unsafe extern "system" fn dispatch(buffer: vk::CommandBuffer, x: u32, y: u32, z: u32) {
    recorded("vkCmdDispatch", buffer, |driver, buffer| driver.dispatch(buffer, Groups::Direct([x, y, z])));
}

pub unsafe extern "system" fn dispatch_base(
    buffer: vk::CommandBuffer,
    base_x: u32,
    base_y: u32,
    base_z: u32,
    x: u32,
    y: u32,
    z: u32,
) {
    recorded("vkCmdDispatchBase", buffer, |driver, buffer| {
        driver.dispatch(buffer, Groups::From([base_x, base_y, base_z], [x, y, z]))
    });
}

pub unsafe extern "system" fn dispatch_indirect(
    buffer: vk::CommandBuffer,
    groups: vk::Buffer,
    offset: vk::DeviceSize,
) {
    recorded("vkCmdDispatchIndirect", buffer, |driver, buffer| {
        driver.dispatch(buffer, Groups::Indirect(groups.as_raw(), offset))
    });
}

pub unsafe extern "system" fn copy(
    buffer: vk::CommandBuffer,
    source: vk::Buffer,
    target: vk::Buffer,
    count: u32,
    regions: *const vk::BufferCopy,
) {
    recorded("vkCmdCopyBuffer", buffer, |driver, buffer| {
        let (source, target) = (source.as_raw(), target.as_raw());
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let regions = unsafe { slice(regions, count) }.to_vec();
        driver.buffers.get(source)?;
        driver.buffers.get(target)?;
        driver.record(buffer, Command::Copy { source, target, regions })
    });
}

pub unsafe extern "system" fn copy2(buffer: vk::CommandBuffer, info: *const vk::CopyBufferInfo2<'_>) {
    recorded("vkCmdCopyBuffer2", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let (info, regions) = unsafe {
            let info = given(info, "pCopyBufferInfo")?;
            (info, slice(info.p_regions, info.region_count))
        };
        let (source, target) = (info.src_buffer.as_raw(), info.dst_buffer.as_raw());
        driver.buffers.get(source)?;
        driver.buffers.get(target)?;
        let regions = regions.iter().map(|region| vk::BufferCopy {
            src_offset: region.src_offset,
            dst_offset: region.dst_offset,
            size: region.size,
        });
        driver.record(buffer, Command::Copy { source, target, regions: regions.collect() })
    });
}

pub unsafe extern "system" fn fill(
    buffer: vk::CommandBuffer,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    word: u32,
) {
    recorded("vkCmdFillBuffer", buffer, |driver, buffer| {
        let target = target.as_raw();
        driver.buffers.get(target)?;
        if !offset.is_multiple_of(4) || size != vk::WHOLE_SIZE && !size.is_multiple_of(4) {
            return Err(Fault::misuse(format!("offset {offset} and size {size}: expected multiples of 4")));
        }
        driver.record(buffer, Command::Fill { target, offset, size, word })
    });
}

pub unsafe extern "system" fn update(
    buffer: vk::CommandBuffer,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    size: vk::DeviceSize,
    data: *const c_void,
) {
    /// Bytes that one call may write (Vulkan, vkCmdUpdateBuffer).
    const MOST: u64 = 65536;
    recorded("vkCmdUpdateBuffer", buffer, |driver, buffer| {
        let target = target.as_raw();
        driver.buffers.get(target)?;
        if size > MOST {
            return Err(Fault::misuse(format!("dataSize is {size}: expected at most {MOST}")));
        }
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let bytes = unsafe { slice(data.cast::<u8>(), size as u32) }.to_vec();
        driver.record(buffer, Command::Update { target, offset, bytes })
    });
}

pub unsafe extern "system" fn execute(
    buffer: vk::CommandBuffer,
    count: u32,
    buffers: *const vk::CommandBuffer,
) {
    recorded("vkCmdExecuteCommands", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let buffers: Vec<u64> = unsafe { slice(buffers, count) }.iter().map(|one| one.as_raw()).collect();
        for one in &buffers {
            let known = driver.command_buffer(*one)?;
            if !known.secondary || known.stage != Stage::Executable {
                return Err(Fault::misuse("expected secondary command buffers that were recorded and ended"));
            }
        }
        driver.record(buffer, Command::Execute(buffers))
    });
}

pub unsafe extern "system" fn device_mask(buffer: vk::CommandBuffer, _mask: u32) {
    recorded("vkCmdSetDeviceMask", buffer, |driver, buffer| driver.recording(buffer).map(drop));
}

pub unsafe extern "system" fn begin_label(
    buffer: vk::CommandBuffer,
    label: *const vk::DebugUtilsLabelEXT<'_>,
) {
    recorded("vkCmdBeginDebugUtilsLabelEXT", buffer, |driver, buffer| {
        // SAFETY: pointers of the program's, as Vulkan asks for.
        let name = unsafe { text_of(given(label, "pLabelInfo")?.p_label_name) };
        driver.record(buffer, Command::BeginLabel(name))
    });
}

pub unsafe extern "system" fn end_label(buffer: vk::CommandBuffer) {
    recorded("vkCmdEndDebugUtilsLabelEXT", buffer, |driver, buffer| driver.record(buffer, Command::EndLabel));
}

pub unsafe extern "system" fn insert_label(
    _buffer: vk::CommandBuffer,
    _label: *const vk::DebugUtilsLabelEXT<'_>,
) {
    // Nothing comes between it and what follows.
}
