//! Commands that nothing orders, and memory that nobody wrote.

use crate::support::{Client, Memory, device, whole, with_options};
use ash::vk;
use coopmat_driver_report::{Event, FoundCommand, Options};

const ALL: vk::AccessFlags =
    vk::AccessFlags::from_raw(vk::AccessFlags::MEMORY_READ.as_raw() | vk::AccessFlags::MEMORY_WRITE.as_raw());

/// Adds one to each number of one buffer, into the other.
const NEXT: &str = "#version 460
layout(local_size_x = 16) in;
layout(binding = 0) readonly buffer In { uint a[]; };
layout(binding = 1) writeonly buffer Out { uint b[]; };
void main() {
    uint i = gl_GlobalInvocationID.x;
    b[i] = a[i] + 1;
}";

fn checked() -> Options {
    Options { checked: true, ..device("nvidia-h200") }
}

fn found(events: &[Event]) -> Vec<&FoundCommand> {
    let all = events.iter().filter_map(|event| match event {
        Event::FoundCommand(found) => Some(found),
        Event::Finding(found) => panic!("{found:?}"),
        Event::Misuse { call, message } | Event::Missing { call, message } => panic!("{call}: {message}"),
        _ => None,
    });
    all.collect()
}

/// A dispatch of [`NEXT`] over buffers, to be recorded.
struct Next<'a> {
    client: &'a Client,
    pipeline: vk::Pipeline,
    layout: vk::PipelineLayout,
    set_layout: vk::DescriptorSetLayout,
}

impl Next<'_> {
    fn new(client: &Client) -> Next<'_> {
        let (pipeline, layout, set_layout) = client.pipeline(NEXT, 2, &[]);
        Next { client, pipeline, layout, set_layout }
    }

    fn dispatch(&self, buffer: vk::CommandBuffer, from: vk::Buffer, to: vk::Buffer) {
        let set = self.client.set(self.set_layout, &[whole(from), whole(to)]);
        let point = vk::PipelineBindPoint::COMPUTE;
        let device = &self.client.device;
        unsafe {
            device.cmd_bind_pipeline(buffer, point, self.pipeline);
            device.cmd_bind_descriptor_sets(buffer, point, self.layout, 0, &[set], &[]);
            device.cmd_dispatch(buffer, 1, 1, 1);
        }
    }
}

fn barrier(
    client: &Client,
    buffer: vk::CommandBuffer,
    stages: (vk::PipelineStageFlags, vk::PipelineStageFlags),
    accesses: (vk::AccessFlags, vk::AccessFlags),
) {
    let memory = [vk::MemoryBarrier::default().src_access_mask(accesses.0).dst_access_mask(accesses.1)];
    let none = vk::DependencyFlags::empty();
    unsafe { client.device.cmd_pipeline_barrier(buffer, stages.0, stages.1, none, &memory, &[], &[]) };
}

const SHADERS: (vk::PipelineStageFlags, vk::PipelineStageFlags) =
    (vk::PipelineStageFlags::COMPUTE_SHADER, vk::PipelineStageFlags::COMPUTE_SHADER);
const WRITE_TO_READ: (vk::AccessFlags, vk::AccessFlags) =
    (vk::AccessFlags::SHADER_WRITE, vk::AccessFlags::SHADER_READ);

/// Three buffers of 16 numbers.
fn buffers(client: &Client) -> [Memory; 3] {
    let usage = vk::BufferUsageFlags::TRANSFER_SRC | vk::BufferUsageFlags::TRANSFER_DST;
    [0, 1, 2].map(|_| client.memory(64, usage))
}

#[test]
fn a_read_after_a_write_without_a_barrier_is_found_with_both_places() {
    let name = "order::a_read_after_a_write_without_a_barrier_is_found_with_both_places";
    if let Some(events) = with_options(name, checked()) {
        let all = found(&events);
        let [one] = all.as_slice() else { panic!("{all:?}") };
        assert_eq!(one.kind, "missing-pipeline-barrier");
        let handle = one.message.split("the buffer ").nth(1).and_then(|rest| rest.split(',').next()).unwrap();
        assert_eq!(
            one.message,
            format!(
                "dispatch 2 reads 64 bytes from byte 0 of the buffer {handle}, which dispatch 1 wrote: nothing orders the two"
            )
        );
        assert_eq!(
            one.advice,
            "a barrier from COMPUTE_SHADER, SHADER_WRITE to COMPUTE_SHADER, SHADER_READ between them is enough"
        );
        // The load of `a` and the store to `b` are of one line.
        let lines = (one.place.as_ref().map(|place| place.line), one.other.as_ref().map(|place| place.line));
        assert_eq!(lines, (Some(7), Some(7)));
        return;
    }
    let client = Client::new(&[], None);
    let [a, b, c] = buffers(&client);
    let next = Next::new(&client);
    let commands = client.record(|buffer| {
        next.dispatch(buffer, a.buffer, b.buffer);
        next.dispatch(buffer, b.buffer, c.buffer);
    });
    client.submit(commands).unwrap();
    // Commands run in order all the same.
    assert_eq!(c.read::<u32>(16), [2; 16]);
}

