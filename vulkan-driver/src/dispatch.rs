//! A dispatch on the simulator: memory goes in, the shader runs, memory comes out, and what was found is told.

use std::collections::BTreeMap;
use std::sync::{Arc, PoisonError};

use coopmat_driver_report::{Event, Found, InDispatch};
use coopmat_native::{Ended, Machine};
use coopmat_simulator::{
    BindingKind, Dependence, Execution, Finding, FindingKind, Image, Pool, Progress, Resources, RunError,
    RunErrorKind, SecondRun, Settings,
};

use crate::bound_images::{ImagePart, PlacedImage};
use crate::capture::{Begun, Given, Part};
use crate::captured_addresses::Live;
use crate::commands::{Bound, BoundSet};
use crate::descriptors::{Contents, Descriptor, is_dynamic};
use crate::driver::{Driver, ERROR, Message, WARNING};
use crate::fault::Fault;
use crate::pipelines::{Compiled, Pipeline};
use crate::placing::{self, Addressed, Placed};
use crate::watched::{Seen, Watched};

/// Steps between two looks at the run.
const SLICE: u64 = 1 << 18;
/// What a pipeline's dispatches take before it is worth machine code: what the interpreter does in about a tenth of a second.
const PATIENCE: u64 = 4 << 20;
/// The share of instructions that has to be generated for machine code to be the faster one.
const WORTH: f64 = 0.7;

/// A dispatch that has ended.
struct Outcome {
    execution: Execution,
    /// On who owns elements of matrices.
    dependence: Option<Finding>,
    placed: Vec<Placed>,
    /// If it was checked.
    watched: Option<Watched>,
}

/// What a dispatch is run with.
struct Input {
    resources: Resources,
    placed: Vec<Placed>,
    images: Vec<PlacedImage>,
    /// What the program calls buffers and images.
    names: Vec<(String, String)>,
    /// What is captured.
    begun: Option<Begun>,
}

impl Driver {
    /// Runs so many workgroups, from the first one on.
    pub fn run_dispatch(
        &mut self,
        queue: u64,
        bound: &Bound,
        first: [u32; 3],
        groups: [u32; 3],
    ) -> Result<(), Fault> {
        self.dispatches += 1;
        let pipeline = self.pipelines.get(bound.pipeline)?.clone();
        let name = self.name(bound.pipeline).map(str::to_owned).or_else(|| pipeline.module_name.clone());
        let labels = self.queues.get(queue)?.labels.clone();
        let mut dispatch =
            InDispatch { number: self.dispatches, pipeline: name, labels, buffers: Vec::new() };
        if groups.contains(&0) {
            return Ok(());
        }
        let most = crate::facts::limits::of(&self.facts).max_compute_work_group_count;
        if groups.iter().zip(first).zip(most).any(|((count, first), most)| count.saturating_add(first) > most)
        {
            let from = if first == [0; 3] { String::new() } else { format!(" from {first:?} on") };
            self.tell(
                "vkCmdDispatch",
                &Fault::misuse(format!("{groups:?} workgroups{from}: the device allows {most:?}")),
            );
        }
        if first != [0; 3] && !pipeline.takes_base {
            let lacks = "the pipeline was made without VK_PIPELINE_CREATE_DISPATCH_BASE, which workgroups that do not begin at 0 need";
            self.tell("vkCmdDispatchBase", &Fault::misuse(lacks));
        }
        let mut settings = self.settings_for(&pipeline, &dispatch);
        let captured = is_named(&self.options.capture, &dispatch);
        let perhaps = self.options.capture_findings && settings.checked;
        let mut input = self.input(&pipeline, bound, captured || perhaps)?;
        dispatch.buffers = std::mem::take(&mut input.names);
        let begun = input.begun.take();
        settings.first_workgroup = first;
        if settings.checked {
            self.with_unwritten(&mut settings, &input.placed, &input.images);
        }
        self.checked_dispatches += u64::from(settings.checked);
        let ran = self.execute(&pipeline, input, &settings, groups);
        match ran {
            Ok(Outcome { execution, dependence, placed, watched }) => {
                self.instructions += execution.steps();
                match watched {
                    Some(watched) => {
                        self.dispatched((queue, bound.pipeline), &pipeline, &dispatch, &placed, &watched);
                    }
                    None => self.dispatched_unseen(&placed),
                }
                for text in execution.log() {
                    self.report(Event::Printed { dispatch: dispatch.number, text: text.clone() });
                }
                let found = execution.findings().iter().cloned().chain(dependence);
                let new = self.tell_findings((queue, bound.pipeline), &pipeline, &dispatch, found.collect());
                match begun.filter(|_| captured || new) {
                    Some(begun) if first == [0; 3] => {
                        self.write_captured(&begun, &pipeline, &dispatch, groups);
                    }
                    Some(_) => self.report(Event::Missing {
                        call: "--capture".to_owned(),
                        message: format!(
                            "dispatch {}: its workgroups do not begin at 0, which recipes cannot say",
                            dispatch.number
                        ),
                    }),
                    None => {}
                }
                Ok(())
            }
            Err(error) => {
                let place = error.instruction.and_then(|instruction| pipeline.module.place(instruction));
                let message = match error.kind {
                    RunErrorKind::Steps => {
                        format!("{}. Perhaps a loop never ends; `--step-limit` allows more", error.message)
                    }
                    _ => error.message,
                };
                let named = dispatch.pipeline.as_ref().map_or(String::new(), |name| format!(" ({name})"));
                let number = dispatch.number;
                self.messages.push(Message {
                    severity: ERROR,
                    id: "coopmat-failed",
                    text: format!("dispatch {number}{named} failed, and the device is lost: {message}"),
                });
                self.report(Event::Failed { dispatch, message, place });
                Err(Fault::plain(ash::vk::Result::ERROR_DEVICE_LOST))
            }
        }
    }

