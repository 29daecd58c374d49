//! A workgroup: its subgroups, its shared memory, barriers.

use coopmat_spirv::spirv::BuiltIn;

use super::context::{Context, Environment, Report, bytes, memory_share};
use super::registers::{Registers, first_lanes};
use super::stepping::Stepper;
use super::subgroup::{Stop, Subgroup};
use crate::code::Instruction;
use crate::error::RunErrorKind;
use crate::memory::{Buffer, Heaps, Image, Memory, Sampler, Target};
use crate::observer::{Observer, Wants};
use crate::program::ProgramData;
use crate::{RunError, Settings};

/// What all workgroups of a dispatch share.
#[derive(Clone, Copy)]
pub(crate) struct Shared<'e> {
    pub program: &'e ProgramData,
    pub settings: &'e Settings,
    pub buffers: &'e [Buffer],
    pub images: &'e [Image],
    pub descriptors: &'e [Target],
    pub samplers: &'e [Option<Sampler>],
    pub heaps: &'e Heaps,
    pub push_constants: &'e [u8],
    pub groups: [u32; 3],
}

/// A workgroup while it runs. All of its state is here, so that a copy is a snapshot.
#[derive(Clone, Debug, Default)]
pub(crate) struct Workgroup {
    pub id: [u32; 3],
    pub subgroups: Vec<Subgroup>,
    /// The subgroup that runs.
    current: usize,
    memory: Vec<u32>,
    push_constants: Vec<u32>,
}

impl Workgroup {
    /// Begins a workgroup, in the room of the last one.
    pub fn start(&mut self, shared: &Shared, id: [u32; 3], report: &mut Report) -> Result<(), RunError> {
        let program = shared.program;
        self.id = id;
        self.current = 0;
        let words = program.shared_size.div_ceil(4);
        let limit = shared.settings.memory_limit;
        if words * 4 > limit {
            let message = format!(
                "shared memory takes {}, more than the memory limit of {}",
                bytes(words * 4),
                bytes(limit)
            );
            return Err(RunError::new(RunErrorKind::Memory, message));
        }
        self.memory.clear();
        self.memory.resize(words as usize, 0);
        self.push_constants.clear();
        for chunk in shared.push_constants.chunks(4) {
            let mut word = [0; 4];
            word[..chunk.len()].copy_from_slice(chunk);
            self.push_constants.push(u32::from_le_bytes(word));
        }
        let size = shared.settings.subgroup_size;
        let invocations: u32 = program.interface.workgroup_size.iter().product();
        let count = invocations.div_ceil(size);
        if self.subgroups.len() != count as usize {
            self.subgroups.clear();
            let lanes = size as usize;
            let words = program.globals.words.len() as u64
                + u64::from(program.functions[program.entry as usize].planes);
            let needed = words * 4 * lanes as u64 * u64::from(count);
            if needed + program.shared_size > limit {
                let message = format!(
                    "the registers of a workgroup take {}, more than the memory limit of {}",
                    bytes(needed),
                    bytes(limit)
                );
                return Err(RunError::new(RunErrorKind::Memory, message));
            }
            for index in 0..count {
                let mut registers = Registers::new(lanes, program.has_matrices, shared.settings.checked);
                registers.resize(program.globals.words.len() as u32);
                for (plane, &word) in program.globals.words.iter().enumerate() {
                    registers.preset(plane as u32, word);
                }
                for (plane, matrix) in &program.globals.matrices {
                    registers.set_matrix(*plane, matrix.clone());
                }
                for &(first, descriptor) in &program.globals.buffers {
                    if let Some(Target::Buffer(address)) = shared.descriptors.get(descriptor as usize) {
                        registers.preset(first, *address as u32);
                        registers.preset(first + 1, (*address >> 32) as u32);
                    }
                }
                for &(plane, offset, scalar) in &program.globals.push_constants {
                    let bytes = shared.push_constants.get(offset as usize..).unwrap_or_default();
                    let mut value = [0; 8];
                    let size = bytes.len().min(scalar.bytes() as usize);
                    value[..size].copy_from_slice(&bytes[..size]);
                    let value = u64::from_le_bytes(value);
                    registers.preset(plane, value as u32);
                    if scalar.planes() == 2 {
                        registers.preset(plane + 1, (value >> 32) as u32);
                    }
                }
                self.subgroups.push(Subgroup::new(registers, index));
            }
        }
        for subgroup in &mut self.subgroups {
            preset_variables(program, &mut subgroup.registers);
            preset_builtins(shared, &mut subgroup.registers, subgroup.index, id, count);
        }
        let mut env = environment(shared, &mut self.memory, &mut self.push_constants, id, report);
        for &(first, offset, leaves) in &program.shared_initial {
            for leaf in program.leaves[leaves as usize].iter() {
                let word = |plane: u32| u64::from(program.globals.words[(first + plane) as usize]);
                let high = if leaf.scalar.planes() == 2 { word(leaf.plane + 1) } else { 0 };
                let address = crate::memory::address(crate::memory::SHARED, offset + u64::from(leaf.offset));
                env.memory.write(address, leaf.scalar.bytes(), word(leaf.plane) | high << 32);
            }
        }
        for subgroup in &mut self.subgroups {
            subgroup.registers.set_mask(first_lanes(size as usize), true, true);
            let mut context = Context::new(&mut env, &mut subgroup.registers, subgroup.index);
            for instruction in &program.globals.late {
                crate::instructions::execute(instruction, &mut context)?;
            }
        }
        for (index, subgroup) in self.subgroups.iter_mut().enumerate() {
            let lanes = (invocations - index as u32 * size).min(size);
            subgroup.start(&env, program.entry, first_lanes(lanes as usize))?;
        }
        env.report.counts.workgroups += 1;
        if shared.settings.checked {
            env.begin_checks(count);
        }
        Ok(())
    }

