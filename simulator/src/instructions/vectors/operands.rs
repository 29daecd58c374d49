//! Operands of cooperative vectors: vectors, starts in memory, and why an instruction is not run.

use coopmat_spirv::dr::{Instruction as Source, Operand};

use crate::ProgramError;
use crate::code::{Start, VectorOperand};
use crate::machine::Context;
use crate::program::types::Scalar;
use crate::program::{Lowering, Place, Slot};

type Lowered<T = ()> = Result<T, ProgramError>;

/// Why an instruction does not become the program's.
pub(super) enum Stop {
    Wrong(ProgramError),
    /// It may be valid, but is not executed: why.
    NotRun(String),
}

impl From<ProgramError> for Stop {
    fn from(error: ProgramError) -> Stop {
        Stop::Wrong(error)
    }
}

/// An instruction that says it in words where it is not executed.
pub(super) fn not_run<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::NotRun(reason.into()))
}

/// The largest matrix that is multiplied with: more is no network of one invocation.
pub(super) const MAXIMUM_ELEMENTS: u64 = 1 << 20;

/// The pointer at `index` and the offset after it.
pub(super) fn start(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<Start> {
    let Place::Memory { pointer, offset: known, .. } = lowering.place_operand(source, index)? else {
        return Err(ProgramError::new(format!("operand {index} of Op{} is not memory", source.class.opname)));
    };
    let offset = lowering.operand(source, index + 1)?;
    match lowering.types().scalar(offset.type_) {
        Some(Scalar::Integer { width, .. }) => {
            Ok(Start { pointer, known, offset: offset.slot, wide: width == 64 })
        }
        _ => Err(ProgramError::new("expected an integer offset")),
    }
}

/// Notes that an instruction updates the memory of its first operand, as atomics do.
pub(super) fn updates(lowering: &mut Lowering, source: &Source) -> Lowered {
    if matches!(lowering.place_operand(source, 0)?, Place::Memory { shared: false, .. }) {
        lowering.data.has_buffer_atomics = true;
    }
    Ok(())
}

/// The vector that is an operand.
pub(super) fn vector(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<VectorOperand> {
    let value = lowering.operand(source, index)?;
    let (scalar, count) = lowering.numbers(value.type_)?;
    Ok(VectorOperand { first: value.slot, scalar, count })
}

/// The vector that is the result.
pub(super) fn result(lowering: &mut Lowering, source: &Source) -> Lowered<VectorOperand> {
    let value = lowering.result(source)?;
    let (scalar, count) = lowering.numbers(value.type_)?;
    Ok(VectorOperand { first: value.slot, scalar, count })
}

/// The value of an operand that may be left out.
pub(super) fn optional(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<Option<Slot>> {
    match source.operands.get(index) {
        Some(Operand::IdRef(_)) => Ok(Some(lowering.operand(source, index)?.slot)),
        _ => Ok(None),
    }
}

/// The first plane of a component.
pub(super) fn plane(cx: &Context, vector: VectorOperand, index: u32) -> u32 {
    cx.plane(vector.first) + index * vector.scalar.planes()
}

pub(super) fn component(cx: &Context, vector: VectorOperand, index: u32, lane: usize) -> u64 {
    let plane = plane(cx, vector, index);
    match vector.scalar.planes() {
        2 => cx.registers.get_wide(plane, lane),
        _ => u64::from(cx.registers.get(plane, lane)),
    }
}

/// Where the first byte of a lane is.
pub(super) fn address(cx: &Context, at: Start, lane: usize) -> u64 {
    let offset = match at.wide {
        true => cx.registers.get_wide(cx.plane(at.offset), lane),
        false => u64::from(cx.registers.get(cx.plane(at.offset), lane)),
    };
    let base = cx.registers.get_wide(cx.plane(at.pointer), lane);
    base.wrapping_add(u64::from(at.known)).wrapping_add(offset)
}

/// Where a number is that lies in a row of others.
pub(super) fn element(start: u64, index: u32, scalar: Scalar) -> u64 {
    start.wrapping_add(u64::from(index) * u64::from(scalar.bytes()))
}
