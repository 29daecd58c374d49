//! What the host does for the module without the interpreter: loads of matrices and multiply-adds whose planes are known before. Everything that can
//! be found out before is; while it runs they look whether the registers hold what they expect, and leave the instruction to the interpreter's code
//! where they do not. Numbers are made by the interpreter's functions in any case.

use super::planes::Run;
use super::region::Generator;
use crate::code::Instruction;
use crate::machine::{Mask, Plane, Registers, Report};
use crate::matrix::memory::{Layout, load_from};
use crate::matrix::multiply::{Operands, accumulate, add_plainly, plain_step};
use crate::matrix::operation::{Number, Operation, Source, Strided};
use crate::matrix::{Component, Matrix, MatrixType};
use crate::memory::Linear;
use crate::numerics::{self, Numerics};

/// An instruction of a site.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    /// The interpreter's code executes it.
    Execute,
    Load(Box<Load>),
    Multiply(Box<Multiply>),
}

/// A number in the module's memory: where its words are within a subgroup, the higher one perhaps, and whether lanes differ.
#[derive(Clone, Copy, Debug)]
struct Word {
    low: (u32, bool),
    high: Option<(u32, bool)>,
    signed: bool,
}

/// A strided load of a matrix.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    result: Plane,
    type_: MatrixType,
    layout: Layout,
    address: Word,
    offset: u64,
    stride: Word,
    unit: u64,
    /// What the interpreter's code reads.
    pub reads: Vec<Run>,
}

/// A multiply-add of matrices in planes of their own.
#[derive(Clone, Debug)]
pub(crate) struct Multiply {
    result: Plane,
    sources: [Plane; 3],
    types: [MatrixType; 3],
    type_: MatrixType,
    operands: Operands,
    numerics: Numerics,
    plain: Option<numerics::Step>,
}

/// What steps work on, of a subgroup that runs.
pub(super) struct Room<'r> {
    pub registers: &'r mut Registers,
    pub report: &'r mut Report,
    pub linear: Linear<'r>,
    /// Where the subgroup is in the module's memory, and its lanes.
    pub place: u32,
    pub mask: Mask,
}

impl Generator<'_> {
    /// Makes an instruction ready that needs none of the words that those before it have made.
    pub(super) fn ready(&self, instruction: &Instruction, reads: &[Run]) -> Step {
        let Instruction::Matrix(matrix) = instruction else { return Step::Execute };
        let step = match &*matrix.operation {
            Operation::Load { result, type_, from } => {
                self.ready_load(self.plane(*result), *type_, from, reads).map(|load| Step::Load(load.into()))
            }
            Operation::MultiplyAdd { result, a, b, c, type_, operands } => self
                .ready_multiply(self.plane(*result), [a, b, c], *type_, *operands)
                .map(|multiply| Step::Multiply(multiply.into())),
            _ => None,
        };
        step.unwrap_or(Step::Execute)
    }

    fn word(&self, plane: Plane, wide: bool, signed: bool) -> Word {
        let one = |plane| (self.layout.plane(plane), self.varies(plane));
        Word { low: one(plane), high: wide.then(|| one(plane + 1)), signed }
    }

    fn ready_load(&self, result: Plane, type_: MatrixType, from: &Strided, reads: &[Run]) -> Option<Load> {
        let Strided { pointer, layout, stride, unit } = *from;
        if !matches!(layout, Layout::RowMajor | Layout::ColumnMajor) {
            return None;
        }
        let Number { slot, wide, signed } = stride?;
        Some(Load {
            result,
            type_,
            layout,
            address: self.word(self.plane(pointer.slot), true, false),
            offset: u64::from(pointer.offset),
            stride: self.word(self.plane(slot), wide, signed),
            unit,
            reads: self.words_of(reads),
        })
    }

    fn ready_multiply(
        &self,
        result: Plane,
        sources: [&Source; 3],
        type_: MatrixType,
        operands: Operands,
    ) -> Option<Multiply> {
        let planes = sources.map(|source| self.plane(source.slot));
        let types = sources.map(|source| source.type_);
        let apart = planes[0] != result && planes[1] != result;
        let known = sources.iter().all(|source| source.through.is_none());
        if !apart || !known || types[2].component != type_.component {
            return None;
        }
        let mut numerics = self.settings.numerics;
        if let Component::Float(format) = type_.component {
            let treatment = self.program.controls.of(format, &numerics);
            (numerics.rounding, numerics.denormals) = (treatment.rounding, treatment.denormals);
        }
        let plain = plain_step([&types[0], &types[1], &type_], &numerics);
        Some(Multiply { result, sources: planes, types, type_, operands, numerics, plain })
    }
}

impl Step {
    /// Does it; false, and nothing is done, where the interpreter's code has to.
    pub(super) fn run(&self, room: &mut Room<'_>) -> bool {
        match self {
            Step::Execute => false,
            Step::Load(load) => load.run(room),
            Step::Multiply(multiply) => multiply.run(room),
        }
    }
}

impl Word {
    /// The number that the first lane has.
    fn get(self, room: &Room<'_>) -> u64 {
        let lane = room.mask.trailing_zeros();
        let word = |(at, varies): (u32, bool)| {
            let at = (room.place + at + if varies { lane * 4 } else { 0 }) as usize;
            let bytes = room.linear.bytes.get(at..at + 4).and_then(|bytes| bytes.try_into().ok());
            u32::from_le_bytes(bytes.unwrap_or_default())
        };
        let low = word(self.low);
        match self.high {
            Some(high) => u64::from(low) | u64::from(word(high)) << 32,
            None if self.signed => low as i32 as i64 as u64,
            None => u64::from(low),
        }
    }
}

impl Load {
    fn run(&self, room: &mut Room<'_>) -> bool {
        let address = self.address.get(room).wrapping_add(self.offset);
        let stride = self.stride.get(room).wrapping_mul(self.unit);
        let Some(matrix) = room.registers.own_matrix(self.result) else { return false };
        if *matrix.type_() != self.type_ {
            return false;
        }
        let bytes = room.linear.from(address);
        let loaded = load_from(matrix, bytes, self.layout, stride, &mut room.report.scratch);
        if loaded {
            let bytes = self.type_.count() as u64 * u64::from(self.type_.component.bytes());
            room.report.counts.bytes_read += bytes;
        }
        loaded
    }
}

impl Multiply {
    fn run(&self, room: &mut Room<'_>) -> bool {
        let Some(mut sum) = room.registers.lend_matrix(self.result) else { return false };
        let done = std::sync::Arc::get_mut(&mut sum).is_some_and(|sum| self.add(room.registers, sum));
        room.registers.give_back_matrix(self.result, sum);
        if done {
            let counts = &mut room.report.counts;
            counts.matrix_multiplies += 1;
            counts.matrix_flops += 2 * self.type_.count() as u64 * u64::from(self.types[0].columns);
        }
        done
    }

    fn add(&self, registers: &Registers, sum: &mut Matrix) -> bool {
        let there = |index: usize| {
            let matrix = registers.matrix(self.sources[index])?;
            (*matrix.type_() == self.types[index]).then_some(&**matrix)
        };
        let (Some(a), Some(b)) = (there(0), there(1)) else { return false };
        if *sum.type_() != self.type_ || self.type_ != self.types[2] {
            return false;
        }
        if self.sources[2] != self.result && !there(2).is_some_and(|c| sum.copy_from(c)) {
            return false;
        }
        if let Some(step) = self.plain
            && add_plainly(a, b, sum, step)
        {
            return true;
        }
        accumulate(a, b, sum, self.type_, self.operands, &self.numerics).is_ok()
    }
}
