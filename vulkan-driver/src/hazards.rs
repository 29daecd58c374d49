//! Which commands are ordered with which (Vulkan, "Synchronization and Cache Control", "Memory Dependencies"): for each range of memory who wrote it
//! last and who has read it since, and how far barriers, events and semaphores have carried that.
//!
//! A read after a write needs the write to be available and visible to it. A write after a write needs the first one to be available, a write after
//! a read needs order alone ("Memory Model", Location-Ordered). Atomic operations of two commands need no order between them.

pub mod scopes;

use std::collections::BTreeMap;
use std::ops::Range;

use rustc_hash::{FxHashMap, FxHashSet};
use smallvec::SmallVec;

use scopes::{EVERYTHING, Scope, Stages, Uses};

/// The number of a command, in the order in which commands ran.
pub type Number = u64;

/// An access of a command to a range of memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Access {
    pub memory: u64,
    pub range: Range<u64>,
    pub stage: Stages,
    /// One that writes; or one of these that reads.
    pub uses: Uses,
    pub writes: bool,
    pub atomic: bool,
}

/// What lacks between two accesses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lack {
    /// Nothing orders their execution.
    Order,
    /// They are ordered, but what was written is not made available.
    Available,
    /// It is available, but not visible to what reads.
    Visible,
}

/// Two accesses that nothing puts into an order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub earlier: Number,
    /// What the earlier one did, and what the later one does.
    pub uses: (Uses, Uses),
    pub lack: Lack,
    pub memory: u64,
    /// The first range, and all bytes.
    pub range: Range<u64>,
    pub bytes: u64,
    pub earlier_writes: bool,
    pub later_writes: bool,
}

/// How far an access is carried for commands of a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Reach {
    queue: u64,
    scope: Scope,
}

/// An access that later ones are held against.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Past {
    by: Number,
    queue: u64,
    stage: Stages,
    uses: Uses,
    atomic: bool,
    available: bool,
    reach: SmallVec<[Reach; 1]>,
}

/// What happened to a range.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct Span {
    end: u64,
    write: Option<Past>,
    /// Since the write, the last read of each queue and stage: who is ordered after that is ordered after those before.
    reads: SmallVec<[Past; 1]>,
}

/// Where a semaphore was signalled.
#[derive(Clone, Copy, Debug)]
struct Point {
    queue: u64,
    number: Number,
}

/// What carries accesses on: those of a queue up to a command, to what comes later in another or the same.
struct Carry<'a> {
    from: Point,
    source: Scope,
    to: u64,
    target: Scope,
    /// The memory that is made available and visible; all of it without.
    within: Option<&'a (u64, Range<u64>)>,
}

impl Past {
    fn reach(&self, queue: u64) -> Scope {
        self.reach.iter().find(|reach| reach.queue == queue).map_or(Scope::default(), |reach| reach.scope)
    }

    /// Whether it is among what is carried on: itself, or by what was carried to there.
    fn is_before(&self, from: Point, source: Scope) -> bool {
        let own = self.queue == from.queue && source.stages & self.stage != 0;
        self.by <= from.number && (own || self.reach(from.queue).stages & source.stages != 0)
    }

    fn carry(&mut self, carry: &Carry<'_>, inside: bool) {
        if !self.is_before(carry.from, carry.source) {
            return;
        }
        let own = self.queue == carry.from.queue && carry.source.stages & self.stage != 0;
        if inside && own && carry.source.uses & self.uses != 0 {
            self.available = true;
        }
        let uses = if inside && self.available { carry.target.uses } else { 0 };
        let stages = carry.target.stages;
        match self.reach.iter_mut().find(|reach| reach.queue == carry.to) {
            Some(reach) => {
                reach.scope.stages |= stages;
                reach.scope.uses |= uses;
            }
            None => self.reach.push(Reach { queue: carry.to, scope: Scope { stages, uses } }),
        }
    }
}

/// All that is known.
#[derive(Debug, Default)]
pub struct Hazards {
    last: Number,
    memories: FxHashMap<u64, BTreeMap<u64, Span>>,
    /// With what is before the signal.
    semaphores: FxHashMap<u64, Vec<(Point, Scope)>>,
    fences: FxHashMap<u64, Point>,
    /// When events were set, and at what stages.
    events: FxHashMap<u64, (Point, Stages)>,
}

impl Hazards {
    /// A command of a queue begins: its number.
    pub fn begin(&mut self) -> Number {
        self.last += 1;
        self.last
    }

