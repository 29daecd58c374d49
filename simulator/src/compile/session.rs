//! A run of a compiled program: what the module's memory holds, workgroups and barriers, and what the interpreter does for the module. A host has
//! the module and its memory; everything else is here.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use super::compiled::Compiled;
use super::control::{BARRIER, ENDED, SLICE, TOGETHER};
use super::layout::{
    ALLOCATION, ALLOCATION_COUNT, BLOCKS, LIVE, MASK, MEETING, PC, SELECT, SELECTED, STEPS, STEPS_LEFT,
    WAITING, waiting_at,
};
use super::planes::Run;
use super::ready::{Room, Step};
use super::refusal::Refusal;
use super::site::{Site, SiteKind};
use crate::error::RunErrorKind;
use crate::machine::{
    Context, Mask, Registers, Report, Standing, Stop, Workgroup, WorkgroupShared, execute_together,
};
use crate::memory::{
    BUFFERS, Buffer, Heaps, Linear, PUSH_CONSTANTS, Part, Placed, Resources, SHARED, Target,
};
use crate::{RunError, Settings, instructions};

/// What a host has to do next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Next {
    /// Call the module's function with this place of a subgroup.
    Call(u32),
    /// The steps of the slice are used up: look around, then [`CompiledRun::allow`] more.
    Slice,
    /// The workgroup has ended.
    Ended,
}

/// A dispatch of a compiled program: what its runs have in common. Each run has a memory and executes one workgroup at a time.
#[derive(Clone)]
pub struct CompiledDispatch(Arc<Lent>);

/// What the dispatch has from the execution until it ends.
struct Lent {
    compiled: Arc<Compiled>,
    settings: Settings,
    resources: Resources,
    descriptors: Vec<Target>,
    heaps: Heaps,
    groups: [u32; 3],
    places: Vec<Placed>,
    /// Where the first subgroup is, and the end of everything.
    subgroups: u32,
    end: u32,
    /// Steps of all runs.
    spent: AtomicU64,
}

impl Lent {
    fn shared(&self) -> WorkgroupShared<'_> {
        WorkgroupShared {
            program: &self.compiled.program,
            settings: &self.settings,
            buffers: &self.resources.buffers,
            images: &self.resources.images,
            descriptors: &self.descriptors,
            // A shader with images is not compiled.
            samplers: &[],
            heaps: &self.heaps,
            push_constants: &self.resources.push_constants,
            groups: self.groups,
        }
    }
}

impl CompiledDispatch {
    pub(crate) fn new(
        compiled: Arc<Compiled>,
        settings: Settings,
        resources: Resources,
        (descriptors, heaps): (Vec<Target>, Heaps),
        (groups, spent): ([u32; 3], u64),
    ) -> Result<CompiledDispatch, (Refusal, Box<Resources>)> {
        let data = &compiled.program;
        let mut places = vec![Placed::default(); BUFFERS as usize + resources.buffers.len()];
        let mut end = u64::from(compiled.layout.allocations) + places.len() as u64 * u64::from(ALLOCATION);
        let mut put = |place: &mut Placed, size: u64, writable: bool| {
            end = end.next_multiple_of(64);
            *place = Placed { start: end as u32, size: size as u32, writable };
            end = end.saturating_add(size);
        };
        put(&mut places[SHARED as usize], data.shared_size, true);
        put(&mut places[PUSH_CONSTANTS as usize], resources.push_constants.len() as u64, false);
        for (index, buffer) in resources.buffers.iter().enumerate() {
            if buffer.part_of().is_none() {
                put(&mut places[BUFFERS as usize + index], buffer.size(), !buffer.is_constant());
            }
        }
        for (index, buffer) in resources.buffers.iter().enumerate() {
            if let Some(Part { of, first }) = buffer.part_of() {
                let whole = places[BUFFERS as usize + of as usize];
                let start = whole.start + first as u32 * 4;
                places[BUFFERS as usize + index] = Placed { start, size: buffer.size() as u32, ..whole };
            }
        }
        let invocations: u32 = data.interface.workgroup_size.iter().product();
        let count = u64::from(invocations.div_ceil(settings.subgroup_size));
        let subgroups = end.next_multiple_of(64);
        let registers = count.saturating_mul(u64::from(compiled.layout.subgroup));
        let end = registers.saturating_add(subgroups).saturating_add(64);
        if end > u64::from(u32::MAX) - 65_536 || registers.saturating_mul(2) > settings.memory_limit {
            return Err((Refusal::Memory, Box::new(resources)));
        }
        Ok(CompiledDispatch(Arc::new(Lent {
            compiled,
            settings,
            resources,
            descriptors,
            heaps,
            groups,
            places,
            subgroups: subgroups as u32,
            end: end as u32,
            spent: AtomicU64::new(spent),
        })))
    }

