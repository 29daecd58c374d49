//! Footprints of textures (GL_NV_shader_texture_footprint): which texels a lookup would read.

use coopmat_analysis::types::TypeKind;
use coopmat_spirv::Opcode;
use rspirv::dr::Operand;
use rspirv::spirv::{ImageOperands, Word};

use super::call::BuiltinCall;
use super::images::{Extras, add_lower_bound};
use crate::codegen::{Codegen, Emit};

/// The instruction gives the result and the members of the structure, as one structure of its own.
pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let op = Opcode::ImageSampleFootprintNV;
    let (Some(place), Some(granularity), Some(coarse), Some(footprint)) =
        (call.named("P"), call.named("granularity"), call.named("coarse"), call.named("footprint"))
    else {
        return Err(codegen.unsupported_builtin(call));
    };
    let TypeKind::Struct(structure) = *codegen.types.kind(codegen.ty(footprint)) else {
        return Err(codegen.unsupported_builtin(call));
    };
    codegen.require_opcode(op);
    let mut operands = Vec::with_capacity(8);
    for argument in [call.arguments[0], place, granularity, coarse] {
        operands.push(Operand::IdRef(codegen.value(argument)?));
    }
    let mut extras = Extras::new();
    for (name, bit) in [("bias", ImageOperands::BIAS), ("lod", ImageOperands::LOD)] {
        if let Some(level) = call.named(name) {
            extras.add(bit, &[codegen.value(level)?]);
        }
    }
    if let (Some(dx), Some(dy)) = (call.named("dPdx"), call.named("dPdy")) {
        let derivatives = [codegen.value(dx)?, codegen.value(dy)?];
        extras.add(ImageOperands::GRAD, &derivatives);
    }
    add_lower_bound(codegen, call, &mut extras)?;
    extras.append(&mut operands);

    let one = codegen.type_id(call.ty)?;
    let mut types = vec![one];
    let members: Vec<_> = codegen.hir.structs[structure].members.iter().map(|member| member.ty).collect();
    for member in members {
        types.push(codegen.type_id(member)?);
    }
    let all = codegen.results_type(&types);
    let results = codegen.b.value_with(op, all, operands);
    let mut parts = Vec::with_capacity(types.len());
    for (index, &member) in types.iter().enumerate().skip(1) {
        parts.push(codegen.extract(member, results, index as u32));
    }
    let ty = codegen.type_id(codegen.ty(footprint))?;
    let value = codegen.b.value(Opcode::CompositeConstruct, ty, &parts);
    let mut place = codegen.required_place(footprint)?;
    codegen.store(&mut place, value)?;
    Ok(codegen.extract(one, results, 0))
}
