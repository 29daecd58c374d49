//! One dispatch of a program.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use super::context::Report;
use super::stepping::Stepper;
use super::workgroup::{Shared, Workgroup};
use crate::checks::{Finding, WrittenBytes, constant_allocations};
use crate::compile::compiled::Compiled;
use crate::compile::refusal::Refusal;
use crate::compile::session::{CompiledDispatch, Results};
use crate::compile::site::Site;
use crate::error::RunErrorKind;
use crate::matrix::Headroom;
use crate::memory::{BUFFERS, Heap, Heaps, IMAGES, Resources, Sampler, Target, address, described};
use crate::observer::{Observer, Wants};
use crate::program::HEAP_SET;
use crate::{Counts, InstructionCounts, Program, RunError, Settings};

/// Runs jobs, perhaps at the same time: the host's threads.
pub trait Pool: Sync {
    /// Calls the job with every number below `count`, and returns when all calls have.
    fn run(&self, count: usize, job: &(dyn Fn(usize) + Sync));

    /// How many jobs may run at the same time.
    fn at_once(&self) -> usize;

    /// Whether the run shall go on; asked now and then, from any thread.
    fn go_on(&self) -> bool {
        true
    }
}

/// Steps between two such questions.
const SLICE: u64 = 1 << 20;

fn stopped() -> RunError {
    RunError::new(RunErrorKind::Stopped, "the run was stopped")
}

fn too_many(limit: u64) -> RunError {
    RunError::new(RunErrorKind::Steps, format!("the run takes more than {limit} steps"))
}

/// How far a dispatch is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress {
    /// Workgroups that have ended, of all.
    Running {
        /// Workgroups that have ended.
        done: u64,
        /// Workgroups of the dispatch.
        all: u64,
    },
    /// All workgroups have ended.
    Finished,
}

/// The workgroup that is the `index`th to run.
pub(crate) fn workgroup_id(settings: &Settings, groups: [u32; 3], index: u64) -> [u32; 3] {
    let [x, y, _] = groups.map(u64::from);
    let id = [index % x, index / x % y, index / (x * y)];
    std::array::from_fn(|axis| (id[axis] as u32).wrapping_add(settings.first_workgroup[axis]))
}

/// What a lock holds, also where a thread died while it had it.
fn hold<T>(lock: &Mutex<T>) -> MutexGuard<'_, T> {
    lock.lock().unwrap_or_else(PoisonError::into_inner)
}

/// One dispatch of a program over resources: started, run in slices, and looked at between them.
pub struct Execution {
    pub(super) program: Program,
    pub(super) settings: Settings,
    pub(super) resources: Resources,
    pub(super) groups: [u32; 3],
    pub(super) descriptors: Vec<Target>,
    /// By descriptor.
    samplers: Vec<Option<Sampler>>,
    pub(super) heaps: Heaps,
    pub(super) workgroup: Workgroup,
    /// Whether `workgroup` is in the middle of its run.
    pub(super) started: bool,
    /// Workgroups that have ended.
    pub(super) done: u64,
    pub(super) report: Report,
    observer: Option<Box<dyn Observer>>,
}

