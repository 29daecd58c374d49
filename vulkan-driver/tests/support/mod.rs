//! A client of the driver: it calls the driver's own functions, without a loader, as the loader would.

pub mod images;

use std::ffi::{CStr, CString};
use std::process::Command;

use ash::vk;
use coopmat_analysis::Analyzer;
use coopmat_analysis::config::{Configuration, TargetEnv};
use coopmat_analysis::sources::NoFiles;
use coopmat_driver_report::{Event, Options, VARIABLE};

/// Runs the rest of a test in a process whose driver has these options, and gives what the driver reported. `None` in that process: the test goes
/// on there. A driver reads its options once.
pub fn with_options(test: &str, options: Options) -> Option<Vec<Event>> {
    if std::env::var_os(VARIABLE).is_some() {
        return None;
    }
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("events");
    let options = Options { report: Some(report.to_string_lossy().into_owned()), ..options };
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(VARIABLE, options.write())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && said.contains("1 passed"), "{said}");
    let text = std::fs::read_to_string(report).unwrap();
    Some(text.lines().map(|line| Event::read(line).expect(line)).collect())
}

/// With this variable, tests call the machine's loader, whose own variables say which driver and layers there are: so that layers look at what the tests
/// do. The library of the driver and the test then have the same options.
const LOADER: &str = "COOPMAT_TEST_LOADER";

pub fn device(name: &str) -> Options {
    Options { device: name.to_owned(), ..Options::default() }
}

/// The words of a shader that we compile.
pub fn module(source: &str) -> Vec<u32> {
    let configuration = Configuration { target_env: TargetEnv::Vulkan1_3, ..Configuration::default() };
    let analysis = Analyzer::default().analyze("test.comp", source.into(), &configuration, &NoFiles, None);
    let options = coopmat_codegen::Options { debug: coopmat_codegen::DebugInfo::Full, ..Default::default() };
    let compiled =
        coopmat_codegen::compile(&analysis, &options).unwrap_or_else(|errors| panic!("{errors:?}"));
    coopmat_spirv::assemble(&compiled.module).expect("a module")
}

pub struct Client {
    pub entry: ash::Entry,
    pub instance: ash::Instance,
    pub physical: vk::PhysicalDevice,
    pub device: ash::Device,
    pub queue: vk::Queue,
    pub pool: vk::CommandPool,
}

/// The driver's entry points, and an instance if it makes one.
pub fn instance() -> Result<(ash::Entry, ash::Instance), vk::Result> {
    let mut functions =
        ash::StaticFn { get_instance_proc_addr: coopmat_vulkan_driver::entry::vk_icdGetInstanceProcAddr };
    unsafe {
        let mut version = 5;
        let negotiated =
            coopmat_vulkan_driver::entry::vk_icdNegotiateLoaderICDInterfaceVersion(&raw mut version);
        assert_eq!(negotiated, vk::Result::SUCCESS);
        if std::env::var_os(LOADER).is_some() {
            let loaded = ash::Entry::load().unwrap();
            functions = loaded.static_fn().clone();
            // The loader stays in memory.
            std::mem::forget(loaded);
        }
        let entry = ash::Entry::from_static_fn(functions.clone());
        let application = vk::ApplicationInfo::default().api_version(vk::API_VERSION_1_3);
        let info = vk::InstanceCreateInfo::default().application_info(&application);
        let mut instance = vk::Instance::null();
        (entry.fp_v1_0().create_instance)(&raw const info, std::ptr::null(), &raw mut instance).result()?;
        Ok((entry, ash::Instance::load(&functions, instance)))
    }
}

pub struct Memory {
    pub buffer: vk::Buffer,
    pub memory: vk::DeviceMemory,
    pub mapped: *mut u8,
    pub size: usize,
}

impl Memory {
    pub fn write<T: Copy>(&self, values: &[T]) {
        assert!(size_of_val(values) <= self.size);
        unsafe { self.mapped.copy_from_nonoverlapping(values.as_ptr().cast(), size_of_val(values)) };
    }

    pub fn read<T: Copy + Default>(&self, count: usize) -> Vec<T> {
        assert!(count * size_of::<T>() <= self.size);
        let mut values = vec![T::default(); count];
        unsafe { self.mapped.copy_to_nonoverlapping(values.as_mut_ptr().cast(), count * size_of::<T>()) };
        values
    }
}