    fn write_captured(
        &mut self,
        begun: &Begun,
        pipeline: &Pipeline,
        dispatch: &InDispatch,
        groups: [u32; 3],
    ) {
        let folder = self.options.capture_folder.clone().unwrap_or_default();
        let called = (groups, dispatch.pipeline.as_deref());
        let event = match begun.write(self, pipeline, folder.as_ref(), dispatch.number, called) {
            Ok(recipe) => Event::Captured { dispatch: dispatch.number, recipe },
            Err(message) => Event::Missing { call: "--capture".to_owned(), message },
        };
        self.report(event);
    }

    fn settings_for(&self, pipeline: &Pipeline, dispatch: &InDispatch) -> Settings {
        let only = &self.options.only;
        let checked = self.options.checked && (only.is_empty() || is_named(only, dispatch));
        Settings {
            subgroup_size: pipeline.subgroup_size,
            checked,
            strict: checked && self.options.strict,
            shapes: self.shapes.clone().filter(|_| checked),
            ..self.settings.clone()
        }
    }

    /// The descriptors that the pipeline's shader may use, the memory that they are of, and the push constants.
    fn input(&mut self, pipeline: &Pipeline, bound: &Bound, captured: bool) -> Result<Input, Fault> {
        let mut resources = Resources::new();
        let mut addressed = Vec::new();
        if pipeline.has_addresses {
            addressed = self.addressed_buffers(&mut resources);
        }
        let mut parts: Vec<Part> = Vec::new();
        let mut names: BTreeMap<(u32, u32), String> = BTreeMap::new();
        let mut faults = Vec::new();
        let mut image_parts: Vec<ImagePart> = Vec::new();
        let mut empty_images = Vec::new();
        let mut samplers = Vec::new();
        let mut inline = Vec::new();
        let mut unbound = Vec::new();
        let interface = pipeline.program.interface();
        for binding in &interface.bindings {
            let (set, number) = (binding.set, binding.binding);
            let there = bound.sets.get(set as usize).and_then(Option::as_ref);
            let is_texels = matches!(
                binding.kind,
                BindingKind::StorageImage | BindingKind::SampledImage | BindingKind::Sampler
            );
            let same = interface.bindings.iter().filter(|other| (other.set, other.binding) == (set, number));
            let readonly = same.clone().all(|other| other.readonly);
            let most = same.map(|other| other.count).max().flatten();
            let (contents, dynamic) = match there {
                Some(BoundSet::Set { set, dynamic }) => match self.sets.get(*set) {
                    Ok(known) => (&known.contents, self.dynamic_offsets(*set, number, dynamic)),
                    Err(fault) => {
                        faults.push(fault);
                        continue;
                    }
                },
                Some(BoundSet::Pushed(contents)) => (&**contents, Vec::new()),
                None => (const { &Contents::new() }, Vec::new()),
            };
            let list = contents.get(&number).map(Vec::as_slice).unwrap_or_default();
            let count = most.map_or(list.len(), |most| most as usize);
            if is_texels {
                let is_used = pipeline.used.contains(&(set, number));
                // The rest needs all of the driver.
                let list = list.to_vec();
                for index in 0..count {
                    let place = (set, number, index as u32);
                    let of = (list.get(index), place);
                    let (image, sampler) = self.image_part(
                        (&pipeline.program, binding),
                        of,
                        is_used && most == Some(1),
                        &mut faults,
                    );
                    if let Some(sampler) = sampler {
                        samplers.push((place, sampler));
                        resources.bind_sampler(set, number, index as u32, sampler);
                    }
                    match image {
                        Some(image) => {
                            if let Some(name) = image.image().and_then(|image| self.name(image)) {
                                names.insert((set, number), name.to_owned());
                            }
                            image_parts.push(image);
                        }
                        None if most == Some(1) && binding.kind != BindingKind::Sampler => {
                            empty_images.push(place);
                            unbound.push(place);
                        }
                        None => {}
                    }
                }
                continue;
            }
            for index in 0..count {
                let descriptor = (set, number, index as u32);
                if parts.iter().any(|part| part.descriptor == descriptor) {
                    continue;
                }
                match list.get(index) {
                    Some(Descriptor::Buffer { buffer, offset, size }) => {
                        let offset = offset + dynamic.get(index).copied().unwrap_or(0);
                        if let Some(name) = self.name(*buffer) {
                            names.insert((set, number), name.to_owned());
                        }
                        match self.range(*buffer, offset, *size) {
                            Ok((memory, block, start, end)) => {
                                let uniform = binding.kind == BindingKind::UniformBuffer;
                                parts.push(Part { descriptor, memory, block, start, end, readonly, uniform });
                            }
                            Err(fault) => faults.push(fault),
                        }
                    }
                    Some(Descriptor::Bytes(bytes)) => {
                        let buffer = resources.buffer(bytes);
                        resources.bind(set, number, index as u32, buffer);
                        inline.push((descriptor, bytes.clone()));
                    }
                    Some(
                        other @ (Descriptor::Image { .. } | Descriptor::Sampler(_) | Descriptor::Texels(_)),
                    ) => {
                        faults.push(Fault::misuse(format!(
                            "set {set}, binding {number} is {}, and the shader has a buffer there",
                            other.words()
                        )));
                        if most == Some(1) {
                            let buffer = resources.buffer(&[]);
                            resources.bind(set, number, 0, buffer);
                        }
                    }
                    Some(Descriptor::Nothing) | None => {
                        // A shader may declare what it does not use; what reads there gets zeros, and checked mode finds it.
                        if most == Some(1) {
                            unbound.push(descriptor);
                            let buffer = resources.buffer(&[]);
                            resources.bind(set, number, 0, buffer);
                            if pipeline.used.contains(&(set, number)) {
                                faults.push(Fault::misuse(format!(
                                "nothing is bound at set {set}, binding {number} ({}), which the shader uses",
                                binding.name
                            )));
                            }
                        }
                    }
                }
            }
        }
        for fault in faults {
            self.tell("vkCmdDispatch", &fault);
        }
        let begun = captured.then(|| {
            let parts = parts.iter().map(|part| Part { block: part.block.clone(), ..*part });
            let live = addressed.iter().map(|one: &Addressed| {
                let (memory, start, end) = (one.memory, one.start, one.end);
                Live { address: resources.address(one.buffer), memory, block: one.block.clone(), start, end }
            });
            let given = Given {
                parts: parts.collect(),
                inline,
                unbound: &unbound,
                images: &image_parts,
                samplers: &samplers,
                push_constants: &bound.push_constants,
                live: &live.collect::<Vec<_>>(),
            };
            Begun::new(pipeline, given)
        });
        let begun = begun.and_then(|begun| match begun {
            Ok(begun) => Some(begun),
            Err(message) => {
                self.tell("--capture", &Fault::missing(message));
                None
            }
        });
        let images = self.place_images(&mut resources, image_parts, &parts);
        for (set, number, index) in empty_images {
            let image = resources.image(Image::new([0; 3]));
            resources.bind_image(set, number, index, image);
        }
        let mut placed = placing::place(&mut resources, &addressed, &parts);
        for (number, image) in images.iter().enumerate() {
            placed.push(image.placed(number));
        }
        resources.push_constants(&bound.push_constants);
        let names = names
            .into_iter()
            .map(|((set, binding), name)| (format!("set {set}, binding {binding}"), name))
            .collect();
        Ok(Input { resources, placed, images, names, begun })
    }

