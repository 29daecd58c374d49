//! Instructions that the interpreter executes for the module wait for each other, and are executed by one call: what is generated between them
//! moves before them, where it neither needs nor disturbs what they do.

use wasm_encoder::{BlockType, Instruction as I};

use super::control::FAILED;
use super::effects::{Effects, effects};
use super::planes::Run;
use super::ready::Step;
use super::refusal::Refusal;
use super::region::{Generator, LANES, SUBGROUP};
use super::site::{Helper, SiteKind};
use crate::code::{Instruction, MemoryInstruction};
use crate::matrix::operation::Operation;

/// Instructions of a block that wait.
#[derive(Default)]
pub(super) struct Batch {
    /// Each with its index.
    steps: Vec<(u32, Step)>,
    /// What the interpreter's code takes before the first of them.
    taken: Vec<Run>,
    reads: Vec<Run>,
    writes: Vec<Run>,
    memory: Memory,
}

/// Whether buffers or shared memory are read or written.
#[derive(Clone, Copy, Default)]
struct Memory {
    reads: bool,
    writes: bool,
}

impl Batch {
    /// The index of the first one.
    pub fn first(&self) -> Option<u32> {
        self.steps.first().map(|(index, _)| *index)
    }
}

impl Generator<'_> {
    /// Generates an instruction, or lets it wait for the interpreter's code.
    pub fn instruction(
        &mut self,
        index: u32,
        instruction: &Instruction,
        number: usize,
    ) -> Result<(), Refusal> {
        if does_nothing(instruction) {
            return Ok(());
        }
        let Effects { reads, writes, .. } = effects(self.program, self.planes, self.function, instruction)?;
        let memory = memory(instruction);
        if !self.is_hosted(instruction, &reads, &writes) {
            let batch = &self.batch;
            let disturbed = overlap(&reads, &batch.writes)
                || overlap(&writes, &batch.reads)
                || overlap(&writes, &batch.writes)
                || memory.writes && (batch.memory.reads || batch.memory.writes)
                || memory.reads && batch.memory.writes;
            if disturbed {
                self.flush();
            }
            if self.generate(instruction, number) {
                return Ok(());
            }
        }
        let step = match overlap(&reads, &self.batch.writes) {
            true => Step::Execute,
            false => self.ready(instruction, &reads),
        };
        let batch = &mut self.batch;
        // What one of them has made is in the registers for those that follow.
        let others = reads.iter().filter(|run| !covers(&batch.writes, run));
        if matches!(step, Step::Execute) {
            batch.taken.extend(others.clone());
        }
        batch.reads.extend(others);
        batch.steps.push((index, step));
        batch.writes.extend(writes);
        batch.memory.reads |= memory.reads;
        batch.memory.writes |= memory.writes;
        Ok(())
    }

    /// Whether only the interpreter's code does it, whatever else is known.
    fn is_hosted(&self, instruction: &Instruction, reads: &[Run], writes: &[Run]) -> bool {
        let holds = |&(first, count): &Run| {
            self.planes.matrices[first as usize..(first + count) as usize].contains(&true)
        };
        match instruction {
            Instruction::Atomic(_)
            | Instruction::Image(_)
            | Instruction::Subgroup(_)
            | Instruction::Matrix(_)
            | Instruction::Vector(_)
            | Instruction::Print(_)
            | Instruction::Clock(_)
            | Instruction::Unsupported(_) => true,
            _ => reads.iter().chain(writes).any(holds),
        }
    }

    /// Lets the host do what waits.
    pub fn flush(&mut self) {
        let Batch { steps, taken, writes, .. } = std::mem::take(&mut self.batch);
        let Some((first, _)) = steps.first() else { return };
        // What they read is needed still.
        let index = std::mem::replace(&mut self.index, *first);
        self.call_host(SiteKind::Instructions { steps: steps.into() }, &taken, &writes);
        self.index = index;
    }

    /// Calls the host, after what waits for it.
    pub fn call_host(&mut self, kind: SiteKind, reads: &[Run], writes: &[Run]) {
        self.settle();
        let site = self.site(kind, reads, writes);
        self.out.extend([
            I::I32Const(site as i32),
            I::LocalGet(SUBGROUP),
            I::LocalGet(LANES),
            I::Call(Helper::Execute as u32),
            I::If(BlockType::Empty),
            I::I32Const(FAILED),
            I::Return,
            I::End,
        ]);
        self.forget(writes);
    }
}