    /// Judges the accesses of a command, and keeps them for those that follow.
    pub fn command(&mut self, queue: u64, by: Number, accesses: &[Access]) -> Vec<Conflict> {
        let mut conflicts = Vec::new();
        for access in accesses {
            self.judge(queue, by, access, &mut conflicts);
        }
        // A command that reads and writes a byte has written it.
        let (writes, reads): (Vec<_>, Vec<_>) = accesses.iter().partition(|access| access.writes);
        for access in reads.into_iter().chain(writes) {
            self.keep(queue, by, access);
        }
        conflicts
    }

    fn judge(&self, queue: u64, by: Number, access: &Access, conflicts: &mut Vec<Conflict>) {
        let Some(spans) = self.memories.get(&access.memory) else { return };
        let Range { start, end } = access.range;
        let first = spans.range(..=start).next_back().map_or(start, |(from, _)| *from);
        for (from, span) in spans.range(first..end) {
            let range = start.max(*from)..end.min(span.end);
            if range.is_empty() {
                continue;
            }
            let mut found = |past: &Past, lack: Lack, earlier_writes: bool| {
                let bytes = range.end - range.start;
                let same = conflicts.iter_mut().find(|known| {
                    (known.earlier, known.memory) == (past.by, access.memory)
                        && (known.earlier_writes, known.later_writes) == (earlier_writes, access.writes)
                });
                match same {
                    Some(known) => {
                        known.bytes += bytes;
                        known.lack = known.lack.min(lack);
                        if known.range.end == range.start {
                            known.range.end = range.end;
                        }
                    }
                    None => conflicts.push(Conflict {
                        earlier: past.by,
                        uses: (past.uses, access.uses),
                        lack,
                        memory: access.memory,
                        range: range.clone(),
                        bytes,
                        earlier_writes,
                        later_writes: access.writes,
                    }),
                }
            };
            if let Some(write) = span.write.as_ref().filter(|write| write.by != by)
                && !(write.atomic && access.atomic)
            {
                let reach = write.reach(queue);
                let lack = if reach.stages & access.stage == 0 {
                    Some(Lack::Order)
                } else if !write.available {
                    Some(Lack::Available)
                } else if !access.writes && reach.uses & access.uses == 0 {
                    Some(Lack::Visible)
                } else {
                    None
                };
                if let Some(lack) = lack {
                    found(write, lack, true);
                }
            }
            for read in span.reads.iter().filter(|read| access.writes && read.by != by) {
                if read.reach(queue).stages & access.stage == 0 {
                    found(read, Lack::Order, false);
                }
            }
        }
    }

    fn keep(&mut self, queue: u64, by: Number, access: &Access) {
        let spans = self.memories.entry(access.memory).or_default();
        let Range { start, end } = access.range;
        if start >= end {
            return;
        }
        split(spans, start);
        split(spans, end);
        let past = Past {
            by,
            queue,
            stage: access.stage,
            uses: access.uses,
            atomic: access.atomic,
            available: false,
            reach: SmallVec::new(),
        };
        let old: Vec<(u64, Span)> =
            spans.range(start..end).map(|(from, span)| (*from, span.clone())).collect();
        for (from, _) in &old {
            spans.remove(from);
        }
        if access.writes {
            let write = Some(past);
            spans.insert(start, Span { end, write, reads: SmallVec::new() });
            return;
        }
        let read = |span: &mut Span| match span
            .reads
            .iter_mut()
            .find(|read| (read.queue, read.stage) == (queue, past.stage))
        {
            Some(read) => *read = past.clone(),
            None => span.reads.push(past.clone()),
        };
        // What was read by nobody before has a span of its own.
        let mut at = start;
        let mut new: Vec<(u64, Span)> = Vec::new();
        let ends = old.into_iter().chain([(end, Span { end, ..Span::default() })]);
        for (from, mut span) in ends {
            let mut add = |from: u64, mut span: Span| {
                read(&mut span);
                match new.last_mut() {
                    Some((_, last))
                        if last.end == from && last.write == span.write && last.reads == span.reads =>
                    {
                        last.end = span.end;
                    }
                    _ => new.push((from, span)),
                }
            };
            if at < from {
                add(at, Span { end: from, ..Span::default() });
            }
            at = span.end;
            if from < end {
                span.end = span.end.min(end);
                add(from, span);
            }
        }
        spans.extend(new);
    }

