//! What a run makes on a device, and destroys again whatever happens.

use std::sync::Arc;

use ash::vk;

use crate::Error;
use crate::instance::Instance;

/// Turns the result of a call into ours.
pub(crate) fn called<T>(call: &'static str, result: ash::prelude::VkResult<T>) -> Result<T, Error> {
    result.map_err(|result| Error::Driver { call, result: format!("{result:?}") })
}

/// A device, and all that was made from it.
pub(crate) struct Resources {
    pub device: ash::Device,
    /// The device's memory types are the instance's to tell, and the instance has to outlive the device.
    instance: Arc<Instance>,
    physical: vk::PhysicalDevice,
    buffers: Vec<(vk::Buffer, vk::DeviceMemory)>,
    images: Vec<(vk::Image, vk::DeviceMemory)>,
    pub image_views: Vec<vk::ImageView>,
    pub buffer_views: Vec<vk::BufferView>,
    pub samplers: Vec<vk::Sampler>,
    set_layouts: Vec<vk::DescriptorSetLayout>,
    descriptor_pools: Vec<vk::DescriptorPool>,
    pipeline_layouts: Vec<vk::PipelineLayout>,
    shaders: Vec<vk::ShaderModule>,
    pipeline: Option<vk::Pipeline>,
    command_pools: Vec<vk::CommandPool>,
    query_pools: Vec<vk::QueryPool>,
    fences: Vec<vk::Fence>,
}

/// Makes an object and keeps it, so that it is destroyed with the others.
macro_rules! make {
    ($resources:expr, $field:ident, $call:ident, $info:expr) => {{
        // SAFETY: the device is alive, and what the description points at lives until the call returns.
        let made = called(stringify!($call), unsafe { $resources.device.$call($info, None) })?;
        $resources.$field.extend([made]);
        made
    }};
}

impl Resources {
    pub fn new(device: ash::Device, instance: Arc<Instance>, physical: vk::PhysicalDevice) -> Resources {
        Resources {
            device,
            instance,
            physical,
            buffers: Vec::new(),
            images: Vec::new(),
            image_views: Vec::new(),
            buffer_views: Vec::new(),
            samplers: Vec::new(),
            set_layouts: Vec::new(),
            descriptor_pools: Vec::new(),
            pipeline_layouts: Vec::new(),
            shaders: Vec::new(),
            pipeline: None,
            command_pools: Vec::new(),
            query_pools: Vec::new(),
            fences: Vec::new(),
        }
    }

