//! What is known of a shader's speed before it runs: passes of shared memory that its loads and stores take, and the registers that its matrices take.
//!
//! The model is that of profiles (`docs/performance.md`); which says on what devices it was measured. Hosts ask for it: nothing else here does.

pub mod kept;
pub mod profiling;
mod scalars;
pub mod shown;

use std::collections::HashMap;

use coopmat_analysis::Analysis;
use coopmat_analysis::devices::{DeviceProfile, MatrixRate};
use coopmat_analysis::diagnostics::{Code, Diagnostic, codes};
use coopmat_analysis::text::FileRange;
use coopmat_codegen::statistics::{Assumptions, live};
use coopmat_codegen::{Compiled, compile_once, specialize_in};
use coopmat_recipe::profile::{ComputeUnit, Facts, Rate, Residency};
use coopmat_simulator::observer::AccessKind;
use coopmat_simulator::ownership::Ownership;
use coopmat_simulator::profile::{Banks, FixedAccess, Passes, Sizes, Tiles};
use coopmat_simulator::{Program, ProgramOptions};
use coopmat_spirv::dr::{Instruction, Module, Operand};
use coopmat_spirv::spirv::{Op, StorageClass, Word};

use crate::shapes::component;
pub use scalars::{ScalarAccess, scalar_accesses};

/// Strides that a diagnostic names.
const STRIDES: usize = 3;

/// The alignment of matrices in memory, unless their rows are shorter (VUID-RuntimeSpirv-OpCooperativeMatrixLoadKHR-08986).
const ALIGNMENT: u64 = 16;

/// What the profile of a device says of its speed.
pub fn facts(device: &DeviceProfile) -> Facts {
    let performance = &device.performance;
    let rate = |rate: &MatrixRate| {
        let components = [component(rate.a)?, component(rate.b)?, component(rate.result)?];
        Some(Rate { components, gigaops: rate.gigaops })
    };
    let banks = performance.shared_memory_banks;
    let tiles = performance.tile_loads.map(|it| Tiles { element: it.element_bytes, side: it.side });
    Facts {
        device: Some(device.name.clone()),
        banks: banks.map(|banks| Banks { count: banks.count, width: banks.width, tiles }),
        shared_memory: device.limits.max_compute_shared_memory_size.map(u64::from),
        rates: performance.matrix_rates.iter().filter_map(rate).collect(),
        bandwidth: performance.memory_bandwidth.map(u64::from),
        compute_unit: performance.compute_unit.map(|unit| ComputeUnit {
            registers: unit.registers.into(),
            registers_per_invocation: unit.registers_per_invocation.into(),
            subgroups: unit.subgroups.into(),
            shared_memory: unit.shared_memory.into(),
        }),
    }
}

/// What is found, and what is not known.
#[derive(Debug, Default)]
pub struct Found {
    /// In the order of the module.
    pub diagnostics: Vec<Diagnostic>,
    /// What was not looked at, and why, in sentences without a full stop.
    pub notes: Vec<String>,
    /// Loads and stores of shared memory, with conflicts or not: matrices first, each in the order of the module.
    pub accesses: Vec<Access>,
    /// What results of multiply-adds take.
    pub registers: Option<Bound>,
}

/// A load or store of shared memory.
#[derive(Debug)]
pub struct Access {
    /// Where it stands in the source.
    pub location: FileRange,
    /// What it takes, or why that is not known.
    pub told: String,
    /// None if that is not known.
    pub conflicts: Option<bool>,
}

/// A bound of the registers that each invocation holds.
#[derive(Debug)]
pub struct Bound {
    /// Of 32 bits.
    pub registers: u64,
    /// Those that an invocation may have.
    pub most: u64,
    /// What that leaves room for.
    pub residency: Residency,
}

