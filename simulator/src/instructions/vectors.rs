//! Cooperative vectors (SPV_NV_cooperative_vector): products with matrices in memory, sums in memory, loads and stores. Their arithmetic is that of other
//! vectors. Each lane has a vector of its own, so that lanes take their turns.

pub(super) mod checked;
mod kinds;
mod memory;
mod outer;
mod product;
mod sums;

use coopmat_spirv::dr::{Instruction as Source, Operand};
use coopmat_spirv::{Opcode, opcode};

use crate::ProgramError;
use crate::code::{Instruction, Start, VectorMemoryInstruction, VectorOperand};
use crate::machine::{Context, lanes_of};
use crate::observer::AccessKind;
use crate::program::Slot;
use crate::program::types::Scalar;
use crate::program::{Lowering, Place};

type Lowered<T = ()> = Result<T, ProgramError>;

/// Why an instruction does not become the program's.
enum Stop {
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
fn not_run<T>(reason: impl Into<String>) -> Result<T, Stop> {
    Err(Stop::NotRun(reason.into()))
}

/// The largest matrix that is multiplied with: more is no network of one invocation.
const MAXIMUM_ELEMENTS: u64 = 1 << 20;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Lowered<bool> {
    let lowered = match opcode(source) {
        Opcode::CooperativeVectorLoadNV => {
            let at = start(lowering, source, 0)?;
            Ok(VectorMemoryInstruction::Load { result: result(lowering, source)?, at })
        }
        Opcode::CooperativeVectorStoreNV => {
            let at = start(lowering, source, 0)?;
            Ok(VectorMemoryInstruction::Store { value: vector(lowering, source, 2)?, at })
        }
        Opcode::CooperativeVectorReduceSumAccumulateNV => {
            let at = start(lowering, source, 0)?;
            updates(lowering, source)?;
            Ok(VectorMemoryInstruction::Sum { value: vector(lowering, source, 2)?, at })
        }
        Opcode::CooperativeVectorMatrixMulNV | Opcode::CooperativeVectorMatrixMulAddNV => {
            product::lower(lowering, source)
        }
        Opcode::CooperativeVectorOuterProductAccumulateNV => {
            updates(lowering, source)?;
            outer::lower(lowering, source)
        }
        _ => return Ok(false),
    };
    match lowered {
        Ok(lowered) => lowering.emit(Instruction::Vector(lowered)),
        Err(Stop::Wrong(error)) => return Err(error),
        Err(Stop::NotRun(reason)) => {
            let error = format!("Op{} is not executed by the simulator: {reason}", source.class.opname);
            super::unsupported(lowering, source, error)?;
        }
    }
    Ok(true)
}

/// The pointer at `index` and the offset after it.
fn start(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<Start> {
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
fn updates(lowering: &mut Lowering, source: &Source) -> Lowered {
    if matches!(lowering.place_operand(source, 0)?, Place::Memory { shared: false, .. }) {
        lowering.data.has_buffer_atomics = true;
    }
    Ok(())
}

/// The vector that is an operand.
fn vector(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<VectorOperand> {
    let value = lowering.operand(source, index)?;
    let (scalar, count) = lowering.numbers(value.type_)?;
    Ok(VectorOperand { first: value.slot, scalar, count })
}

/// The vector that is the result.
fn result(lowering: &mut Lowering, source: &Source) -> Lowered<VectorOperand> {
    let value = lowering.result(source)?;
    let (scalar, count) = lowering.numbers(value.type_)?;
    Ok(VectorOperand { first: value.slot, scalar, count })
}

/// The value of an operand that may be left out.
fn optional(lowering: &mut Lowering, source: &Source, index: usize) -> Lowered<Option<Slot>> {
    match source.operands.get(index) {
        Some(Operand::IdRef(_)) => Ok(Some(lowering.operand(source, index)?.slot)),
        _ => Ok(None),
    }
}

pub(super) fn execute(instruction: &VectorMemoryInstruction, cx: &mut Context) {
    match instruction {
        VectorMemoryInstruction::Load { result, at } => load(cx, *result, *at),
        VectorMemoryInstruction::Store { value, at } => {
            for lane in lanes_of(cx.registers.mask()) {
                let start = address(cx, *at, lane);
                for index in 0..value.count {
                    let (scalar, plane) = (value.scalar, plane(cx, *value, index));
                    let (bits, address) = (component(cx, *value, index, lane), element(start, index, scalar));
                    cx.access(AccessKind::Write, scalar.bytes(), &[(lane, address)]);
                    if cx.env.settings.checked {
                        cx.check_scalar_store(lane, address, scalar, bits, plane);
                    }
                    cx.env.memory.write(address, scalar.bytes(), bits);
                }
            }
        }
        VectorMemoryInstruction::Sum { value, at } => sums::execute(*value, *at, cx),
        VectorMemoryInstruction::Product(product) => product::execute(product, cx),
        VectorMemoryInstruction::OuterProduct { a, b, matrix } => outer::execute(*a, *b, matrix, cx),
    }
}

fn load(cx: &mut Context, result: VectorOperand, at: Start) {
    let lanes: Vec<usize> =
        lanes_of(cx.registers.mask()).take_while(|&lane| lane < cx.registers.lanes()).collect();
    let starts: Vec<u64> = lanes.iter().map(|&lane| address(cx, at, lane)).collect();
    let scalar = result.scalar;
    for index in 0..result.count {
        let places: Vec<(usize, u64)> =
            lanes.iter().zip(&starts).map(|(&lane, &start)| (lane, element(start, index, scalar))).collect();
        let undefined = cx.access(AccessKind::Read, scalar.bytes(), &places);
        let mut values = [0; crate::machine::MAXIMUM_LANES];
        cx.env.memory.read_each(places.iter().copied(), scalar.bytes(), &mut values);
        let first = plane(cx, result, index);
        cx.registers.set_lanes(first, |lane| values[lane] as u32);
        if scalar.planes() == 2 {
            cx.registers.set_lanes(first + 1, |lane| (values[lane] >> 32) as u32);
        }
        if undefined != 0 {
            (first..first + scalar.planes()).for_each(|plane| cx.registers.set_undefined(plane, undefined));
        }
    }
}

/// The first plane of a component.
fn plane(cx: &Context, vector: VectorOperand, index: u32) -> u32 {
    cx.plane(vector.first) + index * vector.scalar.planes()
}

fn component(cx: &Context, vector: VectorOperand, index: u32, lane: usize) -> u64 {
    let plane = plane(cx, vector, index);
    match vector.scalar.planes() {
        2 => cx.registers.get_wide(plane, lane),
        _ => u64::from(cx.registers.get(plane, lane)),
    }
}

/// Where the first byte of a lane is.
fn address(cx: &Context, at: Start, lane: usize) -> u64 {
    let offset = match at.wide {
        true => cx.registers.get_wide(cx.plane(at.offset), lane),
        false => u64::from(cx.registers.get(cx.plane(at.offset), lane)),
    };
    let base = cx.registers.get_wide(cx.plane(at.pointer), lane);
    base.wrapping_add(u64::from(at.known)).wrapping_add(offset)
}

/// Where a number is that lies in a row of others.
fn element(start: u64, index: u32, scalar: Scalar) -> u64 {
    start.wrapping_add(u64::from(index) * u64::from(scalar.bytes()))
}
