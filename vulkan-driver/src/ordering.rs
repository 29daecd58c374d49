//! What commands do to memory in checked mode: commands that nothing orders, and memory that nobody wrote, are told.

use std::ops::Range;

use ash::vk::ImageLayout;
use coopmat_driver_report::{Event, FoundCommand, InDispatch};
use coopmat_simulator::observer::AccessKind;
use coopmat_simulator::{BufferId, Settings};

use crate::bound_images::PlacedImage;
use crate::commands::{Barrier, Transition};
use crate::driver::{Driver, ERROR, Message};
use crate::hazards::scopes::{self, Stages, Uses};
use crate::hazards::{Access, Conflict, Lack, Number};
use crate::pipelines::Pipeline;
use crate::placing::Placed;
use crate::ran::Ran;
use crate::watched::Watched;

/// Commands that are remembered before those are dropped that nothing can be held against any more.
const REMEMBERED: usize = 1024;

/// Commands that nothing orders, or not enough.
const MISSING_BARRIER: &str = "missing-pipeline-barrier";
/// Bytes that are read before anybody wrote them.
const UNWRITTEN: &str = "unwritten-memory";

/// `dispatch 3 of gemm in layer 1`
fn named(dispatch: &InDispatch) -> String {
    let of = dispatch.pipeline.as_ref().map_or(String::new(), |name| format!(" of {name}"));
    let labels = match dispatch.labels.is_empty() {
        true => String::new(),
        false => format!(" in {}", dispatch.labels.join(", ")),
    };
    format!("dispatch {}{of}{labels}", dispatch.number)
}

impl Driver {
    /// Whether commands are watched.
    pub fn watches(&self) -> bool {
        self.options.checked
    }

    /// A transfer has run, or the read of an indirect dispatch: what it accessed.
    pub fn transferred(&mut self, queue: u64, call: &str, accesses: &[Access]) {
        if !self.watches() {
            return;
        }
        let text = match self.dispatches {
            0 => format!("{call} before the first dispatch"),
            number => format!("{call} after dispatch {number}"),
        };
        let ran = Ran { text, key: call.to_owned(), module: None, instructions: Vec::new() };
        let number = self.hazards.begin();
        self.ran(queue, number, ran, accesses);
    }

    /// A checked dispatch has run.
    pub fn dispatched(
        &mut self,
        (queue, handle): (u64, u64),
        pipeline: &Pipeline,
        dispatch: &InDispatch,
        placed: &[Placed],
        watched: &Watched,
    ) {
        let mut accesses = Vec::new();
        let mut instructions = Vec::new();
        for one in placed {
            let Some(index) = one.index else { continue };
            let moved = |range: Range<u64>| range.start + one.start..range.end + one.start;
            for kind in [AccessKind::Read, AccessKind::Write, AccessKind::Atomic] {
                let writes = kind != AccessKind::Read;
                let uses = if writes { scopes::STORAGE_WRITE } else { one.uses };
                for range in watched.ranges(index, kind) {
                    let range = moved(range);
                    if writes {
                        self.wrote(one.memory, range.clone());
                    }
                    accesses.push(Access {
                        memory: one.memory,
                        range,
                        stage: scopes::COMPUTE,
                        uses,
                        writes,
                        atomic: kind == AccessKind::Atomic,
                    });
                }
            }
            let all = watched.instructions(index).into_iter();
            instructions
                .extend(all.map(|(number, writes, range)| (one.memory, moved(range), writes, number)));
        }
        let ran = Ran {
            text: named(dispatch),
            key: format!("{handle:#x}"),
            module: Some(pipeline.module.clone()),
            instructions,
        };
        let number = self.hazards.begin();
        self.ran(queue, number, ran, &accesses);
    }

    /// A dispatch that is not checked: it may have written all that it could.
    pub fn dispatched_unseen(&mut self, placed: &[Placed]) {
        for one in placed.iter().filter(|one| one.written) {
            self.wrote(one.memory, one.start..one.end);
        }
    }

    fn ran(&mut self, queue: u64, number: Number, ran: Ran, accesses: &[Access]) {
        let conflicts = self.hazards.command(queue, number, accesses);
        for conflict in &conflicts {
            self.tell_conflict(&ran, conflict);
        }
        if self.ran.len() >= REMEMBERED {
            let kept = self.hazards.kept();
            self.ran.retain(|number, _| kept.contains(number));
        }
        self.ran.insert(number, ran);
    }