impl Client {
    /// A client that enables these extensions and features.
    pub fn new(extensions: &[&CStr], features: Option<&mut vk::PhysicalDeviceFeatures2<'_>>) -> Client {
        let (entry, instance) = instance().expect("an instance");
        unsafe {
            let physical = instance.enumerate_physical_devices().unwrap()[0];
            let priorities = [1.0];
            let queues = [vk::DeviceQueueCreateInfo::default().queue_priorities(&priorities)];
            let names: Vec<_> = extensions.iter().map(|name| name.as_ptr()).collect();
            let mut info =
                vk::DeviceCreateInfo::default().queue_create_infos(&queues).enabled_extension_names(&names);
            if let Some(features) = features {
                info.p_next = std::ptr::from_mut(features).cast();
            }
            let device = instance.create_device(physical, &info, None).unwrap();
            let queue = device.get_device_queue(0, 0);
            let pool = device
                .create_command_pool(
                    &vk::CommandPoolCreateInfo::default()
                        .flags(vk::CommandPoolCreateFlags::RESET_COMMAND_BUFFER),
                    None,
                )
                .unwrap();
            Client { entry, instance, physical, device, queue, pool }
        }
    }

    pub fn memory(&self, size: usize, usage: vk::BufferUsageFlags) -> Memory {
        let usage = usage | vk::BufferUsageFlags::STORAGE_BUFFER;
        unsafe {
            let info = vk::BufferCreateInfo::default().size(size as u64).usage(usage);
            let buffer = self.device.create_buffer(&info, None).unwrap();
            let needed = self.device.get_buffer_memory_requirements(buffer);
            let info = vk::MemoryAllocateInfo::default().allocation_size(needed.size).memory_type_index(0);
            let memory = self.device.allocate_memory(&info, None).unwrap();
            self.device.bind_buffer_memory(buffer, memory, 0).unwrap();
            let mapped =
                self.device.map_memory(memory, 0, vk::WHOLE_SIZE, vk::MemoryMapFlags::empty()).unwrap();
            Memory { buffer, memory, mapped: mapped.cast(), size }
        }
    }

    pub fn storage<T: Copy>(&self, values: &[T]) -> Memory {
        let memory = self.memory(size_of_val(values), vk::BufferUsageFlags::empty());
        memory.write(values);
        memory
    }

    /// A pipeline of a shader with so many storage buffers in set 0, and its layouts.
    pub fn pipeline(
        &self,
        source: &str,
        buffers: u32,
        specialization: &[(u32, u32)],
    ) -> (vk::Pipeline, vk::PipelineLayout, vk::DescriptorSetLayout) {
        self.pipeline_with(source, buffers, specialization, vk::PipelineCreateFlags::empty())
    }

    /// The same with flags.
    pub fn pipeline_with(
        &self,
        source: &str,
        buffers: u32,
        specialization: &[(u32, u32)],
        flags: vk::PipelineCreateFlags,
    ) -> (vk::Pipeline, vk::PipelineLayout, vk::DescriptorSetLayout) {
        self.pipeline_of(&module(source), buffers, specialization, flags)
    }

