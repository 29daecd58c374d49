//! Query pools: timestamps, which count simulated instructions.

use std::ffi::c_void;

use ash::vk::{self, Handle as _};

use super::call::{answer, create, given, quiet, recorded};
use crate::commands::Command;
use crate::fault::Fault;
use crate::objects::QueryPool;

type Allocator<'a> = *const vk::AllocationCallbacks<'a>;

/// The most queries of a pool.
const MOST: u32 = 1 << 20;

pub unsafe extern "system" fn create_pool(
    device: vk::Device,
    info: *const vk::QueryPoolCreateInfo<'_>,
    _allocator: Allocator<'_>,
    out: *mut vk::QueryPool,
) -> vk::Result {
    // SAFETY: pointers of the program's, as Vulkan asks for.
    unsafe {
        create("vkCreateQueryPool", out, |driver| {
            driver.device(device.as_raw())?;
            let info = given(info, "pCreateInfo")?;
            if info.query_type != vk::QueryType::TIMESTAMP {
                return Err(Fault::missing(format!(
                    "queries of type {}: there are timestamps only",
                    info.query_type.as_raw()
                ))
                .with(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
            }
            if info.query_count > MOST {
                return Err(Fault::plain(vk::Result::ERROR_OUT_OF_DEVICE_MEMORY));
            }
            let queries = vec![None; info.query_count as usize];
            Ok(driver.query_pools.add(QueryPool { queries }))
        })
    }
}

pub unsafe extern "system" fn destroy_pool(
    _device: vk::Device,
    pool: vk::QueryPool,
    _allocator: Allocator<'_>,
) {
    quiet("vkDestroyQueryPool", |driver| driver.query_pools.remove_any(pool.as_raw()).map(drop));
}

pub unsafe extern "system" fn results(
    device: vk::Device,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    size: usize,
    data: *mut c_void,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) -> vk::Result {
    answer("vkGetQueryPoolResults", |driver| {
        driver.device(device.as_raw())?;
        let (results, all) = driver.query_results(pool.as_raw(), first, count, stride, flags)?;
        for (at, bytes) in results {
            let at = at as usize;
            if at.checked_add(bytes.len()).is_none_or(|end| end > size) {
                return Err(Fault::misuse(format!(
                    "dataSize is {size}, but {count} results {stride} bytes apart need more"
                )));
            }
            // SAFETY: the program gives room for `size` bytes.
            unsafe { data.cast::<u8>().add(at).copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        if !all && flags.contains(vk::QueryResultFlags::WAIT) {
            return Err(Fault::misuse(
                "VK_QUERY_RESULT_WAIT_BIT for a query that no submitted command writes would wait for ever",
            ));
        }
        Ok(if all { vk::Result::SUCCESS } else { vk::Result::NOT_READY })
    })
}

pub unsafe extern "system" fn reset(_device: vk::Device, pool: vk::QueryPool, first: u32, count: u32) {
    quiet("vkResetQueryPool", |driver| driver.reset_queries(pool.as_raw(), first, count));
}

pub unsafe extern "system" fn reset_in_buffer(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
) {
    recorded("vkCmdResetQueryPool", buffer, |driver, buffer| {
        let pool = pool.as_raw();
        driver.query_pools.get(pool)?;
        driver.record(buffer, Command::ResetQueries { pool, first, count })
    });
}

pub unsafe extern "system" fn timestamp(
    buffer: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags,
    pool: vk::QueryPool,
    query: u32,
) {
    recorded("vkCmdWriteTimestamp", buffer, |driver, buffer| {
        let pool = pool.as_raw();
        driver.query_pools.get(pool)?;
        driver.record(buffer, Command::Timestamp { pool, query })
    });
}

pub unsafe extern "system" fn timestamp2(
    buffer: vk::CommandBuffer,
    _stage: vk::PipelineStageFlags2,
    pool: vk::QueryPool,
    query: u32,
) {
    recorded("vkCmdWriteTimestamp2", buffer, |driver, buffer| {
        let pool = pool.as_raw();
        driver.query_pools.get(pool)?;
        driver.record(buffer, Command::Timestamp { pool, query })
    });
}

pub unsafe extern "system" fn copy_results(
    buffer: vk::CommandBuffer,
    pool: vk::QueryPool,
    first: u32,
    count: u32,
    target: vk::Buffer,
    offset: vk::DeviceSize,
    stride: vk::DeviceSize,
    flags: vk::QueryResultFlags,
) {
    recorded("vkCmdCopyQueryPoolResults", buffer, |driver, buffer| {
        let (pool, target) = (pool.as_raw(), target.as_raw());
        driver.query_pools.get(pool)?;
        driver.buffers.get(target)?;
        driver.record(buffer, Command::CopyQueries { pool, first, count, target, offset, stride, flags })
    });
}
