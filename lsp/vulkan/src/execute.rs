//! One job on a device: checks, buffers, a pipeline, a dispatch, the buffers afterwards.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{CString, c_void};
use std::sync::Arc;

use ash::vk;
use coopmat_analysis::devices::DeviceProfile;
use coopmat_spirv::vulkan;

use crate::dispatching::{Dispatching, Waited};
use crate::images::{self, Images};
use crate::instance::Vulkan;
use crate::job::{Binding, Bound, BufferKind, Error, Job, Outcome, Place};
use crate::module::{Descriptor, DescriptorKind, Program};
use crate::products;
use crate::profile::{self, CORE_FEATURES, FeatureWords, Reported, Words};
use crate::requirements::{self, Enabled, Has};
use crate::resources::{HostBuffer, Resources, called};
use crate::shapes;
use crate::statistics::{self, executables};
use crate::vectors::{self, Converter};

/// `VkPhysicalDeviceFloatControlsProperties`
const FLOAT_CONTROLS_PROPERTIES: i32 = 1_000_197_000;
/// `VkPhysicalDeviceSubgroupProperties`
const SUBGROUP_PROPERTIES: i32 = 1_000_094_000;

type Descriptors = BTreeMap<(u32, u32), Descriptor>;

/// A device, and what it says about itself.
struct Chosen {
    physical: vk::PhysicalDevice,
    profile: DeviceProfile,
    limits: vk::PhysicalDeviceLimits,
    /// Major and minor, of the device and of the loader.
    version: (u32, u32),
    extensions: BTreeSet<String>,
    reported: Reported,
    subgroup_operations: u32,
    float_controls: Vec<u32>,
}

impl Job {
    /// What can be told of a job without a device.
    ///
    /// # Errors
    /// Why no device could run it.
    pub fn check(&self) -> Result<(), Error> {
        self.checked(|_, _| Ok(()))
    }

    /// Hands the module on, as far as the job fits it.
    fn checked<T>(&self, then: impl FnOnce(&Program, &Descriptors) -> Result<T, Error>) -> Result<T, Error> {
        let module = coopmat_spirv::load(&self.module)
            .map_err(|error| Error::Job(format!("cannot read the module: {error}")))?;
        let program = Program::new(&module, &self.entry_point, &self.specialization).map_err(Error::Job)?;
        let descriptors = program.descriptors().map_err(Error::Job)?;
        check_memory(self, &program, &descriptors)?;
        then(&program, &descriptors)
    }
}

impl Vulkan {
    /// Runs one job.
    ///
    /// # Errors
    /// See [`Error`].
    pub fn execute(&self, job: &Job) -> Result<Outcome, Error> {
        job.checked(|program, descriptors| {
            let device = self.choose(job.device.as_deref())?;
            let enabled = device.enabled(program)?;
            check_limits(job, program, &device)?;
            let asked = images::Asked {
                instance: &self.instance.instance,
                physical: device.physical,
                name: &device.profile.title,
                limits: &device.limits,
            };
            images::check_device(job, descriptors, &asked, &enabled)?;
            shapes::check(program, &device.profile).map_err(Error::Unsupported)?;
            products::check(program, &device.profile).map_err(Error::Unsupported)?;
            self.run(job, program, descriptors, &device, &enabled)
        })
    }

