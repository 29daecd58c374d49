//! Images, buffers of texels and samplers of a job: checked, made, filled, bound, read back. Shaders see all images in the layout `GENERAL`.

use std::collections::{BTreeMap, BTreeSet};

use ash::vk;

use crate::job::{Binding, Error, Image, Job, Sampler};
use crate::module::{Descriptor, DescriptorKind, ImageKind};
use crate::requirements::Enabled;
use crate::resources::{HostBuffer, Resources, called};

/// By set and binding.
type Descriptors = BTreeMap<(u32, u32), Descriptor>;

const ALL_LAYERS: vk::ImageSubresourceRange = vk::ImageSubresourceRange {
    aspect_mask: vk::ImageAspectFlags::COLOR,
    base_mip_level: 0,
    level_count: vk::REMAINING_MIP_LEVELS,
    base_array_layer: 0,
    layer_count: vk::REMAINING_ARRAY_LAYERS,
};

impl ImageKind {
    /// In how many directions levels get smaller.
    fn halved(self) -> usize {
        match self.dimensions {
            Dimensions::One => 1,
            Dimensions::Two | Dimensions::Cube => 2,
            Dimensions::Three => 3,
            Dimensions::Buffer => 0,
        }
    }

    fn image_type(self) -> vk::ImageType {
        match self.dimensions {
            Dimensions::One | Dimensions::Buffer => vk::ImageType::TYPE_1D,
            Dimensions::Two | Dimensions::Cube => vk::ImageType::TYPE_2D,
            Dimensions::Three => vk::ImageType::TYPE_3D,
        }
    }

    fn view_type(self) -> vk::ImageViewType {
        match (self.dimensions, self.arrayed) {
            (Dimensions::One | Dimensions::Buffer, false) => vk::ImageViewType::TYPE_1D,
            (Dimensions::One | Dimensions::Buffer, true) => vk::ImageViewType::TYPE_1D_ARRAY,
            (Dimensions::Two, false) => vk::ImageViewType::TYPE_2D,
            (Dimensions::Two, true) => vk::ImageViewType::TYPE_2D_ARRAY,
            (Dimensions::Cube, false) => vk::ImageViewType::CUBE,
            (Dimensions::Cube, true) => vk::ImageViewType::CUBE_ARRAY,
            (Dimensions::Three, _) => vk::ImageViewType::TYPE_3D,
        }
    }

    /// Whether an image can be this.
    fn fits(self, image: &Image) -> bool {
        let [width, height, depth] = image.extent;
        let flat = match self.dimensions {
            Dimensions::One => height == 1 && depth == 1,
            Dimensions::Two => depth == 1,
            Dimensions::Cube => depth == 1 && width == height,
            Dimensions::Three => true,
            Dimensions::Buffer => height == 1 && depth == 1 && image.levels.len() == 1,
        };
        let layers = match (self.dimensions, self.arrayed) {
            (Dimensions::Cube, false) => image.layers == 6,
            (Dimensions::Cube, true) => image.layers > 0 && image.layers.is_multiple_of(6),
            (_, false) => image.layers == 1,
            (_, true) => image.layers > 0,
        };
        flat && layers && !image.extent.contains(&0)
    }
}

pub(crate) use crate::module::Dimensions;

/// What the shader uses an image as: what all its bindings say together.
struct Use {
    kind: ImageKind,
    storage: bool,
    sampled: bool,
}

fn use_of(image: &Image, descriptors: &Descriptors) -> Option<Use> {
    let mut used: Option<Use> = None;
    for binding in &image.bindings {
        let Some(descriptor) = descriptors.get(&(binding.set, binding.binding)) else { continue };
        let (kind, is_storage) = match descriptor.kind {
            DescriptorKind::StorageImage(kind) => (kind, true),
            DescriptorKind::SampledImage(kind) | DescriptorKind::Combined(kind) => (kind, false),
            DescriptorKind::Buffer(_) | DescriptorKind::Sampler => continue,
        };
        let used = used.get_or_insert(Use { kind, storage: false, sampled: false });
        used.storage |= is_storage;
        used.sampled |= !is_storage;
    }
    used
}