    /// A run of its own; its memory is filled by [`CompiledRun::fill`].
    pub fn run(&self) -> CompiledRun {
        let blocks = vec![(0, 0); self.0.compiled.program.blocks as usize];
        CompiledRun {
            lent: self.0.clone(),
            workgroup: Workgroup::default(),
            report: Report { blocks, ..Report::default() },
            stops: Vec::new(),
            current: 0,
            counted: 0,
            error: None,
        }
    }

    /// Workgroups of the dispatch.
    pub fn workgroups(&self) -> u64 {
        self.0.groups.iter().map(|&count| u64::from(count)).product()
    }

    /// Takes together what runs have done. What is not in one of them is as it was before.
    pub fn results(&self) -> Results {
        let blocks = vec![(0, 0); self.0.compiled.blocks as usize];
        Results { left: None, report: Report { blocks, ..Report::default() } }
    }

    /// The resources as they were before.
    pub(crate) fn into_resources(self) -> Resources {
        match Arc::try_unwrap(self.0) {
            Ok(lent) => lent.resources,
            Err(lent) => lent.resources.clone(),
        }
    }
}

/// What runs of a dispatch have done.
pub struct Results {
    /// What buffers that are written hold now; nothing before the first of several runs.
    left: Option<Vec<Vec<u8>>>,
    report: Report,
}

impl Results {
    /// Adds what a run has left in its memory: the bytes that it has changed.
    pub fn add(&mut self, run: &mut CompiledRun, memory: &[u8]) {
        let places = run.lent.places.get(BUFFERS as usize..).unwrap_or_default();
        let buffers = &run.lent.resources.buffers;
        let is_taken = |(buffer, place): (&Buffer, &Placed)| place.writable && buffer.part_of().is_none();
        let bytes = |place: &Placed| {
            let bytes = memory.get(place.start as usize..(place.start + place.size) as usize);
            bytes.unwrap_or_default()
        };
        match &mut self.left {
            None => {
                let taken = buffers.iter().zip(places).map(|one| match is_taken(one) {
                    true => bytes(one.1).to_vec(),
                    false => Vec::new(),
                });
                self.left = Some(taken.collect());
            }
            Some(left) => {
                for ((left, buffer), place) in left.iter_mut().zip(buffers).zip(places) {
                    if is_taken((buffer, place)) {
                        merge(left, &buffer.bytes(), bytes(place));
                    }
                }
            }
        }
        run.count(memory, &mut self.report);
    }

    /// Takes what the only run has left in its memory.
    pub fn take(&mut self, run: &mut CompiledRun, memory: &[u8]) {
        let places = run.lent.places.get(BUFFERS as usize..).unwrap_or_default();
        for (buffer, place) in run.lent.resources.buffers.iter().zip(places) {
            let bytes = memory.get(place.start as usize..(place.start + place.size) as usize);
            buffer.take_from(bytes.unwrap_or_default());
        }
        run.count(memory, &mut self.report);
    }

    /// Puts the buffers back.
    pub(crate) fn finish(self, resources: &Resources) -> Report {
        let left = self.left.unwrap_or_default();
        for (buffer, bytes) in resources.buffers.iter().zip(&left) {
            buffer.take_from(bytes);
        }
        self.report
    }
}

/// Takes over the bytes that somebody else has changed.
fn merge(left: &mut [u8], before: &[u8], made: &[u8]) {
    const STEP: usize = 64;
    for ((left, before), made) in left.chunks_mut(STEP).zip(before.chunks(STEP)).zip(made.chunks(STEP)) {
        if made != before {
            for ((left, before), made) in left.iter_mut().zip(before).zip(made) {
                if made != before {
                    *left = *made;
                }
            }
        }
    }
}