impl Found {
    /// For a lens above the entry point; nothing of a shader without matrices.
    pub fn summary(&self) -> Option<String> {
        let mut parts = Vec::new();
        let count = |wanted| self.accesses.iter().filter(|access| access.conflicts == wanted).count();
        if !self.accesses.is_empty() {
            let (all, bad, unknown) = (self.accesses.len(), count(Some(true)), count(None));
            let noun = if all == 1 { "access" } else { "accesses" };
            parts.push(match unknown {
                0 => format!("{all} {noun} of shared memory: {bad} with conflicts"),
                _ if unknown == all => format!("{all} {noun} of shared memory: passes not known"),
                _ => format!("{all} {noun} of shared memory: {bad} with conflicts, {unknown} not known"),
            });
        }
        if let Some(Bound { registers, most, residency }) = &self.registers {
            let told = format!("at least {registers} of {most} registers");
            parts.push(if residency.spills {
                format!("{told}: spills")
            } else {
                let (now, most) = (residency.subgroups, residency.most_subgroups);
                format!("{told} (at most {now} of {most} subgroups resident)")
            });
        }
        if let (true, Some(note)) = (parts.is_empty(), self.notes.first()) {
            // What the command line would have to be told is no advice in an editor.
            let (note, _) = note.split_once(", use --").unwrap_or((note, ""));
            parts.push(format!("performance not known: {note}"));
        }
        (!parts.is_empty()).then(|| parts.join("; "))
    }
}

/// What is known of the speed of a shader without errors, under its configuration. Nothing for one without matrices.
pub fn performance(analysis: &Analysis) -> Found {
    let looking = match Looking::new(analysis) {
        Ok(Some(looking)) => looking,
        Ok(None) => return Found::default(),
        Err(note) => return Found { notes: vec![note], ..Found::default() },
    };
    let mut found = Found::default();
    match looking.facts.banks {
        Some(banks) => {
            looking.banks(banks, &mut found);
            looking.scalar_banks(banks, &mut found);
        }
        None => {
            let device = &looking.device;
            let note = format!("the profile of {device} does not say how its banks are");
            looking.without_banks(&note, &mut found);
            found.notes.push(note);
        }
    }
    looking.registers(&mut found);
    found
}

struct Looking<'a> {
    analysis: &'a Analysis,
    compiled: Compiled,
    program: Program,
    facts: Facts,
    device: String,
    sizes: Sizes,
}

impl<'a> Looking<'a> {
    /// The module under the configuration. Nothing of a shader without matrices.
    ///
    /// # Errors
    /// What is not known, in words without a full stop.
    fn new(analysis: &'a Analysis) -> Result<Option<Looking<'a>>, String> {
        let Ok(compiled) = compile_once(analysis) else {
            return Err("the shader has no module to look at".to_owned());
        };
        let globals = &compiled.module.types_global_values;
        if !globals.iter().any(|it| it.class.opcode == Op::TypeCooperativeMatrixKHR) {
            return Ok(None);
        }
        let device = analysis.config.device_profile().ok_or("no device is set, use --device NAME")?;
        let size = analysis.config.subgroup_size.or_else(|| Some(device.subgroup_size?.default));
        let subgroup = size.ok_or("the size of subgroups is not known, use --subgroup-size N")?;
        let compiled = specialize_in(&analysis.config, (*compiled).clone(), [], true)
            .map_err(|_| "the values of specialization constants do not fit the module")?;
        let program =
            Program::new(&compiled.module, &ProgramOptions::default()).map_err(|error| error.to_string())?;
        let workgroup = program.interface().workgroup_size.iter().product();
        let (facts, device) = (facts(&device), device.name.clone());
        let sizes = Sizes { subgroup, workgroup };
        Ok(Some(Looking { analysis, compiled, program, facts, device, sizes }))
    }
}

impl Looking<'_> {
    /// About an instruction of a module that the shader was compiled to.
    fn diagnostic(
        &self,
        code: &'static Code,
        compiled: &Compiled,
        instruction: u32,
        message: String,
    ) -> Option<Diagnostic> {
        let place = compiled.map.place(self.analysis, instruction as usize)?;
        Some(Diagnostic {
            code,
            severity: code.severity,
            message,
            location: place.location,
            related: Vec::new(),
        })
    }