    /// About how much memory a copy takes.
    pub fn bytes(&self) -> u64 {
        let registers = |subgroup: &Subgroup| subgroup.registers.bytes() + subgroup.registers.matrix_bytes();
        self.subgroups.iter().map(registers).sum::<u64>() + self.memory.len() as u64 * 4
    }

    /// The subgroup whose turn it is.
    pub fn current(&self) -> usize {
        self.current
    }

    /// The words of its shared memory.
    pub fn shared_words(&self) -> &[u32] {
        &self.memory
    }

    /// The same, to change them.
    pub fn shared_words_mut(&mut self) -> &mut [u32] {
        &mut self.memory
    }

    /// Its subgroups, and what they see, for who executes single instructions.
    pub fn parts<'w>(
        &'w mut self,
        shared: &Shared<'w>,
        report: &'w mut Report,
    ) -> (&'w mut [Subgroup], Environment<'w>) {
        let env = environment(shared, &mut self.memory, &mut self.push_constants, self.id, report);
        (&mut self.subgroups, env)
    }

    /// Runs until the workgroup ends, which is the answer, or the steps are used up.
    pub fn run(
        &mut self,
        shared: &Shared,
        report: &mut Report,
        observer: Option<&mut (dyn Observer + 'static)>,
        wants: Wants,
        stepper: Option<&mut (dyn Stepper + 'static)>,
        steps: &mut u64,
    ) -> Result<bool, RunError> {
        let mut env = environment(shared, &mut self.memory, &mut self.push_constants, self.id, report);
        env.observer = observer;
        env.wants = wants;
        env.stepper = stepper;
        let all = self.subgroups.len() as u32;
        loop {
            while let Some(subgroup) = self.subgroups.get_mut(self.current) {
                if subgroup.stop == Stop::Slice {
                    let stop = subgroup.run(&mut env, steps)?;
                    if matches!(stop, Stop::Slice | Stop::Held) {
                        return Ok(false);
                    }
                    if stop == Stop::Ended {
                        if let Some(observer) = &mut env.observer {
                            observer.subgroup_ended(self.id, subgroup.index);
                        }
                        if let Some(stepper) = &mut env.stepper {
                            stepper.subgroup_ended(self.id, subgroup.index);
                        }
                    }
                }
                self.current += 1;
            }
            self.current = 0;
            if self.subgroups.iter().all(|subgroup| subgroup.stop == Stop::Ended) {
                if shared.settings.checked {
                    env.end_checks();
                }
                return Ok(true);
            }
            if self.subgroups.iter().any(|subgroup| subgroup.stop == Stop::Together) {
                execute_together(&mut self.subgroups, &mut env)?;
            } else {
                if shared.settings.checked
                    && let Some(first) = self.subgroups.first_mut()
                {
                    first.context(&mut env).check_meeting(all);
                }
                for subgroup in &mut self.subgroups {
                    if subgroup.stop == Stop::Barrier {
                        subgroup.stop = Stop::Slice;
                    }
                }
                if let Some(observer) = &mut env.observer {
                    observer.barrier_passed(self.id);
                }
            }
            if *steps == 0 {
                return Ok(false);
            }
        }
    }
}

/// All subgroups have come to an instruction that they execute together.
pub(crate) fn execute_together(subgroups: &mut [Subgroup], env: &mut Environment) -> Result<(), RunError> {
    let program = env.program;
    let count = subgroups.len() as u32;
    let mut arrived: Vec<&mut Subgroup> =
        subgroups.iter_mut().filter(|subgroup| subgroup.stop == Stop::Together).collect();
    let Some((instruction, origin)) = arrived.first().and_then(|subgroup| subgroup.current(program)) else {
        return Err(RunError::invalid("no subgroup is where subgroups meet"));
    };
    // Those that stand elsewhere have their own meeting, later.
    arrived.retain(|subgroup| subgroup.current(program).is_some_and(|(_, other)| other == origin));
    let absent = (0..count).find(|index| arrived.iter().all(|subgroup| subgroup.index != *index));
    if let Instruction::Matrix(matrix) = instruction {
        if env.settings.checked {
            env.report.checks.atomic = false;
            env.report.checks.together = true;
        }
        crate::matrix::execute_together(matrix, env, &mut arrived, absent)
            .map_err(|error| error.at(origin))?;
        env.report.checks.together = false;
    }
    for subgroup in arrived {
        subgroup.pass();
    }
    Ok(())
}

fn environment<'e>(
    shared: &Shared<'e>,
    memory: &'e mut Vec<u32>,
    push_constants: &'e mut Vec<u32>,
    workgroup: [u32; 3],
    report: &'e mut Report,
) -> Environment<'e> {
    Environment {
        program: shared.program,
        settings: shared.settings,
        memory: Memory {
            buffers: shared.buffers,
            shared: memory,
            shared_size: shared.program.shared_size,
            push_constants,
            push_constants_size: shared.push_constants.len() as u64,
            linear: None,
        },
        images: shared.images,
        descriptors: shared.descriptors,
        samplers: shared.samplers,
        heaps: shared.heaps,
        report,
        observer: None,
        wants: Wants::default(),
        stepper: None,
        workgroup,
        memory_share: memory_share(shared.program, shared.settings),
    }
}

