//! Functions that single stages have: vertices of geometry shaders, critical sections of fragments, helper invocations, meshes.

use coopmat_analysis::types::Ty;
use coopmat_spirv::Opcode;
use rspirv::dr::Operand;
use rspirv::spirv::{Op, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

/// The beginnings of the instructions' names.
pub(super) const PREFIXES: &[&str] =
    &["OpEmit", "OpEnd", "OpBeginInvocation", "OpIsHelperInvocation", "OpSetMesh"];

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    match op {
        // The mode of the stage says what the section is about, and needs the capability.
        Opcode::BeginInvocationInterlockEXT | Opcode::EndInvocationInterlockEXT => {
            codegen.globals.builtins.interlocked = true;
        }
        _ => codegen.require_opcode(op),
    }
    let mut values = codegen.argument_values(call.arguments)?;
    if op == Opcode::EmitMeshTasksEXT {
        values.extend(codegen.task_payload()?);
        // It is the last instruction of the shader.
        codegen.b.terminate(Op::EmitMeshTasksEXT, values.into_iter().map(Operand::IdRef).collect());
        return Ok(0);
    }
    if call.ty == Ty::VOID {
        codegen.b.effect(op, &values);
        return Ok(0);
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &values))
}