    /// The dynamic offsets of a binding's descriptors. Offsets are in the order of bindings (Vulkan, vkCmdBindDescriptorSets).
    fn dynamic_offsets(&self, set: u64, binding: u32, dynamic: &[u32]) -> Vec<u64> {
        let Ok(set) = self.sets.get(set) else { return Vec::new() };
        let mut rest = dynamic;
        for (number, declared) in &set.layout.bindings {
            if !is_dynamic(declared.kind) {
                continue;
            }
            let Some((own, others)) = rest.split_at_checked(declared.count as usize) else { break };
            if *number == binding {
                return own.iter().map(|offset| u64::from(*offset)).collect();
            }
            rest = others;
        }
        Vec::new()
    }

    /// Runs a dispatch to its end, and copies out what it wrote.
    fn execute(
        &self,
        pipeline: &Pipeline,
        input: Input,
        settings: &Settings,
        groups: [u32; 3],
    ) -> Result<Outcome, RunError> {
        let Input { resources, placed, images, .. } = input;
        let begun = settings.checked.then(|| resources.clone());
        let mut execution = Execution::new(&pipeline.program, resources, settings.clone(), groups)?;
        let mut watched = None;
        if settings.checked {
            let watcher = watcher(&placed, &images);
            execution.observe(Box::new(watcher.clone()));
            watched = Some(watcher);
            while execution.run(SLICE)? != Progress::Finished {}
        } else {
            self.run_fast(pipeline, settings, &mut execution)?;
        }
        let mut dependence = None;
        if let Some(again) = begun
            && let Ok(mut second) = SecondRun::new(&pipeline.program, &execution, again, settings, groups)
        {
            // A second run that fails says nothing about the first one.
            let mut running = Ok(Progress::Running { done: 0, all: 0 });
            while let Ok(Progress::Running { .. }) = running {
                running = second.run(SLICE);
            }
            if running.is_ok()
                && let Dependence::Found(finding) = second.compare(&execution)
            {
                dependence = Some(finding);
            }
        }
        let resources = execution.resources();
        for one in placed.iter().filter(|one| one.written) {
            if let Some(buffer) = one.buffer {
                one.block.write(one.start, &resources.bytes(buffer));
            }
        }
        for image in &images {
            image.store(resources);
        }
        Ok(Outcome { execution, dependence, placed, watched })
    }

