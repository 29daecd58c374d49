//! Submissions: commands run, in order, as soon as what they wait for is signalled. They run in the call that makes them ready.

use std::ops::Range;
use std::sync::Arc;

use ash::vk::{self, BufferUsageFlags};

use crate::commands::{Command, Groups, Stage};
use crate::driver::{CHANGED, Driver};
use crate::fault::Fault;
use crate::hazards::scopes;
use crate::objects::Submission;

/// Secondary command buffers in secondary command buffers, at most.
const DEPTH: u32 = 8;

impl Driver {
    /// Takes submissions, and runs what is ready.
    pub fn submit(&mut self, queue: u64, submissions: Vec<Submission>, fence: u64) -> Result<(), Fault> {
        let handle = self.pointers.handle(queue);
        let device = self.queues.get(handle)?.device;
        if self.devices.get(device)?.lost {
            return Err(Fault::plain(vk::Result::ERROR_DEVICE_LOST));
        }
        if fence != 0 && self.fences.get(fence)?.signaled {
            return Err(Fault::misuse("the fence is signalled already: reset it first"));
        }
        for submission in &submissions {
            for (semaphore, _) in submission.waits.iter().chain(&submission.signals) {
                self.semaphores.get(*semaphore)?;
            }
            for buffer in &submission.buffers {
                let buffer = self.command_buffer(*buffer)?;
                if buffer.stage != Stage::Executable {
                    return Err(Fault::misuse(
                        "a command buffer is submitted that is not executable: it was not ended, was reset, or a command could not be recorded",
                    ));
                }
            }
        }
        let queue = self.queues.get_mut(handle)?;
        queue.pending.extend(submissions);
        if fence != 0 {
            queue.pending.push_back(Submission { fence, ..Submission::default() });
        }
        self.advance()?;
        if self.devices.get(device)?.lost {
            return Err(Fault::plain(vk::Result::ERROR_DEVICE_LOST));
        }
        Ok(())
    }

    /// Runs every submission that is ready.
    pub fn advance(&mut self) -> Result<(), Fault> {
        let mut outcome = Ok(());
        loop {
            let queues: Vec<u64> = self.queues.iter().map(|(handle, _)| handle).collect();
            let mut ran = false;
            for queue in queues {
                while let Some(submission) = self.next(queue) {
                    ran = true;
                    if let Err(fault) = self.run(queue, submission) {
                        outcome = Err(fault);
                    }
                }
            }
            if !ran {
                break;
            }
        }
        CHANGED.notify_all();
        outcome
    }

    /// The submission of a queue that comes next, if it is ready.
    fn next(&mut self, queue: u64) -> Option<Submission> {
        let first = self.queues.get(queue).ok()?.pending.front()?.clone();
        // A semaphore that is gone will not be signalled any more.
        let ready =
            first.waits.iter().all(|(semaphore, value)| self.is_signaled(*semaphore, *value).unwrap_or(true));
        if !ready {
            return None;
        }
        self.queues.get_mut(queue).ok()?.pending.pop_front()
    }

    fn run(&mut self, queue: u64, submission: Submission) -> Result<(), Fault> {
        let device = self.queues.get(queue)?.device;
        let before = self.dispatches;
        // Whatever is wrong, the fence and the semaphores are signalled at the end: who waits shall go on.
        let mut outcome = Ok(());
        for (number, (semaphore, _)) in submission.waits.iter().enumerate() {
            let stages =
                submission.stages.get(number).map_or(scopes::EVERYTHING, |one| scopes::waiting(*one));
            self.hazards.wait(queue, *semaphore, stages);
            let consumed = self.consume(*semaphore);
            outcome = outcome.and(consumed);
        }
        for buffer in &submission.buffers {
            if self.devices.get(device)?.lost {
                break;
            }
            let known = self.command_buffer(*buffer).map(|known| (known.commands.clone(), known.one_time));
            let (commands, one_time) = match known {
                Ok(known) => known,
                Err(fault) => {
                    outcome = Err(fault);
                    continue;
                }
            };
            if let Err(fault) = self.run_commands(queue, &commands, 0) {
                self.devices.get_mut(device)?.lost = true;
                outcome = Err(fault);
            }
            if one_time {
                let handle = self.pointers.handle(*buffer);
                if let Ok(buffer) = self.command_buffers.get_mut(handle) {
                    buffer.stage = Stage::Invalid;
                }
            }
        }
        if self.dispatches != before {
            self.report_progress();
        }
        for (number, (semaphore, value)) in submission.signals.iter().enumerate() {
            let after = submission.signal_stages.get(number);
            let after = after.map_or(scopes::EVERYTHING, |stages| scopes::signalling(*stages));
            self.hazards.signal(queue, *semaphore, after);
            let signalled = self.signal(*semaphore, *value);
            outcome = outcome.and(signalled);
        }
        if submission.fence != 0 {
            self.hazards.fence(queue, submission.fence);
            self.fences.get_mut(submission.fence)?.signaled = true;
        }
        outcome
    }

    /// A fill, an update or a clear has written.
    pub fn cleared(&mut self, queue: u64, call: &str, memory: u64, range: Range<u64>) {
        self.wrote(memory, range.clone());
        let write = Driver::access(memory, range, scopes::CLEAR, scopes::CLEAR_WRITE);
        self.transferred(queue, call, &[write]);
    }