/// One memory, and the workgroup that runs in it, in steps that a host takes with the module.
pub struct CompiledRun {
    lent: Arc<Lent>,
    workgroup: Workgroup,
    report: Report,
    /// For each subgroup of the workgroup: why it does not run.
    stops: Vec<Stop>,
    current: usize,
    /// Steps that the dispatch knows of.
    counted: u64,
    error: Option<RunError>,
}

impl CompiledRun {
    /// The bytes that the module's memory has to have.
    pub fn memory_size(&self) -> u64 {
        u64::from(self.lent.end)
    }

    /// Fills the module's memory, before anything else.
    pub fn fill(&self, memory: &mut [u8]) {
        put(memory, ALLOCATION_COUNT, &(self.lent.places.len() as u32).to_le_bytes());
        for (index, place) in (0u32..).zip(&self.lent.places) {
            let writes = if place.writable { place.size } else { 0 };
            let words = [place.start, place.size, writes, 0];
            for (part, word) in (0u32..).zip(words) {
                let at = self.lent.compiled.layout.allocations + index * ALLOCATION + part * 4;
                put(memory, at, &word.to_le_bytes());
            }
        }
        let pushed = self.lent.places[PUSH_CONSTANTS as usize].start;
        put(memory, pushed, &self.lent.resources.push_constants);
        for (buffer, place) in self.lent.resources.buffers.iter().zip(&self.lent.places[BUFFERS as usize..]) {
            if let Some(bytes) = memory.get_mut(place.start as usize..(place.start + place.size) as usize) {
                buffer.copy_to(bytes);
            }
        }
    }

    /// Adds what was counted.
    fn count(&mut self, memory: &[u8], all: &mut Report) {
        for (number, (counts, traffic)) in
            (0u32..).zip(self.report.blocks.iter_mut().zip(&self.lent.compiled.traffic))
        {
            let (times, lanes) =
                (get64(memory, BLOCKS + number * 16), get64(memory, BLOCKS + number * 16 + 8));
            self.report.counts.bytes_read += traffic[0] * times + traffic[1] * lanes;
            self.report.counts.bytes_written += traffic[2] * times + traffic[3] * lanes;
            counts.0 += times;
            counts.1 += lanes;
        }
        self.report.counts.steps = get64(memory, STEPS);
        let made = std::mem::take(&mut self.report.blocks);
        for ((times, lanes), parts) in made.into_iter().zip(&self.lent.compiled.parts) {
            for &number in &parts.numbers {
                if let Some(counts) = all.blocks.get_mut(number as usize) {
                    counts.0 += times;
                    counts.1 += lanes;
                }
            }
        }
        all.add(&self.report);
    }

    /// Lets the run go on for about so many steps, as far as the dispatch may.
    pub fn allow(&mut self, memory: &mut [u8], steps: u64) {
        let left = self.lent.settings.step_limit.saturating_sub(self.spend(memory));
        put(memory, STEPS_LEFT, &steps.min(left).to_le_bytes());
    }

    /// Tells the dispatch of the steps since the last time; its steps.
    fn spend(&mut self, memory: &[u8]) -> u64 {
        let steps = get64(memory, STEPS);
        let more = steps - std::mem::replace(&mut self.counted, steps);
        self.lent.spent.fetch_add(more, Relaxed) + more
    }

    fn place(&self, subgroup: usize) -> u32 {
        self.lent.subgroups + subgroup as u32 * self.lent.compiled.layout.subgroup
    }

    /// What the host has to do next for the workgroup that was begun.
    pub fn go_on(&mut self, memory: &mut [u8]) -> Result<Next, RunError> {
        loop {
            while let Some(stop) = self.stops.get(self.current) {
                if *stop == Stop::Slice {
                    return Ok(Next::Call(self.place(self.current)));
                }
                self.current += 1;
            }
            self.current = 0;
            if self.stops.iter().all(|stop| *stop == Stop::Ended) {
                return Ok(Next::Ended);
            }
            if self.stops.contains(&Stop::Together) {
                self.execute_together(memory)?;
                continue;
            }
            for stop in &mut self.stops {
                if *stop == Stop::Barrier {
                    *stop = Stop::Slice;
                }
            }
        }
    }

