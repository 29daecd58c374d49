//! Images of a client: made, moved to and from buffers, bound to a shader.

use ash::vk;

use super::{Client, Memory, module};

pub const RANGE: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: vk::REMAINING_MIP_LEVELS,
    base_array_layer: 0,
    layer_count: vk::REMAINING_ARRAY_LAYERS,
};

/// What an image is made as.
#[derive(Clone, Copy)]
pub struct Kind {
    pub format: vk::Format,
    pub kind: vk::ImageType,
    pub view: vk::ImageViewType,
    pub extent: [u32; 3],
    pub levels: u32,
    pub layers: u32,
}

impl Kind {
    pub fn flat(format: vk::Format, width: u32, height: u32) -> Kind {
        Kind {
            format,
            kind: vk::ImageType::TYPE_2D,
            view: vk::ImageViewType::TYPE_2D,
            extent: [width, height, 1],
            levels: 1,
            layers: 1,
        }
    }

    pub fn info(&self) -> vk::ImageCreateInfo<'static> {
        let [width, height, depth] = self.extent;
        vk::ImageCreateInfo::default()
            .image_type(self.kind)
            .format(self.format)
            .extent(vk::Extent3D { width, height, depth })
            .mip_levels(self.levels)
            .array_layers(self.layers)
            .samples(vk::SampleCountFlags::TYPE_1)
            .tiling(vk::ImageTiling::OPTIMAL)
            .usage(
                vk::ImageUsageFlags::STORAGE
                    | vk::ImageUsageFlags::SAMPLED
                    | vk::ImageUsageFlags::TRANSFER_SRC
                    | vk::ImageUsageFlags::TRANSFER_DST,
            )
    }
}

#[derive(Clone, Copy)]
pub struct Picture {
    pub image: vk::Image,
    pub view: vk::ImageView,
    pub kind: Kind,
}

/// What a descriptor of a shader is.
#[derive(Clone, Copy)]
pub enum Bound {
    Storage(vk::ImageView),
    Sampled(vk::ImageView),
    Combined(vk::ImageView, vk::Sampler),
    Sampler(vk::Sampler),
    UniformTexels(vk::BufferView),
    StorageTexels(vk::BufferView),
    Buffer(vk::Buffer),
}

impl Bound {
    pub fn kind(self) -> vk::DescriptorType {
        match self {
            Bound::Storage(_) => vk::DescriptorType::STORAGE_IMAGE,
            Bound::Sampled(_) => vk::DescriptorType::SAMPLED_IMAGE,
            Bound::Combined(..) => vk::DescriptorType::COMBINED_IMAGE_SAMPLER,
            Bound::Sampler(_) => vk::DescriptorType::SAMPLER,
            Bound::UniformTexels(_) => vk::DescriptorType::UNIFORM_TEXEL_BUFFER,
            Bound::StorageTexels(_) => vk::DescriptorType::STORAGE_TEXEL_BUFFER,
            Bound::Buffer(_) => vk::DescriptorType::STORAGE_BUFFER,
        }
    }

    fn image(self) -> vk::DescriptorImageInfo {
        let (image_view, sampler) = match self {
            Bound::Storage(view) | Bound::Sampled(view) => (view, vk::Sampler::null()),
            Bound::Combined(view, sampler) => (view, sampler),
            Bound::Sampler(sampler) => (vk::ImageView::null(), sampler),
            _ => (vk::ImageView::null(), vk::Sampler::null()),
        };
        vk::DescriptorImageInfo { sampler, image_view, image_layout: vk::ImageLayout::GENERAL }
    }
}

impl Client {
    /// An image with its view, in memory of its own, without a layout.
    pub fn picture(&self, kind: Kind) -> Picture {
        unsafe {
            let image = self.device.create_image(&kind.info(), None).unwrap();
            let needed = self.device.get_image_memory_requirements(image);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(1);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_image_memory(image, memory, 0).unwrap();
            Picture { image, view: self.view(image, kind), kind }
        }
    }