    /// The same of a module.
    pub fn pipeline_of(
        &self,
        words: &[u32],
        buffers: u32,
        specialization: &[(u32, u32)],
        flags: vk::PipelineCreateFlags,
    ) -> (vk::Pipeline, vk::PipelineLayout, vk::DescriptorSetLayout) {
        let entries: Vec<_> = specialization
            .iter()
            .enumerate()
            .map(|(index, (id, _))| vk::SpecializationMapEntry {
                constant_id: *id,
                offset: index as u32 * 4,
                size: 4,
            })
            .collect();
        let data: Vec<u8> = specialization.iter().flat_map(|(_, value)| value.to_le_bytes()).collect();
        let specialization = vk::SpecializationInfo::default().map_entries(&entries).data(&data);
        unsafe {
            let shader =
                self.device.create_shader_module(&vk::ShaderModuleCreateInfo::default().code(words), None);
            let shader = shader.unwrap();
            let bindings: Vec<_> = (0..buffers)
                .map(|binding| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(binding)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .descriptor_count(1)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                })
                .collect();
            let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
            let set_layout = self.device.create_descriptor_set_layout(&info, None).unwrap();
            let range =
                [vk::PushConstantRange { stage_flags: vk::ShaderStageFlags::COMPUTE, offset: 0, size: 128 }];
            let layouts = [set_layout];
            let info =
                vk::PipelineLayoutCreateInfo::default().set_layouts(&layouts).push_constant_ranges(&range);
            let layout = self.device.create_pipeline_layout(&info, None).unwrap();
            let entry = CString::new("main").unwrap();
            let stage = vk::PipelineShaderStageCreateInfo::default()
                .stage(vk::ShaderStageFlags::COMPUTE)
                .module(shader)
                .name(&entry)
                .specialization_info(&specialization);
            let info = vk::ComputePipelineCreateInfo::default().flags(flags).stage(stage).layout(layout);
            let made = self.device.create_compute_pipelines(vk::PipelineCache::null(), &[info], None);
            let pipeline = made.map_err(|(_, error)| error).unwrap()[0];
            self.device.destroy_shader_module(shader, None);
            (pipeline, layout, set_layout)
        }
    }

    /// A set of these buffers, in order.
    pub fn set(
        &self,
        layout: vk::DescriptorSetLayout,
        buffers: &[vk::DescriptorBufferInfo],
    ) -> vk::DescriptorSet {
        unsafe {
            let sizes = [vk::DescriptorPoolSize {
                ty: vk::DescriptorType::STORAGE_BUFFER,
                descriptor_count: buffers.len().max(1) as u32,
            }];
            let info = vk::DescriptorPoolCreateInfo::default().max_sets(1).pool_sizes(&sizes);
            let pool = self.device.create_descriptor_pool(&info, None).unwrap();
            let layouts = [layout];
            let info = vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
            let set = self.device.allocate_descriptor_sets(&info).unwrap()[0];
            let writes: Vec<_> = buffers
                .iter()
                .enumerate()
                .map(|(binding, buffer)| {
                    vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .dst_binding(binding as u32)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .buffer_info(std::slice::from_ref(buffer))
                })
                .collect();
            self.device.update_descriptor_sets(&writes, &[]);
            set
        }
    }

    /// Records a command buffer.
    pub fn record(&self, commands: impl FnOnce(vk::CommandBuffer)) -> vk::CommandBuffer {
        unsafe {
            let info =
                vk::CommandBufferAllocateInfo::default().command_pool(self.pool).command_buffer_count(1);
            let buffer = self.device.allocate_command_buffers(&info).unwrap()[0];
            self.device.begin_command_buffer(buffer, &vk::CommandBufferBeginInfo::default()).unwrap();
            commands(buffer);
            self.device.end_command_buffer(buffer).unwrap();
            buffer
        }
    }

    pub fn submit(&self, buffer: vk::CommandBuffer) -> Result<(), vk::Result> {
        unsafe {
            let fence = self.device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
            let buffers = [buffer];
            let info = vk::SubmitInfo::default().command_buffers(&buffers);
            self.device.queue_submit(self.queue, &[info], fence)?;
            self.device.wait_for_fences(&[fence], true, u64::MAX)
        }
    }

    /// Runs a shader over buffers, with push constants.
    pub fn run(
        &self,
        source: &str,
        specialization: &[(u32, u32)],
        buffers: &[&Memory],
        push_constants: &[u8],
        groups: u32,
    ) -> Result<(), vk::Result> {
        let (pipeline, layout, set_layout) = self.pipeline(source, buffers.len() as u32, specialization);
        let infos: Vec<_> = buffers.iter().map(|memory| whole(memory.buffer)).collect();
        let set = self.set(set_layout, &infos);
        let buffer = self.record(|buffer| unsafe {
            let point = vk::PipelineBindPoint::COMPUTE;
            self.device.cmd_bind_pipeline(buffer, point, pipeline);
            self.device.cmd_bind_descriptor_sets(buffer, point, layout, 0, &[set], &[]);
            if !push_constants.is_empty() {
                let stages = vk::ShaderStageFlags::COMPUTE;
                self.device.cmd_push_constants(buffer, layout, stages, 0, push_constants);
            }
            self.device.cmd_dispatch(buffer, groups, 1, 1);
        });
        self.submit(buffer)
    }
}

pub fn whole(buffer: vk::Buffer) -> vk::DescriptorBufferInfo {
    vk::DescriptorBufferInfo { buffer, offset: 0, range: vk::WHOLE_SIZE }
}
