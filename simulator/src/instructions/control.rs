//! Calls and barriers.

use coopmat_spirv::dr::Instruction as Source;
use coopmat_spirv::{Opcode, opcode};
use smallvec::SmallVec;

use crate::ProgramError;
use crate::code::{BarrierInstruction, CallInstruction, Instruction};
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
            let stops = scope != SUBGROUP && scope != INVOCATION;
            lowering.emit(Instruction::Barrier(BarrierInstruction { stops }));
        }
        // Who arrives waits at the other half.
        Opcode::ControlBarrierArriveINTEL => {}
        _ => return Ok(false),
    }
    Ok(true)
}
