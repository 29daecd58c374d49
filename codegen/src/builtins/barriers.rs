//! Barriers of control and memory (GLSL 4.60 sections 8.16 and 8.17, GL_KHR_shader_subgroup, GL_KHR_memory_scope_semantics).

use coopmat_analysis::config::Stage;
use coopmat_analysis::extensions::{FixedOperand, constants};
use coopmat_analysis::hir::{Const, ExprId};
use coopmat_spirv::{Capability, Opcode};
use rspirv::spirv::{MemorySemantics, Scope, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};
use crate::target::SpirvVersion;

const BUFFERS: MemorySemantics = MemorySemantics::UNIFORM_MEMORY;
const SHARED: MemorySemantics = MemorySemantics::WORKGROUP_MEMORY;
const IMAGES: MemorySemantics = MemorySemantics::IMAGE_MEMORY;
const COUNTERS: MemorySemantics = MemorySemantics::ATOMIC_COUNTER_MEMORY;

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let op = match call.op {
        Some(
            op @ (Opcode::ControlBarrier
            | Opcode::MemoryBarrier
            | Opcode::ControlBarrierArriveINTEL
            | Opcode::ControlBarrierWaitINTEL),
        ) => op,
        _ => return Err(codegen.unsupported_builtin(call)),
    };
    if let Opcode::ControlBarrierArriveINTEL | Opcode::ControlBarrierWaitINTEL = op {
        // SPV_EXT_split_barrier has the numbers of the older extension.
        if !matches!(codegen.stage(), Stage::Compute | Stage::Task | Stage::Mesh | Stage::TessControl) {
            // VUID-StandaloneSpirv-SplitBarrierEXT-13552.
            return Err(codegen.fail(format!(
                "`{}` is not available in {} shaders",
                call.function.name,
                codegen.stage().name()
            )));
        }
        codegen.b.extension("SPV_EXT_split_barrier");
        codegen.b.capability(Capability::SplitBarrierINTEL);
    }
    if !call.arguments.is_empty() {
        return explicit(codegen, call, op);
    }
    let function = call.function;
    let mut storage = MemorySemantics::empty();
    for (operand, memory) in [
        (FixedOperand::Buffers, BUFFERS),
        (FixedOperand::Shared, SHARED),
        (FixedOperand::Images, IMAGES),
        (FixedOperand::Counters, COUNTERS),
    ] {
        if function.has(operand) {
            storage |= memory;
        }
    }
    // There are no atomic counters in Vulkan: nothing is to be ordered.
    if storage == COUNTERS {
        return Ok(0);
    }
    let scope = if function.has(FixedOperand::Subgroup) {
        Scope::Subgroup
    } else if function.has(FixedOperand::Workgroup) {
        Scope::Workgroup
    } else if function.has(FixedOperand::Device) {
        // What other devices see is the widest that a shader can ask for in either memory model.
        if codegen.vulkan_memory_model { Scope::QueueFamily } else { Scope::Device }
    } else {
        return Err(codegen.unsupported_builtin(call));
    };
    match op {
        Opcode::MemoryBarrier => memory(codegen, scope, storage),
        // It orders the accesses of outputs, which the Vulkan memory model has to be told.
        Opcode::ControlBarrier if codegen.stage() == Stage::TessControl => of_patch(codegen),
        // In a compute shader `barrier` orders accesses to shared memory as well.
        _ => control(codegen, op, scope, storage),
    }
    if scope == Scope::Subgroup {
        codegen.needs_version(SpirvVersion::V1_3, "a barrier of the subgroup")?;
        codegen.b.capability(Capability::GroupNonUniform);
    }
    Ok(0)
}

/// `barrier()` of a tessellation control shader waits for the invocations of the patch.
fn of_patch(codegen: &mut Codegen<'_>) {
    let (scope, semantics) = if codegen.vulkan_memory_model {
        (Scope::Workgroup, MemorySemantics::ACQUIRE_RELEASE | MemorySemantics::OUTPUT_MEMORY)
    } else {
        (Scope::Invocation, MemorySemantics::empty())
    };
    let operands = [Scope::Workgroup as u32, scope as u32, semantics.bits()];
    let operands = operands.map(|number| codegen.uint_constant(number));
    codegen.b.effect(Opcode::ControlBarrier, &operands);
}

fn control(codegen: &mut Codegen<'_>, op: Opcode, scope: Scope, storage: MemorySemantics) {
    let scope = codegen.uint_constant(scope as u32);
    let semantics = semantics(codegen, op, storage);
    codegen.b.effect(op, &[scope, scope, semantics]);
}

fn memory(codegen: &mut Codegen<'_>, scope: Scope, storage: MemorySemantics) {
    let scope = codegen.uint_constant(scope as u32);
    let semantics = semantics(codegen, Opcode::MemoryBarrier, storage);
    codegen.b.effect(Opcode::MemoryBarrier, &[scope, semantics]);
}

fn semantics(codegen: &mut Codegen<'_>, op: Opcode, storage: MemorySemantics) -> Word {
    // Arriving releases what was written before, waiting acquires it. In the Vulkan memory model, it is the accesses of coherent
    // variables that make values available and visible (GL_KHR_memory_scope_semantics).
    let order = match op {
        Opcode::ControlBarrierArriveINTEL => MemorySemantics::RELEASE,
        Opcode::ControlBarrierWaitINTEL => MemorySemantics::ACQUIRE,
        _ => MemorySemantics::ACQUIRE_RELEASE,
    };
    codegen.uint_constant((storage | order).bits())
}

