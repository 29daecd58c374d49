//! `saturatedConvertEXT` (GL_EXT_float_e5m2, GL_EXT_float_e4m3): a conversion that stops at the largest finite value.

use coopmat_analysis::types::{Ty, TypeKind};
use rspirv::spirv::{Decoration, Word};

use super::call::BuiltinCall;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let &[result, value] = call.arguments else { return Err(codegen.unsupported_builtin(call)) };
    let (to, from) = (codegen.ty(result), codegen.ty(value));
    let converted = {
        let value = codegen.value(value)?;
        convert(codegen, call, value, from, to)?
    };
    codegen.b.decorate(converted, Decoration::SaturatedToLargestFloat8NormalConversionEXT, []);
    let mut place = codegen.required_place(result)?;
    codegen.store(&mut place, converted)?;
    Ok(0)
}

fn convert(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, value: Word, from: Ty, to: Ty) -> Emit<Word> {
    if !matches!(codegen.types.kind(to), TypeKind::Coopmat(_)) {
        return codegen.convert_value(value, from, to);
    }
    let (Some(source), Some(target)) = (codegen.types.component(from), codegen.types.component(to)) else {
        return Err(codegen.unsupported_builtin(call));
    };
    let ty = codegen.type_id(to)?;
    codegen.convert_components(value, source, target, ty)
}