/// The job's images and samplers against what the module says about them. Places that are taken are noted in `bound`.
pub(crate) fn check(
    job: &Job,
    descriptors: &Descriptors,
    bound: &mut BTreeSet<Binding>,
) -> Result<(), Error> {
    let wrong = |message: String| Err(Error::Job(message));
    let at = |binding: &Binding| descriptors.get(&(binding.set, binding.binding));
    for image in &job.images {
        let name = &image.name;
        for binding in &image.bindings {
            if !bound.insert(*binding) {
                return wrong(format!("something else than the image `{name}` is at {binding}, too"));
            }
            let Some(descriptor) = at(binding) else { continue };
            let kind = match descriptor.kind {
                DescriptorKind::StorageImage(kind)
                | DescriptorKind::SampledImage(kind)
                | DescriptorKind::Combined(kind) => kind,
                DescriptorKind::Buffer(_) | DescriptorKind::Sampler => {
                    return wrong(format!("the shader has no image at {binding}, where `{name}` is bound"));
                }
            };
            if descriptor.count.is_some_and(|count| binding.element >= count) {
                return wrong(format!("the shader has no {binding} for the image `{name}`"));
            }
            if !kind.fits(image) {
                return wrong(format!(
                    "the image `{name}` has {:?} texels, {} layers and {} levels, which the shader's image at {binding} cannot have",
                    image.extent,
                    image.layers,
                    image.levels.len()
                ));
            }
            for (level, bytes) in (0..).zip(&image.levels) {
                let texels = image.extent_of(level, kind.halved());
                let mut size = texels.iter().chain([&image.layers, &image.texel]);
                let size = size.try_fold(1u64, |size, length| size.checked_mul(u64::from(*length)));
                if size != Some(bytes.len() as u64) {
                    return wrong(format!(
                        "level {level} of the image `{name}` has {} bytes, which {texels:?} texels do not",
                        bytes.len()
                    ));
                }
            }
        }
        if let Some(Use { kind, .. }) = use_of(image, descriptors)
            && image.bindings.iter().filter_map(at).any(|other| !other.kind.is_image_of(kind))
        {
            return wrong(format!("the shader has images of different kinds where `{name}` is bound"));
        }
    }
    let mut taken = BTreeSet::new();
    for sampler in &job.samplers {
        for binding in &sampler.bindings {
            if !taken.insert(*binding) {
                return wrong(format!("two samplers have {binding}"));
            }
            let Some(descriptor) = at(binding) else { continue };
            if !matches!(descriptor.kind, DescriptorKind::Sampler | DescriptorKind::Combined(_)) {
                return wrong(format!(
                    "the shader has no sampler at {binding}, where `{}` is bound",
                    sampler.name
                ));
            }
            if descriptor.count.is_some_and(|count| binding.element >= count) {
                return wrong(format!("the shader has no {binding} for the sampler `{}`", sampler.name));
            }
        }
    }
    Ok(())
}

/// A device, for questions about formats.
pub(crate) struct Asked<'a> {
    pub instance: &'a ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub name: &'a str,
    pub limits: &'a vk::PhysicalDeviceLimits,
}

