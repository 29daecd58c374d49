//! Sequences of calls that no program makes on purpose: handles that were freed, never made or are of another kind, any sizes and offsets, in any
//! order. Each call ends in an error or does what it says; under AddressSanitizer (CONTRIBUTING.md) no byte is touched that is not the driver's.
//!
//! `COOPMAT_FUZZ_SEED` and `COOPMAT_FUZZ_CALLS` choose another sequence.

use ash::vk::{self, Handle};

use coopmat_driver_report::{Event, Options};

use crate::support::{Client, device, module, whole, with_options};
use crate::{problems, shader};

/// Xorshift: the same calls each time.
struct Random(u64);

impl Random {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most.max(1)
    }

    fn number(&mut self) -> u64 {
        let numbers = [0, 1, 4, 16, 48, 64, 256, 4096, 1 << 16, u64::from(u32::MAX), 1 << 40, u64::MAX];
        numbers[self.below(numbers.len() as u64) as usize]
    }
}

/// Handles that calls have given. They stay here after they are freed.
#[derive(Default)]
struct Handles(Vec<(vk::ObjectType, u64)>);

impl Handles {
    fn keep<H: Handle>(&mut self, made: Result<H, vk::Result>) {
        if let Ok(made) = made {
            self.0.push((H::TYPE, made.as_raw()));
        }
    }

    /// One of the kind, mostly a late one; now and then any other, or none that was ever made.
    fn any<H: Handle>(&self, random: &mut Random) -> H {
        let wild = [0, 1, u64::MAX, 0x0700_0001_0000_0000, 0xdead_beef];
        match random.below(64) {
            0 => H::from_raw(wild[random.below(wild.len() as u64) as usize]),
            1 if !self.0.is_empty() => H::from_raw(self.0[random.below(self.0.len() as u64) as usize].1),
            _ => {
                let late = if random.below(4) == 0 { usize::MAX } else { 4 };
                let own = self.0.iter().rev().filter(|(kind, _)| *kind == H::TYPE).take(late);
                let own: Vec<u64> = own.map(|(_, handle)| *handle).collect();
                H::from_raw(own.get(random.below(own.len() as u64) as usize).copied().unwrap_or_default())
            }
        }
    }
}

const SHADER: &str = "layout(local_size_x = 8) in;
layout(binding = 0) buffer A { uint a[]; };
layout(binding = 1) buffer B { uint b[]; };
layout(push_constant) uniform Push { uint shift; };
void main() { uint i = gl_GlobalInvocationID.x; b[i] = a[i + shift] + 1; }";

