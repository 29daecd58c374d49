//! Atomic operations on buffers, shared memory and images (GLSL 4.60 sections 8.11 and 8.12, GL_KHR_memory_scope_semantics and the
//! extensions for other component types).

use coopmat_analysis::hir::ExprId;
use coopmat_analysis::types::{Scalar, Ty, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::spirv::{MemorySemantics, Scope, StorageClass, Word};

use super::barriers::{combined_semantics, refuse_order_of_one, scope_operand};
use super::call::BuiltinCall;
use super::images::coordinate_count;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let name = call.function.name;
    let Some(&memory) = call.arguments.first() else { return Err(codegen.unsupported_builtin(call)) };
    let image = matches!(codegen.types.kind(codegen.ty(memory)), TypeKind::Opaque(_));
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    let compare = op == Opcode::AtomicCompareExchange;
    let (load, store) = (op == Opcode::AtomicLoad, op == Opcode::AtomicStore);
    let before = if image { coordinate_count(codegen, call) } else { 1 };
    let values = if load { 0 } else { 1 + usize::from(compare) };
    if let Some(scalar) = codegen.types.component(codegen.ty(memory)) {
        codegen.b.computes_with(scalar);
    }
    let data = call.arguments.get(before..before + values).unwrap_or_default();
    let rest = call.arguments.get(before + values..).unwrap_or_default();
    let ty = if store { data.first().map_or(call.ty, |&value| codegen.ty(value)) } else { call.ty };
    let (pointer, volatile) = if image {
        texel_pointer(codegen, call, op, ty, before)?
    } else {
        let mut place = codegen.required_place(memory)?;
        if matches!(place.class, StorageClass::Private | StorageClass::Function) {
            return Err(codegen.fail(format!(
                "`{name}` needs memory that invocations share: a member of a buffer block or a `shared` variable"
            )));
        }
        capability(codegen, op, ty);
        (codegen.pointer(&mut place)?, place.access.volatile)
    };
    let mut values = codegen.argument_values(data)?;
    if compare {
        // GLSL has the comparison first, SPIR-V the new value.
        values.reverse();
    }
    // GL_KHR_memory_scope_semantics, Mapping to SPIR-V: what is `volatile` says so in the semantics of atomics.
    let always = match volatile && codegen.vulkan_memory_model {
        true => MemorySemantics::VOLATILE,
        false => MemorySemantics::RELAXED,
    };
    let ordering = Ordering::of(codegen, rest, always)?;
    let mut operands = vec![pointer, ordering.scope, ordering.semantics];
    if compare {
        operands.push(ordering.unequal);
    }
    operands.extend(values);
    if store {
        codegen.b.effect(op, &operands);
        return Ok(0);
    }
    let result = codegen.type_id(ty)?;
    Ok(codegen.b.value(op, result, &operands))
}

struct Ordering {
    scope: Word,
    semantics: Word,
    /// Where a comparison fails.
    unequal: Word,
}

impl Ordering {
    /// What the call says, or what an operation without a word about it has: relaxed, among all of the device.
    fn of(codegen: &mut Codegen<'_>, arguments: &[ExprId], always: MemorySemantics) -> Emit<Ordering> {
        match *arguments {
            [scope, storage, semantics] => {
                refuse_order_of_one(codegen, scope, semantics)?;
                let scope = scope_operand(codegen, scope)?;
                let semantics = combined_semantics(codegen, storage, semantics, always)?;
                Ok(Ordering { scope, semantics, unequal: semantics })
            }
            [scope, storage, semantics, storage_unequal, semantics_unequal] => {
                refuse_order_of_one(codegen, scope, semantics)?;
                Ok(Ordering {
                    scope: scope_operand(codegen, scope)?,
                    semantics: combined_semantics(codegen, storage, semantics, always)?,
                    unequal: combined_semantics(codegen, storage_unequal, semantics_unequal, always)?,
                })
            }
            _ => {
                let scope = if codegen.vulkan_memory_model { Scope::QueueFamily } else { Scope::Device };
                let scope = codegen.uint_constant(scope as u32);
                let relaxed = codegen.uint_constant(always.bits());
                Ok(Ordering { scope, semantics: relaxed, unequal: relaxed })
            }
        }
    }
}

/// A pointer to a texel of a storage image, and whether the image is `volatile`.
fn texel_pointer(
    codegen: &mut Codegen<'_>,
    call: &BuiltinCall<'_>,
    op: Opcode,
    ty: Ty,
    count: usize,
) -> Emit<(Word, bool)> {
    let mut image = codegen.required_place(call.arguments[0])?;
    let volatile = image.access.volatile;
    let format = image.access.format;
    let untyped = image.untyped;
    let image = codegen.pointer(&mut image)?;
    let Some(&coordinate) = call.arguments.get(1) else { return Err(codegen.unsupported_builtin(call)) };
    let coordinate = codegen.value(coordinate)?;
    let sample = match call.arguments.get(2) {
        Some(&sample) if count == 3 => codegen.value(sample)?,
        _ => codegen.uint_constant(0),
    };
    capability(codegen, op, ty);
    let texel = match untyped {
        // Of an image in a descriptor heap.
        true => {
            let of = codegen.opaque_memory_type(codegen.ty(call.arguments[0]), format)?;
            let pointer = codegen.untyped_pointer_type(StorageClass::Image);
            let operands = [of, image, coordinate, sample];
            codegen.b.value(Opcode::UntypedImageTexelPointerEXT, pointer, &operands)
        }
        false => {
            let texel = codegen.type_id(ty)?;
            let pointer = codegen.pointer_type(StorageClass::Image, texel);
            codegen.b.value(Opcode::ImageTexelPointer, pointer, &[image, coordinate, sample])
        }
    };
    codegen.b.inherit_nonuniform(texel, &[image]);
    Ok((texel, volatile))
}

/// What atomics of other types than 32-bit integers need.
fn capability(codegen: &mut Codegen<'_>, op: Opcode, ty: Ty) {
    let Some((scalar, length)) = codegen.types.as_vector(ty) else { return };
    if scalar.bits() == 64 && scalar.is_integer() {
        codegen.b.capability(Capability::Int64Atomics);
    }
    let float = |codegen: &mut Codegen<'_>, extension: &str, by_width: [Capability; 3]| {
        codegen.b.extension(extension);
        codegen.b.capability(match scalar {
            Scalar::Float16 => by_width[0],
            Scalar::Float64 => by_width[2],
            _ => by_width[1],
        });
    };
    match op {
        Opcode::AtomicFAddEXT if scalar == Scalar::Float16 && length == 1 => {
            codegen.b.extension("SPV_EXT_shader_atomic_float16_add");
            codegen.b.capability(Capability::AtomicFloat16AddEXT);
        }
        Opcode::AtomicFAddEXT if length == 1 => float(
            codegen,
            "SPV_EXT_shader_atomic_float_add",
            [
                Capability::AtomicFloat16AddEXT,
                Capability::AtomicFloat32AddEXT,
                Capability::AtomicFloat64AddEXT,
            ],
        ),
        Opcode::AtomicFMinEXT | Opcode::AtomicFMaxEXT if length == 1 => float(
            codegen,
            "SPV_EXT_shader_atomic_float_min_max",
            [
                Capability::AtomicFloat16MinMaxEXT,
                Capability::AtomicFloat32MinMaxEXT,
                Capability::AtomicFloat64MinMaxEXT,
            ],
        ),
        _ if length > 1 => {
            codegen.b.extension("SPV_NV_shader_atomic_fp16_vector");
            codegen.b.capability(Capability::AtomicFloat16VectorNV);
        }
        _ => {}
    }
}
