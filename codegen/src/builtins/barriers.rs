//! Barriers of control and memory (GLSL 4.60 sections 8.16 and 8.17, GL_KHR_shader_subgroup, GL_KHR_memory_scope_semantics).

use coopmat_analysis::hir::{Const, ExprId};
use rspirv::spirv::{Capability, MemorySemantics, Op, Scope, Word};

use super::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

const BUFFERS: MemorySemantics = MemorySemantics::UNIFORM_MEMORY;
const SHARED: MemorySemantics = MemorySemantics::WORKGROUP_MEMORY;
const IMAGES: MemorySemantics = MemorySemantics::IMAGE_MEMORY;
const COUNTERS: MemorySemantics = MemorySemantics::ATOMIC_COUNTER_MEMORY;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    if call.function.instruction.starts_with("OpControlBarrierArrive")
        || call.function.instruction.starts_with("OpControlBarrierWait")
    {
        return Err(codegen.unsupported_builtin(call));
    }
    if !call.arguments.is_empty() {
        return explicit(codegen, call);
    }
    let all = BUFFERS | SHARED | IMAGES | COUNTERS;
    // What other devices see is the widest that a shader can ask for in either memory model.
    let widest = if codegen.vulkan_memory_model { Scope::QueueFamily } else { Scope::Device };
    match call.function.name {
        // In a compute shader `barrier` orders accesses to shared memory as well.
        "barrier" => control(codegen, Scope::Workgroup, SHARED),
        "subgroupBarrier" => control(codegen, Scope::Subgroup, all),
        "memoryBarrier" => memory(codegen, widest, all),
        "memoryBarrierBuffer" => memory(codegen, widest, BUFFERS),
        "memoryBarrierShared" => memory(codegen, widest, SHARED),
        "memoryBarrierImage" => memory(codegen, widest, IMAGES),
        "memoryBarrierAtomicCounter" => memory(codegen, widest, COUNTERS),
        "groupMemoryBarrier" => memory(codegen, Scope::Workgroup, all),
        "subgroupMemoryBarrier" => memory(codegen, Scope::Subgroup, all),
        "subgroupMemoryBarrierBuffer" => memory(codegen, Scope::Subgroup, BUFFERS),
        "subgroupMemoryBarrierShared" => memory(codegen, Scope::Subgroup, SHARED),
        "subgroupMemoryBarrierImage" => memory(codegen, Scope::Subgroup, IMAGES),
        _ => return Err(codegen.unsupported_builtin(call)),
    }
    if call.function.name.starts_with("subgroup") {
        codegen.needs_version(SpirvVersion::V1_3, "a barrier of the subgroup")?;
        codegen.b.capability(Capability::GroupNonUniform);
    }
    Ok(0)
}

fn control(codegen: &mut Codegen<'_>, scope: Scope, storage: MemorySemantics) {
    let scope = codegen.uint_constant(scope as u32);
    let semantics = semantics(codegen, storage);
    codegen.b.effect(Op::ControlBarrier, &[scope, scope, semantics]);
}

fn memory(codegen: &mut Codegen<'_>, scope: Scope, storage: MemorySemantics) {
    let scope = codegen.uint_constant(scope as u32);
    let semantics = semantics(codegen, storage);
    codegen.b.effect(Op::MemoryBarrier, &[scope, semantics]);
}

fn semantics(codegen: &mut Codegen<'_>, storage: MemorySemantics) -> Word {
    let mut bits = storage | MemorySemantics::ACQUIRE_RELEASE;
    if codegen.vulkan_memory_model {
        bits |= MemorySemantics::MAKE_AVAILABLE | MemorySemantics::MAKE_VISIBLE;
        // Atomic counters have no storage class of their own in Vulkan.
        bits.remove(COUNTERS);
    }
    codegen.uint_constant(bits.bits())
}

/// `controlBarrier` and `memoryBarrier` with their scopes and semantics written out.
fn explicit(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let (op, scopes) = match call.arguments.len() {
        4 => (Op::ControlBarrier, &call.arguments[..2]),
        3 => (Op::MemoryBarrier, &call.arguments[..1]),
        _ => return Err(codegen.unsupported_builtin(call)),
    };
    let [storage, ordering] = call.arguments[scopes.len()..] else {
        return Err(codegen.unsupported_builtin(call));
    };
    let mut operands = Vec::with_capacity(3);
    for &scope in scopes {
        operands.push(scope_operand(codegen, scope)?);
    }
    operands.push(combined_semantics(codegen, storage, ordering)?);
    codegen.b.effect(op, &operands);
    Ok(0)
}

/// A scope that the call names.
pub(super) fn scope_operand(codegen: &mut Codegen<'_>, scope: ExprId) -> Emit<Word> {
    let value = constant(codegen, scope)?;
    if value == Scope::Device as u32 && codegen.vulkan_memory_model {
        codegen.b.capability(Capability::VulkanMemoryModelDeviceScope);
    }
    Ok(codegen.uint_constant(value))
}

/// Kinds of storage and ordering, which the instructions take in one operand.
pub(super) fn combined_semantics(codegen: &mut Codegen<'_>, storage: ExprId, ordering: ExprId) -> Emit<Word> {
    let bits = constant(codegen, storage)? | constant(codegen, ordering)?;
    Ok(codegen.uint_constant(bits))
}

fn constant(codegen: &mut Codegen<'_>, expr: ExprId) -> Emit<u32> {
    match codegen.expr(expr).constant.as_ref().and_then(Const::as_int) {
        Some(value) => Ok(value as u32),
        None => Err(codegen.fail("scopes and memory semantics have to be constant")),
    }
}