/// `controlBarrier` and `memoryBarrier` with their scopes and semantics written out.
fn explicit(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, op: Opcode) -> Emit<Word> {
    // The scopes: of who waits and of whose accesses are ordered, or the latter alone.
    let (scopes, &[storage, ordering]) = call.arguments.split_at(match op {
        Opcode::MemoryBarrier => 1.min(call.arguments.len()),
        _ => 2.min(call.arguments.len()),
    }) else {
        return Err(codegen.unsupported_builtin(call));
    };
    // VUID-StandaloneSpirv-None-04636.
    if let &[execution, _] = scopes
        && ![Scope::Workgroup as u32, Scope::Subgroup as u32].contains(&constant(codegen, execution)?)
    {
        return Err(codegen.fail(
            "in Vulkan a barrier waits for the workgroup or the subgroup: pass `gl_ScopeWorkgroup` or `gl_ScopeSubgroup` first",
        ));
    }
    let mut operands = Vec::with_capacity(3);
    for &scope in scopes {
        operands.push(scope_operand(codegen, scope)?);
    }
    operands.push(combined_semantics(codegen, storage, ordering, MemorySemantics::RELAXED)?);
    if let Some(&memory) = scopes.last() {
        refuse_order_of_one(codegen, memory, ordering)?;
    }
    codegen.b.effect(op, &operands);
    Ok(0)
}

/// VUID-StandaloneSpirv-None-04641: what one invocation does has its order already.
pub(super) fn refuse_order_of_one(codegen: &mut Codegen<'_>, scope: ExprId, ordering: ExprId) -> Emit<()> {
    if constant(codegen, scope)? == Scope::Invocation as u32 && constant(codegen, ordering)? != 0 {
        return Err(codegen
            .fail("Vulkan does not support memory ordering for `gl_ScopeInvocation`: use a wider scope"));
    }
    Ok(())
}

/// A scope that the call names.
pub(super) fn scope_operand(codegen: &mut Codegen<'_>, scope: ExprId) -> Emit<Word> {
    let value = constant(codegen, scope)?;
    if value == Scope::Device as u32 && codegen.vulkan_memory_model {
        codegen.b.capability(Capability::VulkanMemoryModelDeviceScope);
    }
    if value == Scope::QueueFamily as u32 && !codegen.vulkan_memory_model {
        return Err(codegen.fail(
            "`gl_ScopeQueueFamily` needs the Vulkan memory model: add `#pragma use_vulkan_memory_model`, or use `gl_ScopeDevice`",
        ));
    }
    Ok(codegen.uint_constant(value))
}

/// Kinds of storage and ordering, which the instructions take in one operand.
pub(super) fn combined_semantics(
    codegen: &mut Codegen<'_>,
    storage: ExprId,
    ordering: ExprId,
    always: MemorySemantics,
) -> Emit<Word> {
    let bits = MemorySemantics::from_bits_retain(constant(codegen, storage)? | constant(codegen, ordering)?);
    let bits = bits | always;
    let order =
        bits & (MemorySemantics::ACQUIRE | MemorySemantics::RELEASE | MemorySemantics::ACQUIRE_RELEASE);
    if order.bits().count_ones() > 1 {
        return Err(codegen.fail(
            "memory semantics must have a single order: `gl_SemanticsAcquire`, `gl_SemanticsRelease` or `gl_SemanticsAcquireRelease`",
        ));
    }
    // An order without a kind of storage orders nothing, and a relaxed operation has no storage that it orders.
    let stored = bits & (BUFFERS | SHARED | IMAGES | MemorySemantics::OUTPUT_MEMORY);
    let bits = if order.is_empty() || stored.is_empty() { bits & MemorySemantics::VOLATILE } else { bits };
    // SPIR-V 1.6, Memory Semantics: these need VulkanMemoryModel.
    let of_model = [
        (MemorySemantics::VOLATILE, constants::GL_SEMANTICS_VOLATILE),
        (MemorySemantics::MAKE_AVAILABLE, constants::GL_SEMANTICS_MAKE_AVAILABLE),
        (MemorySemantics::MAKE_VISIBLE, constants::GL_SEMANTICS_MAKE_VISIBLE),
        (MemorySemantics::OUTPUT_MEMORY, constants::GL_STORAGE_SEMANTICS_OUTPUT),
    ];
    if !codegen.vulkan_memory_model
        && let Some((_, name)) = of_model.iter().find(|(bit, _)| bits.contains(*bit))
    {
        return Err(codegen.fail(format!(
            "`{}` needs the Vulkan memory model: add `#pragma use_vulkan_memory_model`",
            name.name()
        )));
    }
    Ok(codegen.uint_constant(bits.bits()))
}

fn constant(codegen: &mut Codegen<'_>, expr: ExprId) -> Emit<u32> {
    match codegen.expr(expr).constant.as_ref().and_then(Const::as_int) {
        Some(value) => Ok(value as u32),
        None => Err(codegen.fail("scopes and memory semantics must be constant")),
    }
}