    /// The interpreter at first, machine code once the pipeline turns out to run long; over all threads.
    fn run_fast(
        &self,
        pipeline: &Pipeline,
        settings: &Settings,
        execution: &mut Execution,
    ) -> Result<(), RunError> {
        let pool = self.threads.as_ref().map(|threads| threads as &dyn Pool);
        let before = match &*pipeline.compiled.lock().unwrap_or_else(PoisonError::into_inner) {
            Compiled::Unknown(steps) => Some(*steps),
            Compiled::Machine(_) | Compiled::Interpreted => None,
        };
        if let Some(before) = before {
            let most = PATIENCE.saturating_sub(before);
            let mut ended = false;
            while !ended && (execution.steps() < most || execution.ended_workgroups().is_none()) {
                ended = execution.run_workgroup(SLICE)? == Progress::Finished;
            }
            let mut compiled = pipeline.compiled.lock().unwrap_or_else(PoisonError::into_inner);
            if execution.steps() < most {
                *compiled = Compiled::Unknown(before + execution.steps());
                return Ok(());
            }
            *compiled = match Machine::new(execution.program(), settings) {
                Ok(machine) if execution.generated_share(machine.compiled()) >= WORTH => {
                    Compiled::Machine(Arc::new(machine))
                }
                _ => Compiled::Interpreted,
            };
            if ended {
                return Ok(());
            }
        }
        let machine = match &*pipeline.compiled.lock().unwrap_or_else(PoisonError::into_inner) {
            Compiled::Machine(machine) => Some(machine.clone()),
            _ => None,
        };
        // Where machine code is refused, nothing has happened, and the interpreter goes on.
        if let Some(machine) = machine
            && machine.run(execution, pool, &mut |_, _| true) == Ok(Ended::Finished)
        {
            return Ok(());
        }
        match pool {
            Some(pool) => execution.run_parallel(pool),
            None => {
                while execution.run(SLICE)? != Progress::Finished {}
                Ok(())
            }
        }
    }