fn preset_variables(program: &ProgramData, registers: &mut Registers) {
    for &(first, planes, initial) in &program.globals.variables {
        registers.clear(first, planes);
        if let Some(initial) = initial {
            for index in 0..planes {
                registers.preset(first + index, program.globals.words[(initial + index) as usize]);
                if let Some(matrix) = registers.matrix(initial + index).cloned() {
                    registers.set_matrix(first + index, matrix);
                }
            }
        }
    }
}

fn preset_builtins(shared: &Shared, registers: &mut Registers, subgroup: u32, id: [u32; 3], subgroups: u32) {
    let size = shared.program.interface.workgroup_size;
    let lanes = shared.settings.subgroup_size;
    let local = |lane: usize| {
        let index = subgroup * lanes + lane as u32;
        [index % size[0], index / size[0] % size[1], index / (size[0] * size[1])]
    };
    for &(builtin, first, planes) in &shared.program.globals.builtins {
        let mut uniform = |words: &[u32]| {
            for (plane, &word) in (first..first + planes).zip(words) {
                registers.preset(plane, word);
            }
        };
        match builtin {
            BuiltIn::NumWorkgroups => uniform(&shared.groups),
            BuiltIn::WorkgroupSize => uniform(&size),
            BuiltIn::WorkgroupId => uniform(&id),
            BuiltIn::SubgroupSize => uniform(&[lanes]),
            BuiltIn::NumSubgroups => uniform(&[subgroups]),
            BuiltIn::SubgroupId => uniform(&[subgroup]),
            BuiltIn::LocalInvocationId => {
                for index in 0..planes.min(3) {
                    registers.preset_lanes(first + index, |lane| local(lane)[index as usize]);
                }
            }
            BuiltIn::GlobalInvocationId => {
                for index in 0..planes.min(3) {
                    let start = id[index as usize].wrapping_mul(size[index as usize]);
                    registers
                        .preset_lanes(first + index, |lane| start.wrapping_add(local(lane)[index as usize]));
                }
            }
            BuiltIn::LocalInvocationIndex => {
                registers.preset_lanes(first, |lane| subgroup * lanes + lane as u32);
            }
            BuiltIn::SubgroupLocalInvocationId => registers.preset_lanes(first, |lane| lane as u32),
            BuiltIn::SubgroupEqMask
            | BuiltIn::SubgroupGeMask
            | BuiltIn::SubgroupGtMask
            | BuiltIn::SubgroupLeMask
            | BuiltIn::SubgroupLtMask => {
                let all = first_lanes(lanes as usize);
                let mask = |lane: usize| {
                    let below = first_lanes(lane);
                    let own = 1u128 << lane;
                    let mask = match builtin {
                        BuiltIn::SubgroupEqMask => own,
                        BuiltIn::SubgroupGeMask => !below,
                        BuiltIn::SubgroupGtMask => !(below | own),
                        BuiltIn::SubgroupLeMask => below | own,
                        _ => below,
                    };
                    mask & all
                };
                for index in 0..planes.min(4) {
                    registers.preset_lanes(first + index, |lane| (mask(lane) >> (index * 32)) as u32);
                }
            }
            // Nothing that a dispatch has: the first device, multiprocessor and so on.
            _ => uniform(&[0; 4]),
        }
    }
}
