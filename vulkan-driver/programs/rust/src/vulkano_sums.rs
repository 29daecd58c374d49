//! Prefix sums with vulkano: buffers, descriptors, push constants, automatic command buffers.

use std::sync::Arc;

use vulkano::VulkanLibrary;
use vulkano::buffer::{Buffer, BufferCreateInfo, BufferUsage};
use vulkano::command_buffer::allocator::StandardCommandBufferAllocator;
use vulkano::command_buffer::{AutoCommandBufferBuilder, CommandBufferUsage};
use vulkano::descriptor_set::allocator::StandardDescriptorSetAllocator;
use vulkano::descriptor_set::{DescriptorSet, WriteDescriptorSet};
use vulkano::device::{Device, DeviceCreateInfo, QueueCreateInfo, QueueFlags};
use vulkano::instance::{Instance, InstanceCreateInfo};
use vulkano::memory::allocator::{AllocationCreateInfo, MemoryTypeFilter, StandardMemoryAllocator};
use vulkano::pipeline::compute::ComputePipelineCreateInfo;
use vulkano::pipeline::layout::PipelineDescriptorSetLayoutCreateInfo;
use vulkano::pipeline::{
    ComputePipeline, Pipeline, PipelineBindPoint, PipelineLayout, PipelineShaderStageCreateInfo,
};
use vulkano::shader::{ShaderModule, ShaderModuleCreateInfo};
use vulkano::sync::{self, GpuFuture};

const COUNT: usize = 1000;
const FACTOR: u32 = 3;

/// The largest difference, in parts of the largest value.
pub fn run(module: &str) -> f32 {
    let library = VulkanLibrary::new().expect("no Vulkan loader");
    let instance = Instance::new(library, InstanceCreateInfo::default()).expect("no instance");
    let physical =
        instance.enumerate_physical_devices().expect("no devices").next().expect("no Vulkan device");
    println!("{}", physical.properties().device_name);
    let family = physical
        .queue_family_properties()
        .iter()
        .position(|family| family.queue_flags.contains(QueueFlags::COMPUTE))
        .expect("no queue for computing");
    let queue = QueueCreateInfo { queue_family_index: family as u32, ..Default::default() };
    let wanted = DeviceCreateInfo { queue_create_infos: vec![queue], ..Default::default() };
    let (device, mut queues) = Device::new(physical, wanted).expect("no device");
    let queue = queues.next().expect("no queue");

    let bytes = std::fs::read(module).expect("the module cannot be read");
    let words: Vec<u32> = bytes.as_chunks::<4>().0.iter().map(|bytes| u32::from_le_bytes(*bytes)).collect();
    // SAFETY: the module is what coopmat-analyzer compiled.
    let module =
        unsafe { ShaderModule::new(device.clone(), ShaderModuleCreateInfo::new(&words)) }.expect("no module");
    let stage = PipelineShaderStageCreateInfo::new(module.entry_point("main").expect("no entry point"));
    let layout = PipelineDescriptorSetLayoutCreateInfo::from_stages([&stage])
        .into_pipeline_layout_create_info(device.clone())
        .expect("no layout");
    let layout = PipelineLayout::new(device.clone(), layout).expect("no layout");
    let pipeline =
        ComputePipeline::new(device.clone(), None, ComputePipelineCreateInfo::stage_layout(stage, layout))
            .expect("no pipeline");

    let memory = Arc::new(StandardMemoryAllocator::new_default(device.clone()));
    let usage = BufferCreateInfo { usage: BufferUsage::STORAGE_BUFFER, ..Default::default() };
    let place = AllocationCreateInfo {
        memory_type_filter: MemoryTypeFilter::PREFER_DEVICE | MemoryTypeFilter::HOST_RANDOM_ACCESS,
        ..Default::default()
    };
    let values: Vec<u32> = (0..COUNT as u32).map(|index| index * 7 % 23).collect();
    let buffer = Buffer::from_iter(memory, usage, place, values.iter().copied()).expect("no buffer");
    let sets = Arc::new(StandardDescriptorSetAllocator::new(device.clone(), Default::default()));
    let set = DescriptorSet::new(
        sets,
        pipeline.layout().set_layouts()[0].clone(),
        [WriteDescriptorSet::buffer(0, buffer.clone())],
        [],
    )
    .expect("no descriptors");

    let commands = Arc::new(StandardCommandBufferAllocator::new(device.clone(), Default::default()));
    let mut builder = AutoCommandBufferBuilder::primary(
        commands,
        queue.queue_family_index(),
        CommandBufferUsage::OneTimeSubmit,
    )
    .expect("no command buffer");
    builder.bind_pipeline_compute(pipeline.clone()).expect("no pipeline");
    builder
        .bind_descriptor_sets(PipelineBindPoint::Compute, pipeline.layout().clone(), 0, set)
        .expect("no descriptors");
    builder.push_constants(pipeline.layout().clone(), 0, FACTOR).expect("no push constants");
    // SAFETY: every access of the shader is inside of the buffer. The second dispatch takes what the first one wrote: vulkano puts a barrier between them.
    unsafe { builder.dispatch([1, 1, 1]).expect("no dispatch").dispatch([1, 1, 1]).expect("no dispatch") };
    let commands = builder.build().expect("no commands");
    let done =
        sync::now(device).then_execute(queue, commands).expect("not submitted").then_signal_fence_and_flush();
    done.expect("not submitted").wait(None).expect("the device is lost");

    let mut wanted: Vec<f64> = values.iter().map(|value| f64::from(*value)).collect();
    for _ in 0..2 {
        let mut sum = 0.0;
        for value in &mut wanted {
            sum += *value;
            *value = sum * f64::from(FACTOR);
        }
    }
    let found = buffer.read().expect("the buffer cannot be read");
    let worst = found
        .iter()
        .zip(&wanted)
        .map(|(found, wanted)| (f64::from(*found) - wanted).abs())
        .fold(0.0, f64::max);
    (worst / wanted.iter().copied().fold(0.0, f64::max)) as f32
}