    fn run_commands(&mut self, queue: u64, commands: &Arc<Vec<Command>>, depth: u32) -> Result<(), Fault> {
        for command in commands.iter() {
            match command {
                Command::Dispatch { bound, groups } => {
                    let mut first = [0; 3];
                    let groups = match groups {
                        Groups::Direct(groups) => *groups,
                        Groups::From(base, groups) => {
                            first = *base;
                            *groups
                        }
                        Groups::Indirect(buffer, offset) => {
                            let (memory, block, start, end) = self.range(*buffer, *offset, 12)?;
                            let call = "vkCmdDispatchIndirect";
                            let read =
                                Driver::access(memory, start..end, scopes::INDIRECT, scopes::INDIRECT_READ);
                            self.transferred(queue, call, &[read]);
                            self.expect_written(call, memory, &(start..end));
                            let word = |index: u64| {
                                let mut bytes = [0; 4];
                                block.read(start + 4 * index, &mut bytes);
                                u32::from_le_bytes(bytes)
                            };
                            [word(0), word(1), word(2)]
                        }
                    };
                    self.run_dispatch(queue, bound, first, groups)?;
                }
                Command::Copy { source, target, regions } => {
                    let (from, to) = (BufferUsageFlags::TRANSFER_SRC, BufferUsageFlags::TRANSFER_DST);
                    self.expect_usage("vkCmdCopyBuffer", *source, from, "TRANSFER_SRC");
                    self.expect_usage("vkCmdCopyBuffer", *target, to, "TRANSFER_DST");
                    let mut accesses = Vec::new();
                    for region in regions {
                        let (source, from, start, end) =
                            self.range(*source, region.src_offset, region.size)?;
                        let (target, to, at, until) = self.range(*target, region.dst_offset, region.size)?;
                        to.write(at, &from.bytes(start, end - start));
                        accesses.push(Driver::access(source, start..end, scopes::COPY, scopes::COPY_READ));
                        accesses.push(Driver::access(target, at..until, scopes::COPY, scopes::COPY_WRITE));
                        self.copied("vkCmdCopyBuffer", (source, start..end), (target, at));
                    }
                    self.transferred(queue, "vkCmdCopyBuffer", &accesses);
                }
                Command::CopyBufferImage { buffer, image, regions, to_image } => {
                    self.copy_buffer_image(queue, *buffer, *image, regions, *to_image)?;
                }
                Command::CopyImage { source, target, regions } => {
                    self.copy_image(queue, *source, *target, regions)?;
                }
                Command::ClearImage { image, color, ranges } => {
                    self.clear_image(queue, *image, *color, ranges)?;
                }
                Command::Fill { target, offset, size, word } => {
                    let (memory, block, start, end) = self.range(*target, *offset, *size)?;
                    let size = if *size == vk::WHOLE_SIZE { (end - start) / 4 * 4 } else { end - start };
                    block.write(start, &word.to_le_bytes().repeat((size / 4) as usize));
                    self.cleared(queue, "vkCmdFillBuffer", memory, start..start + size);
                }
                Command::Update { target, offset, bytes } => {
                    let (memory, block, start, end) = self.range(*target, *offset, bytes.len() as u64)?;
                    block.write(start, bytes);
                    self.cleared(queue, "vkCmdUpdateBuffer", memory, start..end);
                }
                Command::Execute(buffers) => {
                    if depth == DEPTH {
                        return Err(Fault::misuse(format!(
                            "command buffers execute each other more than {DEPTH} deep"
                        )));
                    }
                    for buffer in buffers {
                        let commands = self.command_buffer(*buffer)?.commands.clone();
                        self.run_commands(queue, &commands, depth + 1)?;
                    }
                }
                Command::Barriers(barriers) => {
                    for barrier in barriers {
                        self.pass_barrier(queue, barrier, None);
                    }
                }
                Command::SetEvent(event, set, stages) => {
                    *self.events.get_mut(*event)? = *set;
                    if *set {
                        self.hazards.set_event(queue, *event, *stages);
                    }
                }
                Command::WaitEvents(events) => {
                    for (event, barriers) in events {
                        if !*self.events.get(*event)? {
                            return Err(Fault::missing(
                                "vkCmdWaitEvents for an event that the host sets after the submission",
                            ));
                        }
                        for barrier in barriers.iter() {
                            self.pass_barrier(queue, barrier, Some(*event));
                        }
                    }
                }
                Command::ResetQueries { pool, first, count } => self.reset_queries(*pool, *first, *count)?,
                Command::Timestamp { pool, query } => self.write_timestamp(*pool, *query)?,
                Command::CopyQueries { pool, first, count, target, offset, stride, flags } => {
                    let (memory, block, start, _) = self.range(*target, *offset, vk::WHOLE_SIZE)?;
                    let mut accesses = Vec::new();
                    let (results, _) = self.query_results(*pool, *first, *count, *stride, *flags)?;
                    for (at, bytes) in results {
                        self.range(*target, *offset + at, bytes.len() as u64)?;
                        block.write(start + at, &bytes);
                        let range = start + at..start + at + bytes.len() as u64;
                        self.wrote(memory, range.clone());
                        accesses.push(Driver::access(memory, range, scopes::COPY, scopes::COPY_WRITE));
                    }
                    self.transferred(queue, "vkCmdCopyQueryPoolResults", &accesses);
                }
                Command::BeginLabel(label) => self.queues.get_mut(queue)?.labels.push(label.clone()),
                Command::EndLabel => {
                    self.queues.get_mut(queue)?.labels.pop();
                }
            }
        }
        Ok(())
    }
}