    /// A buffer in memory that the host sees, which is the device's own where there is such.
    pub fn buffer(&mut self, size: u64, usage: vk::BufferUsageFlags) -> Result<HostBuffer, Error> {
        let info = vk::BufferCreateInfo::default().size(size).usage(usage);
        // SAFETY: the device is alive, and so is the description.
        let buffer = called("vkCreateBuffer", unsafe { self.device.create_buffer(&info, None) })?;
        self.buffers.push((buffer, vk::DeviceMemory::null()));
        // SAFETY: the buffer is the device's.
        let needs = unsafe { self.device.get_buffer_memory_requirements(buffer) };
        let memory = self.allocate(needs, usage)?;
        if let Some(kept) = self.buffers.last_mut() {
            kept.1 = memory;
        }
        // SAFETY: the memory was allocated for this buffer, and nothing is bound to either yet.
        called("vkBindBufferMemory", unsafe { self.device.bind_buffer_memory(buffer, memory, 0) })?;
        // SAFETY: the memory can be mapped by its type and is not mapped; it stays mapped until it is freed.
        let mapped =
            unsafe { self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()) };
        let mapped = called("vkMapMemory", mapped)?;
        Ok(HostBuffer { buffer, mapped: mapped.cast(), size: size as usize })
    }

    /// An image, in memory of the device where there is such.
    pub fn image(&mut self, info: &vk::ImageCreateInfo<'_>) -> Result<vk::Image, Error> {
        // SAFETY: the device is alive, and so is the description.
        let image = called("vkCreateImage", unsafe { self.device.create_image(info, None) })?;
        self.images.push((image, vk::DeviceMemory::null()));
        // SAFETY: the image is the device's.
        let needs = unsafe { self.device.get_image_memory_requirements(image) };
        let wanted = [vk::MemoryPropertyFlags::DEVICE_LOCAL, vk::MemoryPropertyFlags::empty()];
        let memory = self.allocate_one_of(needs, vk::MemoryAllocateFlags::empty(), wanted)?;
        if let Some(kept) = self.images.last_mut() {
            kept.1 = memory;
        }
        // SAFETY: the memory was allocated for this image, and nothing is bound to either yet.
        called("vkBindImageMemory", unsafe { self.device.bind_image_memory(image, memory, 0) })?;
        Ok(image)
    }

    fn allocate(
        &self,
        needs: vk::MemoryRequirements,
        usage: vk::BufferUsageFlags,
    ) -> Result<vk::DeviceMemory, Error> {
        type Flags = vk::MemoryPropertyFlags;
        let host = Flags::HOST_VISIBLE | Flags::HOST_COHERENT;
        let flags = match usage.contains(vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS) {
            true => vk::MemoryAllocateFlags::DEVICE_ADDRESS,
            false => vk::MemoryAllocateFlags::empty(),
        };
        self.allocate_one_of(needs, flags, [host | Flags::DEVICE_LOCAL, host])
    }

    /// Memory with the first of these properties that there is.
    fn allocate_one_of(
        &self,
        needs: vk::MemoryRequirements,
        flags: vk::MemoryAllocateFlags,
        wanted: [vk::MemoryPropertyFlags; 2],
    ) -> Result<vk::DeviceMemory, Error> {
        // SAFETY: the device is one of the instance's.
        let types = unsafe { self.instance.instance.get_physical_device_memory_properties(self.physical) };
        let mut last =
            Err(Error::Unsupported("the device has no memory that is visible to the host".to_owned()));
        for wanted in wanted {
            for (index, memory) in (0u32..).zip(types.memory_types_as_slice()) {
                if needs.memory_type_bits & (1 << index) == 0 || !memory.property_flags.contains(wanted) {
                    continue;
                }
                let mut flags = vk::MemoryAllocateFlagsInfo::default().flags(flags);
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(needs.size)
                    .memory_type_index(index)
                    .push_next(&mut flags);
                // SAFETY: the device is alive, and so is the description.
                last = called("vkAllocateMemory", unsafe { self.device.allocate_memory(&info, None) });
                if last.is_ok() {
                    return last;
                }
            }
        }
        last
    }

    pub fn set_layout(
        &mut self,
        bindings: &[vk::DescriptorSetLayoutBinding],
    ) -> Result<vk::DescriptorSetLayout, Error> {
        let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings);
        // SAFETY: the device is alive, and so is the description.
        let made = unsafe { self.device.create_descriptor_set_layout(&info, None) };
        let made = called("vkCreateDescriptorSetLayout", made)?;
        self.set_layouts.push(made);
        Ok(made)
    }

    pub fn descriptor_pool(
        &mut self,
        info: &vk::DescriptorPoolCreateInfo,
    ) -> Result<vk::DescriptorPool, Error> {
        Ok(make!(self, descriptor_pools, create_descriptor_pool, info))
    }

    pub fn pipeline_layout(
        &mut self,
        info: &vk::PipelineLayoutCreateInfo,
    ) -> Result<vk::PipelineLayout, Error> {
        Ok(make!(self, pipeline_layouts, create_pipeline_layout, info))
    }

    pub fn shader(&mut self, words: &[u32]) -> Result<vk::ShaderModule, Error> {
        let info = vk::ShaderModuleCreateInfo::default().code(words);
        Ok(make!(self, shaders, create_shader_module, &info))
    }

    pub fn pipeline(&mut self, info: vk::ComputePipelineCreateInfo) -> Result<vk::Pipeline, Error> {
        // SAFETY: the description and what it points at, made from this device, live until the call returns.
        let made = unsafe { self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None) };
        let made = called("vkCreateComputePipelines", made.map_err(|(_, result)| result))?;
        let Some(made) = made.first().copied().filter(|made| *made != vk::Pipeline::null()) else {
            return Err(Error::Driver { call: "vkCreateComputePipelines", result: "no pipeline".to_owned() });
        };
        self.pipeline = Some(made);
        Ok(made)
    }

    pub fn command_pool(&mut self, family: u32) -> Result<vk::CommandPool, Error> {
        let info = vk::CommandPoolCreateInfo::default().queue_family_index(family);
        Ok(make!(self, command_pools, create_command_pool, &info))
    }

    /// Timestamps.
    pub fn query_pool(&mut self, count: u32) -> Result<vk::QueryPool, Error> {
        let info = vk::QueryPoolCreateInfo::default().query_type(vk::QueryType::TIMESTAMP).query_count(count);
        Ok(make!(self, query_pools, create_query_pool, &info))
    }

    pub fn fence(&mut self) -> Result<vk::Fence, Error> {
        Ok(make!(self, fences, create_fence, &vk::FenceCreateInfo::default()))
    }
}

