//! Instructions as a program keeps them: data alone, one file per family. `instructions` makes them of a module's, and executes them.

mod atomic;
mod composite;
mod control;
mod conversion;
mod dot;
mod extended;
mod float;
mod image;
mod integer;
mod logic;
mod memory;
mod print;
mod subgroup;
mod vector;

use crate::Class;
use crate::matrix::MatrixInstruction;
use crate::program::Slot;

pub(crate) use atomic::{AtomicInstruction, AtomicOp, Where};
pub(crate) use composite::CompositeInstruction;
pub(crate) use control::{BarrierInstruction, BarrierKind, CallInstruction};
pub(crate) use conversion::ConversionInstruction;
pub(crate) use dot::{DotInstruction, IntegerDot};
pub(crate) use extended::{
    ComponentInstruction, ExtendedInstruction, PackingInstruction, VectorInstruction, VectorOp,
};
pub(crate) use float::{FloatInstruction, FloatOp, ProductInstruction, Sum};
pub(crate) use image::{Detail, ImageInstruction, ImageOp};
pub(crate) use integer::{BitField, BitFieldInstruction, IntegerInstruction, IntegerOp};
pub(crate) use logic::{LogicInstruction, LogicOp};
pub(crate) use memory::{MemoryInstruction, NO_PLANE, Term};
pub(crate) use print::{Numbers, Piece, PrintFormat, PrintInstruction};
pub(crate) use subgroup::{
    Ballot, Extent, Fold, FoldKind, ReduceInstruction, Shuffle, SubgroupInstruction, Vote,
};

pub(crate) use vector::{
    Bias, ComponentOperation, Start, StoredMatrix, VectorMemoryInstruction, VectorOperand, VectorProduct,
};

/// A lowered instruction.
#[derive(Clone, Debug)]
pub(crate) enum Instruction {
    Integer(IntegerInstruction),
    BitField(Box<BitFieldInstruction>),
    Float(FloatInstruction),
    Product(Box<ProductInstruction>),
    Logic(LogicInstruction),
    Conversion(ConversionInstruction),
    Composite(CompositeInstruction),
    Extended(Box<ExtendedInstruction>),
    Dot(Box<DotInstruction>),
    Memory(MemoryInstruction),
    Atomic(Box<AtomicInstruction>),
    Image(Box<ImageInstruction>),
    Subgroup(Box<SubgroupInstruction>),
    Matrix(MatrixInstruction),
    Vector(VectorMemoryInstruction),
    Call(Box<CallInstruction>),
    Barrier(BarrierInstruction),
    Print(Box<PrintInstruction>),
    /// `OpReadClockKHR`: steps so far, which are the same on every host.
    Clock(Slot),
    /// An instruction that is not executed: the error when it is.
    Unsupported(Box<str>),
}

impl Instruction {
    pub fn class(&self) -> Class {
        match self {
            Instruction::Integer(_)
            | Instruction::BitField(_)
            | Instruction::Logic(_)
            | Instruction::Dot(_) => Class::Integer,
            Instruction::Float(_) | Instruction::Product(_) => Class::Float,
            Instruction::Conversion(_) => Class::Conversion,
            Instruction::Composite(_) => Class::Composite,
            Instruction::Extended(instruction) => instruction.class(),
            Instruction::Memory(instruction) => instruction.class(),
            Instruction::Atomic(_) => Class::Atomic,
            Instruction::Image(_) => Class::Image,
            Instruction::Subgroup(_) => Class::Subgroup,
            Instruction::Matrix(_) | Instruction::Vector(_) => Class::Matrix,
            Instruction::Call(_) => Class::Call,
            Instruction::Barrier(_) => Class::Barrier,
            Instruction::Print(_) | Instruction::Clock(_) | Instruction::Unsupported(_) => Class::Other,
        }
    }

    /// Copies planes.
    pub(crate) fn copy(result: Slot, source: Slot, planes: u32) -> Instruction {
        Instruction::Memory(MemoryInstruction::Copy { result, source, planes })
    }
}

impl From<ExtendedInstruction> for Instruction {
    fn from(instruction: ExtendedInstruction) -> Self {
        Instruction::Extended(Box::new(instruction))
    }
}

impl From<SubgroupInstruction> for Instruction {
    fn from(instruction: SubgroupInstruction) -> Self {
        Instruction::Subgroup(Box::new(instruction))
    }
}