impl Execution {
    /// Prepares a dispatch of so many workgroups. The resources are the execution's until [`Execution::into_resources`].
    pub fn new(
        program: &Program,
        resources: Resources,
        settings: Settings,
        groups: [u32; 3],
    ) -> Result<Execution, RunError> {
        let setup = |message: String| RunError::new(RunErrorKind::Setup, message);
        let size = settings.subgroup_size;
        if !size.is_power_of_two() || !(4..=128).contains(&size) {
            return Err(setup(format!(
                "subgroups must have 4, 8, 16, 32, 64 or 128 invocations, not {size}"
            )));
        }
        let data = &program.data;
        let samplers = data.descriptors.iter().map(|one| resources.samplers.get(one).copied()).collect();
        let mut descriptors = Vec::with_capacity(data.descriptors.len());
        for descriptor in &data.descriptors {
            let buffer = resources.bound.get(descriptor);
            let image = resources.bound_images.get(descriptor);
            descriptors.push(match (buffer, image) {
                (Some(buffer), _) => Target::Buffer(address(BUFFERS + u64::from(buffer.0), 0)),
                (_, Some(image)) => Target::Image(image.0),
                _ => Target::Nothing,
            });
        }
        for binding in &data.interface.bindings {
            let key = (binding.set, binding.binding, 0);
            let is_there = resources.bound.contains_key(&key) || resources.bound_images.contains_key(&key);
            let needed = binding.count == Some(1) && binding.kind != crate::BindingKind::Sampler;
            if needed && !is_there {
                let (set, number, name) = (binding.set, binding.binding, &binding.name);
                return Err(setup(format!("nothing is bound at set {set}, binding {number} ({name})")));
            }
        }
        if let Some((size, _)) = data.interface.push_constants
            && (resources.push_constants.len() as u32) < size
        {
            let given = resources.push_constants.len();
            return Err(setup(format!("the push constants take {size} bytes, but {given} are given")));
        }
        let mut resources = resources;
        if data.interface.heaps[Heap::Resource as usize]
            && resources.heaps[Heap::Resource as usize].is_empty()
        {
            return Err(setup(
                "nothing is in the resource heap, from which the shader takes descriptors".to_owned(),
            ));
        }
        let heaps = Heaps::new(&mut resources, data.interface.heaps, &mut descriptors);
        for (target, &(set, number, _)) in descriptors.iter_mut().zip(&data.descriptors) {
            let heap = Heap::ALL.into_iter().find(|heap| (set, number) == (HEAP_SET, *heap as u32));
            if let Some(start) = heap.and_then(|heap| heaps.start(heap)) {
                *target = Target::Buffer(start);
            }
        }
        let constant = constant_allocations(data, &descriptors, &resources.buffers);
        for (index, buffer) in resources.buffers.iter_mut().enumerate() {
            let only_read = constant.contains(&(BUFFERS + index as u64)) && !data.has_addresses;
            buffer.set_constant(only_read);
        }
        let blocks = vec![(0, 0); data.blocks as usize];
        let moved = vec![0; data.instructions()];
        Ok(Execution {
            program: program.clone(),
            settings,
            resources,
            groups,
            descriptors,
            samplers,
            heaps,
            workgroup: Workgroup::default(),
            started: false,
            done: 0,
            report: Report { blocks, moved, ..Report::default() },
            observer: None,
        })
    }

    /// Shows the rest of the run to an observer.
    pub fn observe(&mut self, observer: Box<dyn Observer>) {
        self.observer = Some(observer);
    }

    /// Whether somebody looks at the run.
    pub fn is_observed(&self) -> bool {
        self.observer.is_some()
    }

    /// The observer, back.
    pub fn take_observer(&mut self) -> Option<Box<dyn Observer>> {
        self.observer.take()
    }

    fn all(&self) -> u64 {
        self.groups.iter().map(|&count| u64::from(count)).product()
    }

    /// Runs about so many steps. Call it again until it says [`Progress::Finished`].
    pub fn run(&mut self, steps: u64) -> Result<Progress, RunError> {
        self.advance(steps, None, u64::MAX)
    }

    /// Runs to the end of the workgroup that runs or comes next, or about so many steps.
    pub fn run_workgroup(&mut self, steps: u64) -> Result<Progress, RunError> {
        self.advance(steps, None, self.done + 1)
    }

