//! Dispatches of a pipeline: recorded, submitted, waited for, timed by the device's clock.

use std::time::{Duration, Instant};

use ash::vk;

use crate::Error;
use crate::images::Images;
use crate::job::Job;
use crate::resources::{Resources, called};

/// What every dispatch of a job has in common.
pub(crate) struct Dispatching<'a> {
    pub job: &'a Job,
    pub pipeline: vk::Pipeline,
    pub layout: vk::PipelineLayout,
    pub sets: &'a [vk::DescriptorSet],
    pub push_constants: &'a [u8],
    pub images: &'a Images,
    /// The queue's family.
    pub family: u32,
    /// Bits of the queue's clock, none where it has none.
    pub clock_bits: u32,
    /// Nanoseconds of a tick.
    pub period: f32,
}

/// How waiting ended.
pub(crate) enum Waited {
    /// What each dispatch took, by the device's clock; what all took by ours.
    Done { times: Vec<Duration>, elapsed: Duration },
    /// The device still uses everything, and may for ever.
    TimedOut,
}

impl Dispatching<'_> {
    /// Runs the dispatch that often, each behind a barrier, and waits until the last one is done. The first time, images get their contents before
    /// and are read afterwards.
    pub fn run(&self, count: u32, is_first: bool, resources: &mut Resources) -> Result<Waited, Error> {
        let pool = resources.command_pool(self.family)?;
        let queries = if self.clock_bits > 0 { Some(resources.query_pool(2 * count)?) } else { None };
        let info = vk::CommandBufferAllocateInfo::default().command_pool(pool).command_buffer_count(1);
        let device = &resources.device;
        // SAFETY: the pool is the device's, and only this thread uses it.
        let buffers = called("vkAllocateCommandBuffers", unsafe { device.allocate_command_buffers(&info) })?;
        let Some(&buffer) = buffers.first() else {
            return Err(Error::Driver { call: "vkAllocateCommandBuffers", result: "no buffer".to_owned() });
        };
        self.record(device, buffer, queries, (count, is_first))?;
        let fence = resources.fence()?;
        // SAFETY: the device was made with one queue of this family.
        let queue = unsafe { resources.device.get_device_queue(self.family, 0) };
        let command_buffers = [buffer];
        let submit = [vk::SubmitInfo::default().command_buffers(&command_buffers)];
        let start = Instant::now();
        // SAFETY: the commands are recorded, and what they use lives until the fence says that they are done, or is never
        // destroyed.
        called("vkQueueSubmit", unsafe { resources.device.queue_submit(queue, &submit, fence) })?;
        let limit = u64::try_from(self.job.time_limit.as_nanos()).unwrap_or(u64::MAX);
        // SAFETY: the fence is the device's.
        let waited = unsafe { resources.device.wait_for_fences(&[fence], true, limit) };
        let elapsed = start.elapsed();
        match waited {
            Ok(()) => {}
            Err(vk::Result::TIMEOUT) => return Ok(Waited::TimedOut),
            // A lost device uses nothing any more.
            Err(result) => called("vkWaitForFences", Err(result))?,
        }
        let times = queries.map(|pool| self.times(&resources.device, pool, count)).unwrap_or_default();
        Ok(Waited::Done { times, elapsed })
    }

    fn times(&self, device: &ash::Device, pool: vk::QueryPool, count: u32) -> Vec<Duration> {
        let mut stamps = vec![[0u64; 2]; count as usize];
        let flags = vk::QueryResultFlags::TYPE_64;
        // SAFETY: the commands that write all timestamps are done.
        let read = unsafe { device.get_query_pool_results(pool, 0, stamps.as_flattened_mut(), flags) };
        if read.is_err() {
            return Vec::new();
        }
        let mask = if self.clock_bits >= 64 { u64::MAX } else { (1 << self.clock_bits) - 1 };
        let time = |[begin, end]: &[u64; 2]| {
            let nanoseconds = (end.wrapping_sub(*begin) & mask) as f64 * f64::from(self.period);
            Duration::from_nanos(nanoseconds as u64)
        };
        stamps.iter().map(time).collect()
    }

    fn record(
        &self,
        device: &ash::Device,
        buffer: vk::CommandBuffer,
        queries: Option<vk::QueryPool>,
        (count, is_first): (u32, bool),
    ) -> Result<(), Error> {
        let begin = vk::CommandBufferBeginInfo::default().flags(vk::CommandBufferUsageFlags::ONE_TIME_SUBMIT);
        let to_next = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE)];
        let to_host = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        let (compute, host) = (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::HOST);
        let none = vk::DependencyFlags::empty();
        let [x, y, z] = self.job.dispatch;
        // SAFETY: everything that is recorded was made from this device, fits the pipeline's layout, and lives until the
        // commands are done. Writes of the host before the submission are visible to it. There are two queries for each dispatch.
        unsafe {
            called("vkBeginCommandBuffer", device.begin_command_buffer(buffer, &begin))?;
            if is_first {
                self.images.record_upload(device, buffer);
            }
            device.cmd_bind_pipeline(buffer, vk::PipelineBindPoint::COMPUTE, self.pipeline);
            if !self.sets.is_empty() {
                let point = vk::PipelineBindPoint::COMPUTE;
                device.cmd_bind_descriptor_sets(buffer, point, self.layout, 0, self.sets, &[]);
            }
            if !self.push_constants.is_empty() {
                let stage = vk::ShaderStageFlags::COMPUTE;
                device.cmd_push_constants(buffer, self.layout, stage, 0, self.push_constants);
            }
            if let Some(queries) = queries {
                device.cmd_reset_query_pool(buffer, queries, 0, 2 * count);
            }
            for number in 0..count {
                if number > 0 {
                    device.cmd_pipeline_barrier(buffer, compute, compute, none, &to_next, &[], &[]);
                }
                if let Some(queries) = queries {
                    let stage = vk::PipelineStageFlags::TOP_OF_PIPE;
                    device.cmd_write_timestamp(buffer, stage, queries, 2 * number);
                }
                device.cmd_dispatch(buffer, x, y, z);
                if let Some(queries) = queries {
                    let stage = vk::PipelineStageFlags::BOTTOM_OF_PIPE;
                    device.cmd_write_timestamp(buffer, stage, queries, 2 * number + 1);
                }
            }
            if is_first {
                self.images.record_download(device, buffer);
            }
            device.cmd_pipeline_barrier(buffer, compute, host, none, &to_host, &[], &[]);
            called("vkEndCommandBuffer", device.end_command_buffer(buffer))?;
        }
        Ok(())
    }
}