    /// The first device whose name has the wanted part.
    fn choose(&self, wanted: Option<&str>) -> Result<Chosen, Error> {
        let asked = self.asked();
        let instance = &self.instance.instance;
        let mut names = Vec::new();
        for physical in self.physical_devices().map_err(Error::Unavailable)? {
            // SAFETY: the device comes from this instance, here and below.
            let basic = unsafe { instance.get_physical_device_properties(physical) };
            let title = profile::text(&basic.device_name);
            let fits = wanted.is_none_or(|wanted| {
                title.to_lowercase().contains(&wanted.to_lowercase())
                    || coopmat_analysis::devices::name_of_title(&title) == wanted
            });
            if !fits {
                names.push(title);
                continue;
            }
            let api = basic.api_version.min(self.instance.version.max(vk::API_VERSION_1_0));
            if basic.api_version < vk::API_VERSION_1_2 || api < vk::API_VERSION_1_1 {
                return Err(Error::Unsupported(format!(
                    "{title} has Vulkan {}.{}, but running shaders needs 1.2 or later",
                    vk::api_version_major(basic.api_version),
                    vk::api_version_minor(basic.api_version)
                )));
            }
            let extensions = asked.extensions(physical).unwrap_or_default();
            let mut reported = asked.reported(physical, basic.api_version, &extensions, vulkan::STRUCTURES);
            let older = asked.reported(physical, basic.api_version, &extensions, vulkan::OLDER);
            reported.structures.extend(older.structures);
            let mut subgroup = Box::new(Words::<8>::new(SUBGROUP_PROPERTIES));
            let mut floats = Box::new(Words::<20>::new(FLOAT_CONTROLS_PROPERTIES));
            let chain = floats.link(subgroup.link(std::ptr::null_mut()));
            let mut all = vk::PhysicalDeviceProperties2 { p_next: chain, ..Default::default() };
            // SAFETY: both structures of the chain are a header and at least as many 32-bit members as Vulkan's of that type,
            // which Vulkan 1.2 knows, and live until the end of this block.
            unsafe { instance.get_physical_device_properties2(physical, &mut all) };
            return Ok(Chosen {
                physical,
                profile: asked.profile(physical),
                limits: basic.limits,
                version: (vk::api_version_major(api), vk::api_version_minor(api)),
                extensions,
                reported,
                subgroup_operations: subgroup.words[2],
                float_controls: floats.words.to_vec(),
            });
        }
        Err(Error::Job(match wanted {
            Some(wanted) if names.is_empty() => {
                format!("there is no Vulkan device `{wanted}`: this machine has none")
            }
            Some(wanted) => {
                format!("there is no Vulkan device `{wanted}`: expected part of {}", names.join(", "))
            }
            None => "there is no Vulkan device".to_owned(),
        }))
    }

    fn run(
        &self,
        job: &Job,
        program: &Program,
        descriptors: &Descriptors,
        chosen: &Chosen,
        enabled: &Enabled,
    ) -> Result<Outcome, Error> {
        let instance = &self.instance.instance;
        // SAFETY: the device comes from this instance.
        let families = unsafe { instance.get_physical_device_queue_family_properties(chosen.physical) };
        let family = families.iter().position(|family| family.queue_flags.contains(vk::QueueFlags::COMPUTE));
        let Some(family) = family else {
            return Err(Error::Unsupported(format!("{} has no queue for compute", chosen.profile.title)));
        };
        let clock_bits = families[family].timestamp_valid_bits;
        let statistics = statistics::extension(&chosen.extensions)
            .and_then(|name| Some((name, statistics::feature(&self.instance, chosen.physical)?)));
        let captures = statistics.is_some();
        let device = self.device(chosen, enabled, statistics, family as u32)?;
        let mut resources = Resources::new(device, Arc::clone(&self.instance), chosen.physical);

        let addressable = enabled.has("bufferDeviceAddress");
        if !job.addresses.is_empty() && !addressable {
            return Err(Error::Job(
                "the recipe puts addresses of buffers into memory, but the module does not use buffer addresses"
                    .to_owned(),
            ));
        }
        let converter = Converter::of_job(job, instance, enabled, &resources.device)?;
        let contents = vectors::buffers_with_matrices(job, converter.as_ref())?;
        let buffers = make_buffers(job, &contents, &mut resources, addressable)?;
        let sizes: Vec<usize> = contents.iter().map(Vec::len).collect();
        let push_constants = fill(job, program, &resources, &buffers, contents)?;
        let images = Images::new(job, descriptors, &mut resources)?;

        let layouts = make_set_layouts(job, descriptors, &mut resources)?;
        let ranges = [vk::PushConstantRange {
            stage_flags: vk::ShaderStageFlags::COMPUTE,
            offset: 0,
            size: push_constants.len() as u32,
        }];
        let mut info = vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts);
        if !push_constants.is_empty() {
            info = info.push_constant_ranges(&ranges);
        }
        let layout = resources.pipeline_layout(&info)?;
        let mut info = vk::ComputePipelineCreateInfo::default().layout(layout);
        if captures {
            info = info.flags(vk::PipelineCreateFlags::CAPTURE_STATISTICS_KHR);
        }
        let pipeline = make_pipeline(job, program, chosen, enabled, info, &mut resources)?;
        let sets = write_descriptors(job, &layouts, &buffers, descriptors, &mut resources)?;
        images.write(job, descriptors, &sets, &resources.device);