    pub fn view(&self, image: vk::Image, kind: Kind) -> vk::ImageView {
        let info = vk::ImageViewCreateInfo::default()
            .image(image)
            .view_type(kind.view)
            .format(kind.format)
            .subresource_range(RANGE);
        unsafe { self.device.create_image_view(&info, None).unwrap() }
    }

    /// A barrier that orders everything, and brings the image into a layout.
    pub fn transition(
        &self,
        commands: vk::CommandBuffer,
        image: vk::Image,
        from: vk::ImageLayout,
        to: vk::ImageLayout,
    ) {
        let all = vk::AccessFlags::MEMORY_READ | vk::AccessFlags::MEMORY_WRITE;
        let barrier = vk::ImageMemoryBarrier::default()
            .src_access_mask(all)
            .dst_access_mask(all)
            .old_layout(from)
            .new_layout(to)
            .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
            .image(image)
            .subresource_range(RANGE);
        let stages = vk::PipelineStageFlags::ALL_COMMANDS;
        let none = vk::DependencyFlags::empty();
        unsafe { self.device.cmd_pipeline_barrier(commands, stages, stages, none, &[], &[], &[barrier]) };
    }

    /// Copies bytes to all levels and layers, which become `GENERAL`.
    pub fn upload(&self, picture: &Picture, bytes: &[u8]) {
        let usage = vk::BufferUsageFlags::TRANSFER_SRC;
        let staging = self.memory(bytes.len(), usage);
        staging.write(bytes);
        let commands = self.record(|commands| {
            self.transition(commands, picture.image, vk::ImageLayout::UNDEFINED, vk::ImageLayout::GENERAL);
            let regions = regions(&picture.kind, bytes.len() as u64);
            unsafe {
                self.device.cmd_copy_buffer_to_image(
                    commands,
                    staging.buffer,
                    picture.image,
                    vk::ImageLayout::GENERAL,
                    &regions,
                );
            }
            self.transition(commands, picture.image, vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
        });
        self.submit(commands).unwrap();
    }

    /// The bytes of all levels and layers.
    pub fn download(&self, picture: &Picture, size: usize) -> Vec<u8> {
        let staging = self.memory(size, vk::BufferUsageFlags::TRANSFER_DST);
        let commands = self.record(|commands| {
            let regions = regions(&picture.kind, size as u64);
            self.transition(commands, picture.image, vk::ImageLayout::GENERAL, vk::ImageLayout::GENERAL);
            unsafe {
                self.device.cmd_copy_image_to_buffer(
                    commands,
                    picture.image,
                    vk::ImageLayout::GENERAL,
                    staging.buffer,
                    &regions,
                );
            }
        });
        self.submit(commands).unwrap();
        staging.read(size)
    }

    pub fn texels(&self, memory: &Memory, format: vk::Format) -> vk::BufferView {
        let info =
            vk::BufferViewCreateInfo::default().buffer(memory.buffer).format(format).range(vk::WHOLE_SIZE);
        unsafe { self.device.create_buffer_view(&info, None).unwrap() }
    }

    /// A pipeline of a shader whose set 0 has these bindings.
    pub fn pipeline_bound(
        &self,
        source: &str,
        bindings: &[vk::DescriptorSetLayoutBinding<'_>],
        flags: vk::DescriptorSetLayoutCreateFlags,
    ) -> (vk::Pipeline, vk::PipelineLayout, vk::DescriptorSetLayout) {
        let words = module(source);
        unsafe {
            let shader =
                self.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(&words), None);
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(bindings).flags(flags);
            let set_layout = self.device.create_descriptor_set_layout(&info, None).unwrap();
            let layouts = [set_layout];
            let info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
            let layout = self.device.create_pipeline_layout(&info, None).unwrap();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(shader.unwrap())
                .name(c"main");
            let info = vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout);
            let made = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            (made.map_err(|(_, error)| error).unwrap()[0], layout, set_layout)
        }
    }

