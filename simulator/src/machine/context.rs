//! What an instruction sees when it is executed.

use super::Invocation;
use super::registers::{Mask, Plane, Registers};
use super::stepping::Stepper;
use crate::checks::{Finding, State};
use crate::error::RunErrorKind;
use crate::matrix::{Component, Ranges};
use crate::memory::{Heaps, Image, Memory, Sampler, Target, whole};
use crate::numerics::{Format, Numerics};
use crate::observer::{Access, AccessKind, At, Observer, Wants};
use crate::program::controls::Treatment;
use crate::program::{ProgramData, Slot};
use crate::{Counts, RunError, Settings};

/// What a run writes down besides memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    pub counts: Counts,
    /// For each block of the program: how often a subgroup ran it, and how many lanes took part.
    pub blocks: Vec<(u64, u64)>,
    /// For each instruction of the module: bytes that it read or wrote. Empty for machine code, which counts them all together.
    pub moved: Vec<u64>,
    pub findings: Vec<Finding>,
    pub log: Vec<String>,
    /// Room that matrix loads and stores use again and again.
    pub scratch: crate::matrix::memory::Scratch,
    /// What checked mode remembers.
    pub checks: State,
    /// How far accumulators are from overflowing.
    pub headroom: Ranges,
}

impl Report {
    /// Adds what was counted elsewhere. Findings and lines of text are put in order by who runs workgroups.
    pub fn add(&mut self, other: &Report) {
        self.counts.add(&other.counts);
        self.headroom.merge(&other.headroom);
        for (sum, part) in self.blocks.iter_mut().zip(&other.blocks) {
            sum.0 += part.0;
            sum.1 += part.1;
        }
        for (sum, part) in self.moved.iter_mut().zip(&other.moved) {
            *sum += part;
        }
    }

    /// A copy of all that the rest of a run depends on, or tells.
    pub fn snapshot(&self) -> Report {
        Report {
            counts: self.counts.clone(),
            blocks: self.blocks.clone(),
            moved: self.moved.clone(),
            findings: self.findings.clone(),
            log: self.log.clone(),
            scratch: Default::default(),
            checks: self.checks.clone(),
            headroom: self.headroom.clone(),
        }
    }

    /// About how much memory a copy takes.
    pub fn bytes(&self) -> u64 {
        let findings = self.findings.iter().map(|finding| finding.message.len() as u64 + 100).sum::<u64>();
        let log = self.log.iter().map(|line| line.len() as u64 + 24).sum::<u64>();
        let counts = self.blocks.len() as u64 * 16 + self.moved.len() as u64 * 8;
        counts + findings + log + self.checks.bytes() + self.headroom.bytes()
    }
}

/// What all subgroups of a workgroup share while they run.
pub(crate) struct Environment<'e> {
    pub program: &'e ProgramData,
    pub settings: &'e Settings,
    pub memory: Memory<'e>,
    pub images: &'e [Image],
    /// For each of the program's descriptors.
    pub descriptors: &'e [Target],
    /// The samplers of descriptors that have one.
    pub samplers: &'e [Option<Sampler>],
    /// Where descriptors lie in heaps.
    pub heaps: &'e Heaps,
    pub report: &'e mut Report,
    pub observer: Option<&'e mut (dyn Observer + 'static)>,
    pub wants: Wants,
    /// Who may hold the run at any instruction.
    pub stepper: Option<&'e mut (dyn Stepper + 'static)>,
    pub workgroup: [u32; 3],
    /// [`memory_share`], which every operation on matrices is held to.
    pub memory_share: u64,
}

/// How many subgroups a workgroup has.
fn subgroups(program: &ProgramData, settings: &Settings) -> u64 {
    let invocations: u32 = program.interface.workgroup_size.iter().product();
    u64::from(invocations.div_ceil(settings.subgroup_size).max(1))
}

/// What a subgroup may take of the memory limit: what shared memory leaves, in equal parts.
pub(crate) fn memory_share(program: &ProgramData, settings: &Settings) -> u64 {
    settings.memory_limit.saturating_sub(program.shared_size) / subgroups(program, settings)
}

impl Environment<'_> {
    /// Whether a subgroup with so many planes, and the matrices that it holds, stays within its share.
    pub fn check_memory(&self, registers: &Registers, planes: u32) -> Result<(), RunError> {
        let needed = registers.bytes_of(planes.max(registers.planes())) + registers.matrix_bytes();
        if needed <= self.memory_share {
            return Ok(());
        }
        let (subgroups, limit) = (subgroups(self.program, self.settings), self.settings.memory_limit);
        let shared = match self.program.shared_size {
            0 => String::new(),
            size => format!(", beside shared memory of {},", bytes(size)),
        };
        Err(RunError::new(
            RunErrorKind::Memory,
            format!(
                "the registers and matrices of a subgroup take {}: {subgroups} of them{shared} take more than the memory limit of {}",
                bytes(needed),
                bytes(limit)
            ),
        ))
    }
}