    fn tell_findings(
        &mut self,
        (queue, handle): (u64, u64),
        pipeline: &Pipeline,
        dispatch: &InDispatch,
        found: Vec<Finding>,
    ) -> bool {
        let device = self.queues.get(queue).and_then(|queue| self.devices.get(queue.device));
        let enabled = |feature: &str| device.as_ref().is_ok_and(|device| device.enabled.contains(feature));
        let mut told: Vec<Found> = Vec::new();
        for finding in found {
            let may_be = finding.kind == FindingKind::OutOfBounds && !self.options.strict;
            let accessed = may_be.then(|| pipeline.module.accessed(finding.instruction)).flatten();
            let allowed_by = accessed.and_then(|kind| pipeline.robustness.allows(kind, enabled));
            let kind = finding.kind.id();
            let same = |one: &&mut Found| one.kind == kind && one.instruction == finding.instruction;
            if let Some(one) = told.iter_mut().find(same) {
                one.times += 1 + finding.more;
                continue;
            }
            told.push(Found {
                kind: kind.to_owned(),
                message: finding.message,
                dispatch: dispatch.clone(),
                instruction: finding.instruction,
                place: pipeline.module.place(finding.instruction),
                other: finding.other.and_then(|(instruction, _)| pipeline.module.place(instruction)),
                workgroup: finding.invocation.workgroup,
                invocation: finding.invocation.index,
                times: 1 + finding.more,
                allowed_by: allowed_by.map(str::to_owned),
            });
        }
        let mut new = false;
        for one in told {
            let key = format!("{handle:#x} {} {}", one.instruction, one.kind);
            if let Some(number) = self.findings.get(&key) {
                let (finding, times) = (*number, one.times);
                self.report(Event::Again { finding, times });
                continue;
            }
            let number = self.findings.len() as u64;
            self.findings.insert(key, number);
            let at =
                one.place.as_ref().map_or(String::new(), |place| format!("{}:{}: ", place.path, place.line));
            let text = format!("dispatch {}: {at}{}: {}", dispatch.number, one.kind, one.message);
            let severity = if one.allowed_by.is_some() { WARNING } else { ERROR };
            new |= one.allowed_by.is_none();
            self.messages.push(Message { severity, id: "coopmat-finding", text });
            self.report(Event::Finding(one));
        }
        new
    }
}

/// Watches these buffers and images.
fn watcher(placed: &[Placed], images: &[PlacedImage]) -> Watched {
    let mut sizes = Vec::new();
    for one in placed {
        if let Some(Seen::Buffer(index)) = one.index {
            sizes.resize(sizes.len().max(index + 1), 0);
            sizes[index] = one.end - one.start;
        }
    }
    let images: Vec<_> = images.iter().map(|image| image.texels.clone()).collect();
    Watched::new(&sizes, &images)
}

/// Whether a dispatch is among those that are named: by the pipeline's name, or by number.
fn is_named(names: &[String], dispatch: &InDispatch) -> bool {
    names.iter().any(|one| dispatch.pipeline.as_ref() == Some(one) || one.parse() == Ok(dispatch.number))
}