impl Drop for Resources {
    fn drop(&mut self) {
        let device = &self.device;
        // SAFETY: each object was made from this device, is destroyed once, and is not in use: a run that the device has not
        // finished forgets its resources instead of dropping them. Objects go before those that they were made from.
        unsafe {
            for fence in &self.fences {
                device.destroy_fence(*fence, None);
            }
            for pool in &self.query_pools {
                device.destroy_query_pool(*pool, None);
            }
            for pool in &self.command_pools {
                device.destroy_command_pool(*pool, None);
            }
            if let Some(pipeline) = self.pipeline {
                device.destroy_pipeline(pipeline, None);
            }
            for shader in &self.shaders {
                device.destroy_shader_module(*shader, None);
            }
            for layout in &self.pipeline_layouts {
                device.destroy_pipeline_layout(*layout, None);
            }
            for pool in &self.descriptor_pools {
                device.destroy_descriptor_pool(*pool, None);
            }
            for layout in &self.set_layouts {
                device.destroy_descriptor_set_layout(*layout, None);
            }
            for sampler in &self.samplers {
                device.destroy_sampler(*sampler, None);
            }
            for view in &self.image_views {
                device.destroy_image_view(*view, None);
            }
            for view in &self.buffer_views {
                device.destroy_buffer_view(*view, None);
            }
            for (image, memory) in &self.images {
                device.destroy_image(*image, None);
                device.free_memory(*memory, None);
            }
            for (buffer, memory) in &self.buffers {
                device.destroy_buffer(*buffer, None);
                // Freeing null is allowed; freeing unmaps.
                device.free_memory(*memory, None);
            }
            device.destroy_device(None);
        }
    }
}

/// A buffer whose memory the host sees.
#[derive(Clone, Copy)]
pub(crate) struct HostBuffer {
    pub buffer: vk::Buffer,
    mapped: *mut u8,
    size: usize,
}

impl HostBuffer {
    /// Writes bytes at the start, and zeros after them.
    ///
    /// # Safety
    /// The resources that made the buffer are alive, and the device is not using it.
    pub unsafe fn write(&self, bytes: &[u8]) {
        let count = bytes.len().min(self.size);
        // SAFETY: the mapping has `size` bytes, of which `count` are written from a slice at least as long; the caller says
        // that it is alive and not in use.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.mapped, count);
            std::ptr::write_bytes(self.mapped.add(count), 0, self.size - count);
        }
    }

    /// # Safety
    /// As of [`write`](Self::write).
    pub unsafe fn read(&self, count: usize) -> Vec<u8> {
        let mut bytes = vec![0; count.min(self.size)];
        // SAFETY: both sides have as many bytes; the caller says that the mapping is alive and not in use.
        unsafe { std::ptr::copy_nonoverlapping(self.mapped, bytes.as_mut_ptr(), bytes.len()) };
        bytes
    }
}