/// Whether it is only counted: what unrolled loops have in the place of what they need no more.
fn does_nothing(instruction: &Instruction) -> bool {
    match *instruction {
        Instruction::Memory(MemoryInstruction::Copy { result, source, planes }) => {
            planes == 0 || result == source
        }
        Instruction::Memory(MemoryInstruction::Move { result, value }) => result == value,
        _ => false,
    }
}

fn overlap(some: &[Run], others: &[Run]) -> bool {
    some.iter().any(|a| others.iter().any(|b| a.0 < b.0 + b.1 && b.0 < a.0 + a.1))
}

/// Whether one of them has all of a run.
fn covers(runs: &[Run], run: &Run) -> bool {
    runs.iter().any(|other| other.0 <= run.0 && run.0 + run.1 <= other.0 + other.1)
}

fn memory(instruction: &Instruction) -> Memory {
    let (reads, writes) = match instruction {
        Instruction::Memory(instruction) => match instruction {
            MemoryInstruction::Load { .. } | MemoryInstruction::LoadApart { .. } => (true, false),
            MemoryInstruction::Store { .. } | MemoryInstruction::StoreApart { .. } => (false, true),
            MemoryInstruction::Copy { .. }
            | MemoryInstruction::Gather { .. }
            | MemoryInstruction::Scatter { .. }
            | MemoryInstruction::Move { .. }
            | MemoryInstruction::MoveTo { .. }
            | MemoryInstruction::Address { .. }
            | MemoryInstruction::Buffer { .. }
            | MemoryInstruction::Descriptor { .. }
            | MemoryInstruction::HeapBuffer { .. }
            | MemoryInstruction::HeapImage { .. }
            | MemoryInstruction::PlaneIndex { .. }
            | MemoryInstruction::PlaneOf { .. }
            | MemoryInstruction::PlaneFrom { .. }
            | MemoryInstruction::Extend { .. }
            | MemoryInstruction::ArrayLength { .. } => (false, false),
        },
        Instruction::Matrix(instruction) => match *instruction.operation {
            Operation::Load { .. } => (true, false),
            Operation::Store { .. } | Operation::StoreTensor { .. } => (false, true),
            // They call functions.
            Operation::LoadTensor { .. } | Operation::PerElement { .. } | Operation::Reduce { .. } => {
                (true, true)
            }
            Operation::Undefined { .. }
            | Operation::Splat { .. }
            | Operation::Length { .. }
            | Operation::Coordinate { .. }
            | Operation::ElementLoad { .. }
            | Operation::ElementStore { .. }
            | Operation::Extract { .. }
            | Operation::Insert { .. }
            | Operation::Binary { .. }
            | Operation::Negate { .. }
            | Operation::TimesScalar { .. }
            | Operation::Convert { .. }
            | Operation::Bitcast { .. }
            | Operation::ChangeUse { .. }
            | Operation::MultiplyAdd { .. }
            | Operation::Construct { .. }
            | Operation::ExtractArray { .. }
            | Operation::BitcastArray { .. }
            | Operation::SubArray { .. }
            | Operation::CreateLayout { .. }
            | Operation::ChangeLayout { .. }
            | Operation::CreateView { .. }
            | Operation::ChangeView { .. } => (false, false),
        },
        Instruction::Atomic(_) | Instruction::Image(_) | Instruction::Vector(_) | Instruction::Call(_) => {
            (true, true)
        }
        Instruction::Integer(_)
        | Instruction::BitField(_)
        | Instruction::Float(_)
        | Instruction::Product(_)
        | Instruction::Logic(_)
        | Instruction::Conversion(_)
        | Instruction::Composite(_)
        | Instruction::Extended(_)
        | Instruction::Dot(_)
        | Instruction::Subgroup(_)
        | Instruction::Barrier(_)
        | Instruction::Print(_)
        | Instruction::Clock(_)
        | Instruction::Unsupported(_) => (false, false),
    };
    Memory { reads, writes }
}
