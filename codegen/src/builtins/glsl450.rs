//! Functions of the extended instruction set GLSL.std.450 (mathematics, packing, bits).

use rspirv::spirv::Word;

use super::BuiltinCall;
use crate::builder::ExtSet;
use crate::codegen::{Codegen, Emit};

pub(crate) fn lower(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>) -> Emit<Word> {
    let Some(number) = call.extended else { return Err(codegen.unsupported_builtin(call)) };
    if call.function.parameters.iter().any(|parameter| parameter.memory)
        || call
            .function
            .parameters
            .iter()
            .any(|parameter| parameter.direction != coopmat_analysis::extensions::ParameterDirection::In)
    {
        // `modf`, `frexp`: two results.
        return Err(codegen.unsupported_builtin(call));
    }
    let mut values = codegen.argument_values(call.arguments)?;
    spread_scalars(codegen, call, &mut values)?;
    let ty = codegen.type_id(call.ty)?;
    Ok(codegen.b.ext_inst(ExtSet::Glsl450, number, ty, &values))
}

/// `min(vec4, float)`: GLSL.std.450 has operands of the result's type only.
fn spread_scalars(codegen: &mut Codegen<'_>, call: &BuiltinCall<'_>, values: &mut [Word]) -> Emit<()> {
    let Some((scalar, length @ 2..)) = codegen.types.as_vector(call.ty) else { return Ok(()) };
    for (value, &argument) in values.iter_mut().zip(call.arguments) {
        if codegen.types.as_scalar(codegen.ty(argument)) == Some(scalar) && takes_vectors(call) {
            *value = codegen.splat(*value, scalar, length);
        }
    }
    Ok(())
}

/// Whether all operands have the result's type; `refract` has a scalar.
fn takes_vectors(call: &BuiltinCall<'_>) -> bool {
    call.function.name != "refract"
}
