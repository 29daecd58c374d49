//! Ray queries (GL_EXT_ray_query), hit objects (GL_EXT_shader_invocation_reorder and NVIDIA's) and what reads acceleration structures. Queries,
//! hit objects, payloads and attributes are handed over as the variables that they are, everything else as a value.

use coopmat_analysis::extensions::{BuiltinParameter, ParameterDirection, values};
use coopmat_analysis::hir::Const;
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::spirv::Word;

use super::call::BuiltinCall;
use super::stages::variable_at;
use crate::codegen::{Codegen, Emit};

/// `layout(primitive_culling);` (GL_EXT_ray_flags_primitive_culling) is a capability where rays are traced.
pub(crate) const PRIMITIVE_CULLING: &str = "primitive_culling";

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    match op {
        Opcode::RayQueryGetIntersectionTriangleVertexPositionsKHR => {
            codegen.b.extension("SPV_KHR_ray_tracing_position_fetch");
            codegen.b.capability(Capability::RayQueryPositionFetchKHR);
        }
        Opcode::HitObjectGetIntersectionTriangleVertexPositionsEXT => {
            codegen.require_opcode(op);
            codegen.b.extension("SPV_KHR_ray_tracing_position_fetch");
            codegen.b.capability(Capability::RayTracingPositionFetchKHR);
        }
        Opcode::FetchMicroTriangleVertexPositionNV | Opcode::FetchMicroTriangleVertexBarycentricNV => {
            codegen.b.extension("SPV_NV_displacement_micromap");
            codegen.b.capability(Capability::DisplacementMicromapNV);
        }
        Opcode::RayQueryInitializeKHR => needs_of_flags(codegen, call),
        _ => codegen.require_opcode(op),
    }
    let is_out = |parameter: &BuiltinParameter| parameter.direction == ParameterDirection::Out;
    if call.function.parameters.last().is_some_and(is_out) {
        return written(codegen, call, op);
    }
    let mut operands = operands(codegen, call, call.arguments.len())?;
    // The payload stands before hint and bits in these instructions.
    if let (
        Opcode::HitObjectReorderExecuteShaderEXT
        | Opcode::HitObjectTraceReorderExecuteEXT
        | Opcode::HitObjectTraceMotionReorderExecuteEXT,
        Some(hint),
    ) = (op, call.function.parameters.iter().position(|parameter| parameter.name == "hint"))
        && let Some(after) = operands.get_mut(hint..)
    {
        after.rotate_right(1);
    }
    if call.ty == Ty::VOID {
        codegen.b.effect(op, &operands);
        return Ok(0);
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &operands))
}

/// The beginnings of the instructions' names.
pub(super) const PREFIXES: &[&str] =
    &["OpRayQuery", "OpFetchMicroTriangle", "OpHitObject", "OpReorderThread"];

/// The first arguments. Whether an intersection is the committed one is a number of the instruction: 1, and 0 of the candidate.
fn operands(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, count: usize) -> Emit<Vec<Word>> {
    let mut operands = Vec::with_capacity(count);
    for (parameter, &argument) in call.function.parameters.iter().zip(call.arguments).take(count) {
        let ty = codegen.ty(argument);
        operands.push(match codegen.types.kind(ty) {
            _ if matches!(parameter.name, "payload" | "attributeLocation") => {
                variable_at(codegen, call, argument)?
            }
            TypeKind::Opaque(opaque) if opaque.class.is_state() => {
                let mut place = codegen.required_place(argument)?;
                codegen.pointer(&mut place)?
            }
            _ if parameter.constant && codegen.types.as_scalar(ty) == Some(Scalar::Bool) => {
                let constant = codegen.expr(argument).constant.as_ref().and_then(|value| match value {
                    Const::Bool(committed) => Some(*committed),
                    _ => None,
                });
                let Some(committed) = constant else {
                    return Err(codegen.fail("this argument must be a constant"));
                };
                codegen.uint_constant(u32::from(committed))
            }
            _ => codegen.value(argument)?,
        });
    }
    Ok(operands)
}

/// The result of the instruction is what the function writes to its last parameter.
fn written(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode) -> Emit<Word> {
    let Some(&target) = call.arguments.last() else { return Err(codegen.unsupported_builtin(call)) };
    let operands = operands(codegen, call, call.arguments.len() - 1)?;
    let ty = codegen.type_id(codegen.ty(target))?;
    let value = codegen.b.value(op, ty, &operands);
    let mut place = codegen.required_place(target)?;
    codegen.store(&mut place, value)?;
    Ok(0)
}

/// The flag of opacity micromaps has a capability of its own, where it is known to be set.
fn needs_of_flags(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) {
    let flags = call.argument(2).and_then(|flags| codegen.expr(flags).constant.as_ref());
    let flag = values::GL_RAY_FLAGS_FORCE_OPACITY_MICROMAP2_STATE_EXT;
    if flags.and_then(|flags| flags.as_int()).is_some_and(|flags| flags & i128::from(flag) != 0) {
        codegen.b.extension("SPV_EXT_opacity_micromap");
        codegen.b.capability(Capability::RayTracingOpacityMicromapEXT);
    }
}

impl Codegen<'_> {
    /// What the types of acceleration structures and ray queries need.
    pub fn ray_query_capability(&mut self) {
        self.b.extension("SPV_KHR_ray_query");
        self.b.capability(Capability::RayQueryKHR);
        if self.hir.default_layouts.iter().any(|layout| layout.name == PRIMITIVE_CULLING) {
            self.b.capability(Capability::RayTraversalPrimitiveCullingKHR);
        }
    }
}