    /// Adds a load or store, and what is told of it if it has conflicts.
    fn access(
        &self,
        compiled: &Compiled,
        instruction: u32,
        told: String,
        conflicts: Option<bool>,
        found: &mut Found,
    ) {
        let Some(one) = self.diagnostic(&codes::BANK_CONFLICTS, compiled, instruction, told) else { return };
        found.accesses.push(Access { location: one.location, told: one.message.clone(), conflicts });
        if conflicts == Some(true) {
            found.diagnostics.push(one);
        }
    }

    /// Loads and stores of shared memory, of none of which the passes are known, and why.
    fn without_banks(&self, why: &str, found: &mut Found) {
        let told = |is_store: bool| {
            let name = if is_store { "store" } else { "load" };
            format!("the passes of this {name} are not known: {why}")
        };
        let module = Operands::of(&self.compiled.module);
        let all = self.program.fixed_accesses();
        for access in all.iter().filter(|access| module.stride(access).is_some()) {
            let told = told(access.kind == AccessKind::Write);
            self.access(&self.compiled, access.instruction, told, None, found);
        }
        self.scalars_without_banks(&told, found);
    }

    /// Loads and stores of matrices in shared memory.
    fn banks(&self, banks: Banks, found: &mut Found) {
        let module = Operands::of(&self.compiled.module);
        let in_shared: Vec<(FixedAccess, Option<u64>)> = self
            .program
            .fixed_accesses()
            .into_iter()
            .filter_map(|access| module.stride(&access).map(|stride| (access, stride)))
            .collect();
        if in_shared.is_empty() {
            return;
        }
        let named = |access: &FixedAccess| if access.kind == AccessKind::Write { "store" } else { "load" };
        let unknown = |access: &FixedAccess, why: &str, found: &mut Found| {
            let told = format!("the passes of this {} are not known: {why}", named(access));
            self.access(&self.compiled, access.instruction, told, None, found);
        };
        let Some(ownership) = Ownership::by_name(&self.device) else {
            let device = &self.device;
            let note = format!("it is not known which invocation of {device} owns which element of a matrix");
            for (access, _) in &in_shared {
                unknown(access, &note, found);
            }
            return found.notes.push(note);
        };
        let mut known = HashMap::new();
        for (access, stride) in in_shared {
            let Some(stride) = stride else {
                found
                    .notes
                    .push("some matrices in shared memory have a stride that is no constant".to_owned());
                unknown(&access, "the stride is no constant; a run with a profile tells them", found);
                continue;
            };
            let key = (access.type_, access.by_rows, access.unit, stride);
            let (message, conflicts) =
                known.entry(key).or_insert_with(|| self.conflicts(&access, stride, banks, &ownership));
            let told = format!("the {} {message}", named(&access));
            self.access(&self.compiled, access.instruction, told, Some(*conflicts), found);
        }
        found.notes.dedup();
    }

    /// What an access takes and whether it has conflicts, with strides that have none.
    fn conflicts(
        &self,
        access: &FixedAccess,
        stride: u64,
        banks: Banks,
        owners: &Ownership,
    ) -> (String, bool) {
        let passes = |stride| access.passes(owners, self.sizes, banks, stride);
        let now = passes(stride);
        let Passes { passes: all, least, worst } = now;
        let unit = access.unit.max(1);
        if !now.has_conflicts() {
            let (device, stride) = (&self.device, stride / unit);
            let noun = if all == 1 { "pass" } else { "passes" };
            let told = format!(
                "takes {all} {noun} of shared memory on {device}, with a stride of {stride}: no conflicts"
            );
            return (told, false);
        }
        let line = access.line();
        let alignment = line.next_power_of_two().min(ALIGNMENT).max(unit);
        let first = line.next_multiple_of(alignment);
        let period = u64::from(banks.count) * u64::from(banks.width);
        let strides = (0..(period / alignment).max(1)).map(|index| first + index * alignment);
        let free = strides.filter(|stride| stride.is_multiple_of(unit) && !passes(*stride).has_conflicts());
        let free: Vec<String> = free.take(STRIDES).map(|stride| (stride / unit).to_string()).collect();
        let other = match free.as_slice() {
            [] => "no stride is free of conflicts".to_owned(),
            free => format!("without conflicts: a stride of {}", free.join(" or ")),
        };
        let told = format!(
            "takes {all} passes of shared memory instead of {least} on {}, with a stride of {} ({worst}-way conflicts); {other}",
            self.device,
            stride / unit
        );
        (told, true)
    }