    /// A set of these descriptors, in order.
    pub fn set_of(&self, layout: vk::DescriptorSetLayout, bound: &[Bound]) -> vk::DescriptorSet {
        unsafe {
            let sizes: Vec<_> = bound
                .iter()
                .map(|one| vk::DescriptorPoolSize { ty: one.kind(), descriptor_count: 1 })
                .collect();
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = self.device.create_descriptor_pool(&info, None).unwrap();
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = self.device.allocate_descriptor_sets(&info).unwrap()[0];
            self.write(set, bound, |writes| self.device.update_descriptor_sets(writes, &[]));
            set
        }
    }

    /// Calls with the writes of descriptors, in order.
    pub fn write(
        &self,
        set: vk::DescriptorSet,
        bound: &[Bound],
        with: impl FnOnce(&[vk::WriteDescriptorSet<'_>]),
    ) {
        let images: Vec<_> = bound.iter().map(|one| [one.image()]).collect();
        let views: Vec<_> = bound
            .iter()
            .map(|one| match one {
                Bound::UniformTexels(view) | Bound::StorageTexels(view) => [*view],
                _ => [vk::BufferView::null()],
            })
            .collect();
        let buffers: Vec<_> = bound
            .iter()
            .map(|one| match one {
                Bound::Buffer(buffer) => [super::whole(*buffer)],
                _ => [vk::DescriptorBufferInfo::default()],
            })
            .collect();
        let writes: Vec<_> = (0..bound.len())
            .map(|index| {
                let write = vk::WriteDescriptorSet::default()
                    .dst_set(set)
                    .dst_binding(index as u32)
                    .descriptor_type(bound[index].kind());
                match bound[index] {
                    Bound::Buffer(_) => write.buffer_info(&buffers[index]),
                    Bound::UniformTexels(_) | Bound::StorageTexels(_) => {
                        write.texel_buffer_view(&views[index])
                    }
                    _ => write.image_info(&images[index]),
                }
            })
            .collect();
        with(&writes);
    }

    /// Runs a shader over these descriptors.
    pub fn run_bound(&self, source: &str, bound: &[Bound], groups: u32) -> Result<(), vk::Result> {
        let bindings: Vec<_> = bound.iter().enumerate().map(|(index, one)| binding(index, *one)).collect();
        let none = vk::DescriptorSetLayoutCreateFlags::empty();
        let (pipeline, layout, set_layout) = self.pipeline_bound(source, &bindings, none);
        let set = self.set_of(set_layout, bound);
        let commands = self.record(|commands| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            self.device.cmd_bind_pipeline(commands, point, pipeline);
            self.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
            self.device.cmd_dispatch(commands, groups, 1, 1);
        });
        self.submit(commands)
    }
}

pub fn binding(index: usize, bound: Bound) -> vk::DescriptorSetLayoutBinding<'static> {
    vk::DescriptorSetLayoutBinding::default()
        .binding(index as u32)
        .descriptor_type(bound.kind())
        .descriptor_count(1)
        .stage_flags(vk::ShaderStageFlags::COMPUTE)
}

/// All levels with all layers, one after the other; so many bytes in all say how large a texel is.
fn regions(kind: &Kind, bytes: u64) -> Vec<vk::BufferImageCopy> {
    let extent = |level: u32| kind.extent.map(|length| (length >> level).max(1));
    let texels =
        |level: u32| extent(level).iter().map(|n| u64::from(*n)).product::<u64>() * u64::from(kind.layers);
    let texel = bytes / (0..kind.levels).map(texels).sum::<u64>();
    let mut offset = 0;
    (0..kind.levels)
        .map(|level| {
            let [width, height, depth] = extent(level);
            let region = vk::BufferImageCopy::default()
                .buffer_offset(offset)
                .image_subresource(vk::ImageSubresourceLayers {
                    aspect_mask: vk::ImageAspectFlags::COLOR,
                    mip_level: level,
                    base_array_layer: 0,
                    layer_count: kind.layers,
                })
                .image_extent(vk::Extent3D { width, height, depth });
            offset += texels(level) * texel;
            region
        })
        .collect()
}