/// The job's images and samplers against what the device supports.
pub(crate) fn check_device(
    job: &Job,
    descriptors: &Descriptors,
    device: &Asked<'_>,
    enabled: &Enabled,
) -> Result<(), Error> {
    let Asked { instance, physical, name, limits } = device;
    let refuse = |message: String| Err(Error::Unsupported(message));
    for image in &job.images {
        let Some(used) = use_of(image, descriptors) else { continue };
        let format = vk::Format::from_raw(image.format);
        let lacks = |what: &str| {
            refuse(format!(
                "{name} does not {what} the format {format:?}, which `{}` has: another `format` in the recipe may do",
                image.name
            ))
        };
        // SAFETY: the device is one of the instance's.
        let has = unsafe { instance.get_physical_device_format_properties(*physical, format) };
        if used.kind.dimensions == Dimensions::Buffer {
            if used.sampled && !has.buffer_features.contains(vk::FormatFeatureFlags::UNIFORM_TEXEL_BUFFER) {
                return lacks("fetch from buffers of");
            }
            if used.storage && !has.buffer_features.contains(vk::FormatFeatureFlags::STORAGE_TEXEL_BUFFER) {
                return lacks("store to buffers of");
            }
            if image.extent[0] > limits.max_texel_buffer_elements {
                return refuse(format!(
                    "{name} supports up to {} texels in a buffer, but `{}` has {}",
                    limits.max_texel_buffer_elements, image.name, image.extent[0]
                ));
            }
            continue;
        }
        let features = has.optimal_tiling_features;
        if used.sampled && !features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE) {
            return lacks("sample");
        }
        if used.storage && !features.contains(vk::FormatFeatureFlags::STORAGE_IMAGE) {
            return lacks("store to images of");
        }
        if used.sampled
            && !features.contains(vk::FormatFeatureFlags::SAMPLED_IMAGE_FILTER_LINEAR)
            && job
                .samplers
                .iter()
                .any(|sampler| sampler.linear.contains(&true) && may_sample(sampler, image, descriptors))
        {
            return lacks("filter linearly in");
        }
        if used.storage && image.components != [0; 4] {
            return refuse(format!(
                "`{}` is stored to, and has `components`: images that are stored to have each from itself (VkImageViewCreateInfo)",
                image.name
            ));
        }
        let info = description(image, &used);
        // SAFETY: as above.
        let most = unsafe {
            instance.get_physical_device_image_format_properties(
                *physical,
                info.format,
                info.image_type,
                info.tiling,
                info.usage,
                info.flags,
            )
        };
        let Ok(most) = most else { return lacks("have such images of") };
        let vk::Extent3D { width, height, depth } = most.max_extent;
        if image.extent.iter().zip([width, height, depth]).any(|(wanted, most)| *wanted > most)
            || image.layers > most.max_array_layers
            || image.levels.len() > most.max_mip_levels as usize
        {
            return refuse(format!(
                "{name} supports such images up to {:?} texels, {} layers and {} levels, but `{}` has {:?}, {} and {}",
                [width, height, depth],
                most.max_array_layers,
                most.max_mip_levels,
                image.name,
                image.extent,
                image.layers,
                image.levels.len()
            ));
        }
    }
    for sampler in &job.samplers {
        let mirror = vk::SamplerAddressMode::MIRROR_CLAMP_TO_EDGE.as_raw();
        if sampler.address_modes.contains(&mirror) && !enabled.has("samplerMirrorClampToEdge") {
            return refuse(format!(
                "{name} lacks the feature samplerMirrorClampToEdge, which the sampler `{}` needs",
                sampler.name
            ));
        }
        if sampler.bias.abs() > limits.max_sampler_lod_bias {
            return refuse(format!(
                "{name} supports a bias of up to {} in samplers, but `{}` has {}",
                limits.max_sampler_lod_bias, sampler.name, sampler.bias
            ));
        }
        let [larger, smaller, between] = sampler.linear;
        let clamps = [vk::SamplerAddressMode::CLAMP_TO_EDGE, vk::SamplerAddressMode::CLAMP_TO_BORDER];
        let clamped =
            sampler.address_modes[..2].iter().all(|mode| clamps.iter().any(|it| it.as_raw() == *mode));
        if sampler.unnormalized && (larger != smaller || between || !clamped || sampler.levels != [0.0; 2]) {
            return refuse(format!(
                "the sampler `{}` has unnormalized coordinates: Vulkan then wants equal filters, the nearest level, levels of detail from 0 to 0, and address modes that clamp to the edge or the border",
                sampler.name
            ));
        }
        border(sampler, job, descriptors)?;
    }
    Ok(())
}