#[test]
fn commands_in_order_are_not_found() {
    if let Some(events) = with_options("order::commands_in_order_are_not_found", checked()) {
        assert_eq!(found(&events), Vec::<&FoundCommand>::new());
        return;
    }
    let client = Client::new(&[], None);
    let [a, b, c] = buffers(&client);
    let next = Next::new(&client);
    // With a barrier, a buffer barrier, an event; a copy and a fill in between.
    let commands = client.record(|buffer| unsafe {
        client.device.cmd_fill_buffer(buffer, a.buffer, 0, vk::WHOLE_SIZE, 5);
        barrier(
            &client,
            buffer,
            (vk::PipelineStageFlags::TRANSFER, vk::PipelineStageFlags::COMPUTE_SHADER),
            (vk::AccessFlags::TRANSFER_WRITE, vk::AccessFlags::SHADER_READ),
        );
        next.dispatch(buffer, a.buffer, b.buffer);
        let one = [vk::BufferMemoryBarrier::default()
            .buffer(b.buffer)
            .size(vk::WHOLE_SIZE)
            .src_access_mask(WRITE_TO_READ.0)
            .dst_access_mask(WRITE_TO_READ.1)];
        let none = vk::DependencyFlags::empty();
        client.device.cmd_pipeline_barrier(buffer, SHADERS.0, SHADERS.1, none, &[], &one, &[]);
        next.dispatch(buffer, b.buffer, c.buffer);
        let event = client.device.create_event(&vk::EventCreateInfo::default(), None).unwrap();
        client.device.cmd_set_event(buffer, event, vk::PipelineStageFlags::COMPUTE_SHADER);
        let memory = [vk::MemoryBarrier::default()
            .src_access_mask(vk::AccessFlags::SHADER_WRITE)
            .dst_access_mask(vk::AccessFlags::TRANSFER_READ)];
        let transfer = vk::PipelineStageFlags::TRANSFER;
        client.device.cmd_wait_events(buffer, &[event], SHADERS.0, transfer, &memory, &[], &[]);
        let region = [vk::BufferCopy::default().size(64)];
        client.device.cmd_copy_buffer(buffer, c.buffer, a.buffer, &region);
    });
    client.submit(commands).unwrap();
    assert_eq!(a.read::<u32>(16), [7; 16]);
    // The host has waited for the fence: what it submits now is in order, without a barrier.
    let commands = client.record(|buffer| next.dispatch(buffer, a.buffer, c.buffer));
    client.submit(commands).unwrap();
    // VK_KHR_synchronization2.
    let commands = client.record(|buffer| unsafe {
        next.dispatch(buffer, a.buffer, b.buffer);
        let memory = [vk::MemoryBarrier2::default()
            .src_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
            .src_access_mask(vk::AccessFlags2::SHADER_STORAGE_WRITE)
            .dst_stage_mask(vk::PipelineStageFlags2::COMPUTE_SHADER)
            .dst_access_mask(vk::AccessFlags2::SHADER_STORAGE_READ)];
        let info = vk::DependencyInfo::default().memory_barriers(&memory);
        client.device.cmd_pipeline_barrier2(buffer, &info);
        next.dispatch(buffer, b.buffer, c.buffer);
    });
    client.submit(commands).unwrap();
}