    /// A range of memory in words: of which buffer or image, and its handle.
    fn in_words(&self, memory: u64, range: &Range<u64>, bytes: u64) -> (String, u64) {
        let inside = self.buffers.iter().filter_map(|(handle, buffer)| {
            let (of, start) = buffer.bound?;
            let holds = of == memory && start <= range.start && range.start < start + buffer.size;
            let whole = range.end <= start + buffer.size;
            holds.then(|| (self.name(handle), whole, handle, start))
        });
        let images = self.images.iter().filter_map(|(handle, image)| {
            let (of, start) = image.bound?;
            let end = start + image.size();
            let holds = of == memory && start <= range.start && range.start < end;
            holds.then(|| (self.name(handle), range.end <= end, handle, start))
        });
        let inside = inside.map(|one| ("buffer", one)).chain(images.map(|one| ("image", one)));
        let found = inside.max_by_key(|(_, (name, whole, handle, _))| (*whole, name.is_some(), *handle));
        let (what, handle, start) = match found {
            Some((kind, (Some(name), _, handle, start))) => (format!("{kind} {name}"), handle, start),
            Some((kind, (None, _, handle, start))) => (format!("the {kind} {handle:#x}"), handle, start),
            None => (format!("the memory {memory:#x}"), memory, 0),
        };
        let length = range.end - range.start;
        let more =
            if bytes > length { format!(" and {} bytes further on", bytes - length) } else { String::new() };
        let counted = if length == 1 { "1 byte".to_owned() } else { format!("{length} bytes") };
        (format!("{counted} from byte {} of {what}{more}", range.start - start), handle)
    }

    fn tell_conflict(&mut self, later: &Ran, conflict: &Conflict) {
        let Some(earlier) = self.ran.get(&conflict.earlier) else { return };
        let (what, buffer) = self.in_words(conflict.memory, &conflict.range, conflict.bytes);
        let does = if conflict.later_writes { "writes" } else { "reads" };
        let did = if conflict.earlier_writes { "wrote" } else { "read" };
        let why = match conflict.lack {
            Lack::Order => "nothing orders the two",
            Lack::Available => {
                "a barrier orders the two, but does not make available what was written (its first access mask)"
            }
            Lack::Visible => {
                "a barrier orders the two, but does not make visible what was written (its second access mask)"
            }
        };
        let (first, second) = conflict.uses;
        let advice = match (conflict.earlier_writes, conflict.later_writes) {
            (false, _) => format!(
                "a barrier from the stage {} to the stage {} between them is enough, without accesses",
                scopes::stage_words(first),
                scopes::stage_words(second)
            ),
            (true, _) => format!(
                "a barrier from {} to {} between them is enough",
                scopes::words(first),
                scopes::words(second)
            ),
        };
        let byte = conflict.range.start;
        let found = FoundCommand {
            kind: MISSING_BARRIER.to_owned(),
            message: format!("{} {does} {what}, which {} {did}: {why}", later.text, earlier.text),
            advice,
            place: later.place(conflict.memory, byte, conflict.later_writes),
            other: earlier.place(conflict.memory, byte, conflict.earlier_writes),
        };
        let key = format!("{MISSING_BARRIER} {} {} {buffer:#x} {does} {did}", later.key, earlier.key);
        self.tell_command(key, found);
    }

    fn tell_command(&mut self, key: String, found: FoundCommand) {
        if let Some(number) = self.findings.get(&key) {
            let finding = *number;
            self.report(Event::Again { finding, times: 1 });
            return;
        }
        let number = self.findings.len() as u64;
        self.findings.insert(key, number);
        let text = format!("{}: {}; {}", found.kind, found.message, found.advice);
        self.messages.push(Message { severity: ERROR, id: "coopmat-finding", text });
        self.report(Event::FoundCommand(found));
    }

    /// Carries out a barrier's part in what is known.
    pub fn pass_barrier(&mut self, queue: u64, barrier: &Barrier, event: Option<u64>) {
        // The barrier of a buffer or an image that has no memory orders, and that is all.
        let nowhere = || vec![Some((0, 0..0))];
        let within = match (barrier.buffer, barrier.image) {
            (Some((buffer, offset, size)), _) => match self.range(buffer, offset, size) {
                Ok((memory, _, start, end)) => vec![Some((memory, start..end))],
                Err(_) => nowhere(),
            },
            (None, Some(Transition { image, parts, .. })) => {
                let known = self.images.get(image).ok();
                known.and_then(|known| known.bound.map(|bound| (known, bound))).map_or_else(
                    nowhere,
                    |(known, (memory, start))| {
                        let ranges = known.ranges(parts);
                        ranges.map(|range| Some((memory, range.start + start..range.end + start))).collect()
                    },
                )
            }
            (None, None) => vec![None],
        };
        let scopes = (barrier.source, barrier.target);
        for within in &within {
            match event {
                Some(event) => self.hazards.wait_event(queue, event, scopes, within.as_ref()),
                None => self.hazards.barrier(queue, scopes.0, scopes.1, within.as_ref()),
            }
        }
        if let Some(Transition { image, parts, from, to }) = barrier.image {
            // What the image held is not kept (Vulkan, "Image Layout Transitions").
            if from == ImageLayout::UNDEFINED {
                for (memory, range) in within.into_iter().flatten() {
                    self.forget(memory, range);
                }
            }
            self.transition(image, parts, from, to);
        }
    }