/// Whether a sampler is, or could be, one for an image: with it, or both by themselves.
fn may_sample(sampler: &Sampler, image: &Image, descriptors: &Descriptors) -> bool {
    let alone = |binding: &Binding| {
        let descriptor = descriptors.get(&(binding.set, binding.binding));
        !descriptor.is_some_and(|descriptor| matches!(descriptor.kind, DescriptorKind::Combined(_)))
    };
    let together = sampler.bindings.iter().any(|binding| image.bindings.contains(binding));
    together || sampler.bindings.iter().any(alone) && image.bindings.iter().any(alone)
}

/// What is outside of images has their kind of numbers.
fn border(sampler: &Sampler, job: &Job, descriptors: &Descriptors) -> Result<vk::BorderColor, Error> {
    let sampled = job.images.iter().filter(|image| {
        may_sample(sampler, image, descriptors) && use_of(image, descriptors).is_some_and(|used| used.sampled)
    });
    let integers: BTreeSet<bool> = sampled.map(|image| is_integer(image.format)).collect();
    let to_border = sampler.address_modes.contains(&vk::SamplerAddressMode::CLAMP_TO_BORDER.as_raw());
    if integers.len() > 1 && to_border && sampler.border > 0 {
        return Err(Error::Unsupported(format!(
            "the sampler `{}` could be for images of floats and of integers, and its border is of one kind: use two samplers",
            sampler.name
        )));
    }
    // Float and integer colors take turns.
    let integer = i32::from(integers.contains(&true) && integers.len() == 1);
    Ok(vk::BorderColor::from_raw(i32::from(sampler.border.min(2)) * 2 + integer))
}

/// Whether shaders see integers, which Vulkan's names of formats end with.
fn is_integer(format: i32) -> bool {
    let name = format!("{:?}", vk::Format::from_raw(format));
    ["_UINT", "_SINT", "_UINT_PACK32", "_SINT_PACK32"].iter().any(|end| name.ends_with(end))
}

fn description(image: &Image, used: &Use) -> vk::ImageCreateInfo<'static> {
    let mut usage = vk::ImageUsageFlags::TRANSFER_SRC | vk::ImageUsageFlags::TRANSFER_DST;
    if used.storage {
        usage |= vk::ImageUsageFlags::STORAGE;
    }
    if used.sampled {
        usage |= vk::ImageUsageFlags::SAMPLED;
    }
    let cube = used.kind.dimensions == Dimensions::Cube;
    let [width, height, depth] = image.extent;
    vk::ImageCreateInfo::default()
        .flags(if cube { vk::ImageCreateFlags::CUBE_COMPATIBLE } else { vk::ImageCreateFlags::empty() })
        .image_type(used.kind.image_type())
        .format(vk::Format::from_raw(image.format))
        .extent(vk::Extent3D { width, height, depth })
        .mip_levels(image.levels.len() as u32)
        .array_layers(image.layers)
        .samples(vk::SampleCountFlags::TYPE_1)
        .tiling(vk::ImageTiling::OPTIMAL)
        .usage(usage)
        .sharing_mode(vk::SharingMode::EXCLUSIVE)
        .initial_layout(vk::ImageLayout::UNDEFINED)
}

/// What an image of the job became.
enum Made {
    Image {
        image: vk::Image,
        /// For storage, of the first level; for sampling, of all.
        views: [vk::ImageView; 2],
        staging: HostBuffer,
        regions: Vec<vk::BufferImageCopy>,
    },
    Texels {
        buffer: HostBuffer,
        view: vk::BufferView,
    },
    /// The shader does not use it.
    Nothing,
}

/// The images and samplers of a job on a device.
pub(crate) struct Images {
    made: Vec<Made>,
    samplers: Vec<vk::Sampler>,
}