    /// The same, where somebody may hold the run at any instruction.
    pub(crate) fn run_stepped(
        &mut self,
        steps: u64,
        stepper: Option<&mut (dyn Stepper + 'static)>,
    ) -> Result<Progress, RunError> {
        self.advance(steps, stepper, u64::MAX)
    }

    /// Runs about so many steps, or until so many workgroups have ended.
    fn advance(
        &mut self,
        steps: u64,
        mut stepper: Option<&mut (dyn Stepper + 'static)>,
        until: u64,
    ) -> Result<Progress, RunError> {
        let mut steps = steps;
        let all = self.all();
        while self.done < all {
            let id = workgroup_id(&self.settings, self.groups, self.done);
            let shared = Shared {
                program: &self.program.data,
                settings: &self.settings,
                buffers: &self.resources.buffers,
                images: &self.resources.images,
                descriptors: &self.descriptors,
                samplers: &self.samplers,
                heaps: &self.heaps,
                push_constants: &self.resources.push_constants,
                groups: self.groups,
            };
            if !self.started {
                self.workgroup.start(&shared, id, &mut self.report)?;
                self.started = true;
                if let Some(observer) = &mut self.observer {
                    observer.workgroup_started(id);
                    for subgroup in &self.workgroup.subgroups {
                        observer.subgroup_started(id, subgroup.index);
                    }
                }
            }
            let mut wants = self.observer.as_ref().map_or(Wants::default(), |observer| observer.wants());
            wants.memory |= stepper.as_ref().is_some_and(|stepper| stepper.watches_memory());
            let before = steps;
            let left = self.settings.step_limit.saturating_sub(self.report.counts.steps);
            let mut slice = steps.min(left);
            let observer = self.observer.as_deref_mut();
            let stepper = stepper.as_deref_mut();
            let ended =
                self.workgroup.run(&shared, &mut self.report, observer, wants, stepper, &mut slice)?;
            steps = before.saturating_sub(before.min(left) - slice);
            if !ended {
                if left <= before && slice == 0 && self.report.counts.steps >= self.settings.step_limit {
                    return Err(too_many(self.settings.step_limit));
                }
                return Ok(Progress::Running { done: self.done, all });
            }
            self.started = false;
            self.done += 1;
            if let Some(observer) = &mut self.observer {
                observer.workgroup_ended(id);
            }
            if (steps == 0 || self.done >= until) && self.done < all {
                return Ok(Progress::Running { done: self.done, all });
            }
        }
        Ok(Progress::Finished)
    }

    /// Lends the resources to runs of the compiled program; [`Execution::end_compiled`] gives them back. The error says why the interpreter has to
    /// run the dispatch.
    pub fn begin_compiled(&mut self, compiled: Arc<Compiled>) -> Result<CompiledDispatch, Refusal> {
        if self.started || self.observer.is_some() {
            return Err(Refusal::Begun);
        }
        compiled.accepts(&self.settings)?;
        let resources = std::mem::take(&mut self.resources);
        let targets = (self.descriptors.clone(), self.heaps.clone());
        let so_far = (self.groups, self.report.counts.steps);
        CompiledDispatch::new(compiled, self.settings.clone(), resources, targets, so_far).map_err(
            |(refusal, resources)| {
                self.resources = *resources;
                refusal
            },
        )
    }

    /// Takes the resources back, and what runs have done up to a workgroup; without that the execution is as it was before.
    pub fn end_compiled(&mut self, dispatch: CompiledDispatch, ended: Option<(Results, u64)>) {
        self.resources = dispatch.into_resources();
        if let Some((results, done)) = ended {
            self.done = done;
            self.report.add(&results.finish(&self.resources));
        }
    }

    /// Of the instructions that have run so far, the share that a compiled program does not leave to the interpreter's code.
    pub fn generated_share(&self, compiled: &Compiled) -> f64 {
        let functions = &self.program.data.functions;
        let times =
            |number: u32| self.report.blocks.get(number as usize).map_or(0, |(times, _)| *times) as f64;
        let blocks = functions.iter().flat_map(|function| &function.blocks);
        let all: f64 =
            blocks.map(|block| times(block.number) * (block.instructions.len() as f64 + 1.0)).sum();
        let mut copies = vec![0.0f64; compiled.blocks as usize];
        for number in compiled.parts.iter().flat_map(|parts| &parts.numbers) {
            copies[*number as usize] += 1.0;
        }
        // What a copy of a block has run is its share of all copies.
        let copy_times = |site: &Site| {
            let block = &compiled.program.functions[site.function as usize].blocks[site.block as usize];
            let parts = compiled.parts[block.number as usize].numbers.iter();
            parts.map(|number| times(*number) / copies[*number as usize]).fold(f64::INFINITY, f64::min)
        };
        let asked: f64 = compiled.sites.iter().map(copy_times).sum();
        if all > 0.0 { (1.0 - asked / all).max(0.0) } else { 0.0 }
    }

    /// Workgroups that have ended, where none is in the middle of its run.
    pub fn ended_workgroups(&self) -> Option<u64> {
        (!self.started).then_some(self.done)
    }

    /// Whether workgroups may run at the same time, as what they do cannot depend on the order.
    pub fn is_parallel(&self) -> bool {
        self.program.is_parallel()
    }

    /// Runs to the end, workgroups at the same time where their results cannot depend on it; otherwise in order.
    pub fn run_parallel(&mut self, pool: &dyn Pool) -> Result<(), RunError> {
        let all = self.all();
        let parallel = self.program.is_parallel() && !self.settings.checked && self.observer.is_none();
        if !parallel || self.started || all - self.done < 2 {
            while self.run(SLICE)? != Progress::Finished {
                if !pool.go_on() {
                    return Err(stopped());
                }
            }
            return Ok(());
        }
        let shared = Shared {
            program: &self.program.data,
            settings: &self.settings,
            buffers: &self.resources.buffers,
            images: &self.resources.images,
            descriptors: &self.descriptors,
            samplers: &self.samplers,
            heaps: &self.heaps,
            push_constants: &self.resources.push_constants,
            groups: self.groups,
        };
        let first = self.done;
        let count = (all - first) as usize;
        let blocks = self.program.data.blocks as usize;
        let instructions = self.report.moved.len();
        // Of all jobs together: the limit is the run's, however many threads there are.
        let spent = AtomicU64::new(self.report.counts.steps);
        // Each job takes the room of a workgroup that has ended. Logs are kept in the order of the workgroups.
        let rooms: Mutex<Vec<(Workgroup, Report)>> = Mutex::new(Vec::new());
        let logs: Mutex<Vec<(usize, Vec<String>)>> = Mutex::new(Vec::new());
        let failed: Mutex<Option<(usize, RunError)>> = Mutex::new(None);
        let (groups, settings) = (self.groups, &self.settings);
        pool.run(count, &|index| {
            if hold(&failed).as_ref().is_some_and(|(first, _)| *first < index) {
                return;
            }
            let room = hold(&rooms).pop();
            let (mut workgroup, mut report) = room.unwrap_or_else(|| {
                let (blocks, moved) = (vec![(0, 0); blocks], vec![0; instructions]);
                (Workgroup::default(), Report { blocks, moved, ..Report::default() })
            });
            let id = workgroup_id(settings, groups, first + index as u64);
            let outcome = workgroup.start(&shared, id, &mut report).and_then(|()| {
                loop {
                    if !pool.go_on() {
                        return Err(stopped());
                    }
                    let left = settings.step_limit.saturating_sub(spent.load(Relaxed));
                    if left == 0 {
                        return Err(too_many(settings.step_limit));
                    }
                    let before = report.counts.steps;
                    let ended = workgroup.run(
                        &shared,
                        &mut report,
                        None,
                        Wants::default(),
                        None,
                        &mut left.min(SLICE),
                    )?;
                    spent.fetch_add(report.counts.steps - before, Relaxed);
                    if ended {
                        return Ok(());
                    }
                }
            });
            if let Err(error) = outcome {
                let mut failed = hold(&failed);
                if failed.as_ref().is_none_or(|(first, _)| index < *first) {
                    *failed = Some((index, error));
                }
            }
            if !report.log.is_empty() {
                let log = std::mem::take(&mut report.log);
                hold(&logs).push((index, log));
            }
            hold(&rooms).push((workgroup, report));
        });
        for (_, report) in rooms.into_inner().unwrap_or_else(PoisonError::into_inner) {
            self.report.add(&report);
        }
        let mut logs = logs.into_inner().unwrap_or_else(PoisonError::into_inner);
        logs.sort_by_key(|(index, _)| *index);
        for (_, log) in logs {
            self.report.log.extend(log);
        }
        self.report.log.truncate(self.settings.log_limit);
        self.done = all;
        match failed.into_inner().unwrap_or_else(PoisonError::into_inner) {
            Some((_, error)) => Err(error),
            // Jobs that ran at the same time did not see each other's last steps.
            None if spent.into_inner() > self.settings.step_limit => Err(too_many(self.settings.step_limit)),
            None => Ok(()),
        }
    }

    /// What it runs.
    pub fn program(&self) -> &Program {
        &self.program
    }

    /// How it runs.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// The workgroup that runs; none before the first one and between two.
    pub(crate) fn workgroup(&self) -> Option<&Workgroup> {
        self.started.then_some(&self.workgroup)
    }

    /// Where a descriptor of the program leads.
    pub(crate) fn descriptor(&self, index: u32) -> Target {
        self.descriptors.get(index as usize).copied().unwrap_or(Target::Nothing)
    }

    /// What checked mode found so far.
    pub fn findings(&self) -> &[Finding] {
        &self.report.findings
    }

    /// How far the `float16_t` accumulators of each multiply-add were from overflowing so far, with [`Settings::headroom`].
    pub fn headroom(&self) -> Vec<Headroom> {
        self.report.headroom.all()
    }

    pub(crate) fn checks(&self) -> &crate::checks::State {
        &self.report.checks
    }

    /// Which bytes of undefined buffers and texels of undefined images are written by now, in checked mode: what the next dispatch begins with.
    pub fn written(&self) -> WrittenBytes {
        let mut written = WrittenBytes::default();
        for id in &self.settings.undefined_buffers {
            let size = self.resources.buffers.get(id.0 as usize).map_or(0, crate::memory::Buffer::size);
            let allocation = BUFFERS + u64::from(id.0);
            written.add(allocation, self.report.checks.shadow.written(allocation, size));
        }
        for id in &self.settings.undefined_images {
            let texels = self.resources.image_of(*id).map_or(0, crate::Image::texel_count);
            let allocation = IMAGES + u64::from(id.0);
            written.add(allocation, self.report.checks.shadow.written(allocation, texels));
        }
        written
    }

    /// What a buffer is called: the name of its binding.
    pub(crate) fn buffer_name(&self, buffer: usize) -> String {
        let address = address(BUFFERS + buffer as u64, 0);
        let data = &self.program.data;
        let found = described(&self.descriptors, &self.resources.buffers, address);
        let name = found.and_then(|index| data.descriptors.get(index)).and_then(|&(set, binding, _)| {
            let binding = data.interface.bindings.iter().find(|b| (b.set, b.binding) == (set, binding))?;
            Some(binding.name.as_str()).filter(|name| !name.is_empty())
        });
        name.map_or_else(|| format!("buffer {buffer}"), |name| format!("buffer {name}"))
    }

    /// How many steps it took so far.
    pub fn steps(&self) -> u64 {
        self.report.counts.steps
    }

    /// What the run did so far.
    pub fn counts(&self) -> Counts {
        let mut counts = self.report.counts.clone();
        for function in &self.program.data.functions {
            for block in &function.blocks {
                let Some(&(times, lanes)) = self.report.blocks.get(block.number as usize) else { continue };
                if times == 0 {
                    continue;
                }
                for instruction in &block.instructions {
                    let class = instruction.class() as usize;
                    counts.instructions[class] += times;
                    counts.lane_instructions[class] += lanes;
                }
                counts.instructions[crate::Class::Control as usize] += times;
                counts.lane_instructions[crate::Class::Control as usize] += lanes;
            }
        }
        counts
    }

    /// What each instruction of the module did so far, those that end blocks left out. Nothing is counted for this that the run does not count anyway, but
    /// for the bytes.
    pub fn executed(&self) -> Vec<InstructionCounts> {
        let moved: u64 = self.report.moved.iter().sum();
        // Machine code counts bytes of all instructions together.
        let all_known = moved == self.report.counts.bytes_read + self.report.counts.bytes_written;
        let mut executed: Vec<InstructionCounts> = Vec::new();
        for block in self.program.data.functions.iter().flat_map(|function| &function.blocks) {
            if let Some(&(times, lanes)) = self.report.blocks.get(block.number as usize)
                && times > 0
            {
                // What ends the block is in the list as well.
                let mut origins = block.origins.get(..block.instructions.len()).unwrap_or_default().to_vec();
                origins.dedup();
                executed.extend(origins.into_iter().map(|instruction| InstructionCounts {
                    instruction,
                    times,
                    lanes,
                    bytes: None,
                }));
            }
        }
        executed.sort_unstable_by_key(|counts| counts.instruction);
        // An instruction may be in several blocks of the program.
        executed.dedup_by(|more, kept| {
            let same = more.instruction == kept.instruction;
            if same {
                kept.times += more.times;
                kept.lanes += more.lanes;
            }
            same
        });
        if all_known {
            for counts in &mut executed {
                counts.bytes = self.report.moved.get(counts.instruction as usize).copied();
            }
        }
        executed
    }

    /// What debugPrintf wrote so far.
    pub fn log(&self) -> &[String] {
        &self.report.log
    }

    /// Buffers and images as they are now.
    pub fn resources(&self) -> &Resources {
        &self.resources
    }

    /// The resources, for another dispatch: this execution has none left and cannot go on.
    pub fn take_resources(&mut self) -> Resources {
        std::mem::take(&mut self.resources)
    }

    /// The resources, back.
    pub fn into_resources(self) -> Resources {
        self.resources
    }
}