/// A size as people read it.
pub(super) fn bytes(size: u64) -> String {
    match size {
        0..1024 => format!("{size} bytes"),
        1024..1_048_576 => format!("{} KiB", size.div_ceil(1024)),
        _ => format!("{} MiB", size.div_ceil(1 << 20)),
    }
}

/// What an instruction sees: the registers of its subgroup, and everything around it.
pub(crate) struct Context<'a, 'e> {
    pub env: &'a mut Environment<'e>,
    pub registers: &'a mut Registers,
    /// The first plane of the running frame.
    pub base: u32,
    pub subgroup: u32,
    /// The index in the module of the running instruction.
    pub origin: u32,
    /// How many functions over elements are running inside each other.
    pub nested: u32,
}

impl<'a, 'e> Context<'a, 'e> {
    pub fn new(env: &'a mut Environment<'e>, registers: &'a mut Registers, subgroup: u32) -> Self {
        Context { env, registers, base: 0, subgroup, origin: 0, nested: 0 }
    }

    /// The index of a slot's plane in the register file.
    #[inline]
    pub fn plane(&self, slot: Slot) -> Plane {
        slot.plane(self.base)
    }

    /// How results of a format are rounded, and whether subnormal ones stay.
    #[inline]
    pub fn treatment(&self, format: Format) -> Treatment {
        self.env.program.controls.of(format, &self.env.settings.numerics)
    }

    /// The settings' numerics, with what the module says of the components of a matrix.
    pub fn numerics(&self, component: Component) -> Numerics {
        let settings = self.env.settings.numerics;
        let Component::Float(format) = component else { return settings };
        let Treatment { rounding, denormals } = self.treatment(format);
        Numerics { rounding, denormals, ..settings }
    }

    /// The lanes that take part.
    pub fn mask(&self) -> Mask {
        self.registers.mask()
    }

    pub fn invocation(&self, lane: usize) -> Invocation {
        let index = self.subgroup * self.registers.lanes() as u32 + lane as u32;
        Invocation { workgroup: self.env.workgroup, index }
    }

    pub fn at(&self) -> At {
        At {
            workgroup: self.env.workgroup,
            subgroup: self.subgroup,
            instruction: self.origin,
            mask: self.registers.mask(),
        }
    }

    /// Every access of the shader to memory passes here: the address of each lane that takes part, its size in bytes. Gives the lanes
    /// that read undefined bytes.
    #[inline]
    pub fn access(&mut self, kind: AccessKind, size: u32, addresses: &[(usize, u64)]) -> Mask {
        self.count_access(kind, size, addresses);
        if self.env.settings.checked { self.check_access(kind, size, addresses) } else { 0 }
    }

    /// The same without checks.
    #[inline]
    pub fn count_access(&mut self, kind: AccessKind, size: u32, addresses: &[(usize, u64)]) {
        self.count_bytes(kind, u64::from(size) * addresses.len() as u64);
        if self.env.wants.memory {
            self.watched_access(kind, size, addresses);
        }
    }

    /// Counts bytes that the instruction reads or writes; an atomic operation does both.
    #[inline]
    pub fn count_bytes(&mut self, kind: AccessKind, bytes: u64) {
        let report = &mut *self.env.report;
        if kind != AccessKind::Write {
            report.counts.bytes_read += bytes;
        }
        if kind != AccessKind::Read {
            report.counts.bytes_written += bytes;
        }
        if let Some(moved) = report.moved.get_mut(self.origin as usize) {
            *moved += if kind == AccessKind::Atomic { 2 * bytes } else { bytes };
        }
    }

    #[cold]
    fn watched_access(&mut self, kind: AccessKind, size: u32, addresses: &[(usize, u64)]) {
        let at = self.at();
        for &(lane, address) in addresses {
            let invocation = self.invocation(lane);
            let address = whole(self.env.memory.buffers, address);
            let access = Access { kind, address, size, invocation };
            if let Some(stepper) = &mut self.env.stepper {
                stepper.accesses(&at, &access);
            }
            if let Some(observer) = &mut self.env.observer {
                observer.memory(&at, &access);
            }
        }
    }
}