impl Images {
    /// Makes them, with what images hold in memory that the host sees.
    pub fn new(job: &Job, descriptors: &Descriptors, resources: &mut Resources) -> Result<Images, Error> {
        let made = job.images.iter().map(|image| match use_of(image, descriptors) {
            Some(used) => make(image, &used, resources),
            None => Ok(Made::Nothing),
        });
        let made = made.collect::<Result<_, Error>>()?;
        let samplers = job.samplers.iter().map(|sampler| {
            let filter = |linear| if linear { vk::Filter::LINEAR } else { vk::Filter::NEAREST };
            let [u, v, w] = sampler.address_modes.map(vk::SamplerAddressMode::from_raw);
            let info = vk::SamplerCreateInfo::default()
                .mag_filter(filter(sampler.linear[0]))
                .min_filter(filter(sampler.linear[1]))
                .mipmap_mode(match sampler.linear[2] {
                    true => vk::SamplerMipmapMode::LINEAR,
                    false => vk::SamplerMipmapMode::NEAREST,
                })
                .address_mode_u(u)
                .address_mode_v(v)
                .address_mode_w(w)
                .mip_lod_bias(sampler.bias)
                .min_lod(sampler.levels[0])
                .max_lod(sampler.levels[1])
                .border_color(border(sampler, job, descriptors)?)
                .unnormalized_coordinates(sampler.unnormalized);
            resources.sampler(&info)
        });
        Ok(Images { made, samplers: samplers.collect::<Result<_, Error>>()? })
    }

    /// Records that images get their contents, and are ready for shaders.
    ///
    /// # Safety
    /// The command buffer is the device's and is being recorded; the images were made from the device.
    pub unsafe fn record_upload(&self, device: &ash::Device, commands: vk::CommandBuffer) {
        let copy = vk::ImageLayout::TRANSFER_DST_OPTIMAL;
        let stages = [vk::PipelineStageFlags::TOP_OF_PIPE, vk::PipelineStageFlags::TRANSFER];
        let (none, write) = (vk::AccessFlags::empty(), vk::AccessFlags::TRANSFER_WRITE);
        let shader = vk::AccessFlags::SHADER_READ | vk::AccessFlags::SHADER_WRITE;
        // SAFETY: the caller says it; regions fit the image and its staging buffer, as was checked.
        unsafe {
            self.barrier(device, commands, stages, [vk::ImageLayout::UNDEFINED, copy], [none, write]);
            for made in &self.made {
                if let Made::Image { image, staging, regions, .. } = made {
                    device.cmd_copy_buffer_to_image(commands, staging.buffer, *image, copy, regions);
                }
            }
            let stages = [vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::COMPUTE_SHADER];
            self.barrier(device, commands, stages, [copy, vk::ImageLayout::GENERAL], [write, shader]);
        }
    }