        let dispatching = Dispatching {
            job,
            pipeline,
            layout,
            sets: &sets,
            push_constants: &push_constants,
            images: &images,
            family: family as u32,
            clock_bits,
            period: chosen.limits.timestamp_period,
        };
        let run = |count, is_first, mut resources: Resources| match dispatching.run(
            count,
            is_first,
            &mut resources,
        )? {
            Waited::Done { times, elapsed } => Ok((resources, times, elapsed)),
            Waited::TimedOut => {
                std::mem::forget(resources);
                Err(Error::TimedOut(job.time_limit))
            }
        };
        let (mut resources, first, elapsed) = run(1, true, resources)?;
        let contents = sizes.iter().zip(&buffers);
        // SAFETY: the resources are alive, and the device is done.
        let contents: Vec<Vec<u8>> = contents.map(|(size, made)| unsafe { made.read(*size) }).collect();
        // SAFETY: the same.
        let texels = unsafe { images.read(job) };
        let mut times = Vec::new();
        if job.repetitions > 0 {
            (resources, times, _) = run(job.repetitions, false, resources)?;
        }
        let told = captures.then(|| executables(&self.instance, &resources, pipeline));
        Ok(Outcome {
            matrices: vectors::matrices_of_buffers(job, converter.as_ref(), &contents)?,
            buffers: vectors::without_growth(job, contents),
            images: texels,
            device: chosen.profile.title.clone(),
            driver: chosen.profile.driver.clone(),
            time: first.first().copied().unwrap_or(elapsed),
            times,
            executables: told.unwrap_or_default(),
        })
    }

    fn device(
        &self,
        chosen: &Chosen,
        enabled: &Enabled,
        statistics: Option<(&'static str, Box<FeatureWords>)>,
        family: u32,
    ) -> Result<ash::Device, Error> {
        let mut structures: Vec<Box<FeatureWords>> = Vec::new();
        for (structure, _) in &chosen.reported.structures {
            let Some(names) = enabled.structures.get(&structure.kind) else { continue };
            let mut words = Box::new(FeatureWords::new(structure.kind));
            for (word, name) in words.words.iter_mut().zip(structure.features) {
                *word = u32::from(names.contains(name));
            }
            structures.push(words);
        }
        let names = enabled.extensions.iter().copied().chain(statistics.as_ref().map(|(name, _)| *name));
        let names: Vec<CString> = names.filter_map(|name| CString::new(name).ok()).collect();
        structures.extend(statistics.map(|(_, words)| words));
        let mut core: [vk::Bool32; CORE_FEATURES] = [0; CORE_FEATURES];
        for (word, name) in core.iter_mut().zip(vulkan::CORE) {
            *word = u32::from(enabled.core.contains(name));
        }
        let mut chain: *mut c_void = std::ptr::null_mut();
        for words in &mut structures {
            chain = words.link(chain);
        }
        let all = vk::PhysicalDeviceFeatures2 {
            p_next: chain,
            // SAFETY: a structure of C layout with exactly this many members of type VkBool32, which the sizes confirm.
            features: unsafe {
                std::mem::transmute::<[vk::Bool32; CORE_FEATURES], vk::PhysicalDeviceFeatures>(core)
            },
            ..Default::default()
        };
        let names: Vec<_> = names.iter().map(|name| name.as_ptr()).collect();
        let priorities = [1.0];
        let queues =
            [vk::DeviceQueueCreateInfo::default().queue_family_index(family).queue_priorities(&priorities)];
        let info = vk::DeviceCreateInfo {
            p_next: std::ptr::from_ref(&all).cast(),
            ..vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names)
        };
        // SAFETY: the structures of features are those that the device reported, each in a box that outlives the call, and
        // every other part of the description lives as long.
        let made = unsafe { self.instance.instance.create_device(chosen.physical, &info, None) };
        called("vkCreateDevice", made)
    }
}

