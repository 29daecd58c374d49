//! Instructions: one file per family, which lowers the family's opcodes and executes what it lowered.

mod control;
mod memory;

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::spirv::Op;
use coopmat_spirv::{name, opcode};

use crate::machine::Context;
use crate::matrix::{self, MatrixInstruction};
use crate::program::Lowering;
use crate::{Class, ProgramError, RunError};

pub(crate) use control::{BarrierInstruction, CallInstruction};
pub(crate) use memory::{MemoryInstruction, Term};

/// A lowered instruction.
#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    Memory(MemoryInstruction),
    Matrix(MatrixInstruction),
    Call(Box<CallInstruction>),
    Barrier(BarrierInstruction),
    /// An instruction that is not known: an error when it is executed.
    Unsupported(Box<str>),
}

impl Instruction {
    pub fn class(&self) -> Class {
        match self {
            Instruction::Memory(instruction) => instruction.class(),
            Instruction::Matrix(_) => Class::Matrix,
            Instruction::Call(_) => Class::Call,
            Instruction::Barrier(_) => Class::Barrier,
            Instruction::Unsupported(_) => Class::Other,
        }
    }
}

/// Lowers an instruction of a body (or, at the level of the module, one that `OpSpecConstantOp` names).
pub(crate) fn lower(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    if ignored(source) {
        return Ok(());
    }
    if matrix::lower(lowering, source)?
        || memory::lower(lowering, source)?
        || control::lower(lowering, source)?
    {
        return Ok(());
    }
    unsupported(lowering, source)
}

/// An error when it is executed; its result is there for what uses it.
fn unsupported(lowering: &mut Lowering, source: &Source) -> Result<(), ProgramError> {
    let number = opcode(source);
    let name = name(number).map_or_else(|| format!("the opcode {number}"), |name| format!("Op{name}"));
    if source.result_type.is_some() && source.result_id.is_some() {
        lowering.result(source)?;
    }
    lowering.emit(Instruction::Unsupported(name.into()));
    Ok(())
}

/// Instructions that say something about the program, and do nothing.
fn ignored(source: &Source) -> bool {
    matches!(
        source.class.opcode,
        Op::Line
            | Op::NoLine
            | Op::SelectionMerge
            | Op::LoopMerge
            | Op::LifetimeStart
            | Op::LifetimeStop
            | Op::MemoryBarrier
            | Op::AssumeTrueKHR
    ) || source.class.opcode == Op::Nop && opcode(source) == 0
}

/// Executes an instruction for the active lanes.
pub(crate) fn execute(instruction: &Instruction, context: &mut Context) -> Result<(), RunError> {
    match instruction {
        Instruction::Memory(instruction) => memory::execute(instruction, context),
        Instruction::Matrix(instruction) => matrix::execute(instruction, context)?,
        Instruction::Unsupported(name) => {
            return Err(RunError::unsupported(format!("{name} is not known to the simulator")));
        }
        // The subgroup's loop executes these.
        Instruction::Call(_) | Instruction::Barrier(_) => {}
    }
    Ok(())
}

/// What can be said only of the whole program.
pub(crate) fn finish(_lowering: &mut Lowering) {}