    /// The steps of the slice, or of the whole dispatch, are used up.
    fn pause(&mut self, memory: &[u8]) -> Result<Next, RunError> {
        let limit = self.lent.settings.step_limit;
        if self.spend(memory) >= limit {
            return Err(RunError::new(RunErrorKind::Steps, format!("the run takes more than {limit} steps")));
        }
        Ok(Next::Slice)
    }

    /// Takes what the module's function gave. `true` where the slice ended.
    pub fn returned(&mut self, memory: &mut [u8], status: i32) -> Result<Next, RunError> {
        let stop = match status {
            ENDED => Stop::Ended,
            SLICE => return self.pause(memory),
            BARRIER => Stop::Barrier,
            TOGETHER => Stop::Together,
            _ => {
                return Err(self
                    .error
                    .take()
                    .unwrap_or_else(|| RunError::invalid("execution reaches OpUnreachable")));
            }
        };
        if let Some(slot) = self.stops.get_mut(self.current) {
            *slot = stop;
        }
        self.go_on(memory)
    }

    /// Begins the `index`th workgroup as the interpreter does, and puts what its registers hold into the memory.
    pub fn begin(&mut self, memory: &mut [u8], index: u64) -> Result<(), RunError> {
        let lent = self.lent.clone();
        let data = &lent.compiled.program;
        let id = crate::machine::workgroup_id(&lent.settings, lent.groups, index);
        let shared = lent.shared();
        self.workgroup.start(&shared, id, &mut self.report)?;
        self.current = 0;
        let place = lent.places[SHARED as usize];
        let words = self.workgroup.shared_words().iter().flat_map(|word| word.to_le_bytes());
        let bytes: Vec<u8> = words.take(place.size as usize).collect();
        put(memory, place.start, &bytes);
        let layout = &lent.compiled.layout;
        let lanes = layout.lanes as usize;
        self.stops.clear();
        let planes = lent.compiled.varying.len() as u32;
        for (index, subgroup) in (0u32..).zip(&mut self.workgroup.subgroups) {
            let start = lent.subgroups + index * layout.subgroup;
            if let Some(bytes) = memory.get_mut(start as usize..(start + layout.subgroup) as usize) {
                bytes.fill(0);
            }
            let live = subgroup.frames.first().map_or(0, |frame| frame.live);
            let frame = start + layout.frames[data.entry as usize];
            let blocks = data.functions[data.entry as usize].blocks.len() as u32;
            debug_assert!(waiting_at(blocks, 0) >= WAITING);
            let first: u32 = data.functions[..data.entry as usize]
                .iter()
                .map(|function| function.blocks.len() as u32)
                .sum();
            put(memory, start + PC, &first.to_le_bytes());
            for at in [start + MASK, start + SELECTED, frame + LIVE] {
                put(memory, at, &(live as u64).to_le_bytes());
            }
            for lane in 0..layout.lanes {
                let word = if live >> lane & 1 == 1 { u32::MAX } else { 0 };
                put(memory, start + SELECT + lane * 4, &word.to_le_bytes());
            }
            if subgroup.registers.planes() < planes {
                subgroup.registers.resize(planes);
            }
            for plane in 0..data.globals.words.len() as u32 {
                let at = start + layout.plane(plane);
                if lent.compiled.varying[plane as usize] {
                    for lane in 0..lanes {
                        let word = subgroup.registers.get(plane, lane);
                        put(memory, at + lane as u32 * 4, &word.to_le_bytes());
                    }
                } else if subgroup.registers.is_uniform(plane) {
                    put(memory, at, &subgroup.registers.get(plane, 0).to_le_bytes());
                } else {
                    return Err(RunError::invalid("a plane is not the same in all lanes"));
                }
            }
            self.stops.push(if live == 0 { Stop::Ended } else { Stop::Slice });
        }
        Ok(())
    }

    /// Executes what the module asks for: the number of the site, the subgroup's place, its lanes. What comes back is not zero where the
    /// run fails.
    pub fn execute(&mut self, memory: &mut [u8], site: u32, place: u32, lanes: u64) -> i32 {
        match self.execute_site(memory, site, place, lanes) {
            Ok(()) => 0,
            Err(error) => {
                self.error = Some(error);
                1
            }
        }
    }