fn variable(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn calls_with_any_handles_end_in_errors() {
    // Of the test, as it is a process of its own.
    let name = "fuzz::calls_with_any_handles_end_in_errors";
    let options = Options { step_limit: 10_000, memory_limit: 64 << 20, checked: true, ..device("lavapipe") };
    if let Some(events) = with_options(name, options) {
        let ran = events.iter().rev().find_map(|event| match event {
            Event::Progress { dispatches, .. } => Some(*dispatches),
            _ => None,
        });
        assert!(ran.unwrap_or_default() > 20, "{ran:?} dispatches ran: the calls do too little");
        assert!(!problems(&events).iter().any(|line| line.contains("internal")), "{:#?}", problems(&events));
        return;
    }
    let mut random = Random(variable("COOPMAT_FUZZ_SEED", 0x2545_f491_4f6c_dd1d).max(1));
    let words = module(&shader(SHADER));
    let mut client = Client::new(&[c"VK_KHR_push_descriptor"], None);
    let mut handles = Handles::default();
    let mut fence = vk::Fence::null();
    for number in 0..variable("COOPMAT_FUZZ_CALLS", 30_000) {
        // SAFETY: what the driver has to withstand is the test. Pointers are those of Rust's, and memory is written where it was mapped.
        unsafe {
            // A wait would not end while a submission waits for what nobody signals.
            let lost = client.device.get_fence_status(fence) == Err(vk::Result::ERROR_DEVICE_LOST);
            if number % 1000 == 0 || lost {
                // Command buffers that wait for what never comes go with their device.
                client.device.destroy_device(None);
                client = Client::new(&[c"VK_KHR_push_descriptor"], None);
                fence = client.device.create_fence(&vk::FenceCreateInfo::default(), None).unwrap();
                for _ in 0..3 {
                    prepare(&client, &mut handles, &words);
                }
            }
            call(&mut client, &mut handles, &mut random, &words);
        }
    }
}

/// What a program would make before its first dispatch, so that calls find something that can run.
unsafe fn prepare(client: &Client, handles: &mut Handles, words: &[u32]) {
    let usage = vk::BufferUsageFlags::INDIRECT_BUFFER;
    let buffers = [(); 3].map(|()| client.memory(4096, usage));
    let (pipeline, layout, set_layout) = client.pipeline_of(words, 2, &[], vk::PipelineCreateFlags::empty());
    let set = client.set(set_layout, &[whole(buffers[0].buffer), whole(buffers[1].buffer)]);
    for made in &buffers {
        handles.keep(Ok(made.buffer));
        handles.keep(Ok(made.memory));
    }
    handles.keep(Ok(pipeline));
    handles.keep(Ok(layout));
    handles.keep(Ok(set_layout));
    handles.keep(Ok(set));
    let point = vk::PipelineBindPoint::COMPUTE;
    let commands = client.record(|commands| unsafe {
        client.device.cmd_bind_pipeline(commands, point, pipeline);
        client.device.cmd_bind_descriptor_sets(commands, point, layout, 0, &[set], &[]);
        client.device.cmd_dispatch(commands, 2, 1, 1);
    });
    handles.keep(Ok(commands));
}

#[allow(clippy::too_many_lines)]
unsafe fn call(client: &mut Client, handles: &mut Handles, random: &mut Random, words: &[u32]) {
    let device = &client.device;
    let number = random.number();
    let small = random.below(5) as u32;
    let buffer: vk::Buffer = handles.any(random);
    let other: vk::Buffer = handles.any(random);
    let commands: vk::CommandBuffer = handles.any(random);
    let fence: vk::Fence = handles.any(random);
    let semaphore: vk::Semaphore = handles.any(random);
    let event: vk::Event = handles.any(random);
    let pool: vk::DescriptorPool = handles.any(random);
    let set_layout: vk::DescriptorSetLayout = handles.any(random);
    let layout: vk::PipelineLayout = handles.any(random);
    let pipeline: vk::Pipeline = handles.any(random);
    let set: vk::DescriptorSet = handles.any(random);
    let queries: vk::QueryPool = handles.any(random);
    let memory: vk::DeviceMemory = handles.any(random);
    let shader: vk::ShaderModule = handles.any(random);
    let point = vk::PipelineBindPoint::COMPUTE;
    unsafe {
        match random.below(64) {
            0..=3 => {
                let usage = vk::BufferUsageFlags::from_raw(number as u32 | 0x2_0123);
                let info = vk::BufferCreateInfo::default().size(number.min(1 << 16)).usage(usage);
                let made = device.create_buffer(&info, None);
                // Most get memory, so that commands have something to do.
                if let (Ok(made), true) = (made, random.below(4) > 0) {
                    let _ = device.bind_buffer_memory(made, memory, random.number() & !0xff);
                }
                handles.keep(made);
            }
            4 | 5 => {
                let info = vk::MemoryAllocateInfo::default()
                    .allocation_size(random.number())
                    .memory_type_index(random.below(3) as u32);
                handles.keep(device.allocate_memory(&info, None));
            }
            6 => device.destroy_buffer(buffer, None),
            7 => device.free_memory(memory, None),
            8 => {
                let _ = device.bind_buffer_memory(buffer, memory, number);
            }
            9 | 10 => {
                let size = random.number();
                if let Ok(mapped) = device.map_memory(memory, number, size, vk::MemoryMapFlags::empty())
                    && size <= 1 << 16
                    && size > 0
                {
                    mapped.cast::<u8>().add(size as usize - 1).write(7);
                }
            }
            11 => device.unmap_memory(memory),
            12..=14 => {
                let info = vk::CommandBufferAllocateInfo::default()
                    .command_pool(if random.below(8) > 0 { client.pool } else { handles.any(random) })
                    .command_buffer_count(1 + small % 2);
                for made in device.allocate_command_buffers(&info).unwrap_or_default() {
                    handles.keep(Ok(made));
                    let _ = device.begin_command_buffer(made, &vk::CommandBufferBeginInfo::default());
                    device.cmd_bind_pipeline(made, point, pipeline);
                    device.cmd_bind_descriptor_sets(made, point, layout, 0, &[set], &[]);
                }
            }
            15 => {
                let _ = device.begin_command_buffer(commands, &vk::CommandBufferBeginInfo::default());
            }
            16..=18 => {
                let _ = device.end_command_buffer(commands);
            }
            19 => device.cmd_fill_buffer(commands, buffer, number, random.number(), 7),
            20 => {
                let region =
                    vk::BufferCopy { src_offset: number, dst_offset: random.number(), size: random.number() };
                device.cmd_copy_buffer(commands, buffer, other, &[region]);
            }
            21..=23 => device.cmd_dispatch(commands, small, 1, 1),
            24 => device.cmd_dispatch_indirect(commands, buffer, number),
            25 | 26 => device.cmd_bind_pipeline(commands, point, pipeline),
            27 => device.cmd_update_buffer(commands, buffer, number, &[1, 2, 3, 4]),
            28..=30 => {
                let (buffers, waits, signals) = ([commands], [semaphore], [handles.any(random)]);
                let stages = [vk::PipelineStageFlags::COMPUTE_SHADER];
                let mut info = vk::SubmitInfo::default().command_buffers(&buffers);
                if small == 1 {
                    info = info.wait_semaphores(&waits).wait_dst_stage_mask(&stages);
                }
                if small > 2 {
                    info = info.signal_semaphores(&signals);
                }
                let _ = device.queue_submit(
                    client.queue,
                    &[info],
                    if number == 0 { fence } else { vk::Fence::null() },
                );
            }
            31 => device.free_command_buffers(client.pool, &[commands]),
            32 => handles.keep(device.create_fence(&vk::FenceCreateInfo::default(), None)),
            33 => {
                let _ = device.wait_for_fences(&[fence], true, 0);
                let _ = device.reset_fences(&[fence]);
            }
            34 => device.destroy_fence(fence, None),
            35 => {
                let mut kind = vk::SemaphoreTypeCreateInfo::default()
                    .semaphore_type(vk::SemaphoreType::TIMELINE)
                    .initial_value(1);
                let mut info = vk::SemaphoreCreateInfo::default();
                if small > 1 {
                    info = info.push_next(&mut kind);
                }
                handles.keep(device.create_semaphore(&info, None));
            }
            36 => {
                let info = vk::SemaphoreSignalInfo::default().semaphore(semaphore).value(number);
                let _ = device.signal_semaphore(&info);
                let _ = device.get_semaphore_counter_value(semaphore);
            }
            37 => device.destroy_semaphore(semaphore, None),
            38 => handles.keep(device.create_event(&vk::EventCreateInfo::default(), None)),
            39 => {
                let _ = device.set_event(event);
                device.cmd_set_event(commands, event, vk::PipelineStageFlags::COMPUTE_SHADER);
            }
            40 => {
                let stage = vk::PipelineStageFlags::COMPUTE_SHADER;
                let barrier =
                    vk::BufferMemoryBarrier::default().buffer(buffer).offset(number).size(random.number());
                device.cmd_wait_events(commands, &[event], stage, stage, &[], &[barrier], &[]);
            }
            41 => device.destroy_event(event, None),
            42 => {
                let stage = vk::PipelineStageFlags::ALL_COMMANDS;
                let barrier =
                    vk::BufferMemoryBarrier::default().buffer(buffer).offset(number).size(random.number());
                device.cmd_pipeline_barrier(
                    commands,
                    stage,
                    stage,
                    vk::DependencyFlags::empty(),
                    &[],
                    &[barrier],
                    &[],
                );
            }
            43 | 44 => {
                let kinds = [vk::DescriptorType::STORAGE_BUFFER, vk::DescriptorType::UNIFORM_BUFFER_DYNAMIC];
                let binding = |at: u32, kind| {
                    vk::DescriptorSetLayoutBinding::default()
                        .binding(at)
                        .descriptor_type(kind)
                        .descriptor_count(1 + small / 4)
                        .stage_flags(vk::ShaderStageFlags::COMPUTE)
                };
                let second = kinds[usize::from(random.below(8) == 0)];
                let bindings = [binding(0, kinds[0]), binding(1, second)];
                let info = vk::DescriptorSetLayoutCreateInfo::default().bindings(&bindings);
                handles.keep(device.create_descriptor_set_layout(&info, None));
            }
            45 => device.destroy_descriptor_set_layout(set_layout, None),
            46 => {
                let sizes = [vk::DescriptorPoolSize {
                    ty: vk::DescriptorType::STORAGE_BUFFER,
                    descriptor_count: number as u32,
                }];
                let info = vk::DescriptorPoolCreateInfo::default().pool_sizes(&sizes).max_sets(1 + small);
                handles.keep(device.create_descriptor_pool(&info, None));
            }
            47 | 48 => {
                let layouts = [set_layout];
                let info =
                    vk::DescriptorSetAllocateInfo::default().descriptor_pool(pool).set_layouts(&layouts);
                for made in device.allocate_descriptor_sets(&info).unwrap_or_default() {
                    handles.keep(Ok(made));
                }
            }
            49 | 50 => {
                let part = |buffer| {
                    [vk::DescriptorBufferInfo { buffer, offset: number & 0xff0, range: vk::WHOLE_SIZE }]
                };
                let (first, second) = (part(buffer), part(other));
                let write = |at, part| {
                    vk::WriteDescriptorSet::default()
                        .dst_set(set)
                        .dst_binding(at)
                        .descriptor_type(vk::DescriptorType::STORAGE_BUFFER)
                        .buffer_info(part)
                };
                let copy = vk::CopyDescriptorSet::default()
                    .src_set(handles.any(random))
                    .dst_set(set)
                    .descriptor_count(small);
                let copies: &[_] = if small == 0 { &[copy] } else { &[] };
                device.update_descriptor_sets(&[write(0, &first), write(1 + small / 4, &second)], copies);
            }
            51 => {
                let _ = device.reset_descriptor_pool(pool, vk::DescriptorPoolResetFlags::empty());
            }
            52 => device.destroy_descriptor_pool(pool, None),
            53 => {
                let layouts = [set_layout];
                let range = [vk::PushConstantRange {
                    stage_flags: vk::ShaderStageFlags::COMPUTE,
                    offset: 0,
                    size: 4 + small,
                }];
                let info = vk::PipelineLayoutCreateInfo::default()
                    .set_layouts(&layouts)
                    .push_constant_ranges(&range);
                handles.keep(device.create_pipeline_layout(&info, None));
            }
            54 => {
                let info = vk::ShaderModuleCreateInfo::default();
                let broken = [words, &words[..words.len() * small as usize / 5]];
                handles.keep(
                    device.create_shader_module(&info.code(broken[usize::from(random.below(8) == 0)]), None),
                );
            }
            55 => {
                let stage = vk::PipelineShaderStageCreateInfo::default()
                    .stage(vk::ShaderStageFlags::COMPUTE)
                    .module(shader)
                    .name(c"main");
                let info = [vk::ComputePipelineCreateInfo::default().stage(stage).layout(layout)];
                for made in device
                    .create_compute_pipelines(vk::PipelineCache::null(), &info, None)
                    .unwrap_or_default()
                {
                    handles.keep(Ok(made));
                }
            }
            56 => {
                let destroyed = random.below(3);
                match destroyed {
                    0 => device.destroy_pipeline(pipeline, None),
                    1 => device.destroy_pipeline_layout(layout, None),
                    _ => device.destroy_shader_module(shader, None),
                }
            }
            57 | 58 => device.cmd_bind_descriptor_sets(
                commands,
                point,
                layout,
                small / 4,
                &[set],
                &[number as u32][..small as usize / 4],
            ),
            59 => device.cmd_push_constants(
                commands,
                layout,
                vk::ShaderStageFlags::COMPUTE,
                small * 4,
                &[1, 0, 0, 0],
            ),
            60 => {
                let info = vk::QueryPoolCreateInfo::default()
                    .query_type(vk::QueryType::TIMESTAMP)
                    .query_count(number.min(64) as u32);
                handles.keep(device.create_query_pool(&info, None));
            }
            61 => {
                device.cmd_write_timestamp(commands, vk::PipelineStageFlags::BOTTOM_OF_PIPE, queries, small);
                device.cmd_copy_query_pool_results(
                    commands,
                    queries,
                    small,
                    2,
                    buffer,
                    number,
                    8,
                    vk::QueryResultFlags::TYPE_64,
                );
                let mut data = [0u64; 4];
                let _ =
                    device.get_query_pool_results(queries, small, &mut data, vk::QueryResultFlags::TYPE_64);
            }
            62 => device.destroy_query_pool(queries, None),
            _ => {
                let pushed: vk::CommandBuffer = handles.any(random);
                device.cmd_execute_commands(commands, &[pushed]);
                let _ = device.reset_command_buffer(pushed, vk::CommandBufferResetFlags::empty());
            }
        }
    }
}
