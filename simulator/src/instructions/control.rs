//! Calls and barriers.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};
use smallvec::SmallVec;

use crate::ProgramError;
use crate::checks::order::Semantics;
use crate::code::{BarrierInstruction, BarrierKind, CallInstruction, Instruction};
use crate::program::Lowering;

/// The scopes that are no wider than a subgroup.
const SUBGROUP: u32 = 3;
const INVOCATION: u32 = 4;

pub(super) fn lower(lowering: &mut Lowering, source: &Source) -> Result<bool, ProgramError> {
    match opcode(source) {
        Opcode::FunctionCall => {
            let function = lowering.function_operand(source, 0)?;
            let (parameters, result_type) = lowering.signatures[function as usize].clone();
            if source.operands.len() != parameters.len() + 1 {
                return Err(ProgramError::new(
                    "a call has another number of arguments than the function has parameters",
                ));
            }
            let mut arguments = SmallVec::new();
            for (index, &parameter) in parameters.iter().enumerate() {
                let value = lowering.operand(source, index + 1)?;
                let planes = lowering.types().planes(parameter);
                lowering.expect(value.type_, parameter, "an argument")?;
                arguments.push((value.slot, planes));
            }
            let result = lowering.result(source)?;
            lowering.expect(result_type, result.type_, "what the called function gives")?;
            let call = CallInstruction { function, result: result.slot, arguments };
            lowering.emit(Instruction::Call(Box::new(call)));
        }
        Opcode::ControlBarrier | Opcode::ControlBarrierWaitINTEL => {
            let scope = lowering.constant_operand(source, 0)?;
            let waits = scope != SUBGROUP && scope != INVOCATION;
            let kind = if waits { BarrierKind::Workgroup } else { BarrierKind::Subgroup };
            let semantics = semantics(lowering, source, 1)?;
            lowering.emit(Instruction::Barrier(BarrierInstruction { kind, semantics }));
        }
        // Who arrives waits at the other half, and releases here what comes before.
        Opcode::ControlBarrierArriveINTEL => {
            let semantics = semantics(lowering, source, 1)?;
            let kind = BarrierKind::Memory;
            lowering.emit(Instruction::Barrier(BarrierInstruction { kind, semantics }));
        }
        Opcode::MemoryBarrier => {
            let semantics = semantics(lowering, source, 0)?;
            let kind = BarrierKind::Memory;
            lowering.emit(Instruction::Barrier(BarrierInstruction { kind, semantics }));
        }
        _ => return Ok(false),
    }
    Ok(true)
}

/// The memory scope and the semantics, which follow each other among the operands.
fn semantics(lowering: &Lowering, source: &Source, first: usize) -> Result<Semantics, ProgramError> {
    let (scope, bits) =
        (lowering.constant_operand(source, first)?, lowering.constant_operand(source, first + 1)?);
    Ok(Semantics { scope, bits })
}
