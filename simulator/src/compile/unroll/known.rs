//! What is known of planes at a place in the program: words that all lanes have there which come by. They are computed by the instructions
//! themselves, on registers of one lane.

use rustc_hash::FxHashMap;

use super::super::effects::{Effects, Sharing, effects};
use super::super::planes::{Planes, Run};
use super::super::refusal::Refusal;
use crate::code::{ConversionInstruction, Instruction, MemoryInstruction};
use crate::instructions;
use crate::machine::Registers;
use crate::matrix::operation::Operation;
use crate::program::types::Scalar;
use crate::program::{ProgramData, Slot, on_one_lane};

/// Planes whose word is known.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Known(FxHashMap<u32, u32>);

impl Known {
    pub fn forget(&mut self, runs: &[Run]) {
        for &(first, count) in runs {
            if count as usize > self.0.len() {
                self.0.retain(|plane, _| !(first..first + count).contains(plane));
            } else {
                (first..first + count).for_each(|plane| {
                    self.0.remove(&plane);
                });
            }
        }
    }

    /// Where two ways meet.
    pub fn meet(&mut self, other: &Known) {
        self.0.retain(|plane, word| other.0.get(plane) == Some(word));
    }
}

/// Finds out what instructions leave.
pub(super) struct Evaluator<'p> {
    pub program: &'p ProgramData,
    pub planes: &'p Planes,
    pub function: u32,
    constants: FxHashMap<u32, u32>,
    registers: Registers,
}

impl<'p> Evaluator<'p> {
    pub fn new(program: &'p ProgramData, planes: &'p Planes) -> Self {
        let mut registers = Registers::new(1, program.has_matrices, false);
        registers.resize(planes.count);
        let mut constants = planes.constants(program);
        constants.retain(|plane, _| !planes.matrices[*plane as usize]);
        Evaluator { program, planes, function: 0, constants, registers }
    }

    /// The word of a plane.
    pub fn plane(&self, known: &Known, plane: u32) -> Option<u32> {
        known.0.get(&plane).or_else(|| self.constants.get(&plane)).copied()
    }

    pub fn slot(&self, known: &Known, slot: Slot) -> Option<u32> {
        self.plane(known, self.planes.of(self.function, slot))
    }

    /// What is known after an instruction.
    pub fn step(&mut self, known: &mut Known, instruction: &Instruction) -> Result<(), Refusal> {
        let Effects { reads, writes, sharing, across } =
            effects(self.program, self.planes, self.function, instruction)?;
        if calls(instruction) {
            let (globals, planes) = (self.program.globals.words.len() as u32, self.planes);
            known.0.retain(|plane, _| *plane >= globals && !planes.indexed[*plane as usize]);
        }
        let numbers = is_of_integers(instruction) && !across && sharing != Sharing::Varying;
        let all = |runs: &[Run], known: &Known, evaluator: &Self| {
            let mut planes = runs.iter().flat_map(|&(first, count)| first..first + count);
            planes.all(|plane| evaluator.plane(known, plane).is_some())
        };
        if let Instruction::Memory(MemoryInstruction::Copy { result, source, planes }) = *instruction {
            self.copy(known, result, source, planes);
            return Ok(());
        }
        if !numbers || !all(&reads, known, self) {
            known.forget(&writes);
            return Ok(());
        }
        for plane in reads.iter().flat_map(|&(first, count)| first..first + count) {
            if let Some(word) = self.plane(known, plane) {
                self.registers.preset(plane, word);
            }
        }
        let base = self.planes.bases[self.function as usize];
        let outcome = on_one_lane(&mut self.registers, |context| {
            context.base = base;
            instructions::execute(instruction, context)
        });
        for plane in writes.iter().flat_map(|&(first, count)| first..first + count) {
            match outcome {
                Ok(()) => known.0.insert(plane, self.registers.get(plane, 0)),
                Err(_) => known.0.remove(&plane),
            };
        }
        Ok(())
    }

    /// Planes take the words of other ones, each for itself.
    pub fn copy(&self, known: &mut Known, result: Slot, source: Slot, count: u32) {
        let (to, from) = (self.planes.of(self.function, result), self.planes.of(self.function, source));
        let words: Vec<Option<u32>> = (from..from + count)
            .map(|plane| self.plane(known, plane).filter(|_| !self.planes.matrices[plane as usize]))
            .collect();
        for (plane, word) in (to..to + count).zip(words) {
            match word {
                Some(word) => known.0.insert(plane, word),
                None => known.0.remove(&plane),
            };
        }
    }
}

/// Whether an instruction runs functions of the shader, which may write whatever they reach.
pub(super) fn calls(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Call(_) => true,
        Instruction::Matrix(matrix) => matches!(
            *matrix.operation,
            Operation::Reduce { .. } | Operation::PerElement { .. } | Operation::LoadTensor { .. }
        ),
        _ => false,
    }
}

/// Whether it computes integers, truth values and places of planes from others alone.
fn is_of_integers(instruction: &Instruction) -> bool {
    match instruction {
        Instruction::Integer(_) | Instruction::BitField(_) | Instruction::Logic(_) => true,
        Instruction::Composite(_) => true,
        Instruction::Conversion(conversion) => match *conversion {
            ConversionInstruction::Convert { from, to, .. } => {
                [from, to].iter().all(|scalar| matches!(scalar, Scalar::Integer { .. }))
            }
            ConversionInstruction::Repack { .. } | ConversionInstruction::Extract { .. } => true,
            ConversionInstruction::QuantizeToF16 { .. } => false,
        },
        Instruction::Memory(memory) => match memory {
            MemoryInstruction::PlaneIndex { .. }
            | MemoryInstruction::PlaneOf { .. }
            | MemoryInstruction::PlaneFrom { .. }
            | MemoryInstruction::Extend { .. } => true,
            MemoryInstruction::Copy { .. }
            | MemoryInstruction::Gather { .. }
            | MemoryInstruction::Scatter { .. }
            | MemoryInstruction::Move { .. }
            | MemoryInstruction::MoveTo { .. }
            | MemoryInstruction::Load { .. }
            | MemoryInstruction::Store { .. }
            | MemoryInstruction::LoadApart { .. }
            | MemoryInstruction::StoreApart { .. }
            | MemoryInstruction::Address { .. }
            | MemoryInstruction::Buffer { .. }
            | MemoryInstruction::Descriptor { .. }
            | MemoryInstruction::HeapBuffer { .. }
            | MemoryInstruction::HeapImage { .. }
            | MemoryInstruction::ArrayLength { .. } => false,
        },
        Instruction::Float(_)
        | Instruction::Product(_)
        | Instruction::Extended(_)
        | Instruction::Dot(_)
        | Instruction::Atomic(_)
        | Instruction::Image(_)
        | Instruction::Subgroup(_)
        | Instruction::Matrix(_)
        | Instruction::Vector(_)
        | Instruction::Call(_)
        | Instruction::Barrier(_)
        | Instruction::Print(_)
        | Instruction::Clock(_)
        | Instruction::Unsupported(_) => false,
    }
}