    /// The registers of all matrices, where they take the most.
    fn registers(&self, found: &mut Found) {
        let assumptions = Assumptions { subgroup_size: self.sizes.subgroup };
        let Some(live) = live(&self.compiled.module, None, &assumptions) else { return };
        found.notes.extend(live.notes);
        let bound = live.bound.registers;
        if bound == 0 {
            return;
        }
        let Some(unit) = &self.facts.compute_unit else {
            let device = &self.device;
            return found
                .notes
                .push(format!("the profile of {device} does not say how many registers it has"));
        };
        let subgroups = u64::from(self.sizes.workgroup.div_ceil(self.sizes.subgroup.max(1)));
        let shared =
            self.program.shared_arrays().iter().map(|array| array.offset + array.size).max().unwrap_or(0);
        let residency = Residency::new(unit, bound, self.sizes.subgroup, subgroups, shared);
        let most = unit.registers_per_invocation;
        found.registers = Some(Bound { registers: bound, most, residency });
        let device = &self.device;
        let told = if residency.spills {
            format!(
                "results of multiply-adds take at least {bound} registers of each invocation here, but {device} has {most}: {} or more are spilled to memory",
                bound - most
            )
        } else {
            format!(
                "results of multiply-adds take at least {bound} of {most} registers of each invocation here: at most {} of {} subgroups are resident at the same time on {device}",
                residency.subgroups, residency.most_subgroups
            )
        };
        let told = self.diagnostic(&codes::MATRIX_REGISTERS, &self.compiled, live.bound.instruction, told);
        found.diagnostics.extend(told);
    }
}

/// The operands of a module's loads and stores of matrices.
struct Operands<'m> {
    instructions: Vec<&'m Instruction>,
    definitions: HashMap<Word, &'m Instruction>,
}

impl<'m> Operands<'m> {
    fn of(module: &'m Module) -> Operands<'m> {
        let instructions: Vec<&Instruction> = module.all_inst_iter().collect();
        let definitions = instructions.iter().filter_map(|it| Some((it.result_id?, *it))).collect();
        Operands { instructions, definitions }
    }

    /// The stride of an access to shared memory in bytes, if it is a constant; nothing for other memory.
    fn stride(&self, access: &FixedAccess) -> Option<Option<u64>> {
        let instruction = self.instructions.get(access.instruction as usize)?;
        // Load: pointer, layout, stride. Store: pointer, object, layout, stride.
        let place = if access.kind == AccessKind::Write { 3 } else { 2 };
        let pointer = self.definition(instruction.operands.first())?;
        let type_ = self.definitions.get(&pointer.result_type?)?;
        if !matches!(type_.operands.first(), Some(Operand::StorageClass(StorageClass::Workgroup))) {
            return None;
        }
        let stride = self.definition(instruction.operands.get(place));
        let stride = stride.filter(|stride| stride.class.opcode == Op::Constant);
        let value = match stride.and_then(|stride| stride.operands.first()) {
            Some(Operand::LiteralBit32(value)) => Some(u64::from(*value)),
            _ => None,
        };
        Some(value.and_then(|value| value.checked_mul(access.unit)))
    }

    fn definition(&self, operand: Option<&Operand>) -> Option<&'m Instruction> {
        match operand? {
            Operand::IdRef(id) => self.definitions.get(id).copied(),
            _ => None,
        }
    }
}