    /// Records that what images hold after the dispatch becomes what the host sees.
    ///
    /// # Safety
    /// As of [`record_upload`](Self::record_upload).
    pub unsafe fn record_download(&self, device: &ash::Device, commands: vk::CommandBuffer) {
        let general = vk::ImageLayout::GENERAL;
        let stages = [vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::TRANSFER];
        let access = [vk::AccessFlags::SHADER_WRITE, vk::AccessFlags::TRANSFER_READ];
        let to_host = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::TRANSFER_WRITE)
            .dst_access_mask(vk::AccessFlags::HOST_READ)];
        // SAFETY: as above.
        unsafe {
            self.barrier(device, commands, stages, [general, general], access);
            for made in &self.made {
                if let Made::Image { image, staging, regions, .. } = made {
                    device.cmd_copy_image_to_buffer(commands, *image, general, staging.buffer, regions);
                }
            }
            if self.any() {
                let (from, to) = (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::HOST);
                let none = vk::DependencyFlags::empty();
                device.cmd_pipeline_barrier(commands, from, to, none, &to_host, &[], &[]);
            }
        }
    }

    fn any(&self) -> bool {
        self.made.iter().any(|made| matches!(made, Made::Image { .. }))
    }

    /// Orders commands about all images.
    unsafe fn barrier(
        &self,
        device: &ash::Device,
        commands: vk::CommandBuffer,
        [before, after]: [vk::PipelineStageFlags; 2],
        [from, to]: [vk::ImageLayout; 2],
        [made, used]: [vk::AccessFlags; 2],
    ) {
        let images = self.made.iter().filter_map(|one| match one {
            Made::Image { image, .. } => Some(*image),
            Made::Texels { .. } | Made::Nothing => None,
        });
        let barriers: Vec<_> = images
            .map(|image| {
                vk::ImageMemoryBarrier::default()
                    .src_access_mask(made)
                    .dst_access_mask(used)
                    .old_layout(from)
                    .new_layout(to)
                    .src_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .dst_queue_family_index(vk::QUEUE_FAMILY_IGNORED)
                    .image(image)
                    .subresource_range(ALL_LAYERS)
            })
            .collect();
        if !barriers.is_empty() {
            let none = vk::DependencyFlags::empty();
            // SAFETY: the caller says it.
            unsafe { device.cmd_pipeline_barrier(commands, before, after, none, &[], &[], &barriers) };
        }
    }

    /// Writes the descriptors of images and samplers.
    pub fn write(
        &self,
        job: &Job,
        descriptors: &Descriptors,
        sets: &[vk::DescriptorSet],
        device: &ash::Device,
    ) {
        let mut places: BTreeSet<Binding> = BTreeSet::new();
        places.extend(job.images.iter().flat_map(|image| &image.bindings));
        places.extend(job.samplers.iter().flat_map(|sampler| &sampler.bindings));
        for place in places {
            let descriptor = descriptors.get(&(place.set, place.binding));
            let (Some(descriptor), Some(set)) = (descriptor, sets.get(place.set as usize)) else { continue };
            let image = job.images.iter().position(|image| image.bindings.contains(&place));
            let sampler = job.samplers.iter().position(|sampler| sampler.bindings.contains(&place));
            let sampler = sampler.and_then(|sampler| self.samplers.get(sampler)).copied().unwrap_or_default();
            let is_storage = matches!(descriptor.kind, DescriptorKind::StorageImage(_));
            let mut info = [vk::DescriptorImageInfo::default()
                .image_layout(vk::ImageLayout::GENERAL)
                .sampler(if descriptor.kind == DescriptorKind::Sampler || !is_storage {
                    sampler
                } else {
                    vk::Sampler::null()
                })];
            let mut texels = [vk::BufferView::null()];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(*set)
                .dst_binding(place.binding)
                .dst_array_element(place.element)
                .descriptor_type(descriptor.kind.vulkan());
            let write = match image.and_then(|image| self.made.get(image)) {
                Some(Made::Texels { view, .. }) => {
                    texels[0] = *view;
                    write.texel_buffer_view(&texels)
                }
                Some(Made::Image { views: [stored, sampled], .. }) => {
                    info[0].image_view = if is_storage { *stored } else { *sampled };
                    write.image_info(&info)
                }
                Some(Made::Nothing) | None => write.image_info(&info),
            };
            // SAFETY: set, binding and element exist with this type, as was checked; what is written was made from this device.
            unsafe { device.update_descriptor_sets(&[write], &[]) };
        }
    }

    /// What each image of the job holds now, by its levels.
    ///
    /// # Safety
    /// The resources that they were made of are alive, and the device is done.
    pub unsafe fn read(&self, job: &Job) -> Vec<Vec<Vec<u8>>> {
        let read = |(image, made): (&Image, &Made)| {
            let sizes: Vec<usize> = image.levels.iter().map(Vec::len).collect();
            let all = match made {
                // SAFETY: the caller says it.
                Made::Image { staging: memory, .. } | Made::Texels { buffer: memory, .. } => unsafe {
                    memory.read(sizes.iter().sum())
                },
                Made::Nothing => return image.levels.clone(),
            };
            let mut rest = all.as_slice();
            let levels = sizes.iter().map(|size| {
                let (level, left) = rest.split_at(*size.min(&rest.len()));
                rest = left;
                level.to_vec()
            });
            levels.collect()
        };
        job.images.iter().zip(&self.made).map(read).collect()
    }
}

