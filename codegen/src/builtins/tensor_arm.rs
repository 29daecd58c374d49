//! Tensors of Arm (GL_ARM_tensors, SPV_ARM_tensors): reads, writes, sizes.

use coopmat_analysis::hir::{Const, ExprId};
use coopmat_spirv::Opcode;
use rspirv::dr::Operand;
use rspirv::spirv::{TensorOperands, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let &[tensor, second, ref rest @ ..] = call.arguments else {
        return Err(codegen.unsupported_builtin(call));
    };
    let tensor = codegen.value(tensor)?;
    let second = codegen.value(second)?;
    match (call.op, rest) {
        (Some(Opcode::TensorReadARM), &[data, ref more @ ..]) => {
            let mut operands = vec![Operand::IdRef(tensor), Operand::IdRef(second)];
            operands.extend(tensor_operands(codegen, more)?);
            let ty = codegen.type_id(codegen.ty(data))?;
            let value = codegen.b.value_with(Opcode::TensorReadARM, ty, operands);
            let mut place = codegen.required_place(data)?;
            codegen.store(&mut place, value)?;
            Ok(0)
        }
        (Some(Opcode::TensorWriteARM), &[data, ref more @ ..]) => {
            let data = codegen.value(data)?;
            let mut operands: Vec<Operand> = [tensor, second, data].map(Operand::IdRef).into();
            operands.extend(tensor_operands(codegen, more)?);
            codegen.b.effect_with(Opcode::TensorWriteARM, operands);
            Ok(0)
        }
        (Some(op), []) => {
            let ty = codegen.type_id(call.ty)?;
            Ok(codegen.b.value(op, ty, &[tensor, second]))
        }
        _ => Err(codegen.unsupported_builtin(call)),
    }
}

/// The mask, and the value that it asks for.
fn tensor_operands(codegen: &mut Codegen<'_>, arguments: &[ExprId]) -> Emit<Vec<Operand>> {
    let Some((&mask, more)) = arguments.split_first() else { return Ok(Vec::new()) };
    let value = codegen.expr(mask).constant.as_ref().and_then(Const::as_int);
    let Some(value) = value.and_then(|value| u32::try_from(value).ok()) else {
        return Err(codegen.fail("the operands of a tensor access must be a constant"));
    };
    if value == 0 {
        return Ok(Vec::new());
    }
    let mut operands = vec![Operand::TensorOperands(TensorOperands::from_bits_retain(value))];
    for &argument in more {
        operands.push(Operand::IdRef(codegen.value(argument)?));
    }
    Ok(operands)
}