    fn execute_site(&mut self, memory: &mut [u8], site: u32, place: u32, lanes: u64) -> Result<(), RunError> {
        let lent = self.lent.clone();
        let compiled = &lent.compiled;
        let (data, layout) = (&compiled.program, &compiled.layout);
        let outside = || RunError::invalid("the module asks for what there is not");
        let site = compiled.sites.get(site as usize).ok_or_else(outside)?;
        let index = place.checked_sub(lent.subgroups).ok_or_else(outside)? / layout.subgroup;
        let mask = Mask::from(lanes);
        let live = |function: u32| Mask::from(get64(memory, place + layout.frames[function as usize] + LIVE));
        let (whole, all) = (mask == live(site.function), mask == live(data.entry));
        let steps_before = get64(memory, STEPS);
        self.report.counts.steps = steps_before;
        let registers = &mut self.workgroup.subgroups.get_mut(index as usize).ok_or_else(outside)?.registers;
        compiled.take(&site.reads, registers, memory, place);
        registers.set_mask(mask, whole, all);
        match &site.kind {
            SiteKind::Instructions { steps } => {
                let mut rest = &steps[..];
                while !rest.is_empty() {
                    let linear = Linear { bytes: memory, places: &lent.places };
                    let registers = &mut self.workgroup.subgroups[index as usize].registers;
                    let mut room = Room { registers, report: &mut self.report, linear, place, mask };
                    let done = rest.iter().take_while(|(_, step)| step.run(&mut room)).count();
                    rest = &rest[done..];
                    if rest.is_empty() {
                        break;
                    }
                    rest = self.interpret(&lent, site, index, rest, memory, place)?;
                }
            }
            SiteKind::Together { .. } => return Err(outside()),
            SiteKind::Copy { result, source } => {
                registers.outside(|registers| registers.copy(*result, *source, 1))
            }
            SiteKind::Clear { first, count } => registers.clear(*first, *count),
        }
        count_more(memory, steps_before, self.report.counts.steps);
        let registers = &mut self.workgroup.subgroups[index as usize].registers;
        compiled.give(&site.writes, registers, mask, memory, place);
        Ok(())
    }

    /// Lets the interpreter's code execute the first of some steps, and those after it that nobody else does; gives the rest.
    fn interpret<'s>(
        &mut self,
        lent: &Lent,
        site: &Site,
        index: u32,
        steps: &'s [(u32, Step)],
        memory: &mut [u8],
        place: u32,
    ) -> Result<&'s [(u32, Step)], RunError> {
        let (mut rest, mut first) = (steps, true);
        let block = &lent.compiled.program.functions[site.function as usize].blocks[site.block as usize];
        let shared = lent.shared();
        let (subgroups, mut env) = self.workgroup.parts(&shared, &mut self.report);
        let registers = &mut subgroups[index as usize].registers;
        if let Some((_, Step::Load(load))) = steps.first() {
            lent.compiled.take(&load.reads, registers, memory, place);
        }
        env.memory.linear = Some(Linear { bytes: memory, places: &lent.places });
        let mut context = Context::new(&mut env, registers, index);
        context.base = site.base;
        while let Some(((index, step), others)) = rest.split_first() {
            if !first && !matches!(step, Step::Execute) {
                break;
            }
            (rest, first) = (others, false);
            context.origin = block.origins[*index as usize];
            let outcome = instructions::execute(&block.instructions[*index as usize], &mut context);
            outcome.map_err(|error| error.at(block.origins[*index as usize]))?;
        }
        Ok(rest)
    }

    /// Lets the interpreter execute an instruction at which all subgroups meet.
    fn execute_together(&mut self, memory: &mut [u8]) -> Result<(), RunError> {
        let lent = self.lent.clone();
        let compiled = &lent.compiled;
        let (data, layout) = (&compiled.program, &compiled.layout);
        let outside = || RunError::invalid("subgroups meet where there is nothing");
        let mut first = None;
        for (index, stop) in self.stops.iter().enumerate() {
            let place = self.place(index);
            let subgroup = self.workgroup.subgroups.get_mut(index).ok_or_else(outside)?;
            subgroup.stop = *stop;
            if *stop != Stop::Together {
                continue;
            }
            let number = get32(memory, place + MEETING);
            let site = compiled.sites.get(number as usize).ok_or_else(outside)?;
            let SiteKind::Together { index: next } = site.kind else { return Err(outside()) };
            compiled.take(&site.reads, &mut subgroup.registers, memory, place);
            let live = Mask::from(get64(memory, place + layout.frames[site.function as usize] + LIVE));
            let all = Mask::from(get64(memory, place + layout.frames[data.entry as usize] + LIVE));
            let mask = Mask::from(get64(memory, place + MASK));
            let (function, base, block) = (site.function, site.base, site.block);
            subgroup.stand(Standing { function, base, block, next, live, mask });
            subgroup.registers.set_mask(mask, mask == live, mask == all);
            first = first.or(Some((index, site, mask)));
        }
        let (index, site, mask) = first.ok_or_else(outside)?;
        let steps = get64(memory, STEPS);
        self.report.counts.steps = steps;
        let shared = lent.shared();
        let (subgroups, mut env) = self.workgroup.parts(&shared, &mut self.report);
        env.memory.linear = Some(Linear { bytes: memory, places: &lent.places });
        execute_together(subgroups, &mut env)?;
        count_more(memory, steps, self.report.counts.steps);
        // What it makes are matrices, which all have; words are the first one's.
        let place = self.place(index);
        compiled.give(&site.writes, &mut self.workgroup.subgroups[index].registers, mask, memory, place);
        for (stop, subgroup) in self.stops.iter_mut().zip(&self.workgroup.subgroups) {
            *stop = subgroup.stop;
        }
        Ok(())
    }
}