fn make(image: &Image, used: &Use, resources: &mut Resources) -> Result<Made, Error> {
    let all: Vec<u8> = image.levels.concat();
    let format = vk::Format::from_raw(image.format);
    if used.kind.dimensions == Dimensions::Buffer {
        let mut usage = vk::BufferUsageFlags::empty();
        if used.sampled {
            usage |= vk::BufferUsageFlags::UNIFORM_TEXEL_BUFFER;
        }
        if used.storage {
            usage |= vk::BufferUsageFlags::STORAGE_TEXEL_BUFFER;
        }
        let buffer = resources.buffer(all.len() as u64, usage)?;
        // SAFETY: the resources are alive, and nothing was submitted yet.
        unsafe { buffer.write(&all) };
        let info =
            vk::BufferViewCreateInfo::default().buffer(buffer.buffer).format(format).range(vk::WHOLE_SIZE);
        return Ok(Made::Texels { buffer, view: resources.buffer_view(&info)? });
    }
    let made = resources.image(&description(image, used))?;
    let view = |levels: u32, components: [i32; 4], resources: &mut Resources| {
        let [r, g, b, a] = components.map(vk::ComponentSwizzle::from_raw);
        let info = vk::ImageViewCreateInfo::default()
            .image(made)
            .view_type(used.kind.view_type())
            .format(format)
            .components(vk::ComponentMapping { r, g, b, a })
            .subresource_range(vk::ImageSubresourceRange { level_count: levels, ..ALL_LAYERS });
        resources.image_view(&info)
    };
    let stored = view(1, [0; 4], resources)?;
    let sampled = view(vk::REMAINING_MIP_LEVELS, image.components, resources)?;
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    let staging = resources.buffer(all.len() as u64, usage)?;
    // SAFETY: as above.
    unsafe { staging.write(&all) };
    let mut offset = 0;
    let regions = (0..).zip(&image.levels).map(|(level, bytes)| {
        let [width, height, depth] = image.extent_of(level, used.kind.halved());
        let region = vk::BufferImageCopy::default()
            .buffer_offset(offset)
            .image_subresource(vk::ImageSubresourceLayers {
                aspect_mask: vk::ImageAspectFlags::COLOR,
                mip_level: level,
                base_array_layer: 0,
                layer_count: image.layers,
            })
            .image_extent(vk::Extent3D { width, height, depth });
        offset += bytes.len() as u64;
        region
    });
    Ok(Made::Image { image: made, views: [stored, sampled], staging, regions: regions.collect() })
}

impl Resources {
    fn sampler(&mut self, info: &vk::SamplerCreateInfo<'_>) -> Result<vk::Sampler, Error> {
        // SAFETY: the device is alive, and so is the description.
        let made = called("vkCreateSampler", unsafe { self.device.create_sampler(info, None) })?;
        self.samplers.push(made);
        Ok(made)
    }

    fn image_view(&mut self, info: &vk::ImageViewCreateInfo<'_>) -> Result<vk::ImageView, Error> {
        // SAFETY: as above, and the image is the device's.
        let made = called("vkCreateImageView", unsafe { self.device.create_image_view(info, None) })?;
        self.image_views.push(made);
        Ok(made)
    }

    fn buffer_view(&mut self, info: &vk::BufferViewCreateInfo<'_>) -> Result<vk::BufferView, Error> {
        // SAFETY: as above, and the buffer is the device's.
        let made = called("vkCreateBufferView", unsafe { self.device.create_buffer_view(info, None) })?;
        self.buffer_views.push(made);
        Ok(made)
    }
}
