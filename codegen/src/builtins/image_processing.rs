//! Image processing (GL_QCOM_image_processing and its followers). Textures of weights and of block matching are decorated as such where they are
//! loaded.

use coopmat_analysis::extensions::FixedOperand;
use coopmat_analysis::hir::{ExprId, ExprKind};
use coopmat_analysis::types::{OpaqueClass, TypeKind};
use coopmat_spirv::{Capability, Opcode};
use rspirv::dr::Operand;
use rspirv::spirv::{Decoration, Word};

use super::call::BuiltinCall;
use super::images;
use crate::codegen::{Codegen, Emit};

/// What the shapes of OpImageGatherQCOM are called, and their numbers.
const GATHERS: [(FixedOperand, i32); 4] = [
    (FixedOperand::Gather4x1, 0),
    (FixedOperand::GatherD, 1),
    (FixedOperand::GatherH2, 2),
    (FixedOperand::GatherV2, 3),
];

/// The beginnings of the instructions' names.
pub(super) const PREFIXES: &[&str] =
    &["OpImageSampleWeighted", "OpImageBoxFilter", "OpImageBlockMatch", "OpImageGatherQCOM"];

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(op) = call.op else { return Err(codegen.unsupported_builtin(call)) };
    if op == Opcode::ImageGatherQCOM {
        return gather(codegen, call);
    }
    codegen.require_opcode(op);
    let blocks: &[Decoration] = &[Decoration::BlockMatchTextureQCOM];
    let windows: &[Decoration] = &[Decoration::BlockMatchTextureQCOM, Decoration::BlockMatchSamplerQCOM];
    let (of_first, of_second): (&[_], &[_]) = match op {
        Opcode::ImageBoxFilterQCOM => (&[], &[]),
        Opcode::ImageSampleWeightedQCOM => (&[], &[Decoration::WeightTextureQCOM]),
        Opcode::ImageBlockMatchWindowSADQCOM | Opcode::ImageBlockMatchWindowSSDQCOM => (windows, windows),
        _ => (blocks, blocks),
    };
    if op.capabilities().contains(&Capability::TextureBlockMatch2QCOM) {
        codegen.require_capability(rspirv::spirv::Capability::TextureBlockMatchQCOM);
    }
    let mut textures = 0;
    let mut operands = Vec::with_capacity(call.arguments.len());
    for &argument in call.arguments {
        if codegen.opaque_of(codegen.ty(argument)).is_none() {
            operands.push(codegen.value(argument)?);
            continue;
        }
        operands.push(texture(codegen, argument, if textures == 0 { of_first } else { of_second })?);
        textures += 1;
    }
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.value(op, ty, &operands))
}

/// A texture, with what it is used for said of the variable, or of the element of an array, that it is loaded from. The first decoration is of
/// textures, the second of samplers.
fn texture(codegen: &mut Codegen<'_>, argument: ExprId, decorations: &[Decoration]) -> Emit<Word> {
    let ty = codegen.ty(argument);
    let TypeKind::Opaque(opaque) = *codegen.types.kind(ty) else {
        return Err(codegen.inconsistent("a texture of another type"));
    };
    if let ExprKind::Construct { arguments } = &codegen.expr(argument).kind {
        let mut parts = Vec::with_capacity(2);
        for &part in arguments {
            parts.push(texture(codegen, part, decorations)?);
        }
        return codegen.combined(ty, &parts);
    }
    let mut place = codegen.required_place(argument)?;
    let pointer = codegen.pointer(&mut place)?;
    let of_samplers = Decoration::BlockMatchSamplerQCOM;
    for &decoration in decorations {
        let fits = match opaque.class {
            OpaqueClass::Sampler => decoration == of_samplers,
            OpaqueClass::Texture => decoration != of_samplers,
            _ => true,
        };
        if fits {
            codegen.b.decorate_once(pointer, decoration);
        }
    }
    codegen.load(&mut place)
}

fn gather(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some((_, mode)) = GATHERS.iter().find(|(shape, _)| call.function.has(*shape)) else {
        return Err(codegen.unsupported_builtin(call));
    };
    codegen.b.extension("SPV_QCOM_image_processing3");
    codegen.b.capability(match mode {
        0 => Capability::ImageGatherLinearQCOM,
        _ => Capability::ImageGatherExtendedModesQCOM,
    });
    let mode = codegen.int_constant(*mode);
    let Some(opaque) = call.arguments.first().and_then(|&image| codegen.opaque_of(codegen.ty(image))) else {
        return Err(codegen.unsupported_builtin(call));
    };
    images::gather_with(codegen, call, opaque, Opcode::ImageGatherQCOM, &[Operand::IdRef(mode)])
}