    /// Bytes have a value from now on.
    pub fn wrote(&mut self, memory: u64, range: Range<u64>) {
        if let Ok(memory) = self.memories.get_mut(memory)
            && let Some(written) = &mut memory.written
        {
            written.insert(range);
        }
    }

    /// Bytes have no value any more.
    fn forget(&mut self, memory: u64, range: Range<u64>) {
        if let Ok(memory) = self.memories.get_mut(memory)
            && let Some(written) = &mut memory.written
        {
            written.remove(range);
        }
    }

    /// Bytes are copied: what nobody wrote stays so, as far as the host cannot see it.
    pub fn copied(&mut self, call: &str, (from, range): (u64, Range<u64>), (to, start): (u64, u64)) {
        let known = self.memories.get(from).ok().and_then(|memory| memory.written.as_ref());
        let parts: Vec<Range<u64>> = match known {
            Some(written) => written.inside(range.clone()).collect(),
            None => vec![range.clone()],
        };
        let end = start + (range.end - range.start);
        let watches = self.watches();
        let Ok(target) = self.memories.get_mut(to) else { return };
        match &mut target.written {
            Some(written) => {
                written.remove(start..end);
                for part in parts {
                    written.insert(part.start - range.start + start..part.end - range.start + start);
                }
            }
            None if parts.is_empty() && watches && !range.is_empty() => {
                self.tell_unwritten(call, from, &range, "copies to memory that the host reads,");
            }
            None => {}
        }
    }

    /// The words of an indirect dispatch.
    pub fn expect_written(&mut self, call: &str, memory: u64, range: &Range<u64>) {
        let written = self.memories.get(memory).ok().and_then(|memory| memory.written.as_ref());
        if written.is_some_and(|written| !written.has_all(range.clone())) {
            self.tell_unwritten(call, memory, range, "takes workgroups from");
        }
    }

    fn tell_unwritten(&mut self, call: &str, memory: u64, range: &Range<u64>, does: &str) {
        let (what, buffer) = self.in_words(memory, range, range.end - range.start);
        let found = FoundCommand {
            kind: UNWRITTEN.to_owned(),
            message: format!(
                "{call} after dispatch {} {does} {what}, which no command wrote, in memory that was never mapped",
                self.dispatches
            ),
            advice: "write the bytes before, with vkCmdFillBuffer, a copy or a shader".to_owned(),
            place: None,
            other: None,
        };
        self.tell_command(format!("{UNWRITTEN} {call} {buffer:#x}"), found);
    }

    /// Adds to the settings of a checked dispatch what nobody has written so far.
    pub fn with_unwritten(&self, settings: &mut Settings, placed: &[Placed], images: &[PlacedImage]) {
        for PlacedImage { texels, id, .. } in images {
            let memory = self.memories.get(texels.memory).ok();
            let Some(written) = memory.and_then(|memory| memory.written.as_ref()) else { continue };
            let (count, written) = texels.written(written);
            if written.first() != Some(&(0..count)) && count > 0 {
                settings.undefined_images.push(*id);
                settings.written_before.insert_texels(*id, count, written);
            }
        }
        for one in placed {
            let memory = self.memories.get(one.memory).ok();
            let (Some(buffer), Some(written)) =
                (one.buffer, memory.and_then(|memory| memory.written.as_ref()))
            else {
                continue;
            };
            if !written.has_all(one.start..one.end) {
                let parts = written.inside(one.start..one.end);
                let parts = parts.map(|part| part.start - one.start..part.end - one.start);
                add_written(settings, buffer, one.end - one.start, parts);
            }
        }
    }

    /// An access of a transfer.
    pub fn access(memory: u64, range: Range<u64>, stage: Stages, uses: Uses) -> Access {
        let writes = matches!(uses, scopes::COPY_WRITE | scopes::CLEAR_WRITE);
        Access { memory, range, stage, uses, writes, atomic: false }
    }
}

fn add_written(
    settings: &mut Settings,
    buffer: BufferId,
    size: u64,
    parts: impl Iterator<Item = Range<u64>>,
) {
    settings.undefined_buffers.push(buffer);
    settings.written_before.insert(buffer, size, parts);
}