impl Chosen {
    fn enabled(&self, program: &Program) -> Result<Enabled, Error> {
        let has = Has {
            name: &self.profile.title,
            version: self.version,
            extensions: &self.extensions,
            reported: &self.reported,
            subgroup_operations: self.subgroup_operations,
            float_controls: &self.float_controls,
        };
        requirements::enabled(program, &has).map_err(Error::Unsupported)
    }
}

/// The job's memory against what the module says about it.
fn check_memory(job: &Job, program: &Program, descriptors: &Descriptors) -> Result<(), Error> {
    let wrong = |message: String| Err(Error::Job(message));
    let mut bound = BTreeSet::new();
    for buffer in &job.buffers {
        if buffer.bytes.is_empty() {
            return wrong(format!("the buffer `{}` is empty", buffer.name));
        }
        for bound_at in &buffer.bindings {
            check_buffer(&buffer.name, buffer.bytes.len() as u64, bound_at, descriptors, &mut bound)?;
        }
    }
    images::check(job, descriptors, &mut bound)?;
    for ((set, binding), descriptor) in descriptors {
        let place = (*set, *binding);
        let count = count(job, place, descriptor);
        let buffers: Vec<u32> = elements(buffers_of(job), place).collect();
        let images: Vec<u32> = elements(images_of(job), place).collect();
        let samplers: Vec<u32> = elements(samplers_of(job), place).collect();
        let wanted: &[(&str, &Vec<u32>)] = match descriptor.kind {
            DescriptorKind::Buffer(_) => &[("buffer", &buffers)],
            DescriptorKind::Sampler => &[("sampler", &samplers)],
            DescriptorKind::Combined(_) => &[("image", &images), ("sampler", &samplers)],
            DescriptorKind::StorageImage(_) | DescriptorKind::SampledImage(_) => &[("image", &images)],
        };
        for (what, given) in wanted {
            if let Some(missing) = (0..count).find(|element| !given.contains(element)) {
                let element = if count > 1 { format!(", element {missing}") } else { String::new() };
                return wrong(format!(
                    "the shader uses set {set}, binding {binding}{element}, but no {what} is given for it"
                ));
            }
        }
    }
    let needed = program.push_constants();
    if (job.push_constants.len() as u64) < needed {
        return wrong(format!(
            "the shader has {needed} bytes of push constants, but {} are given",
            job.push_constants.len()
        ));
    }
    for address in &job.addresses {
        let (place, size) = match address.into {
            Place::PushConstants => ("the push constants".to_owned(), Some(job.push_constants.len())),
            Place::Buffer(index) => {
                let buffer = job.buffers.get(index);
                (format!("buffer {index}"), buffer.map(|buffer| buffer.bytes.len()))
            }
        };
        let end = address.offset.checked_add(8);
        if size.is_none_or(|size| end.is_none_or(|end| end > size)) {
            return wrong(format!("there is no room for an address at byte {} of {place}", address.offset));
        }
        if job.buffers.get(address.of).is_none() {
            return wrong(format!("an address is that of buffer {}, which does not exist", address.of));
        }
    }
    Ok(())
}

/// A buffer's binding against what the module says about it.
fn check_buffer(
    name: &str,
    size: u64,
    part: &Bound,
    descriptors: &Descriptors,
    bound: &mut BTreeSet<Binding>,
) -> Result<(), Error> {
    let wrong = |message: String| Err(Error::Job(message));
    let Bound { at, kind, offset, .. } = part;
    if !bound.insert(*at) {
        return wrong(format!("two buffers have {at}"));
    }
    if *offset >= size {
        return wrong(format!("the buffer `{name}` is bound at {at} from byte {offset} on, but has {size}"));
    }
    let range = part.bytes(size);
    if range == 0 || size - offset < range {
        return wrong(format!(
            "the buffer `{name}` is bound at {at} with {range} bytes from byte {offset} on, but has {size}"
        ));
    }
    // A buffer that the shader does not use is bound to nothing.
    let Some(descriptor) = descriptors.get(&(at.set, at.binding)) else { return Ok(()) };
    if descriptor.kind != DescriptorKind::Buffer(*kind) {
        let of = |kind| match kind {
            BufferKind::Storage => "storage",
            BufferKind::Uniform => "uniform",
        };
        return wrong(format!(
            "the buffer `{name}` at {at} is a {} buffer, but the shader has {} there",
            of(*kind),
            descriptor.kind.words()
        ));
    }
    if descriptor.count.is_some_and(|count| at.element >= count) {
        return wrong(format!("the shader has no {at} for the buffer `{name}`"));
    }
    if range < descriptor.fixed_size {
        return wrong(format!(
            "the buffer `{name}` has {range} bytes, but the shader's block at {at} has {}",
            descriptor.fixed_size
        ));
    }
    Ok(())
}