impl Compiled {
    /// Gives the interpreter's registers the words that the module's memory has.
    fn take(&self, runs: &[Run], registers: &mut Registers, memory: &[u8], place: u32) {
        for &(first, count) in runs {
            for plane in first..first + count {
                let at = (place + self.layout.plane(plane)) as usize;
                if self.varying.get(plane as usize) == Some(&true) {
                    let words = memory
                        .get(at..at + self.layout.lanes as usize * 4)
                        .unwrap_or_default()
                        .as_chunks::<4>()
                        .0;
                    registers.preset_words(plane, words);
                } else {
                    registers.preset(plane, get32(memory, at as u32));
                }
            }
        }
    }

    /// Gives the module's memory the words that the registers have, for the lanes that take part.
    fn give(&self, runs: &[Run], registers: &mut Registers, mask: Mask, memory: &mut [u8], place: u32) {
        let full = mask.count_ones() == self.layout.lanes;
        for &(first, count) in runs {
            for plane in first..first + count {
                let at = place + self.layout.plane(plane);
                if self.varying.get(plane as usize) == Some(&true) {
                    for (lane, word) in (0u32..).zip(registers.plane(plane)) {
                        if full || mask >> lane & 1 == 1 {
                            put(memory, at + lane * 4, &word.to_le_bytes());
                        }
                    }
                } else {
                    let word = registers.any(plane);
                    put(memory, at, &word.to_le_bytes());
                }
            }
        }
    }
}

/// Counts the steps that functions over elements have taken.
fn count_more(memory: &mut [u8], before: u64, after: u64) {
    if after != before {
        put(memory, STEPS, &after.to_le_bytes());
        let left = get64(memory, STEPS_LEFT).saturating_sub(after - before);
        put(memory, STEPS_LEFT, &left.to_le_bytes());
    }
}

fn put(memory: &mut [u8], at: u32, bytes: &[u8]) {
    if let Some(to) = memory.get_mut(at as usize..at as usize + bytes.len()) {
        to.copy_from_slice(bytes);
    }
}

fn get32(memory: &[u8], at: u32) -> u32 {
    let bytes = memory.get(at as usize..at as usize + 4).and_then(|bytes| bytes.try_into().ok());
    u32::from_le_bytes(bytes.unwrap_or_default())
}

fn get64(memory: &[u8], at: u32) -> u64 {
    let bytes = memory.get(at as usize..at as usize + 8).and_then(|bytes| bytes.try_into().ok());
    u64::from_le_bytes(bytes.unwrap_or_default())
}