    fn carry(&mut self, carry: &Carry<'_>) {
        for (memory, spans) in &mut self.memories {
            // Order does not depend on the memory, so that spans partly inside are cut.
            if let Some((_, range)) = carry.within.filter(|(within, _)| within == memory) {
                split(spans, range.start);
                split(spans, range.end);
            }
            for (from, span) in spans {
                let inside =
                    carry.within.is_none_or(|(within, range)| within == memory && range.contains(from));
                if let Some(write) = &mut span.write {
                    write.carry(carry, inside);
                }
                for read in &mut span.reads {
                    read.carry(carry, inside);
                }
            }
        }
    }

    /// A barrier: `within` is the memory of a buffer barrier.
    pub fn barrier(&mut self, queue: u64, source: Scope, target: Scope, within: Option<&(u64, Range<u64>)>) {
        let from = Point { queue, number: self.last };
        self.carry(&Carry { from, source, to: queue, target, within });
    }

    /// An event is set by a command.
    pub fn set_event(&mut self, queue: u64, event: u64, source: Stages) {
        self.events.insert(event, (Point { queue, number: self.last }, source));
    }

    /// A wait for an event, with a barrier between what was before it was set and what follows. Nothing of the device is before a set of the host's.
    pub fn wait_event(
        &mut self,
        queue: u64,
        event: u64,
        (source, target): (Scope, Scope),
        within: Option<&(u64, Range<u64>)>,
    ) {
        if let Some((from, stages)) = self.events.get(&event).copied() {
            let source = Scope { stages: source.stages & stages, ..source };
            self.carry(&Carry { from, source, to: queue, target, within });
        }
    }

    /// An event that the host sets or resets.
    pub fn host_event(&mut self, event: u64) {
        self.events.remove(&event);
    }

    /// A submission signals a semaphore, after the stages of its commands that it names.
    pub fn signal(&mut self, queue: u64, semaphore: u64, source: Scope) {
        let points = self.semaphores.entry(semaphore).or_default();
        // What came before with the same stages is included; with others it may have more.
        points.retain(|(point, known)| point.queue != queue || *known != source);
        points.push((Point { queue, number: self.last }, source));
    }

    /// A binary semaphore was waited for.
    pub fn unsignal(&mut self, semaphore: u64) {
        self.semaphores.remove(&semaphore);
    }

    /// A submission waits for a semaphore at its begin.
    pub fn wait(&mut self, queue: u64, semaphore: u64, target: Scope) {
        for (from, source) in self.semaphores.get(&semaphore).cloned().unwrap_or_default() {
            self.carry(&Carry { from, source, to: queue, target, within: None });
        }
    }

    /// A submission signals a fence.
    pub fn fence(&mut self, queue: u64, fence: u64) {
        self.fences.insert(fence, Point { queue, number: self.last });
    }

    /// The host has seen a fence signalled.
    pub fn seen_fence(&mut self, fence: u64) {
        if let Some(point) = self.fences.remove(&fence) {
            self.settle(point, EVERYTHING);
        }
    }

    /// The host has seen a timeline semaphore signalled.
    pub fn seen_semaphore(&mut self, semaphore: u64) {
        for (point, source) in self.semaphores.get(&semaphore).cloned().unwrap_or_default() {
            self.settle(point, source);
        }
    }

    /// The host has seen a queue idle.
    pub fn seen_idle(&mut self, queue: u64) {
        self.settle(Point { queue, number: self.last }, EVERYTHING);
    }

    /// What has ended before the host went on is before everything that it submits from now on.
    fn settle(&mut self, point: Point, source: Scope) {
        for spans in self.memories.values_mut() {
            for span in spans.values_mut() {
                if span.write.as_ref().is_some_and(|write| write.is_before(point, source)) {
                    span.write = None;
                }
                span.reads.retain(|read| !read.is_before(point, source));
            }
            spans.retain(|_, span| span.write.is_some() || !span.reads.is_empty());
        }
        self.memories.retain(|_, spans| !spans.is_empty());
    }

    /// Memory that is freed.
    pub fn forget(&mut self, memory: u64) {
        self.memories.remove(&memory);
    }

    /// The commands that later ones may still be held against.
    pub fn kept(&self) -> FxHashSet<Number> {
        let spans = self.memories.values().flat_map(BTreeMap::values);
        spans.flat_map(|span| span.write.iter().chain(&span.reads)).map(|past| past.by).collect()
    }
}

/// Makes a place a boundary of spans.
fn split(spans: &mut BTreeMap<u64, Span>, at: u64) {
    let Some((_, span)) = spans.range_mut(..at).next_back() else { return };
    if span.end > at {
        let rest = span.clone();
        span.end = at;
        spans.insert(at, rest);
    }
}

#[cfg(test)]
mod tests;