/// The places of all buffers.
fn buffers_of(job: &Job) -> impl Iterator<Item = Binding> + '_ {
    job.buffers.iter().flat_map(|buffer| &buffer.bindings).map(|bound| bound.at)
}

fn images_of(job: &Job) -> impl Iterator<Item = Binding> + '_ {
    job.images.iter().flat_map(|image| &image.bindings).copied()
}

fn samplers_of(job: &Job) -> impl Iterator<Item = Binding> + '_ {
    job.samplers.iter().flat_map(|sampler| &sampler.bindings).copied()
}

/// The elements of a binding among places.
fn elements<'a>(
    places: impl Iterator<Item = Binding> + 'a,
    place: (u32, u32),
) -> impl Iterator<Item = u32> + 'a {
    places.filter(move |given| (given.set, given.binding) == place).map(|given| given.element)
}

/// The job and its module against the device's limits.
fn check_limits(job: &Job, program: &Program, chosen: &Chosen) -> Result<(), Error> {
    let (limits, name) = (&chosen.limits, &chosen.profile.title);
    let refuse = |message: String| Err(Error::Unsupported(message));
    for (axis, (wanted, most)) in job.dispatch.iter().zip(limits.max_compute_work_group_count).enumerate() {
        if *wanted > most {
            return refuse(format!(
                "{name} supports up to {most} workgroups in direction {axis}, not {wanted}"
            ));
        }
    }
    if job.push_constants.len() > limits.max_push_constants_size as usize {
        return refuse(format!(
            "{name} supports up to {} bytes of push constants, not {}",
            limits.max_push_constants_size,
            job.push_constants.len()
        ));
    }
    for buffer in &job.buffers {
        for part in &buffer.bindings {
            let Bound { at, kind, offset, .. } = part;
            let (most, alignment) = match kind {
                BufferKind::Storage => {
                    (limits.max_storage_buffer_range, limits.min_storage_buffer_offset_alignment)
                }
                BufferKind::Uniform => {
                    (limits.max_uniform_buffer_range, limits.min_uniform_buffer_offset_alignment)
                }
            };
            let size = part.bytes(buffer.bytes.len() as u64);
            if size > u64::from(most) {
                return refuse(format!(
                    "{name} supports buffers of that kind up to {most} bytes, but `{}` has {size}",
                    buffer.name
                ));
            }
            if !offset.is_multiple_of(alignment.max(1)) {
                return refuse(format!(
                    "{name} binds buffers of that kind from multiples of {alignment} bytes on, but `{}` at {at} begins at byte {offset}",
                    buffer.name
                ));
            }
        }
    }
    let sizes = chosen.profile.subgroup_size;
    if let (Some(wanted), Some(sizes)) = (job.subgroup_size, sizes)
        && !(wanted.is_power_of_two() && (sizes.min..=sizes.max).contains(&wanted))
    {
        return refuse(format!(
            "{name} supports subgroups of {} to {} invocations, not {wanted}",
            sizes.min, sizes.max
        ));
    }
    let Some(local) = program.local_size() else { return Ok(()) };
    let invocations = local.iter().fold(1u64, |all, size| all.saturating_mul(u64::from(*size)));
    if local.contains(&0)
        || local.iter().zip(limits.max_compute_work_group_size).any(|(size, most)| *size > most)
        || invocations > u64::from(limits.max_compute_work_group_invocations)
    {
        return refuse(format!(
            "{name} supports workgroups up to {:?} and {} invocations, not {local:?}",
            limits.max_compute_work_group_size, limits.max_compute_work_group_invocations
        ));
    }
    let (Some(wanted), Some(most)) =
        (job.subgroup_size, chosen.profile.limits.max_compute_workgroup_subgroups)
    else {
        return Ok(());
    };
    if invocations > u64::from(wanted) * u64::from(most) {
        return refuse(format!("{name} supports up to {most} subgroups in a workgroup"));
    }
    Ok(())
}