#[test]
fn half_a_barrier_is_not_enough_and_the_next_submission_is_none() {
    let name = "order::half_a_barrier_is_not_enough_and_the_next_submission_is_none";
    if let Some(events) = with_options(name, checked()) {
        let all: Vec<_> = found(&events).iter().map(|one| one.message.clone()).collect();
        let ends = [
            "which dispatch 1 wrote: a barrier orders the two, but does not make available what was written (its first access mask)",
            "which dispatch 3 wrote: a barrier orders the two, but does not make visible what was written (its second access mask)",
            // Another submission is no order: a write after a write, and after a read.
            "which dispatch 3 wrote: nothing orders the two",
            "which dispatch 4 read: nothing orders the two",
        ];
        assert_eq!(all.len(), ends.len(), "{all:#?}");
        for (message, end) in all.iter().zip(ends) {
            assert!(message.ends_with(end), "{message}");
        }
        return;
    }
    let client = Client::new(&[], None);
    let next = Next::new(&client);
    for accesses in [
        (vk::AccessFlags::empty(), vk::AccessFlags::empty()),
        (vk::AccessFlags::SHADER_WRITE, vk::AccessFlags::SHADER_WRITE),
    ] {
        let [a, b, c] = buffers(&client);
        let commands = client.record(|buffer| {
            next.dispatch(buffer, a.buffer, b.buffer);
            barrier(&client, buffer, SHADERS, accesses);
            next.dispatch(buffer, b.buffer, c.buffer);
        });
        if accesses.0.is_empty() {
            client.submit(commands).unwrap();
            continue;
        }
        // Two submissions, and nobody waits between them.
        let fill = client.record(|buffer| unsafe {
            client.device.cmd_fill_buffer(buffer, b.buffer, 0, vk::WHOLE_SIZE, 5);
        });
        for commands in [commands, fill] {
            let buffers = [commands];
            let info = vk::SubmitInfo::default().command_buffers(&buffers);
            unsafe { client.device.queue_submit(client.queue, &[info], vk::Fence::null()).unwrap() };
        }
    }
    unsafe { client.device.device_wait_idle().unwrap() };
}

/// A buffer in memory of the second type, which is never mapped.
fn unmapped(client: &Client) -> vk::Buffer {
    let usage = vk::BufferUsageFlags::STORAGE_BUFFER
        | vk::BufferUsageFlags::TRANSFER_SRC
        | vk::BufferUsageFlags::TRANSFER_DST
        | vk::BufferUsageFlags::INDIRECT_BUFFER;
    unsafe {
        let info = vk::BufferCreateInfo::default().size(64).usage(usage);
        let buffer = client.device.create_buffer(&info, None).unwrap();
        let info = vk::MemoryAllocateInfo::default().allocation_size(64).memory_type_index(1);
        let memory = client.device.allocate_memory(&info, None).unwrap();
        client.device.bind_buffer_memory(buffer, memory, 0).unwrap();
        buffer
    }
}

fn all_barrier(client: &Client, buffer: vk::CommandBuffer) {
    let all = vk::PipelineStageFlags::ALL_COMMANDS;
    barrier(client, buffer, (all, all), (ALL, ALL));
}

#[test]
fn memory_that_no_command_wrote_is_found_where_it_matters() {
    let name = "order::memory_that_no_command_wrote_is_found_where_it_matters";
    if let Some(events) = with_options(name, checked()) {
        let all: Vec<String> = events
            .iter()
            .filter_map(|event| match event {
                Event::Finding(found) => {
                    Some(format!("{} in dispatch {}: {}", found.kind, found.dispatch.number, found.message))
                }
                Event::FoundCommand(found) => Some(format!("{}: {}", found.kind, found.message)),
                Event::Misuse { call, message } => panic!("{call}: {message}"),
                _ => None,
            })
            .collect();
        let starts = [
            "uninitialised in dispatch 1:",
            "unwritten-memory: vkCmdCopyBuffer after dispatch 2 copies to memory that the host reads, 64 bytes",
            "unwritten-memory: vkCmdDispatchIndirect after dispatch 2 takes workgroups from 12 bytes",
        ];
        assert_eq!(all.len(), starts.len(), "{all:#?}");
        for (text, start) in all.iter().zip(starts) {
            assert!(text.starts_with(start), "{text}");
        }
        return;
    }
    let client = Client::new(&[], None);
    let next = Next::new(&client);
    let [mapped, ..] = buffers(&client);
    let (never, copied, filled) = (unmapped(&client), unmapped(&client), unmapped(&client));
    let region = [vk::BufferCopy::default().size(64)];
    let commands = client.record(|buffer| unsafe {
        // A copy of nothing is nothing yet: dispatch 1 stores it.
        client.device.cmd_copy_buffer(buffer, never, copied, &region);
        all_barrier(&client, buffer);
        next.dispatch(buffer, copied, mapped.buffer);
        client.device.cmd_fill_buffer(buffer, filled, 0, vk::WHOLE_SIZE, 1);
        all_barrier(&client, buffer);
        client.device.cmd_copy_buffer(buffer, filled, copied, &region);
        all_barrier(&client, buffer);
        next.dispatch(buffer, copied, mapped.buffer);
        all_barrier(&client, buffer);
        client.device.cmd_copy_buffer(buffer, never, mapped.buffer, &region);
        client.device.cmd_dispatch_indirect(buffer, never, 0);
    });
    client.submit(commands).unwrap();
}
