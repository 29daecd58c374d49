//! Cooperative vectors (SPV_NV_cooperative_vector): products with matrices in memory, sums in memory, loads and stores. Their arithmetic is that of other
//! vectors. Each lane has a vector of its own, so that lanes take their turns.

pub(super) mod checked;
mod kinds;
mod memory;
mod operands;
mod outer;
mod product;
mod sums;
pub(crate) mod watched;

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};

use operands::{Stop, address, component, element, plane, result, start, updates, vector};

use crate::ProgramError;
use crate::code::{Instruction, Start, VectorMemoryInstruction, VectorOperand};
use crate::machine::{Context, lanes_of};
use crate::observer::AccessKind;
use crate::program::Lowering;

type Lowered<T = ()> = Result<T, ProgramError>;

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

pub(super) fn execute(instruction: &VectorMemoryInstruction, cx: &mut Context) {
    if cx.env.wants.matrices {
        watched::announce(instruction, cx);
    }
    if !cx.env.wants.values {
        return execute_unwatched(instruction, cx);
    }
    let lanes: Vec<usize> = active(cx).collect();
    let starts = match instruction {
        VectorMemoryInstruction::Load { result: vector, at }
        | VectorMemoryInstruction::Store { value: vector, at } => {
            Some((*vector, watched::starts(cx, *at, vector.scalar, &lanes)))
        }
        _ => None,
    };
    let before = watched::before(instruction, cx);
    execute_unwatched(instruction, cx);
    before.into_iter().for_each(|sums| sums.tell(cx));
    if let Some((vector, at)) = starts {
        watched::moved(cx, instruction, vector, at);
    }
}

/// The lanes that take part.
fn active(cx: &Context) -> impl Iterator<Item = usize> + use<> {
    let lanes = cx.registers.lanes();
    lanes_of(cx.registers.mask()).take_while(move |&lane| lane < lanes)
}

fn execute_unwatched(instruction: &VectorMemoryInstruction, cx: &mut Context) {
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
    let lanes: Vec<usize> = active(cx).collect();
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
