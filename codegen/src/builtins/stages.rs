//! Functions that single stages have: vertices of geometry shaders, critical sections of fragments, helper invocations, meshes, rays.

use coopmat_analysis::hir::{Const, ExprId};
use coopmat_analysis::types::Ty;
use coopmat_spirv::Opcode;
use rspirv::dr::Operand;
use rspirv::spirv::{Op, StorageClass, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

/// The beginnings of the instructions' names.
pub(super) const PREFIXES: &[&str] = &[
    "OpEmit",
    "OpEnd",
    "OpBeginInvocation",
    "OpIsHelperInvocation",
    "OpSetMesh",
    "OpTrace",
    "OpIgnoreIntersection",
    "OpTerminateRay",
    "OpExecuteCallable",
    "OpReportIntersection",
    "OpWritePackedPrimitiveIndices",
    "OpColorAttachmentRead",
    "OpDepthAttachmentRead",
    "OpStencilAttachmentRead",
];

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    match op {
        // The mode of the stage says what the section is about, and needs the capability.
        Opcode::BeginInvocationInterlockEXT | Opcode::EndInvocationInterlockEXT => {
            codegen.globals.builtins.interlocked = true;
        }
        _ => codegen.require_opcode(op),
    }
    if let Opcode::TraceRayKHR | Opcode::TraceRayMotionNV | Opcode::ExecuteCallableKHR = op {
        return with_payload(codegen, call, op);
    }
    // The older instructions take the location itself; the variable is in the module all the same.
    if let (Opcode::TraceNV | Opcode::ExecuteCallableNV, Some(&location)) = (op, call.arguments.last()) {
        declared_at(codegen, call, location)?;
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

/// The last argument is the location of a variable, which the instruction takes itself.
fn with_payload(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode) -> Emit<Word> {
    let Some((&location, arguments)) = call.arguments.split_last() else {
        return Err(codegen.unsupported_builtin(call));
    };
    let payload = variable_at(codegen, call, location)?;
    let mut values = codegen.argument_values(arguments)?;
    values.push(payload);
    codegen.b.effect(op, &values);
    Ok(0)
}

/// The variable at the location that a call names: a payload, data of a callable shader, or attributes of a hit object.
pub(super) fn variable_at(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, location: ExprId) -> Emit<Word> {
    if let Some(variable) = declared_at(codegen, call, location)? {
        return Ok(variable);
    }
    let number = codegen.expr(location).constant.as_ref().and_then(Const::as_int).unwrap_or(0);
    Err(codegen.fail(format!(
        "`{}` takes the variable at location {number}, which the shader does not declare",
        call.function.name
    )))
}

/// The same, where the shader may leave it out.
fn declared_at(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, location: ExprId) -> Emit<Option<Word>> {
    let classes = match call.op {
        Some(Opcode::ExecuteCallableKHR | Opcode::ExecuteCallableNV) => {
            [StorageClass::CallableDataKHR, StorageClass::IncomingCallableDataKHR]
        }
        _ if call.function.parameters.iter().any(|parameter| parameter.name == "attributeLocation") => {
            [StorageClass::HitObjectAttributeEXT, StorageClass::HitObjectAttributeNV]
        }
        _ => [StorageClass::RayPayloadKHR, StorageClass::IncomingRayPayloadKHR],
    };
    let number = codegen.expr(location).constant.as_ref().and_then(Const::as_int);
    let Some(number) = number.and_then(|number| u32::try_from(number).ok()) else {
        return Err(
            codegen.fail(format!("the location that `{}` takes must be constant", call.function.name))
        );
    };
    codegen.payload_at(number, classes)
}