/// A buffer for each of the job's, as long as its contents.
fn make_buffers(
    job: &Job,
    contents: &[Vec<u8>],
    resources: &mut Resources,
    addressable: bool,
) -> Result<Vec<HostBuffer>, Error> {
    let made = job.buffers.iter().zip(contents).map(|(buffer, bytes)| {
        let mut usage = vk::BufferUsageFlags::STORAGE_BUFFER;
        if buffer.bindings.iter().any(|bound| bound.kind == BufferKind::Uniform) {
            usage |= vk::BufferUsageFlags::UNIFORM_BUFFER;
        }
        if addressable {
            usage |= vk::BufferUsageFlags::SHADER_DEVICE_ADDRESS;
        }
        resources.buffer((bytes.len() as u64).next_multiple_of(4), usage)
    });
    made.collect()
}

/// Writes the buffers, with the addresses in them; returns the push constants with theirs, in whole words.
fn fill(
    job: &Job,
    program: &Program,
    resources: &Resources,
    buffers: &[HostBuffer],
    mut contents: Vec<Vec<u8>>,
) -> Result<Vec<u8>, Error> {
    let mut push_constants = job.push_constants.clone();
    for address in &job.addresses {
        let Some(of) = buffers.get(address.of) else { continue };
        let info = vk::BufferDeviceAddressInfo::default().buffer(of.buffer);
        // SAFETY: the buffer was made for this use, under the feature, and has memory.
        let start = unsafe { resources.device.get_buffer_device_address(&info) };
        let into = match address.into {
            Place::PushConstants => Some(&mut push_constants),
            Place::Buffer(index) => contents.get_mut(index),
        };
        let into = into.and_then(|into| into.get_mut(address.offset..address.offset + 8));
        if let Some(into) = into {
            into.copy_from_slice(&start.wrapping_add(address.plus).to_le_bytes());
        }
    }
    for (buffer, bytes) in buffers.iter().zip(&contents) {
        // SAFETY: the resources are alive, and nothing was submitted yet.
        unsafe { buffer.write(bytes) };
    }
    // A module without push constants is given none.
    if program.push_constants() == 0 {
        push_constants.clear();
    }
    push_constants.resize(push_constants.len().next_multiple_of(4), 0);
    Ok(push_constants)
}

/// The elements of a binding: those of the shader's array, or those that the job gives.
fn count(job: &Job, place: (u32, u32), descriptor: &Descriptor) -> u32 {
    descriptor.count.unwrap_or_else(|| {
        let all = buffers_of(job).chain(images_of(job)).chain(samplers_of(job));
        elements(all, place).max().map_or(1, |last| last + 1)
    })
}

/// One layout for each set up to the last one that is used.
fn make_set_layouts(
    job: &Job,
    descriptors: &Descriptors,
    resources: &mut Resources,
) -> Result<Vec<vk::DescriptorSetLayout>, Error> {
    let Some((last, _)) = descriptors.keys().next_back() else { return Ok(Vec::new()) };
    if *last >= 32 {
        return Err(Error::Unsupported(format!(
            "the shader uses descriptor set {last}, but only sets up to 31 are supported"
        )));
    }
    let layouts = (0..=*last).map(|set| {
        let of = descriptors.iter().filter(|((in_set, _), _)| *in_set == set);
        let bindings: Vec<_> = of
            .map(|(place, descriptor)| {
                vk::DescriptorSetLayoutBinding::default()
                    .binding(place.1)
                    .descriptor_type(descriptor.kind.vulkan())
                    .descriptor_count(count(job, *place, descriptor))
                    .stage_flags(vk::ShaderStageFlags::COMPUTE)
            })
            .collect();
        resources.set_layout(&bindings)
    });
    layouts.collect()
}

fn write_descriptors(
    job: &Job,
    layouts: &[vk::DescriptorSetLayout],
    buffers: &[HostBuffer],
    descriptors: &Descriptors,
    resources: &mut Resources,
) -> Result<Vec<vk::DescriptorSet>, Error> {
    if layouts.is_empty() {
        return Ok(Vec::new());
    }
    let mut sizes: Vec<vk::DescriptorPoolSize> = Vec::new();
    for (place, descriptor) in descriptors {
        let (ty, count) = (descriptor.kind.vulkan(), count(job, *place, descriptor));
        match sizes.iter_mut().find(|size| size.ty == ty) {
            Some(size) => size.descriptor_count += count,
            None => sizes.push(vk::DescriptorPoolSize { ty, descriptor_count: count }),
        }
    }
    sizes.retain(|size| size.descriptor_count > 0);
    let info = vk::DescriptorPoolCreateInfo::default().max_sets(layouts.len() as u32).pool_sizes(&sizes);
    let pool = resources.descriptor_pool(&info)?;
    let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(layouts);
    // SAFETY: the pool was made for these layouts, and only this thread uses it.
    let sets = unsafe { resources.device.allocate_descriptor_sets(&info) };
    let sets = called("vkAllocateDescriptorSets", sets)?;
    for (buffer, made) in job.buffers.iter().zip(buffers) {
        for part in &buffer.bindings {
            let Bound { at, kind, offset, .. } = part;
            if !descriptors.contains_key(&(at.set, at.binding)) {
                continue;
            }
            let Some(set) = sets.get(at.set as usize) else { continue };
            let range = part.bytes(buffer.bytes.len() as u64);
            let info = [vk::DescriptorBufferInfo { buffer: made.buffer, offset: *offset, range }];
            let write = vk::WriteDescriptorSet::default()
                .dst_set(*set)
                .dst_binding(at.binding)
                .dst_array_element(at.element)
                .descriptor_type(DescriptorKind::Buffer(*kind).vulkan())
                .buffer_info(&info);
            // SAFETY: set, binding and element exist with this type, as was checked, and the range is inside of the buffer.
            unsafe { resources.device.update_descriptor_sets(&[write], &[]) };
        }
    }
    Ok(sets)
}

fn make_pipeline(
    job: &Job,
    program: &Program,
    chosen: &Chosen,
    enabled: &Enabled,
    info: vk::ComputePipelineCreateInfo,
    resources: &mut Resources,
) -> Result<vk::Pipeline, Error> {
    let shader = resources.shader(&job.module)?;
    let mut data = Vec::new();
    let mut entries = Vec::new();
    for (id, bytes) in &program.specialization {
        entries.push(vk::SpecializationMapEntry {
            constant_id: *id,
            offset: data.len() as u32,
            size: bytes.len(),
        });
        data.extend_from_slice(bytes);
    }
    let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
    let name = CString::new(job.entry_point.as_str())
        .map_err(|_| Error::Job("the entry point's name contains a zero byte".to_owned()))?;
    let sizes = chosen.profile.subgroup_size;
    let mut flags = vk::PipelineShaderStageCreateFlags::empty();
    let subgroup = job.subgroup_size.or(sizes.map(|sizes| sizes.default)).unwrap_or(1);
    let whole = program.local_size().is_some_and(|[x, ..]| x.is_multiple_of(subgroup));
    if whole && enabled.has("computeFullSubgroups") {
        flags |= vk::PipelineShaderStageCreateFlags::REQUIRE_FULL_SUBGROUPS;
    }
    let mut required = vk::PipelineShaderStageRequiredSubgroupSizeCreateInfo::default();
    let mut stage = vk::PipelineShaderStageCreateInfo::default()
        .flags(flags)
        .stage(vk::ShaderStageFlags::COMPUTE)
        .module(shader)
        .name(&name)
        .specialization_info(&specialization);
    if let Some(size) = job.subgroup_size
        && sizes.is_none_or(|sizes| (sizes.min, sizes.max) != (size, size))
    {
        if !enabled.has("subgroupSizeControl") {
            return Err(Error::Unsupported(format!(
                "{} lacks the feature subgroupSizeControl, so subgroups of {size} cannot be requested",
                chosen.profile.title
            )));
        }
        required = required.required_subgroup_size(size);
        stage = stage.push_next(&mut required);
    }
    resources.pipeline(info.stage(stage))
}
